"""One who publishes on a bus: a collection, or whatever else has messages for a topic or a type.

Publishing is a look-up of the route for the message's class and, in the common case, one call. All else is here:
refusing what does not belong, the envelope, duplicates, waiting for room, order, and what happens to a message
that is published inside a callback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rostra.bus.route import Route
from rostra.bus.subscription import handling
from rostra.core.guarantee import Guarantee, Order
from rostra.defaults import COMPILED_CLASSES, OUTBOX_SECONDS
from rostra.errors import Closed, InvalidType, InvalidValue, UsageError
from rostra.model.envelope import Notification, envelope_fields
from rostra.model.schema import fingerprint, key_reader
from rostra.model.topics import Topic, TopicPattern
from rostra.model.type_topics import topic_of
from rostra.model.types import Target, ancestry, conforms

if TYPE_CHECKING:
    from rostra.bus.embedded import EmbeddedBus
    from rostra.bus.group import Group
    from rostra.bus.mailbox import Parcel


class _Kind(NamedTuple):
    """What is the same for all messages of one class that a publisher publishes."""

    cls: type
    channel: str
    topic: str
    name: str
    ancestry: tuple[str, ...]
    schema: str
    key: Callable[[Any], Hashable] | None


class Publisher:
    """Publishes messages of some types, on a topic or by type, with a guarantee."""

    def __init__(
        self, bus: EmbeddedBus, name: str, topics: TopicPattern | None, types: tuple[Target, ...], guarantee: Guarantee
    ) -> None:
        self.bus, self.name, self.topics, self.types, self.guarantee = bus, name, topics, types, guarantee
        self.topic: Topic | None = None if topics is None else topics.topic
        self.effective = guarantee
        """What is left of the guarantee towards the listeners met so far."""

        self.sequence = self.refused = self.duplicates = 0
        self.ways: dict[type, Callable[[Any], bool]] = {}
        """For each class that allows it, the function that publishes a message without options."""

        self._routes: dict[type, Route] = {}
        self._kinds: dict[type, _Kind] = {}
        self._is_open = True

    @property
    def published(self) -> int:
        """Messages that were accepted."""
        return self.sequence - self.refused - self.duplicates

    def publish(self, message: Any, options: Mapping[str, Any]) -> bool:
        """Publish a message; False if it was refused as a duplicate, or for lack of room."""
        if not self._is_open or (self.bus.is_closing and not self._is_in_callback()):
            raise Closed("the collection, or its bus, was closed: open a new one to publish")
        kind = self._kind(type(message))
        now = self.bus.clock()
        fields = envelope_fields(options, now) if options else {}
        marks: list[Hashable] = [("id", fields["name"])] if "name" in fields else []
        if kind.key is not None:
            key = _read_key(kind.key, message)
            fields.setdefault("key", key)
            marks.append(("key", key))
        with self.bus.lock:
            self.sequence += 1
            notification = self._notification(message, self.sequence, kind, now, fields)
            fresh = self._remember(kind.channel, marks)
            if len(fresh) < len(marks) and self.guarantee.unique:
                self.duplicates += 1
                self._forget_marks(kind.channel, fresh)
                return False
        accepted = self._dispatch(notification, kind)
        if not accepted:
            with self.bus.lock:
                self.refused += 1
                self._forget_marks(kind.channel, fresh)
        return accepted

    def notification(self, message: Any, sequence: int) -> Notification:
        """Return the notification of a message that was published without one."""
        return self._notification(message, sequence, self._kind(type(message)), self.bus.clock(), {})

    def meets(self, guarantee: Guarantee) -> None:
        """Note what is left of the guarantee towards some listener."""
        self.effective = self.effective.weaker(guarantee)

    def topic_of(self, cls: type) -> str:
        """Return the topic that subscribers are told: the publisher's, or the class written as one."""
        return topic_of(cls) if self.topics is None else str(self.topics)

    def route_of(self, cls: type) -> Route:
        """Return the live route for a class, made anew if subscriptions have changed."""
        route = self._routes.get(cls)
        if route is None:
            key = self._kind(cls).key
            with self.bus.lock:
                route = self._routes[cls] = Route(self, cls, *self.bus.listeners(self.topic, cls))
                if key is None and route.is_direct and self.guarantee.order is Order.NONE and not self.bus.is_closing:
                    self.ways[cls] = route.direct()
        return route

    def forget(self, hears: Callable[[type], bool]) -> None:
        """Take down the routes for the classes of which this is true; with the lock of the bus held."""
        for cls in [cls for cls in self._routes if hears(cls)]:
            self._routes.pop(cls).retire()
            self.ways.pop(cls, None)

    def close(self) -> None:
        """Publish no more; with the lock of the bus held."""
        self._is_open = False
        self.forget(lambda _: True)

    def deliver(self, notification: Notification) -> None:
        """Hand a message to everyone who listens now."""
        self.bus.end_leases()
        expired = notification.expires is not None and notification.is_expired(self.bus.clock())
        while True:
            route = self.route_of(type(notification.body))
            found = route.matching(notification)
            with self.bus.lock:
                if not route.retired:
                    route.note(found, expired=expired)
                    break
        if not expired:
            interrupt = route.hand_out(notification, found)
            if interrupt is not None:
                raise interrupt

    def share_again(self, parcel: Parcel, group: Group) -> None:
        """Offer a one-for-all message that was not handled to those who have not tried."""
        cls = type(parcel.notification.body)
        route = self.route_of(cls) if self._is_open or parcel.route is None else parcel.route
        route.share(parcel, route.matching(parcel.notification), group)

    def _is_in_callback(self) -> bool:
        return self.bus.dispatcher.is_delivering or handling.get() is not None

    def _dispatch(self, notification: Notification, kind: _Kind) -> bool:
        route = self.route_of(kind.cls)
        if route.blocking and self.guarantee.reliable and not self._wait_for_room(route, notification):
            return False
        dispatcher = self.bus.dispatcher
        if self.guarantee.order is Order.NONE:
            accepted = dispatcher.run(lambda: self.deliver(notification))
        else:
            wait = self.guarantee.reliable and may_wait()
            accepted = dispatcher.run_in_order(lambda: self.deliver(notification), wait=wait)
        if not accepted and route.blocking:
            route.take_back(notification)
        return accepted

    def _wait_for_room(self, route: Route, notification: Notification) -> bool:
        """Wait until all whom publishers wait for have room; False if that takes too long, or forever."""
        with self.bus.lock:
            full = route.full_boxes(notification)
        if not full:
            return True
        if self.bus.dispatcher.is_delivering or handling.get() in full or not may_wait():
            return False
        return self.bus.dispatcher.wait_until(lambda: not route.full_boxes(notification), OUTBOX_SECONDS)

    def _remember(self, channel: str, marks: list[Hashable]) -> list[Hashable]:
        """Remember what a publication is known by; returns what was not known before."""
        return [mark for mark in marks if self.bus.window(channel).admit(mark)]

    def _forget_marks(self, channel: str, marks: list[Hashable]) -> None:
        for mark in marks:
            self.bus.window(channel).forget(mark)

    def _notification(
        self, message: Any, sequence: int, kind: _Kind, now: float, fields: Mapping[str, Any]
    ) -> Notification:
        return Notification(
            body=message,
            publisher=self.name,
            sequence=sequence,
            channel=kind.channel,
            topic=kind.topic,
            type=kind.name,
            ancestry=kind.ancestry,
            schema=kind.schema,
            time=now,
            **fields,
        )

    def _kind(self, cls: type) -> _Kind:
        kind = self._kinds.get(cls)
        if kind is None:
            if len(self._kinds) >= COMPILED_CLASSES:
                self._kinds.clear()
            kind = self._kinds[cls] = self._examine(cls)
        return kind

    def _examine(self, cls: type) -> _Kind:
        """Find out about a class, or refuse it."""
        if self.topics is not None and self.topic is None:
            raise UsageError(f"{self.topics} addresses many topics: open a collection on one of them to publish")
        if self.topic is not None and not self.topic.segments:
            raise UsageError("the root topic '/' is abstract: publish on a topic below it")
        if cls is type(None):
            raise InvalidValue("None cannot be published: it is what get() returns when there is no message")
        if self.types and not any(conforms(cls, target) for target in self.types):
            wanted = " or ".join(getattr(one, "__qualname__", str(one)) for one in self.types)
            raise InvalidType(f"this collection holds {wanted}, and {cls.__qualname__} does not conform to that")
        lineage = self._lineage(cls)
        channel = lineage[0] if self.topics is None else str(self.topics)
        return _Kind(cls, channel, self.topic_of(cls), lineage[0], lineage, fingerprint(cls), key_reader(cls))

    def _lineage(self, cls: type) -> tuple[str, ...]:
        try:
            return ancestry(cls)
        except InvalidType:
            if self.topics is None:  # a class that nobody can name is no address
                raise
            return (f"{cls.__module__}.{cls.__qualname__}",)


def may_wait() -> bool:
    """Say whether this thread may be held up: not one that runs an event loop."""
    asyncio = sys.modules.get("asyncio")
    return asyncio is None or asyncio._get_running_loop() is None


def _read_key(read: Callable[[Any], Hashable], message: Any) -> Hashable:
    try:
        key = read(message)
        hash(key)
    except Exception as error:
        raise InvalidValue(f"the key that {type(message).__qualname__} declares cannot be read: {error}") from error
    return key
