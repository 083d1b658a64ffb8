"""A column: the values that many events have under one name, as Python has them or as numpy does."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from types import NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rostra.matching.encoding import EXACT_INT
from rostra.model.values import Family

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]

_KINDS: Final = {"b": (Family.BOOL, bool), "i": (Family.NUMBER, int), "u": (Family.NUMBER, int)}
_HOUR: Final = 3_600_000_000
_DAY: Final = 24 * _HOUR
_MICROSECONDS: Final = {"W": 7 * _DAY, "D": _DAY, "h": _HOUR, "m": _HOUR // 60, "s": 10**6, "ms": 1000, "us": 1}
_TOO_FINE: Final = ("ns", "ps", "fs", "as")
_NUMBERS: Final = {int, float}
ALL: Final = slice(None)


class Numbers(NamedTuple):
    """A column of values that are numbers to a slot."""

    family: Family
    cls: type | None
    """The class that all of them are of as Python values; None if there are several."""

    floats: Floats
    """Their numbers, NaN for what is missing or left over."""

    there: npt.NDArray[np.bool_] | None
    """Which of them are neither; None for all."""

    left: Rows
    """Those to write down one by one."""


class Values(NamedTuple):
    """A column of values of any kind."""

    values: Sequence[Any]
    classes: frozenset[type]
    """The classes of the values, NoneType if some are missing; object if there is no saying."""

    which: Rows | None = None
    """Which of the values each event has, -1 for none; None if there is one for each event."""


class Column(Protocol):
    """The values that many events have under one name."""

    def __len__(self) -> int: ...

    def part(self, rows: slice) -> Column:
        """Return some rows as a column."""
        ...

    def some(self, rows: slice | Rows) -> list[Any]:
        """Return Python values, None where one is missing."""
        ...

    def numbers(self) -> Numbers | None:
        """Return the column as numbers; None if it is none of them."""
        ...

    def values(self) -> Values:
        """Return the column as Python values."""
        ...


def array_column(array: npt.NDArray[Any]) -> Column:
    """Return an array of numpy's as a column."""
    data = np.asarray(array)
    if data.dtype.kind in "Mm":
        column: Column = Times(data)
    elif data.dtype.kind in "biu" or (data.dtype.kind == "f" and data.dtype.itemsize <= 8):
        column = Array(data)
    else:
        column = Listed(data.tolist())
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array).tolist()
        pairs = zip(column.some(ALL), masked, strict=True)
        return Listed([None if hidden else value for value, hidden in pairs])
    return column


class Listed:
    """A column of Python values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def part(self, rows: slice) -> Column:
        return Listed(self._values[rows])

    def some(self, rows: slice | Rows) -> list[Any]:
        if isinstance(rows, slice):
            return list(self._values[rows])
        return [self._values[row] for row in rows.tolist()]

    @cached_property
    def _classes(self) -> frozenset[type]:
        try:
            return frozenset(map(type, self._values))
        except TypeError:  # a metaclass that cannot be hashed
            return frozenset({object})

    def numbers(self) -> Numbers | None:
        found = self._classes - {NoneType}
        if not found or not (found <= _NUMBERS or found == {bool}):
            return None
        try:
            floats = np.array(self._values, np.float64)  # which makes NaN of None
        except OverflowError:  # a whole number beyond the range of floats
            return None
        there = np.array([value is not None for value in self._values], bool) if NoneType in self._classes else None
        cls = next(iter(found)) if len(found) == 1 else None
        unsure = None if cls in (float, bool) else np.abs(floats) >= EXACT_INT
        return _numbers(Family.BOOL if cls is bool else Family.NUMBER, cls, floats, there, unsure)

    def values(self) -> Values:
        return Values(self._values, self._classes)


class Array:
    """A column of numbers or booleans of numpy's."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def part(self, rows: slice) -> Column:
        return Array(self._array[rows])

    def some(self, rows: slice | Rows) -> list[Any]:
        found: list[Any] = self._array[rows].tolist()
        return found

    def numbers(self) -> Numbers | None:
        return array_numbers(self._array, None)

    def values(self) -> Values:
        return Listed(self.some(ALL)).values()


def array_numbers(array: npt.NDArray[Any], there: Any) -> Numbers:
    """Return an array as numbers; `there` says which are not missing, None for all."""
    family, cls = _KINDS.get(array.dtype.kind, (Family.NUMBER, float))
    unsure = (array > EXACT_INT) | (array < -EXACT_INT) if cls is int and array.dtype.itemsize == 8 else None
    return _numbers(family, cls, array.astype(np.float64), there, unsure)


class Times:
    """A column of instants or durations of numpy's."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._unit, self._step = np.datetime_data(array.dtype)
        self._is_instant = array.dtype.kind == "M"
        if self._unit in _TOO_FINE:  # rounds down
            array = array.astype(f"{array.dtype.kind}8[us]")
            self._unit, self._step = "us", 1
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def part(self, rows: slice) -> Column:
        return Times(self._array[rows])

    def some(self, rows: slice | Rows) -> list[Any]:
        some = self._array[rows]
        found = some.tolist()
        return [some[at] if type(value) is int else value for at, value in enumerate(found)]

    def numbers(self) -> Numbers | None:
        if self._unit not in _MICROSECONDS or self._step != 1:
            return None
        size = _MICROSECONDS[self._unit]
        counts = self._array.astype(np.int64)
        there = ~np.isnat(self._array)
        unsure = there & ((counts > EXACT_INT // size) | (counts < -(EXACT_INT // size)))
        floats = np.where(there, counts * float(size), np.nan)
        cls = timedelta if not self._is_instant else date if self._unit in "DW" else datetime
        return _numbers(Family.TIME if self._is_instant else Family.DURATION, cls, floats, there, unsure)

    def values(self) -> Values:
        return Listed(self.some(ALL)).values()


def _numbers(family: Family, cls: type | None, floats: Floats, there: Any, unsure: Any) -> Numbers:
    """Return numbers, with those left over that are unsure."""
    left = np.empty(0, np.intp) if unsure is None else np.flatnonzero(unsure)
    if len(left):
        there = ~unsure if there is None else there & ~unsure
    if there is not None:
        floats[~there] = np.nan
    floats += 0.0  # which makes a zero of minus zero
    return Numbers(family, cls, floats, there, left)
