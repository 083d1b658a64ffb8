"""Normal form: any condition as a disjunction of conjunctions of single tests (C5).

What counts is where a condition is *true*. Negation is pushed down to the tests by asking one of four questions
of each part: is it true, is it false, is it not true, is it not false. The last two arise under `~IsTrue(...)`
and differ from the first two exactly where the part is unknown. Each test then appears as itself, as
`~test`, as `~IsTrue(test)` or as `~IsTrue(~test)`: a *literal*, again an ordinary condition.

The number of conjunctions can grow exponentially, so it is bounded: beyond the bound there is no normal form
and the condition stays the tree it is.
"""

from __future__ import annotations

import enum
from itertools import chain
from typing import Final, TypeAlias

from rostra.defaults import CONJUNCTIONS
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Or

Conjunction: TypeAlias = tuple[Condition, ...]


class Ask(enum.Enum):
    """A question about the answer of a condition."""

    TRUE = "true"
    FALSE = "false"
    NOT_TRUE = "not true"
    NOT_FALSE = "not false"

    __hash__ = object.__hash__  # members are compared by identity; Enum's own is written in Python


OF_NEGATION = {
    Ask.TRUE: Ask.FALSE,
    Ask.FALSE: Ask.TRUE,
    Ask.NOT_TRUE: Ask.NOT_FALSE,
    Ask.NOT_FALSE: Ask.NOT_TRUE,
}
_OF_TWO_VALUED = {Ask.NOT_TRUE: Ask.FALSE, Ask.NOT_FALSE: Ask.TRUE}
OF_IS_TRUE = {
    Ask.TRUE: Ask.TRUE,
    Ask.NOT_FALSE: Ask.TRUE,
    Ask.FALSE: Ask.NOT_TRUE,
    Ask.NOT_TRUE: Ask.NOT_TRUE,
}


_COMPOUND: Final = (Always, Never, Not, IsTrue, And, Or)
"""Conditions that are no single tests."""


class _TooMany(Exception):
    """The normal form would exceed its bound."""


def disjunction(condition: Condition, limit: int = CONJUNCTIONS) -> tuple[Conjunction, ...] | None:
    """Return the conjunctions of which at least one holds exactly where the condition is true.

    None if there would be more than `limit`. No conjunction at all means never true; an empty one, always.
    """
    if limit and _is_conjunction(condition):
        return (condition.parts(),)
    try:
        return tuple(tuple(conjunction) for conjunction in _expanded(condition, Ask.TRUE, limit))
    except _TooMany:
        return None


def _is_conjunction(condition: Condition) -> bool:
    """Say whether a condition is in normal form as it is: an `And` of tests, which it has dropped repetitions of."""
    if type(condition) is not And:
        return False
    for part in condition.parts():  # noqa: SIM110  half the time of any()
        if isinstance(part, _COMPOUND):
            return False
    return True


def literal(test: Condition, ask: Ask) -> Condition:
    """Return the condition that asks one question of a test."""
    if test.two_valued:
        ask = _OF_TWO_VALUED.get(ask, ask)
    match ask:
        case Ask.TRUE:
            return test
        case Ask.FALSE:
            return test.negated()
        case Ask.NOT_TRUE:
            return Not(IsTrue(test))
        case Ask.NOT_FALSE:
            return Not(IsTrue(test.negated()))


def asked(condition: Condition) -> tuple[Condition, Ask]:
    """Return the test and the question of a literal: the reverse of `literal`."""
    match condition:
        case Not(condition=IsTrue(condition=Not(condition=test))):
            return test, Ask.NOT_FALSE
        case Not(condition=IsTrue(condition=test)):
            return test, Ask.NOT_TRUE
        case Not(condition=test):
            return test, Ask.FALSE
    return condition, Ask.TRUE


def _expanded(condition: Condition, ask: Ask, limit: int) -> list[dict[Condition, None]]:
    """Return the conjunctions as ordered sets of literals."""
    match condition:
        case Always() | Never():
            return [{}] if isinstance(condition, Always) is (ask in (Ask.TRUE, Ask.NOT_FALSE)) else []
        case Not(condition=part):
            return _expanded(part, OF_NEGATION[ask], limit)
        case IsTrue(condition=part):
            return _expanded(part, OF_IS_TRUE[ask], limit)
        case And() | Or():
            together = isinstance(condition, And) is (ask in (Ask.TRUE, Ask.NOT_FALSE))
            branches = [_expanded(part, ask, limit) for part in condition.parts()]
            return _product(branches, limit) if together else _distinct([*chain.from_iterable(branches)], limit)
    return [{literal(condition, ask): None}]


def _product(branches: list[list[dict[Condition, None]]], limit: int) -> list[dict[Condition, None]]:
    result: list[dict[Condition, None]] = [{}]
    for branch in sorted(branches, key=len):
        result = _distinct([one | two for one in result for two in branch], limit)
    return result


def _distinct(conjunctions: list[dict[Condition, None]], limit: int) -> list[dict[Condition, None]]:
    unique = list({frozenset(conjunction): conjunction for conjunction in conjunctions}.values())
    if len(unique) > limit:
        raise _TooMany
    return unique
