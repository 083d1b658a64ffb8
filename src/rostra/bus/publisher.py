"""One who publishes on a bus: a collection, or whatever else has messages for a topic or a type.

Publishing is a look-up of the route for the message's class and, in the common case, one call. All else is here:
refusing what does not belong, the envelope, duplicates, waiting for room, order, and what happens to a message
that is published inside a callback.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from rostra.bus.conditions import Shared
from rostra.bus.mailbox import weight
from rostra.bus.route import Route
from rostra.bus.subscription import present_box
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
    from rostra.bus.mailbox import Mailbox, Parcel


_ATTEMPTS: Final = 3
"""How often a message is matched anew because subscriptions have changed meanwhile; then it goes to those who
were there when it was last matched."""


class _Kind(NamedTuple):
    """What is the same for all messages of one class that a publisher publishes."""

    cls: type
    channel: str
    topic: str
    name: str
    ancestry: tuple[str, ...]
    schema: str
    key: Callable[[Any], Hashable] | None


class _Draft(NamedTuple):
    """A message and what is known about it before it has a number."""

    message: Any
    kind: _Kind
    time: float
    fields: Mapping[str, Any]


class Publisher:
    """Publishes messages of some types, on a topic or by type, with a guarantee."""

    def __init__(
        self, bus: EmbeddedBus, name: str, topics: TopicPattern | None, types: tuple[Target, ...], guarantee: Guarantee
    ) -> None:
        self.bus, self.name, self.topics, self.types, self.guarantee = bus, name, topics, types, guarantee
        self.topic: Topic | None = None if topics is None else topics.topic
        self.effective = guarantee
        """What is left of the guarantee towards the listeners met so far."""

        self.sequence = 0
        """Messages accepted so far."""

        self.refused = self.duplicates = 0
        self.ways: dict[type, Callable[[Any], bool]] = {}
        """For each class that allows it, the function that publishes a message without options."""

        self._routes: dict[type, Route] = {}
        self._kinds: dict[type, _Kind] = {}
        self._shared: dict[type, Shared] = {}
        self.is_open = True

    def publish(self, message: Any, options: Mapping[str, Any]) -> bool:
        """Publish a message; False if it was refused as a duplicate, or for lack of room."""
        if self.bus.dispatcher.is_held():  # by a finalizer or a signal handler, in the middle of the bus's own work
            return self.bus.elsewhere(lambda: self.publish(message, options))
        if not self.is_open or (self.bus.is_closing and not self._is_in_callback()):
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
            fresh = self._remember(kind.channel, marks)
            if len(fresh) < len(marks) and self.guarantee.unique:
                self.duplicates += 1
                self._forget_marks(kind.channel, fresh)
                return False
        draft, job = _Draft(message, kind, now, fields), None
        try:
            job = self._accept(draft)
        finally:  # also when whoever waits for room is interrupted
            if job is None:
                self._refuse(kind.channel, fresh)
        if job is not None and self.guarantee.order is Order.NONE:
            self.bus.dispatcher.run(job)
        elif job is not None:
            self.bus.dispatcher.drive()
        return job is not None

    def notification(self, message: Any, sequence: int) -> Notification:
        """Return the notification of a message that was published without one."""
        return self._notification(_Draft(message, self._kind(type(message)), self.bus.clock(), {}), sequence)

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
                if len(self._routes) >= COMPILED_CLASSES:
                    self.forget(lambda _: True)
                route = self._routes[cls] = self._new_route(cls)
                route.open()
                if key is None and route.is_direct and self.guarantee.order is Order.NONE and not self.bus.is_closing:
                    self.ways[cls] = route.direct()
        return route

    def forget(self, hears: Callable[[type], bool]) -> None:
        """Take down the routes for the classes of which this is true; with the lock of the bus held."""
        for cls in [cls for cls in list(self._routes) if hears(cls)]:
            route = self._routes.pop(cls, None)
            if route is not None:
                route.retire()
            self.ways.pop(cls, None)

    def close(self) -> None:
        """Publish no more; with the lock of the bus held."""
        self.is_open = False
        self.forget(lambda _: True)

    def _deliver(self, notification: Notification, kept: set[Mailbox]) -> None:
        """Hand a message to everyone who listens now; room is kept for it in some mailboxes."""
        try:
            self._hand_out(notification, kept)
        finally:  # it has expired, or a condition has changed its mind
            for box in kept:
                box.give_up(weight(notification.body))

    def _hand_out(self, notification: Notification, kept: set[Mailbox]) -> None:
        self.bus.end_leases()
        expired = notification.expires is not None and notification.is_expired(self.bus.clock())
        for attempt in range(_ATTEMPTS):
            route = self.route_of(type(notification.body))
            found = route.matching(notification)
            with self.bus.lock:
                if not route.retired or attempt + 1 == _ATTEMPTS:
                    route.note(found, expired=expired)
                    break
        if not expired:
            interrupt = route.hand_out(notification, found, kept)
            if interrupt is not None:
                raise interrupt

    def share_again(self, parcel: Parcel, group: Group) -> None:
        """Offer a one-for-all message that was not handled to those who have not tried."""
        cls = type(parcel.notification.body)
        with self.bus.lock:
            route = self._new_route(cls)
        interrupt = route.share(parcel, route.matching(parcel.notification), group)
        if interrupt is not None:
            raise interrupt

    def forget_conditions(self, cls: type) -> None:
        """Drop the index of the conditions on messages of a class: few are left, which need none."""
        self._shared.pop(cls, None)

    def shared_conditions(self, cls: type) -> Shared:
        """Return the index of the conditions on messages of a class, which one route leaves to the next."""
        if len(self._shared) >= COMPILED_CLASSES:
            self._shared.clear()
        return self._shared.setdefault(cls, Shared())

    def _new_route(self, cls: type) -> Route:
        return Route(self, cls, *self.bus.directory.hearing(self.topic, cls))

    def _is_in_callback(self) -> bool:
        return self.bus.dispatcher.is_delivering or present_box() is not None

    def _accept(self, draft: _Draft) -> Callable[[], None] | None:
        """Give a message its number and its place in line; returns what delivers it, None if there is no room.

        Numbers and places are given in one step, so that both have the same order.
        """
        kept = self._reserve(draft)
        if kept is None:
            return None
        dispatcher, in_order = self.bus.dispatcher, self.guarantee.order is not Order.NONE
        with self.bus.lock:
            wait = self.guarantee.reliable and may_wait()
            if not (dispatcher.wait_for_lane(wait=wait) if in_order else dispatcher.has_room()):
                for box in kept:
                    box.give_up(weight(draft.message))
                return None
            self.sequence += 1
            job = partial(self._deliver, self._notification(draft, self.sequence), kept)
            if in_order:
                dispatcher.enter_lane(job)
        return job

    def _reserve(self, draft: _Draft) -> set[Mailbox] | None:
        """Wait until all whom publishers wait for have room; returns where room is kept, None if it takes too long."""
        route = self.route_of(draft.kind.cls)
        if not route.blocking or not self.guarantee.reliable:
            return set()
        found, size = route.matching(self._notification(draft, 0)), weight(draft.message)
        with self.bus.lock:
            kept, full = route.reserve(size, found)
        if not full:
            return kept
        if self.bus.dispatcher.is_delivering or present_box() in full or not may_wait():
            return None

        def there_is_room() -> bool:
            now_kept, still_full = route.reserve(size, found)
            kept.update(now_kept)
            return not still_full

        return kept if self.bus.dispatcher.wait_until(there_is_room, OUTBOX_SECONDS) else None

    def _refuse(self, channel: str, marks: list[Hashable]) -> None:
        with self.bus.lock:
            self.refused += 1
            self._forget_marks(channel, marks)

    def _remember(self, channel: str, marks: list[Hashable]) -> list[Hashable]:
        """Remember what a publication is known by; returns what was not known before."""
        return [mark for mark in marks if self.bus.window(channel).admit(mark)]

    def _forget_marks(self, channel: str, marks: list[Hashable]) -> None:
        for mark in marks:
            self.bus.window(channel).forget(mark)

    def _notification(self, draft: _Draft, sequence: int) -> Notification:
        kind = draft.kind
        return Notification(
            body=draft.message,
            publisher=self.name,
            sequence=sequence,
            channel=kind.channel,
            topic=kind.topic,
            type=kind.name,
            ancestry=kind.ancestry,
            schema=kind.schema,
            time=draft.time,
            **draft.fields,
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
