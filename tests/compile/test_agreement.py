"""Dynamic evaluation, static filters and groups agree with a plain interpreter on every event."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra.compile import compile_group
from tests import oracle
from tests.strategies import CONDITIONS, EVENTS, Data, Encapsulated, Struct


@pytest.mark.spec("A12", "C4")
@pytest.mark.spec("B9", partly=True)
@settings(max_examples=3000, deadline=None)
@given(CONDITIONS, EVENTS)
def test_dynamic_evaluation_follows_the_written_semantics(condition, event):
    assert condition.decide(event) is oracle.decide(condition, event)


@pytest.mark.spec("B9", partly=True)
@settings(max_examples=3000, deadline=None)
@given(
    CONDITIONS,
    st.lists(EVENTS, min_size=1, max_size=4),
    st.sampled_from([None, dict, Struct, Data, Encapsulated]),
)
def test_static_filters_answer_as_the_interpreter(condition, events, event_type):
    compiled = condition.compile(event_type)
    for event in events:
        assert compiled(event) is (oracle.decide(condition, event) is True)


@pytest.mark.spec("A13")
@pytest.mark.spec("B9", partly=True)
@settings(max_examples=1500, deadline=None)
@given(
    st.lists(CONDITIONS, max_size=8),
    st.lists(EVENTS, min_size=1, max_size=4),
    st.sampled_from([None, dict, Struct]),
)
def test_groups_return_exactly_the_ids_that_match(conditions, events, event_type):
    group = compile_group(dict(enumerate(conditions)), event_type)
    for event in events:
        expected = [i for i, c in enumerate(conditions) if oracle.decide(c, event) is True]
        assert sorted(group(event)) == expected
