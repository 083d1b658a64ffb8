"""Topics with dynamic filters against types with static ones: Figures 18 and 21 of the type-based paper.

As there, the same messages are classified once by a topic and once by their type. All is in one process and callbacks
run on the publisher's thread, so this is what publishing itself costs: there is no network to hide it.
"""

import random
from collections.abc import Callable
from typing import Any, TypeAlias

import rostra
from bench.filters import IntMessage
from bench.measure import best_of
from rostra import DAStrongSet
from rostra.bus.embedded import EmbeddedBus
from rostra.collections import DACollection
from rostra.conditions import Equals

COUNTS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
BUS = "memory://throughput"
TOPIC = "/bench/integers"

Test: TypeAlias = Callable[[Any], bool]


def receiver() -> Callable[[IntMessage], None]:
    """Return a function of its own that does nothing."""

    def receive(message: IntMessage) -> None:
        pass

    return receive


def dynamic_filter(name: str, value: int) -> Test:
    """Return a user's own filter, which looks up the method by its name for every message."""

    def conforms(message: Any) -> bool:
        return bool(getattr(message, name)() == value)

    return conforms


def publishing(subscribers: int) -> dict[str, float]:
    """Figure 18(a): messages per second to subscribers without filters."""
    with rostra.connect(BUS) as bus:
        by_topic, by_type = _collections(bus)
        for _ in range(subscribers):
            by_topic.contains(receiver())
            by_type.contains_all(receiver())
        return _rates({"topic-based": by_topic, "type-based": by_type}, [IntMessage(1)] * 20)


def filtering(subscribers: int, values: int, seed: int = 5) -> dict[str, float]:
    """Figures 18(b) and 21: messages per second to subscribers that each want one of so many equally likely values."""
    rng = random.Random(seed)
    messages = [IntMessage(rng.randint(1, values)) for _ in range(100)]
    with rostra.connect(BUS) as bus:
        by_topic, by_type = _collections(bus)
        for _ in range(subscribers):
            wanted = rng.randint(1, values)
            by_topic.contains(receiver(), dynamic_filter("getValue", wanted))
            by_type.contains_all(receiver(), Equals("getValue", None, wanted))
        contenders = {"topic-based, dynamic filters": by_topic, "type-based, static filters": by_type}
        return _rates(contenders, messages)


def _collections(bus: EmbeddedBus) -> tuple[DACollection[IntMessage], DACollection[IntMessage]]:
    # A topic says nothing about the class of its messages, so nothing can be generated for it ahead of time.
    by_topic: Any = DAStrongSet[object](TOPIC, pull=False, bus=bus)
    return by_topic, DAStrongSet[IntMessage](pull=False, bus=bus)


def _rates(collections: dict[str, DACollection[IntMessage]], messages: list[IntMessage]) -> dict[str, float]:
    runs = {name: _publishing(collection, messages) for name, collection in collections.items()}
    for run in runs.values():
        run()
    delivered = [[one.delivered for one in collection.subscriptions] for collection in collections.values()]
    assert delivered[0] == delivered[1], "both deliver the same messages to the same subscribers"
    return {name: len(messages) / seconds for name, seconds in best_of(runs).items()}


def _publishing(collection: DACollection[IntMessage], messages: list[IntMessage]) -> Callable[[], None]:
    def run() -> None:
        for message in messages:
            collection.add(message)

    return run
