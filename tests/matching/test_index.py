"""The index against asking each condition: the same ids, whatever the conditions, the events and the ways."""

import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra import it
from rostra.conditions import And, Or
from rostra.errors import InvalidValue
from rostra.matching import Index, index, jit, plain, segment
from tests.strategies import CONDITIONS, EVENTS

NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from(
        [2**53, 2**53 + 1, -(2**53) - 1, 10**400, Decimal("0.1"), Decimal("0.30000000000000001"), 0.1, 0.3]
    ),
    st.sampled_from([math.inf, -math.inf, math.nan, -0.0, True, None, "1", "abc", "abd"]),
)


@pytest.fixture(params=["plain", "compiled"])
def loops(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
        assert jit.ready(120)
        return jit._loops
    monkeypatch.setattr(jit, "loops", lambda: plain)
    return plain


@pytest.fixture(params=["as it is", "blocks at once", "chains only"])
def _ways(request, monkeypatch):
    if request.param == "blocks at once":
        monkeypatch.setattr(segment, "LOOSE", 2)
        monkeypatch.setattr(index, "SELECTIVE", -1.0)
    elif request.param == "chains only":
        monkeypatch.setattr(index, "SELECTIVE", 1.0)


def agree(conditions, events):
    found = Index()
    for key, condition in conditions.items():
        found.add(key, condition)
    for event in events:
        assert sorted(found.match(event)) == [key for key, condition in conditions.items() if condition(event)], event
    return found


@pytest.mark.usefixtures("loops", "_ways")
@given(st.lists(CONDITIONS, max_size=12), st.lists(EVENTS, min_size=1, max_size=4))
@settings(max_examples=60)
def test_any_conditions_and_events(conditions, events):
    agree(dict(enumerate(conditions)), events)


NAMES = st.sampled_from("xyz")
OPERATORS = st.sampled_from(["__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"])
CONSTANTS = NUMBERS.filter(lambda n: n is not None and n == n and not isinstance(n, bool))
TESTS = st.one_of(
    st.builds(lambda name, operator, value: getattr(it[name], operator)(value), NAMES, OPERATORS, CONSTANTS),
    st.builds(lambda name, values: it[name].is_in(values), NAMES, st.lists(st.integers(-3, 3), max_size=4)),
    st.builds(lambda name: it[name].exists(), NAMES),
    st.builds(lambda name, start: it[name].startswith(start), NAMES, st.sampled_from(["a", "ab", "abc"])),
)
LITERALS = st.one_of(TESTS, TESTS.map(lambda test: ~test))
CONJUNCTIONS = st.lists(LITERALS, min_size=1, max_size=4).map(lambda some: And(*some))
DISJUNCTIONS = st.lists(CONJUNCTIONS, min_size=2, max_size=3).map(lambda some: Or(*some))
NUMERIC_EVENTS = st.dictionaries(NAMES, NUMBERS)


@pytest.mark.usefixtures("loops", "_ways")
@given(st.lists(CONJUNCTIONS, max_size=15), st.lists(NUMERIC_EVENTS, min_size=1, max_size=8))
@settings(max_examples=80)
def test_numbers_of_every_size_and_kind(conditions, events):
    agree(dict(enumerate(conditions)), events)


@pytest.mark.usefixtures("loops", "_ways")
@given(st.data())
@settings(max_examples=40)
def test_adding_removing_and_replacing_at_any_time(data):
    found, model = Index(), {}
    for _ in range(data.draw(st.integers(1, 40))):
        action = data.draw(st.sampled_from(["add", "add", "remove", "replace", "match"]))
        if action == "add":
            key = len(model) + data.draw(st.integers(0, 1)) * 1000
            if key in model:
                with pytest.raises(InvalidValue, match="use replace"):
                    found.add(key, it.x > 1)
                continue
            model[key] = data.draw(
                st.one_of(CONJUNCTIONS, st.lists(CONJUNCTIONS, min_size=2, max_size=3).map(lambda some: Or(*some)))
            )
            found.add(key, model[key])
        elif model and action in ("remove", "replace"):
            key = data.draw(st.sampled_from(sorted(model)))
            if action == "remove":
                del model[key]
                found.remove(key)
            else:
                model[key] = data.draw(CONJUNCTIONS)
                found.replace(key, model[key])
        event = data.draw(NUMERIC_EVENTS)
        assert sorted(found.match(event)) == sorted(key for key, condition in model.items() if condition(event))
        assert len(found) == len(model)
    with pytest.raises(KeyError):
        found.remove("never there")
