"""The algebra of conditions: covers, overlaps, merge (C6).

All three are about sets of messages: the messages of which a condition is *true*. Both conditions are brought
into normal form and every conjunction becomes a box (`rostra.model.box`).

- `overlaps`: some box of one meets some box of the other.
- `covers`: each box of the narrower is cut away by the boxes of the wider, one after the other. What one box
  leaves of another is again boxes, one for each constraint that is not implied; if anything is left in the
  end, it is not covered. Boxes that cut little are used first. The work is bounded by `defaults.CUTS`.
- `merge`: boxes that differ in one thing only are joined, which is exact, until none are left to join.

Where a condition has no normal form (it would be too large) or the work exceeds its bound, the answer is the
safe one: `covers` says no, `overlaps` says yes, a perfect merge is None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from rostra.defaults import CUTS, NORMAL_FORMS
from rostra.errors import InvalidValue
from rostra.model.accessor import Accessor
from rostra.model.box import (
    ANY_RELATION,
    INCOMPARABLE,
    RELATIONS,
    Answers,
    Box,
    Constraint,
    Thing,
    box_of,
    closed,
    constraints,
    implied,
    is_empty,
    narrowed,
    opposite,
)
from rostra.model.comparison import Equals, Greater, Less, compare
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Or
from rostra.model.describe import described, hull
from rostra.model.normal import disjunction
from rostra.model.region import Region


class _GiveUp(Exception):
    """The work exceeds its bound."""


class _Budget:
    def __init__(self, cuts: int) -> None:
        self._left = cuts

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise _GiveUp


def covers(wide: Condition, narrower: Condition) -> bool:
    """Say whether every message that satisfies `narrower` satisfies `wide`; False also if it cannot tell."""
    try:
        return _covers(wide, narrower, _Budget(CUTS))
    except _GiveUp:
        return False


def _covers(wide: Condition, narrower: Condition, budget: _Budget) -> bool:
    budget.spend()
    if _covers_visibly(wide, narrower):
        return True
    if isinstance(wide, And):
        return all(_covers(part, narrower, budget) for part in wide.parts())
    if isinstance(narrower, Or):
        return all(_covers(wide, part, budget) for part in narrower.parts())
    ours, theirs = _normal(wide), _normal(narrower)
    if ours is None or theirs is None:
        return _covers_in_parts(wide, narrower, budget)
    covering = [constraints(box) for box in ours.boxes]
    return not any(_remains(box, covering, budget) for box in theirs.closed)


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


@functools.lru_cache(maxsize=NORMAL_FORMS)
def _normal(condition: Condition) -> _Normal | None:
    conjunctions = disjunction(condition)
    if conjunctions is None:
        return None
    boxes = tuple(map(box_of, conjunctions))
    return _Normal(boxes, tuple(map(closed, boxes)))


def _covers_in_parts(wide: Condition, narrower: Condition, budget: _Budget) -> bool:
    """Compare conditions that have no normal form: enough that a part covers, or that a part is covered."""
    return (isinstance(narrower, And) and any(_covers(wide, part, budget) for part in narrower.parts())) or (
        isinstance(wide, Or) and any(_covers(part, narrower, budget) for part in wide.parts())
    )


def _remains(box: Box, covering: list[list[Constraint]], budget: _Budget) -> bool:
    """Say whether some message in a closed box is in none of the covering ones."""
    budget.spend()
    if is_empty(box):
        return False
    cutting = [(bounds, [b for b in bounds if not implied(box, b)]) for bounds in covering]
    cutting = [(bounds, cuts) for bounds, cuts in cutting if not is_empty(narrowed(box, cuts))]
    if not cutting:
        return True
    bounds, cuts = min(cutting, key=lambda entry: len(entry[1]))
    others = [entry for entry, _ in cutting if entry is not bounds]
    for cut in cuts:
        if _remains(narrowed(box, [opposite(cut)]), others, budget):
            return True
        box = narrowed(box, [cut])
    return False


def overlaps(one: Condition, two: Condition) -> bool:
    """Say whether some message may satisfy both; True also if it cannot tell."""
    ours, theirs = _normal(one), _normal(two)
    if ours is None or theirs is None:
        return _overlaps_in_parts(one, two, whole=ours is not None)
    return any(not is_empty(narrowed(a, constraints(b))) for a in ours.closed for b in theirs.closed)


def _overlaps_in_parts(one: Condition, two: Condition, *, whole: bool) -> bool:
    """Compare conditions of which at least one has no normal form by the parts of that one."""
    if whole:
        one, two = two, one
    if isinstance(one, Or):
        return any(overlaps(part, two) for part in one.parts())
    if isinstance(one, And):
        return all(overlaps(part, two) for part in one.parts())
    return True


def merge(one: Condition, two: Condition, *, inexact: bool = False) -> Condition | None:
    """Return a single simpler condition: the exact union, or with `inexact` possibly more; see Condition.merge."""
    if covers(one, two):
        return one
    if covers(two, one):
        return two
    ours, theirs = _normal(one), _normal(two)
    if ours is None or theirs is None:
        return Or(one, two) if inexact else None
    boxes = [box for box in (*ours.boxes, *theirs.boxes) if not is_empty(closed(box))]
    try:
        joined = Or(*map(_condition_of, _joined(boxes)))
        conjunctions = disjunction(joined)
        if conjunctions is not None and len(conjunctions) < len(boxes):
            return joined
        return _hull(boxes) if inexact else None
    except InvalidValue:  # a bound between two texts that is itself no valid text
        return Or(one, two) if inexact else None


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
            both[thing] = one[thing] | two[thing]  # type: ignore[operator]
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


def _widest(thing: Thing, allowed: list[Region | Answers]) -> Region | Answers:
    widest = allowed[0]
    for each in allowed[1:]:
        widest |= each  # type: ignore[operator]
    if isinstance(widest, Region):
        return hull(widest)
    if isinstance(thing, tuple) and widest not in RELATIONS.values():
        return ANY_RELATION
    return widest


def _condition_of(box: Box) -> Condition:
    return And(*(_described_in_order(box)))


def _described_in_order(box: Box) -> Iterable[Condition]:
    for thing, allowed in box.items():
        if isinstance(allowed, Region):
            assert isinstance(thing, Accessor)  # noqa: S101  regions constrain accessors only
            yield described(thing, allowed)
        elif isinstance(thing, tuple):
            yield _related(thing, allowed)
        else:
            assert isinstance(thing, Condition)  # noqa: S101  what is neither value nor pair is a test
            yield _answered(thing, allowed)


_SINGLE = {"<": Less, "=": Equals, ">": Greater}


def _related(pair: tuple[Accessor, Accessor], allowed: Answers) -> Condition:
    if INCOMPARABLE in allowed:
        return Not(IsTrue(_related(pair, ANY_RELATION - allowed)))
    for cls, relations in RELATIONS.items():
        if relations == allowed:
            return compare(cls, *pair)
    return Or(*(compare(_SINGLE[relation], *pair) for relation in sorted(allowed)))


_ASKED: dict[Answers, Callable[[Condition], Condition]] = {
    frozenset({"true"}): lambda test: test,
    frozenset({"false"}): Not,
    frozenset({"false", "unknown"}): lambda test: Not(IsTrue(test)),
    frozenset({"true", "unknown"}): lambda test: Not(IsTrue(Not(test))),
    frozenset({"true", "false"}): lambda test: Or(test, Not(test)),
    frozenset({"unknown"}): lambda test: And(Not(IsTrue(test)), Not(IsTrue(Not(test)))),
    frozenset(): lambda _test: Never(),
}


def _answered(test: Condition, allowed: Answers) -> Condition:
    return _ASKED[allowed](test)
