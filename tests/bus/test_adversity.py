"""Subscribers, programs and moments that do their worst."""

import asyncio
import functools
import random
import signal
import sys
import threading
import time
from threading import Event, Thread
from unittest.mock import Mock

import pytest

from rostra import DAList, DASortedSet, DAStrongBag, DAStrongSet, DAWeakBag, DAWeakSet, it
from rostra.bus import embedded, workers
from rostra.bus.embedded import EmbeddedBus
from rostra.bus.workers import Workers
from rostra.errors import Closed, InvalidType, InvalidValue


@pytest.fixture
def bus():
    bus = EmbeddedBus("adversity")
    yield bus
    bus.close(timeout=2)
    _no_threads_left()


def _no_threads_left():
    for thread in threading.enumerate():
        if thread.name.startswith("rostra-adversity"):
            thread.join(10)
            assert not thread.is_alive(), thread.name


@pytest.fixture
def numbers(bus):
    return DAStrongSet[int]("/numbers", pull=False, bus=bus)


@pytest.mark.parametrize("cls", [DAStrongSet, DASortedSet])
def test_an_interrupt_at_any_moment_leaves_the_bus_alive(bus, cls):
    numbers, got = cls[int]("/numbers", pull=False, bus=bus), []
    numbers.contains(got.append)
    numbers.add(0)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for _ in range(300):
            with pytest.raises(KeyboardInterrupt):
                _publish_until_interrupted(numbers)
            got.clear()
            assert numbers.add(2)
            assert got[-1] == 2
    finally:
        signal.signal(signal.SIGALRM, before)
    assert bus.flush(10)


def _publish_until_interrupted(numbers):
    signal.setitimer(signal.ITIMER_REAL, random.uniform(20e-6, 150e-6))
    while True:
        numbers.add(1)


def test_a_signal_handler_may_publish_at_any_moment(bus):
    numbers, got = DAList[int]("/numbers", bus=bus), []
    numbers.contains(got.append)
    before = signal.signal(signal.SIGALRM, lambda *_: numbers.add(1))
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        deadline = time.monotonic() + 1
        while time.monotonic() < deadline:
            assert numbers.add(0)
            numbers.get()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert bus.flush(10)
    assert len(got) == numbers.stats.published
    assert got.count(1) > 10


def test_a_subscription_ends_with_its_event_loop(bus, numbers):
    loop, got = asyncio.new_event_loop(), []

    async def subscribe():
        async def callback(message):
            await asyncio.sleep(60)

        return numbers.contains(callback), numbers.remove(callback)

    each, member = loop.run_until_complete(subscribe())
    numbers.add(1)
    loop.run_until_complete(asyncio.sleep(0))
    for task in asyncio.all_tasks(loop):
        task._log_destroy_pending = False
    loop.close()
    numbers.remove(got.append)
    numbers.add(2)
    assert bus.flush(10)
    assert not each
    assert not member
    assert sorted(got) == [1, 2]  # what the dead member had in hand goes to the other
    assert each.stats.is_balanced
    assert member.stats.delivered == 2


def test_errors_that_are_no_exceptions_do_not_end_coroutines(bus, numbers, caplog):
    class Abort(BaseException):
        pass

    got, innocent = [], []

    async def callback(message):
        if message == 0:
            raise Abort
        if message == 1:
            sys.exit()
        if message == 2:
            task = asyncio.create_task(asyncio.sleep(60))
            task.cancel()
            await task
        got.append(message)

    async def other(message):
        innocent.append(message)

    subscription = numbers.contains(callback)
    numbers.contains(other)
    for number in range(5):
        numbers.add(number)
    assert bus.flush(10)
    assert got == [3, 4]
    assert innocent == [0, 1, 2, 3, 4]
    assert subscription.stats.dead == 3


@pytest.mark.spec("A17")
def test_many_hanging_callbacks_hold_up_nobody_else(bus, numbers):
    hang, got = Event(), []
    numbers.contains(lambda message: hang.wait(30), run="pool")
    for number in range(100):
        numbers.add(number)
    other, ordered = DAStrongSet[int]("/other", bus=bus), DAList[int]("/ordered", bus=bus)
    for _ in range(20):
        other.contains(lambda message: hang.wait(30), run="serial")
    other.contains(got.append, run="serial")
    other.add(1)
    inside, go_on = Event(), Event()
    ordered.contains(lambda message: (inside.set(), go_on.wait(30)) if message == 0 else None)
    driver = Thread(target=ordered.add, args=(0,))
    driver.start()
    assert inside.wait(10)
    for number in range(1, 200):
        ordered.add(number)
    go_on.set()
    _wait_until(lambda: got == [1])
    _wait_until(lambda: ordered.stats.pull.offered == 200)
    driver.join(10)
    hang.set()


def test_a_lapsed_lease_in_a_group(bus, numbers):
    got, clock = [], [0.0]
    bus._monotonic = lambda: clock[0]
    numbers.remove(lambda message: None, lease=1)
    clock[0] = 2.0
    numbers.remove(got.append)
    numbers.add(1)
    assert got == [1]


def test_a_lease_that_ends_while_messages_wait(bus, numbers):
    clock, hold, started, got = [0.0], Event(), Event(), []
    bus._monotonic = lambda: clock[0]

    def slow(message):
        started.set()
        hold.wait(30)
        got.append(message)

    leased = numbers.contains(slow, run="serial", lease=1)
    for number in range(3):
        numbers.add(number)
    assert started.wait(10)
    clock[0] = 2.0
    hold.set()
    assert bus.flush(10)
    assert got == [0]
    assert leased.stats.dropped == 2


def test_room_that_was_kept_and_not_used_is_given_up(bus, numbers):
    got, answers = [], iter([True, False] * 10)
    numbers.contains(got.append, run="serial", policy="block", queue=1)
    for _ in range(3):
        assert numbers.add(1, ttl=0)
    fickle = DAStrongSet[int]("/fickle", bus=bus)
    fickle.contains(got.append, lambda message: next(answers), run="serial", policy="block", queue=1)
    started = time.monotonic()
    for _ in range(4):
        assert fickle.add(2)
    assert numbers.add(3)
    assert time.monotonic() - started < 4
    assert bus.flush(10)
    assert got == [3]


def test_jobs_whose_publisher_and_worker_are_gone_reach_who_comes_later(bus, numbers):
    hold, started, got = Event(), Event(), []
    first = numbers.remove(lambda message: (started.set(), hold.wait(30)), run="serial")
    with DAStrongSet[int]("/numbers", pull=False, bus=bus) as publisher:
        for number in range(5):
            publisher.add(number)
    assert started.wait(10)
    second = numbers.remove(got.append)
    first.close()
    assert got == [1, 2, 3, 4]
    hold.set()
    assert bus.flush(10)
    assert second.stats.is_balanced


def test_odd_subscribers(bus, numbers):
    mock = Mock()
    numbers.contains(mock)
    got = []

    async def coroutine(prefix, message):
        got.append((prefix, message))

    numbers.contains(functools.partial(coroutine, "partial"))
    numbers.contains(lambda message: coroutine("lambda", message), run="loop")
    numbers.add(1)
    assert bus.flush(10)
    mock.assert_called_once_with(1)
    assert sorted(got) == [("lambda", 1), ("partial", 1)]

    async def generator(message):
        yield message

    with pytest.raises(InvalidType, match="use a coroutine"):
        numbers.contains(generator)
    with pytest.raises(InvalidType, match="on_error is a function"):
        numbers.contains(print, on_error=3)
    with pytest.raises(InvalidType, match="cannot subscribe"):
        numbers.contains("typo", it > 3)
    with pytest.raises(InvalidType, match="coroutine"):
        numbers.contains(print, generator_of_truth)

    class Strange:
        def __call__(self, message):
            got.append("strange")

        def __eq__(self, other):
            raise RuntimeError("do not compare me")

        __hash__ = object.__hash__

    numbers.contains(Strange())
    numbers.clear(mock)
    assert len(numbers.subscriptions) == 3


async def generator_of_truth(message):
    return False


def test_clearing_works_through_any_collection_of_the_topic(bus, numbers):
    got = []
    numbers.contains(got.append)
    numbers.contains_all(got.append)
    typed = DAStrongSet[int](bus=bus)
    typed.contains_all(got.append)
    DAWeakBag[int]("/numbers", bus=bus).clear(got.append)
    numbers.add(1)
    assert got == []
    typed.add(2)
    assert got == [2]


def test_closing_a_subscriber_wakes_those_who_wait_for_it(bus, numbers):
    hold, started = Event(), Event()
    full = numbers.contains(lambda message: (started.set(), hold.wait(30)), run="serial", queue=1, policy="block")
    numbers.add(1)
    assert started.wait(10)
    numbers.add(2)
    answers = []
    waiting = Thread(target=lambda: answers.append(numbers.add(3)))
    waiting.start()
    waiting.join(0.05)
    begun = time.monotonic()
    full.close()
    waiting.join(10)
    assert answers == [True]
    assert time.monotonic() - begun < 4
    hold.set()


def test_error_handlers_see_balanced_counters(bus, numbers):
    seen = []

    def boom(message):
        raise ValueError

    for run in ("caller", "serial", "pool"):
        subscription = numbers.contains(boom, run=run, on_error=lambda failure: seen.append(failure.source.stats))
        numbers.add(1)
        assert bus.flush(10)
        subscription.close()
    assert len(seen) == 3
    assert all(stats.is_balanced and stats.dead == 1 for stats in seen)


def test_nothing_is_opened_while_the_bus_closes(bus, numbers):
    closed = EmbeddedBus("closed")
    dac = DAStrongSet[int]("/x", bus=closed)
    closed.close()
    for attempt in (lambda: dac.contains(print), lambda: dac.supply(lambda: None), dac.advertise):
        with pytest.raises(Closed):
            attempt()
    numbers.close()
    with pytest.raises(Closed):
        numbers.contains(print)


def test_closing_with_hanging_suppliers_is_bounded(bus, numbers):
    hang = Event()
    for _ in range(6):
        numbers.supply(lambda: hang.wait(30) and None, every=0.001)
    begun = time.monotonic()
    bus.close(timeout=0.5)
    assert time.monotonic() - begun < 3
    hang.set()


def test_conditions_that_are_slow_while_subscriptions_change(bus, numbers):
    asked = []

    def slow(message):
        asked.append(message)
        numbers.contains(lambda message: None).close()  # takes the route down, every time
        return True

    got = []
    numbers.contains(got.append, slow)
    numbers.add(1)
    assert got == [1]
    assert len(asked) <= 3


def test_conditions_are_asked_without_the_lock(bus, numbers):
    other, got = DAStrongSet[int]("/other", bus=bus), []
    other.contains(got.append)

    def asks_elsewhere(message):
        thread = Thread(target=other.add, args=(message,))
        thread.start()
        thread.join(10)
        return not thread.is_alive()

    numbers.contains(got.append, asks_elsewhere, run="serial", policy="block")
    numbers.add(1)
    assert bus.flush(10)
    assert set(got) == {1}


def test_tables_do_not_grow_without_end(bus, numbers):
    def once(message):
        subscription.close()

    for number in range(50):
        subscription = numbers.contains(once, run="serial")
        numbers.add(number)
        _wait_until(lambda subscription=subscription: not subscription and not subscription.pending)
    _wait_until(lambda: not bus._boxes)
    anything = DAStrongSet("/anything", bus=bus)
    for number in range(600):
        anything.add(type(f"Class{number}", (), {})())
    assert len(anything._publisher._routes) <= 256
    assert len(anything._publisher.ways) <= 256
    supplier = anything.supply(lambda: None)
    supplier.close()
    anything.supply(lambda: None)
    assert len(anything._suppliers) == 1


def test_a_message_that_cannot_be_queued_harms_only_that(bus):
    class Key:
        def __eq__(self, other):
            raise RuntimeError("no")

        def __hash__(self):
            return 1

    numbers, got, failures = DAStrongBag[int]("/keyed", bus=bus), [], []
    hold = Event()
    first = numbers.contains(lambda message: hold.wait(30), run="serial", policy="latest", on_error=failures.append)
    numbers.contains(got.append, run="serial")
    for number in range(4):
        numbers.add(number, key=Key())
    hold.set()
    assert bus.flush(10)
    assert got == [0, 1, 2, 3]
    assert failures
    assert first.stats.is_balanced
    assert first.stats.dead == len(failures)


def test_waiting_in_a_task_that_a_callback_has_left_behind(bus, numbers):
    async def main():
        tasks = []

        async def callback(message):
            tasks.append(asyncio.create_task(later()))

        async def later():
            await asyncio.sleep(0.05)
            return await bus.aflush(5)

        numbers.contains(callback)
        numbers.add(1)
        assert await bus.aflush(5)
        return await tasks[0]

    begun = time.monotonic()
    assert asyncio.run(main())
    assert time.monotonic() - begun < 4


def test_an_interrupted_publication_can_be_tried_again(bus, numbers):
    hold, started, got = Event(), Event(), []

    def slow(message):
        started.set()
        hold.wait(30)
        got.append(message)

    numbers.contains(slow, run="serial", queue=1, policy="block")
    numbers.add(0)
    assert started.wait(10)
    numbers.add(1)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(KeyboardInterrupt):
        numbers.add(2, id="x")
    signal.signal(signal.SIGALRM, before)
    hold.set()
    assert bus.flush(10)
    assert numbers.add(2, id="x")
    assert not numbers.add(2, id="x")
    assert bus.flush(10)
    assert got == [0, 1, 2]
    assert numbers.stats[:3] == (3, 1, 1)


def test_error_handlers_that_exit(bus, numbers, caplog):
    def leave(failure):
        sys.exit()

    got = []
    numbers.contains(lambda message: 1 / message, run="serial", on_error=leave)
    numbers.contains(lambda message: 1 / message, on_error=leave)
    numbers.contains(got.append)
    with pytest.raises(SystemExit):
        numbers.add(0)
    numbers.add(1)
    assert bus.flush(10)
    assert got == [0, 1]


def test_closing_inside_a_callback_delivers_what_it_set_off(bus, numbers):
    got, also = [], []

    def close(message):
        got.append(message)
        if message == 0:
            assert numbers.add(1)
            assert ordered.add(2)
            assert bus.close()
            with pytest.raises(Closed):
                numbers.contains(print)

    ordered = DASortedSet[int]("/ordered", pull=False, bus=bus)
    numbers.contains(close)
    numbers.contains(also.append)
    ordered.contains(also.append)
    numbers.add(0)
    assert got == [0, 1]
    assert sorted(also) == [0, 1, 2]
    assert not bus.is_open


def test_closing_inside_a_coroutine_on_the_buss_own_loop():
    bus, done = EmbeddedBus("adversity"), []
    numbers = DAStrongSet[int]("/numbers", bus=bus)

    async def close(message):
        await bus.aclose()
        done.append(message)

    subscription = numbers.contains(close)
    numbers.add(1)
    _wait_until(lambda: done == [1])
    _wait_until(lambda: not subscription.pending)
    assert subscription.stats.delivered == 1
    _no_threads_left()


def test_waiting_inside_callbacks(bus, numbers):
    answers = []

    def inside(message):
        if message == 0:
            numbers.add(1)
            answers.append(bus.flush(5))  # the message just published comes after this callback

    numbers.contains(inside)
    begun = time.monotonic()
    numbers.add(0)
    assert answers == [False]
    numbers.clear(inside)
    numbers.contains(lambda message: answers.append(bus.flush(5)), run="serial")
    for number in range(3):
        numbers.add(number)
    assert bus.flush(10)
    assert answers[1:] == [True] * 3  # what waits behind in its own queue cannot be waited for
    assert time.monotonic() - begun < 4


def test_closing_goes_on_after_an_interrupt(bus, numbers):
    hold = Event()
    subscription = numbers.contains(lambda message: hold.wait(30), run="serial")
    numbers.add(1)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    with pytest.raises(KeyboardInterrupt):
        bus.close(timeout=30)
    signal.signal(signal.SIGALRM, before)
    hold.set()
    assert bus.close()
    assert not subscription
    assert not bus.is_open


@pytest.mark.spec("A16")
def test_suppliers_that_block_fail_or_have_too_much(bus):
    numbers, hold, started, got = DAStrongSet[int]("/numbers", bus=bus), Event(), Event(), []
    numbers.contains(
        lambda message: (started.set(), hold.wait(30), got.append(message)), run="serial", policy="block", queue=1
    )
    stock = list(range(4))
    supplier = numbers.supply(lambda: stock.pop(0) if stock else None, every=3600)
    answers = []
    poller = Thread(target=lambda: answers.append(supplier.poll()))
    poller.start()
    assert started.wait(10)
    poller.join(20)  # it waited for room in vain, and keeps the message it could not publish
    assert answers == [2]
    assert stock == [3]
    hold.set()
    assert bus.flush(10)
    assert supplier.poll() == 2
    assert bus.flush(10)
    assert got == [0, 1, 2, 3]

    async def main():
        slow = DAStrongSet[int]("/slow", bus=bus)
        begun = time.monotonic()
        slow.supply(lambda: time.sleep(0.2), every=3600)
        ticks = 0
        pull = asyncio.create_task(slow.aget(timeout=0.01))
        while not pull.done():
            await asyncio.sleep(0.01)
            ticks += 1
        return ticks, time.monotonic() - begun

    ticks, _ = asyncio.run(main())
    assert ticks > 5  # the loop was not held up


def test_absurd_times(bus, numbers):
    for absurd in (float("inf"), float("nan"), 10**400, -1, 0):
        with pytest.raises(InvalidValue):
            numbers.contains(print, lease=absurd)
        with pytest.raises(InvalidValue):
            numbers.supply(lambda: None, every=absurd)
    with pytest.raises(InvalidValue):
        numbers.add(1, ttl=10**400)
    assert bus.flush(float("inf"))
    for bad in (float("nan"), -1):
        with pytest.raises(InvalidValue):
            bus.flush(bad)
        with pytest.raises(InvalidValue):
            asyncio.run(DAStrongSet("/x", bus=bus).aget(timeout=bad))


def test_workers_are_few_and_survive(monkeypatch):
    crew, started = Workers("adversity", most=3), []
    original = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", lambda thread: (started.append(thread), original(thread)))
    done = []
    for number in range(500):
        crew.submit(functools.partial(done.append, number))
    crew.submit(lambda: 1 / 0)
    _wait_until(lambda: len(done) == 500)
    assert len(started) <= 3
    assert crew.submit(functools.partial(done.append, "after"))
    assert crew.close(10)
    assert done[-1] == "after"
    assert not crew.submit(print)

    def fail(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    assert not Workers("adversity").submit(print)
    assert workers.WORKERS == 256


def test_what_was_forgotten_longest_ago_may_come_again(bus, monkeypatch):
    monkeypatch.setattr(embedded, "DUPLICATE_CHANNELS", 2)
    topics = [DAWeakSet[int](f"/{name}", bus=bus) for name in "abc"]
    assert [topic.add(1, id="x") for topic in topics[:2]] == [True, True]
    assert not topics[0].add(1, id="x")  # used again, so it is remembered longer than the other
    assert topics[2].add(1, id="x")
    assert not topics[0].add(1, id="x")
    assert topics[1].add(1, id="x")


def test_guarantees_tell_the_truth_about_queues(bus, numbers):
    waits = numbers.contains(print, run="serial", policy="block")
    drops = numbers.contains(print, run="serial")
    mixed = numbers.contains(print, run="pool", policy="block")
    assert str(waits.stats.guarantee) == "exactly once"
    assert str(drops.stats.guarantee) == "at most once"
    ordered = DASortedSet[int]("/ordered", bus=bus)
    ordered.contains(lambda message: None, run="serial")
    assert str(ordered.contains(print, run="pool", policy="block").stats.guarantee) == "exactly once"
    assert str(mixed.stats.guarantee) == "exactly once"
    ordered.add(1)
    assert str(ordered.stats.guarantee) == "at most once"


def test_numbers_follow_the_order(bus):
    ordered, numbers = DAList[int]("/ordered", bus=bus), []
    ordered.contains(lambda message, topic, notification: numbers.append(notification.sequence))
    threads = [Thread(target=lambda: [ordered.add(n) for n in range(500)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bus.flush(10)
    assert numbers == list(range(1, 2001))


def test_headers_cannot_be_changed_by_a_subscriber(bus, numbers):
    seen = []

    def meddle(message, topic, notification):
        with pytest.raises(TypeError):
            notification.headers["region"] = "US"
        seen.append(notification.headers["region"])

    numbers.contains(meddle)
    numbers.add(1, headers={"region": "EU"})
    assert seen == ["EU"]


def test_a_message_that_could_never_fit_is_not_waited_for(bus):
    texts, got = DAStrongSet[str]("/texts", pull=False, bus=bus), []
    subscription = texts.contains(got.append, run="serial", policy="block")
    begun = time.monotonic()
    assert texts.add("x" * 9_000_000)
    assert time.monotonic() - begun < 4
    assert bus.flush(10)
    assert got == []
    assert subscription.stats.dropped == 1


def _wait_until(done, seconds=15):
    deadline = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.002)
