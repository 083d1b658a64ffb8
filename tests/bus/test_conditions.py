"""Many conditional subscribers: an index serves them while they come and go, a compiled function once they stay."""

from threading import Barrier, Thread

import pytest

import rostra
from rostra import DAStrongSet, it
from rostra.bus import conditions


class Tick(rostra.Event):
    value: int
    name: str = ""


@pytest.fixture
def bus():
    with rostra.connect() as bus:
        yield bus


def heard(count, ticks):
    """Subscribe with conditions of several kinds; returns for each what it hears."""
    kinds = [
        lambda n: it.value == n,
        lambda n: (it.value >= n) & (it.value < n + 10),
        lambda n: it.name.endswith(f"{n % 10}"),
        lambda n: (it.value == n) | (it.name == f"n{n}"),
        lambda n: it.value + 1 > n,
    ]
    result = []
    for number in range(count):
        got = []
        condition = kinds[number % len(kinds)](number)
        result.append((condition, got, ticks.contains(got.append, condition)))
    return result


@pytest.mark.spec("A13")
@pytest.mark.parametrize("count", [3, conditions.COMPILED_AT_ONCE + 1, 300])
def test_each_hears_what_its_condition_says(bus, count):
    ticks = DAStrongSet[Tick]("/ticks", pull=False, bus=bus)
    subscribers = heard(count, ticks)
    messages = [Tick(value, f"n{value}") for value in range(60)]
    for message in messages:
        ticks.add(message)
    assert bus.flush(10)
    for condition, got, subscription in subscribers:
        assert got == [message for message in messages if condition(message)]
        assert subscription.stats.is_balanced


def test_code_takes_over_from_the_index(bus, monkeypatch):
    monkeypatch.setattr(conditions, "COMPILED_ASIDE_AFTER", 20)
    ticks = DAStrongSet[Tick]("/ticks", pull=False, bus=bus)
    subscribers = heard(100, ticks)
    made = []
    compiled = conditions.compile_group
    monkeypatch.setattr(conditions, "compile_group", lambda *given: made.append(given) or compiled(*given))
    messages = [Tick(value, f"n{value}") for value in range(400)]
    for message in messages:
        ticks.add(message)
        if message.value == 30:
            with conditions._compiling:  # it has begun, and has ended
                assert len(made) == 1
    assert bus.flush(10)
    for condition, got, _ in subscribers:
        assert got == [message for message in messages if condition(message)]


def test_subscribers_come_and_go_beside_many_others(bus):
    ticks = DAStrongSet[Tick]("/ticks", pull=False, bus=bus)
    steady = heard(150, ticks)
    start, closed = Barrier(4), []

    def publish():
        start.wait()
        for value in range(300):
            ticks.add(Tick(value % 100, f"n{value}"))

    def come_and_go():
        start.wait()
        for number in range(60):
            subscription = ticks.contains(lambda message: None, it.value == number)
            closed.append(subscription)
            if number % 3:
                subscription.close()

    threads = [Thread(target=publish), Thread(target=publish), Thread(target=come_and_go), Thread(target=come_and_go)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bus.flush(10)
    messages = [Tick(value % 100, f"n{value}") for value in range(300)]
    for condition, got, subscription in steady:
        wanted = [message for message in messages if condition(message)]
        assert sorted(map(repr, got)) == sorted(map(repr, wanted * 2)), condition
        assert subscription.stats.is_balanced
    assert all(subscription.stats.is_balanced for subscription in closed)
    late = []
    ticks.contains(late.append, it.value == 7)
    for _ in range(20):
        ticks.add(Tick(7))
    assert bus.flush(10)
    assert len(late) == 20
