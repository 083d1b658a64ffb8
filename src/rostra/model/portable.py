r"""Conditions as JSON, and back, for the wire, the log and the configuration file.

The form is small and readable: `(it.price < 100) & it.text.find("me") != -1` is

    {"and": [{"lt": [{"it": ["price"]}, 100]}, {"ne": [{"it": ["text", ["find", "me"]]}, -1]}]}

A step of a chain is a name (attribute), a number (item) or `[method, argument, ...]`. Constants that JSON
lacks are written `{"decimal": "1.10"}`, `{"time": "2026-01-01T00:00:00+00:00"}`, `{"bytes": "<base64>"}`,
`{"duration": <microseconds>}`, `{"float": "inf"}`.

Reading trusts nothing: size, depth and number of tests are bounded (`rostra.defaults`), names that start with
an underscore are refused, and only `SCALAR_METHODS`, plus the ones the caller names, may be called.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any, Final, NoReturn, TypeVar

from rostra import defaults
from rostra.errors import Forbidden, InvalidType, LimitExceeded, Malformed, NotPortable, RostraError
from rostra.model import like
from rostra.model.accessor import (
    MESSAGE,
    Accessor,
    Arithmetic,
    Attribute,
    Constant,
    Invoke,
    Item,
    Literal,
    Message,
)
from rostra.model.comparison import (
    Comparison,
    Equals,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEquals,
    OneOf,
    compare,
)
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Opaque, Or
from rostra.model.presence import Exists, InstanceOf
from rostra.model.reach import OPERATIONS, SCALAR_METHODS
from rostra.model.text import Contains, Like, Prefix, Suffix
from rostra.model.values import Family, is_exact, weigh

_COMPARISONS: Final[dict[str, type[Comparison]]] = {
    "eq": Equals, "ne": NotEquals, "lt": Less, "le": LessEqual, "gt": Greater, "ge": GreaterEqual,
}  # fmt: skip
_COMPARISON_TAGS: Final = {cls: tag for tag, cls in _COMPARISONS.items()}
_MICROSECOND: Final = timedelta(microseconds=1)
Built = TypeVar("Built")


def is_portable(condition: Condition) -> bool:
    """Say whether the condition can be written as JSON that any reader accepts."""
    try:
        from_json(to_json(condition))
    except RostraError:
        return False
    return True


def to_json(condition: Condition) -> str:
    """Return the condition as compact JSON; NotPortable names the part that is code or a local object."""
    return json.dumps(_written(condition), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_json(text: str | bytes, *, methods: Collection[str] = ()) -> Condition:
    """Return the condition that a JSON text says.

    `methods` names methods of your own event classes that the text may call beside the harmless ones of text,
    numbers and dates. Raises Malformed, LimitExceeded or Forbidden, each saying where and why.
    """
    if not isinstance(text, str | bytes):
        raise InvalidType(f"from_json reads text or bytes, not {type(text).__name__}")
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > defaults.CONDITION_BYTES:
        raise LimitExceeded(f"a condition of {size} bytes is over the limit of {defaults.CONDITION_BYTES}")
    try:
        data = json.loads(text, parse_constant=_no_such_number, object_pairs_hook=_object)
    except RecursionError:
        raise _too_deep() from None
    except (ValueError, UnicodeDecodeError) as error:
        raise Malformed(f"a condition must be JSON: {error}") from None
    return _Reader(frozenset(methods)).condition(data, defaults.NESTING)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def _too_deep() -> LimitExceeded:
    return LimitExceeded(f"a condition from elsewhere may be nested {defaults.NESTING} deep")


def _no_such_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def _written(condition: Condition) -> Any:
    match condition:
        case Always():
            return True
        case Never():
            return False
        case And() | Or():
            tag = "and" if isinstance(condition, And) else "or"
            return {tag: [_written(part) for part in condition.parts()]}
        case Not(condition=inner_condition):
            return {"not": _written(inner_condition)}
        case IsTrue(condition=inner_condition):
            return {"true": _written(inner_condition)}
        case Opaque(code=code):
            raise NotPortable(f"{code!r} is code and stays in this process; write the condition with `it`")
    return _written_test(condition)


def _written_test(test: Condition) -> Any:
    match test:
        case Comparison(left=left, right=right):
            return {_COMPARISON_TAGS[type(test)]: [_written_accessor(left), _written_accessor(right)]}
        case OneOf(of=of):
            return {"in": [_written_accessor(of), [_written_constant(c) for c in test.constants()]]}
        case Prefix(of=of, text=text):
            return {"prefix": [_written_accessor(of), _written_constant(text)]}
        case Suffix(of=of, text=text):
            return {"suffix": [_written_accessor(of), _written_constant(text)]}
        case Contains(of=of, item=item):
            return {"contains": [_written_accessor(of), _written_constant(item)]}
        case Like(of=of, pattern=pattern):
            return {"like": [_written_accessor(of), like.text_of(pattern)]}
        case Exists(of=of):
            return {"exists": _written_accessor(of)}
        case InstanceOf(of=of, name=name):
            return {"is": [_written_accessor(of), name]}
    raise NotPortable(f"{type(test).__name__} has no JSON form; write the condition with `it`")


def _written_accessor(accessor: Accessor) -> Any:
    match accessor:
        case Constant():
            return _written_constant(accessor)
        case Literal(value=value):
            return _written_literal(value)
        case Arithmetic(left=left, operator=operator, right=right):
            return {operator: [_written_accessor(left), _written_accessor(right)]}
    steps: list[Any] = []
    while True:
        match accessor:
            case Attribute(name=name, of=of):
                steps.append(name)
            case Item(index=index, of=of):
                steps.append(index)
            case Invoke(method=str(method), of=of, arguments=arguments):
                steps.append([method, *map(_written_accessor, arguments)])
            case Message():
                return {"it": steps[::-1]}
            case Arithmetic():
                return {"it": steps[::-1], "of": _written_accessor(accessor)}
            case _:
                raise NotPortable(f"{accessor!r} calls a function of this process; call a method by name")
        accessor = of


def _written_literal(value: Any) -> Any:
    """Write an argument so that it comes back as the very value it is: a date is no datetime, nor is 1 a 1.0."""
    if value is None:
        return value
    if type(value) is date:
        return {"date": value.isoformat()}
    if type(value) is datetime and value.tzinfo not in (None, UTC):
        raise NotPortable(f"the argument {value!r} has a time zone of this process; use UTC")
    if not is_exact(value):
        raise NotPortable(f"the argument {value!r} is an object of this process; use plain numbers, text and times")
    return _written_scalar(weigh(value)[0], value)


def _written_constant(constant: Constant) -> Any:
    return _written_scalar(constant.family, constant.value)


def _written_scalar(family: Family, value: Any) -> Any:
    match family:
        case Family.TEXT | Family.BOOL:
            return value
        case Family.NUMBER if isinstance(value, Decimal):
            return {"decimal": str(value)}
        case Family.NUMBER:
            return {"float": str(value)} if value in (float("inf"), float("-inf")) else value
        case Family.BYTES:
            return {"bytes": b64encode(value).decode()}
        case Family.TIME:
            return {"time": value.isoformat()}
        case Family.DURATION:
            return {"duration": value // _MICROSECOND}
    raise NotPortable(f"the constant {value!r} is an object of this process; compare its attributes instead")


class _Reader:
    """Reads conditions from parsed JSON, counting what it has read."""

    def __init__(self, methods: Collection[str]) -> None:
        self._methods = methods
        self._tests = self._calls = 0

    def condition(self, data: Any, depth: int) -> Condition:
        if depth <= 0:
            raise _too_deep()
        if isinstance(data, bool):
            return Always() if data else Never()
        tag, body = _single(data, "a condition")
        match tag:
            case "and" | "or":
                parts = [self.condition(part, depth - 1) for part in _list(body, tag)]
                return And(*parts) if tag == "and" else Or(*parts)
            case "not":
                return Not(self.condition(body, depth - 1))
            case "true":
                return IsTrue(self.condition(body, depth - 1))
        return self._test(tag, body, depth - 1)

    def _test(self, tag: str, body: Any, depth: int) -> Condition:
        self._tests += 1
        if self._tests > defaults.CONDITION_PREDICATES:
            raise LimitExceeded(f"a condition may hold {defaults.CONDITION_PREDICATES} tests")
        if tag == "exists":
            return Exists(self._accessor(body, depth))
        if tag not in _COMPARISONS and tag not in _TESTS:
            raise Malformed(f"{tag!r} is not a condition; known are {', '.join(_KNOWN)}")
        left, right = _list(body, tag, 2)
        accessor = self._accessor(left, depth)
        if tag in _COMPARISONS:
            return _checked(compare, _COMPARISONS[tag], accessor, self._operand(right, depth))
        return _checked(_TESTS[tag], accessor, right)

    def _operand(self, data: Any, depth: int) -> Accessor:
        return self._accessor(data, depth) if _is_accessor(data) else _checked(lambda: Constant(_scalar(data)))

    def _argument(self, data: Any, depth: int) -> Accessor:
        return (
            self._accessor(data, depth) if _is_accessor(data) else _checked(lambda: Literal(_scalar(data, none=True)))
        )

    def _accessor(self, data: Any, depth: int) -> Accessor:
        if depth <= 0:
            raise _too_deep()
        if not _is_accessor(data):
            raise Malformed(
                f'a condition is about a part of the message, such as {{"it":["price"]}}, not {_short(data)}'
            )
        if "it" in data:
            return self._chain(data, depth)
        tag, body = _single(data, "a calculation")
        left, right = (self._argument(side, depth - 1) for side in _list(body, tag, 2))
        return _checked(Arithmetic, left, tag, right)

    def _chain(self, data: dict[str, Any], depth: int) -> Accessor:
        if data.keys() - {"it", "of"}:
            raise Malformed(f"an accessor has only 'it' and 'of', not {sorted(data.keys() - {'it', 'of'})}")
        steps = _list(data["it"], "it")
        if len(steps) > depth:
            raise _too_deep()
        accessor: Accessor = self._accessor(data["of"], depth - 1) if "of" in data else MESSAGE
        for step in steps:
            accessor = self._step(accessor, step, depth - 1)
        return accessor

    def _step(self, of: Accessor, step: Any, depth: int) -> Accessor:
        match step:
            case str(name):
                _check_name(name)
                return _checked(Attribute, of, name)
            case bool():
                raise Malformed("a step is a name, a number or [method, arguments], not a truth value")
            case int(index):
                return _checked(Item, of, index)
            case [str(method), *arguments]:
                self._check_method(method, len(arguments))
                return Invoke._of(tuple(self._argument(a, depth - 1) for a in arguments), method, of)
        raise Malformed("a step is a name, a number or [method, arguments]")

    def _check_method(self, method: str, arguments: int) -> None:
        _check_name(method)
        self._calls += 1
        if self._calls > defaults.CONDITION_CALLS:
            raise LimitExceeded(f"a condition from elsewhere may call {defaults.CONDITION_CALLS} methods")
        if method not in self._methods and arguments > SCALAR_METHODS.get(method, -1):
            raise Forbidden(
                f"a condition from elsewhere may not call {method!r} like this; if you trust its source, "
                f"pass methods={{{method!r}}} to from_json"
            )


def _check_name(name: str) -> None:
    if name.startswith("_"):
        raise Forbidden(f"a condition from elsewhere may not read the private name {name!r}")


def _single(data: Any, what: str) -> tuple[str, Any]:
    if not isinstance(data, dict) or len(data) != 1:
        raise Malformed(f"{what} must be an object with exactly one key, not {_short(data)}")
    [(tag, body)] = data.items()
    return tag, body


def _list(data: Any, tag: str, length: int | None = None) -> list[Any]:
    if not isinstance(data, list) or (length is not None and len(data) != length):
        wanted = "a list" if length is None else f"a list of {length}"
        raise Malformed(f"{tag!r} needs {wanted}, not {_short(data)}")
    return data


def _short(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."


def _checked(build: Callable[..., Built], *arguments: Any) -> Built:
    """Build a node from foreign data; what a constructor refuses is the sender's fault, not the caller's."""
    try:
        return build(*arguments)
    except Malformed:
        raise
    except (RostraError, TypeError, ValueError, OverflowError) as error:
        raise Malformed(str(error)) from None


def _is_accessor(data: Any) -> bool:
    return isinstance(data, dict) and ("it" in data or bool(OPERATIONS.keys() & data.keys()))


def _scalar(data: Any, *, none: bool = False) -> Any:
    """Return the value that a constant says."""
    if isinstance(data, bool | int | float | str) or (none and data is None):
        return data
    if isinstance(data, dict):
        tag, body = _single(data, "a constant")
        if tag in _CONSTANTS:
            return _CONSTANTS[tag](body)
    raise Malformed(f"not a constant: {_short(data)}")


def _decimal(body: Any) -> Decimal:
    try:
        return Decimal(_text(body))
    except InvalidOperation:
        raise Malformed(f"not a decimal number: {_short(body)}") from None


def _infinity(body: Any) -> float:
    if body not in ("inf", "-inf"):
        raise Malformed(f"'float' is for inf and -inf only, not {_short(body)}")
    return float(body)


def _text(body: Any) -> str:
    if not isinstance(body, str):
        raise Malformed(f"text expected, not {_short(body)}")
    return body


def _instant(body: Any) -> datetime:
    """Read an instant; one with a zone comes in UTC, so that it can be written again."""
    instant = datetime.fromisoformat(_text(body))
    return instant if instant.tzinfo is None else instant.astimezone(UTC)


def _duration(body: Any) -> timedelta:
    if type(body) is not int:
        raise Malformed(f"a duration is a whole number of microseconds, not {_short(body)}")
    return body * _MICROSECOND


def _members(of: Accessor, values: Any) -> Condition:
    return OneOf(of, [_scalar(value) for value in _list(values, "in")])


def _affix(cls: Callable[..., Condition]) -> Callable[[Accessor, Any], Condition]:
    return lambda of, text: cls(of, _scalar(text))


_CONSTANTS: Final[dict[str, Callable[[Any], Any]]] = {
    "decimal": _decimal,
    "float": _infinity,
    "bytes": lambda body: b64decode(_text(body), validate=True),
    "time": _instant,
    "date": lambda body: date.fromisoformat(_text(body)),
    "duration": _duration,
}
_TESTS: Final[dict[str, Callable[[Accessor, Any], Condition]]] = {
    "in": _members,
    "prefix": _affix(Prefix),
    "suffix": _affix(Suffix),
    "contains": _affix(Contains),
    "like": lambda of, text: Like(of, _text(text), "\\"),
    "is": lambda of, name: InstanceOf(of, _text(name)),
}
_KNOWN: Final = ["and", "or", "not", "true", *_COMPARISONS, *_TESTS, "exists"]
