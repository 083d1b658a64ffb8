"""A subscription on the bus: the handle that users get, and how messages reach the subscriber."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from rostra.bus.closing import Closing
from rostra.bus.failures import INTERRUPTS, ErrorHandler, Failure, TooSlow, report
from rostra.bus.group import Group
from rostra.bus.listener import Listener
from rostra.bus.mailbox import Mailbox, Parcel, weight
from rostra.bus.receiver import Receiver
from rostra.core.buffer import Outcome, Verdict
from rostra.core.guarantee import Guarantee
from rostra.core.tally import Stats
from rostra.errors import Closed
from rostra.model.condition import Always
from rostra.model.envelope import Notification
from rostra.model.interest import Interest

if TYPE_CHECKING:
    from rostra.bus.embedded import EmbeddedBus


class _InHand:
    """A message from a mailbox that is being handled."""

    __slots__ = ("box",)

    def __init__(self, box: Mailbox | None) -> None:
        self.box = box


_in_hand: ContextVar[_InHand | None] = ContextVar("rostra_in_hand", default=None)


def present_box() -> Mailbox | None:
    """Return the mailbox whose message the present code is in the middle of handling: it must not wait for itself."""
    in_hand = _in_hand.get()
    return None if in_hand is None else in_hand.box


_GONE = Closed("this subscriber of a group is gone: the next one is asked")


class Subscription(Closing, Listener):
    """What `contains`, `remove` and their like return. It is true as long as it is open.

    Close it with `close()`, with `collection.clear(subscriber)`, or by using it in a `with` statement.
    """

    __slots__ = (
        "_bus",
        "_is_open",
        "_on_error",
        "about",
        "call",
        "group",
        "interest",
        "is_plain",
        "leased",
        "mailbox",
        "receiver",
        "served",
        "stamp",
    )

    def __init__(
        self,
        bus: EmbeddedBus,
        interest: Interest,
        guarantee: Guarantee,
        receiver: Receiver,
        on_error: ErrorHandler | None,
    ) -> None:
        filters = not (isinstance(interest.where, Always) and isinstance(interest.about, Always))
        super().__init__(guarantee, filters=filters)
        self._bus, self.interest, self.receiver = bus, interest, receiver
        self._on_error = on_error
        self._is_open = True
        self.about = None if isinstance(interest.about, Always) else interest.about.compile(Notification)
        self.call: Callable[..., Any] = receiver.call
        """What routes call directly; replaced when the subscription ends, also for routes that are delivering."""

        self.mailbox: Mailbox | None = None
        self.group: Group | None = None
        self.is_plain = False
        """Whether delivering is no more than calling it with the message."""

        self.served = self.stamp = 0
        self.leased = False

    @property
    def is_open(self) -> bool:
        """Whether messages are delivered; a lease or an event loop may have ended, or somebody closed it."""
        self._bus.end_leases()
        if self._is_open and self.mailbox is not None and self.mailbox.is_deserted:
            self.close()
        return self._is_open

    def __bool__(self) -> bool:
        return self.is_open

    @property
    def stats(self) -> Stats:
        """What became of the messages offered to it. Members of a one-for-all group share the group's."""
        self._bus.end_leases()
        with self._bus.lock:
            return (self if self.group is None else self.group).count()

    @property
    def delivered(self) -> int:
        """Messages that this subscriber itself has taken; in a one-for-all group its share of them."""
        return self.stats.delivered if self.group is None else self.served

    @property
    def subscriber(self) -> object:
        """Who gets the messages."""
        return self.receiver.subscriber

    @property
    def name(self) -> str:
        """The subscriber as logs call it."""
        return getattr(self.subscriber, "__qualname__", None) or type(self.subscriber).__qualname__

    def renew(self, seconds: float) -> None:
        """Let the subscription run for so many seconds from now, whether or not it had an end before."""
        if not self.is_open:
            raise Closed("the subscription has ended and cannot be renewed: subscribe again")
        self._bus.lease(self, seconds)

    def close(self) -> None:
        """Unsubscribe. No callback starts after this returns, save one that another thread has begun to call."""
        self._bus.unsubscribe(self)

    def __repr__(self) -> str:
        state = "open" if self._is_open else "closed"
        return f"<Subscription of {self.name} to {self.interest.topics or self.interest.types} {state}>"

    @property
    def pending(self) -> int:
        return 0 if self.mailbox is None else self.mailbox.pending

    def now(self) -> float:
        """Return the time by the clock of the bus, having ended what has ended by then."""
        self._bus.end_leases()
        return self._bus.clock()

    def rest(self, box: Mailbox) -> None:
        """Note that nobody works the mailbox for now."""
        self._bus.box_done(box)

    def end(self) -> list[Parcel]:
        """Stop delivering; the bus calls this, with its lock held. Returns what others of its group are to get."""
        self._is_open = False
        self.call = self._too_late if self.group is None else _raise_gone
        waiting = [] if self.mailbox is None else self.mailbox.close()
        if self.group is not None:
            return waiting
        self.tally.dropped += len(waiting)
        return []

    def _too_late(self, *_: object) -> None:
        with self._bus.lock:
            self.tally.dropped += 1

    def take(self, notification: Notification, kept: set[Mailbox]) -> BaseException | None:
        """Deliver, or put into the mailbox. Returns an interrupt that the publisher's thread must see, if any."""
        try:
            if self.mailbox is None:
                self.call(*self.receiver.arguments(notification))
            else:
                promised = self.mailbox in kept
                if promised:
                    kept.discard(self.mailbox)
                    self.mailbox.give_up(weight(notification.body))
                verdict = self.mailbox.offer(Parcel(notification), promised=promised)
                self.mailbox.wake()
                self.settle(verdict, notification)
        except BaseException as error:  # noqa: BLE001  reported; a failing subscriber never stops others
            return self.failed(error, notification)
        return None

    def take_turn(self, notification: Notification) -> tuple[bool, BaseException | None]:
        """Deliver a message of the group here and now; says whether it was taken, and what interrupted, if anything."""
        group = self.group
        if group is None:
            return False, None
        with self._bus.lock:
            group.tally.taken += 1
        try:
            self.call(*self.receiver.arguments(notification))
        except BaseException as error:  # noqa: BLE001  reported; the next one is asked
            with self._bus.lock:
                group.tally.taken -= 1
            if error is not _GONE:
                self._failed_in_group(group, error, notification)
            return False, error if isinstance(error, INTERRUPTS) else None
        self.note_served()
        return True, None

    def put_in_box(self, parcel: Parcel, *, waited: bool) -> Verdict[Parcel] | None:
        """Put a message of the group into the mailbox, if there is one; with the lock of the bus held.

        If its publisher has waited for room it goes in, also where somebody else was faster.
        """
        if self.mailbox is None or self.group is None:
            return None
        self.group.tally.taken += 1
        return self.mailbox.offer(parcel, promised=waited and self.mailbox.blocks)

    def settle(self, verdict: Verdict[Parcel], notification: Notification) -> None:
        """Act on what the mailbox did with a message."""
        if verdict.dropped or verdict.outcome is not Outcome.ACCEPTED:
            if verdict.outcome is Outcome.DISCONNECT:
                self.close()
            counted = self.tally if self.group is None else self.group.tally
            self._report(TooSlow(_slow(verdict)), notification, counted.dropped)
        if self.mailbox is not None and self.mailbox.is_deserted:
            self.close()

    def handle(self, box: Mailbox, parcel: Parcel) -> None:
        """Deliver what was waiting, on a thread of the bus."""
        in_hand = _InHand(box)
        token = _in_hand.set(in_hand)
        try:
            self.call(*self.receiver.arguments(parcel.notification))
        except BaseException as error:  # noqa: BLE001  reported
            self._failed_later(error, box, parcel)
        else:
            self._handled(box, parcel)
        finally:
            in_hand.box = None
            _in_hand.reset(token)

    async def handle_async(self, box: Mailbox, parcel: Parcel) -> None:
        """Deliver what was waiting, on an event loop. Only the end of the task itself is raised."""
        in_hand = _InHand(box)
        _in_hand.set(in_hand)  # a task has a context of its own; tasks made by the callback inherit it, emptied below
        try:
            answer = self.call(*self.receiver.arguments(parcel.notification))
            if isawaitable(answer):
                await answer
        except BaseException as error:
            self._failed_later(error, box, parcel)
            if isinstance(error, GeneratorExit) or _is_cancelled(error):
                raise
        else:
            self._handled(box, parcel)
        finally:
            in_hand.box = None

    def _handled(self, box: Mailbox, parcel: Parcel) -> None:
        with self._bus.lock:
            if box.done(parcel):
                self.served += self.group is not None
        self._bus.box_done(box)

    def note_served(self) -> None:
        """Count a message of a one-for-all group that this member has taken."""
        with self._bus.lock:
            self.served += 1

    def failed(self, error: BaseException, notification: Notification) -> BaseException | None:
        """Count and report that the subscriber raised; an interrupt is not reported but returned, for the publisher."""
        with self._bus.lock:
            self.tally.dead += 1
            self.tally.errors += 1
        if isinstance(error, INTERRUPTS):
            return error
        return self._report(error, notification, self.tally.errors)

    def _failed_in_group(self, group: Group, error: BaseException, notification: Notification) -> None:
        """Count and report that one member of a group raised: somebody else gets the message."""
        with self._bus.lock:
            group.tally.errors += 1
        self._report(error, notification, group.tally.errors)

    def _failed_later(self, error: BaseException, box: Mailbox, parcel: Parcel) -> None:
        group = self.group
        with self._bus.lock:  # in one step, so that it is never counted twice
            if not box.done(parcel):
                return
            self._bus.in_transit += 1  # until it is reported: who waits for the bus waits for that, too
            if group is None:
                self.tally.dead += 1
                self.tally.errors += 1
            else:
                self._bus.begin_passing(group, 1)
                group.tally.errors += 1
        self._report(error, parcel.notification, (self if group is None else group).tally.errors)
        if group is not None:
            group.pass_on(parcel._replace(tried=parcel.tried | {self}))
        with self._bus.lock:
            self._bus.in_transit -= 1
        self._bus.box_done(box)

    def _report(self, error: BaseException, notification: Notification, count: int) -> BaseException | None:
        return report(Failure(error, self, notification), count, self._on_error, self._bus.on_error)


def _is_cancelled(error: BaseException) -> bool:
    """Say whether an error is the end of the running task, not of something it was waiting for."""
    import asyncio

    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling() > 0


def _raise_gone(*_: object) -> None:
    raise _GONE


def _slow(verdict: Verdict[Parcel]) -> str:
    if verdict.outcome is Outcome.DISCONNECT:
        return "its queue was full, so it was closed: make it faster, or its queue longer"
    return "its queue was full, so a message was dropped: make it faster, its queue longer, or its policy 'block'"
