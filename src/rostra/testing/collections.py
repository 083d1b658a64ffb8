"""What every bus must do for collections, as checks that run over any of them.

A `World` gives participants access to one system: `bus()` a way in, `settle()` waits until everything published so
far has been handled everywhere. The checks know nothing of what is in between.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any, Final, Protocol

import rostra
from rostra import it
from rostra.bus.embedded import EmbeddedBus
from rostra.collections import (
    DAArray,
    DAList,
    DASortedBag,
    DASortedSet,
    DAStrongBag,
    DAStrongSet,
    DAWeakBag,
    DAWeakSet,
)
from rostra.core.guarantee import Order

ALL: Final[tuple[Any, ...]] = (
    DAWeakBag,
    DAWeakSet,
    DAStrongBag,
    DAStrongSet,
    DAArray,
    DAList,
    DASortedBag,
    DASortedSet,
)
SETS: Final[tuple[Any, ...]] = (DAWeakSet, DAStrongSet, DAList, DASortedSet)


class World(Protocol):
    """Access to one system, for several participants."""

    def bus(self) -> EmbeddedBus:
        """Return the way in of one more participant."""

    def settle(self) -> None:
        """Wait until everything published so far has been handled."""


class Event(rostra.Event):
    """The event that checks publish."""

    value: int
    who: str = ""


class Special(Event):
    """A subtype of it."""


class Order17(rostra.Event, key="number"):
    """An event with a key."""

    number: int
    text: str = ""


class Left(ABC):
    """One type above the diamond's bottom."""

    @abstractmethod
    def left(self) -> int:
        """Make it an interface."""


class Right(ABC):
    """The other type above it."""

    @abstractmethod
    def right(self) -> int:
        """Make it an interface."""


class OnlyLeft(rostra.Event, Left):
    """An event of one of the two types."""

    value: int

    def left(self) -> int:
        return self.value

    def more(self) -> int:
        """Have a method of its own, so that it is no pure class."""
        return self.value


class Both(rostra.Event, Left, Right):
    """An event of both types."""

    value: int

    def left(self) -> int:
        return self.value

    def right(self) -> int:
        return self.value


def check_collection(world: Callable[[], World]) -> None:
    """Run all checks, each on a world of its own; the first that fails raises."""
    for check in COLLECTION_CHECKS:
        check(world())


def everyone_gets_each_message_and_its_topic(world: World) -> None:
    heard: list[Any] = []

    class Listener:
        def contains(self, message: Event, topic: str) -> None:
            heard.append((message, topic))

    for cls in ALL:
        chat = cls[Event](f"/each/{cls.__name__}", bus=world.bus())
        assert chat.contains(heard.append)
        assert chat.contains(Listener())
        assert world_add(chat, Event(1))
        world.settle()
        assert sorted(map(str, heard)) == sorted(map(str, [Event(1), (Event(1), f"/each/{cls.__name__}")]))
        heard.clear()


def conditions_choose(world: World) -> None:
    low: list[Event] = []
    odd: list[Event] = []
    numbers = DAStrongSet[Event]("/numbers", bus=world.bus())
    numbers.contains(low.append, it.value < 3)
    numbers.contains(odd.append, lambda message: message.value % 2 == 1)
    for value in range(20):
        numbers.add(Event(value))
    world.settle()
    assert [event.value for event in sorted(low, key=value_of)] == [0, 1, 2]
    assert [event.value for event in sorted(odd, key=value_of)] == list(range(1, 20, 2))


def subtopics_that_come_later_are_heard(world: World) -> None:
    heard: list[tuple[Event, str]] = []
    near: list[Event] = []
    chat = DAStrongSet[Event]("/Chat", bus=world.bus())
    chat.contains_all(lambda message, topic: heard.append((message, topic)))
    chat.contains(near.append)
    late = DAStrongSet[Event]("/Chat/Insomnia/Late", bus=world.bus())
    other = DAStrongSet[Event]("/Chatter", bus=world.bus())
    late.add(Event(1))
    chat.add(Event(2))
    other.add(Event(3))
    world.settle()
    assert sorted(heard, key=str) == [(Event(1), "/Chat/Insomnia/Late"), (Event(2), "/Chat")]
    assert near == [Event(2)]


def wildcards_address_many_topics(world: World) -> None:
    one: list[str] = []
    everything: list[str] = []
    DAStrongSet[Event]("/Chat/*", bus=world.bus()).contains(lambda _, topic: one.append(topic))
    DAStrongSet[Event]("/**", bus=world.bus()).contains(lambda _, topic: everything.append(topic))
    topics = ["/Chat", "/Chat/a", "/Chat/b", "/Chat/b/c", "/d"]
    for topic in topics:
        DAStrongSet[Event](topic, bus=world.bus()).add(Event(1))
    world.settle()
    assert sorted(one) == ["/Chat/a", "/Chat/b"]
    assert sorted(everything) == topics


def topics_in_line_are_heard_once(world: World) -> None:
    heard: list[str] = []
    DAStrongSet[Event]("/iit/sales", bus=world.bus()).subscribe(reach="line")(lambda _, topic: heard.append(topic))
    for topic in ("/iit", "/iit/sales", "/iit/sales/US", "/iit/projects", "/other"):
        DAStrongSet[Event](topic, bus=world.bus()).add(Event(1))
    world.settle()
    assert sorted(heard) == ["/iit", "/iit/sales", "/iit/sales/US"]


def one_for_all_is_fair(world: World) -> None:
    shares: list[list[Event]] = [[], [], []]
    for share in shares:
        DAStrongSet[Event]("/jobs", bus=world.bus()).remove(share.append)
    each: list[Event] = []
    jobs = DAStrongSet[Event]("/jobs", bus=world.bus())
    jobs.contains(each.append)
    for value in range(30):
        jobs.add(Event(value))
    world.settle()
    assert [len(share) for share in shares] == [10, 10, 10]
    assert sorted((event for share in shares for event in share), key=value_of) == [Event(value) for value in range(30)]
    assert len(each) == 30


def one_for_all_asks_those_who_match(world: World) -> None:
    even: list[Event] = []
    rest: list[Event] = []
    jobs = DAStrongSet[Event]("/jobs", bus=world.bus())
    jobs.remove(even.append, it.value.is_in([0, 2, 4, 6, 8]))
    DAStrongSet[Event]("/", bus=world.bus()).remove_all(rest.append, it.value > 5)
    for value in range(10):
        jobs.add(Event(value))
    world.settle()
    assert {event.value for event in even} | {event.value for event in rest} == {0, 2, 4, 6, 7, 8, 9}
    assert len(even) + len(rest) == 7


def one_for_all_goes_on_when_one_fails(world: World) -> None:
    done: list[Event] = []
    failed: list[Event] = []

    def fail(message: Event) -> None:
        failed.append(message)
        raise RuntimeError("cannot do it")

    for run in ("caller", "serial", "pool"):
        jobs = DAStrongSet[Event](f"/jobs/{run}", bus=world.bus())
        first = jobs.remove(fail, run=run, on_error=lambda failure: None)
        jobs.remove(done.append, run=run)
        for value in range(10):
            jobs.add(Event(value))
        world.settle()
        assert sorted(done, key=value_of) == [Event(value) for value in range(10)]
        assert failed
        assert first.stats.is_balanced
        assert first.stats.delivered == 10
        done.clear()
        failed.clear()


def whoever_clears_hears_no_more(world: World) -> None:
    heard: list[Event] = []
    chat = DAStrongSet[Event]("/chat", bus=world.bus())
    subscription = chat.contains(heard.append)
    chat.contains(heard.append, it.value > 100)
    chat.add(Event(1))
    world.settle()
    chat.clear(heard.append)
    assert not subscription
    chat.add(Event(2))
    world.settle()
    assert heard == [Event(1)]


def messages_are_pulled_in_either_order(world: World) -> None:
    queue = DAStrongSet[Event]("/q", bus=world.bus())
    stack = DAStrongSet[Event]("/q", order="lifo", bus=world.bus())
    sender = DAList[Event]("/q", pull=False, bus=world.bus())
    for value in range(3):
        sender.add(Event(value))
    world.settle()
    assert len(queue) == len(stack) == 3
    assert [*queue] == queue.to_array() == [Event(0), Event(1), Event(2)]
    assert [*stack] == [Event(2), Event(1), Event(0)]
    assert [queue.get(), queue.get(), queue.get(), queue.get()] == [Event(0), Event(1), Event(2), None]
    assert stack.get() == Event(2)
    stack.clear()
    assert stack.is_empty()
    assert queue.get(timeout=0.01) is None
    assert Event(1) in queue
    assert Event(7) not in queue


def pulling_waits(world: World) -> None:
    queue = DAStrongSet[Event]("/q", bus=world.bus())
    got: list[Event | None] = []
    reader = Thread(target=lambda: got.append(queue.get(timeout=10)))
    reader.start()
    DAStrongSet[Event]("/q", bus=world.bus()).add(Event(1))
    reader.join(10)
    assert got == [Event(1)]


def sets_refuse_what_they_have(world: World) -> None:
    for cls in ALL:
        heard: list[Any] = []
        chat = cls[Event](f"/set/{cls.__name__}", bus=world.bus())
        orders = cls[Order17](f"/orders/{cls.__name__}", bus=world.bus())
        chat.contains(heard.append)
        orders.contains(heard.append)
        again = cls[Event](f"/set/{cls.__name__}", bus=world.bus())
        accepted = [chat.add(Event(1), id="x"), again.add(Event(2), id="x"), chat.add(Event(1)), chat.add(Event(1))]
        accepted += [orders.add(Order17(17, "a")), orders.add(Order17(17, "b")), orders.add(Order17(18))]
        world.settle()
        refuses = cls in SETS
        assert accepted == [True, not refuses, True, True, True, not refuses, True]
        assert len(heard) == sum(accepted)
        assert chat.stats.duplicates + again.stats.duplicates == refuses


def lists_keep_the_order_across_topics(world: World) -> None:
    some: tuple[Any, ...] = (DAArray, DAList, DASortedBag, DASortedSet)
    for cls in some:
        heard: list[int] = []
        root = f"/order/{cls.__name__}"
        cls[Event](root, bus=world.bus()).contains_all(lambda message, heard=heard: heard.append(message.value))
        bus = world.bus()
        senders = [cls[Event](f"{root}/{number}", bus=bus) for number in range(3)]
        for value in range(60):
            senders[value % 3].add(Event(value))
        world.settle()
        assert heard == list(range(60))


def sorted_collections_have_one_order(world: World) -> None:
    some: tuple[Any, ...] = (DASortedBag, DASortedSet)
    for cls in some:
        heard: list[list[tuple[str, int]]] = [[] for _ in range(4)]
        for number, one in enumerate(heard):
            run = ("caller", "serial")[number % 2]
            cls[Event]("/sorted", bus=world.bus()).contains(
                lambda message, one=one: one.append((message.who, message.value)),
                run=run,
                queue=10_000,
            )
        _publish_at_once(world, cls, "/sorted")
        world.settle()
        assert len(heard[0]) == 4 * 200
        assert heard[0] == heard[1] == heard[2] == heard[3]
        for who in "abcd":
            assert [value for name, value in heard[0] if name == who] == list(range(200))


def lists_keep_each_publishers_order(world: World) -> None:
    some: tuple[Any, ...] = (DAArray, DAList)
    for cls in some:
        heard: list[list[tuple[str, int]]] = [[], []]
        for number, one in enumerate(heard):
            run = ("caller", "serial")[number]
            cls[Event]("/list", bus=world.bus()).contains(
                lambda message, one=one: one.append((message.who, message.value)),
                run=run,
                queue=10_000,
            )
        _publish_at_once(world, cls, "/list")
        world.settle()
        for one in heard:
            for who in "abcd":
                assert [value for name, value in one if name == who] == list(range(200))


def types_are_heard_with_and_without_subtypes(world: World) -> None:
    heard: dict[str, list[Any]] = {name: [] for name in ("event", "event+", "special", "decorated")}
    events = DAStrongSet[Event](bus=world.bus())
    events.contains(heard["event"].append)
    events.contains_all(heard["event+"].append)
    events.subscribe(heard["decorated"].append)
    DAStrongSet[Special](bus=world.bus()).contains_all(heard["special"].append)
    events.add(Event(1))
    events.add(Special(2))  # on the channel of its own class
    DAStrongSet[Event]("/topic", bus=world.bus()).add(Event(3))  # topics and types do not mix
    world.settle()
    assert heard["event"] == [Event(1)]
    assert sorted(heard["event+"], key=value_of) == [Event(1), Special(2)]
    assert sorted(heard["decorated"], key=value_of) == [Event(1), Special(2)]
    assert heard["special"] == [Special(2)]


def intersections_need_both_types(world: World) -> None:
    left: list[Any] = []
    both: list[Any] = []
    DAStrongSet[Left](bus=world.bus()).contains_all(left.append)
    DAStrongSet.of(Left, Right, bus=world.bus()).contains_all(both.append)
    sender = DAStrongSet[Left](bus=world.bus())
    sender.add(OnlyLeft(1))
    sender.add(Both(2))
    world.settle()
    assert sorted(left, key=value_of) == [OnlyLeft(1), Both(2)]
    assert both == [Both(2)]


def the_weaker_guarantee_is_visible(world: World) -> None:
    sender = DAWeakSet[Event]("/mixed", bus=world.bus())
    receiver = DASortedBag[Event]("/mixed", bus=world.bus())
    subscription = receiver.contains(lambda message: None)
    assert subscription.stats.guarantee == DASortedBag.guarantee
    sender.add(Event(1))
    world.settle()
    weakest = DAWeakSet.guarantee.weaker(DASortedBag.guarantee)
    assert subscription.stats.guarantee == weakest
    assert not weakest.reliable
    assert not weakest.unique
    assert weakest.order is Order.NONE


def the_envelope_travels(world: World) -> None:
    seen: list[rostra.Notification] = []
    eu: list[Event] = []
    news: list[Event] = []
    topic = DAStrongSet[Event]("/envelope", bus=world.bus())
    topic.contains(lambda message, topic, notification: seen.append(notification))
    topic.contains(eu.append, about=it.headers.region == "EU")
    topic.contains(news.append, it.value > 0, about=(it.subject[0] == "news") & (it.priority > 5))
    topic.add(Event(1), headers={"region": "EU"}, reply_to="/answers", correlation="c1", key="k", ttl=60)
    topic.add(Event(2), subject=["news", "sport"], priority=9, id="mine", extensions={"x": {"y": 1}})
    topic.add(Event(0), subject="news", priority=9)
    world.settle()
    first, second = sorted(seen, key=lambda one: one.body.value)[1:]
    assert (first.reply_to, first.correlation, first.key) == ("/answers", "c1", "k")
    assert first.expires is not None
    assert 59 <= first.expires - first.time <= 61
    assert (second.id, second.subject, second.priority) == ("mine", ("news", "sport"), 9)
    assert second.extensions == {"x": {"y": 1}}
    assert first.topic == first.channel == "/envelope"
    assert first.type.endswith(".Event")
    assert first.ancestry[0] == first.type
    assert first.id != second.id
    assert (eu, news) == ([Event(1)], [Event(2)])


def what_has_expired_is_not_delivered(world: World) -> None:
    heard: list[Event] = []
    topic = DAStrongSet[Event]("/expiry", bus=world.bus())
    subscription = topic.contains(heard.append)
    topic.add(Event(1), ttl=0)
    topic.add(Event(2), ttl=60)
    world.settle()
    assert heard == [Event(2)]
    assert subscription.stats.expired == 1
    assert topic.get() == Event(2)
    assert topic.get() is None


def leases_end(world: World) -> None:
    heard: list[Event] = []
    topic = DAStrongSet[Event]("/lease", bus=world.bus())
    short = topic.contains(heard.append, lease=0.05)
    long = topic.contains(heard.append, lease=0.05)
    long.renew(60)
    assert short
    _wait_until(lambda: not short)
    topic.add(Event(1))
    world.settle()
    assert heard == [Event(1)]
    assert long


def counters_account_for_everything(world: World) -> None:
    topic = DAStrongSet[Event]("/counted", bus=world.bus())
    subscriptions = [
        topic.contains(lambda message: None),
        topic.contains(lambda message: None, it.value < 5),
        topic.contains(lambda message: 1 / message.value, on_error=lambda failure: None),
        topic.contains(lambda message: None, run="serial"),
        topic.remove(lambda message: None, it.value > 2),
    ]
    for value in range(10):
        topic.add(Event(value))
    world.settle()
    for subscription in subscriptions:
        assert subscription.stats.is_balanced
        assert subscription.stats.offered == 10
    assert [one.stats.delivered for one in subscriptions] == [10, 5, 9, 10, 7]
    assert [one.stats.dead for one in subscriptions] == [0, 0, 1, 0, 0]


def callbacks_may_do_anything(world: World) -> None:
    heard: list[int] = []
    topic = DAStrongSet[Event]("/chain", bus=world.bus())
    extra: list[Event] = []

    def count_down(message: Event) -> None:
        heard.append(message.value)
        if message.value:
            topic.add(Event(message.value - 1))
        else:
            topic.clear(count_down)
            topic.contains(extra.append)

    topic.contains(count_down)
    topic.add(Event(2_000))
    world.settle()
    topic.add(Event(5))
    world.settle()
    assert heard == list(range(2_000, -1, -1))
    assert extra == [Event(5)]


def world_add(collection: Any, message: Any) -> bool:
    """Publish, and insist on being told yes or no."""
    accepted = collection.add(message)
    assert isinstance(accepted, bool)
    return accepted


def value_of(event: Any) -> Any:
    """Sort events by value."""
    return event.value


def _publish_at_once(world: World, cls: Any, topic: str) -> None:
    start = Barrier(4)

    def publish(who: str) -> None:
        sender = cls[Event](topic, pull=False, bus=world.bus())
        start.wait()
        for value in range(200):
            assert sender.add(Event(value, who))

    threads = [Thread(target=publish, args=(who,)) for who in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _wait_until(done: Callable[[], bool], seconds: float = 10) -> None:
    from threading import Event as Signal
    from time import monotonic

    deadline, pause = monotonic() + seconds, Signal()
    while not done():
        assert monotonic() < deadline, "it did not happen in time"
        pause.wait(0.005)


COLLECTION_CHECKS: Final[tuple[Callable[[World], None], ...]] = (
    everyone_gets_each_message_and_its_topic,
    conditions_choose,
    subtopics_that_come_later_are_heard,
    wildcards_address_many_topics,
    topics_in_line_are_heard_once,
    one_for_all_is_fair,
    one_for_all_asks_those_who_match,
    one_for_all_goes_on_when_one_fails,
    whoever_clears_hears_no_more,
    messages_are_pulled_in_either_order,
    pulling_waits,
    sets_refuse_what_they_have,
    lists_keep_the_order_across_topics,
    sorted_collections_have_one_order,
    lists_keep_each_publishers_order,
    types_are_heard_with_and_without_subtypes,
    intersections_need_both_types,
    the_weaker_guarantee_is_visible,
    the_envelope_travels,
    what_has_expired_is_not_delivered,
    leases_end,
    counters_account_for_everything,
    callbacks_may_do_anything,
)
"""What `check_collection` runs, for test runners that want to name each."""
