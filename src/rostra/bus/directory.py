"""Who publishes and who listens, by topic and by type, and whose routes a change concerns.

All methods want the lock of the bus held. Tables are copied before they are gone through: a finalizer may open or
drop collections in the middle of anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from rostra.bus.feed import Feed
from rostra.bus.subscription import Subscription
from rostra.model.interest import Interest, with_subtopics
from rostra.model.topics import Topic, TopicPattern
from rostra.model.types import Target

if TYPE_CHECKING:
    from rostra.bus.publisher import Publisher

Listening: TypeAlias = Subscription | Feed


class Directory:
    """The tables of a bus."""

    def __init__(self) -> None:
        self._publishers: dict[Topic | None, dict[Publisher, None]] = {}
        self._by_topic: dict[Topic, dict[Listening, None]] = {}
        self._patterns: dict[Listening, None] = {}
        self._by_type: dict[Listening, None] = {}

    def add_publisher(self, publisher: Publisher) -> None:
        """Enter a publisher."""
        self._publishers.setdefault(publisher.topic, {})[publisher] = None

    def remove_publisher(self, publisher: Publisher) -> None:
        """Strike a publisher out."""
        others = self._publishers.get(publisher.topic, {})
        others.pop(publisher, None)
        if not others:
            self._publishers.pop(publisher.topic, None)

    def publishers(self) -> list[Publisher]:
        """Return all publishers."""
        return [publisher for some in list(self._publishers.values()) for publisher in list(some)]

    def listen(self, listener: Listening) -> None:
        """Enter a listener; the routes it concerns are taken down."""
        self._table(listener.interest)[listener] = None
        self.take_down(listener.interest)

    def stop(self, listener: Listening) -> None:
        """Strike a listener out; the routes it concerned are taken down."""
        table = self._table(listener.interest)
        table.pop(listener, None)
        topic = listener.interest.topic
        if topic is not None and not table:
            self._by_topic.pop(topic, None)
        self.take_down(listener.interest)

    def near(self, topic: Topic | None) -> list[Listening]:
        """Return those who may listen to a topic, or to types."""
        return list(self._by_type) if topic is None else [*self._by_topic.get(topic, ()), *self._patterns]

    def subscribed(self, topics: TopicPattern | None, types: tuple[Target, ...]) -> list[Subscription]:
        """Return the subscriptions made through collections of these topics, or else types; with what is below."""
        if topics is None:
            found = [one for one in self._by_type if one.interest.types == types]
        else:
            tables = self._patterns if topics.topic is None else self.near(topics.topic)
            found = [one for one in tables if one.interest.topics in (topics, with_subtopics(topics))]
        return [one for one in found if isinstance(one, Subscription)]

    def hearing(self, topic: Topic | None, cls: type) -> tuple[list[Subscription], list[Feed]]:
        """Return who hears messages of a class on a topic, or on the class itself."""
        found = [one for one in self.near(topic) if one.interest.hears(topic, cls)]
        subscriptions = [one for one in found if isinstance(one, Subscription)]
        return subscriptions, [one for one in found if isinstance(one, Feed)]

    def feeds(self) -> list[Feed]:
        """Return all buffers to pull from."""
        topics = [one for some in list(self._by_topic.values()) for one in list(some)]
        return [one for one in (*topics, *self._patterns, *self._by_type) if isinstance(one, Feed)]

    def take_down(self, interest: Interest | None) -> None:
        """Take down the routes that a changed interest concerns, or all; the next message makes them anew."""
        if interest is None:
            topics = list(self._publishers)
        elif interest.topics is None or interest.topic is not None:
            topics = [interest.topic]
        else:
            topics = [topic for topic in list(self._publishers) if topic is not None and interest.hears_topic(topic)]
        for topic in topics:
            for publisher in list(self._publishers.get(topic, ())):
                publisher.forget(lambda cls: interest is None or interest.takes(cls))

    def _table(self, interest: Interest) -> dict[Listening, None]:
        if interest.topics is None:
            return self._by_type
        topic = interest.topic
        return self._patterns if topic is None else self._by_topic.setdefault(topic, {})
