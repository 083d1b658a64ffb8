"""Reaching into live objects: the only place where a condition touches what an event is made of.

Every function here answers None, *missing*, for whatever goes wrong, and goes by the class of an object, not by what
the object says its class is. What they refuse to touch is what keeps a condition from elsewhere inside the event:

- Reading never calls a method, never makes a mapping invent a value, and never enters modules, classes or frames; a
  name that starts with an underscore is only ever looked up in a mapping.
- A call by one of the names in `SCALAR_METHODS` reaches text, bytes, numbers and times only, whoever asks: these are
  what a condition from elsewhere may call, and it must not reach a method of the event's own class that happens to be
  called `find`. (Local code can still call that one by function.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any, Final

from msgspec import UNSET

from rostra.defaults import CALCULATED_BITS
from rostra.model.values import NAN, ROUTINES, Family, is_exact, number, weigh

SCALAR_METHODS: Final[Mapping[str, int]] = {
    "casefold": 0, "endswith": 1, "find": 3, "isalnum": 0, "isalpha": 0, "isascii": 0, "isdecimal": 0, "isdigit": 0,
    "islower": 0, "isnumeric": 0, "isoformat": 0, "isoweekday": 0, "isspace": 0, "isupper": 0, "lower": 0, "lstrip": 0,
    "removeprefix": 1, "removesuffix": 1, "rstrip": 0, "startswith": 1, "strip": 0, "total_seconds": 0, "upper": 0,
    "weekday": 0,
}  # fmt: skip
"""Methods of scalars that a condition from elsewhere may call, with the most arguments they may get.

All are pure, take linear time and return at most three times what they were given. What takes quadratic time
(`rfind`, `strip` with characters) or grows its input at will (`replace`, `zfill`, `format`) is not here.
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
    return None if arguments else read_value(member)


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
    if issubclass(type(result), CoroutineType):
        result.close()
        return None
    return result


def _calculated(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def calculate(left: Any, right: Any) -> Any:
        """Apply the operation to two numbers; missing for anything else, for huge ones, overflow and x / 0."""
        if left is None or right is None:
            return None
        left_family, a = weigh(left)
        right_family, b = weigh(right)
        if left_family is not Family.NUMBER or right_family is not Family.NUMBER:
            return NAN if _is_nan(left) or _is_nan(right) else None
        if _is_huge(a) or _is_huge(b):
            return None
        try:
            if isinstance(a, Decimal) != isinstance(b, Decimal) and float in (type(a), type(b)):
                a, b = float(a), float(b)
            return operation(a, b)
        except ArithmeticError:
            return None

    return calculate


def _is_huge(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > CALCULATED_BITS


def _is_nan(value: Any) -> bool:
    return issubclass(type(value), float | Decimal) and number(value) is NAN


OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": _calculated(lambda a, b: a + b),
    "-": _calculated(lambda a, b: a - b),
    "*": _calculated(lambda a, b: a * b),
    "/": _calculated(lambda a, b: a / b),
}
