"""Accessors: how a condition reaches into a message.

An accessor is a chain that starts at the message (`Message`) and takes steps: an attribute or key, an item, a
method call, arithmetic. `get(message, topic)` walks the chain. Whatever goes wrong on the way, a missing
attribute, a wrong signature, a method that raises, the answer is `None`, *missing*, never an error (A12):
a subscriber's mistake must not become the publisher's problem.

What a step may touch:

- `Attribute` reads data: a key of a mapping, otherwise an attribute. It never calls a method, never makes a mapping
  invent a value, and never enters modules, classes or frames; a name that starts with an underscore is only ever
  looked up in a mapping. So a condition from elsewhere that is made of attributes can only read what the event shows.
- `Invoke` calls a method with arguments. The names in `SCALAR_METHODS` are for text, bytes, numbers and times only,
  whoever asks: these are what a condition from elsewhere may call, and it must not reach a method of the event's own
  class that happens to be called `find`. (Local code can still call that one by function.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from keyword import iskeyword
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any, Final, cast, overload

from msgspec import UNSET

from rostra.defaults import CONSTANT_BITS
from rostra.errors import InvalidType, InvalidValue
from rostra.model.node import Node
from rostra.model.values import NAN, ROUTINES, Family, identity, is_exact, number, weigh

SCALAR_METHODS: Final[Mapping[str, int]] = {
    "casefold": 0, "endswith": 1, "find": 3, "isalnum": 0, "isalpha": 0, "isascii": 0, "isdecimal": 0, "isdigit": 0,
    "islower": 0, "isnumeric": 0, "isoformat": 0, "isoweekday": 0, "isspace": 0, "isupper": 0, "lower": 0, "lstrip": 0,
    "removeprefix": 1, "removesuffix": 1, "rstrip": 0, "startswith": 1, "strip": 0, "total_seconds": 0, "upper": 0,
    "weekday": 0,
}  # fmt: skip
"""Methods of scalars that a condition from elsewhere may call, with the most arguments they may get.

All are pure, take linear time and return no more than they were given. What takes quadratic time (`rfind`, `strip`
with characters) or grows its input (`replace`, `zfill`, `format`) is not here.
"""

NOT_DATA: Final = (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    GeneratorType,
    ModuleType,
    TracebackType,
    type,
    *ROUTINES,
)
"""What is not data: reading attributes of these would lead out of the event."""

_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2}


class Accessor(Node):
    """Something that yields a part of a message, or None if the message has no such part."""

    __slots__ = ()

    @property
    def is_code(self) -> bool:
        """Whether this step runs a function of this process, so that it cannot be written down."""
        return False

    def get(self, message: Any, topic: str = "") -> Any:
        """Return the part of the message that this accessor names, None if it is missing."""
        raise NotImplementedError

    def inner(self) -> tuple[Accessor, ...]:
        """Return the accessors that this one builds on: if one of them is missing, so is this."""
        return ()

    def chain(self) -> Iterator[Accessor]:
        """Yield this accessor and all those it builds on."""
        yield self
        for accessor in self.inner():
            yield from accessor.chain()


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
    """What a value is compared with, by family and value: `True` is not `1`, `1` equals `1.0` (A13).

    Raises InvalidValue for what no comparison can be true of: None, NaN, text that is not Unicode.
    """

    __slots__ = ("family", "value")
    family: Family
    value: Any

    def __new__(cls, value: Any) -> Constant:
        if value is None:
            raise InvalidValue("nothing equals None, which means missing: use exists() to ask whether there is a value")
        if type(value) is list:
            value = tuple(value)
        family, plain = weigh(value)
        _check_constant(plain)
        return cls._of(family, plain)

    def _key(self) -> Any:
        return self.family, identity(self.value) if self.family is Family.OTHER else self.value

    def get(self, message: Any, topic: str = "") -> Any:
        return self.value

    def __repr__(self) -> str:
        return literal_text(self.value)


class Literal(Accessor):
    """An argument of a method, or a number in a calculation: the very value that was written, type and all.

    `it.x * 1` and `it.x * 1.0` calculate differently, so they are different accessors.
    """

    __slots__ = ("value",)
    value: Any

    def __new__(cls, value: Any) -> Literal:
        if value is not None:
            _check_constant(value)
        return cls._of(value)

    def _key(self) -> Any:
        return type(self.value), self.value, repr(self.value) if isinstance(self.value, float) else None

    def get(self, message: Any, topic: str = "") -> Any:
        return self.value

    def __repr__(self) -> str:
        return literal_text(self.value)


def _check_constant(value: Any) -> None:
    """Refuse what cannot be compared, kept as a key, or written down."""
    try:
        hash(value)
    except TypeError:
        raise InvalidType(
            f"a constant of type {type(value).__name__} cannot be hashed, so conditions cannot compare it; "
            "use a tuple, a frozen dataclass or a frozen Event"
        ) from None
    match value:
        case bool():
            return
        case str():
            _check_text(value)
        case int() if value.bit_length() > CONSTANT_BITS:
            raise InvalidValue(f"a whole number in a condition may have {CONSTANT_BITS} bits")
        case float() | Decimal() if number(value) is NAN:
            raise InvalidValue("NaN is never equal to anything, so a condition cannot ask for it")
        case datetime() if weigh(value)[0] is not Family.TIME:
            raise InvalidValue(f"{value!r} is out of the range of instants that can be named in UTC")
        case tuple():
            for element in value:
                if element is not None:
                    _check_constant(element)


def _check_text(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(f"text in a condition is not valid Unicode at position {error.start}") from None


def literal_text(value: Any) -> str:
    """Return a constant as Python that evaluates to it; `repr` writes infinities so that they do not."""
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f"float('{value}')"
    if type(value) is tuple:
        return f"({', '.join(map(literal_text, value))}{',' * (len(value) == 1)})"
    return repr(value)


class Attribute(Accessor):
    """An attribute of an object or a key of a mapping."""

    __slots__ = ("name", "of")
    name: str
    of: Accessor

    def __new__(cls, of: Any, name: str) -> Attribute:
        if not isinstance(name, str) or not name:
            raise InvalidType(f"an attribute is named by a text, not by {name!r}")
        _check_text(name)
        return cls._of(name, base(of))

    def get(self, message: Any, topic: str = "") -> Any:
        return read(self.of.get(message, topic), self.name)

    def inner(self) -> tuple[Accessor, ...]:
        return (self.of,)

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.{self.name}" if _is_plain(self.name) else f"{base_text(self.of)}[{self.name!r}]"


def _is_plain(name: str) -> bool:
    """Say whether a name can be written after a dot: Python would read others, or itself, as something else."""
    if name.startswith("_") or name in RESERVED or iskeyword(name):
        return False
    return name.isidentifier() and name.isascii()


class Item(Accessor):
    """An element of a sequence, by position."""

    __slots__ = ("index", "of")
    index: int
    of: Accessor

    def __new__(cls, of: Any, index: int) -> Item:
        if type(index) is not int:
            raise InvalidType(f"it[...] takes a name or a whole number, not {type(index).__name__}")
        return cls._of(index, base(of))

    def get(self, message: Any, topic: str = "") -> Any:
        return element(self.of.get(message, topic), self.index)

    def inner(self) -> tuple[Accessor, ...]:
        return (self.of,)

    def __repr__(self) -> str:
        return f"{base_text(self.of)}[{self.index}]"


Arguments = Sequence[Any] | None


class Invoke(Accessor):
    """A method call, the papers' accessor: by name or by function, with arguments, nested to any depth.

        Invoke("getText")                                   # it.getText()
        Invoke("/getText/find", [[], ["me"]])               # it.getText().find("me")
        Invoke(Invoke("getText"), "find", ["me"])           # the same value
        Invoke(ChatMsg.getText)                             # by function: local to this process

    A name that turns out to be plain data (a field, a key) yields that data when there are no arguments, so
    the paper's `/sender` works on messages that have getters and on messages that have fields.
    """

    __slots__ = ("arguments", "method", "of")
    arguments: tuple[Accessor, ...]
    method: str | Callable[..., Any]
    of: Accessor

    @overload
    def __new__(cls, method: str | Callable[..., Any], arguments: Arguments = None, /) -> Invoke: ...

    @overload
    def __new__(cls, of: Any, method: str | Callable[..., Any], arguments: Arguments = None, /) -> Invoke: ...

    def __new__(cls, *form: Any) -> Invoke:
        """Take (method[, arguments]) or (nested accessor, method[, arguments])."""
        of: Accessor = MESSAGE
        if form and as_accessor(form[0]) is not None:
            of, form = base(form[0]), form[1:]
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
            accessor = cls.method_call(accessor, name, args)
        return cast("Invoke", accessor)

    @classmethod
    def method_call(cls, of: Accessor, name: str, arguments: Arguments) -> Invoke:
        """Return the call of one method, with its arguments as they are."""
        check_public(name)
        return cls._of(_arguments(arguments), name, of)

    def get(self, message: Any, topic: str = "") -> Any:
        target = self.of.get(message, topic)
        if target is None:
            return None
        arguments = []
        for argument in self.arguments:
            value = argument.get(message, topic)
            if value is None and not isinstance(argument, Literal):
                return None
            arguments.append(value)
        return call(target, self.method, arguments)

    @property
    def is_code(self) -> bool:
        return callable(self.method)

    def inner(self) -> tuple[Accessor, ...]:
        return (self.of, *(argument for argument in self.arguments if not isinstance(argument, Literal)))

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

    def __new__(cls, left: Any, operator: str, right: Any) -> Arithmetic:
        if operator not in OPERATIONS:
            raise InvalidValue(f"arithmetic in conditions is + - * /, not {operator!r}")
        sides = argument(left), argument(right)
        if all(isinstance(side, Literal) for side in sides):
            raise InvalidType("a calculation needs a part of the message; calculate constants beforehand")
        for side in sides:
            if isinstance(side, Literal) and (side.value is None or weigh(side.value)[0] is not Family.NUMBER):
                raise InvalidType(f"cannot calculate with {side!r}: arithmetic in conditions is for numbers")
        return cls._of(sides[0], operator, sides[1])

    def get(self, message: Any, topic: str = "") -> Any:
        return OPERATIONS[self.operator](self.left.get(message, topic), self.right.get(message, topic))

    def inner(self) -> tuple[Accessor, ...]:
        return tuple(side for side in (self.left, self.right) if not isinstance(side, Literal))

    def __repr__(self) -> str:
        mine = _PRECEDENCE[self.operator]
        left = _operand(self.left, mine)
        right = _operand(self.right, mine + 1)
        return f"{left} {self.operator} {right}"


def read(target: Any, name: str) -> Any:
    """Return a mapping's key or an object's public data attribute; None if there is none."""
    if is_mapping(type(target)):
        return looked_up(target, name)
    if target is None or name.startswith("_") or issubclass(type(target), NOT_DATA):
        return None
    try:
        return read_value(getattr(target, name))
    except Exception:  # noqa: BLE001  whatever a property raises, the attribute is missing (A12)
        return None


def read_value(value: Any) -> Any:
    """Return what was read unless it is a method, since reading is not calling, or a field that was never set."""
    return None if value is UNSET or issubclass(type(value), ROUTINES) else value


def looked_up(mapping: Any, key: Any) -> Any:
    """Return what a mapping holds under a key; None if nothing, without giving it a chance to make something up."""
    try:
        if isinstance(mapping, dict):
            return dict.get(mapping, key)
        return mapping[key] if key in mapping else None  # noqa: SIM401  a get of its own may make something up
    except Exception:  # noqa: BLE001  a mapping of a user's own may raise what it likes: missing (A12)
        return None


def is_mapping(cls: type) -> bool:
    """Say whether instances of a class are mappings, by the class alone: an instance may lie about its class."""
    try:
        return issubclass(cls, dict) or issubclass(cls, Mapping)
    except TypeError:  # a metaclass that cannot be hashed
        return False


def element(target: Any, index: int) -> Any:
    """Return the element of a sequence at a position, or what a mapping holds under a number; None if nothing."""
    if is_mapping(type(target)):
        return looked_up(target, index)
    try:
        return target[index] if issubclass(type(target), Sequence) else None
    except Exception:  # noqa: BLE001  out of range, or a raising __getitem__: missing (A12)
        return None


def call(target: Any, method: str | Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call a method by name or by function; None if there is none, it does not fit or it raises."""
    try:
        if not isinstance(method, str):
            return settled(method(target, *arguments))
        if not arguments and is_mapping(type(target)):
            return looked_up(target, method)
        member = getattr(_scalar(target) if method in SCALAR_METHODS else target, method)
        if callable(member):
            return settled(member(*arguments))
    except Exception:  # noqa: BLE001  a missing method, a wrong signature, a raising method: missing (A12)
        return None
    return None if arguments else member


def _scalar(target: Any) -> Any:
    """Return a scalar as it is, an instance of a subclass as the plain scalar; None for anything else."""
    if is_exact(target):
        return target
    family, plain = weigh(target)
    return None if family is Family.OTHER else plain


def hidden_data(target: Any, name: str) -> Any:
    """Return data that an instance put in the place of a method of its class; None if there is none."""
    try:
        value = object.__getattribute__(target, "__dict__").get(name)
    except Exception:  # noqa: BLE001  no place to put data in
        return None
    return None if callable(value) else value


def settled(result: Any) -> Any:
    """Return what a method returned unless it is a coroutine: there is nobody to await it."""
    if isinstance(result, CoroutineType):
        result.close()
        return None
    return result


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
    return issubclass(type(value), float | Decimal) and number(value) is NAN


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
    """Return an accessor for the right side of a comparison: a term, an accessor or a constant."""
    accessor = as_accessor(value)
    if isinstance(accessor, Literal):
        return Constant(accessor.value)
    return Constant(value) if accessor is None else accessor


def argument(value: Any) -> Accessor:
    """Return an accessor for a side of a calculation or an argument of a method: a term, an accessor or a literal."""
    accessor = as_accessor(value)
    if isinstance(accessor, Constant):
        return Literal(accessor.value)
    return Literal(value) if accessor is None else accessor


def base(value: Any) -> Accessor:
    """Return the accessor that a step starts from, which must be a part of the message."""
    accessor = as_accessor(value)
    if accessor is None or isinstance(accessor, Constant | Literal):
        raise InvalidType(f"a condition is about a part of the message, such as it.price, not about {value!r}")
    return accessor


def path_names(path: str) -> list[str]:
    """Split the papers' URL-like path of method names; a leading slash is optional."""
    stripped = path.strip("/")
    names = stripped.split("/") if stripped else []
    if "" in names:
        raise InvalidValue(f"empty name in the path {path!r}")
    return names


def check_public(name: str) -> None:
    """Refuse names that start with an underscore: conditions see what an event shows, not what it hides."""
    if "." in name:
        raise InvalidValue(f"{name!r} is no method; reach nested attributes with it.{name}")
    if name.startswith("_"):
        raise InvalidValue(f"{name!r} is private; conditions reach public attributes and methods only")


def _argument_lists(names: Sequence[str], arguments: Arguments) -> Sequence[Arguments]:
    if arguments is None:
        return [None] * len(names)
    if not isinstance(arguments, list | tuple):
        raise InvalidType(f"arguments are given as a list, [{arguments!r}], not as {arguments!r}")
    lists = all(entry is None or isinstance(entry, list | tuple) for entry in arguments)
    if len(names) == 1 and not (lists and arguments):
        return [arguments]
    if not lists or len(names) != len(arguments):
        raise InvalidValue(
            f"{len(names)} method names need {len(names)} argument lists, one for each, not {arguments!r}"
        )
    return list(arguments)


def _arguments(values: Arguments) -> tuple[Accessor, ...]:
    return tuple(argument(value) for value in values or ())


def base_text(of: Accessor) -> str:
    """Return the text of an accessor so that a further step can be written after it."""
    return f"({of!r})" if isinstance(of, Arithmetic) else repr(of)


def _operand(side: Accessor, precedence: int) -> str:
    inner = isinstance(side, Arithmetic) and _PRECEDENCE[side.operator] < precedence
    return f"({side!r})" if inner else repr(side)


RESERVED: Final = frozenset({"between", "contains", "endswith", "exists", "is_a", "is_in", "like", "startswith"})
"""Names that a term of `it` uses for its own tests; an attribute so called is written `it["like"]`."""
