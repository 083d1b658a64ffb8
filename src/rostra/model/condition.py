"""Conditions: what a subscriber wants, as a value.

A condition says of a message *true*, *false* or *unknown* (None). Unknown is what a comparison is worth when
it cannot be made: the attribute is missing, it is NaN or of another family than the constant, the accessor
raised. `Not(unknown)` is unknown, `And` and `Or` follow Kleene, and only *true* delivers. `Exists`,
`InstanceOf` and `IsTrue` are never unknown, so two-valued languages can be written in this one.

This module holds the base class and what combines conditions: `And`, `Or`, `Not`, `IsTrue`, `Always`, `Never`,
and `Opaque` for conditions that are code. Constructors normalise as far as that is free: nested `And`s are
flattened, double negation disappears, `~(it.x < 5)` is `it.x >= 5` (which is unknown on the same messages).
Equality of conditions is equality of these normal forms; semantic comparison is `covers` both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import MethodType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol, TypeAlias

from rostra.errors import InvalidType
from rostra.model.accessor import Accessor, as_accessor
from rostra.model.node import Node

if TYPE_CHECKING:
    from inspect import Parameter

_NO_TRUTH = (
    "a condition is neither true nor false until it meets a message: write & for 'and', | for 'or', "
    "~ for 'not', it.x.is_in([...]) for 'in', it.x.between(low, high) for chained comparisons, "
    "condition(message) to evaluate it, and 'is not None' to ask whether there is one"
)


class Condition(Node):
    """A yes-or-no question about a message; built with `it` or the classes of `rostra.conditions`."""

    __slots__ = ()
    is_code: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__slots__" not in cls.__dict__:  # somebody's own condition: code, which only ever equals itself
            cls.is_code = True
            cls.__eq__ = object.__eq__  # type: ignore[method-assign]
            cls.__hash__ = object.__hash__  # type: ignore[method-assign]
            cls.__setattr__ = object.__setattr__  # type: ignore[assignment, method-assign]
            cls.__reduce__ = object.__reduce__  # type: ignore[assignment, method-assign]
            cls.decide = _guarded(cls.decide)  # type: ignore[method-assign]

    @property
    def two_valued(self) -> bool:
        """Whether the condition is never unknown."""
        return False

    def decide(self, message: Any, topic: str = "") -> bool | None:
        """Return True, False, or None when the message does not allow an answer."""
        raise NotImplementedError

    def negated(self) -> Condition:
        """Return the condition that is true where this is false, and unknown where this is unknown."""
        return Not._of(self)

    def parts(self) -> tuple[Condition, ...]:
        """Return the conditions this one is made of; none if it is a single test."""
        return ()

    def accessors(self) -> tuple[Accessor, ...]:
        """Return the accessors a single test reads."""
        return ()

    def __call__(self, message: Any, topic: str = "") -> bool:
        """Say whether the message satisfies the condition: true, not false and not unknown."""
        return self.decide(message, topic) is True

    def __and__(self, other: ConditionLike) -> Condition:
        return And(self, other)

    def __rand__(self, other: ConditionLike) -> Condition:
        return And(other, self)

    def __or__(self, other: ConditionLike) -> Condition:
        return Or(self, other)

    def __ror__(self, other: ConditionLike) -> Condition:
        return Or(other, self)

    def __invert__(self) -> Condition:
        return self.negated()

    def __bool__(self) -> NoReturn:
        raise InvalidType(_NO_TRUTH)

    def tests(self) -> Iterator[Condition]:
        """Yield every single test in the condition, from left to right."""
        parts = self.parts()
        if not parts:
            yield self
        for part in parts:
            yield from part.tests()

    @property
    def is_opaque(self) -> bool:
        """Whether any part is code of the user's: such a condition works here and never travels."""
        return any(test.is_code or any(a.is_code for a in _chains(test)) for test in self.tests())

    @property
    def is_portable(self) -> bool:
        """Whether `from_json` on the other side would take this condition without being told to trust it."""
        from rostra.model.portable import is_portable

        return is_portable(self)

    def to_json(self) -> str:
        """Return the condition as JSON; raises NotPortable, naming the part that is code, if there is one."""
        from rostra.model.portable import to_json

        return to_json(self)

    def covers(self, other: ConditionLike) -> bool:
        """Say whether every message that satisfies `other` satisfies this. Never claims it falsely."""
        from rostra.model.algebra import covers

        return covers(self, as_condition(other))

    def overlaps(self, other: ConditionLike) -> bool:
        """Say whether some message may satisfy both. Never denies it falsely."""
        from rostra.model.algebra import overlaps

        return overlaps(self, as_condition(other))

    def merge(self, other: ConditionLike, *, inexact: bool = False) -> Condition | None:
        """Return one simpler condition for both.

        Perfect: true on exactly the union, None if there is no such single filter. Inexact: the perfect merge
        if there is one, else a wider filter that covers both.
        """
        from rostra.model.algebra import merge

        return merge(self, as_condition(other), inexact=inexact)

    def compile(self, event_type: type | None = None) -> Filter:
        """Return a function `(message, topic="") -> bool` with code generated for the event type."""
        from rostra.compile import compile_condition

        return compile_condition(self, event_type)


ConditionLike: TypeAlias = Condition | Callable[..., Any]


def _chains(test: Condition) -> Iterator[Accessor]:
    for accessor in test.accessors():
        yield from accessor.chain()


class Filter(Protocol):
    """A compiled condition."""

    def __call__(self, message: Any, topic: str = "") -> bool:
        """Say whether the message satisfies the condition."""


class ValueTest(Condition):
    """A test that looks at one value of the message, whatever else there is."""

    __slots__ = ("of",)
    of: Accessor

    def decide(self, message: Any, topic: str = "") -> bool | None:
        return self.decide_value(self.of.get(message, topic))

    def decide_value(self, value: Any) -> bool | None:
        """Return the answer for the value that `of` yields, None for a missing one included."""
        raise NotImplementedError

    def accessors(self) -> tuple[Accessor, ...]:
        return (self.of,)


class Always(Condition):
    """True of every message."""

    __slots__ = ()

    def __new__(cls) -> Always:
        return cls._of()

    @property
    def two_valued(self) -> bool:
        return True

    def decide(self, message: Any, topic: str = "") -> bool:
        return True

    def negated(self) -> Condition:
        return Never()

    def __repr__(self) -> str:
        return "Always()"


class Never(Condition):
    """False of every message."""

    __slots__ = ()

    def __new__(cls) -> Never:
        return cls._of()

    @property
    def two_valued(self) -> bool:
        return True

    def decide(self, message: Any, topic: str = "") -> bool:
        return False

    def negated(self) -> Condition:
        return Always()

    def __repr__(self) -> str:
        return "Never()"


class _Connective(Condition):
    """What And and Or share: flattened, without repetitions, equal in any order."""

    __slots__ = ("_parts",)
    _parts: tuple[Condition, ...]
    symbol: ClassVar[str]

    def _key(self) -> frozenset[Condition]:
        return frozenset(self._parts)

    def parts(self) -> tuple[Condition, ...]:
        return self._parts

    @property
    def two_valued(self) -> bool:
        return all(part.two_valued for part in self._parts)

    def __repr__(self) -> str:
        return f" {self.symbol} ".join(_grouped(part) for part in self._parts)


class And(_Connective):
    """True when every part is; `And()` is always true."""

    __slots__ = ()
    symbol = "&"

    def __new__(cls, *conditions: ConditionLike) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        return combine(cls, Always, Never, conditions)

    def decide(self, message: Any, topic: str = "") -> bool | None:
        answer: bool | None = True
        for part in self._parts:
            decided = part.decide(message, topic)
            if decided is False:
                return False
            if decided is None:
                answer = None
        return answer


class Or(_Connective):
    """True when any part is; `Or()` is never true."""

    __slots__ = ()
    symbol = "|"

    def __new__(cls, *conditions: ConditionLike) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        return combine(cls, Never, Always, conditions)

    def decide(self, message: Any, topic: str = "") -> bool | None:
        answer: bool | None = False
        for part in self._parts:
            decided = part.decide(message, topic)
            if decided is True:
                return True
            if decided is None:
                answer = None
        return answer


class Not(Condition):
    """True where the condition is false; where that is unknown, so is this."""

    __slots__ = ("condition",)
    condition: Condition

    def __new__(cls, condition: ConditionLike) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        return as_condition(condition).negated()

    def decide(self, message: Any, topic: str = "") -> bool | None:
        decided = self.condition.decide(message, topic)
        return None if decided is None else not decided

    @property
    def two_valued(self) -> bool:
        return self.condition.two_valued

    def negated(self) -> Condition:
        return self.condition

    def parts(self) -> tuple[Condition, ...]:
        return (self.condition,)

    def __repr__(self) -> str:
        return f"~{_grouped(self.condition)}"


class IsTrue(Condition):
    """True where the condition is true, false where it is false or unknown: what turns three values into two."""

    __slots__ = ("condition",)
    condition: Condition

    def __new__(cls, condition: ConditionLike) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        inner = as_condition(condition)
        return inner if inner.two_valued else cls._of(inner)

    @property
    def two_valued(self) -> bool:
        return True

    def decide(self, message: Any, topic: str = "") -> bool:
        return self.condition.decide(message, topic) is True

    def parts(self) -> tuple[Condition, ...]:
        return (self.condition,)

    def __repr__(self) -> str:
        return f"IsTrue({self.condition!r})"


class Opaque(Condition):
    """A condition that is code: a callable, or an object with the papers' `conforms` or `add` method.

    It is called with the message, and with the topic too if it has a second parameter that must be given or is
    called `topic`. A raising one is unknown.
    """

    __slots__ = ("code", "decider")
    is_code = True
    code: Any
    decider: Callable[[Any, str], Any]

    def __new__(cls, code: Any) -> Opaque:
        from inspect import iscoroutinefunction

        if iscoroutinefunction(code):
            raise InvalidType(f"{code!r} is a coroutine function, and conditions are answered at once: use a function")
        return cls._of(code, _decider(code))

    def _key(self) -> Any:
        code = self.code
        return (id(code.__self__), code.__func__) if isinstance(code, MethodType) else id(code)

    def decide(self, message: Any, topic: str = "") -> bool | None:
        try:
            return bool(self.decider(message, topic))
        except Exception:  # noqa: BLE001  a subscriber's raising condition is no match, never the bus's error
            return None

    def __reduce__(self) -> tuple[Any, ...]:
        return Opaque, (self.code,)

    def __repr__(self) -> str:
        return f"Opaque({self.code!r})"


def as_condition(value: Any) -> Condition:
    """Return a condition for anything that is one or can serve as one; InvalidType for the rest."""
    if isinstance(value, Condition):
        return value
    if as_accessor(value) is not None:
        raise not_compared(value)
    return Opaque(value)


def _guarded(decide: Callable[..., Any]) -> Callable[..., bool | None]:
    """Return a `decide` that keeps to the three answers, whatever somebody's own does."""

    def decide_or_not(self: Condition, message: Any, topic: str = "") -> bool | None:
        try:
            decided = decide(self, message, topic)
            return None if decided is None else bool(decided)
        except Exception:  # noqa: BLE001  a raising condition is no match, never the bus's error
            return None

    return decide_or_not


def not_compared(value: Any) -> InvalidType:
    """Return the error for a value of the message where a condition should stand."""
    return InvalidType(
        f"{value!r} is a value, not a condition: & and | bind tighter than comparisons, so put each in parentheses, "
        f"as in ({value!r} == True) & (...)"
    )


def combine(
    cls: type[And] | type[Or],
    neutral: type[Condition],
    absorbing: type[Condition],
    conditions: Iterable[ConditionLike],
) -> Condition:
    """Flatten, drop repetitions and what changes nothing; collapse to the part or the constant that is left."""
    parts: dict[Condition, None] = {}
    for condition in map(as_condition, conditions):
        if type(condition) is absorbing:
            return condition
        if type(condition) is not neutral:
            parts.update(dict.fromkeys(condition.parts() if type(condition) is cls else (condition,)))
    if not parts:
        return neutral()
    return next(iter(parts)) if len(parts) == 1 else cls._of(tuple(parts))


def _decider(code: Any) -> Callable[[Any, str], Any]:
    if not isinstance(code, type):
        conforms, add = getattr(code, "conforms", None), getattr(code, "add", None)
        if callable(conforms):
            return _with_topic(conforms)
        if callable(add) and _required(add) == 2:  # the paper's (message, topic); a set has an add of its own
            return add  # type: ignore[no-any-return]
    if callable(code):
        return _with_topic(code)
    raise InvalidType(
        f"{type(code).__name__} is not a condition: pass something built with `it`, a callable, "
        "or an object with a method conforms(message, topic)"
    )


def _positional(code: Callable[..., Any]) -> list[Parameter] | None:
    """Return the parameters that can be given by position; None if the callable does not tell."""
    from inspect import Parameter, signature

    try:
        parameters = signature(code).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p for p in parameters if p.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]


def _required(code: Callable[..., Any]) -> int:
    return sum(p.default is p.empty for p in _positional(code) or ())


def _with_topic(code: Callable[..., Any]) -> Callable[[Any, str], Any]:
    parameters = _positional(code)
    if parameters is not None and _required(code) > 2:
        raise InvalidType(f"{code!r} cannot be a condition: it needs more than a message and a topic")
    wants_topic = parameters is not None and (
        _required(code) == 2 or (len(parameters) > 1 and parameters[1].name.startswith("topic"))
    )
    return code if wants_topic else lambda message, _topic: code(message)


def _grouped(condition: Condition) -> str:
    from rostra.model.comparison import Comparison

    return f"({condition!r})" if isinstance(condition, _Connective | Comparison) else repr(condition)
