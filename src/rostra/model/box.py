"""Boxes: the set of messages that satisfy a conjunction, as one constraint for each thing it asks about.

A conjunction asks about three kinds of things, and a box keeps one set of possible answers for each:

- an *attribute* compared with constants, tested for presence or for a prefix: a `Region` of values;
- a *pair* of attributes compared with each other: which of `<`, `=`, `>` and incomparable (`?`) it may be;
- any other *test* (suffix, LIKE, containment, type, code): which of true, false and unknown it may be.

Each is exact on its own. Treating the things as independent is what makes the algebra tractable, and it is
safe: it only ever adds messages that cannot exist, so `covers` may miss but not invent, and `overlaps` may
invent but not miss. `closed` wins back the dependencies worth having: a value implies that what it is a part
of exists, a LIKE pattern implies text with the pattern's prefix, a comparison of two attributes that both exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from rostra.model import like, region, types
from rostra.model.accessor import Accessor, Constant
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
from rostra.model.condition import Condition, ValueTest
from rostra.model.normal import Ask, Conjunction, asked
from rostra.model.portable import inner
from rostra.model.presence import Exists, InstanceOf
from rostra.model.region import EVERYTHING, MISSING, OTHERS, PRESENT, Region, after, before, interval, whole
from rostra.model.text import Contains, Like, Prefix, Suffix
from rostra.model.values import Family

Answers: TypeAlias = frozenset[str]
Pair: TypeAlias = tuple[Accessor, Accessor]
Thing: TypeAlias = Accessor | Pair | Condition
"""What a constraint is about: an attribute, a pair of attributes, a test."""

TRUE, FALSE, UNKNOWN = "true", "false", "unknown"
_ANSWERS: Final = {
    Ask.TRUE: frozenset({TRUE}),
    Ask.FALSE: frozenset({FALSE}),
    Ask.NOT_TRUE: frozenset({FALSE, UNKNOWN}),
    Ask.NOT_FALSE: frozenset({TRUE, UNKNOWN}),
}
_ANY_ANSWER: Final = frozenset({TRUE, FALSE, UNKNOWN})
_DECIDED: Final = frozenset({TRUE, FALSE})

INCOMPARABLE: Final = "?"
RELATIONS: Final[dict[type[Comparison], Answers]] = {
    Equals: frozenset("="),
    NotEquals: frozenset("<>"),
    Less: frozenset("<"),
    LessEqual: frozenset("<="),
    Greater: frozenset(">"),
    GreaterEqual: frozenset(">="),
}
ANY_RELATION: Final = frozenset("<=>?")


class Constraint(NamedTuple):
    """The possible answers to one question about a message."""

    thing: Thing
    allowed: Region | Answers


Box: TypeAlias = dict[Thing, Region | Answers]


def box_of(conjunction: Conjunction) -> Box:
    """Return the constraints of a conjunction, those on one thing intersected."""
    box: Box = {}
    for condition in conjunction:
        narrow(box, constraint(condition))
    return box


def constraints(box: Box) -> list[Constraint]:
    """Return the constraints a box is made of."""
    return [Constraint(thing, allowed) for thing, allowed in box.items()]


def narrowed(box: Box, bounds: Iterable[Constraint]) -> Box:
    """Return a closed box with further constraints, closed again."""
    smaller = dict(box)
    changed = [bound.thing for bound in bounds if narrow(smaller, bound)]
    return _close(smaller, changed)


def closed(box: Box) -> Box:
    """Return the box with everything added that its constraints imply about other things."""
    return _close(dict(box), list(box))


def _close(box: Box, changed: list[Thing]) -> Box:
    """Follow the implications of what changed, in place."""
    while changed:
        thing = changed.pop()
        changed += [bound.thing for bound in _implications(Constraint(thing, box[thing])) if narrow(box, bound)]
    return box


def narrow(box: Box, bound: Constraint) -> bool:
    """Add a constraint to a box in place; say whether that changed it."""
    was = box.get(bound.thing, _unconstrained(bound.thing))
    now = was & bound.allowed  # type: ignore[operator]
    if now == was:
        return False
    box[bound.thing] = now
    return True


def _unconstrained(thing: Thing) -> Region | Answers:
    if isinstance(thing, Accessor):
        return EVERYTHING
    if isinstance(thing, tuple):
        return ANY_RELATION
    return _DECIDED if thing.two_valued else _ANY_ANSWER


def opposite(bound: Constraint) -> Constraint:
    """Return the constraint that holds exactly where this one does not."""
    if isinstance(bound.allowed, Region):
        return Constraint(bound.thing, ~bound.allowed)
    return Constraint(bound.thing, _unconstrained(bound.thing) - bound.allowed)  # type: ignore[operator]


def implied(box: Box, bound: Constraint) -> bool:
    """Say whether every message in the box meets the constraint."""
    had = box.get(bound.thing, _unconstrained(bound.thing))
    if isinstance(had, Region):
        return had.within(bound.allowed)  # type: ignore[arg-type]
    return had <= bound.allowed  # type: ignore[operator]


def constraint(condition: Condition) -> Constraint:
    """Return what a literal says about the one thing it asks about."""
    test, ask = asked(condition)
    regions = _regions(test)
    if regions is not None:
        thing, true, false = regions
        allowed = {Ask.TRUE: true, Ask.FALSE: false, Ask.NOT_TRUE: ~true, Ask.NOT_FALSE: ~false}[ask]
        return Constraint(thing, allowed)
    if isinstance(test, Comparison) and not isinstance(test.right, Constant):
        return _related(test, ask)
    if isinstance(test, NotEquals):
        test, ask = test.negated(), _SWAPPED[ask]
    return Constraint(test, _ANSWERS[ask] & _unconstrained(test))  # type: ignore[operator]


_SWAPPED: Final = {
    Ask.TRUE: Ask.FALSE, Ask.FALSE: Ask.TRUE, Ask.NOT_TRUE: Ask.NOT_FALSE, Ask.NOT_FALSE: Ask.NOT_TRUE,
}  # fmt: skip


def _related(test: Comparison, ask: Ask) -> Constraint:
    """Return the constraint on a pair, which has one order whichever way round it was compared."""
    relations = _relations(test, ask)
    if repr(test.left) <= repr(test.right):
        return Constraint((test.left, test.right), relations)
    return Constraint((test.right, test.left), frozenset(_TURNED.get(relation, relation) for relation in relations))


_TURNED: Final = {"<": ">", ">": "<"}


def _relations(test: Comparison, ask: Ask) -> Answers:
    true = RELATIONS[type(test)]
    decided = ANY_RELATION - {INCOMPARABLE}
    return {
        Ask.TRUE: true,
        Ask.FALSE: decided - true,
        Ask.NOT_TRUE: ANY_RELATION - true,
        Ask.NOT_FALSE: true | {INCOMPARABLE},
    }[ask]


def _regions(test: Condition) -> tuple[Accessor, Region, Region] | None:
    """Return the attribute of a test with the values that make it true and false; None if not of this kind."""
    match test:
        case Exists(of=of):
            return of, PRESENT, MISSING
        case Prefix(of=of, text=text):
            true = interval(text.family, before(text.family, text.value), region.after_prefix(text.value))
            return of, true, whole(text.family) - true
        case OneOf(of=of, members=members):
            true = region.NOTHING
            for family, value in members:
                true |= _compared(Equals, family, value)
            families = {family for family, _ in members}
            return of, true, whole(families.pop()) - true if len(families) == 1 else region.NOTHING
        case Comparison(left=left, right=Constant(family=family, value=value)) if family is not Family.OTHER:
            true = _compared(type(test), family, value)
            return left, true, whole(family) - true
    return None


def _compared(cls: type[Comparison], family: Family, value: Any) -> Region:
    at, past = before(family, value), after(family, value)
    if cls is Equals:
        return interval(family, at, past)
    if cls is NotEquals:
        return whole(family) - interval(family, at, past)
    low = {Greater: past, GreaterEqual: at}.get(cls)
    high = {Less: at, LessEqual: past}.get(cls)
    return interval(family, low, high)


def _implications(bound: Constraint) -> Iterator[Constraint]:
    thing, allowed = bound
    match thing:
        case Accessor():
            if not allowed.missing:  # type: ignore[union-attr]
                for part in inner(thing):
                    yield Constraint(part, PRESENT)
        case tuple():
            if INCOMPARABLE not in allowed:
                for side in thing:
                    yield Constraint(side, PRESENT)
        case _:
            yield from _implied_values(thing, allowed)  # type: ignore[arg-type]


def _implied_values(test: Condition, answers: Answers) -> Iterator[Constraint]:
    match test:
        case Suffix(of=of, text=text):
            yield from _of_family(of, whole(text.family), answers)
        case Like(of=of, pattern=pattern):
            yield from _of_family(of, whole(Family.TEXT), answers)
            if answers == {TRUE}:
                prefix = literal_prefix(pattern)
                yield Constraint(of, interval(Family.TEXT, (0, prefix, 0), region.after_prefix(prefix)))
        case Contains(of=of, item=item):
            if UNKNOWN not in answers:
                textual = item.family in (Family.TEXT, Family.BYTES)
                yield Constraint(of, OTHERS | whole(item.family) if textual else OTHERS)
        case Equals(left=left):
            if UNKNOWN not in answers:
                yield Constraint(left, OTHERS)
        case InstanceOf(of=of):
            if answers == {TRUE}:
                yield Constraint(of, PRESENT)


def _of_family(of: Accessor, values: Region, answers: Answers) -> Iterator[Constraint]:
    if UNKNOWN not in answers:
        yield Constraint(of, values)
    elif answers == {UNKNOWN}:
        yield Constraint(of, ~values)


def literal_prefix(pattern: like.Pattern) -> str:
    """Return the characters that every text matching a pattern starts with."""
    characters = []
    for character in pattern[0]:
        if character is like.ANY:
            break
        characters.append(character)
    return "".join(characters)


def is_empty(box: Box) -> bool:
    """Say whether no message can be in a closed box, as far as can be told."""
    for allowed in box.values():
        if allowed.is_empty if isinstance(allowed, Region) else not allowed:
            return True
    return _types_clash(box) or any(_texts_clash(of, tests, box) for of, tests in _tests_by_value(box).items())


def _types_clash(box: Box) -> bool:
    tests = [(t, answers) for t, answers in box.items() if isinstance(t, InstanceOf)]
    return any(
        narrow_type.of == wide.of and is_subtype(narrow_type.name, wide.name)
        for narrow_type, yes in tests
        for wide, no in tests
        if yes == _ANSWERS[Ask.TRUE] and no == _ANSWERS[Ask.FALSE]
    )


def is_subtype(name: str, wide: str) -> bool:
    """Say whether whatever conforms to one type, by name, is known to conform to another.

    Only inheritance counts. A class may fit a Protocol that another, registered as its virtual subclass, does not.
    """
    if name == wide:
        return True
    cls, target = types.registered(name), types.registered(wide)
    if cls is None or target is None:
        return False
    return types.declared_type(target) in types.declared_type(cls).__mro__


def _tests_by_value(box: Box) -> dict[Accessor, list[tuple[ValueTest, Answers]]]:
    tests: dict[Accessor, list[tuple[ValueTest, Answers]]] = {}
    for thing, answers in box.items():
        if isinstance(thing, Suffix | Like | Contains):
            tests.setdefault(thing.of, []).append((thing, answers))  # type: ignore[arg-type]
    return tests


def _texts_clash(of: Accessor, tests: list[tuple[ValueTest, Answers]], box: Box) -> bool:
    """Say whether tests on the text of one value exclude each other or every value its region allows."""
    values = box.get(of, EVERYTHING)
    assert isinstance(values, Region)  # noqa: S101  accessors are constrained by regions only
    points = values.points()
    if points is not None:
        return not any(_allowed(value, tests) for _, value in points)
    if not values.within(whole(Family.TEXT)):
        return False
    return _patterns_clash([(pattern_of(test), answers) for test, answers in tests])


def _allowed(value: Any, tests: list[tuple[ValueTest, Answers]]) -> bool:
    names = {True: TRUE, False: FALSE, None: UNKNOWN}
    return all(names[test.decide_value(value)] in answers for test, answers in tests)


def _patterns_clash(tests: list[tuple[like.Pattern | None, Answers]]) -> bool:
    required = [
        pattern for pattern, answers in tests if pattern is not None and TRUE in answers and FALSE not in answers
    ]
    excluded = [
        pattern for pattern, answers in tests if pattern is not None and FALSE in answers and TRUE not in answers
    ]
    return any(not like.patterns_meet(one, two) for i, one in enumerate(required) for two in required[:i]) or any(
        like.pattern_covers(wide, one) for one in required for wide in excluded
    )


def pattern_of(test: Condition) -> like.Pattern | None:
    """Return a test on text as a LIKE pattern."""
    match test:
        case Like(pattern=pattern):
            return pattern
        case Suffix(text=Constant(value=str(text))):
            return ((), tuple(text))
        case Contains(item=Constant(value=str(text))):
            return ((), tuple(text), ())
    return None
