"""Accessors: how a condition reaches into a message.

An accessor is a chain that starts at the message (`Message`) and takes steps: an attribute or key, an item, a
method call, arithmetic. `get(message, topic)` walks the chain. Whatever goes wrong on the way, a missing
attribute, a wrong signature, a method that raises, the answer is `None`, *missing*, never an error (A12):
a subscriber's mistake must not become the publisher's problem.

What a step may touch:

- `Attribute` reads data: a key of a mapping, otherwise an attribute. It never calls a method, and a name that
  starts with an underscore is only ever looked up in a mapping. So a condition from elsewhere that is made of
  attributes can only read what the event shows.
- `Invoke` calls a method with arguments. `PORTABLE_METHODS` lists the few that a condition from elsewhere may
  call, all of them pure and bounded by the size of their input; `rostra.model.portable` enforces it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import CoroutineType
from typing import Any, Final, cast

from rostra.errors import InvalidType, InvalidValue
from rostra.model.node import Node
from rostra.model.values import NAN, ROUTINES, Family, number, weigh

PORTABLE_METHODS: Final = frozenset(
    {
        "casefold", "count", "date", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal",
        "isdigit", "islower", "isnumeric", "isoformat", "isoweekday", "isspace", "isupper", "lower", "lstrip",
        "removeprefix", "removesuffix", "rfind", "rindex", "rstrip", "startswith", "strip", "swapcase", "title",
        "total_seconds", "upper", "weekday",
    }
)  # fmt: skip
"""Methods of scalars that a condition from elsewhere may call."""

_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2}


class Accessor(Node):
    """Something that yields a part of a message, or None if the message has no such part."""

    __slots__ = ()

    def get(self, message: Any, topic: str = "") -> Any:
        """Return the part of the message that this accessor names, None if it is missing."""
        raise NotImplementedError


class Message(Accessor):
    """The message itself: where every chain starts."""

    __slots__ = ()

    def __new__(cls) -> Message:
        return cls._of()

    def get(self, message: Any, topic: str = "") -> Any:
        return message

    def __repr__(self) -> str:
        return "it"


MESSAGE: Final = Message()


class Constant(Accessor):
    """A constant, compared by family and value: `True` is not `1`, `1` equals `1.0` (A13).

    Raises InvalidValue for what no comparison can be true of: None, NaN, text that is not Unicode.
    """

    __slots__ = ("family", "value")
    family: Family
    value: Any

    def __new__(cls, value: Any) -> Constant:
        if value is None:
            raise InvalidValue("None means missing and is never equal; write ~it.name.exists() instead")
        if isinstance(value, list):
            value = tuple(value)
        family, plain = weigh(value)
        if family is Family.OTHER:
            _check_other(plain)
        elif family is Family.TEXT:
            _check_text(plain)
        return cls._of(family, plain)

    def get(self, message: Any, topic: str = "") -> Any:
        return self.value

    def __repr__(self) -> str:
        if isinstance(self.value, float) and self.value in (float("inf"), float("-inf")):
            return f"float('{self.value}')"
        return repr(self.value)


def _check_other(value: Any) -> None:
    if isinstance(value, float | Decimal):
        raise InvalidValue("NaN is never equal to anything, so a condition cannot ask for it")
    try:
        hash(value)
    except TypeError:
        raise InvalidType(
            f"a constant of type {type(value).__name__} cannot be hashed, so conditions cannot compare it; "
            "use a tuple, a frozen dataclass or a frozen Event"
        ) from None


def _check_text(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(f"text constant is not valid Unicode at position {error.start}") from None


class Attribute(Accessor):
    """An attribute of an object or a key of a mapping."""

    __slots__ = ("name", "of")
    name: str
    of: Accessor

    def __new__(cls, of: Accessor, name: str) -> Attribute:
        if not name:
            raise InvalidValue("an attribute needs a name")
        _check_text(name)
        return cls._of(name, of)

    def get(self, message: Any, topic: str = "") -> Any:
        return read(self.of.get(message, topic), self.name)

    def __repr__(self) -> str:
        if self.name.isidentifier() and not self.name.startswith("_") and self.name not in RESERVED:
            return f"{base_text(self.of)}.{self.name}"
        return f"{base_text(self.of)}[{self.name!r}]"


class Item(Accessor):
    """An element of a sequence, by position."""

    __slots__ = ("index", "of")
    index: int
    of: Accessor

    def __new__(cls, of: Accessor, index: int) -> Item:
        if type(index) is not int:
            raise InvalidType(f"it[...] takes a name or a whole number, not {type(index).__name__}")
        return cls._of(index, of)

    def get(self, message: Any, topic: str = "") -> Any:
        return element(self.of.get(message, topic), self.index)

    def __repr__(self) -> str:
        return f"{base_text(self.of)}[{self.index}]"


Arguments = Sequence[Any] | None


class Invoke(Accessor):
    """A method call, the papers' accessor: by name or by function, with arguments, nested to any depth.

    >>> Invoke("getText")                                   # it.getText()
    >>> Invoke("/getText/find", [[], ["me"]])               # it.getText().find("me")
    >>> Invoke(Invoke("getText"), "find", ["me"])           # the same value
    >>> Invoke(ChatMsg.getText)                             # by function: local to this process

    A name that turns out to be plain data (a field, a key) yields that data when there are no arguments, so
    the paper's `/sender` works on messages that have getters and on messages that have fields.
    """

    __slots__ = ("arguments", "method", "of")
    arguments: tuple[Accessor, ...]
    method: str | Callable[..., Any]
    of: Accessor

    def __new__(cls, *form: Any) -> Invoke:
        """Take (method[, arguments]) or (nested accessor, method[, arguments])."""
        of: Accessor = MESSAGE
        if form and (nested := as_accessor(form[0])) is not None:
            of, form = nested, form[1:]
        if not 1 <= len(form) <= 2:
            raise InvalidType("Invoke takes ([nested accessor,] method name or function [, arguments])")
        method, arguments = form[0], form[1] if len(form) == 2 else None
        if isinstance(method, str):
            return cls._path(of, method, arguments)
        if not callable(method):
            raise InvalidType(f"Invoke calls a method by name or a function, not {type(method).__name__}")
        return cls._of(_arguments(arguments), method, of)

    @classmethod
    def _path(cls, of: Accessor, path: str, arguments: Arguments) -> Invoke:
        names = path_names(path)
        if not names:
            raise InvalidValue("Invoke needs at least one method name")
        accessor = of
        for name, args in zip(names, _argument_lists(names, arguments), strict=True):
            check_public(name)
            accessor = cls._of(_arguments(args), name, accessor)
        return cast("Invoke", accessor)

    def get(self, message: Any, topic: str = "") -> Any:
        target = self.of.get(message, topic)
        if target is None:
            return None
        arguments = [argument.get(message, topic) for argument in self.arguments]
        return None if None in map(_presence, arguments) else call(target, self.method, arguments)

    def __repr__(self) -> str:
        if callable(self.method):
            return f"Invoke({self.of!r}, {self.method!r}, {list(self.arguments)!r})"
        return f"{Attribute(self.of, self.method)!r}({', '.join(map(repr, self.arguments))})"


class Arithmetic(Accessor):
    """A sum, difference, product or quotient of numbers; anything else makes it missing."""

    __slots__ = ("left", "operator", "right")
    left: Accessor
    operator: str
    right: Accessor

    def __new__(cls, left: Accessor, operator: str, right: Accessor) -> Arithmetic:
        if operator not in OPERATIONS:
            raise InvalidValue(f"arithmetic in conditions is + - * /, not {operator!r}")
        for side in (left, right):
            if isinstance(side, Constant) and side.family is not Family.NUMBER:
                raise InvalidType(f"cannot calculate with {side!r}: arithmetic in conditions is for numbers")
        return cls._of(left, operator, right)

    def get(self, message: Any, topic: str = "") -> Any:
        return OPERATIONS[self.operator](self.left.get(message, topic), self.right.get(message, topic))

    def __repr__(self) -> str:
        mine = _PRECEDENCE[self.operator]
        left = _operand(self.left, mine)
        right = _operand(self.right, mine + 1)
        return f"{left} {self.operator} {right}"


def read(target: Any, name: str) -> Any:
    """Return a mapping's key or an object's public data attribute; None if there is none."""
    if isinstance(target, Mapping):
        return _looked_up(target, name)
    if target is None or name.startswith("_"):
        return None
    try:
        value = getattr(target, name)
    except Exception:  # noqa: BLE001  whatever a property raises, the attribute is missing (A12)
        return None
    return read_value(value)


def read_value(value: Any) -> Any:
    """Return what was read unless it is a method: reading is not calling."""
    return None if type(value) in ROUTINES else value


def element(target: Any, index: int) -> Any:
    """Return the element of a sequence at a position, or of a mapping under a number; None if none."""
    if target is None:
        return None
    try:
        return target[index]
    except Exception:  # noqa: BLE001  out of range, not a sequence, or a raising __getitem__: missing (A12)
        return None


def call(target: Any, method: str | Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a method by name or by function; None if there is none, it does not fit or it raises."""
    try:
        if not isinstance(method, str):
            return settled(method(target, *arguments))
        if not arguments and isinstance(target, Mapping):
            return _looked_up(target, method)
        member = getattr(target, method)
        if callable(member):
            return settled(member(*arguments))
    except Exception:  # noqa: BLE001  a missing method, a wrong signature, a raising method: missing (A12)
        return None
    return None if arguments else member


def hidden_data(target: Any, name: str) -> Any:
    """Return data that an instance put in the place of a method of its class; None if there is none."""
    value = getattr(target, "__dict__", {}).get(name)
    return None if callable(value) else value


def settled(result: Any) -> Any:
    """Return what a method returned unless it is a coroutine: there is nobody to await it."""
    if isinstance(result, CoroutineType):
        result.close()
        return None
    return result


def _looked_up(target: Mapping[str, Any], name: str) -> Any:
    try:
        return target[name]
    except Exception:  # noqa: BLE001  a mapping of a user's own may raise what it likes: missing (A12)
        return None


def _presence(value: Any) -> bool | None:
    return None if value is None else True


def _calculated(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def calculate(left: Any, right: Any) -> Any:
        """Apply the operation to two numbers; missing for anything else, for overflow and for x / 0."""
        if left is None or right is None:
            return None
        left_family, a = weigh(left)
        right_family, b = weigh(right)
        if left_family is not Family.NUMBER or right_family is not Family.NUMBER:
            return NAN if _is_nan(left) or _is_nan(right) else None
        try:
            if isinstance(a, Decimal) != isinstance(b, Decimal) and float in (type(a), type(b)):
                a, b = float(a), float(b)
            return operation(a, b)
        except ArithmeticError:
            return None

    return calculate


def _is_nan(value: Any) -> bool:
    return isinstance(value, float | Decimal) and number(value) != number(value)


OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": _calculated(lambda a, b: a + b),
    "-": _calculated(lambda a, b: a - b),
    "*": _calculated(lambda a, b: a * b),
    "/": _calculated(lambda a, b: a / b),
}


def as_accessor(value: Any) -> Accessor | None:
    """Return the accessor behind a value (an accessor, or a term built from `it`); None for anything else."""
    if isinstance(value, Accessor):
        return value
    accessor = getattr(type(value), "_accessor_of", None)
    return cast("Accessor", accessor(value)) if accessor is not None else None


def operand(value: Any) -> Accessor:
    """Return an accessor for anything that may stand in a comparison: a term, an accessor or a constant."""
    accessor = as_accessor(value)
    return Constant(value) if accessor is None else accessor


def path_names(path: str) -> list[str]:
    """Split the papers' URL-like path of method names; a leading slash is optional."""
    stripped = path.strip("/")
    names = stripped.split("/") if stripped else []
    if "" in names:
        raise InvalidValue(f"empty name in the path {path!r}")
    return names


def check_public(name: str) -> None:
    """Refuse names that start with an underscore: conditions see what an event shows, not what it hides."""
    if name.startswith("_"):
        raise InvalidValue(f"{name!r} is private; conditions reach public attributes and methods only")


def _argument_lists(names: Sequence[str], arguments: Arguments) -> Sequence[Arguments]:
    if arguments is None:
        return [None] * len(names)
    lists = all(entry is None or isinstance(entry, list | tuple) for entry in arguments)
    if len(names) == 1 and not (lists and arguments):
        return [arguments]
    if not lists or len(names) != len(arguments):
        raise InvalidValue(
            f"{len(names)} method names need {len(names)} argument lists, one for each, not {arguments!r}"
        )
    return list(arguments)


def _arguments(values: Arguments) -> tuple[Accessor, ...]:
    return tuple(operand(value) for value in values or ())


def base_text(of: Accessor) -> str:
    """Return the text of an accessor so that a further step can be written after it."""
    return f"({of!r})" if isinstance(of, Arithmetic | Constant) else repr(of)


def _operand(side: Accessor, precedence: int) -> str:
    inner = isinstance(side, Arithmetic) and _PRECEDENCE[side.operator] < precedence
    return f"({side!r})" if inner else repr(side)


RESERVED: Final = frozenset({"between", "contains", "endswith", "exists", "is_a", "is_in", "like", "startswith"})
"""Names that a term of `it` uses for its own tests; an attribute so called is written `it["like"]`."""
