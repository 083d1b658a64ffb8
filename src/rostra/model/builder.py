"""`it`: the message that will come, to write conditions about in ordinary Python.

`it.price * 1.01 < it.ask` builds a condition instead of computing one. A `Term` wraps an accessor and turns
operators into conditions; the accessor itself compares by value, as values do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NoReturn

from rostra.errors import InvalidType
from rostra.model.accessor import (
    MESSAGE,
    Accessor,
    Arithmetic,
    Attribute,
    Constant,
    Invoke,
    Item,
    operand,
)
from rostra.model.comparison import (
    Between,
    Equals,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEquals,
    OneOf,
    compare,
)
from rostra.model.condition import Condition, not_compared
from rostra.model.presence import Exists, InstanceOf
from rostra.model.text import Contains, Like, Prefix, Suffix


class Term:
    """A part of the message to come; comparing it builds a condition."""

    __slots__ = ("_accessor",)
    _accessor: Accessor
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, accessor: Accessor) -> None:
        object.__setattr__(self, "_accessor", accessor)

    def _accessor_of(self) -> Accessor:
        return self._accessor

    def __getattr__(self, name: str) -> Term:
        if name.startswith("_"):
            raise AttributeError(f"{name!r} is private; conditions reach public attributes and methods only")
        return Term(Attribute(self._accessor, name))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise InvalidType(f"conditions only read messages; to compare write it.{name} == ...")

    def __getitem__(self, key: str | int) -> Term:
        return Term(Attribute(self._accessor, key) if isinstance(key, str) else Item(self._accessor, key))

    def __call__(self, *arguments: Any) -> Term:
        step = self._accessor
        if not isinstance(step, Attribute):
            raise InvalidType(f"only a method can be called, as in it.text.find('me'), not {step!r}")
        return Term(Invoke(step.of, step.name, arguments))

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]
        return compare(Equals, self._accessor, operand(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]
        return compare(NotEquals, self._accessor, operand(other))

    def __lt__(self, other: Any) -> Condition:
        return compare(Less, self._accessor, operand(other))

    def __le__(self, other: Any) -> Condition:
        return compare(LessEqual, self._accessor, operand(other))

    def __gt__(self, other: Any) -> Condition:
        return compare(Greater, self._accessor, operand(other))

    def __ge__(self, other: Any) -> Condition:
        return compare(GreaterEqual, self._accessor, operand(other))

    def __add__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "+", operand(other)))

    def __radd__(self, other: Any) -> Term:
        return Term(Arithmetic(operand(other), "+", self._accessor))

    def __sub__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "-", operand(other)))

    def __rsub__(self, other: Any) -> Term:
        return Term(Arithmetic(operand(other), "-", self._accessor))

    def __mul__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "*", operand(other)))

    def __rmul__(self, other: Any) -> Term:
        return Term(Arithmetic(operand(other), "*", self._accessor))

    def __truediv__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "/", operand(other)))

    def __rtruediv__(self, other: Any) -> Term:
        return Term(Arithmetic(operand(other), "/", self._accessor))

    def __neg__(self) -> Term:
        return Term(Arithmetic(self._accessor, "*", Constant(-1)))

    def is_in(self, values: Iterable[Any]) -> Condition:
        """Equal to one of the values."""
        return OneOf(self._accessor, values)

    def between(self, low: Any, high: Any) -> Condition:
        """At least `low` and at most `high`."""
        return Between(self._accessor, low, high)

    def like(self, pattern: str, escape: str | None = None) -> Condition:
        """Text that matches an SQL LIKE pattern."""
        return Like(self._accessor, pattern, escape)

    def startswith(self, text: str | bytes) -> Condition:
        """Text that starts with the given text."""
        return Prefix(self._accessor, text)

    def endswith(self, text: str | bytes) -> Condition:
        """Text that ends with the given text."""
        return Suffix(self._accessor, text)

    def contains(self, item: Any) -> Condition:
        """Text that contains the given text, or a collection that has the given element."""
        return Contains(self._accessor, item)

    def exists(self) -> Condition:
        """There is a value."""
        return Exists(self._accessor)

    def is_a(self, target: type | str) -> Condition:
        """Value that conforms to a type."""
        return InstanceOf(self._accessor, target)

    def __bool__(self) -> NoReturn:
        raise InvalidType(
            f"{self!r} has no truth value yet: write {self!r} == True to test it, "
            "& | ~ instead of and, or, not, and between() instead of a chained comparison"
        )

    def __contains__(self, item: object) -> NoReturn:
        raise InvalidType(f"write {self!r}.contains({item!r}) instead of {item!r} in {self!r}")

    def __iter__(self) -> NoReturn:
        raise InvalidType(f"{self!r} cannot be iterated: it stands for a message that has not come yet")

    def __and__(self, other: Any) -> NoReturn:
        raise not_compared(self)

    __or__ = __rand__ = __ror__ = __and__

    def __invert__(self) -> NoReturn:
        raise InvalidType(f"{self!r} is a value, not a condition: write {self!r} == False or ~(... == ...)")

    def __repr__(self) -> str:
        return repr(self._accessor)


it: Final = Term(MESSAGE)
"""The message: `it.price < 100` is a condition, `it.text.find("me") != -1` another."""
