"""Tests that are never unknown: is there a value, and what type is it of."""

from __future__ import annotations

from typing import Any

from rostra.errors import InvalidType
from rostra.model import types
from rostra.model.accessor import MESSAGE, as_accessor, base_text
from rostra.model.comparison import subject
from rostra.model.condition import ValueTest


class Exists(ValueTest):
    """True when there is a value, whatever it is (NaN too); None and a raising accessor count as none."""

    __slots__ = ()
    two_valued = True

    def __new__(cls, of: Any) -> Exists:
        return cls._of(subject(of))

    def decide_value(self, value: Any) -> bool:
        return value is not None

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.exists()"


class InstanceOf(ValueTest):
    """True when the message, or a part of it, conforms to a type.

    >>> InstanceOf(Talk)
    >>> InstanceOf(it.payload, Talk)                # or it.payload.is_a(Talk)

    The type is kept by name, so the condition can travel to where the class is not known; there, conformance
    is read from the ancestry that events carry. Nothing is ever imported to answer.
    """

    __slots__ = ("name",)
    two_valued = True
    name: str

    def __new__(cls, *form: Any) -> InstanceOf:
        match form:
            case (target,):
                return cls._of(MESSAGE, _type_name(target))
            case (of, target) if (accessor := as_accessor(of)) is not None:
                return cls._of(accessor, _type_name(target))
        raise InvalidType("InstanceOf takes (type) or (accessor, type)")

    def decide_value(self, value: Any) -> bool:
        return value is not None and self.conforms(type(value))

    def conforms(self, cls: type) -> bool:
        """Say whether values of a class conform to the type."""
        target = types.registered(self.name)
        return self.name in types.ancestry(cls) if target is None else types.conforms(cls, target)

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.is_a({self.name!r})"


def _type_name(target: Any) -> str:
    if isinstance(target, str):
        if not target or not all(part.isidentifier() for part in target.split(".")):
            raise InvalidType(f"{target!r} is not the full name of a type, such as 'shop.events.Order'")
        return target
    types.register(target)
    return types.type_name(target)
