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

from collections.abc import Mapping, Sequence
from itertools import repeat
from types import NoneType
from typing import Any, Final

import numpy as np

from rostra.errors import InvalidValue
from rostra.matching.arrow import Arrow, arrow_columns, is_arrow
from rostra.matching.column import ALL, Column, Floats, Listed, Numbers, Rows, Values, array_column
from rostra.matching.encoding import Batch, Reader, Readers, write
from rostra.matching.slots import UNKNOWN, Slots

BLOCK: Final = 64
"""Events that are made Python values of together when one of them is asked for."""

_TEXTS: Final = {str, bytes}


class Columns:
    """Events as columns.

        Columns({"symbol": ["A", "B"], "price": numpy.array([9.5, 11])})
        Columns(table)                                      # a Table or RecordBatch of pyarrow's

    Raises InvalidValue for anything else, and for columns of different lengths. Columns are not copied: they must
    not change while they are in use.
    """

    def __init__(self, columns: Any) -> None:
        self._count, self._columns = _mapped(columns) if isinstance(columns, Mapping) else arrow_columns(columns)
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
            writing.write(reader, Listed([accessor.get(event, topic) for event in events]))
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
        return Listed(values)
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise InvalidValue(f"column {name!r} has {values.ndim} dimensions: give one value for each event")
        return array_column(values)
    if is_arrow(values, "Array", "ChunkedArray"):
        return Arrow(values)
    if isinstance(values, Sequence) and not isinstance(values, str | bytes | bytearray | memoryview):
        return Listed(list(values))
    kind = type(values).__name__
    raise InvalidValue(f"column {name!r} is of type {kind}: give a list, or an array of numpy's or pyarrow's")


class _Writing:
    """A batch that columns are written into."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._apart: list[tuple[int, Rows, Floats]] = []

    def write(self, reader: Reader, column: Column, rows: slice | Rows = ALL) -> None:
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
            self.write(reader, Listed([values[at] for at in places]), rows[places])

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
