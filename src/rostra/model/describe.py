"""Regions back as conditions: the plainest condition that is true on exactly a region's values."""

from __future__ import annotations

from typing import Any

from rostra.model.accessor import Accessor, Constant
from rostra.model.comparison import (
    Equals,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEquals,
    OneOf,
    compare,
)
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Or
from rostra.model.presence import Exists
from rostra.model.region import (
    DOMAIN,
    EVERYTHING,
    MISSING,
    NOTHING,
    PRESENT,
    Cut,
    Cuts,
    Region,
    after_prefix,
    interval,
    is_point,
    pairs,
    value_at,
)
from rostra.model.text import Prefix
from rostra.model.values import Family


def described(of: Accessor, values: Region) -> Condition:
    """Return a condition that is true exactly of the messages whose attribute lies in the region."""
    if values == EVERYTHING:
        return Always()
    if values == NOTHING:
        return Never()
    if values == PRESENT:
        return Exists(of)
    if values.missing and values.other:
        return Not(IsTrue(described(of, ~values)))
    if values.missing:
        return Or(Not(Exists(of)), described(of, values - MISSING))
    if values.other:
        return And(Exists(of), Not(IsTrue(described(of, PRESENT - values))))
    points = values.points()
    if points is not None:
        return OneOf(of, [value for _, value in points])
    return Or(*(_family_described(of, family, cuts) for family, cuts in values.by_family()))


def hull(values: Region) -> Region:
    """Return a region around another that a single conjunction can describe."""
    if values.missing:
        return EVERYTHING
    families = values.by_family()
    if values.other or len(families) != 1:
        return PRESENT
    if values.points() is not None:
        return values
    [(family, cuts)] = families
    return interval(family, cuts[0], cuts[-1])


def _family_described(of: Accessor, family: Family, cuts: Cuts) -> Condition:
    if cuts == DOMAIN[family]:
        return _whole(of, family)
    gaps = list(pairs(cuts[1:-1]))
    if all(is_point(family, low, high) for low, high in gaps):
        holes = (compare(NotEquals, of, Constant(value_at(family, low))) for low, _ in gaps)
        bounds = _interval(of, family, cuts[0], cuts[-1])
        return And(*([] if gaps and (cuts[0], cuts[-1]) == DOMAIN[family] else [bounds]), *holes)
    return Or(*(_interval(of, family, low, high) for low, high in pairs(cuts)))


def _whole(of: Accessor, family: Family) -> Condition:
    """Return "is of this family": numbers up to infinity, any text, either truth value, any instant."""
    match family:
        case Family.TEXT:
            return Prefix(of, "")
        case Family.BYTES:
            return Prefix(of, b"")
        case Family.BOOL:
            return OneOf(of, [False, True])
        case Family.NUMBER:
            return compare(LessEqual, of, Constant(float("inf")))
    return compare(GreaterEqual, of, Constant(value_at(family, DOMAIN[family][0])))


def _interval(of: Accessor, family: Family, low: Cut, high: Cut) -> Condition:
    first, last = DOMAIN[family]
    if is_point(family, low, high):
        return compare(Equals, of, Constant(value_at(family, low)))
    prefix = _prefix(family, low, high)
    if prefix is not None:
        return Prefix(of, prefix)
    bounds = []
    if low != first:
        value, beyond = _bound(family, low)
        bounds.append(compare(Greater if beyond else GreaterEqual, of, Constant(value)))
    if high != last:
        value, beyond = _bound(family, high)
        bounds.append(compare(LessEqual if beyond else Less, of, Constant(value)))
    return And(*bounds) if bounds else _whole(of, family)


def _bound(family: Family, cut: Cut) -> tuple[Any, bool]:
    """Return the value at a cut and whether the cut is after it; there is no text between "a" and "a" + NUL."""
    value = value_at(family, cut)
    if family in (Family.TEXT, Family.BYTES) and value[-1:] in ("\0", b"\0"):
        return value[:-1], True
    return value, cut[2] == 1


def _prefix(family: Family, low: Cut, high: Cut) -> Any:
    if family in (Family.TEXT, Family.BYTES) and low[1] and after_prefix(low[1]) == high:
        return low[1]
    return None
