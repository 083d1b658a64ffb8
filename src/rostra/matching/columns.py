"""Many events as columns, turned into numbers a column at a time.

The numbers are those that `Vector` finds for each event as a dict, which `Columns.row` returns. There are three ways
to them, the first that will do is taken:

- A column whose values are all numbers, booleans, instants or durations becomes an array of floats at once. Those
  that may not be what a float can hold are left over, and go the third way.
- Texts are looked up by the column; of those that conditions ask more about each different one is only asked once.
- Values of any other kind are written down one by one, by the rule that holds for single events: `encoding.write`.

Null, None and NaT are missing; NaN is not, it is a value that equals nothing. Instants and durations finer than
microseconds are rounded down to them, as pandas' own are when Rostra compares them. A value that Python has no object
for, such as an instant after the year 9999, exists and no more: it stays a numpy scalar, or is `Unreadable`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import repeat
from types import NoneType
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from rostra.errors import InvalidValue
from rostra.matching.encoding import EXACT_INT, Batch, Reader, Readers, write
from rostra.matching.slots import UNKNOWN, Slots
from rostra.model.values import Family

Floats: TypeAlias = npt.NDArray[np.float64]
Rows: TypeAlias = npt.NDArray[np.intp]

BLOCK: Final = 64
"""Events that are made Python values of together when one of them is asked for."""

_KINDS: Final = {"b": (Family.BOOL, bool), "i": (Family.NUMBER, int), "u": (Family.NUMBER, int)}
_HOUR: Final = 3_600_000_000
_DAY: Final = 24 * _HOUR
_MICROSECONDS: Final = {"W": 7 * _DAY, "D": _DAY, "h": _HOUR, "m": _HOUR // 60, "s": 10**6, "ms": 1000, "us": 1}
_TOO_FINE: Final = ("ns", "ps", "fs", "as")
_NUMBERS: Final = {int, float}
_TEXTS: Final = {str, bytes}
_ALL: Final = slice(None)


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


class Columns:
    """Events as columns.

        Columns({"symbol": ["A", "B"], "price": numpy.array([9.5, 11])})
        Columns(table)                                      # a Table or RecordBatch of pyarrow's

    Raises InvalidValue for anything else, and for columns of different lengths. Columns are not copied: they must
    not change while they are in use.
    """

    def __init__(self, columns: Any) -> None:
        self._count, self._columns = _mapped(columns) if isinstance(columns, Mapping) else _arrow_columns(columns)
        self._block: tuple[int, list[tuple[Any, ...]]] = (-1, [])

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self.row(number)

    def part(self, rows: slice) -> Columns:
        """Return some of the events."""
        some = Columns({})
        some._columns = {name: column.part(rows) for name, column in self._columns.items()}
        some._count = len(range(self._count)[rows])
        return some

    def row(self, number: int) -> dict[str, Any]:
        """Return one event as a dict of Python values, without those that are missing."""
        block, at = divmod(range(self._count)[number], BLOCK)
        known, rows = self._block
        if known != block:
            part = slice(block * BLOCK, (block + 1) * BLOCK)
            rows = list(zip(*[column.some(part) for column in self._columns.values()], strict=True)) or [()] * BLOCK
            self._block = block, rows
        return {name: value for name, value in zip(self._columns, rows[at], strict=True) if value is not None}

    def encoded(self, readers: Readers, slots: Slots, topic: str = "") -> Batch:
        """Return the events as numbers. Runs accessors, and code of the values that these call."""
        writing = _Writing(Batch(self._count, len(slots)))
        for name, column in self._columns.items():
            plan = readers.plans.get(name)
            if plan is not None:
                writing.write(plan.reader, column)
        others = readers.others()
        events = [self.row(number) for number in range(self._count)] if others else []
        for accessor, reader in others:
            writing.write(reader, _Listed([accessor.get(event, topic) for event in events]))
        return writing.finished()


def _mapped(columns: Mapping[Any, Any]) -> tuple[int, dict[str, Column]]:
    found: dict[str, Column] = {}
    for name, values in columns.items():
        if not isinstance(name, str):
            raise InvalidValue(f"columns are named by texts, not by {name!r}")
        found[name] = column = _column(name, values)
        first, count = next(iter(found)), len(next(iter(found.values())))
        if len(column) != count:
            raise InvalidValue(f"columns differ in length: {first!r} has {count} values, {name!r} has {len(column)}")
    return len(next(iter(found.values()), ())), found


def _column(name: str, values: Any) -> Column:
    if type(values) is list or type(values) is tuple:
        return _Listed(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidValue(f"column {name!r} has {values.ndim} dimensions: give one value for each event")
        return _array_column(values)
    if _is_arrow(values, "Array", "ChunkedArray"):
        return _Arrow(values)
    if isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray | memoryview):
        return _Listed(list(values))
    kind = type(values).__name__
    raise InvalidValue(f"column {name!r} is of type {kind}: give a list, or an array of numpy's or pyarrow's")


def _array_column(array: npt.NDArray[Any]) -> Column:
    data = np.asarray(array)
    if data.dtype.kind in "Mm":
        column: Column = _Times(data)
    elif data.dtype.kind in "biu" or (data.dtype.kind == "f" and data.dtype.itemsize <= 8):
        column = _Array(data)
    else:
        column = _Listed(data.tolist())
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array).tolist()
        pairs = zip(column.some(_ALL), masked, strict=True)
        return _Listed([None if hidden else value for value, hidden in pairs])
    return column


def _arrow_columns(columns: Any) -> tuple[int, dict[str, Column]]:
    if not _is_arrow(columns, "Table", "RecordBatch"):
        raise InvalidValue(
            f"events as columns are a dict of lists or arrays, or a Table or RecordBatch of pyarrow, "
            f"not a value of type {type(columns).__name__}"
        )
    names = columns.schema.names
    for at, name in enumerate(names):
        if name in names[:at]:
            raise InvalidValue(f"two columns are called {name!r}: rename one of them")
    return columns.num_rows, {name: _Arrow(column) for name, column in zip(names, columns.columns, strict=True)}


def _is_arrow(value: Any, *classes: str) -> bool:
    """Say whether a value is of one of some classes of pyarrow's, without importing it for the answer."""
    if not type(value).__module__.startswith("pyarrow"):
        return False
    return isinstance(value, tuple(getattr(_pyarrow(), name) for name in classes))


def _pyarrow() -> Any:
    """Return pyarrow, which is there since something came from it."""
    return sys.modules["pyarrow"]


class _Listed:
    """A column of Python values."""

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def part(self, rows: slice) -> Column:
        return _Listed(self._values[rows])

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


class _Array:
    """A column of numbers or booleans of numpy's."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self._array = array

    def __len__(self) -> int:
        return len(self._array)

    def part(self, rows: slice) -> Column:
        return _Array(self._array[rows])

    def some(self, rows: slice | Rows) -> list[Any]:
        found: list[Any] = self._array[rows].tolist()
        return found

    def numbers(self) -> Numbers | None:
        return _array_numbers(self._array, None)

    def values(self) -> Values:
        return _Listed(self.some(_ALL)).values()


def _array_numbers(array: npt.NDArray[Any], there: Any) -> Numbers:
    family, cls = _KINDS.get(array.dtype.kind, (Family.NUMBER, float))
    unsure = (array > EXACT_INT) | (array < -EXACT_INT) if cls is int and array.dtype.itemsize == 8 else None
    return _numbers(family, cls, array.astype(np.float64), there, unsure)


class _Times:
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
        return _Times(self._array[rows])

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
        return _Listed(self.some(_ALL)).values()


class _Arrow:
    """A column of pyarrow's."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @cached_property
    def _array(self) -> Any:
        """The column in one piece, in units that Python has."""
        column = self._column
        if _is_arrow(column, "ChunkedArray"):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        return _in_microseconds(column)

    def part(self, rows: slice) -> Column:
        return _Arrow(self._array[rows])

    def some(self, rows: slice | Rows) -> list[Any]:
        return _python(self._array[rows] if isinstance(rows, slice) else self._array.take(_pyarrow().array(rows)))

    def numbers(self) -> Numbers | None:
        types, array = _pyarrow().types, self._array
        cls = array.type
        if types.is_timestamp(cls) or types.is_duration(cls) or types.is_date32(cls):
            return self._times()
        if not (types.is_integer(cls) or types.is_floating(cls) or types.is_boolean(cls)):
            return None
        if not array.null_count:
            return _array_numbers(array.to_numpy(zero_copy_only=False), None)
        there = array.is_valid().to_numpy(zero_copy_only=False)
        filled = array.fill_null(False if types.is_boolean(cls) else 0)
        return _array_numbers(filled.to_numpy(zero_copy_only=False), there)

    def _times(self) -> Numbers | None:
        """Return instants or durations as numbers; None if Python or numpy cannot tell them as Arrow does."""
        zone = getattr(self._array.type, "tz", None)
        if zone is not None and type(_python(_pyarrow().array([0], self._array.type))[0]) is not datetime:
            return None  # a time zone that Python does not know
        times = self._array.to_numpy(zero_copy_only=False)
        if np.count_nonzero(np.isnat(times)) != self._array.null_count:
            return None  # the least number is a value to Arrow, and NaT to numpy
        return _Times(times).numbers()

    def values(self) -> Values:
        types, array = _pyarrow().types, self._array
        cls = array.type
        if not types.is_dictionary(cls):
            if not any(test(cls) for test in _encodable(types)):
                return _Listed(_python(array)).values()
            array = array.dictionary_encode()
        which = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        if len(array.dictionary) <= len(array):
            return _Listed(_python(array.dictionary)).values()._replace(which=which)
        used, which = np.unique(which, return_inverse=True)  # of a dictionary that serves many more events
        if len(used) and used[0] < 0:
            used, which = used[1:], which - 1
        values = [_python_value(array.dictionary[place]) for place in used.tolist()]
        return _Listed(values).values()._replace(which=which)


def _encodable(types: Any) -> tuple[Any, ...]:
    """Return the tests for types of texts and bytes."""
    return (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_binary,
        types.is_large_binary,
        types.is_binary_view,
        types.is_fixed_size_binary,
    )


def _in_microseconds(array: Any) -> Any:
    """Return an array of instants or durations in nanoseconds rounded down, as others are."""
    pa = _pyarrow()
    if pa.types.is_dictionary(array.type) and getattr(array.type.value_type, "unit", None) == "ns":
        array = array.dictionary_decode()
    if array.type in (pa.duration("ns"), pa.timestamp("ns", getattr(array.type, "tz", None))):
        there = array.is_valid().to_numpy(zero_copy_only=False)
        counts = array.cast("int64").fill_null(0).to_numpy() // 1000
        cls = pa.duration("us") if array.type == pa.duration("ns") else pa.timestamp("us", array.type.tz)
        return pa.array(counts, mask=~there).cast(cls)
    return array


def _python(array: Any) -> list[Any]:
    """Return the values of an Arrow array as Python's."""
    try:
        found: list[Any] = array.to_pylist()
    except (ValueError, OverflowError):
        return [_python_value(value) for value in array]
    return found


def _python_value(scalar: Any) -> Any:
    try:
        return scalar.as_py()
    except (ValueError, OverflowError):
        return Unreadable(str(scalar.type))


class Unreadable:
    """What stands for a value of Arrow's that Python has no object for; the scalar itself cannot even be printed."""

    __slots__ = ("_kind",)

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def __repr__(self) -> str:
        return f"<a {self._kind} that Python has no object for>"


def _numbers(family: Family, cls: type | None, floats: Floats, there: Any, unsure: Any) -> Numbers:
    """Return numbers, with those left over that are unsure."""
    left = np.empty(0, np.intp) if unsure is None else np.flatnonzero(unsure)
    if len(left):
        there = ~unsure if there is None else there & ~unsure
    if there is not None:
        floats[~there] = np.nan
    floats += 0.0  # which makes a zero of minus zero
    return Numbers(family, cls, floats, there, left)


class _Writing:
    """A batch that columns are written into."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._apart: list[tuple[int, Rows, Floats]] = []

    def write(self, reader: Reader, column: Column, rows: slice | Rows = _ALL) -> None:
        """Write a column down, or a part of one that has these rows."""
        numbers = column.numbers()
        if numbers is not None and (numbers.cls is not None or not reader.types):
            self._write_numbers(reader, numbers, rows)
            if len(numbers.left):
                self._write_each(reader, column.some(numbers.left), None, self._numbered(rows)[numbers.left])
        else:
            self._write_values(reader, column.values(), rows)

    def _numbered(self, rows: slice | Rows) -> Rows:
        return np.arange(len(self._batch))[rows]

    def finished(self) -> Batch:
        """Return the batch: the upper neighbours come last, since there is no second array before the first."""
        for slot, rows, highs in self._apart:
            there = ~np.isnan(highs) & self._has(slot)
            for row, high in zip(rows[there].tolist(), highs[there].tolist(), strict=True):
                self._batch.spread(row, slot, high)
        return self._batch

    def _put(self, slot: int, rows: slice | Rows, numbers: Any) -> None:
        if self._has(slot):
            self._batch.a[rows, slot] = numbers

    def _has(self, slot: int) -> bool:
        """Say whether there is room for a slot: not for those that other threads have added meanwhile."""
        return 0 <= slot < self._batch.a.shape[1]

    def _write_numbers(self, reader: Reader, numbers: Numbers, rows: slice | Rows) -> None:
        self._put(reader.families.get(numbers.family, -1), rows, numbers.floats)
        if reader.is_plain:
            return
        flags = 1.0 if numbers.there is None else np.where(numbers.there, 1.0, np.nan)
        self._put(reader.present, rows, flags)
        for slot, test in reader.types:
            if numbers.cls is not None and test.conforms(numbers.cls):
                self._put(slot, rows, flags)

    def _write_values(self, reader: Reader, found: Values, rows: slice | Rows) -> None:
        values, classes, which = found
        present = classes - {NoneType}
        if present == {str} and reader.is_plain:
            numbers = _codes(reader.texts, values, are_all=present == classes)
            self._put(reader.text, rows, numbers[:-1] if which is None else numbers[which])
            return
        if which is None and len(present) > 1:
            self._write_by_class(reader, values, self._numbered(rows))
            return
        if which is None and present <= _TEXTS:
            places = {value: place for place, value in enumerate(dict.fromkeys(values))}
            which = np.fromiter(map(places.__getitem__, values), np.intp, len(values))
            values = list(places)
        self._write_each(reader, values, which, self._numbered(rows))

    def _write_by_class(self, reader: Reader, values: Sequence[Any], rows: Rows) -> None:
        """Write values of several classes down as that many columns."""
        parts: dict[type, list[int]] = {}
        for at, value in enumerate(values):
            parts.setdefault(type(value), []).append(at)
        parts.pop(NoneType, None)
        for places in parts.values():
            self.write(reader, _Listed([values[at] for at in places]), rows[places])

    def _write_each(self, reader: Reader, values: Sequence[Any], which: Rows | None, rows: Rows) -> None:
        """Write values down one by one, each for all rows that have it."""
        lows, highs = _Sparse(len(values)), _Sparse(len(values))
        for at, value in enumerate(values):
            if value is not None:
                numbers: dict[int, float] = {}
                apart: list[tuple[int, float]] = []
                write(reader, value, numbers, apart)
                for slot, number in numbers.items():
                    lows[slot][at] = number
                for slot, high in apart:
                    highs[slot][at] = high
        for slot, column in lows.items():
            self._put(slot, rows, column[:-1] if which is None else column[which])
        for slot, column in highs.items():
            self._apart.append((slot, rows, column[:-1] if which is None else column[which]))


class _Sparse(dict[int, Floats]):
    """Numbers by slot, and one more in each for what is missing."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def __missing__(self, slot: int) -> Floats:
        found = self[slot] = np.full(self._count + 1, np.nan)
        return found


def _codes(codes: dict[Any, float], texts: Sequence[Any], *, are_all: bool) -> Floats:
    """Return the numbers that stand for texts, NaN where there is None, and one NaN more for what is missing."""
    numbers = np.empty(len(texts) + 1)
    if are_all:
        numbers[:-1] = np.fromiter(map(codes.get, texts, repeat(UNKNOWN)), np.float64, len(texts))
    else:
        numbers[:-1] = [np.nan if text is None else codes.get(text, UNKNOWN) for text in texts]
    numbers[-1] = np.nan
    return numbers
