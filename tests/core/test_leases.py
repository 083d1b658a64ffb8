import pytest
from hypothesis import given
from hypothesis import strategies as st

from rostra.core.leases import Leases

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("grant"), st.integers(0, 4), st.integers(0, 20)),
        st.tuples(st.just("end"), st.integers(0, 4), st.just(0)),
        st.tuples(st.just("now"), st.just(0), st.integers(0, 5)),
    ),
    max_size=80,
)


@pytest.mark.spec("A15", partly=True)
@given(STEPS)
def test_leases_end_when_they_should(steps):
    leases: Leases[int] = Leases()
    model: dict[int, int] = {}
    now = 0
    for action, holder, number in steps:
        if action == "grant":
            leases.grant(holder, now + number)
            model[holder] = now + number
        elif action == "end":
            leases.end(holder)
            model.pop(holder, None)
        else:
            now += number
            ended = leases.expired(now)
            assert sorted(ended) == sorted(h for h, until in model.items() if until <= now)
            assert [model[h] for h in ended] == sorted(model[h] for h in ended)
            model = {h: until for h, until in model.items() if until > now}
        assert len(leases) == len(model)


def test_renewing_for_ever_does_not_fill_memory():
    leases: Leases[str] = Leases()
    for now in range(10_000):
        leases.grant("one", now + 100)
        leases.grant("two", now + 50)
    assert len(leases._heap) < 50
    assert leases.expired(20_000) == ["two", "one"]
