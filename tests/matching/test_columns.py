"""Columns against rows: the same numbers, whatever the events are kept in."""

import collections
import datetime as dt
import math
import subprocess
import sys
import uuid
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rostra import it
from rostra.errors import InvalidValue
from rostra.matching import Index
from rostra.matching.columns import BLOCK, Columns
from rostra.matching.encoding import Vector
from tests.strategies import CONDITIONS, VALUES, Colour, Level, Shout, Whole

UTC = dt.UTC
DAY = dt.datetime(2026, 1, 1)
BIG = st.sampled_from([2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])

# Each family is asked for in every way, of texts and numbers also in one way alone.
EVERYTHING = [
    test
    for term in (it.a, it.b)
    for test in (
        term > 1,
        term == "a",
        term == "ab",
        term == True,  # noqa: E712
        term == b"a",
        term > DAY,
        term > dt.timedelta(seconds=1),
        term.exists(),
        term.is_a(int),
        term.is_a(float),
        term.is_a(dt.date),
        term.startswith("a"),
        term.startswith(b"a"),
        term.x == 1,
        term[0] == 1,
    )
]
NUMBERS_ONLY = [it.a > 1, it.b > 1]
TEXTS_ONLY = [it.a == "a", it.b == "ab", it.b == "a"]
SCALARS_ONLY = [it.a > 1, it.a == "a", it.a == True, it.a > DAY, it.a > dt.timedelta(0), it.a == b"a"]  # noqa: E712
WAYS = [EVERYTHING, NUMBERS_ONLY, TEXTS_ONLY, SCALARS_ONLY]


def index_of(conditions):
    found = Index()
    for key, condition in enumerate(conditions):
        found.add(key, condition)
    return found


def same(columns, rows=None, conditions=None):
    """Check that columns are what their rows are, one by one."""
    made = Columns(columns)
    if rows is None:
        rows = [made.row(number) for number in range(len(made))]
    assert len(made) == len(rows)
    for way in WAYS if conditions is None else [conditions]:
        index = index_of(way)
        readers, slots = index._readers, index._slots
        batch = made.encoded(readers, slots, "topic")
        assert batch.a.shape == batch.b.shape == (len(rows), len(slots))
        for number, row in enumerate(rows):
            vector = Vector()
            vector.fill(row, "topic", readers, slots)
            for many, one in ((batch.a, vector.a), (batch.b, vector.b)):
                np.testing.assert_array_equal(many[number], one[: len(slots)], f"{row} in {slots.keys}")
                missing = np.isnan(many[number])
                assert (np.signbit(many[number]) == np.signbit(one[: len(slots)]))[~missing].all(), "minus zero"
            assert batch.more[number] == vector.more
    return made


def rows_of(columns):
    """Return the events in a dict of lists."""
    events = zip(*columns.values(), strict=True)
    return [{name: value for name, value in zip(columns, event, strict=True) if value is not None} for event in events]


def columns_of(values, names="abs"):
    """Return a strategy for a dict of lists of one length."""
    return st.integers(0, 6).flatmap(
        lambda count: st.dictionaries(
            st.sampled_from(names), st.lists(values | st.none(), min_size=count, max_size=count), min_size=1
        )
    )


@given(columns_of(VALUES), st.lists(CONDITIONS, max_size=8), st.sampled_from([list, tuple, collections.deque]))
@settings(max_examples=200)
def test_lists_of_anything(columns, conditions, kind):
    same({name: kind(values) for name, values in columns.items()}, rows_of(columns), conditions)


@given(columns_of(VALUES, "ab"))
@settings(max_examples=100)
def test_lists_of_anything_asked_everything(columns):
    same(columns, rows_of(columns))


LIKE = [
    st.integers(-3, 3) | BIG,
    st.integers(),
    st.floats(),
    st.floats() | st.integers() | BIG,
    st.booleans(),
    st.sampled_from(["", "a", "ab", "é", "abc"]),
    st.sampled_from([b"", b"a", b"ab"]),
    st.datetimes(),
    st.timedeltas(),
    st.decimals(),
    st.sampled_from([Colour.RED, Level.LOW, Shout("a"), Whole(1), True, np.float64(1.5), np.int64(3), np.str_("a")]),
]


@given(st.sampled_from(LIKE).flatmap(lambda values: columns_of(values, "ab")))
@settings(max_examples=200)
def test_lists_of_like_values(columns):
    same(columns, rows_of(columns))


def arrays(dtype, values):
    return st.lists(values, max_size=6).map(lambda some: np.array(some, dtype))


def objects(values):
    array = np.empty(len(values), object)
    for at, value in enumerate(values):
        array[at] = value
    return array


COUNTS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-(10**6), 10**6) | BIG
ARRAYS = st.one_of(
    *(
        arrays(dtype, st.integers(int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)))
        for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, ">i8")
    ),
    *(arrays(dtype, st.floats(width=16)) for dtype in (np.float16, np.float32, np.float64, np.longdouble)),
    arrays(np.float64, st.floats()),
    arrays(bool, st.booleans()),
    arrays(str, st.text(max_size=3)),
    arrays(bytes, st.sampled_from([b"a", b"ab"])),
    st.lists(VALUES, max_size=6).map(objects),
    *(
        arrays(np.int64, COUNTS).map(lambda some, dtype=f"{kind}8[{unit}]": some.view(dtype))
        for kind in "Mm"
        for unit in ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "10us")
    ),
)


@given(ARRAYS)
@settings(max_examples=400)
def test_arrays_of_every_kind(array):
    made = same({"a": array})
    if array.dtype.kind not in "Mm":
        assert [repr(made.row(number).get("a")) for number in range(len(array))] == list(map(repr, array.tolist()))


def test_arrays_hold_python_values():
    made = Columns(
        {
            "flag": np.array([True]),
            "whole": np.array([2**63 + 1], np.uint64),
            "half": np.array([0.5], np.float16),
            "text": np.array(["é"]),
            "bytes": np.array([b"a"]),
            "day": np.array(["2026-01-01"], "M8[D]"),
            "instant": np.array(["2026-01-01T00:00:00.000001999"], "M8[ns]"),
            "before": np.array([-1], "M8[ns]"),
            "duration": np.array([1500], "m8[ns]"),
            "nothing": np.array(["NaT"], "M8[us]"),
            "object": np.array([None], object),
        }
    )
    row = made.row(0)
    assert row == {
        "flag": True,
        "whole": 2**63 + 1,
        "half": 0.5,
        "text": "é",
        "bytes": b"a",
        "day": dt.date(2026, 1, 1),
        "instant": dt.datetime(2026, 1, 1, 0, 0, 0, 1),
        "before": dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        "duration": dt.timedelta(microseconds=1),
    }
    assert [type(value) for value in row.values()] == [
        bool, int, float, str, bytes, dt.date, dt.datetime, dt.datetime, dt.timedelta,
    ]  # fmt: skip


def test_masked_values_are_missing():
    masked = np.ma.MaskedArray([1, 2, 3], mask=[False, True, False])
    same({"a": masked}, [{"a": 1}, {}, {"a": 3}])
    times = np.ma.MaskedArray(np.array([1000, 2000], "M8[ns]"), mask=[True, False])
    same({"a": times}, [{}, {"a": dt.datetime(1970, 1, 1, 0, 0, 0, 2)}])


@pytest.mark.parametrize("values", [[math.nan, 1.0, None], [math.nan, 1, None], [math.nan, "a", None]])
def test_nan_exists_and_equals_nothing(values):
    index = index_of([it.a.exists(), it.a > 0])
    reader = index._readers.plans["a"].reader
    batch = Columns({"a": values}).encoded(index._readers, index._slots)
    assert np.isnan(batch.a[:, reader.present]).tolist() == [False, False, True]
    assert np.isnan(batch.a[:, reader.number]).tolist() == [True, values[1] == "a", True]


def test_no_events_and_no_columns():
    for columns in (
        {},
        {"a": []},
        {"a": np.array([])},
        {"a": ()},
        {"b": np.array([], "M8[ns]"), "a": np.array([], str)},
    ):
        assert len(same(columns)) == 0
    with pytest.raises(IndexError):
        Columns({"a": []}).row(0)


def test_values_of_classes_that_cannot_be_hashed():
    class Unhashable(type):
        __hash__ = None

    strange = Unhashable("Strange", (), {})()
    columns = {"a": [strange, 1, None, "a"], "b": [1.5, 2**60 + 1, "ab", strange]}
    same(columns, rows_of(columns), [it.a.exists(), it.a > 1, it.a == "a", it.b > 1, it.b == "ab"])


def test_more_events_than_a_block():
    count = 2 * BLOCK + 3
    columns = {"a": list(range(count)), "b": np.arange(count) / 2}
    made = same(columns, [{"a": number, "b": number / 2} for number in range(count)])
    assert made.row(-1) == {"a": count - 1, "b": (count - 1) / 2}
    assert made.row(0) == {"a": 0, "b": 0.0}
    with pytest.raises(IndexError):
        made.row(count)


def test_rows_are_the_callers_own():
    made = Columns({"a": [1]})
    made.row(0)["a"] = 2
    assert made.row(0) == {"a": 1}


def test_slots_that_come_meanwhile_are_left_out():
    index = index_of([it.a > 1])
    slots = index_of([it.a > 1])._slots
    index.add("new", (it.a == "x") & (it.b > 2**60 + 1))
    batch = Columns({"a": ["x", 2], "b": [2**60 + 1, 1]}).encoded(index._readers, slots)
    assert batch.a.shape == (2, len(slots))
    assert batch.a[1, index._readers.plans["a"].number] == 2.0


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1], "b": [1, 2]}, "'a' has 1 values, 'b' has 2"),
        ({"a": np.zeros(3), "b": [1]}, "'a' has 3 values, 'b' has 1"),
        ({1: [1]}, "named by texts, not by 1"),
        ({"a": "text"}, "column 'a' is of type str"),
        ({"a": b"text"}, "column 'a' is of type bytes"),
        ({"a": 1}, "column 'a' is of type int"),
        ({"a": {1, 2}}, "column 'a' is of type set"),
        ({"a": np.zeros((2, 2))}, "column 'a' has 2 dimensions"),
        ({"a": np.array(1)}, "column 'a' has 0 dimensions"),
        ([{"a": 1}], "not a value of type list"),
        (None, "not a value of type NoneType"),
        (np.zeros(2), "not a value of type ndarray"),
    ],
)
def test_what_is_no_columns(columns, message):
    with pytest.raises(InvalidValue, match=message):
        Columns(columns)


def test_arrow_is_not_imported_for_others():
    code = (
        "import sys; from rostra.matching.columns import Columns; Columns({'a': [1]}); print('pyarrow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


pa = pytest.importorskip("pyarrow")

ZONES = st.sampled_from([None, "UTC", "Europe/Berlin", "+05:30", "Nowhere/Land"])
INTS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
UNITS = st.sampled_from(["s", "ms", "us", "ns"])


def lists(values):
    return st.lists(st.none() | values, max_size=6)


def counted(of_type):
    """Arrays made of 64-bit counts, among them those that no datetime can hold."""
    return st.builds(lambda counts, kind: pa.array(counts, pa.int64()).cast(kind), lists(COUNTS), of_type)


TEXT_TYPES = [pa.string(), pa.large_string(), pa.string_view()]
BYTE_TYPES = [pa.binary(), pa.large_binary(), pa.binary_view()]
ARROW = st.one_of(
    *(
        st.builds(pa.array, lists(st.integers(-(2 ** (t.bit_width - 1)), 2 ** (t.bit_width - 1) - 1)), st.just(t))
        for t in INTS[:4]
    ),
    *(st.builds(pa.array, lists(st.integers(0, 2**t.bit_width - 1)), st.just(t)) for t in INTS[4:]),
    st.builds(lambda some: pa.array(np.array(some, np.float16)), st.lists(st.floats(width=16), max_size=6)),
    st.builds(pa.array, lists(st.floats(width=32)), st.sampled_from([pa.float32(), pa.float64()])),
    st.builds(pa.array, lists(st.booleans()), st.just(pa.bool_())),
    st.builds(pa.array, lists(st.sampled_from(["", "a", "ab", "é"])), st.sampled_from(TEXT_TYPES)),
    st.builds(pa.array, lists(st.sampled_from([b"", b"a", b"\xff"])), st.sampled_from(BYTE_TYPES)),
    st.builds(pa.array, lists(st.sampled_from([b"aa", b"ab"])), st.just(pa.binary(2))),
    st.builds(pa.array, lists(st.dates()), st.sampled_from([pa.date32(), pa.date64()])),
    st.builds(pa.array, lists(st.integers(-(2**31), 2**31 - 1)), st.just(pa.int32())).map(
        lambda a: a.view(pa.date32())
    ),
    counted(st.builds(pa.timestamp, UNITS, ZONES)),
    counted(st.builds(pa.duration, UNITS)),
    st.builds(pa.array, lists(st.decimals(-100, 100, places=2)), st.just(pa.decimal128(6, 2))),
    st.builds(pa.array, lists(st.decimals(-100, 100, places=2)), st.just(pa.decimal256(6, 2))),
    st.builds(pa.array, lists(st.lists(st.integers(0, 2), max_size=2)), st.just(pa.list_(pa.int8()))),
    st.builds(pa.array, lists(st.fixed_dictionaries({"x": st.integers(0, 2)})), st.just(pa.struct({"x": pa.int8()}))),
    st.builds(pa.nulls, st.integers(0, 4)),
)
SCALAR_ARROW = ARROW.filter(lambda array: not pa.types.is_nested(array.type) and not pa.types.is_null(array.type))
DICTIONARIES = SCALAR_ARROW.flatmap(
    lambda values: st.builds(
        pa.DictionaryArray.from_arrays,
        st.lists(st.none() | st.integers(0, len(values) - 1) if len(values) else st.none(), max_size=6).map(
            lambda some: pa.array(some, pa.int8())
        ),
        st.just(values),
    )
)


@given(ARROW | DICTIONARIES, st.integers(0, 6), st.integers(0, 3), st.booleans())
@settings(max_examples=500, deadline=None)
def test_arrow_of_every_kind(array, cut, start, chunked):
    if chunked:
        array = pa.chunked_array([array[:cut], array[cut:]])
    array = array[start:]
    same({"a": array})
    made = same(pa.table({"a": array}))
    try:
        rows = array.to_pylist()
    except (ValueError, OverflowError):
        assume(False)
    assert [repr(made.row(number).get("a")) for number in range(len(made))] == list(map(repr, rows))


@given(columns_of(st.integers(-3, 3) | BIG, "a"), columns_of(st.sampled_from(["a", "ab", "b"]), "b"))
def test_tables_and_batches(numbers, texts):
    count = min(len(numbers["a"]), len(texts["b"]))
    columns = {"a": numbers["a"][:count], "b": texts["b"][:count]}
    schema = pa.schema({"a": pa.int64(), "b": pa.string()})
    rows = rows_of(columns)
    same(pa.table(columns, schema), rows)
    same(pa.RecordBatch.from_pydict(columns, schema), rows)
    same({name: pa.array(values, schema.field(name).type) for name, values in columns.items()}, rows)


def test_arrow_holds_python_values():
    columns = {
        "instant": (pa.array([1767225600_000001999], pa.timestamp("ns")), dt.datetime(2026, 1, 1, 0, 0, 0, 1)),
        "before": (pa.array([-1], pa.timestamp("ns")), dt.datetime(1969, 12, 31, 23, 59, 59, 999999)),
        "zoned": (pa.array([-1], pa.timestamp("ns", "UTC")), dt.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)),
        "duration": (pa.array([-1], pa.duration("ns")), dt.timedelta(microseconds=-1)),
        "named": (
            pa.array([-1], pa.timestamp("ns")).dictionary_encode(),
            dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
        ),
        "decimal": (pa.array([Decimal("1.50")]), Decimal("1.50")),
        "struct": (pa.array([{"x": [1, None]}]), {"x": [1, None]}),
        "pairs": (pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int8())), [("k", 1)]),
        "runs": (pa.RunEndEncodedArray.from_arrays([1], ["a"]), "a"),
        "id": (pa.array([bytes(16)], pa.uuid()), uuid.UUID(int=0)),
    }
    made = same(pa.table({name: array for name, (array, _) in columns.items()}))
    assert made.row(0) == {name: value for name, (_, value) in columns.items()}
    same({"a": columns["runs"][0]}, [{"a": "a"}])
    same({"a": columns["struct"][0]}, [{"a": {"x": [1, None]}}])


def test_what_python_has_no_object_for_exists():
    late = pa.array([2**62, 0], pa.timestamp("s"))
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32).tobytes()), pa.py_buffer(b"\xffa")]
    )
    for array, second in ((late, dt.datetime(1970, 1, 1)), (broken, "a")):
        made = same({"a": array})
        assert repr(made.row(0)["a"]) == f"<a {array.type} that Python has no object for>"
        assert made.row(1) == {"a": second}
    for kind in (pa.timestamp("s"), pa.duration("us")):
        same({"a": pa.array([-(2**63), None, 5], kind)})
    index = index_of([it.a.exists()])
    batch = Columns({"a": late}).encoded(index._readers, index._slots)
    assert batch.a[:, 1].tolist() == [1.0, 1.0]


def test_a_dictionary_that_serves_many_more_events():
    array = pa.DictionaryArray.from_arrays(pa.array([70, None, 3]), pa.array([f"{n}" for n in range(99)] + [None]))
    same({"a": array}, [{"a": "70"}, {}, {"a": "3"}], [it.a == "70", it.a == "3", it.b == 1])


def test_arrow_without_rows_or_columns():
    assert len(same(pa.table({}))) == 0
    assert len(same(pa.table({"a": pa.array([], pa.string())}))) == 0
    assert len(same({"a": pa.chunked_array([], pa.timestamp("ns"))})) == 0
    bare = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    same(bare, [{}, {}])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (lambda: pa.table([[1], [2]], names=["a", "a"]), "two columns are called 'a'"),
        (lambda: pa.array([1]), "not a value of type Int64Array"),
        (lambda: {"a": pa.array([1]), "b": pa.array([1, 2])}, "'a' has 1 values, 'b' has 2"),
        (lambda: {"a": pa.scalar(1)}, "column 'a' is of type Int64Scalar"),
        (lambda: {"a": pa.table({})}, "column 'a' is of type Table"),
    ],
)
def test_arrow_that_is_no_columns(columns, message):
    with pytest.raises(InvalidValue, match=message):
        Columns(columns())
