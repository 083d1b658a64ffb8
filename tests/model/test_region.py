"""Regions are sets: union, intersection and complement behave like those of their values."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra import it
from rostra.conditions import Always, Never
from rostra.model import region
from rostra.model.accessor import MESSAGE
from rostra.model.box import constraint
from rostra.model.describe import described, hull
from rostra.model.normal import disjunction
from rostra.model.region import EVERYTHING, NOTHING, PRESENT
from tests.brute import A_VALUES

TEXT_EDGES = ["", "\0", "a", "a\0", "a\U0010ffff", "b", "\ud7ff", "\ue000", "\U0010ffff"]
BYTE_EDGES = [b"", b"\x00", b"a", b"a\xff", b"\xff", b"\xff\xff"]
TIMES = [dt.datetime.min, dt.datetime(2026, 1, 1), dt.datetime.max]
DURATIONS = [dt.timedelta.min, dt.timedelta(0), dt.timedelta.max]
CONSTANTS = [1, 2.5, float("inf"), float("-inf"), True, False, *TEXT_EDGES, *BYTE_EDGES, *TIMES, *DURATIONS]
VALUES = [*A_VALUES, *CONSTANTS, "a\0\0", "\ud800", "\udfff", b"\xff\x00", dt.timedelta(microseconds=1), object()]
TESTS = st.sampled_from(
    [
        test
        for c in CONSTANTS
        for test in (it == c, it != c, it < c, it <= c, it > c, it >= c)
    ]
    + [it.startswith(text) for text in (*TEXT_EDGES, *BYTE_EDGES)]
    + [it.exists(), ~it.exists()]
)  # fmt: skip
REGIONS = st.recursive(
    TESTS.map(lambda test: (constraint(test).allowed, frozenset(i for i, v in enumerate(VALUES) if test(v)))),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: (p[0][0] | p[1][0], p[0][1] | p[1][1])),
        st.tuples(inner, inner).map(lambda p: (p[0][0] & p[1][0], p[0][1] & p[1][1])),
        inner.map(lambda p: (~p[0], frozenset(range(len(VALUES))) - p[1])),
    ),
    max_leaves=6,
)


@pytest.mark.spec("C6")
@settings(max_examples=1500, deadline=None)
@given(REGIONS)
def test_a_region_holds_exactly_the_values_it_was_made_of(pair):
    values, members = pair
    condition = described(MESSAGE, values) if "\\ud800" not in repr(values) else None
    if condition is not None:
        assert frozenset(i for i, v in enumerate(VALUES) if condition(v)) == members
    if values.is_empty:
        assert not members


@settings(max_examples=500, deadline=None)
@given(REGIONS, REGIONS)
def test_set_laws(one, two):
    a, b = one[0], two[0]
    assert ~~a == a
    assert ~(a | b) == ~a & ~b
    assert a - b == a & ~b
    assert (a | b) & a == a
    assert (a & b).within(a)
    assert a.within(a | b)
    assert a.within(b) is (a - b).is_empty
    assert a & ~a == NOTHING
    assert a | ~a == EVERYTHING


@settings(max_examples=300, deadline=None)
@given(REGIONS)
def test_a_hull_is_around_its_region_and_a_single_conjunction(pair):
    around = hull(pair[0])
    assert pair[0].within(around)
    if "\\ud800" not in repr(around):
        conjunctions = disjunction(described(MESSAGE, around))
        assert conjunctions is not None
        assert len(conjunctions) <= 1


def test_ends_of_the_families():
    assert described(MESSAGE, EVERYTHING) == Always()
    assert described(MESSAGE, NOTHING) == Never()
    assert described(MESSAGE, PRESENT) == it.exists()
    assert constraint(it < dt.datetime.min).allowed.is_empty
    assert constraint(it > dt.datetime.max).allowed.is_empty
    assert constraint(it > float("inf")).allowed.is_empty
    assert constraint(it < "").allowed.is_empty
    assert constraint(it > True).allowed.is_empty
    assert not constraint(it > "\U0010ffff").allowed.is_empty
    assert region.after_prefix("\U0010ffff") == region.TOP
    assert region.after_prefix(b"a\xff\xff") == (0, b"b", 0)
