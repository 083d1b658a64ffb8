"""`it`: the message that will come, to write conditions about in ordinary Python.

`it.price * 1.01 < it.ask` builds a condition instead of computing one. A `Term` wraps an accessor and turns
operators into conditions; the accessor itself compares by value, as values do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NoReturn, TypeVar, cast

from rostra.errors import InvalidType
from rostra.model.accessor import (
    MESSAGE,
    Accessor,
    Arithmetic,
    Attribute,
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
from rostra.model.types import Target

Method = TypeVar("Method", bound=Callable[..., Condition])


def verb(method: Method) -> Method:
    """Make a method of Term that can only be called: forgetting to, or meaning a field, is an error that says so."""
    return cast("Method", _Verb(method))


class _Verb:
    def __init__(self, method: Callable[..., Condition]) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, term: Term | None, owner: type) -> Any:
        return self if term is None else _BoundVerb(term, self.method)


class _BoundVerb:
    """A test of a term that has not been called yet."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, term: Term, method: Callable[..., Condition]) -> None:
        self._term, self._method = term, method
        self.__doc__ = method.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Condition:
        return self._method(self._term, *arguments, **named)

    def _misused(self, *_: object) -> NoReturn:
        name = self._method.__name__
        raise InvalidType(
            f"write {self._term!r}.{name}(...) for the test, {self._term!r}[{name!r}] for a field called so"
        )

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _misused
    __and__ = __or__ = __rand__ = __ror__ = __invert__ = __bool__ = _accessor_of = _misused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _misused
    __getitem__ = __iter__ = _misused


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
        if len(arguments) == 1 and isinstance(arguments[0], dict):
            raise InvalidType(f"{self!r} is a value, not a condition: to test a flag write ({self!r} == True)(message)")
        if not isinstance(step, Attribute):
            raise InvalidType(f"only a method can be called, as in it.text.find('me'), not {step!r}")
        return Term(Invoke.method_call(step.of, step.name, arguments))

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
        return Term(Arithmetic(self._accessor, "+", other))

    def __radd__(self, other: Any) -> Term:
        return Term(Arithmetic(other, "+", self._accessor))

    def __sub__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "-", other))

    def __rsub__(self, other: Any) -> Term:
        return Term(Arithmetic(other, "-", self._accessor))

    def __mul__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "*", other))

    def __rmul__(self, other: Any) -> Term:
        return Term(Arithmetic(other, "*", self._accessor))

    def __truediv__(self, other: Any) -> Term:
        return Term(Arithmetic(self._accessor, "/", other))

    def __rtruediv__(self, other: Any) -> Term:
        return Term(Arithmetic(other, "/", self._accessor))

    def __neg__(self) -> Term:
        return Term(Arithmetic(self._accessor, "*", -1))

    @verb
    def is_in(self, values: Iterable[Any]) -> Condition:
        """Equal to one of the values."""
        return OneOf(self._accessor, values)

    @verb
    def between(self, low: Any, high: Any) -> Condition:
        """At least `low` and at most `high`."""
        return Between(self._accessor, low, high)

    @verb
    def like(self, pattern: str, escape: str | None = None) -> Condition:
        """Text that matches an SQL LIKE pattern."""
        return Like(self._accessor, pattern, escape)

    @verb
    def startswith(self, text: str | bytes) -> Condition:
        """Text that starts with the given text."""
        return Prefix(self._accessor, text)

    @verb
    def endswith(self, text: str | bytes) -> Condition:
        """Text that ends with the given text."""
        return Suffix(self._accessor, text)

    @verb
    def contains(self, item: Any) -> Condition:
        """Text that contains the given text, or a collection that has the given element."""
        return Contains(self._accessor, item)

    @verb
    def exists(self) -> Condition:
        """There is a value."""
        return Exists(self._accessor)

    @verb
    def is_a(self, target: Target | str) -> Condition:
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

    def _unsupported(self, *_: object) -> NoReturn:
        raise InvalidType(
            f"conditions calculate with + - * / only; for more call a function, as in Greater(Invoke({self!r}, abs), 5)"
        )

    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __pow__ = __rpow__ = __abs__ = __len__ = __round__ = (
        _unsupported
    )

    def __copy__(self) -> Term:
        return self

    def __deepcopy__(self, memo: object) -> Term:
        return self

    def __reduce__(self) -> tuple[type[Term], tuple[Accessor]]:
        return Term, (self._accessor,)

    def __repr__(self) -> str:
        return repr(self._accessor)


it: Final = Term(MESSAGE)
"""The message: `it.price < 100` is a condition, `it.text.find("me") != -1` another."""
