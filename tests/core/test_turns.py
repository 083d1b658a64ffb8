from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rostra.core.turns import Turns


@pytest.mark.spec("A5", partly=True)
@given(st.integers(1, 6), st.integers(1, 60))
def test_everyone_is_served_before_anyone_is_served_twice_as_often(members, messages):
    turns: Turns[int] = Turns()
    for member in range(members):
        turns.join(member)
    served: Counter[int] = Counter()
    for _ in range(messages):
        chosen = turns.next(range(members))
        assert chosen is not None
        turns.served(chosen)
        served[chosen] += 1
        assert max(served.values()) - min(served[m] for m in range(members)) <= 1


@pytest.mark.spec("A5", partly=True)
def test_who_does_not_match_keeps_the_turn_and_who_was_tried_is_passed_over():
    turns: Turns[str] = Turns()
    for member in ("a", "b", "c"):
        turns.join(member)
    turns.join("a")
    assert turns.next({"b", "c", "x"}) == "b"
    assert turns.next({"b", "c", "x"}, {"b"}) == "c"
    assert turns.next({"b"}, {"b"}) is None
    turns.served("a")
    assert turns.next({"a", "b", "c"}) == "b"
    turns.leave("b")
    turns.leave("b")
    turns.served("b")
    assert turns.next({"a", "b", "c"}) == "c"
    turns.served("c")
    assert turns.next({"a", "b", "c"}) == "a"
    assert len(turns) == 2
