"""Comparisons and membership: the tests that compare a part of a message with a value or another part."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, overload

from rostra.errors import InvalidType
from rostra.model.accessor import (
    MESSAGE,
    Accessor,
    Arguments,
    Attribute,
    Constant,
    Invoke,
    as_accessor,
    base,
    base_text,
    check_public,
    operand,
    path_names,
)
from rostra.model.condition import And, Condition, Or, ValueTest
from rostra.model.values import Family, same, weigh


def subject(value: Any) -> Accessor:
    """Return the accessor that the first argument of a condition names.

    A term of `it` or an accessor is taken as it is; `"pos.x"` names attributes; `"/getText/strip"` calls methods.
    """
    if as_accessor(value) is not None:
        return base(value)
    if not isinstance(value, str):
        raise InvalidType(
            f"the first argument says what to test: a term like it.price or a name, not {type(value).__name__}"
        )
    if "/" in value:
        return Invoke(value)
    accessor: Accessor = MESSAGE
    for name in value.split(".") if value else ():
        check_public(name)
        accessor = Attribute(accessor, name)
    return accessor


class Comparison(Condition):
    """A comparison of two accessors; unknown when one is missing or they are of different families."""

    __slots__ = ("left", "right")
    left: Accessor
    right: Accessor
    symbol: ClassVar[str]
    test: ClassVar[Callable[[Any, Any], bool]]

    def __new__(cls, left: Any, right: Any) -> Comparison:
        return compare(cls, subject(left), operand(right))

    def decide(self, message: Any, topic: str = "") -> bool | None:
        left, right = self.left.get(message, topic), self.right.get(message, topic)
        if left is None or right is None:
            return None
        left_family, a = weigh(left)
        right_family, b = weigh(right)
        if left_family is not right_family:
            return None
        return self._unordered(a, b) if left_family is Family.OTHER else type(self).test(a, b)

    def _unordered(self, a: Any, b: Any) -> bool | None:
        return None

    def negated(self) -> Condition:
        return super().negated() if self.is_code else compare(NEGATED[type(self)], self.left, self.right)

    def accessors(self) -> tuple[Accessor, ...]:
        return (self.left,) if isinstance(self.right, Constant) else (self.left, self.right)

    def __repr__(self) -> str:
        return f"{self.left!r} {self.symbol} {self.right!r}"


class _Symmetric(Comparison):
    """What Equals and NotEquals share: it does not matter which side stands where."""

    __slots__ = ()

    def _key(self) -> Any:
        return (self.left, self.right) if isinstance(self.right, Constant) else frozenset((self.left, self.right))


class Equals(_Symmetric):
    """Equality, in every form of the papers.

        Equals(it.sender, "Alice")                          # it.sender == "Alice"
        Equals("sender", "Alice")                           # the same
        Equals(hello, True)                                 # the message equals hello; False: differs from it
        Equals(Invoke("getSender"), "Alice", True)
        Equals("/getSender", "Alice", True)                 # the same
        Equals("/getText/find", [[], ["me"]], -1, False)    # one argument list for each method
        Equals("getSpeaker", None, "Patrick Eugster")       # a third argument that is no bool is the value

    A bool in second or third place is the required result, so `Equals("flag", True)` asks whether the message is the
    text "flag"; to ask for a flag write `Equals(it.flag, True)` or `it.flag == True`.

    With the required result False a message satisfies it when the values are comparable and differ: a message
    whose value is missing or of another family satisfies neither form.
    """

    __slots__ = ()
    symbol = "=="
    test = operator.eq

    @overload
    def __new__(cls, value: Any, required: bool = True, /) -> Equals: ...  # noqa: FBT001, FBT002

    @overload
    def __new__(cls, of: Any, value: Any, required: bool = True, /) -> Equals: ...  # noqa: FBT001, FBT002

    @overload
    def __new__(cls, name: str, parameters: Arguments, value: Any, required: bool = True, /) -> Equals: ...  # noqa: FBT001, FBT002

    def __new__(cls, *form: Any) -> Comparison:  # type: ignore[misc]  # NotEquals where False is required
        accessor, value, required = _equals_form(form)
        return compare(Equals if required else NotEquals, accessor, operand(value))

    def _unordered(self, a: Any, b: Any) -> bool | None:
        return same(a, b)


class NotEquals(_Symmetric):
    """Comparable and different."""

    __slots__ = ()
    symbol = "!="
    test = operator.ne

    def _unordered(self, a: Any, b: Any) -> bool | None:
        equal = same(a, b)
        return None if equal is None else not equal


class Less(Comparison):
    """Strictly below."""

    __slots__ = ()
    symbol = "<"
    test = operator.lt


class LessEqual(Comparison):
    """Below or equal."""

    __slots__ = ()
    symbol = "<="
    test = operator.le


class Greater(Comparison):
    """Strictly above."""

    __slots__ = ()
    symbol = ">"
    test = operator.gt


class GreaterEqual(Comparison):
    """Above or equal."""

    __slots__ = ()
    symbol = ">="
    test = operator.ge


_MIRRORED: Final[dict[type[Comparison], type[Comparison]]] = {Greater: Less, GreaterEqual: LessEqual}
NEGATED: Final[dict[type[Comparison], type[Comparison]]] = {
    Equals: NotEquals, NotEquals: Equals,
    Less: GreaterEqual, GreaterEqual: Less, LessEqual: Greater, Greater: LessEqual,
}  # fmt: skip


def compare(cls: type[Comparison], left: Accessor, right: Accessor) -> Comparison:
    """Build a comparison in its one normal form: `>` between two parts of the message is turned round."""
    if isinstance(right, Constant) and right.family is Family.OTHER and not issubclass(cls, _Symmetric):
        raise InvalidType(f"{right!r} has no order: only numbers, text, bytes and times can be above or below")
    if isinstance(right, Constant) or cls not in _MIRRORED:
        return cls._of(left, right)
    return _MIRRORED[cls]._of(right, left)


def _equals_form(form: tuple[Any, ...]) -> tuple[Accessor, Any, bool]:
    match form:
        case (to,):
            return MESSAGE, to, True
        case (first, second) if as_accessor(first) is None and isinstance(second, bool):
            return MESSAGE, first, second
        case (first, second):
            return subject(first), second, True
        case (first, None, bool()):
            raise InvalidType(
                f"a bool in third place is the required result, so there is no value to compare {first!r} with; "
                "write it.name() == True to ask for a truth value"
            )
        case (first, to, bool(required)):
            return _called(first, None), to, required
        case (name, parameters, to) | (name, parameters, to, True):
            return _called(name, parameters), to, True
        case (name, parameters, to, False):
            return _called(name, parameters), to, False
    raise InvalidType(
        "Equals takes (value, required), (accessor or name, value[, required]), "
        "(name, parameters, value) or (name, parameters, value, required)"
    )


def _called(first: Any, parameters: Any) -> Accessor:
    if as_accessor(first) is not None:
        return base(first)
    if not isinstance(first, str):
        raise InvalidType(f"Equals needs an accessor or a method name first, not {type(first).__name__}")
    return Invoke(first, parameters) if path_names(first) else MESSAGE


def Between(of: Any, low: Any, high: Any) -> Condition:  # noqa: N802  reads as one of the condition classes
    """Return the condition that a value lies between two others, both ends included."""
    accessor = subject(of)
    return And(GreaterEqual(accessor, low), LessEqual(accessor, high))


class OneOf(ValueTest):
    """Membership in a set of constants: exactly the disjunction of the equalities, tested in one look-up."""

    __slots__ = ("members",)
    members: frozenset[tuple[Family, Any]]

    def __new__(cls, of: Any, values: Iterable[Any]) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise InvalidType("OneOf takes a collection of values; for a single one write Equals")
        accessor = subject(of)
        constants = [Constant(value) for value in values]
        members = frozenset((c.family, c.value) for c in constants if c.family is not Family.OTHER)
        others = [Equals._of(accessor, c) for c in constants if c.family is Family.OTHER]
        if len(members) > 1:
            return Or(cls._of(accessor, members), *others)
        return Or(*(Equals._of(accessor, Constant(value)) for _, value in members), *others)

    def decide_value(self, value: Any) -> bool | None:
        if value is None:
            return None
        weighed = weigh(value)
        if weighed[0] is Family.OTHER:
            return None
        if weighed in self.members:
            return True
        return False if all(family is weighed[0] for family, _ in self.members) else None

    def constants(self) -> list[Constant]:
        """Return the members in a fixed order."""
        ordered = sorted(self.members, key=lambda member: (member[0].value, member[1]))
        return [Constant(value) for _, value in ordered]

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.is_in([{', '.join(map(repr, self.constants()))}])"
