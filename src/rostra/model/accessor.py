"""Accessors: how a condition reaches into a message.

An accessor is a chain that starts at the message (`Message`) and takes steps: an attribute or key, an item, a
method call, arithmetic. `get(message, topic)` walks the chain; `rostra.model.reach` is what it touches on the way,
and what it does not. Whatever goes wrong, a missing attribute, a wrong signature, a method that raises, the answer is
`None`, *missing*, never an error (A12): a subscriber's mistake must not become the publisher's problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from keyword import iskeyword
from typing import Any, Final, cast, overload

from rostra.defaults import CONSTANT_BITS
from rostra.errors import InvalidType, InvalidValue
from rostra.model.node import Node
from rostra.model.reach import OPERATIONS, call, element, read
from rostra.model.values import NAN, Family, identity, number, weigh

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
        return _exactly(self.value)

    def get(self, message: Any, topic: str = "") -> Any:
        return self.value

    def __repr__(self) -> str:
        return literal_text(self.value)


def _exactly(value: Any) -> Any:
    """Return what tells a literal from every other, also from those that equal it: 1.0, 1.00 and True are not 1."""
    match value:
        case float() | Decimal():
            return type(value), str(value)
        case datetime():
            return type(value), value.isoformat(), value.fold, str(value.tzinfo)
        case tuple():
            return type(value), *map(_exactly, value)
    return type(value), value


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
        _check_constant(index)
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
