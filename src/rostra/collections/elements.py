"""The type argument of a collection at run time: `DAStrongSet[ChatMsg]` knows that it holds `ChatMsg`."""

from __future__ import annotations

from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin
from weakref import WeakValueDictionary

from rostra.errors import InvalidType
from rostra.model.types import Intersection, Target

C = TypeVar("C")

_typed: WeakValueDictionary[tuple[type, object], type] = WeakValueDictionary()


def typed(cls: type[C], argument: object) -> type[C]:
    """Return the subclass of a collection class whose elements are of a type; the same one for the same type."""
    try:
        found = _typed.get((cls, argument))
    except TypeError:
        raise InvalidType(f"{argument!r} is no type of elements: give a class") from None
    if found is None:
        label = getattr(argument, "__qualname__", None) or str(argument)
        body = {"elements": targets(argument), "__module__": cls.__module__, "__doc__": cls.__doc__}
        found = _typed[cls, argument] = type(f"{cls.__name__}[{label}]", (cls,), body)
    return found


def targets(argument: object) -> tuple[Target, ...]:
    """Return the types to one of which every element conforms; none if anything goes."""
    if argument is Any or argument is object:
        return ()
    if isinstance(argument, Intersection):
        return (argument,)
    if get_origin(argument) in (Union, UnionType):
        return _either([targets(part) for part in get_args(argument)])
    cls = get_origin(argument) or argument
    if not isinstance(cls, type):
        raise InvalidType(f"the elements of a collection are of a class, not of {argument!r}: give a class")
    return (float, int) if cls is float else (cls,)  # whole numbers are floats to every type checker


def _either(parts: list[tuple[Target, ...]]) -> tuple[Target, ...]:
    return () if () in parts else tuple(dict.fromkeys(target for part in parts for target in part))
