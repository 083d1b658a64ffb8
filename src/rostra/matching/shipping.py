"""An index as bytes: to send it to where many events are, a Spark executor for one.

What travels is what conditions came to, predicates on slots, and as text only what has to be asked in Python. The
other side files the predicates anew; nothing that is read is trusted beyond what can be checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from rostra.errors import InvalidValue, Malformed, NotPortable, RostraError
from rostra.matching.layout import BUCKETS, DOWN, MISSING_PASSES, NEGATED, PREDICATE, SET, UP
from rostra.matching.predicates import Predicate
from rostra.matching.slots import Ask, SlotKey, Slots
from rostra.model.condition import Condition
from rostra.model.portable import from_json, to_json
from rostra.model.presence import Exists
from rostra.model.values import Family

if TYPE_CHECKING:
    from rostra.matching.index import Index

FORMAT: Final = 1
_ASKS: Final[dict[str, Family | Ask]] = {ask.value: ask for ask in (*Family, *Ask)}
_CODED: Final = frozenset({Family.TEXT.value, Family.BYTES.value})
_PLAIN: Final = frozenset({str, int, float, bool, bytes, type(None)})
_DEEPEST: Final = 16
_KINDS: Final = UP | DOWN | NEGATED | MISSING_PASSES | SET


class _Slot(msgspec.Struct, array_like=True):
    accessor: str
    ask: str
    detail: str
    length: int
    codes: list[Any]
    ends: list[float] | None
    presence: float
    reach: list[float]


class _Shipped(msgspec.Struct, array_like=True):
    format: int
    slots: list[_Slot]
    ids: list[Any]
    groups: list[Any]
    """The group of each id that has one, with None for the others; none at all if none has one."""

    owner: bytes
    count: bytes
    tests: bytes
    members: bytes
    left: dict[int, str]
    unsharp: dict[int, str]
    questions: list[tuple[str, list[int]]]


def shipped(index: Index[Any]) -> bytes:
    """Return an index as bytes; `NotPortable` if a condition is code, or an id is not plain data."""
    numbers = {old: new for new, old in enumerate(index._numbers.values())}
    ids = list(index._numbers)
    groups = [index._groups.of(key) for key in ids]
    for value in (*ids, *groups):
        _check_plain(value)
    rows = _Rows()
    for at, segment in enumerate(index._segments):
        rows.take(at, segment)
    new_number = np.zeros(len(index._ids) + 1, np.int32)
    new_number[list(numbers)] = list(numbers.values())
    data = _Shipped(
        FORMAT,
        [_slot(index._slots, slot) for slot in range(1, len(index._slots))],
        ids,
        groups if any(group is not None for group in groups) else [],
        new_number[np.concatenate(rows.owner)].astype("<i4").tobytes() if rows.owner else b"",
        np.concatenate(rows.count).astype("<i4").tobytes() if rows.count else b"",
        b"".join(rows.tests),
        np.array(rows.members, "<f8").tobytes(),
        {rows.ordinal(place): to_json(condition) for place, condition in index._left.items()},
        {rows.ordinal(place): to_json(condition) for place, condition in index._unsharp.items()},
        [(to_json(condition), [numbers[index._numbers[key]] for key in who]) for condition, who in index._questions],
    )
    return msgspec.msgpack.encode(data)


def _check_plain(value: Any, depth: int = 0) -> None:
    if type(value) is tuple and depth < _DEEPEST:
        for one in value:
            _check_plain(one, depth + 1)
    elif type(value) not in _PLAIN or (type(value) is int and not -(2**63) <= value < 2**64):
        raise NotPortable(f"ids and groups that travel are texts, numbers of 64 bits, bytes or tuples, not {value!r}")


class _Rows:
    """Entries of all segments, one after the other."""

    def __init__(self) -> None:
        self.owner: list[npt.NDArray[Any]] = []
        self.count: list[npt.NDArray[Any]] = []
        self.tests: list[bytes] = []
        self.members: list[float] = []
        self._places: dict[int, int] = {}
        self._entries = 0

    def take(self, at: int, segment: Any) -> None:
        from rostra.matching.segment import SEGMENT

        entries, _ = segment.entries_from(0, segment.top)
        ints = segment.records.ints
        self.owner.append(ints[entries * 6])
        self.count.append(ints[entries * 6 + 1])
        places, _ = segment.places_of(entries)
        tests = segment.records.array[places]
        for i in np.flatnonzero(tests["kind"] & SET).tolist():
            start = int(tests["low"][i])
            tests["low"][i] = len(self.members)
            self.members += segment.members.array[start : start + int(tests["high"][i])].tolist()
        self.tests.append(tests.tobytes())
        asking = entries[ints[entries * 6 + 3] != 0]
        ordinals = np.searchsorted(entries, asking) + self._entries
        self._places.update(zip((at * SEGMENT + asking).tolist(), ordinals.tolist(), strict=True))
        self._entries += len(entries)

    def ordinal(self, place: int) -> int:
        return self._places[place]


def _slot(slots: Slots, slot: int) -> _Slot:
    accessor, ask, detail = slots.keys[slot]
    family, length = detail if ask is Ask.PREFIX else (None, 0)
    name = family.value if family is not None else detail or ""
    codes: list[Any] = slots.codes[slot].values
    ends, reach = slots.settled(slot)
    return _Slot(to_json(Exists._of(accessor)), ask.value, name, length, codes, ends, slots.presence[slot], reach)


def unshipped(index: Index[Any], data: bytes, methods: Collection[str]) -> None:
    """Fill an empty index with what `shipped` returned."""
    try:
        read = msgspec.msgpack.decode(data, type=_Shipped)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise Malformed(f"these bytes are no index: {error}") from None
    if read.format != FORMAT:
        raise Malformed(f"this index has format {read.format}, not {FORMAT}: use the same version on both sides")
    try:
        _Reading(index, read, methods).run()
    except RostraError:
        raise
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, RecursionError) as error:
        raise Malformed(f"these bytes are no index: {error}") from None


class _Reading:
    """Puts what was read into an index, checking everything that a place in memory is computed from."""

    def __init__(self, index: Index[Any], read: _Shipped, methods: Collection[str]) -> None:
        self._index, self._read, self._methods = index, read, methods
        self._members = np.frombuffer(read.members, "<f8")
        self._ids = [_hashable(key) for key in read.ids]
        self._groups: list[Any] = [_hashable(group) for group in read.groups] or [None] * len(self._ids)

    def run(self) -> None:
        for slot in self._read.slots:
            self._add_slot(slot)
        if len(set(self._ids)) < len(self._ids) or len(self._groups) != len(self._ids):
            raise Malformed("an index has each id once")
        groups = self._index._restore_ids(self._ids, self._groups)
        owner = np.frombuffer(self._read.owner, "<i4").tolist()
        count = np.frombuffer(self._read.count, "<i4")
        tests = np.frombuffer(self._read.tests, PREDICATE)
        self._check(owner, count, tests)
        places: list[list[Any]] = [[] for _ in self._ids]
        predicates = [self._predicate(*test) for test in tests.tolist()]
        start = 0
        for ordinal, (number, length) in enumerate(zip(owner, count.tolist(), strict=True)):
            left, whole = self._condition(self._read.left, ordinal), self._condition(self._read.unsharp, ordinal)
            mine = predicates[start : start + length]
            places[number].append(self._index._file_entry(number, groups[number], mine, left, whole))
            start += length
        for text, numbers in self._read.questions:
            condition = from_json(text, methods=self._methods)
            for number in numbers:
                self._index._questions.add(condition, self._ids[number])
                places[number].append(condition)
        self._index._restore_places(places)

    def _condition(self, texts: dict[int, str], ordinal: int) -> Condition | None:
        text = texts.get(ordinal)
        return None if text is None else from_json(text, methods=self._methods)

    def _check(self, owner: list[int], count: Any, tests: Any) -> None:
        if len(owner) != len(count) or (len(count) and count.min() < 1) or int(count.sum()) != len(tests):
            raise Malformed("entries and their predicates do not add up")
        if owner and not 0 <= min(owner) <= max(owner) < len(self._ids):
            raise Malformed("an entry belongs to nobody")
        slot, kind = tests["slot"], tests["kind"]
        if len(tests) and not (slot.min() > 0 and slot.max() < len(self._index._slots)):
            raise Malformed("a predicate is about no slot")
        if (kind & ~_KINDS).any() or np.isnan(tests["low"]).any() or np.isnan(tests["high"]).any():
            raise Malformed("there is no such predicate")
        if np.isnan(self._members).any():
            raise Malformed("there is no such member")

    def _predicate(self, slot: int, kind: int, low: float, high: float) -> Predicate:
        if not kind & SET:
            return Predicate(slot, kind, low, high)
        start, stop = int(low), int(low) + int(high)
        if not 0 <= start < stop <= len(self._members):
            raise Malformed("there is no such set")
        return Predicate(slot, kind, 0.0, 0.0, tuple(sorted(set(self._members[start:stop].tolist()))))

    def _add_slot(self, data: _Slot) -> None:
        ask, detail = _ASKS[data.ask], data.detail or None
        if ask in (Ask.ALWAYS, Family.OTHER) or (ask is Ask.PREFIX and data.detail not in _CODED):
            raise Malformed("there is no such slot")
        if data.codes and ask is not Ask.PREFIX and data.ask not in _CODED:
            raise Malformed("a slot has no codes")
        condition = from_json(data.accessor, methods=self._methods)
        if not isinstance(condition, Exists):
            raise Malformed("a slot is about no accessor")
        key = SlotKey(condition.of, ask, (Family(data.detail), data.length) if ask is Ask.PREFIX else detail)
        slots = self._index._slots
        slot = slots.number(key)
        codes = [value for value in data.codes if value is not None]
        if not all(isinstance(value, str | bytes) for value in codes) or len(set(codes)) < len(codes):
            raise Malformed("a slot has no such value")
        slots.codes[slot].restore(data.codes)
        if not (_rises(data.ends or [], -math.inf, math.inf) and len(data.ends or []) < BUCKETS):
            raise Malformed("a slot has no such buckets")
        if not (_rises(data.reach, -1e-9, 1.0 + 1e-9, level=True) and len(data.reach) == BUCKETS + 1):
            raise Malformed("a slot has no such shares")
        if not 0.0 < data.presence <= 1.0:
            raise Malformed("a slot is there in no such share of events")
        slots.restore(slot, data.ends, data.presence, data.reach)


def _rises(numbers: list[float], low: float, high: float, *, level: bool = False) -> bool:
    """Say whether numbers lie between two and each is more than the one before, or the same if they may be level."""
    steps = zip([low, *numbers], [*numbers, high], strict=True)
    return all(a < b or (level and a == b) for a, b in steps)


def _hashable(value: Any) -> Hashable:
    """Return plain data as it was before it travelled: what was a tuple came as a list."""
    if isinstance(value, list):
        return tuple(_hashable(one) for one in value)
    if isinstance(value, dict):
        raise InvalidValue("an id is not a dict")
    return value  # type: ignore[no-any-return]
