"""The benchmark of matching at a tiny size: its workloads are as described, and the engines agree on them."""

import numpy as np
import pytest

pytest.importorskip("numba")

from bench import matching, scan, workloads

Workload, KINDS, DOMAIN, STEP = workloads.Workload, workloads.KINDS, workloads.DOMAIN, workloads.STEP
TINY = matching.Size(2_000, timed=400, batch=20, warm_up=20)


def owners(subscriptions):
    return np.repeat(np.arange(subscriptions.size), np.diff(subscriptions.first))


@pytest.mark.parametrize("kind", KINDS)
def test_every_workload_runs_and_agrees_with_the_scan(kind):
    measured = matching.measured(kind, TINY)
    assert all(number > 0 for number in measured[2:])
    assert measured.match <= measured.match_p99
    assert [line.what for line in matching.lines(measured)]


def test_a_difference_ends_the_program():
    with pytest.raises(SystemExit, match=r"1 too many \[3\], 1 missing \[2\], 0 repeated"):
        matching.same("both", [1, 3], [1, 2])
    with pytest.raises(SystemExit, match="1 repeated"):
        matching.same("both", [1, 1], [1])


def test_matches_go_on_while_conditions_come_and_go():
    churn = matching.churned(500, seconds=0.2, rate=500)
    assert len(churn.times) > 0
    assert 0 < churn.rate <= 510
    assert churn.percentile(50) <= churn.percentile(99.9)


def test_an_index_answers_in_another_process():
    shipped = matching.shipped(500)
    assert shipped.bytes > 0
    assert shipped.seconds > 0


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_draws_the_same(kind):
    one, same, other = Workload(kind, 100), Workload(kind, 100), Workload(kind, 100, seed=8)
    assert all(map(np.array_equal, one.subscriptions, same.subscriptions))
    assert all(map(np.array_equal, one.events(10), same.events(10)))
    assert not np.array_equal(one.subscriptions.low, other.subscriptions.low)
    assert not np.array_equal(one.events(10).value, one.events(10, seed=1).value)


@pytest.mark.parametrize("kind", KINDS)
def test_subscriptions_have_the_predicates_of_their_kind(kind):
    wanted, subscriptions = KINDS[kind], Workload(kind, 6_000).subscriptions
    counts = np.diff(subscriptions.first)
    assert subscriptions.size == 6_000
    assert set(counts.tolist()) == set(wanted.predicates)
    assert counts.mean() == pytest.approx(np.mean(wanted.predicates), abs=0.05)
    pairs = owners(subscriptions) * wanted.attributes + subscriptions.attribute
    assert len(np.unique(pairs)) == len(pairs), "no attribute twice in a subscription"
    share = (subscriptions.attribute < wanted.categorical).mean()
    if not wanted.zipf:
        assert share == pytest.approx(wanted.categorical / wanted.attributes, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_predicates_are_as_wide_as_described(kind):
    wanted, (_, attribute, low, high) = KINDS[kind], Workload(kind, 6_000).subscriptions
    assert low.min() >= 0
    assert high.max() < DOMAIN
    categorical = attribute < wanted.categorical
    assert np.array_equal(low[categorical], high[categorical])
    assert (low[categorical] % STEP == 0).all()
    if categorical.all():
        return
    low, high = low[~categorical], high[~categorical]
    one_sided = (low == 0) | (high == DOMAIN - 1)
    widths = (high - low)[~one_sided] / DOMAIN
    narrow, wide = wanted.widths
    assert one_sided.mean() == pytest.approx(wanted.one_sided, abs=0.02)
    assert widths.min() >= narrow - 2e-6
    assert widths.max() <= wide + 2e-6
    assert widths.mean() == pytest.approx((narrow + wide) / 2, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_events_have_the_attributes_of_their_kind(kind):
    wanted, workload = KINDS[kind], Workload(kind, 10)
    events = workload.events(2_000)
    assert events.attribute.shape == events.value.shape == (2_000, wanted.per_event)
    assert (np.diff(events.attribute, axis=1) > 0).all(), "in order, none twice"
    assert 0 <= events.value.min() <= events.value.max() < DOMAIN
    assert (events.value[events.attribute < wanted.categorical] % STEP == 0).all()
    assert len(np.unique(events.attribute)) == wanted.attributes
    dicts = workload.dicts(events)
    assert {len(event) for event in dicts} == {wanted.per_event}
    assert {name: type(value) for event in dicts for name, value in event.items()} == {
        f"a{i}": str if i < wanted.categorical else int for i in range(wanted.attributes)
    }


def test_popular_attributes_are_popular_in_subscriptions_and_events():
    workload = Workload("sparse100", 20_000)
    asked = np.bincount(workload.subscriptions.attribute, minlength=100)
    given = np.bincount(workload.events(20_000).attribute.ravel(), minlength=100)
    assert np.corrcoef(np.argsort(np.argsort(asked)), np.argsort(np.argsort(given)))[0, 1] > 0.9
    assert asked.max() > 8 * asked.min()


@pytest.mark.parametrize("kind", KINDS)
def test_conditions_and_scans_say_the_same(kind):
    workload = Workload(kind, 300)
    conditions, engine, drawn = list(workload.conditions()), scan.Scan(workload), workload.events(30)
    for event, array in zip(workload.dicts(drawn), engine.encode(drawn), strict=True):
        wanted = [i for i, condition in enumerate(conditions) if condition(event)]
        assert engine.lean(array).tolist() == engine.textbook(array).tolist() == wanted


def test_columns_say_none_where_an_attribute_is_missing():
    assert workloads.columns([{"a": 1, "b": "x"}, {"b": "y"}]) == {"a": [1, None], "b": ["x", "y"]}
