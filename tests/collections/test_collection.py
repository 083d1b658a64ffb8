"""Collections as users of one process live with them: what they are, what they refuse, how they are pulled."""

import asyncio
import collections.abc
import gc
import subprocess
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import timedelta
from threading import Event as Signal
from threading import Thread
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import pytest

import rostra
from rostra import DACollection, DAList, DAStrongBag, DAStrongSet, Topic, TopicPattern, it
from rostra.bus.embedded import EmbeddedBus
from rostra.errors import Closed, InvalidType, InvalidValue, LimitExceeded, UsageError

T = TypeVar("T")


class Tick(rostra.Event):
    value: int


class BigTick(Tick):
    size: int = 0


class HasValue(Protocol):
    value: int


@pytest.fixture
def clock():
    return [1000.0]


@pytest.fixture
def bus(clock):
    bus = EmbeddedBus("collections", clock=lambda: clock[0], monotonic=lambda: clock[0])
    yield bus
    assert bus.close()


@pytest.mark.spec("A8")
def test_a_collection_is_a_collection(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    assert isinstance(ticks, collections.abc.Collection)
    assert ticks.is_empty()
    assert ticks  # an empty collection is still one
    ticks.add(Tick(1))
    ticks.add(BigTick(2))
    assert not ticks.is_empty()
    assert len(ticks) == 2
    assert list(ticks) == ticks.to_array() == [Tick(1), BigTick(2)]
    assert ticks.to_array(BigTick) == [BigTick(2)]
    assert repr(ticks) == "DAStrongSet[Tick]('/ticks')"


@pytest.mark.spec("A8")
def test_identity_is_the_topic(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    assert ticks.name == "/ticks"
    assert ticks == DAList("/ticks", bus=bus) == DAStrongSet[Tick](Topic("/ticks"), bus=bus)
    assert hash(ticks) == hash(DAList(TopicPattern("/ticks"), bus=bus))
    assert ticks != DAStrongSet[Tick]("/tocks", bus=bus)
    assert ticks != DAStrongSet[Tick]("/ticks", bus=EmbeddedBus("other"))
    assert ticks != "/ticks"
    assert DAStrongSet[Tick](bus=bus) == DAList[Tick](bus=bus) != DAStrongSet[BigTick](bus=bus)
    assert DAStrongSet[Tick](bus=bus).name == "/Tick"


@pytest.mark.spec("A7")
def test_what_was_published_here_is_in_here(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    ticks.add(Tick(1))
    assert ticks.get() == Tick(1)
    assert Tick(1) in ticks
    assert ticks.contains(Tick(1)) is True
    assert ticks.contains(Tick(2)) is False
    for value in range(2, 1_002):
        ticks.add(Tick(value))
    assert Tick(1) not in ticks  # the window is a thousand messages
    assert Tick(2) in ticks
    assert "something else" not in ticks
    assert Tick(1) not in DAStrongSet[Tick]("/ticks", pull=False, bus=bus)

    class Strange:
        def __eq__(self, other):
            raise RuntimeError("do not compare me")

        __hash__ = None

    assert Strange() not in ticks


@pytest.mark.spec("A7")
def test_contains_all_asks_for_specialisations(bus):
    chat = DAStrongSet("/Chat", bus=bus)
    assert chat.contains_all(DAStrongSet("/Chat/Insomnia", bus=bus))
    assert chat.contains_all(chat)
    assert chat.contains_all(DAStrongSet("/Chat/*/deep", bus=bus))
    assert not chat.contains_all(DAStrongSet("/Chatter", bus=bus))
    assert not chat.contains_all(DAStrongSet("/**", bus=bus))
    assert not DAStrongSet("/Chat/Insomnia", bus=bus).contains_all(chat)
    ticks = DAStrongSet[Tick](bus=bus)
    assert ticks.contains_all(DAStrongSet[BigTick](bus=bus))
    assert not DAStrongSet[BigTick](bus=bus).contains_all(ticks)
    assert not chat.contains_all(ticks)
    assert DAStrongSet[HasValue](bus=bus).contains_all(ticks)
    assert ticks.contains_all(DAStrongSet.of(BigTick, HasValue, bus=bus))
    with pytest.raises(UsageError, match=r"forward with contains\(other.add\)"):
        chat.contains(ticks)


@pytest.mark.spec("B1")
def test_wrong_types_are_refused_at_run_time(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    assert ticks.add(BigTick(1))
    with pytest.raises(InvalidType, match="holds Tick, and str does not conform"):
        ticks.add("tick")
    with pytest.raises(InvalidType, match="holds BigTick"):
        DAStrongSet[BigTick](bus=bus).add(Tick(1))
    with pytest.raises(InvalidValue, match="None cannot be published"):
        DAStrongSet("/ticks", bus=bus).add(None)
    assert len(ticks) == 1


@pytest.mark.spec("B1")
def test_the_type_argument_is_known_at_run_time(bus):
    assert DAStrongSet[Tick] is DAStrongSet[Tick]
    assert DAStrongSet[Tick] is not DAList[Tick]
    assert issubclass(DAStrongSet[Tick], DAStrongSet)

    class Ticks(DAStrongSet[Tick]):
        pass

    class Generally(DAStrongSet[T], Generic[T]):
        pass

    for cls in (Ticks, Generally[Tick]):
        with pytest.raises(InvalidType):
            cls("/ticks", bus=bus).add("tick")
    assert DAStrongSet[int | str]("/mixed", bus=bus).add("text")
    assert DAStrongSet[float]("/numbers", bus=bus).add(1)
    assert DAStrongSet[dict[str, Any]]("/dicts", bus=bus).add({})
    assert DAStrongSet[Any]("/any", bus=bus).add(object())
    assert DAStrongSet[HasValue]("/protocol", bus=bus).add(Tick(1))
    with pytest.raises(InvalidType):
        DAStrongSet[int | str]("/mixed", bus=bus).add(1.5)
    with pytest.raises(InvalidType, match="give a class"):
        DAStrongSet["Tick"]


@pytest.mark.spec("A2", partly=True)
def test_any_object_is_a_message(bus):
    @dataclass
    class Data:
        value: int

    class Named(NamedTuple):
        value: int

    class Plain:
        def __init__(self, value):
            self.value = value

    anything = DAStrongSet("/anything", bus=bus)
    low = []
    anything.contains(low.append, it.value < 10)
    messages = [Tick(1), Data(2), Named(3), Plain(4), {"value": 5}]
    for message in [*messages, {"value": 50}, "text", 7, [1]]:
        assert anything.add(message)
    assert low == messages


@pytest.mark.spec("A1")
def test_what_cannot_be_published_on(bus):
    with pytest.raises(UsageError, match="addresses many topics"):
        DAStrongSet("/Chat/*", bus=bus).add(1)
    with pytest.raises(UsageError, match="abstract"):
        DAStrongSet("/", bus=bus).add(1)
    with pytest.raises(InvalidValue, match="must start with '/'"):
        DAStrongSet("Chat", bus=bus)
    with pytest.raises(InvalidType, match="a topic is a text"):
        DAStrongSet(7, bus=bus)
    with pytest.raises(UsageError, match="a topic or a type"):
        DAStrongSet(bus=bus)
    with pytest.raises(UsageError, match="another of the eight classes"):
        DACollection("/x", bus=bus)


def test_types_nobody_elsewhere_can_name_are_refused(bus):
    class Local(rostra.Event):
        value: int

    with pytest.raises(InvalidType, match="local class"):
        DAStrongSet[Local](bus=bus)
    on_a_topic = DAStrongSet[Local]("/local", bus=bus)
    assert on_a_topic.add(Local(1))
    assert on_a_topic.get() == Local(1)


def test_options_that_make_no_sense(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    for bad in (
        {"run": "elsewhere"},
        {"policy": "pray"},
        {"queue": 0},
        {"queue": 2.5},
        {"lease": 0},
        {"lease": -1},
        {"lease": True},
    ):
        with pytest.raises(InvalidValue):
            ticks.contains(print, **bad)
    with pytest.raises(InvalidType, match="no option 'colour'; there are about, run"):
        ticks.contains(print, colour="red")
    with pytest.raises(InvalidValue, match="reaches its 'topic'"):
        ticks.subscribe(reach="far")
    with pytest.raises(InvalidValue, match="in line"):
        DAStrongSet("/a/*", bus=bus).subscribe(reach="line")
    with pytest.raises(UsageError, match="intersection always includes"):
        DAStrongSet.of(Tick, HasValue, bus=bus).contains(print)
    with pytest.raises(InvalidValue, match="fifo"):
        DAStrongSet("/x", order="random", bus=bus)

    async def coroutine(message):
        pass

    with pytest.raises(UsageError, match="use 'loop'"):
        ticks.contains(coroutine, run="caller")
    assert not bus.subscriptions


def test_envelopes_that_make_no_sense(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    for bad in ({"priority": 10}, {"priority": 1.0}, {"priority": True}, {"ttl": -1}, {"ttl": "soon"}):
        with pytest.raises(InvalidValue):
            ticks.add(Tick(1), **bad)
    for bad in ({"id": 7}, {"id": ""}, {"key": []}, {"subject": 7}, {"headers": ["x"]}, {"colour": 1}):
        with pytest.raises(InvalidType):
            ticks.add(Tick(1), **bad)
    for bad in (
        {"headers": {str(number): 1 for number in range(300)}},
        {"headers": {"x": "y" * 70_000}},
        {"subject": ["word"] * 300},
        {"id": "y" * 70_000},
    ):
        with pytest.raises(LimitExceeded):
            ticks.add(Tick(1), **bad)
    assert ticks.stats.published == 0
    assert ticks.add(Tick(1), ttl=timedelta(seconds=5))


def test_subscribers_are_called_with_what_they_take(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    calls = []

    class Caller:
        def __call__(self, message, topic):
            calls.append(("object", topic))

    ticks.contains(lambda message, extra=1: calls.append(("default", extra)))
    ticks.contains(lambda message, topic="": calls.append(("named", topic)))
    ticks.contains(lambda message, topic, notification: calls.append(("three", notification.sequence)))
    ticks.contains(lambda *args: calls.append(("any", len(args))))
    ticks.contains(Caller())
    ticks.add(Tick(1))
    assert sorted(calls) == [("any", 1), ("default", 1), ("named", "/ticks"), ("object", "/ticks"), ("three", 1)]
    for bad in (lambda: None, lambda a, b, c, d: None, lambda message, *, needed: None):
        with pytest.raises(InvalidType, match=r"takes \(message\), \(message, topic\)"):
            ticks.contains(bad)
    with pytest.raises(InvalidType, match="cannot subscribe"):
        ticks.remove("me")


@pytest.mark.spec("B3")
def test_the_decorator(bus):
    got = []
    ticks = DAStrongSet[Tick](bus=bus)

    @ticks.subscribe
    def everything(message):
        got.append(("all", message.value))

    @ticks.subscribe(where=it.value > 5, subtypes=False)
    def some(message):
        got.append(("some", message.value))

    @ticks.subscribe(one_for_all=True, where=it.value == 1)
    def shared(message):
        got.append(("shared", message.value))

    for message in (Tick(1), BigTick(7), Tick(8)):
        ticks.add(message)
    assert got == [("all", 1), ("shared", 1), ("all", 7), ("all", 8), ("some", 8)]
    ticks.clear(everything)
    assert len(ticks.subscriptions) == 2


@pytest.mark.spec("A3")
def test_pulling_with_a_timeout(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    assert ticks.get() is None
    assert ticks.get(timeout=0.01) is None
    with pytest.raises(InvalidValue):
        ticks.get(timeout=-1)
    got = []
    reader = Thread(target=lambda: got.append(ticks.get(timeout=None)))
    reader.start()
    ticks.add(Tick(1))
    reader.join(10)
    assert got == [Tick(1)]
    with pytest.raises(UsageError, match="pull=False"):
        DAStrongSet("/x", pull=False, bus=bus).get()


def test_closing_wakes_those_who_pull(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    got, started = [], Signal()

    def read():
        started.set()
        got.append(ticks.get(timeout=None))

    reader = Thread(target=read)
    reader.start()
    assert started.wait(10)
    ticks.close()
    reader.join(10)
    assert got == [None]


@pytest.mark.spec("A3")
def test_pulling_on_an_event_loop(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)

    async def main():
        got = []

        async def read():
            async for message in ticks:
                got.append(message.value)  # noqa: PERF401  the list is looked at meanwhile

        reader = asyncio.create_task(read())
        for value in range(5):
            await asyncio.to_thread(ticks.add, Tick(value))
        while len(got) < 5:
            await asyncio.sleep(0)
        assert await ticks.aget(timeout=0.01) is None
        ticks.close()
        await asyncio.wait_for(reader, 10)
        assert await ticks.aget() is None
        return got

    assert asyncio.run(main()) == [0, 1, 2, 3, 4]


def test_a_cancelled_pull_loses_nothing(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)

    async def main():
        for _ in range(50):
            first, second = (asyncio.create_task(ticks.aget()) for _ in range(2))
            await asyncio.sleep(0)
            ticks.add(Tick(1))
            first.cancel()
            assert await asyncio.wait_for(second, 10) == Tick(1)

    asyncio.run(main())
    assert len(ticks) == 0
    assert ticks.stats.pull.delivered == 50


def test_waiting_on_a_loop_that_is_gone_blocks_nobody(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    loop = asyncio.new_event_loop()
    waiting = loop.create_task(ticks.aget())
    loop.run_until_complete(asyncio.sleep(0, None))
    loop.close()
    assert ticks.add(Tick(1))
    assert ticks.get() == Tick(1)
    waiting._log_destroy_pending = False


def test_pulled_messages_come_with_their_envelope(bus, clock):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    ticks.add(Tick(1), headers={"a": 1})
    ticks.add(Tick(2), priority=9)
    ticks.add(Tick(3), ttl=5)
    assert ticks.pull().body == Tick(2)
    first = ticks.pull()
    assert (first.body, first.headers, first.time) == (Tick(1), {"a": 1}, 1000.0)
    assert len(ticks) == 1
    clock[0] += 5
    assert len(ticks) == 0
    assert ticks.pull() is None
    assert ticks.stats.pull[:6] == (3, 2, 0, 0, 1, 0)


def test_what_nobody_pulls_does_not_fill_memory(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    for value in range(1_500):
        ticks.add(Tick(value))
    assert len(ticks) == 1_000
    assert ticks.get() == Tick(500)
    texts = DAStrongSet[str]("/texts", bus=bus)
    for _ in range(10):
        texts.add("x" * 1024 * 1024)
    assert len(texts) == 8
    texts.add("x" * 9 * 1024 * 1024)  # larger than the whole buffer
    assert len(texts) == 8
    assert texts.stats.pull.dropped == 3
    assert texts.stats.pull.is_balanced


@pytest.mark.spec("A15")
def test_leases_by_the_clock(bus, clock):
    got = []
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    leased = ticks.contains(got.append, lease=10)
    plain = ticks.contains(got.append)
    clock[0] += 9
    ticks.add(Tick(1))
    leased.renew(10)
    clock[0] += 9
    ticks.add(Tick(2))
    clock[0] += 1
    ticks.add(Tick(3))
    assert got == [Tick(1), Tick(1), Tick(2), Tick(2), Tick(3)]
    assert not leased
    assert leased.stats[:2] == (2, 2)
    with pytest.raises(Closed, match="subscribe again"):
        leased.renew(10)
    plain.renew(1)
    clock[0] += 1
    assert not ticks.subscriptions
    with pytest.raises(InvalidValue):
        ticks.contains(got.append).renew(0)


@pytest.mark.spec("A16")
def test_suppliers_are_asked_when_somebody_pulls(bus, caplog):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    stock, pushed, reports = [Tick(1), Tick(2)], [], []
    bus.on_error = reports.append
    ticks.contains(pushed.append)
    supplier = ticks.supply(lambda: stock.pop(0) if stock else None, every=3600)
    failing = ticks.supply(lambda: 1 / 0, every=3600)
    assert ticks.get() == Tick(1)
    assert pushed == [Tick(1), Tick(2)]
    assert ticks.get() == Tick(2)
    assert ticks.get() is None
    assert failing.errors == 2
    assert len(reports) == 2
    assert reports[0].source is failing
    failing.close()
    stock.append(Tick(3))
    assert ticks.poll() == 1
    supplier.close()
    assert not supplier
    stock.append(Tick(4))
    assert ticks.poll() == 0
    with pytest.raises(InvalidType, match="a supplier is a function"):
        ticks.supply("me")


@pytest.mark.spec("A16")
def test_suppliers_are_asked_every_so_often(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    arrived = Signal()
    stock = [Tick(1)]
    ticks.contains(lambda message: arrived.set())
    with ticks.supply(lambda: stock.pop() if stock else None, every=0.01):
        assert arrived.wait(10)


@pytest.mark.spec("A16")
def test_advertisements_are_recorded(bus, clock):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    with ticks.advertise(it.value < 10) as small:
        short = ticks.advertise(lease=5)
        assert bus.advertisements == (small, short)
        assert small.interest.where == (it.value < 10)
        assert small.interest.topic == Topic("/ticks")
        clock[0] += 5
        assert bus.advertisements == (small,)
        assert not short
    assert not small
    ticks.advertise()
    ticks.close()
    assert not bus.advertisements


def test_a_closed_collection_is_closed(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    got = []
    with ticks:
        subscription = ticks.contains(got.append)
        ticks.add(Tick(1))
    assert not subscription
    with pytest.raises(Closed, match="open a new one"):
        ticks.add(Tick(2))
    assert ticks.get() is None
    other = DAStrongSet[Tick]("/ticks", bus=bus)
    other.add(Tick(3))
    assert got == [Tick(1)]


def test_a_collection_that_nobody_holds_leaves_its_subscriptions_and_nothing_else(bus):
    got = []
    DAStrongSet[Tick]("/ticks", bus=bus).contains(got.append)
    for _ in range(100):
        DAStrongSet[Tick]("/ticks", bus=bus).add(Tick(1))
    gc.collect()
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    assert len(bus.directory.publishers()) == 1
    assert len(bus.directory.near(Topic("/ticks"))) == 2  # the subscription, and what can be pulled from `ticks`
    (subscription,) = bus.subscriptions
    assert subscription.stats.delivered == len(got) == 100
    assert ticks.add(Tick(2))


def test_connect_gives_the_bus_of_a_name():
    one = rostra.connect()
    assert rostra.connect() is one is rostra.connect("memory://")
    named = rostra.connect("memory://tests", on_error=print)
    assert named is rostra.connect("memory://tests")
    assert named is not one
    assert named.on_error is print
    assert DAStrongSet("/x").bus is one
    got = []
    DAStrongSet("/x", bus=named).contains(got.append)
    DAStrongSet("/x").add(1)
    assert got == []
    assert named.close()
    assert rostra.connect("memory://tests") is not named
    assert rostra.connect("memory://tests").close()
    with pytest.raises(Closed, match="gives a new one"):
        DAStrongSet("/x", bus=named)
    for bad in ("tcp://x", "memory://a/b", 7):
        with pytest.raises(InvalidValue, match="cannot connect"):
            rostra.connect(bad)
    one.close()


def test_closing_is_bounded_and_says_what_it_left():
    bus = EmbeddedBus("bounded")
    hang = Signal()
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    subscription = ticks.contains(lambda message: hang.wait(30), run="serial")
    for value in range(3):
        ticks.add(Tick(value))
    assert bus.close(timeout=0.05) is False
    assert bus.close() is True  # nothing more to do
    assert subscription.stats.dropped == 2
    hang.set()


def test_closing_delivers_what_was_accepted_and_lets_callbacks_finish_their_work():
    bus = EmbeddedBus("draining")
    go_on, got = Signal(), []
    ticks, results = DAStrongSet[Tick]("/ticks", bus=bus), DAStrongBag[Tick]("/results", bus=bus)

    def work(message):
        go_on.wait(30)
        assert results.add(message)

    ticks.contains(work, run="serial")
    results.contains(got.append)
    for value in range(5):
        ticks.add(Tick(value))
    closer = Thread(target=bus.close)
    closer.start()
    while not bus.is_closing:
        pass
    with pytest.raises(Closed):
        ticks.add(Tick(9))
    go_on.set()
    closer.join(10)
    assert len(got) == 5


PROGRAM = """
import asyncio, rostra, threading
from rostra import DAStrongSet
ticks = DAStrongSet[int]("/ticks")
hang = threading.Event()
ticks.contains(lambda m: hang.wait(60) if m == 7 else print("got", m, flush=True), run="serial")
async def show(m): print("async", m, flush=True)
ticks.contains(show)
ticks.supply(lambda: None)
for value in {values}: ticks.add(value)
"""


@pytest.mark.parametrize(("values", "lines"), [([1, 2], 4), ([1, 7, 2], 4)])
def test_a_program_ends_without_warnings_whatever_its_callbacks_do(values, lines):
    code = PROGRAM.format(values=values)
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == lines  # of the second run, the last message waits behind the hanging one


class Sizeable(Protocol):
    size: int


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    def __init__(self, side):
        self._side = side

    def area(self):
        return self._side**2


class Circle(Shape):
    def __init__(self, radius):
        self._radius = radius

    def area(self):
        return 3 * self._radius**2


class Labelled(Shape):
    def __init__(self, label):
        self.label = label

    def area(self):
        return 1.0

    def describe(self):
        return self.label


@pytest.mark.spec("B2", "B4", "B5", partly=True)
def test_protocols_and_pure_classes_over_the_bus(bus):
    big, square, shapes, direct = [], [], [], []
    DAStrongSet[Sizeable](bus=bus).contains_all(big.append)
    DAStrongSet[Square](bus=bus).contains_all(square.append)  # pure: it is the type Shape
    DAStrongSet[Shape](bus=bus).contains_all(shapes.append)
    DAStrongSet[Shape](bus=bus).contains(direct.append)
    ticks, drawn = DAStrongSet[Tick](bus=bus), DAStrongSet[Shape](bus=bus)
    ticks.add(Tick(1))
    ticks.add(BigTick(2))
    for shape in (Square(2), Circle(1), Labelled("x")):
        drawn.add(shape)
    assert big == [BigTick(2)]
    assert [type(shape) for shape in square] == [type(shape) for shape in shapes] == [Square, Circle, Labelled]
    assert [type(shape) for shape in direct] == [Square, Circle]  # Labelled has a type of its own


def test_several_types_at_once(bus):
    got = []
    DAStrongSet[int | BigTick](bus=bus).contains_all(got.append)
    DAStrongSet[int](bus=bus).add(1)
    DAStrongSet[Tick](bus=bus).add(Tick(2))
    DAStrongSet[Tick](bus=bus).add(BigTick(3))
    assert got == [1, BigTick(3)]
    assert DAStrongSet[int | Any]("/any", bus=bus).add("text")


@pytest.mark.spec("A1", "A3")
def test_wildcard_collections_are_pulled_too(bus):
    chats, talks = DAStrongSet[str]("/Chat/*", bus=bus), DAStrongSet[Tick](bus=bus)
    for topic in ("/Chat/a", "/Chat/b", "/Chat", "/Chat/b/c"):
        DAStrongSet[str](topic, bus=bus).add(topic)
    assert chats.to_array() == ["/Chat/a", "/Chat/b"]
    talks.add(BigTick(1))
    assert talks.get() == BigTick(1)  # what was added can be pulled, subtypes too


def test_priorities_do_not_disturb_the_order_in_which_lists_are_pulled(bus):
    for cls, expected in ((DAStrongSet, [2, 1]), (DAList, [1, 2])):
        numbers = cls[int](f"/{cls.__name__}", bus=bus)
        numbers.add(1)
        numbers.add(2, priority=9)
        assert [numbers.get(), numbers.get()] == expected


def test_a_coroutine_that_fails_passes_the_message_on(bus):
    got = []

    async def fail(message):
        raise RuntimeError("cannot do it")

    jobs = DAStrongSet[int]("/jobs", bus=bus)
    jobs.remove(fail, on_error=lambda failure: None)
    jobs.remove(got.append)
    for number in range(4):
        jobs.add(number)
    assert bus.flush(10)
    assert sorted(got) == [0, 1, 2, 3]


def test_closing_a_collection_ends_its_suppliers_and_a_thousand_closed_subscriptions_are_forgotten(bus):
    ticks = DAStrongSet[Tick]("/ticks", bus=bus)
    supplier = ticks.supply(lambda: None)
    for _ in range(1_000):
        ticks.contains(print).close()
    assert len(ticks._subscriptions) < 100
    kept = ticks.contains(print)
    assert ticks.subscriptions == (kept,)
    ticks.close()
    assert not supplier
    assert not kept
