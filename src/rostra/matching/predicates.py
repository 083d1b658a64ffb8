"""Conditions as entries of the index: conjunctions of predicates on slots, and what is left to ask in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from rostra.matching.layout import DOWN, MISSING_PASSES, MORE, NEGATED, SET, UP
from rostra.matching.slots import NUMERIC, SlotKey, Slots
from rostra.matching.slots import Ask as SlotAsk
from rostra.model.accessor import MESSAGE, Accessor, Attribute, Constant
from rostra.model.comparison import (
    NEGATED as NEGATED_COMPARISON,
)
from rostra.model.comparison import (
    Comparison,
    Equals,
    Greater,
    GreaterEqual,
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

_NUMBER: Final = Family.NUMBER  # looking a member up in its Enum takes as long as calling a function
_TEXT: Final = Family.TEXT
_INCLUSIVE: Final = frozenset({Equals, LessEqual, GreaterEqual})
_EXACT: Final = 2**53  # whole numbers up to here are floats, too
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


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
    bounds: dict[int, int] = {}
    left: list[Condition] = []
    sharp = True
    for test in conjunction:
        plain = _plain(test, slots)
        if plain is not None:
            _insert(predicates, bounds, plain)
        elif (found := predicate(test, slots)) is not None:
            _insert(predicates, bounds, found[0])
            sharp = sharp and found[1]
        else:
            left.append(test)
    return Draft(predicates, tuple(left), sharp)


def _insert(predicates: list[Predicate], bounds: dict[int, int], new: Predicate) -> None:
    """Add a predicate to those there are, of which `bounds` says where the bounds of each slot are: they are merged."""
    slot, kind, _, _, _ = new
    if not kind & MORE:
        at = bounds.get(slot)
        if at is not None:
            predicates[at] = merged(predicates[at], new)
            return
        bounds[slot] = len(predicates)
    predicates.append(new)


def _plain(test: Any, slots: Slots) -> Predicate | None:
    """Return what `predicate` does, faster, for most tests: `==`, `<=`, `>=` with a text or what a float can hold."""
    cls = type(test)
    if cls not in _INCLUSIVE or type(test.right) is not Constant:
        return None
    if not (type(test.left) is Attribute and test.left.of is MESSAGE) and test.is_code:
        return None
    family, value = test.right.family, test.right.value
    if family is _TEXT and cls is Equals:
        slot = slots.of(test.left, family)
        code = slots.code(slot, value)
        return Predicate(slot, 0, code, code)
    if family is not _NUMBER or not -_EXACT <= value <= _EXACT or (near := float(value) + 0.0) != value:
        return None
    slot = slots.of(test.left, family)
    slots.sample(slot, near)
    if cls is Equals:
        return Predicate(slot, 0, near, near)
    return Predicate(slot, 0, -math.inf, near) if cls is LessEqual else Predicate(slot, 0, near, math.inf)


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
    if kind & NEGATED and low != high:
        return None  # between the neighbours the answer is open, and only what passes is asked again
    slots.sample(slot, low)
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
        for number in numbers:
            slots.sample(slot, number)
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
    """Return the kind and the bounds of a comparison with a constant that lies between two neighbouring floats.

    Bounds are inclusive: what is more than a float is at least the next one. The value of an event may itself lie
    between two neighbours; it is more than a float if its upper neighbour is, and at least a float if its lower
    neighbour is. Which of the two has to reach the bound is what `UP` and `DOWN` say.
    """
    if cls is Equals or cls is NotEquals:
        kind, low, high = (0, low, high) if low == high else (UP | DOWN, high, low)
        return kind | (NEGATED if cls is NotEquals else 0), low, high
    if cls is LessEqual or cls is Less:
        if cls is LessEqual and low == high:
            return 0, -math.inf, high
        return (DOWN, -math.inf, math.nextafter(high, -math.inf)) if high > -math.inf else _IMPOSSIBLE
    if cls is not Greater and low == high:
        return 0, low, math.inf
    return (UP, math.nextafter(low, math.inf), math.inf) if low < math.inf else _IMPOSSIBLE


def merged(one: Predicate, two: Predicate) -> Predicate:
    """Return the bounds that say what two bounds of the same slot do: of equal ones, those that are stricter."""
    slot, kind, low, high, _ = one
    _, other, least, most, _ = two
    stricter = kind & ~other
    if least > low or (least == low and stricter & UP):
        low, kind = least, (kind & ~UP) | (other & UP)
    if most < high or (most == high and stricter & DOWN):
        high, kind = most, (kind & ~DOWN) | (other & DOWN)
    return Predicate(slot, kind, low, high)


def is_equality(predicate: Predicate) -> bool:
    """Say whether a predicate asks for one value: itself, or the two floats that it lies between."""
    _, kind, low, high, _ = predicate
    if low == high:
        return not kind & (UP | DOWN)
    return low > high and kind == UP | DOWN and math.nextafter(high, math.inf) == low


_ASKED: Final = {
    Ask.TRUE: 0,
    Ask.FALSE: NEGATED,
    Ask.NOT_TRUE: NEGATED | MISSING_PASSES,
    Ask.NOT_FALSE: MISSING_PASSES,
}
_IMPOSSIBLE: Final = (0, math.inf, -math.inf)
