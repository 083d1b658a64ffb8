"""The embedded bus: publish/subscribe inside one process, with no server and no set-up.

It knows who publishes and who listens, and brings the two together in routes. Everything that is looked up or
counted for a message is guarded by one lock, which is never held while a callback runs.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rostra.bus.advertisement import Advertisement
from rostra.bus.closing import Closing
from rostra.bus.directory import Directory
from rostra.bus.dispatch import Dispatcher
from rostra.bus.failures import ErrorHandler
from rostra.bus.feed import Feed
from rostra.bus.group import Group
from rostra.bus.handling import DEFAULT, Handling, Run, seconds_of
from rostra.bus.mailbox import Crew, Mailbox, Parcel
from rostra.bus.publisher import Publisher, may_wait
from rostra.bus.receiver import receiver_of
from rostra.bus.runners import Loops, Timer, work_on_thread
from rostra.bus.subscription import Subscription, present_box
from rostra.bus.workers import Courier, Workers
from rostra.core.buffer import Buffer
from rostra.core.guarantee import Guarantee, Order
from rostra.core.leases import Leases
from rostra.core.window import Window
from rostra.defaults import (
    CLOSE_SECONDS,
    DUPLICATE_CHANNELS,
    DUPLICATES,
    POOL,
    SUBSCRIPTIONS,
)
from rostra.errors import Closed, InvalidValue, LimitExceeded
from rostra.model.condition import Always
from rostra.model.interest import Interest
from rostra.model.topics import TopicPattern
from rostra.model.types import Target

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


class EmbeddedBus(Closing):
    """This process's way in, under a name; `rostra.connect()` gives the one without."""

    def __init__(
        self,
        name: str = "",
        *,
        on_error: ErrorHandler | None = None,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.on_error = on_error
        """Called with a `Failure` whenever a subscriber raises or does not keep up."""

        self.clock = clock
        label = f"rostra-{name}" if name else "rostra"
        self._workers = Workers(label)
        self._courier = Courier(f"{label}-courier")
        self._loops = Loops(label)
        self.timer = Timer(label, self._workers)
        self.dispatcher = Dispatcher(label)
        self.lock = self.dispatcher.lock
        self._monotonic = monotonic
        self._numbers = count(1)
        self._stamps = count(1)
        self.directory = Directory()
        self._subscriptions: dict[Subscription, None] = {}
        self._groups: dict[Interest, Group] = {}
        self._windows: dict[str, Window] = {}
        self._leases: Leases[Subscription | Advertisement] = Leases()
        self._advertisements: dict[Advertisement, None] = {}
        self._boxes: dict[Mailbox, Subscription] = {}
        self.in_transit = 0
        """Messages between two hands: passed on, published by a courier, or failed and not yet reported."""

        self._orphans: list[tuple[Publisher, Feed | None]] = []
        self.is_closing = False
        """Whether only callbacks may still publish."""

        self._is_open = True

    # What collections use.

    def publisher(self, topics: TopicPattern | None, types: tuple[Target, ...], guarantee: Guarantee) -> Publisher:
        """Return a new publisher; `forget` it when it is done."""
        with self.lock:
            self._require_open()
            name = f"{self.name or 'embedded'}/{next(self._numbers)}"
            publisher = Publisher(self, name, topics, types, guarantee)
            self.directory.add_publisher(publisher)
        return publisher

    def subscribe(
        self,
        interest: Interest,
        subscriber: object,
        guarantee: Guarantee,
        how: Handling = DEFAULT,
    ) -> Subscription:
        """Deliver to a subscriber what it is interested in, from now on."""
        self.end_leases()
        receiver = receiver_of(subscriber)
        run = how.run_for(receiver)
        loop = self._loops.current() if receiver.is_async or run is Run.LOOP else None
        subscription = Subscription(self, interest, how.left_of(guarantee, run), receiver, how.on_error)
        with self.lock:
            self._require_open()
            if len(self._subscriptions) >= SUBSCRIPTIONS:
                raise LimitExceeded(f"this bus has {SUBSCRIPTIONS} subscriptions: close those that are not needed")
            if interest.one_for_all:
                self._join_group(subscription)
            if run is not Run.CALLER:
                subscription.mailbox = self._mailbox(subscription, loop, run, how.buffer())
            subscription.is_plain = run is Run.CALLER and receiver.arity == 1 and subscription.group is None
            self._subscriptions[subscription] = None
            if how.lease is not None:
                self._grant(subscription, how.lease)
            self.directory.listen(subscription)
        return subscription

    def feed(self, interest: Interest, *, last_first: bool, in_order: bool) -> Feed:
        """Return a buffer that messages can be pulled from; `forget` it when it is done."""
        feed = Feed(interest, self.lock, self.clock, last_first=last_first, in_order=in_order)
        with self.lock:
            self._require_open()
            self.directory.listen(feed)
        return feed

    def advertise(self, advertisement: Advertisement, lease: float | None = None) -> None:
        """Record what will be published."""
        with self.lock:
            self._require_open()
            self._advertisements[advertisement] = None
            if lease is not None:
                self._grant(advertisement, seconds_of(lease, "a lease"))

    def withdraw(self, advertisement: Advertisement) -> None:
        """Forget an advertisement."""
        with self.lock:
            self._advertisements.pop(advertisement, None)
            self._leases.end(advertisement)

    def unsubscribe(self, subscription: Subscription) -> None:
        """End a subscription; what waited for a member of a group goes to the others."""
        with self.lock:
            if subscription not in self._subscriptions:
                return
            del self._subscriptions[subscription]
            self._leases.end(subscription)
            self.directory.stop(subscription)
            left = subscription.end()
            box = subscription.mailbox
            if box is not None and box.is_done:  # else it goes when it is
                self._boxes.pop(box, None)
            group = subscription.group
            if group is not None:
                self.begin_passing(group, len(left))
                group.leave(subscription)
                if not len(group.turns):
                    self._groups.pop(_shared(subscription.interest), None)
        for parcel in left:
            if group is not None:
                group.pass_on(parcel)
        if self.dispatcher.watched:
            self.dispatcher.changed()

    def box_done(self, box: Mailbox) -> None:
        """Note that somebody has handled a message out of a mailbox."""
        if box.is_done:
            with self.lock:
                self._boxes.pop(box, None)
        if self.dispatcher.watched:
            self.dispatcher.changed()

    def elsewhere(self, publish: Callable[[], object]) -> bool:
        """Have a thread of the bus publish what this one cannot, being in the middle of the bus's own work."""

        def job() -> None:
            try:
                publish()
            finally:
                with self.lock:
                    self.in_transit -= 1
                self.dispatcher.changed()

        self.in_transit += 1
        return self._courier.submit(job)

    def lease(self, subscription: Subscription, seconds: float) -> None:
        """Let a subscription end by itself after so many seconds."""
        with self.lock:
            self._grant(subscription, seconds_of(seconds, "a lease"))
            self.directory.take_down(subscription.interest)

    def end_leases(self) -> None:
        """End the subscriptions and advertisements whose time is over."""
        if not len(self._leases):
            return
        with self.lock:
            ended = self._leases.expired(self._monotonic())
        for one in ended:
            if isinstance(one, Subscription):
                self.unsubscribe(one)
            else:
                self.withdraw(one)

    def forget(self, publisher: Publisher, feed: Feed | None) -> None:
        """Take out a publisher and its buffer, when their collection is closed or gone."""
        with self.lock:
            publisher.close()
            self.directory.remove_publisher(publisher)
            if feed is not None:
                self.directory.stop(feed)
                feed.close()

    def forget_when_gone(self, owner: object, publisher: Publisher, feed: Feed | None) -> None:
        """Take both out some time after their owner has become garbage."""
        # Garbage is found at any moment, also in the middle of a change to the tables: so only leave a note.
        weakref.finalize(owner, self._orphans.append, (publisher, feed)).atexit = False

    # What routes and publishers use.

    def window(self, channel: str) -> Window:
        """Return what is remembered of the publications on a channel; the channel used least recently makes room."""
        window = self._windows.pop(channel, None) or Window(DUPLICATES)
        self._windows[channel] = window
        if len(self._windows) > DUPLICATE_CHANNELS:
            del self._windows[next(iter(self._windows))]
        return window

    def serve(self, member: Subscription) -> None:
        """Note whose turn it is, with the lock held."""
        member.stamp = next(self._stamps)
        if member.group is not None:
            member.group.turns.served(member)

    # What users use.

    @property
    def advertisements(self) -> tuple[Advertisement, ...]:
        """What publishers have said they will publish."""
        self.end_leases()
        with self.lock:
            return tuple(self._advertisements)

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The open subscriptions."""
        self.end_leases()
        with self.lock:
            return tuple(self._subscriptions)

    @property
    def is_open(self) -> bool:
        """Whether collections can be opened and used."""
        return self._is_open

    def flush(self, timeout: float | None = CLOSE_SECONDS) -> bool:
        """Wait until every message accepted so far has been handled; False if that takes too long.

        Inside a callback it waits for everything but what comes after that callback, and returns False if there
        is any. On an event loop use `aflush`.
        """
        if timeout is not None and not timeout >= 0:
            raise InvalidValue(f"timeout={timeout!r}: give a number of seconds, or None to wait forever")
        self._tidy_up()
        done = self.dispatcher.wait_until(self._is_idle, timeout)
        return done and not self.dispatcher.owes()

    async def aflush(self, timeout: float | None = CLOSE_SECONDS) -> bool:
        """Wait as `flush` does, without holding up the event loop."""
        import asyncio
        from contextvars import copy_context

        return await asyncio.get_running_loop().run_in_executor(None, copy_context().run, self.flush, timeout)

    def close(self, timeout: float = CLOSE_SECONDS) -> bool:
        """Deliver what was accepted, then end all subscriptions and threads; False if that takes too long.

        Whatever is left by then is counted as dropped. From now on only callbacks can publish, until all is
        delivered. Inside a callback on the publisher's thread the rest happens after the present message, and all
        that it sets off, has reached everyone. On an event loop use `aclose`: this one does not wait there.
        """
        with self.lock:
            if not self._is_open:
                return True
            self.is_closing = True
            self._forget_orphans()
            self.directory.take_down(None)
        if self.dispatcher.is_delivering:
            self.dispatcher.run_last(lambda: self._close(timeout))
            return True
        return self._close(timeout)

    def _close(self, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        done = [self.timer.close(timeout)]
        if self.dispatcher.owes():  # once more to the end of the line
            self.dispatcher.run_last(lambda: self._close(timeout))
            return True
        done.append(self.flush(_until(deadline) if may_wait() else 0))
        self._end_all()
        done += [part.close(_until(deadline)) for part in (self._courier, self.dispatcher, self._workers, self._loops)]
        return all(done)

    async def aclose(self, timeout: float = CLOSE_SECONDS) -> bool:
        """Close as `close` does, without holding up the event loop."""
        import asyncio
        from contextvars import copy_context

        if self._loops.is_inside:  # it cannot wait for itself
            return self.close(0)
        return await asyncio.get_running_loop().run_in_executor(None, copy_context().run, self.close, timeout)

    async def __aenter__(self) -> EmbeddedBus:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<EmbeddedBus memory://{self.name} {'open' if self._is_open else 'closed'}>"

    # Inside.

    def _require_open(self) -> None:
        if self.is_closing:
            raise Closed("this bus was closed: rostra.connect() gives a new one")
        self._forget_orphans()

    def _forget_orphans(self) -> None:
        while self._orphans:
            self.forget(*self._orphans.pop())

    def _end_all(self) -> None:
        for subscription in self.subscriptions:
            self.unsubscribe(subscription)
        with self.lock:
            self._is_open = False
            for publisher in self.directory.publishers():
                self.forget(publisher, None)
            for feed in self.directory.feeds():
                self.directory.stop(feed)
                feed.close()
            self._advertisements.clear()

    def _tidy_up(self) -> None:
        """End subscriptions whose event loop is closed, and deliver what interrupted threads have left behind."""
        for box, subscription in list(self._boxes.items()):
            if box.is_deserted:
                subscription.close()
                self._boxes.pop(box, None)
        self.dispatcher.tidy_up()

    def _is_idle(self) -> bool:
        own = present_box()
        pending = sum(box.pending for box in self._boxes)
        if own is not None and own in self._boxes:
            pending -= own.waits_behind
        return pending == self.in_transit == 0 and self.dispatcher.is_idle()

    def _join_group(self, subscription: Subscription) -> None:
        key = _shared(subscription.interest)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(subscription.guarantee, self._redeliver)
        group.guarantee = group.guarantee.weaker(subscription.guarantee)
        subscription.group = group
        subscription.stamp = next(self._stamps)
        group.join(subscription)

    def begin_passing(self, group: Group, count: int) -> None:
        """Note that messages which a member could not handle are on their way to others; with the lock held."""
        group.passing += count
        self.in_transit += count

    def _redeliver(self, group: Group, parcel: Parcel) -> None:
        """Offer a message that is passing to those who have not tried."""

        def job() -> None:
            with self.lock:
                group.passing -= 1
                group.tally.taken -= 1
                self.in_transit -= 1
            if parcel.route is not None:
                parcel.route.publisher.share_again(parcel, group)

        self.dispatcher.run(job)

    def _mailbox(
        self, subscription: Subscription, loop: AbstractEventLoop | None, run: Run, buffer: Buffer[Parcel]
    ) -> Mailbox:
        def start() -> None:
            if loop is None:
                work_on_thread(subscription, box, self._workers)
            else:
                self._loops.work(subscription, box, loop)

        listener = subscription if subscription.group is None else subscription.group
        in_order = subscription.guarantee.order is not Order.NONE
        is_gone = (lambda: False) if loop is None else loop.is_closed
        crew = Crew(start, POOL if run is Run.POOL else 1, is_gone)
        box = Mailbox(buffer, self.lock, listener.tally, crew, in_order=in_order)
        self._boxes[box] = subscription
        return box

    def _grant(self, holder: Subscription | Advertisement, seconds: float) -> None:
        self._leases.grant(holder, self._monotonic() + seconds)
        if isinstance(holder, Subscription):
            holder.leased = True


def _until(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _shared(interest: Interest) -> Interest:
    """Return what members of a one-for-all group have in common: where they listen, not what they filter."""
    return replace(interest, where=Always(), about=Always())
