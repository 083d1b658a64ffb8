"""Values and their families: what may be compared with what.

A comparison is only meaningful within a *family*: numbers (`int`, `float`, `Decimal`; never `bool`), booleans,
text, bytes, instants (`datetime`, and `date` as its midnight; without a zone they are UTC) and durations.
An `Enum` member counts as its value. Everything else (lists, objects, NaN) is `OTHER`: present, testable for
equality with its like, never ordered. `None` means missing, everywhere.

`weigh` turns any value into `(family, plain value)`, where plain values of one family compare with `==` and
`<` and nothing that a subclass overrides has a say. Constants are weighed once, when a condition is built.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
)
from typing import Any, Final, TypeAlias

from rostra.defaults import ELEMENTS_COMPARED, NESTING, WEIGHED_CLASSES
from rostra.model.work import GiveUp, Work


class Family(enum.Enum):
    """The families of comparable values; the value is the name used in texts and notifications."""

    NUMBER = "number"
    BOOL = "bool"
    TEXT = "text"
    BYTES = "bytes"
    TIME = "time"
    DURATION = "duration"
    OTHER = "other"

    __hash__ = object.__hash__  # members are compared by identity; Enum's own is written in Python


Weighed: TypeAlias = tuple[Family, Any]
Weigher: TypeAlias = Callable[[Any], Weighed]

ROUTINES: Final = (FunctionType, BuiltinFunctionType, MethodType, MethodDescriptorType, MethodWrapperType)
"""What reading an attribute yields when the attribute is a method: not a value, hence missing."""


def weigh(value: Any) -> Weighed:
    """Return the family of a value that is not None, and the plain value to compare."""
    cls = type(value)
    try:
        weigher = _weighers.get(cls)
    except TypeError:  # a metaclass that cannot be hashed: nothing of ours
        return Family.OTHER, value
    if weigher is None:
        if len(_weighers) >= WEIGHED_CLASSES:
            _weighers.clear()
            _weighers.update(_EXACT)
        weigher = _weighers[cls] = _weigher_for(cls)
    return weigher(value)


def is_exact(value: Any) -> bool:
    """Say whether a value is of one of the scalar classes themselves, not of a subclass."""
    return type(value) in _EXACT


def number(value: Any) -> Any:
    """Return a value as a plain number, or NaN, which equals nothing and orders with nothing."""
    if value is None:
        return NAN
    family, plain = weigh(value)
    return plain if family is Family.NUMBER else NAN


def plain_of(family: Family, value: Any) -> Any:
    """Return the plain value if it belongs to the family, else None."""
    if value is None:
        return None
    found, plain = weigh(value)
    return plain if found is family else None


def same(value: Any, constant: Any) -> bool | None:
    """Compare two `OTHER` values for equality: unknown for NaN, and unless they are of one class.

    Lists and tuples are alike and compare element by element, by family and value, nested as deep as `NESTING`.
    """
    try:
        return _same(value, constant, Work(ELEMENTS_COMPARED), NESTING)
    except GiveUp:
        return None


def _same(one: Any, two: Any, work: Work, depth: int) -> bool | None:
    if type(one) in _SEQUENCES and type(two) in _SEQUENCES:
        if depth == 0:
            raise GiveUp
        if len(one) != len(two):
            return False
        return all(_same_element(a, b, work, depth - 1) for a, b in zip(one, two, strict=True))
    if issubclass(type(one), float | Decimal) or type(one) is not type(two):
        return None
    try:
        return bool(one == two)
    except Exception:  # noqa: BLE001  a raising __eq__ means "cannot tell", never an error in the bus
        return None


def _same_element(one: Any, two: Any, work: Work, depth: int) -> bool:
    work.spend(1)
    if one is None or two is None:
        return one is two
    (one_family, a), (two_family, b) = weigh(one), weigh(two)
    if one_family is not two_family:
        return False
    return _same(a, b, work, depth) is True if one_family is Family.OTHER else bool(a == b)


def identity(value: Any) -> Any:
    """Return what tells one `OTHER` constant from another: equal exactly where `same` cannot tell them apart."""
    if type(value) in _SEQUENCES:
        return tuple(None if element is None else _element_identity(element) for element in value)
    return type(value), value


def _element_identity(element: Any) -> Any:
    family, plain = weigh(element)
    return family, identity(plain) if family is Family.OTHER else plain


_SEQUENCES: Final = (list, tuple)
NAN: Final = float("nan")


def _number(value: Any) -> Weighed:
    return (Family.NUMBER, value) if value == value else (Family.OTHER, value)  # noqa: PLR0124  NaN differs


def _decimal(value: Decimal) -> Weighed:
    return (Family.OTHER, value) if value.is_nan() else (Family.NUMBER, value)


def _instant(value: datetime) -> Weighed:
    try:
        plain = datetime.combine(date(value.year, value.month, value.day), value.timetz())
        if plain.utcoffset() is None:
            return Family.TIME, plain.replace(tzinfo=UTC)
        return Family.TIME, plain.astimezone(UTC)
    except Exception:  # noqa: BLE001  out of range, or a zone that raises: an instant nobody can name
        return Family.OTHER, value


def _midnight(value: date) -> Weighed:
    return Family.TIME, datetime(value.year, value.month, value.day, tzinfo=UTC)


def _duration(value: timedelta) -> Weighed:
    return Family.DURATION, timedelta(value.days, value.seconds, value.microseconds)


def _member(value: enum.Enum) -> Weighed:
    inner = value.value
    return (Family.OTHER, value) if inner is None or isinstance(inner, enum.Enum) else weigh(inner)


def _numpy(value: Any) -> Weighed:
    unit = _NUMPY_UNITS.get(type(value).__name__)
    inner = (value.astype(unit) if unit else value).item()
    if inner is None or type(inner) is type(value) or (unit and isinstance(inner, int)):
        return Family.OTHER, value  # an instant that datetime cannot name comes out as a number
    return weigh(inner)


_EXACT: Final[dict[type, Weigher]] = {
    int: lambda value: (Family.NUMBER, value),
    float: _number,
    Decimal: _decimal,
    bool: lambda value: (Family.BOOL, value),
    str: lambda value: (Family.TEXT, value),
    bytes: lambda value: (Family.BYTES, value),
    datetime: _instant,
    date: _midnight,
    timedelta: lambda value: (Family.DURATION, value),
}
_weighers: dict[type, Weigher] = dict(_EXACT)
_NUMPY_UNITS: Final = {"datetime64": "M8[us]", "timedelta64": "m8[us]"}
"""Finer units than microseconds turn into plain integers, which would make numbers of them."""

# How an instance of a subclass becomes a plain one. Enums come first: they may also be ints or strings.
_SUBCLASSES: Final[tuple[tuple[type, Weigher], ...]] = (
    (enum.Enum, _member),
    (int, lambda value: (Family.NUMBER, int.__index__(value))),
    (float, lambda value: _number(float.__float__(value))),
    (Decimal, lambda value: _decimal(Decimal(value))),
    (str, lambda value: (Family.TEXT, str.__str__(value))),
    (bytes, lambda value: (Family.BYTES, bytes.__getitem__(value, slice(None)))),
    (bytearray, lambda value: (Family.BYTES, bytes(value))),
    (datetime, _instant),
    (date, _midnight),
    (timedelta, _duration),
)


def _weigher_for(cls: type) -> Weigher:
    for base, weigher in _SUBCLASSES:
        if issubclass(cls, base):
            return _guarded(weigher)
    if cls.__module__ == "numpy" and hasattr(cls, "item") and hasattr(cls, "dtype") and cls.__name__ != "ndarray":
        return _guarded(_numpy)
    return lambda value: (Family.OTHER, value)


def _guarded(weigher: Weigher) -> Weigher:
    def weigh_or_give_up(value: Any) -> Weighed:
        try:
            return weigher(value)
        except Exception:  # noqa: BLE001  a subclass may raise whatever it is asked: a value of no family
            return Family.OTHER, value

    return weigh_or_give_up
