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
        chosen = turns.order(range(members))[0]
        turns.served(chosen)
        served[chosen] += 1
        assert max(served.values()) - min(served[m] for m in range(members)) <= 1


@pytest.mark.spec("A5", partly=True)
def test_who_fails_or_does_not_match_keeps_the_turn():
    turns: Turns[str] = Turns()
    for member in ("a", "b", "c"):
        turns.join(member)
    turns.join("a")
    assert turns.order({"b", "c", "x"}) == ["b", "c"]
    turns.served("c")  # b failed, c took it
    assert turns.order({"a", "b", "c"}) == ["a", "b", "c"]
    turns.served("a")
    turns.leave("b")
    turns.leave("b")
    turns.served("b")
    assert turns.order({"a", "b", "c"}) == ["c", "a"]
    assert len(turns) == 2
