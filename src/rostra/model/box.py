"""Boxes: the set of messages that satisfy a conjunction, as one constraint for each thing it asks about.

A conjunction asks about three kinds of things, and a box keeps one set of possible answers for each:

- an *attribute* compared with constants, tested for presence or for a prefix: a `Region` of values;
- a *pair* of attributes compared with each other: which of six relations they may stand in. Within a family they are
  `<`, `=` or `>`; of two values of no family it is known at most that they are the same (`s`) or differ (`d`), which
  says nothing about their order; else they are incomparable (`?`);
- any other *test* (suffix, LIKE, containment, type, code): which of true, false and unknown it may be.

Each is exact on its own. Treating the things as independent is what makes the algebra tractable, and it is
safe: it only ever adds messages that cannot exist, so `covers` may miss but not invent, and `overlaps` may
invent but not miss. `closed` wins back the dependencies worth having: a value implies that what it is a part
of exists, a LIKE pattern implies text with the pattern's prefix, a comparison of two attributes that both exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from rostra.defaults import PATTERN_COST
from rostra.model import like, region, types
from rostra.model.accessor import Accessor, Constant
from rostra.model.comparison import (
    NEGATED,
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
from rostra.model.normal import OF_NEGATION, Ask, Conjunction, asked
from rostra.model.presence import Exists, InstanceOf
from rostra.model.region import EVERYTHING, MISSING, OTHERS, PRESENT, Region, after, before, interval, whole
from rostra.model.text import Contains, Like, Prefix, Suffix
from rostra.model.values import Family
from rostra.model.work import Work

Pair: TypeAlias = tuple[Accessor, Accessor]
Thing: TypeAlias = Accessor | Pair | Condition
"""What a constraint is about: an attribute, a pair of attributes, a test."""


class Allowed(Protocol):
    """A set of possible answers: a `Region` of values, or `Answers`."""

    def __and__(self, another: Any, /) -> Allowed: ...
    def __or__(self, another: Any, /) -> Allowed: ...
    def __invert__(self) -> Allowed: ...
    def within(self, another: Any, /) -> bool:
        """Say whether every answer inside is inside the other set."""

    @property
    def is_empty(self) -> bool:
        """Whether no answer is possible."""

    @property
    def size(self) -> int:
        """How much there is to go through."""


class Answers(NamedTuple):
    """Some of the answers that are possible at all."""

    possible: frozenset[str]
    universe: frozenset[str]

    def __and__(self, another: Answers) -> Answers:
        return Answers(self.possible & another.possible, self.universe)

    def __or__(self, another: Answers) -> Answers:
        return Answers(self.possible | another.possible, self.universe)

    def __invert__(self) -> Answers:
        return Answers(self.universe - self.possible, self.universe)

    def within(self, another: Answers) -> bool:
        """Say whether every answer inside is inside the other set."""
        return self.possible <= another.possible

    @property
    def is_empty(self) -> bool:
        """Whether no answer is possible."""
        return not self.possible

    @property
    def size(self) -> int:
        """How much there is to go through."""
        return len(self.possible)


TRUE, FALSE, UNKNOWN = "true", "false", "unknown"
_TWO: Final = frozenset({TRUE, FALSE})
_THREE: Final = frozenset({TRUE, FALSE, UNKNOWN})
_ASKED: Final = {
    Ask.TRUE: frozenset({TRUE}),
    Ask.FALSE: frozenset({FALSE}),
    Ask.NOT_TRUE: frozenset({FALSE, UNKNOWN}),
    Ask.NOT_FALSE: frozenset({TRUE, UNKNOWN}),
}

INCOMPARABLE: Final = "?"
RELATIONS: Final = frozenset("<=>sd?")
HOLDS: Final[dict[type[Comparison], frozenset[str]]] = {
    Equals: frozenset("=s"),
    NotEquals: frozenset("<>d"),
    Less: frozenset("<"),
    LessEqual: frozenset("<="),
    Greater: frozenset(">"),
    GreaterEqual: frozenset(">="),
}
_TURNED: Final = {"<": ">", ">": "<"}


class Constraint(NamedTuple):
    """The possible answers to one question about a message."""

    thing: Thing
    allowed: Allowed


Box: TypeAlias = dict[Thing, Allowed]


def box_of(conjunction: Conjunction) -> Box:
    """Return the constraints of a conjunction, those on one thing intersected."""
    box: Box = {}
    for condition in conjunction:
        narrow(box, constraint(condition))
    return box


def constraints(box: Box) -> list[Constraint]:
    """Return the constraints a box is made of."""
    return [Constraint(thing, allowed) for thing, allowed in box.items()]


def narrow(box: Box, bound: Constraint, work: Work | None = None) -> bool:
    """Add a constraint to a box in place; say whether that changed it."""
    was = allowed_by(box, bound.thing)
    if work is not None:
        work.spend(5 + (was.size + bound.allowed.size) // 4)
    now = was & bound.allowed
    if now == was:
        return False
    box[bound.thing] = now
    return True


def allowed_by(box: Box, thing: Thing) -> Allowed:
    """Return the answers that a box allows for a thing."""
    return box[thing] if thing in box else unconstrained(thing)


def unconstrained(thing: Thing) -> Allowed:
    """Return all answers that are possible for a thing."""
    if isinstance(thing, Accessor):
        return EVERYTHING
    if isinstance(thing, tuple):
        return Answers(RELATIONS, RELATIONS)
    universe = _TWO if thing.two_valued else _THREE
    return Answers(universe, universe)


def implied(box: Box, bound: Constraint, work: Work | None = None) -> bool:
    """Say whether every message in the box meets the constraint."""
    had = allowed_by(box, bound.thing)
    if work is not None:
        work.spend(1 + (had.size + bound.allowed.size) // 4)
    return had.within(bound.allowed)


def constraint(condition: Condition) -> Constraint:
    """Return what a literal says about the one thing it asks about."""
    test, ask = asked(condition)
    regions = None if test.is_code else _regions(test)
    if regions is not None:
        of, true, false = regions
        return Constraint(of, {Ask.TRUE: true, Ask.FALSE: false, Ask.NOT_TRUE: ~true, Ask.NOT_FALSE: ~false}[ask])
    if isinstance(test, Comparison) and not test.is_code and not isinstance(test.right, Constant):
        return _related(test, ask)
    if type(test) is NotEquals:
        test, ask = test.negated(), OF_NEGATION[ask]
    universe = _TWO if test.two_valued else _THREE
    return Constraint(test, Answers(_ASKED[ask] & universe, universe))


def _related(test: Comparison, ask: Ask) -> Constraint:
    """Return the constraint on a pair, which has one order whichever way round it was compared."""
    true, false = HOLDS[type(test)], HOLDS[NEGATED[type(test)]]
    holds = {Ask.TRUE: true, Ask.FALSE: false, Ask.NOT_TRUE: RELATIONS - true, Ask.NOT_FALSE: RELATIONS - false}[ask]
    if repr(test.left) <= repr(test.right):
        return Constraint((test.left, test.right), Answers(holds, RELATIONS))
    turned = frozenset(_TURNED.get(relation, relation) for relation in holds)
    return Constraint((test.right, test.left), Answers(turned, RELATIONS))


def _regions(test: Condition) -> tuple[Accessor, Region, Region] | None:
    """Return the attribute of a test with the values that make it true and false; None if not of this kind."""
    match test:
        case Exists(of=of):
            return of, PRESENT, MISSING
        case Prefix(of=of, text=text):
            true = interval(text.family, before(text.family, text.value), region.after_prefix(text.value))
            return of, true, whole(text.family) - true
        case OneOf(of=of, members=members):
            true = region.points(members)
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


def narrowed(box: Box, bounds: Iterable[Constraint], work: Work) -> Box:
    """Return a closed box with further constraints, closed again."""
    smaller = dict(box)
    changed = [bound.thing for bound in bounds if narrow(smaller, bound, work)]
    return _close(smaller, changed, work)


def closed(box: Box) -> Box:
    """Return the box with everything added that its constraints imply about other things."""
    return _close(dict(box), list(box), None)


def _close(box: Box, changed: list[Thing], work: Work | None) -> Box:
    """Follow the implications of what changed, in place."""
    while changed:
        thing = changed.pop()
        bounds = _implications(Constraint(thing, box[thing]))
        changed += [bound.thing for bound in bounds if narrow(box, bound, work)]
    return box


def _implications(bound: Constraint) -> Iterator[Constraint]:
    thing, allowed = bound
    present: Iterable[Accessor] = ()
    if isinstance(thing, Accessor):
        present = thing.inner() if isinstance(allowed, Region) and not allowed.missing else ()
    elif isinstance(allowed, Answers):
        if isinstance(thing, Condition):
            yield from _implied_values(thing, allowed.possible)
        elif INCOMPARABLE not in allowed.possible:
            present = thing
    for part in present:
        yield Constraint(part, PRESENT)


def _implied_values(test: Condition, answers: frozenset[str]) -> Iterator[Constraint]:
    match None if test.is_code else test:
        case Suffix(of=of, text=text):
            yield from _of_family(of, whole(text.family), answers)
        case Like(of=of, pattern=pattern):
            yield from _of_family(of, whole(Family.TEXT), answers)
            if answers == {TRUE}:
                prefix = literal_prefix(pattern)
                yield Constraint(of, interval(Family.TEXT, (0, prefix, 0), region.after_prefix(prefix)))
        case Contains(of=of, item=item) if UNKNOWN not in answers:
            textual = item.family in (Family.TEXT, Family.BYTES)
            yield Constraint(of, OTHERS | whole(item.family) if textual else OTHERS)
        case Equals(left=left) if UNKNOWN not in answers:
            yield Constraint(left, OTHERS)
        case InstanceOf(of=of) if answers == {TRUE}:
            yield Constraint(of, PRESENT)


def _of_family(of: Accessor, values: Region, answers: frozenset[str]) -> Iterator[Constraint]:
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


def is_empty(box: Box, work: Work) -> bool:
    """Say whether no message can be in a closed box, as far as can be told."""
    work.spend(10 + len(box))
    if any(allowed.is_empty for allowed in box.values()) or _types_clash(box):
        return True
    return any(_texts_clash(of, tests, box, work) for of, tests in _tests_by_value(box).items())


def _types_clash(box: Box) -> bool:
    tests = [(test, answers) for test, answers in box.items() if type(test) is InstanceOf]
    only_true, only_false = Answers(_ASKED[Ask.TRUE], _TWO), Answers(_ASKED[Ask.FALSE], _TWO)
    return any(
        one.of == other.of and is_subtype(one.name, other.name)
        for one, yes in tests
        for other, no in tests
        if yes == only_true and no == only_false
    )


def is_subtype(name: str, wide: str) -> bool:
    """Say whether whatever conforms to one type, by name, is known here to conform to another."""
    if name == wide:
        return True
    cls, target = types.registered(name), types.registered(wide)
    return cls is not None and target is not None and types.is_subtype(cls, target)


_Tests: TypeAlias = list[tuple[ValueTest, frozenset[str]]]


def _tests_by_value(box: Box) -> dict[Accessor, _Tests]:
    tests: dict[Accessor, _Tests] = {}
    for thing, answers in box.items():
        if isinstance(thing, Suffix | Like | Contains) and not thing.is_code and isinstance(answers, Answers):
            tests.setdefault(thing.of, []).append((thing, answers.possible))
    return tests


def _texts_clash(of: Accessor, tests: _Tests, box: Box, work: Work) -> bool:
    """Say whether tests on the text of one value exclude each other or every value its region allows."""
    values = box.get(of, EVERYTHING)
    if not isinstance(values, Region):
        return False
    work.spend(values.size)
    points = values.points()
    if points is not None:
        work.spend(len(points) * len(tests))
        return not any(_allowed(value, tests) for _, value in points)
    return values.within(whole(Family.TEXT)) and _patterns_clash(tests, work)


def _allowed(value: Any, tests: _Tests) -> bool:
    names = {True: TRUE, False: FALSE, None: UNKNOWN}
    return all(names[test.decide_value(value)] in answers for test, answers in tests)


def _patterns_clash(tests: _Tests, work: Work) -> bool:
    """Say whether texts cannot match all patterns they must match and none that they must not."""
    patterns = [(pattern, answers) for test, answers in tests if (pattern := pattern_of(test)) is not None]
    required = [pattern for pattern, answers in patterns if FALSE not in answers]
    excluded = [pattern for pattern, answers in patterns if TRUE not in answers]
    for i, one in enumerate(required):
        work.spend(PATTERN_COST * (i + len(excluded)))
        if any(not like.patterns_meet(one, two) for two in required[:i]):
            return True
        if any(like.pattern_covers(wide, one) for wide in excluded):
            return True
    return False


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
