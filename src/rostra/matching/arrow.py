"""Columns of Arrow's. pyarrow is never imported for them: it is there if something of its own came."""

from __future__ import annotations

import sys
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from rostra.errors import InvalidValue
from rostra.matching.column import Column, Listed, Numbers, Rows, Times, Values, array_numbers


def arrow_columns(columns: Any) -> tuple[int, dict[str, Column]]:
    """Return the number of rows and the columns of a table or a record batch."""
    if not is_arrow(columns, "Table", "RecordBatch"):
        raise InvalidValue(
            f"events as columns are a dict of lists or arrays, or a Table or RecordBatch of pyarrow, "
            f"not a value of type {type(columns).__name__}"
        )
    names = columns.schema.names
    for at, name in enumerate(names):
        if name in names[:at]:
            raise InvalidValue(f"two columns are called {name!r}: rename one of them")
    return columns.num_rows, {name: Arrow(column) for name, column in zip(names, columns.columns, strict=True)}


def is_arrow(value: Any, *classes: str) -> bool:
    """Say whether a value is of one of some classes of pyarrow's, without importing it for the answer."""
    if not type(value).__module__.startswith("pyarrow"):
        return False
    return isinstance(value, tuple(getattr(_pyarrow(), name) for name in classes))


def _pyarrow() -> Any:
    """Return pyarrow, which is there since something came from it."""
    return sys.modules["pyarrow"]


class Arrow:
    """A column of pyarrow's."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __len__(self) -> int:
        return len(self._column)

    @cached_property
    def _array(self) -> Any:
        """The column in one piece, in units that Python has."""
        column = self._column
        if is_arrow(column, "ChunkedArray"):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        return _in_microseconds(column)

    def part(self, rows: slice) -> Column:
        return Arrow(self._array[rows])

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
            return array_numbers(array.to_numpy(zero_copy_only=False), None)
        there = array.is_valid().to_numpy(zero_copy_only=False)
        filled = array.fill_null(False if types.is_boolean(cls) else 0)
        return array_numbers(filled.to_numpy(zero_copy_only=False), there)

    def _times(self) -> Numbers | None:
        """Return instants or durations as numbers; None if Python or numpy cannot tell them as Arrow does."""
        zone = getattr(self._array.type, "tz", None)
        if zone is not None and type(_python(_pyarrow().array([0], self._array.type))[0]) is not datetime:
            return None  # a time zone that Python does not know
        times = self._array.to_numpy(zero_copy_only=False)
        if np.count_nonzero(np.isnat(times)) != self._array.null_count:
            return None  # the least number is a value to Arrow, and NaT to numpy
        return Times(times).numbers()

    def values(self) -> Values:
        types, array = _pyarrow().types, self._array
        cls = array.type
        if not types.is_dictionary(cls):
            if not any(test(cls) for test in _encodable(types)):
                return Listed(_python(array)).values()
            array = array.dictionary_encode()
        which = array.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        if len(array.dictionary) <= len(array):
            return Listed(_python(array.dictionary)).values()._replace(which=which)
        used, which = np.unique(which, return_inverse=True)  # of a dictionary that serves many more events
        if len(used) and used[0] < 0:
            used, which = used[1:], which - 1
        values = [_python_value(array.dictionary[place]) for place in used.tolist()]
        return Listed(values).values()._replace(which=which)


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
