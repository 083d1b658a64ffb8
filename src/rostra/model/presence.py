"""Tests that are never unknown: is there a value, and what type is it of."""

from __future__ import annotations

from types import UnionType
from typing import Any, overload

from rostra.errors import InvalidType
from rostra.model import types
from rostra.model.accessor import MESSAGE, Accessor, as_accessor, base, base_text
from rostra.model.comparison import subject
from rostra.model.condition import And, Condition, ValueTest


class Exists(ValueTest):
    """True when there is a value, whatever it is (NaN too); None and a raising accessor count as none."""

    __slots__ = ()

    def __new__(cls, of: Any) -> Exists:
        return cls._of(subject(of))

    @property
    def two_valued(self) -> bool:
        return True

    def decide_value(self, value: Any) -> bool:
        return value is not None

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.exists()"


class InstanceOf(ValueTest):
    """True when the message, or a part of it, conforms to a type.

        InstanceOf(Talk)
        InstanceOf(it.payload, Talk)                # or it.payload.is_a(Talk)

    The type is kept by name, so the condition can travel to where the class is not known; there, conformance
    is read from the ancestry that events carry. Nothing is ever imported to answer.
    """

    __slots__ = ("name",)
    name: str

    @overload
    def __new__(cls, target: types.Target | str, /) -> InstanceOf: ...

    @overload
    def __new__(cls, of: Any, target: types.Target | str, /) -> InstanceOf: ...

    def __new__(cls, *form: Any) -> Condition:  # type: ignore[misc]  # several for an intersection
        match form:
            case (target,):
                return _instance_of(MESSAGE, target)
            case (of, target) if as_accessor(of) is not None:
                return _instance_of(base(of), target)
        raise InvalidType("InstanceOf takes (type) or (accessor, type)")

    @property
    def two_valued(self) -> bool:
        return True

    def decide_value(self, value: Any) -> bool:
        return value is not None and self.conforms(type(value))

    def conforms(self, cls: type) -> bool:
        """Say whether values of a class conform to the type."""
        target = types.registered(self.name)
        if target is not None:
            try:
                return types.conforms(cls, target)
            except TypeError:  # a metaclass that cannot be hashed: nothing is known about its classes
                return False
        return any(f"{base.__module__}.{base.__qualname__}" == self.name for base in cls.__mro__)

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.is_a({self.name!r})"


def _instance_of(of: Accessor, target: Any) -> Condition:
    if isinstance(target, types.Intersection):
        return And(*(InstanceOf._of(of, _type_name(cls)) for cls in target.types))
    return InstanceOf._of(of, _type_name(target))


def _type_name(target: Any) -> str:
    if isinstance(target, tuple | UnionType):
        raise InvalidType("to ask for one of several types write it.is_a(A) | it.is_a(B)")
    if isinstance(target, str):
        if not target or not all(part.isidentifier() for part in target.split(".")):
            raise InvalidType(f"{target!r} is not the full name of a type, such as 'shop.events.Order'")
        return target
    types.register(target)
    return types.type_name(target)
