"""Many conditions as one function: the ids of those that a message satisfies (A13).

Every condition is brought into normal form, so that the group is a list of conjunctions of tests, each worth an
id. Equal accessors are evaluated once, whoever asks, and so are equal tests that cost more than a comparison. Then:

- A conjunction with an equality is filed under it: one dictionary look-up for each attribute finds those whose
  equality holds, and only their other tests are evaluated. Where a conjunction has several equalities it goes
  under the one that fewest share.
- The others are written out as nested `if`s with the tests that most conjunctions share outermost, so that
  an equal test is evaluated once and a failing one spares all that depend on it.

Conditions with no normal form are evaluated as one expression each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar

from rostra.compile.emit import Emitter, assemble
from rostra.compile.static import ByClass, checked_class
from rostra.defaults import GROUP_CHUNK, GROUP_CONJUNCTIONS, GROUP_MEMBERS, GROUP_NESTING
from rostra.errors import InvalidType
from rostra.model.accessor import Accessor, Constant
from rostra.model.comparison import Comparison, Equals, OneOf
from rostra.model.condition import Condition, ConditionLike, as_condition
from rostra.model.normal import disjunction
from rostra.model.presence import Exists
from rostra.model.text import Prefix, Suffix
from rostra.model.values import Family

Id = TypeVar("Id", bound=Hashable)
Matching: TypeAlias = Callable[..., list[Any]]

_ARGUMENTS: Final = "ARGUMENTS"
"""Stands in the source for the variables of the main function until all of them are known."""


class _Entry(NamedTuple):
    """A conjunction and the name of the id it is worth; `again` if other conjunctions are worth it too."""

    tests: tuple[Condition, ...]
    id: str
    again: bool


_Filed: TypeAlias = dict[tuple[Accessor, Family], dict[Any, list[_Entry]]]


class Matcher(Protocol[Id]):
    """A compiled group of conditions."""

    def __call__(self, message: Any, topic: str = "") -> list[Id]:
        """Return the ids of the conditions that the message satisfies."""


def compile_group(conditions: Mapping[Id, ConditionLike], event_type: type | None = None) -> Matcher[Id]:
    """Return a function `(message, topic="") -> ids` of the conditions that the message satisfies.

    Each id appears once, in no particular order. With an event type the code for messages of exactly that
    class is generated now, for others when the first one comes.
    """
    if not isinstance(conditions, Mapping):
        raise InvalidType("compile_group takes a mapping from ids to conditions")
    group = {key: as_condition(condition) for key, condition in conditions.items()}
    by_class = ByClass(lambda cls: _generate(group, cls, None))
    return by_class if event_type is None else _generate(group, checked_class(event_type), by_class)


def _generate(conditions: Mapping[Any, Condition], cls: type, elsewhere: Matching | None) -> Matching:
    emitter = Emitter(cls, conditions.values())
    filed, rest = _file(_entries(conditions, emitter))
    writer = _Writer(emitter)
    for (accessor, family), buckets in filed.items():
        writer.add_lookup(accessor, family, buckets)
    writer.add_tests(rest)
    matching: Matching = assemble(writer.source(cls, elsewhere), emitter, "matching")
    return matching


def _entries(conditions: Mapping[Any, Condition], emitter: Emitter) -> list[_Entry]:
    entries = []
    for key, condition in conditions.items():
        conjunctions = disjunction(condition, GROUP_CONJUNCTIONS)
        if conjunctions is None:
            conjunctions = ((condition,),)
        name, again = emitter.constant(key), len(conjunctions) > 1
        entries += [_Entry(tuple(sorted(tests, key=_cost)), name, again) for tests in conjunctions]
    return entries


def _cost(test: Condition) -> int:
    if isinstance(test, Comparison) and isinstance(test.right, Constant):
        return 0
    return 1 if isinstance(test, OneOf | Exists | Prefix | Suffix) else 2


def _keys(test: Condition) -> list[tuple[Accessor, Family, Any]]:
    """Return the values of which a message must have one for the test to hold; none if they cannot be listed."""
    match test:
        case Equals(left=left, right=Constant(family=family, value=value)) if family is not Family.OTHER:
            return [(left, family, value)]
        case OneOf(of=of, members=members) if len(members) <= GROUP_MEMBERS:
            return [(of, family, value) for family, value in members]
    return []


def _file(entries: list[_Entry]) -> tuple[_Filed, list[_Entry]]:
    """File each entry under the equality that fewest share; return also those that have none."""
    popularity = Counter(key for entry in entries for test in entry.tests for key in _keys(test))
    filed: _Filed = {}
    rest = []
    for entry in entries:
        options = [(sum(popularity[key] for key in keys), test) for test in entry.tests if (keys := _keys(test))]
        if not options:
            rest.append(entry)
            continue
        _, access = min(options, key=lambda option: option[0])
        remaining = entry._replace(tests=tuple(test for test in entry.tests if test is not access))
        for accessor, family, value in _keys(access):
            filed.setdefault((accessor, family), {}).setdefault(value, []).append(remaining)
    return filed, rest


class _Writer:
    """Writes a module: a function for each bucket and chunk of conjunctions, tables of them, the main function."""

    def __init__(self, emitter: Emitter) -> None:
        self._emitter = emitter
        self._variables: dict[str, None] = {}
        self._module: list[str] = []
        self._main: list[str] = []
        self._count = 0

    def add_lookup(self, accessor: Accessor, family: Family, buckets: dict[Any, list[_Entry]]) -> None:
        """Write the look-up of one attribute's value in the buckets filed under it."""
        variable = self._emitter.operand(accessor, family)
        self._variables[variable] = None
        ids, functions = [], []
        for value, entries in buckets.items():
            name = self._emitter.constant(value)
            if all(not entry.tests and not entry.again for entry in entries):
                ids.append(f"{name}: [{', '.join(entry.id for entry in entries)}]")
            else:
                functions.append(f"{name}: {self._function(self._nested(entries))}")
        if ids:
            self._main += [f"h = {self._table(ids)}.get({variable})", "if h is not None: out += h"]
        if functions:
            table = self._table(functions)
            self._main += [f"h = {table}.get({variable})", f"if h is not None: h({_ARGUMENTS})"]

    def add_tests(self, entries: list[_Entry]) -> None:
        """Write the conjunctions that are filed under no equality."""
        lines: list[str] = []
        for line in self._nested(entries):
            if len(lines) >= GROUP_CHUNK and not line.startswith(" "):
                self._main.append(f"{self._function(lines)}({_ARGUMENTS})")
                lines = []
            lines.append(line)
        if lines:
            self._main.append(f"{self._function(lines)}({_ARGUMENTS})")

    def source(self, cls: type, elsewhere: Matching | None) -> str:
        """Return the text of the module."""
        variables = list(filter(self._emitter.is_local, self._variables))
        main = ["def matching(o, topic=''):"]
        if elsewhere is not None:
            bound = self._emitter.bind("f", elsewhere)
            main.append(f"    if type(o) is not {self._emitter.bind('c', cls)}: return {bound}(o, topic)")
        main += _indented(self._emitter.loads(variables, set()))
        main += ["    out = []", "    add = out.append", "    some = {}", f"    {self._emitter.memo} = {{}}"]
        main += _indented(self._main)
        main += ["    if some: out += some", "    return out"]
        text = "\n".join([*self._module, *main])
        return text.replace(_ARGUMENTS, ", ".join(["o", "topic", "add", "some", self._emitter.memo, *variables]))

    def _table(self, rows: list[str]) -> str:
        self._count += 1
        self._module.append(f"t{self._count} = {{{', '.join(rows)}}}")
        return f"t{self._count}"

    def _function(self, lines: list[str]) -> str:
        self._count += 1
        self._module += [f"def g{self._count}({_ARGUMENTS}):", *_indented(lines)]
        return f"g{self._count}"

    def _nested(self, entries: list[_Entry], depth: int = 0) -> list[str]:
        """Return statements that add the ids of the conjunctions that hold, shared tests first."""
        lines: list[str] = []
        for test, sharing in _by_shared_test(entries, depth):
            if test is None:
                for entry in sharing:
                    lines += self._single(entry)
            else:
                inner = [e._replace(tests=tuple(t for t in e.tests if t != test)) for e in sharing]
                lines += [f"if {self._expression(test)}:", *_indented(self._nested(inner, depth + 1))]
        return lines

    def _single(self, entry: _Entry) -> list[str]:
        found = f"some[{entry.id}] = None" if entry.again else f"add({entry.id})"
        if not entry.tests:
            return [found]
        return [f"if {' and '.join(self._expression(test) for test in entry.tests)}: {found}"]

    def _expression(self, test: Condition) -> str:
        text, variables = self._emitter.expression(test)
        self._variables.update(dict.fromkeys(variables))
        return f"({text})" if " or " in text or " if " in text else text


def _by_shared_test(entries: list[_Entry], depth: int) -> Iterator[tuple[Condition | None, list[_Entry]]]:
    """Group entries by the test that most of them share; under None those that share no test."""
    counts = Counter(test for entry in entries for test in entry.tests)
    groups: dict[Condition | None, list[_Entry]] = {}
    for entry in entries:
        best = max(entry.tests, key=counts.__getitem__, default=None)
        alone = best is None or counts[best] < 2 or depth >= GROUP_NESTING
        groups.setdefault(None if alone else best, []).append(entry)
    yield from groups.items()


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
