"""Events: the base class of typed ones, and what can be read from any.

An event is any object: an `Event`, another `msgspec.Struct`, a dataclass, an attrs class, a `NamedTuple`, a
mapping or an ordinary class. This module answers two questions about all of them, without importing any of
those libraries: which parts can be read from this object (`fields`), and which public names does this class
have (`member_names`).

A part is public when its name does not start with an underscore. A part that is `None`, a method, or raises
when it is read is missing, so it never appears. Classes that keep their fields private are read through their
getters: methods of no argument named `get_x`, `is_x`, `has_x`, or the same in camel case, each under its own
method name.
"""

from __future__ import annotations

import functools
import re
import sys
from abc import ABC, ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    NamedTuple,
    Protocol,
    dataclass_transform,
    get_origin,
)
from weakref import WeakKeyDictionary

from msgspec import Struct, StructMeta, field

from rostra.errors import InvalidType
from rostra.model.values import ROUTINES

if TYPE_CHECKING:
    _ProtocolMeta = ABCMeta

    class _EventBase:
        # Type checkers take every subclass of Struct for a mutable dataclass, from which no frozen one may
        # inherit. So they see Event as the root, and `class Quote(Event, frozen=True)` is no error to them.
        __struct_fields__: ClassVar[tuple[str, ...]]

        def __init_subclass__(cls, **options: Any) -> None: ...
else:
    _EventBase = Struct
    # The metaclass of Protocols has no public name. Deriving from it lets us see a Protocol among the bases
    # of an event and say what is wrong; otherwise Python reports no more than a "metaclass conflict".
    _ProtocolMeta = type(Protocol)


def _nearest_with_fields(cls: type) -> type | None:
    """Return the class, at or above this one, that was the last to add fields; None if there are none."""
    fields_of = getattr(cls, "__struct_fields__", ())
    same = [base for base in cls.__mro__ if getattr(base, "__struct_fields__", ()) == fields_of]
    return same[-1] if fields_of else None


class EventMeta(StructMeta, _ProtocolMeta):
    """The metaclass of events: a struct that may also inherit abstract base classes."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> EventMeta:
        """Create an event class; a Protocol among the bases, or fields from several of them, raise `InvalidType`."""
        for base in bases:
            if getattr(base, "_is_protocol", False):
                raise InvalidType(
                    f"event {name} cannot inherit the Protocol {base.__name__}: "
                    "an event conforms to a Protocol by having its members, so leave it out of the bases"
                )
        lines = [line for base in bases if (line := _nearest_with_fields(base)) is not None]
        if any(not issubclass(one, two) and not issubclass(two, one) for one in lines for two in lines):
            names = " and ".join(base.__name__ for base in lines)
            raise InvalidType(
                f"event {name} cannot inherit fields from both {names}: give fields to one of them, "
                "and make the others abstract base classes or events without fields"
            )
        key = options.pop("key", None)
        if key is not None:
            namespace["__rostra_key__"] = (key,) if isinstance(key, str) else tuple(key)
        cls = super().__new__(mcls, name, bases, namespace, **options)
        if key is not None:
            _check_key(cls)
        return cls

    # Protocols check instances in Python code; events are no Protocols and take the fast way of ABCs.
    __instancecheck__ = ABCMeta.__instancecheck__
    __subclasscheck__ = ABCMeta.__subclasscheck__


@dataclass_transform(field_specifiers=(field,))
class Event(_EventBase, metaclass=EventMeta):
    """Base class of typed events: a `msgspec.Struct` that may also inherit abstract base classes.

        class ChatMsg(Event):
            sender: str
            text: str

    Options of structs (`frozen=True`, `kw_only=True`) are given the same way. An event conforms to a
    `typing.Protocol` by having its members; inheriting one raises `InvalidType`.

    `class Order(Event, key="number")` declares which field (or tuple of fields) tells orders apart: collections
    that are sets take a second order of the same number for a duplicate.
    """


def _check_key(cls: Any) -> None:
    for name in cls.__rostra_key__:
        if name not in cls.__struct_fields__:
            fields_of = ", ".join(cls.__struct_fields__)
            raise InvalidType(f"the key of event {cls.__name__} names {name!r}, which is no field of it: {fields_of}")


BASE_CLASSES: Final[frozenset[type]] = frozenset({*Event.__mro__, ABC, Protocol, Generic})
"""Classes that make a class work and say nothing about what it means."""

_MEMBERLESS: Final = BASE_CLASSES | {tuple, dict}
_GETTER: Final = re.compile(r"(?:get|is|has)(?:_\w|[A-Z])")
_CLASSVAR: Final = re.compile(r"['\"]?(?:\w+\.)*ClassVar\b")

# Bits of a code object: *args, **kwargs, generator, coroutine, asynchronous generator. None is a getter.
_NOT_PLAIN: Final = 0x04 | 0x08 | 0x20 | 0x80 | 0x200


class _Surface(NamedTuple):
    """What a class says about reading its instances."""

    declared: tuple[str, ...]
    properties: tuple[str, ...]
    getters: tuple[str, ...]


_surfaces: WeakKeyDictionary[type, _Surface] = WeakKeyDictionary()


def fields(event: object) -> Iterator[tuple[str, object]]:
    """Yield the name and the value of every public part of an event that is present.

    Declared fields come first, then other instance attributes, properties and getters. Of a mapping, the
    entries whose keys are text. Scalars, lists and classes have no parts.
    """
    for name, value in _parts(event):
        if value is not None and is_public(name) and not issubclass(type(value), ROUTINES):
            yield name, value


def member_names(cls: type) -> frozenset[str]:
    """Return the public surface of a class: methods, fields and properties, inherited ones included.

    Attributes that only a constructor assigns, with no annotation in the class, are not known to the class.
    """
    return frozenset(name for base in cls.__mro__ if base not in _MEMBERLESS for name in own_member_names(base))


def own_member_names(cls: type) -> frozenset[str]:
    """Return the public names that the body of this class defines; nested classes are not members."""
    defined = (name for name, value in vars(cls).items() if not isinstance(value, type))
    return frozenset(name for name in (*defined, *annotations_of(cls)) if is_public(name))


def annotations_of(cls: type) -> Mapping[str, object]:
    """Return the annotations in the body of this class, not evaluated where that can be avoided."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return getattr(cls, "__annotations__", {})


def is_public(name: object) -> bool:
    """Tell whether this is a name that others may read."""
    return isinstance(name, str) and not name.startswith("_")


def _parts(event: object) -> Iterator[tuple[Any, object]]:
    if isinstance(event, Mapping):
        yield from event.items()
    elif not isinstance(event, type):
        surface = _surface(type(event))
        attributes = dict.fromkeys((*surface.declared, *getattr(event, "__dict__", ()), *surface.properties))
        for name in attributes:
            yield name, _read(event, name)
        for name in surface.getters:
            if name not in attributes:
                yield name, _call(event, name)


def _read(event: object, name: str) -> object:
    try:
        return getattr(event, name)
    except Exception:  # noqa: BLE001  a part that cannot be read is missing, never an error in the bus
        return None


def _call(event: object, name: str) -> object:
    try:
        return getattr(event, name)()
    except Exception:  # noqa: BLE001  as above
        return None


def _surface(cls: type) -> _Surface:
    surface = _surfaces.get(cls)
    if surface is None:
        surface = _surfaces[cls] = _Surface(
            tuple(dict.fromkeys(_declared(cls))),
            tuple(_names_of(cls, _is_property)),
            tuple(name for name in _names_of(cls, _is_getter) if _GETTER.match(name)),
        )
    return surface


def _declared(cls: Any) -> Iterable[str]:
    """Return the names of the declared fields, in the order in which the class declares them."""
    if isinstance(cls, StructMeta):
        return cls.__struct_fields__
    if "__dataclass_fields__" in dir(cls):
        import dataclasses

        return (one.name for one in dataclasses.fields(cls))
    if "__attrs_attrs__" in dir(cls):
        return (one.name for one in cls.__attrs_attrs__)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return cls._fields  # type: ignore[no-any-return]
    return (name for base in reversed(cls.__mro__) for name in (*_annotated(base), *_slots(base)))


def _annotated(cls: type) -> Iterator[str]:
    return (name for name, hint in annotations_of(cls).items() if not _is_class_variable(hint))


def _is_class_variable(hint: object) -> bool:
    if isinstance(hint, str):
        return _CLASSVAR.match(hint) is not None
    return hint is ClassVar or get_origin(hint) is ClassVar


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _names_of(cls: type, wanted: Callable[[object], bool]) -> Iterator[str]:
    """Yield the public names whose final definition, after overriding, is wanted; base classes first."""
    final: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base not in _MEMBERLESS:
            final |= vars(base)
    return (name for name, value in final.items() if is_public(name) and wanted(value))


def _is_property(value: object) -> bool:
    return isinstance(value, property | functools.cached_property)


def _is_getter(value: object) -> bool:
    if not isinstance(value, FunctionType):
        return False
    code = value.__code__
    takes_self_only = code.co_argcount == 1 and code.co_kwonlyargcount == 0
    return takes_self_only and not code.co_flags & _NOT_PLAIN
