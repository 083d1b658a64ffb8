r"""The notification view of an event: a flat set of attributes, each a name, a type and a value.

Nested events flatten with dotted names (`pos.x`; a dot within a name is written `\.`), elements of sequences are
numbered (`tags.0`), sets are put in order first. Whatever has no parts of its own is a value: scalars, but also
empty lists and opaque objects. `None` is missing and left out. An event that is itself a value gives one
attribute named `it`, so that the view of an event, like a notification, is never empty.

References. Lists, mappings and other objects with parts have an identity. One that is met again, because it
is shared or part of a cycle, is not written twice: at its first place it gets an attribute `id` of type "id"
(`@id` if it has a field `id` of its own), and everywhere else stands a value of type "ref" with the same
number. Tuples and frozen sets are values, whose identity means nothing.

Every object is read once, in one pass, because a getter may return a new object each time. Only the end of
the pass knows which objects repeat, so the pass leaves a place at each, and places are filled in afterwards.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping, Sequence, Set, Sized
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, NamedTuple

from rostra import defaults
from rostra.errors import InvalidValue, LimitExceeded
from rostra.model.events import fields
from rostra.model.values import Family, weigh


class Triple(NamedTuple):
    """One attribute of a notification."""

    name: str
    type: str
    value: Any

    @property
    def family(self) -> Family:
        """The family within which the value compares; identities and references compare with nothing."""
        return Family.OTHER if self.type in {"id", "ref"} else weigh(self.value)[0]


def attributes(event: object) -> tuple[Triple, ...]:
    """Return the attributes of an event, in the order of its fields.

        attributes({"pos": Point(1, 2)}) == (("pos.x", "int", 1), ("pos.y", "int", 2))

    Raises `LimitExceeded` when they nest too deeply or are too many, `InvalidValue` for None.
    """
    if event is None:
        raise InvalidValue("None is not an event: it means missing, publish a value")
    return _Flattening().run(event)


class _Place:
    """An object that was met: where first, and whether it has a field `id`; numbered if it repeats."""

    __slots__ = ("has_id", "number", "path", "target")

    def __init__(self, target: object, path: str, *, has_id: bool) -> None:
        self.target = target  # kept alive: the identity of a dead object could be used again during the pass
        self.path = path
        self.has_id = has_id
        self.number: int | None = None

    def identity(self) -> Triple:
        return Triple(_join(self.path, "@id" if self.has_id else "id"), "id", self.number)


class _Reference(NamedTuple):
    name: str
    place: _Place


class _Flattening:
    """One pass over one event."""

    def __init__(self) -> None:
        self.found: list[Triple | _Place | _Reference] = []
        self.places: dict[int, _Place] = {}
        self.count = 0

    def run(self, event: object) -> tuple[Triple, ...]:
        self.visit("", _plain(event), 0)
        repeated = [entry for entry in self.found if isinstance(entry, _Reference)]
        first_places = {id(entry.place) for entry in repeated}
        numbered = (place for place in self.places.values() if id(place) in first_places)
        for number, place in enumerate(numbered, start=1):
            place.number = number
        return tuple(self.written())

    def visit(self, path: str, value: object, depth: int) -> None:
        if depth > defaults.NESTING:
            raise LimitExceeded(
                f"event nests more than {defaults.NESTING} deep at {path[:40]!r}...: publish a flatter one"
            )
        place = self.places.get(id(value))
        if place is not None:
            self.add(_Reference(path, place))
        elif parts := _parts(value):
            self.open(path, value, parts)
            for name, part in parts:
                self.visit(_join(path, name), _plain(part), depth + 1)
        else:
            self.add(Triple(path or "it", _type_of(value), value))

    def open(self, path: str, value: object, parts: list[tuple[str, object]]) -> None:
        """Leave a place for the identity of an object, should it be met again."""
        if not isinstance(value, _WITHOUT_IDENTITY):
            place = self.places[id(value)] = _Place(value, path, has_id=any(name == "id" for name, _ in parts))
            self.found.append(place)

    def add(self, entry: Triple | _Reference) -> None:
        self.count += 1
        if self.count > defaults.ATTRIBUTES:
            raise _too_many()
        self.found.append(entry)

    def written(self) -> Iterator[Triple]:
        for entry in self.found:
            if isinstance(entry, Triple):
                yield entry
            elif isinstance(entry, _Reference):
                yield Triple(entry.name, "ref", entry.place.number)
            elif entry.number is not None:
                yield entry.identity()


_WITHOUT_IDENTITY: Final = (tuple, frozenset)
_SCALARS: Final = (
    str,
    bytes,
    bytearray,
    int,
    float,
    complex,
    Decimal,
    date,
    time,
    timedelta,
    enum.Enum,
    type,
)

# Values of the standard library whose many properties are views of one value, not parts.
_VALUE_MODULES: Final = frozenset({"fractions", "ipaddress", "pathlib", "re", "uuid", "zoneinfo"})

# In this order: a bool is also an int, and an instant also a date.
_TYPE_NAMES: Final[tuple[tuple[type, str], ...]] = (
    (str, "str"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (Decimal, "decimal"),
    (bytes, "bytes"),
    (bytearray, "bytes"),
    (datetime, "datetime"),
    (date, "date"),
    (timedelta, "timedelta"),
)


def _plain(value: object) -> object:
    """Return the value of an Enum member or of a numpy scalar; anything else as it is."""
    if isinstance(value, enum.Enum):
        inner = value.value
        return value if inner is None or isinstance(inner, enum.Enum) else inner
    return weigh(value)[1] if type(value).__module__ == "numpy" else value


def _type_of(value: object) -> str:
    names = (name for cls, name in _TYPE_NAMES if isinstance(value, cls))
    return next(names, type(value).__name__.lower())


def _parts(value: object) -> list[tuple[str, object]]:
    """Return what a value consists of that is present; nothing for a scalar or an opaque object."""
    if isinstance(value, _SCALARS) or type(value).__module__.partition(".")[0] in _VALUE_MODULES:
        return []
    if isinstance(value, Sized) and len(value) > defaults.ATTRIBUTES:
        raise _too_many()
    if isinstance(value, Mapping) or hasattr(type(value), "_fields"):
        return list(fields(value))
    if isinstance(value, Set):
        value = _in_order(value)
    if isinstance(value, Sequence):
        return [(str(index), part) for index, part in enumerate(value) if part is not None]
    return list(fields(value))


def _in_order(elements: Set[object]) -> list[object]:
    """Return the elements of a set in an order that does not depend on how this process hashes text."""
    present = [element for element in elements if element is not None]
    try:
        return sorted(present, key=_rank)
    except TypeError:
        return sorted(present, key=repr)


def _rank(value: object) -> tuple[str, Any]:
    family, plain = weigh(value)
    return family.value, plain


def _join(path: str, name: str) -> str:
    """Return the dotted name; a dot within a name is escaped, so that no two attributes have one name."""
    escaped = name.replace("\\", "\\\\").replace(".", "\\.")
    return f"{path}.{escaped}" if path else escaped


def _too_many() -> LimitExceeded:
    return LimitExceeded(f"event has more than {defaults.ATTRIBUTES} attributes: publish it in smaller pieces")
