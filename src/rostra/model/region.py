r"""Regions: exact sets of the values one attribute may have.

The values an attribute can take fall apart into disjoint kinds: missing; the six ordered families; and
everything else (`other`: NaN, lists, objects), present but comparable with no constant. A `Region` says which
of these it contains, and for each family which part, as a union of intervals. Regions are closed under union,
intersection and complement, all exact, and that is what makes `covers`, `overlaps` and `merge` exact on them.

Intervals are kept as a sorted tuple of *cuts*: places between values where membership flips. Numbers are dense,
so a cut is just before or just after a number. All other families have a next value (the text after "a" is
"a\0", the instant after t is a microsecond later), so there every cut is just before a value, and two
descriptions of one set are always the same tuple. A prefix is an interval of text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from rostra.model.values import Family

Cut: TypeAlias = tuple[Any, ...]
Cuts: TypeAlias = tuple[Cut, ...]
"""An even number of increasing cuts: inside between the first two, outside until the third, and so on."""

TOP: Final[Cut] = (1,)
"""Above every text; texts have no largest."""

_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _microseconds(instant: datetime) -> int:
    return (instant - _EPOCH) // _MICROSECOND


def _discrete(first: int, last: int) -> Cuts:
    return ((0, first, 0), (0, last + 1, 0))


DOMAIN: Final[Mapping[Family, Cuts]] = {
    Family.NUMBER: ((0, float("-inf"), 0), (0, float("inf"), 1)),
    Family.BOOL: _discrete(0, 1),
    Family.TEXT: ((0, "", 0), TOP),
    Family.BYTES: ((0, b"", 0), TOP),
    Family.TIME: _discrete(
        _microseconds(datetime.min.replace(tzinfo=UTC)), _microseconds(datetime.max.replace(tzinfo=UTC))
    ),
    Family.DURATION: _discrete(timedelta.min // _MICROSECOND, timedelta.max // _MICROSECOND),
}

_POINT: Final[Mapping[Family, Callable[[Any], Any]]] = {
    Family.BOOL: int,
    Family.TIME: _microseconds,
    Family.DURATION: lambda value: value // _MICROSECOND,
}
_VALUE: Final[Mapping[Family, Callable[[Any], Any]]] = {
    Family.BOOL: bool,
    Family.TIME: lambda point: _EPOCH + point * _MICROSECOND,
    Family.DURATION: lambda point: point * _MICROSECOND,
}


def before(family: Family, value: Any) -> Cut:
    """Return the cut just before a value."""
    return (0, _POINT[family](value) if family in _POINT else value, 0)


def after(family: Family, value: Any) -> Cut:
    """Return the cut just after a value."""
    if family is Family.NUMBER:
        return (0, value, 1)
    if family is Family.TEXT:
        return (0, value + "\0", 0)
    if family is Family.BYTES:
        return (0, value + b"\0", 0)
    return (0, _POINT[family](value) + 1, 0)


def value_at(family: Family, cut: Cut) -> Any:
    """Return the value that a cut stands before or after."""
    return _VALUE[family](cut[1]) if family in _VALUE else cut[1]


def after_prefix(prefix: Any) -> Cut:
    """Return the cut after every text (or bytes) that starts with the prefix."""
    if isinstance(prefix, bytes):
        stem = prefix.rstrip(b"\xff")
        return (0, stem[:-1] + bytes([stem[-1] + 1]), 0) if stem else TOP
    stem = prefix.rstrip(chr(sys.maxunicode))
    return (0, stem[:-1] + chr(ord(stem[-1]) + 1), 0) if stem else TOP


def swept(one: Cuts, two: Cuts, inside: Callable[[bool, bool], bool]) -> Cuts:
    """Combine two sets of intervals: a place is inside if `inside(in one, in two)`, which is False for neither."""
    cuts: list[Cut] = []
    i = j = 0
    was = False
    while i < len(one) or j < len(two):
        cut = min(one[i : i + 1] + two[j : j + 1])
        i += i < len(one) and one[i] == cut
        j += j < len(two) and two[j] == cut
        now = inside(i % 2 == 1, j % 2 == 1)
        if now is not was:
            cuts.append(cut)
            was = now
    return tuple(cuts)


def _both(one: Cuts, two: Cuts, domain: Cuts) -> Cuts:
    if two in (one, domain) or not one:
        return one
    return two if one == domain or not two else swept(one, two, lambda a, b: a and b)


def _either(one: Cuts, two: Cuts, domain: Cuts) -> Cuts:
    if one in (two, domain) or not two:
        return one
    return two if two == domain or not one else swept(one, two, lambda a, b: a or b)


def _only(one: Cuts, two: Cuts, domain: Cuts) -> Cuts:
    if not one or not two:
        return one
    return () if two in (one, domain) else swept(one, two, lambda a, b: a and not b)


class Region(NamedTuple):
    """A set of values of one attribute."""

    missing: bool
    other: bool
    ranges: tuple[Cuts, ...]
    """The cuts within each family, in the order of `DOMAIN`; empty where no value of it is inside."""

    def __and__(self, another: Region) -> Region:
        ranges = tuple(map(_both, self.ranges, another.ranges, _WHOLE))
        return Region(self.missing and another.missing, self.other and another.other, ranges)

    def __or__(self, another: Region) -> Region:
        ranges = tuple(map(_either, self.ranges, another.ranges, _WHOLE))
        return Region(self.missing or another.missing, self.other or another.other, ranges)

    def __sub__(self, another: Region) -> Region:
        ranges = tuple(map(_only, self.ranges, another.ranges, _WHOLE))
        return Region(self.missing and not another.missing, self.other and not another.other, ranges)

    def __invert__(self) -> Region:
        return EVERYTHING - self

    @property
    def is_empty(self) -> bool:
        """Whether no value is inside."""
        return not (self.missing or self.other or any(self.ranges))

    def within(self, another: Region) -> bool:
        """Say whether every value inside is inside the other region."""
        return self is another or (self - another).is_empty

    def by_family(self) -> list[tuple[Family, Cuts]]:
        """Return the families of which some value is inside, with the cuts within each."""
        return [(family, cuts) for family, cuts in zip(DOMAIN, self.ranges, strict=True) if cuts]

    @property
    def size(self) -> int:
        """How much there is to go through."""
        return sum(map(len, self.ranges))

    def points(self) -> list[tuple[Family, Any]] | None:
        """Return the values inside if they are single points, None if there are intervals or others."""
        if self.missing or self.other:
            return None
        found: list[tuple[Family, Any]] = []
        for family, cuts in self.by_family():
            for low, high in pairs(cuts):
                if not is_point(family, low, high):
                    return None
                found.append((family, value_at(family, low)))
        return found


def pairs(cuts: Cuts) -> Iterator[tuple[Cut, Cut]]:
    """Yield the intervals as (low, high) cuts."""
    return zip(cuts[::2], cuts[1::2], strict=True)


def is_point(family: Family, low: Cut, high: Cut) -> bool:
    """Say whether an interval holds exactly one value."""
    if low == TOP or (family is Family.NUMBER and low[2] == 1):
        return False
    return bool(after(family, value_at(family, low)) == high)


def whole(family: Family) -> Region:
    """Return the region of all values of a family."""
    return _within_family(family, DOMAIN[family])


def interval(family: Family, low: Cut | None, high: Cut | None) -> Region:
    """Return the values of a family between two cuts; None is the end of the family."""
    first, last = DOMAIN[family]
    cuts = (max(low, first) if low else first, min(high, last) if high else last)
    return _within_family(family, cuts) if cuts[0] < cuts[1] else NOTHING


def points(values: Iterable[tuple[Family, Any]]) -> Region:
    """Return the region of single values."""
    by_family: dict[Family, list[tuple[Cut, Cut]]] = {}
    for family, value in values:
        by_family.setdefault(family, []).append((before(family, value), after(family, value)))
    return NOTHING._replace(ranges=tuple(_joined(sorted(by_family.get(family, ()))) for family in DOMAIN))


def _joined(intervals: list[tuple[Cut, Cut]]) -> Cuts:
    """Return the cuts of sorted intervals, those that touch as one."""
    cuts: list[Cut] = []
    for low, high in intervals:
        if cuts and cuts[-1] == low:
            cuts[-1] = high
        elif not cuts or cuts[-1] < low:
            cuts += (low, high)
    return tuple(cuts)


def _within_family(family: Family, cuts: Cuts) -> Region:
    return NOTHING._replace(ranges=tuple(cuts if each is family else () for each in DOMAIN))


_WHOLE: Final = tuple(DOMAIN.values())
EVERYTHING: Final = Region(missing=True, other=True, ranges=_WHOLE)
NOTHING: Final = Region(missing=False, other=False, ranges=((),) * len(DOMAIN))
PRESENT: Final = EVERYTHING._replace(missing=False)
MISSING: Final = NOTHING._replace(missing=True)
OTHERS: Final = NOTHING._replace(other=True)
