"""Conditions as entries of the index: conjunctions of predicates on slots, and what is left to ask in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from rostra.matching.layout import MISSING_PASSES, NEGATED, SET, STRICT_HIGH, STRICT_LOW
from rostra.matching.slots import Ask as SlotAsk
from rostra.matching.slots import SlotKey, Slots
from rostra.model.accessor import Accessor, Constant
from rostra.model.comparison import (
    NEGATED as NEGATED_COMPARISON,
)
from rostra.model.comparison import (
    Comparison,
    Equals,
    Greater,
    Less,
    LessEqual,
    NotEquals,
    OneOf,
)
from rostra.model.condition import Condition
from rostra.model.normal import OF_NEGATION, Ask, asked
from rostra.model.presence import Exists, InstanceOf
from rostra.model.text import Prefix
from rostra.model.values import Family

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
NUMERIC: Final = frozenset({Family.NUMBER, Family.TIME, Family.DURATION, Family.BOOL})
"""Families whose values are numbers in a slot; of the others only those that conditions mention have one."""


class Predicate(NamedTuple):
    """A test of one slot: bounds, or members."""

    slot: int
    kind: int
    low: float
    high: float
    members: tuple[float, ...] | None = None


class Draft(NamedTuple):
    """What a conjunction comes to."""

    predicates: list[Predicate]
    left: tuple[Condition, ...]
    """Tests that are no predicates on slots."""

    is_sharp: bool
    """Whether the predicates are exact for every value, not only for those that a float can hold."""


def draft(conjunction: Iterable[Condition], slots: Slots) -> Draft:
    """Turn the tests of a conjunction into predicates as far as that goes."""
    predicates: list[Predicate] = []
    left: list[Condition] = []
    sharp = True
    for test in conjunction:
        found = predicate(test, slots)
        if found is None:
            left.append(test)
        else:
            _insert(predicates, found[0])
            sharp = sharp and found[1]
    return Draft(predicates, tuple(left), sharp)


def _insert(predicates: list[Predicate], new: Predicate) -> None:
    for at, old in enumerate(predicates):
        if old.slot == new.slot and (both := merged(old, new)) is not None:
            predicates[at] = both
            return
    predicates.append(new)


def predicate(literal: Condition, slots: Slots) -> tuple[Predicate, bool] | None:
    """Return the predicate that says what a literal does, and whether it is sharp; None if there is none."""
    test, ask = asked(literal)
    match test:
        case Comparison(left=of, right=Constant(family=family, value=value)) if not test.is_code:
            return _comparison(type(test), SlotKey(of, family), value, ask, slots)
        case OneOf(of=of, members=members) if not test.is_code:
            return _membership(of, members, ask, slots)
        case Exists(of=of):
            return _flag(SlotKey(of, SlotAsk.PRESENT), ask, slots), True
        case InstanceOf(of=of, name=name):
            return _flag(SlotKey(of, SlotAsk.TYPE, name), ask, slots), True
        case Prefix(of=of, text=Constant(family=family, value=text)):
            slot = slots.number(SlotKey(of, SlotAsk.PREFIX, (family, len(text))))
            return _code(slot, slots.code(slot, text), ask), True
    return None


def _comparison(cls: Any, key: SlotKey, value: Any, ask: Ask, slots: Slots) -> tuple[Predicate, bool] | None:
    family = key.ask
    if family is Family.OTHER:
        return None
    if family not in NUMERIC and cls not in (Equals, NotEquals):
        return None
    slot = slots.number(key)
    if not isinstance(family, Family) or family not in NUMERIC:
        return _code(slot, slots.code(slot, value), ask if cls is Equals else OF_NEGATION[ask]), True
    if ask is Ask.FALSE:
        cls, ask = NEGATED_COMPARISON[cls], Ask.TRUE
    elif ask is Ask.NOT_FALSE:
        cls, ask = NEGATED_COMPARISON[cls], Ask.NOT_TRUE
    low, high = neighbours(as_number(family, value))
    kind, lowest, highest = _bounds(cls, low, high)
    if ask is Ask.NOT_TRUE:
        kind = (kind ^ NEGATED) | MISSING_PASSES
    slots.sample(slot, low, high)
    return Predicate(slot, kind, lowest, highest), low == high


def _membership(
    of: Accessor, members: frozenset[tuple[Family, Any]], ask: Ask, slots: Slots
) -> tuple[Predicate, bool] | None:
    families = {family for family, _ in members}
    if len(families) > 1:
        return None
    (family,) = families
    slot = slots.number(SlotKey(of, family))
    if family in NUMERIC:
        pairs = [neighbours(as_number(family, value)) for _, value in members]
        if any(low != high for low, high in pairs):
            return None
        numbers = [low for low, _ in pairs]
        slots.sample(slot, *numbers)
    else:
        numbers = [slots.code(slot, value) for _, value in members]
    return Predicate(slot, SET | _ASKED[ask], 0, 0, tuple(sorted(numbers))), True


def _code(slot: int, code: float, ask: Ask) -> Predicate:
    return Predicate(slot, _ASKED[ask], code, code)


def _flag(key: SlotKey, ask: Ask, slots: Slots) -> Predicate:
    slot = slots.number(key)
    kind = 0 if ask in (Ask.TRUE, Ask.NOT_FALSE) else NEGATED | MISSING_PASSES
    return Predicate(slot, kind, 1.0, 1.0)


def as_number(family: Family, value: Any) -> Any:
    """Return a plain value of a numeric family as a number, exactly."""
    if family is Family.TIME:
        return (value - _EPOCH) // _MICROSECOND
    if family is Family.DURATION:
        return value // _MICROSECOND
    return int(value) if family is Family.BOOL else value


def neighbours(number: Any) -> tuple[float, float]:
    """Return the floats next to a number: both the number itself if a float can hold it."""
    try:
        near = float(number) + 0.0  # which makes a zero of minus zero
    except OverflowError:
        near = math.inf if number > 0 else -math.inf
    if near == number:
        return near, near
    return (near, math.nextafter(near, math.inf)) if near < number else (math.nextafter(near, -math.inf), near)


def _bounds(cls: type[Comparison], low: float, high: float) -> tuple[int, float, float]:
    """Return the kind and the bounds of a comparison with a constant that lies between two neighbouring floats."""
    exact = low == high
    if cls in (Equals, NotEquals):
        kind = 0 if exact else STRICT_LOW | STRICT_HIGH
        return kind | (NEGATED if cls is NotEquals else 0), low, high
    if cls in (Less, LessEqual):
        return STRICT_HIGH if cls is Less or not exact else 0, -math.inf, high
    return STRICT_LOW if cls is Greater or not exact else 0, low, math.inf


def merged(one: Predicate, two: Predicate) -> Predicate | None:
    """Return one predicate for two on the same slot; None if there is none for both."""
    if (one.kind | two.kind) & (NEGATED | MISSING_PASSES | SET):
        return None
    low = max((one.low, one.kind & STRICT_LOW), (two.low, two.kind & STRICT_LOW))
    high = min((one.high, -(one.kind & STRICT_HIGH)), (two.high, -(two.kind & STRICT_HIGH)))
    return Predicate(one.slot, low[1] | -high[1], low[0], high[0])


_ASKED: Final = {
    Ask.TRUE: 0,
    Ask.FALSE: NEGATED,
    Ask.NOT_TRUE: NEGATED | MISSING_PASSES,
    Ask.NOT_FALSE: MISSING_PASSES,
}
