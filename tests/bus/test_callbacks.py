"""Where callbacks run, what happens when they fail, and what they may do."""

import asyncio
import gc
import logging
import threading
from collections import Counter
from threading import Barrier, Event, Thread, current_thread, get_ident

import pytest

import rostra
from rostra import DAList, DASortedSet, DAStrongSet, DAWeakSet, it
from rostra.bus import dispatch
from rostra.bus import publisher as publisher_module
from rostra.bus.embedded import EmbeddedBus
from rostra.bus.failures import TooSlow


class Tick(rostra.Event):
    value: int


@pytest.fixture
def bus():
    bus = EmbeddedBus("callbacks")
    yield bus
    assert bus.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rostra-callbacks")]


@pytest.fixture
def ticks(bus):
    return DAStrongSet[Tick]("/ticks", pull=False, bus=bus)


@pytest.mark.spec("A17")
def test_callbacks_run_where_the_subscriber_wants(bus, ticks):
    threads: dict[str, set[str]] = {}

    def note(name):
        return lambda message: threads.setdefault(name, set()).add(current_thread().name)

    async def main():
        for run in (None, "caller", "serial", "pool", "loop"):
            ticks.contains(note(run), **({"run": run} if run else {}))

        async def coroutine(message):
            threads.setdefault("coroutine", set()).add(current_thread().name)

        ticks.contains(coroutine)
        await asyncio.to_thread(ticks.add, Tick(1))
        assert await bus.aflush()

    asyncio.run(main())
    here = current_thread().name
    assert threads["loop"] == threads["coroutine"] == {here}
    assert threads[None] == threads["caller"] == {next(iter(threads[None]))} != {here}
    assert all(name.startswith("rostra-callbacks-") for run in ("serial", "pool") for name in threads[run])


@pytest.mark.spec("A9", partly=True)
def test_coroutines_run_on_a_loop_of_the_bus_where_there_is_none(bus, ticks):
    got = []

    class Listener:
        async def contains(self, message, topic):
            await asyncio.sleep(0)
            got.append((message.value, topic, current_thread().name))

    ticks.contains(Listener())
    ticks.add(Tick(1))
    assert bus.flush(10)
    assert got == [(1, "/ticks", "rostra-callbacks-loop")]


@pytest.mark.spec("A17")
def test_one_at_a_time_or_several_at_once(bus, ticks):
    running = Counter()
    most = Counter()
    all_in = Barrier(3)

    def busy(name):
        def callback(message):
            running[name] += 1
            most[name] = max(most[name], running[name])
            if name == "pool":
                all_in.wait(10)  # breaks unless three run at once
            running[name] -= 1

        return callback

    ticks.contains(busy("serial"), run="serial")
    ticks.contains(busy("pool"), run="pool")
    for value in range(3):
        ticks.add(Tick(value))
    assert bus.flush(10)
    assert most == {"serial": 1, "pool": 3}


@pytest.mark.spec("A17")
def test_coroutines_in_a_pool_run_several_at_once(bus, ticks):
    async def main():
        all_in = asyncio.Event()
        waiting = []

        async def callback(message):
            waiting.append(message.value)
            if len(waiting) == 3:
                all_in.set()
            await all_in.wait()

        subscription = ticks.contains(callback, run="pool")
        for value in range(3):
            ticks.add(Tick(value))
        assert await bus.aflush(10)
        assert subscription.stats.delivered == 3

    asyncio.run(main())


@pytest.mark.spec("A17", "C1")
def test_a_subscriber_that_hangs_harms_nobody(bus, ticks):
    go_on, got = Event(), []
    hanging = ticks.contains(lambda message: go_on.wait(30), run="serial", queue=10)
    ticks.contains(got.append)
    for value in range(500):
        assert ticks.add(Tick(value))
    assert len(got) == 500
    stats = hanging.stats
    assert stats.pending == 11 or stats.pending == 10  # ten wait, and perhaps one is being handled
    assert stats.dropped == 500 - stats.pending
    assert stats.is_balanced
    go_on.set()


@pytest.mark.spec("A17")
def test_a_subscriber_that_raises_is_counted_logged_and_reported(bus, ticks, caplog):
    reports, own, got = [], [], []
    bus.on_error = reports.append

    def fail(message):
        raise ValueError(f"no {message.value}")

    subscription = ticks.contains(fail, on_error=own.append)
    with_topic = ticks.contains(lambda message, topic: 1 / 0)
    ticks.contains(got.append)
    with caplog.at_level(logging.ERROR, "rostra"):
        for value in range(10):
            assert ticks.add(Tick(value))
    assert len(got) == 10
    assert subscription.stats.dead == subscription.stats.errors == with_topic.stats.dead == 10
    assert [str(failure.error) for failure in own] == [f"no {value}" for value in range(10)]
    assert own[3].source is subscription
    assert own[3].notification.body == Tick(3)
    assert own[3].notification.topic == "/ticks"
    assert len(reports) == 20
    assert len([record for record in caplog.records if "fail" in record.message]) >= 4  # the 1st, 2nd, 4th, 8th


def test_an_error_handler_that_raises_is_logged(bus, ticks, caplog):
    bus.on_error = lambda failure: 1 / 0
    ticks.contains(lambda message: 1 / 0)
    assert ticks.add(Tick(1))
    assert "the error handler" in caplog.text


def test_an_interrupt_reaches_the_publisher_after_everyone_has_the_message(bus, ticks):
    got = []

    def interrupt(message):
        raise KeyboardInterrupt

    ticks.contains(interrupt)
    ticks.contains(got.append)
    ticks.contains(lambda message, topic: got.append(message))
    ticks.contains(got.append, it.value > 0)
    with pytest.raises(KeyboardInterrupt):
        ticks.add(Tick(1))
    assert got == [Tick(1)] * 3
    assert ticks.add is not None
    with pytest.raises(KeyboardInterrupt):
        ticks.add(Tick(2))  # nothing is left in a bad state
    assert len(got) == 6


@pytest.mark.spec("A17")
def test_effects_come_after_causes_for_everyone(bus, ticks):
    first, second = [], []

    def react(message):
        first.append(message.value)
        if message.value < 3:
            assert ticks.add(Tick(message.value + 1))
            assert message.value + 1 not in first

    ticks.contains(react)
    ticks.contains(lambda message: second.append(message.value))
    ticks.add(Tick(0))
    assert first == second == [0, 1, 2, 3]


def test_chains_of_any_length_and_kind_run_flat(bus):
    ping, pong = DAStrongSet[Tick]("/ping", bus=bus), DASortedSet[Tick]("/pong", bus=bus)
    ping.contains(lambda message: message.value and pong.add(Tick(message.value - 1)))
    pong.contains(lambda message: message.value and ping.add(Tick(message.value - 1)))
    assert ping.add(Tick(20_000))
    assert ping.stats.published + pong.stats.published == 20_001


def test_an_avalanche_is_refused_not_swallowed(bus, ticks, monkeypatch):
    monkeypatch.setattr(dispatch, "OUTBOX_MESSAGES", 100)
    answers = []

    def avalanche(message):
        answers.extend(ticks.add(Tick(0)) for _ in range(150) if message.value)

    ticks.contains(avalanche)
    ticks.add(Tick(1))
    assert answers == [True] * 100 + [False] * 50
    assert ticks.stats.refused == 50
    assert ticks.stats.published == 101


@pytest.mark.parametrize("run", ["caller", "serial", "pool", "loop"])
def test_unsubscribing_and_closing_inside_callbacks(run):
    bus = EmbeddedBus("closing")
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    got, closed = [], Event()

    def once(message):
        got.append(message.value)
        subscription.close()

    def close(message):
        if message.value == 2:
            bus.close(timeout=1)
            closed.set()

    subscription = ticks.contains(once, run=run)
    ticks.contains(close, run=run)
    ticks.add(Tick(1))
    assert bus.flush(10)
    ticks.add(Tick(2))
    assert closed.wait(10)
    assert got == [1]
    with pytest.raises(rostra.errors.Closed):
        ticks.add(Tick(3))
    _no_threads_left("rostra-closing")


def test_who_is_unsubscribed_by_an_earlier_subscriber_of_the_same_message_is_not_called(bus, ticks):
    got = []
    ticks.contains(lambda message: later.close())
    later = ticks.contains(got.append)
    ticks.add(Tick(1))
    assert got == []
    assert later.stats.dropped == 1
    assert later.stats.is_balanced


def test_a_full_queue_makes_strong_publishers_wait_where_its_policy_says_so(bus):
    hold, started = Event(), Event()
    strong, weak = DAStrongSet[Tick]("/ticks", bus=bus), DAWeakSet[Tick]("/ticks", bus=bus)
    got = []

    def slow(message):
        started.set()
        hold.wait(30)
        got.append(message.value)

    subscription = strong.contains(slow, run="serial", queue=1, policy="block")
    strong.add(Tick(0))
    assert started.wait(10)
    strong.add(Tick(1))
    assert weak.add(Tick(2))  # lost for the one who is full, and accounted for
    assert subscription.stats.dropped == 1
    answers = []
    waiting = Thread(target=lambda: answers.append(strong.add(Tick(3))))
    waiting.start()
    waiting.join(0.05)
    assert waiting.is_alive()
    hold.set()
    waiting.join(10)
    assert answers == [True]
    assert bus.flush(10)
    assert got == [0, 1, 3]


def test_a_publisher_gives_up_after_a_while(bus, ticks, monkeypatch):
    monkeypatch.setattr(publisher_module, "OUTBOX_SECONDS", 0.02)
    hold, started, others = Event(), Event(), []
    ticks.contains(lambda message: (started.set(), hold.wait(30)), run="serial", queue=1, policy="block")
    ticks.contains(others.append)
    ticks.add(Tick(0))
    assert started.wait(10)
    assert ticks.add(Tick(1))
    assert ticks.add(Tick(2)) is False
    assert others == [Tick(0), Tick(1)]  # refused means that nobody got it
    assert ticks.stats.refused == 1
    hold.set()


def test_nobody_waits_for_oneself(bus, ticks):
    """A callback that publishes into its own full queue, or an event loop into its own, is told no at once."""
    answers = []

    def feed_oneself(message):
        if message.value == 0:
            answers.extend([ticks.add(Tick(1)), ticks.add(Tick(2))])

    ticks.contains(feed_oneself, run="serial", queue=1, policy="block")
    ticks.add(Tick(0))
    assert bus.flush(10)
    assert answers == [True, False]

    async def main():
        async def callback(message):
            pass

        other = DAStrongSet[Tick]("/loop", bus=bus)
        other.contains(callback, queue=1, policy="block")
        return [other.add(Tick(value)) for value in range(3)]

    assert asyncio.run(main()) == [True, False, False]


def test_who_cannot_keep_up_is_closed_where_its_policy_says_so(bus, ticks):
    hold, reports = Event(), []
    bus.on_error = reports.append
    slow = ticks.contains(lambda message: hold.wait(30), run="serial", queue=2, policy="disconnect")
    for value in range(10):
        ticks.add(Tick(value))
    assert not slow
    assert slow.stats.is_balanced
    assert isinstance(reports[0].error, TooSlow)
    hold.set()


def test_the_latest_of_each_key_waits(bus):
    hold, started, got = Event(), Event(), []
    quotes = DAStrongSet[Tick]("/quotes", bus=bus)

    def slow(message):
        started.set()
        hold.wait(30)
        got.append(message.value)

    quotes.contains(slow, run="serial", policy="latest")
    quotes.add(Tick(0), key="first")
    assert started.wait(10)
    for value in range(1, 10):
        quotes.add(Tick(value), key=value % 2)
    hold.set()
    assert bus.flush(10)
    assert got == [0, 8, 9]


def test_priorities_overtake_where_no_order_was_promised(bus):
    for cls, expected in ((DAStrongSet, [0, 2, 1]), (DAList, [0, 1, 2])):
        hold, started, got = Event(), Event(), []
        ticks = cls[Tick](f"/{cls.__name__}", bus=bus)

        def slow(message, hold=hold, started=started, got=got):
            started.set()
            hold.wait(30)
            got.append(message.value)

        ticks.contains(slow, run="serial")
        ticks.add(Tick(0))
        assert started.wait(10)
        ticks.add(Tick(1))
        ticks.add(Tick(2), priority=9)
        hold.set()
        assert bus.flush(10)
        assert got == expected


def test_jobs_of_a_worker_that_goes_away_go_to_another(bus):
    hold, started, done = Event(), Event(), []
    jobs = DAStrongSet[Tick]("/jobs", bus=bus)

    def slow(message):
        started.set()
        hold.wait(30)

    first = jobs.remove(slow, run="serial")
    for value in range(5):
        jobs.add(Tick(value))
    assert started.wait(10)
    second = jobs.remove(lambda message: done.append(message.value))
    first.close()
    assert sorted(done) == [1, 2, 3, 4]
    hold.set()
    assert bus.flush(10)
    assert second.stats.is_balanced
    assert second.stats.delivered == 5
    assert (first.delivered, second.delivered) == (1, 4)


@pytest.mark.spec("A14", partly=True)
def test_one_order_also_when_a_message_is_delivered_by_another_thread(bus):
    """While one thread delivers, the other's messages wait in the lane: it does not wait for them."""
    inside, go_on, got = Event(), Event(), []
    numbers = DASortedSet[Tick]("/numbers", bus=bus)

    def slow(message):
        got.append((message.value, get_ident()))
        if message.value == 0:
            inside.set()
            go_on.wait(30)

    numbers.contains(slow)
    driver = Thread(target=numbers.add, args=(Tick(0),))
    driver.start()
    assert inside.wait(10)
    assert numbers.add(Tick(1))
    assert [value for value, _ in got] == [0]
    go_on.set()
    driver.join(10)
    assert [value for value, _ in got] == [0, 1]
    assert got[0][1] == got[1][1] == driver.ident


def test_a_driver_is_relieved_after_a_fair_share_of_others_messages(bus):
    inside, go_on, threads = Event(), Event(), []
    numbers = DASortedSet[Tick]("/numbers", pull=False, bus=bus)

    def slow(message):
        threads.append(current_thread().name)
        if message.value == 0:
            inside.set()
            go_on.wait(30)

    numbers.contains(slow)
    driver = Thread(target=numbers.add, args=(Tick(0),), name="driver")
    driver.start()
    assert inside.wait(10)
    for value in range(1, 201):
        assert numbers.add(Tick(value))
    go_on.set()
    driver.join(10)
    assert bus.flush(10)
    assert len(threads) == 201
    assert threads.count("driver") < 100
    assert all(name.startswith("rostra-callbacks") for name in threads if name != "driver")


def test_a_full_lane_refuses(bus, monkeypatch):
    monkeypatch.setattr(dispatch, "OUTBOX_MESSAGES", 10)
    monkeypatch.setattr(dispatch, "OUTBOX_SECONDS", 0.02)
    inside, go_on, got = Event(), Event(), []
    numbers = DAList[Tick]("/numbers", pull=False, bus=bus)

    def slow(message):
        got.append(message.value)
        inside.set()
        go_on.wait(30)

    numbers.contains(slow)
    driver = Thread(target=numbers.add, args=(Tick(0),))
    driver.start()
    assert inside.wait(10)
    answers = [numbers.add(Tick(value)) for value in range(1, 13)]
    assert answers == [True] * 10 + [False] * 2
    go_on.set()
    driver.join(10)
    assert bus.flush(10)
    assert got == list(range(11))
    assert numbers.stats.refused == 2


def test_many_threads_publish_subscribe_and_unsubscribe(bus):
    ticks = DAStrongSet[Tick]("/ticks", pull=False, bus=bus)
    steady, closed, start = [], [], Barrier(5)
    kept = ticks.contains(lambda message: steady.append(message.value))
    conditional = ticks.contains(lambda message: None, it.value < 250)

    def publish():
        start.wait()
        for value in range(500):
            ticks.add(Tick(value))

    def come_and_go():
        start.wait()
        for number in range(200):
            subscription = ticks.contains(lambda message: None, it.value < 100 if number % 2 else None)
            subscription.close()
            closed.append(subscription)

    threads = [Thread(target=publish) for _ in range(3)] + [Thread(target=come_and_go) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(steady) == kept.stats.delivered == kept.stats.offered == 1500
    assert conditional.stats[:3] == (1500, 750, 750)
    assert all(subscription.stats.is_balanced for subscription in closed)
    assert ticks.stats.published == 1500


def test_publishing_while_the_lock_is_held_does_not_hang(bus, ticks):
    """Signal handlers and finalizers run at any moment, also in the middle of the bus's own work."""
    got = []
    ticks.contains(got.append)

    class Publishes:
        def __del__(self):
            ticks.add(Tick(1))
            ticks.contains(got.append).close()

    with bus.lock:
        Publishes()
        gc.collect()
    assert bus.flush(10)
    assert got == [Tick(1)]


def test_callbacks_see_consistent_counters(bus, ticks):
    balanced = []
    subscriptions = []
    subscriptions.append(ticks.contains(lambda message: 1 / 0))
    subscriptions.append(ticks.contains(lambda message: balanced.extend(s.stats.is_balanced for s in subscriptions)))
    subscriptions.append(ticks.remove(lambda message: balanced.extend(s.stats.is_balanced for s in subscriptions)))
    ticks.add(Tick(1))
    assert balanced == [True] * 6


def _no_threads_left(prefix):
    for thread in threading.enumerate():
        if thread.name.startswith(prefix):
            thread.join(10)
            assert not thread.is_alive(), thread.name
