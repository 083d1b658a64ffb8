"""A route: everyone who listens to the messages of one publisher and one class, sorted by how they are reached.

Routes are made when the first message comes and never change. A new or closed subscription takes down the routes
it concerns; the next message makes them anew. A route that was taken down counts no more messages: whoever was
about to use it looks for its successor.

For the common case, subscribers without conditions on the publisher's thread, `direct` is one function with
everything a message needs inside it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from rostra.bus.conditions import Conditions
from rostra.bus.group import Group, next_in_turn
from rostra.bus.listener import Listener
from rostra.bus.mailbox import Mailbox, Parcel, weight
from rostra.defaults import COMPILED_AT_ONCE
from rostra.model.envelope import Notification

if TYPE_CHECKING:
    from rostra.bus.feed import Feed
    from rostra.bus.publisher import Publisher
    from rostra.bus.subscription import Subscription


class Route:
    """The listeners of one publisher's messages of one class."""

    __slots__ = (
        "_conditions",
        "_look_outside",
        "blocking",
        "conditional",
        "count",
        "feeds",
        "groups",
        "listeners",
        "one",
        "publisher",
        "retired",
        "shared",
        "three",
        "topic",
        "two",
        "waiting",
    )

    def __init__(self, publisher: Publisher, cls: type, subscriptions: list[Subscription], feeds: list[Feed]) -> None:
        self.publisher = publisher
        self.topic = publisher.topic_of(cls)
        self.count = 0
        self.retired = False
        each = [one for one in subscriptions if one.group is None and not one.filters]
        inline = [one for one in each if one.mailbox is None]
        self.one = tuple(one for one in inline if one.receiver.arity == 1)
        self.two = tuple(one for one in inline if one.receiver.arity == 2)
        self.waiting = tuple(one for one in each if one.mailbox is not None)
        self.three = tuple(one for one in inline if one.receiver.arity == 3)
        self.feeds = tuple(feeds)
        self.shared = frozenset(one for one in subscriptions if one.group is not None and not one.filters)
        self.groups = tuple({one.group: None for one in subscriptions if one.group is not None})
        self.conditional = {one: one.interest.where for one in subscriptions if one.filters}
        self.blocking = any(one.mailbox is not None and one.mailbox.blocks for one in subscriptions)
        alone = [one for one in subscriptions if one.group is None]
        self.listeners: tuple[Listener, ...] = (*feeds, *alone, *self.groups)
        self._conditions = Conditions(self.conditional, partial(publisher.shared_conditions, cls))
        if len(self.conditional) <= COMPILED_AT_ONCE:
            publisher.forget_conditions(cls)
        self._look_outside = any(one.about is not None for one in self.conditional)

    @property
    def is_direct(self) -> bool:
        """Whether all its listeners are called with the message, or the message and its topic, and no more."""
        leased = any(one.leased for one in (*self.one, *self.two))
        return not (self.three or self.waiting or self.feeds or self.groups or self.conditional or leased)

    def open(self) -> None:
        """Begin to count; both sides learn what is left of their promises. Pulling is outside the guarantees."""
        guarantee = self.publisher.guarantee
        for listener in self.listeners:
            listener.routes.add(self)
            listener.guarantee = listener.guarantee.weaker(guarantee)
        for listener in self.listeners[len(self.feeds) :]:
            self.publisher.meets(listener.guarantee)

    def matching(self, notification: Notification) -> list[Subscription]:
        """Return the subscriptions whose conditions hold."""
        if not self.conditional:
            return []
        found = self._conditions.match(notification.body, notification.topic)
        if self._look_outside:
            found = [one for one in found if one.about is None or one.about(notification)]
        return found

    def reserve(self, size: int, found: list[Subscription]) -> tuple[set[Mailbox], list[Mailbox]]:
        """Keep room in the mailboxes that publishers wait for; returns those, or none of them and those that are full.

        With the lock of the bus held; `found` is whose condition holds.
        """
        each = [one for one in (*self.waiting, *found) if one.group is None]
        boxes = [one.mailbox for one in each if one.mailbox is not None and one.mailbox.blocks]
        kept = {box for box in boxes if box.promise(size)}
        full = [box for box in boxes if box not in kept] + self._full_group(found, size)
        if not full:
            return kept, []
        for box in kept:
            box.give_up(size)
        return set(), full

    def _full_group(self, found: list[Subscription], size: int) -> list[Mailbox]:
        """Return the mailboxes of a one-for-all message if all of them are full and it should wait."""
        willing = self.shared.union(one for one in found if one.group is not None)
        boxes = [one.mailbox for one in willing if one.mailbox is not None]
        if len(boxes) < len(willing) or not any(box.blocks for box in boxes):
            return []
        return boxes if not any(box.has_room(size) for box in boxes) else []

    def note(self, found: list[Subscription], *, expired: bool) -> None:
        """Count a message, with the lock of the bus held: offered to all, taken by those whose condition holds."""
        if self.retired:  # its listeners do not ask it any more
            for listener in self.listeners:
                listener.tally.offered += 1
        else:
            self.count += 1
        each = [one for one in found if one.group is None] if self.groups else found
        for one in each:
            one.tally.taken += 1
        if expired:
            for listener in (*self.one, *self.two, *self.three, *self.waiting, *self.feeds, *each):
                listener.tally.expired += 1
            willing = (*self.shared, *(one for one in found if one.group is not None))
            if willing and willing[0].group is not None:
                willing[0].group.tally.taken += 1
                willing[0].group.tally.expired += 1

    def hand_out(
        self, notification: Notification, found: list[Subscription], kept: set[Mailbox]
    ) -> BaseException | None:
        """Deliver a message that was counted; room is kept for it in some mailboxes, which are taken out of `kept`.

        Returns an interrupt that the publisher's thread must see, if any.
        """
        interrupt: BaseException | None = None
        for one in (*self.one, *self.two, *self.three, *self.waiting):
            interrupt = one.take(notification, kept) or interrupt
        for feed in self.feeds:
            feed.take(notification)
        body = notification.body
        for one in found:
            if one.is_plain:
                try:
                    one.call(body)
                except BaseException as error:  # noqa: BLE001  reported; nobody else notices
                    interrupt = one.failed(error, notification) or interrupt
            elif one.group is None:
                interrupt = one.take(notification, kept) or interrupt
        if self.groups:
            parcel = Parcel(notification, self, frozenset(self.groups))
            interrupt = self.share(parcel, found) or interrupt
        return interrupt

    def share(self, parcel: Parcel, found: list[Subscription], origin: Group | None = None) -> BaseException | None:
        """Give a message to one of those who take turns; `origin` is where it was before, if it comes back."""
        if origin is not None:
            parcel = self._offer_again(parcel)
        willing = self.shared.union(one for one in found if one.group is not None)
        tried, full = set(parcel.tried), set[object]()
        interrupt: BaseException | None = None
        while (one := self._next(willing, tried, full, parcel)) is not None:
            if one.mailbox is not None:
                one.mailbox.wake()
                return interrupt
            taken, raised = one.take_turn(parcel.notification)
            interrupt = raised or interrupt
            if taken:
                return interrupt
            tried.add(one)
        group = origin or next((one.group for one in willing), None)
        if group is not None and not self._put_in_full_box(full, parcel):
            self._give_up(group, failed=bool(tried))
        return interrupt

    def _offer_again(self, parcel: Parcel) -> Parcel:
        """Count a message that comes back as offered to groups that were not there when it was published."""
        with self.publisher.bus.lock:
            for group in self.groups:
                group.tally.offered += group not in parcel.groups
        return parcel._replace(groups=parcel.groups.union(self.groups))

    def _next(
        self, willing: frozenset[Subscription], tried: set[object], full: set[object], parcel: Parcel
    ) -> Subscription | None:
        """Choose who is next; for one with a mailbox, the message is in it at once. Adds to `full` on the way."""
        bus, size = self.publisher.bus, weight(parcel.notification.body)
        with bus.lock:
            gone: set[object] = set()
            while (one := next_in_turn(self.groups, willing, tried | full | gone)) is not None:
                if one.mailbox is None or (one.mailbox.has_room(size) and not one.mailbox.is_deserted):
                    bus.serve(one)
                    one.put_in_box(parcel, waited=True)
                    return one
                (gone if one.mailbox.is_deserted else full).add(one)
        return None

    def _put_in_full_box(self, full: set[object], parcel: Parcel) -> bool:
        """Leave a message for which there is no room to the policy of whose turn it is; False if nobody is there."""
        bus = self.publisher.bus
        with bus.lock:
            one = next_in_turn(self.groups, full, parcel.tried)
            if one is None:
                return False
            bus.serve(one)
            verdict = one.put_in_box(parcel, waited=self.publisher.guarantee.reliable)
        if verdict is not None and one.mailbox is not None:
            one.mailbox.wake()
            one.settle(verdict, parcel.notification)
        return True

    def _give_up(self, group: Group, *, failed: bool) -> None:
        """Count a message on which everyone has failed as dead, one for which nobody was left as dropped."""
        with self.publisher.bus.lock:
            group.tally.taken += 1
            if failed:
                group.tally.dead += 1
            else:
                group.tally.dropped += 1

    def retire(self) -> None:
        """Take the route down, with the lock of the bus held: its listeners are told what it has counted."""
        if not self.retired:
            self.retired = True
            for listener in self.listeners:
                listener.tally.offered += self.count
                listener.routes.discard(self)

    def direct(self) -> Callable[[Any], bool]:
        """Return a function that delivers a message to subscribers on the publisher's thread, and counts it."""
        publisher, one, two = self.publisher, self.one, self.two
        topic = self.topic
        dispatcher = publisher.bus.dispatcher
        lock, is_held, turns = dispatcher.lock, dispatcher.is_held, dispatcher.turns

        def deliver(message: Any) -> bool:
            turn = turns.get(get_ident())
            if turn is None or turn.busy.locked() or turn.queue or is_held():
                return publisher.publish(message, {})
            interrupt = None
            with turn.busy:
                with lock:
                    stale = self.retired
                    if not stale:
                        self.count += 1
                        publisher.sequence = sequence = publisher.sequence + 1
                if not stale:
                    for subscription in one:
                        try:
                            subscription.call(message)
                        except BaseException as error:  # noqa: BLE001  reported; nobody else notices
                            note = publisher.notification(message, sequence)
                            interrupt = subscription.failed(error, note) or interrupt
                    for subscription in two:
                        try:
                            subscription.call(message, topic)
                        except BaseException as error:  # noqa: BLE001  reported; nobody else notices
                            note = publisher.notification(message, sequence)
                            interrupt = subscription.failed(error, note) or interrupt
                    if turn.queue:
                        dispatcher.catch_up(turn)
            if dispatcher.watched:
                dispatcher.changed()
            if interrupt is not None:
                raise interrupt
            return publisher.publish(message, {}) if stale else True

        return deliver
