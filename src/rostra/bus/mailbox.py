"""Messages that wait for one subscriber which does not run on the publisher's thread.

Offering puts a message in and sees to it that somebody works the box: a thread of the bus, or a task on an event
loop. At most `width` of them work at once; each takes one message after the other, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from rostra.core.buffer import Buffer, Outcome, Policy, Verdict
from rostra.core.tally import Tally
from rostra.defaults import PRIORITY
from rostra.model.envelope import Notification

if TYPE_CHECKING:
    from rostra.bus.route import Route


class Parcel(NamedTuple):
    """A message on its way to a subscriber."""

    notification: Notification
    route: Route | None = None
    """How it came; for one-for-all messages, which go back if they cannot be handled."""

    groups: frozenset[object] = frozenset()
    """One-for-all groups that it was offered to."""

    tried: frozenset[object] = frozenset()
    """Subscribers of a one-for-all group that have failed on it."""


_WEIGHED = (str, bytes, bytearray)


def weight(message: object) -> int:
    """Return the bytes that a message occupies, as far as that is known without encoding it."""
    return len(message) if issubclass(type(message), _WEIGHED) else 0  # type: ignore[arg-type]


class Crew(NamedTuple):
    """Who works a mailbox: how to have one more start, how many at once, and whether there is nobody any more."""

    start: Callable[[], None]
    width: int
    is_gone: Callable[[], bool] = lambda: False


class Mailbox:
    """A bounded queue and those who work it. All state is guarded by the lock of the bus."""

    def __init__(self, buffer: Buffer[Parcel], lock: RLock, tally: Tally, crew: Crew, *, in_order: bool) -> None:
        self._buffer, self._lock, self._tally, self._crew, self._in_order = buffer, lock, tally, crew, in_order
        self._promised = self._promised_bytes = 0
        self._in_hand: dict[int, Parcel] = {}
        self._working = self._wanted = 0
        self._closed = False

    @property
    def pending(self) -> int:
        """Messages that wait or are being handled."""
        return len(self._buffer) + len(self._in_hand)

    @property
    def is_done(self) -> bool:
        """Whether it is closed and nobody is handling anything out of it."""
        return self._closed and not self.pending

    @property
    def is_deserted(self) -> bool:
        """Whether nobody will ever work it again: the event loop is closed."""
        return self._crew.is_gone()

    @property
    def waits_behind(self) -> int:
        """Messages that cannot be handled before the one that is being handled now."""
        return self.pending if self._crew.width == 1 else 1

    @property
    def blocks(self) -> bool:
        """Whether publishers wait when it is full."""
        return self._buffer.policy is Policy.BLOCK

    def has_room(self, size: int) -> bool:
        """Say whether a message of so many bytes can go in without anything being dropped."""
        return self._buffer.has_room(size + self._promised_bytes, besides=self._promised)

    def promise(self, size: int) -> bool:
        """Keep room for a message, which is either put in or given up later; False if there is none.

        For a message that could never fit there is nothing to wait for: it will be dropped.
        """
        if not self._closed and not self.has_room(size) and self._buffer.could_hold(size):
            return False
        self._promised += 1
        self._promised_bytes += size
        return True

    def give_up(self, size: int) -> None:
        """Free the room that was kept."""
        with self._lock:
            self._promised -= 1
            self._promised_bytes -= size

    def offer(self, parcel: Parcel, *, promised: bool = False) -> Verdict[Parcel]:
        """Put a message in, counting what is dropped for it or instead; one that was promised room always fits.

        Call `wake` when the lock of the bus is free.
        """
        notification = parcel.notification
        with self._lock:
            if self._closed:
                self._tally.dropped += 1
                return Verdict(Outcome.DROPPED)
            verdict = self._buffer.offer(
                parcel,
                size=weight(notification.body),
                key=notification.key,
                priority=PRIORITY if self._in_order else notification.priority,
                promised=promised,
            )
            gone = len(verdict.dropped) + len(verdict.superseded)
            self._tally.dropped += gone + (verdict.outcome is not Outcome.ACCEPTED)
            wanted = verdict.outcome is Outcome.ACCEPTED and self._working < self._crew.width
            self._working += wanted
            self._wanted += wanted
        return verdict

    def wake(self) -> None:
        """Have as many start to work as are wanted; not with the lock of the bus held."""
        while self._wanted:
            with self._lock:
                wanted = self._wanted > 0
                self._wanted -= wanted
            if wanted:
                self._crew.start()

    def take(self, now: float) -> Parcel | None:
        """Take out the next message of use; None, and the worker is dismissed, if there is none."""
        with self._lock:
            while (parcel := self._buffer.take()) is not None:
                if not parcel.notification.is_expired(now):
                    self._in_hand[id(parcel)] = parcel
                    return parcel
                self._tally.expired += 1
            self._working -= 1
            return None

    def done(self, parcel: Parcel) -> bool:
        """Note that a message that was taken has been handled; False if it was taken away meanwhile."""
        with self._lock:
            return self._in_hand.pop(id(parcel), None) is not None

    def dismiss(self, *, anyway: bool = False) -> bool:
        """Let a worker go that has done its share; True if there is more to do, for which another must start."""
        with self._lock:
            if anyway or self._closed or not len(self._buffer):
                self._working -= 1
                return False
            return True

    def close(self) -> list[Parcel]:
        """Refuse messages from now on, and return those that wait; also those in hand if nobody will finish them."""
        with self._lock:
            self._closed = True
            waiting = self._buffer.clear()
            if self.is_deserted:
                waiting += self._in_hand.values()
                self._in_hand.clear()
            return waiting
