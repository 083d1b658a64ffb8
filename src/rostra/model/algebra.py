"""The algebra of conditions: covers, overlaps, merge (C6).

All three are about sets of messages: the messages of which a condition is *true*. Both conditions are brought
into normal form and every conjunction becomes a box (`rostra.model.box`).

- `overlaps`: some box of one meets some box of the other.
- `covers`: each box of the narrower is cut away by the boxes of the wider, one after the other. What one box
  leaves of another is again boxes, one for each constraint that is not implied; if anything is left in the
  end, it is not covered. Boxes that cut little are used first.
- `merge`: boxes that differ in one thing only are joined, which is exact, until none are left to join.

Where a condition has no normal form (it would be too large) or the work exceeds `defaults.COMPARISON_WORK`, the answer
is the safe one: `covers` says no, `overlaps` says yes, a perfect merge is None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from rostra.defaults import COMPARISON_WORK, NORMAL_FORMS
from rostra.errors import InvalidValue
from rostra.model.accessor import Accessor
from rostra.model.box import (
    FALSE,
    HOLDS,
    INCOMPARABLE,
    TRUE,
    UNKNOWN,
    Allowed,
    Answers,
    Box,
    Constraint,
    Pair,
    Thing,
    box_of,
    closed,
    constraints,
    implied,
    is_empty,
    narrowed,
    unconstrained,
)
from rostra.model.comparison import Equals, Greater, GreaterEqual, Less, LessEqual, NotEquals, compare
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Or
from rostra.model.describe import described, hull
from rostra.model.normal import disjunction
from rostra.model.region import Region
from rostra.model.work import GiveUp, Work


def covers(wide: Condition, narrower: Condition) -> bool:
    """Say whether every message that satisfies `narrower` satisfies `wide`; False also if it cannot tell."""
    try:
        return _covers(wide, narrower, Work(COMPARISON_WORK))
    except GiveUp:
        return False


def _covers(wide: Condition, narrower: Condition, work: Work) -> bool:
    work.spend(10)
    if _covers_visibly(wide, narrower):
        return True
    if isinstance(wide, And):
        return all(_covers(part, narrower, work) for part in wide.parts())
    if isinstance(narrower, Or):
        return all(_covers(wide, part, work) for part in narrower.parts())
    ours, theirs = _normal(wide), _normal(narrower)
    if ours is None or theirs is None:
        return _covers_in_parts(wide, narrower, work)
    covering = [constraints(box) for box in ours.boxes]
    return not any(_remains(box, covering, work) for box in theirs.closed)


def _covers_visibly(wide: Condition, narrower: Condition) -> bool:
    if wide == narrower or isinstance(wide, Always) or isinstance(narrower, Never):
        return True
    return (isinstance(wide, Or) and narrower in wide.parts()) or (
        isinstance(narrower, And) and wide in narrower.parts()
    )


class _Normal(NamedTuple):
    """A condition as boxes: as written, and with all that they imply."""

    boxes: tuple[Box, ...]
    closed: tuple[Box, ...]


def _normal(condition: Condition) -> _Normal | None:
    """Return the boxes of a condition; those of code are not remembered, since that would keep the code alive."""
    return _made_normal(condition) if condition.is_opaque else _kept_normal(condition)


@functools.lru_cache(maxsize=NORMAL_FORMS)
def _kept_normal(condition: Condition) -> _Normal | None:
    return _made_normal(condition)


def _made_normal(condition: Condition) -> _Normal | None:
    conjunctions = disjunction(condition)
    if conjunctions is None:
        return None
    boxes = tuple(map(box_of, conjunctions))
    return _Normal(boxes, tuple(map(closed, boxes)))


def _covers_in_parts(wide: Condition, narrower: Condition, work: Work) -> bool:
    """Compare conditions that have no normal form: enough that a part covers, or that a part is covered."""
    return (isinstance(narrower, And) and any(_covers(wide, part, work) for part in narrower.parts())) or (
        isinstance(wide, Or) and any(_covers(part, narrower, work) for part in wide.parts())
    )


def _remains(box: Box, covering: list[list[Constraint]], work: Work) -> bool:
    """Say whether some message in a closed box is in none of the covering ones."""
    work.spend(20)
    if is_empty(box, work):
        return False
    cutting = [(bounds, [b for b in bounds if not implied(box, b, work)]) for bounds in covering]
    cutting = [(bounds, cuts) for bounds, cuts in cutting if not is_empty(narrowed(box, cuts, work), work)]
    if not cutting:
        return True
    bounds, cuts = min(cutting, key=lambda entry: len(entry[1]))
    others = [entry for entry, _ in cutting if entry is not bounds]
    for cut in cuts:
        if _remains(narrowed(box, [Constraint(cut.thing, ~cut.allowed)], work), others, work):
            return True
        box = narrowed(box, [cut], work)
    return False


def overlaps(one: Condition, two: Condition) -> bool:
    """Say whether some message may satisfy both; True also if it cannot tell."""
    try:
        return _overlaps(one, two, Work(COMPARISON_WORK))
    except GiveUp:
        return True


def _overlaps(one: Condition, two: Condition, work: Work) -> bool:
    ours, theirs = _normal(one), _normal(two)
    if ours is None:
        return _overlaps_in_parts(one, two, work)
    if theirs is None:
        return _overlaps_in_parts(two, one, work)
    return any(not is_empty(narrowed(a, constraints(b), work), work) for a in ours.closed for b in theirs.closed)


def _overlaps_in_parts(one: Condition, two: Condition, work: Work) -> bool:
    """Compare a condition that has no normal form part by part."""
    work.spend(10)
    if isinstance(one, Or):
        return any(_overlaps(part, two, work) for part in one.parts())
    if isinstance(one, And):
        return all(_overlaps(part, two, work) for part in one.parts())
    return True


def merge(one: Condition, two: Condition, *, inexact: bool = False) -> Condition | None:
    """Return a single simpler condition: the exact union, or with `inexact` possibly more; see Condition.merge."""
    if covers(one, two):
        return one
    if covers(two, one):
        return two
    try:
        return _merged(one, two, Work(COMPARISON_WORK), inexact=inexact)
    except (GiveUp, InvalidValue):  # too much work, or a bound between two texts that is itself no valid text
        return Or(one, two) if inexact else None


def _merged(one: Condition, two: Condition, work: Work, *, inexact: bool) -> Condition | None:
    ours, theirs = _normal(one), _normal(two)
    if ours is None or theirs is None:
        return Or(one, two) if inexact else None
    boxes = [box for box in (*ours.boxes, *theirs.boxes) if not is_empty(closed(box), work)]
    joined = Or(*map(_condition_of, _joined(boxes)))
    conjunctions = disjunction(joined)
    if conjunctions is not None and (len(conjunctions) < len(boxes) or not boxes):
        return joined
    return _hull(boxes) if inexact else None


def _joined(boxes: list[Box]) -> list[Box]:
    """Join boxes that differ in one thing, until no two of those left do."""
    rest = list(boxes)
    done: list[Box] = []
    while rest:
        box = rest.pop()
        for i, other in enumerate(done):
            both = _join(box, other)
            if both is not None:
                rest.append(both)
                del done[i]
                break
        else:
            done.append(box)
    return done[::-1]


def _join(one: Box, two: Box) -> Box | None:
    """Return the box that is exactly the union of two, if they differ in no more than one thing."""
    differing = [thing for thing in one.keys() | two.keys() if one.get(thing) != two.get(thing)]
    if len(differing) > 1:
        return None
    both = dict(one)
    for thing in differing:
        if thing not in one or thing not in two:
            both.pop(thing, None)
        else:
            both[thing] = one[thing] | two[thing]
    return _relaxed(both)


def _relaxed(box: Box) -> Box:
    """Return the box without constraints that allow everything."""
    return {thing: allowed for thing, allowed in box.items() if not implied({}, Constraint(thing, allowed))}


def _hull(boxes: list[Box]) -> Condition:
    """Return one conjunction around all boxes: what all of them constrain, as widely as the widest."""
    around: Box = {}
    for thing in boxes[0]:
        if all(thing in box for box in boxes):
            around[thing] = _widest(thing, [box[thing] for box in boxes])
    return _condition_of(_relaxed(around))


def _widest(thing: Thing, allowed: list[Allowed]) -> Allowed:
    widest = functools.reduce(lambda one, two: one | two, allowed)
    if isinstance(widest, Region):
        return hull(widest)
    if isinstance(thing, tuple) and isinstance(widest, Answers) and widest.possible not in HOLDS.values():
        return unconstrained(thing)
    return widest


def _condition_of(box: Box) -> Condition:
    return And(*_described(box))


def _described(box: Box) -> Iterable[Condition]:
    for thing, allowed in box.items():
        match thing, allowed:
            case Accessor(), Region():
                yield described(thing, allowed)
            case Condition(), Answers():
                yield _ANSWERED[allowed.possible](thing)
            case (left, right), Answers():
                yield _related((left, right), allowed.possible)


_ONE_RELATION: Final[dict[str, Callable[[Pair], Condition]]] = {
    "<": lambda pair: compare(Less, *pair),
    ">": lambda pair: compare(Greater, *pair),
    "=": lambda pair: And(compare(LessEqual, *pair), compare(GreaterEqual, *pair)),
    "s": lambda pair: And(compare(Equals, *pair), Not(IsTrue(compare(LessEqual, *pair)))),
    "d": lambda pair: And(compare(NotEquals, *pair), Not(IsTrue(Or(compare(Less, *pair), compare(Greater, *pair))))),
}


def _related(pair: Pair, possible: frozenset[str]) -> Condition:
    """Return the condition that a pair stands in one of some relations."""
    if INCOMPARABLE in possible:
        return Not(IsTrue(_related(pair, frozenset(_ONE_RELATION) - possible)))
    for cls, holds in HOLDS.items():
        if holds == possible:
            return compare(cls, *pair)
    return Or(*(_ONE_RELATION[relation](pair) for relation in sorted(possible)))


_ANSWERED: Final[dict[frozenset[str], Callable[[Condition], Condition]]] = {
    frozenset({TRUE}): lambda test: test,
    frozenset({FALSE}): Not,
    frozenset({FALSE, UNKNOWN}): lambda test: Not(IsTrue(test)),
    frozenset({TRUE, UNKNOWN}): lambda test: Not(IsTrue(Not(test))),
    frozenset({TRUE, FALSE}): lambda test: Or(test, Not(test)),
    frozenset({UNKNOWN}): lambda test: And(Not(IsTrue(test)), Not(IsTrue(Not(test)))),
    frozenset(): lambda _test: Never(),
}
