"""What a collection holds to be pulled: the messages nobody has consumed yet, and a memory of those seen.

It opens with the collection, is bounded, drops the oldest, and is outside the guarantees: who needs every message
subscribes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import TIMEOUT_MAX, Condition, RLock
from time import monotonic
from typing import TYPE_CHECKING, Any

from rostra.bus.listener import Listener
from rostra.bus.mailbox import Parcel, weight
from rostra.core.buffer import Buffer, Outcome, Policy
from rostra.core.guarantee import Guarantee, Order
from rostra.core.tally import Stats
from rostra.defaults import HISTORY, PRIORITY, QUEUE_BYTES, QUEUE_MESSAGES
from rostra.model.envelope import Notification
from rostra.model.interest import Interest

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Future

BEST_EFFORT = Guarantee(reliable=False, unique=False, order=Order.NONE)


class Feed(Listener):
    """A buffer to pull from, and to wait at."""

    __slots__ = (
        "_awaiting",
        "_buffer",
        "_clock",
        "_in_order",
        "_is_open",
        "_last_first",
        "_lock",
        "_seen",
        "_seen_bytes",
        "_some",
        "interest",
    )

    def __init__(
        self, interest: Interest, lock: RLock, clock: Callable[[], float], *, last_first: bool, in_order: bool
    ) -> None:
        super().__init__(BEST_EFFORT, filters=False)
        self.interest = interest
        self._lock, self._clock, self._last_first, self._in_order = lock, clock, last_first, in_order
        self._buffer: Buffer[Parcel] = Buffer(QUEUE_MESSAGES, QUEUE_BYTES, Policy.DROP_OLDEST)
        self._seen: deque[Any] = deque()
        self._seen_bytes = 0
        self._some = Condition(lock)
        self._awaiting: deque[tuple[AbstractEventLoop, Future[None]]] = deque()
        self._is_open = True

    @property
    def pending(self) -> int:
        return len(self._buffer)

    def __len__(self) -> int:
        with self._lock:
            self._forget_expired()
            return len(self._buffer)

    @property
    def stats(self) -> Stats:
        """What became of the messages that came here; those pulled count as delivered."""
        with self._lock:
            return self.count()

    def take(self, notification: Notification) -> None:
        """Put a message in, and wake one who waits for it."""
        with self._lock:
            if not self._is_open:
                self.tally.dropped += 1
                return
            size = weight(notification.body)
            self._remember(notification.body, size)
            priority = PRIORITY if self._in_order else notification.priority
            verdict = self._buffer.offer(Parcel(notification), size=size, priority=priority)
            self.tally.dropped += len(verdict.dropped) + (verdict.outcome is not Outcome.ACCEPTED)
            self._some.notify()
            if self._awaiting:
                self._wake()

    def pull(self, timeout: float | None = 0) -> Notification | None:
        """Take the next message out, waiting for one if need be: None if none came, or the collection was closed."""
        with self._lock:
            found = self._next()
            if found is not None or timeout == 0:
                return found
            deadline = None if timeout is None else monotonic() + timeout
            while found is None and self._is_open:
                left = None if deadline is None else deadline - monotonic()
                if left is not None and left <= 0:
                    return None
                self._some.wait(None if left is None else min(left, TIMEOUT_MAX))
                found = self._next()
            return found

    async def pull_async(self) -> Notification | None:
        """Take the next message out, waiting for one on the running event loop; None when the collection closes."""
        import asyncio

        loop = asyncio.get_running_loop()
        while True:
            with self._lock:
                found = self._next()
                if found is not None or not self._is_open:
                    return found
                ticket = loop, loop.create_future()
                self._awaiting.append(ticket)
            try:
                await ticket[1]
            finally:
                with self._lock:
                    if ticket in self._awaiting:
                        self._awaiting.remove(ticket)
                    elif len(self._buffer) and self._awaiting:
                        self._wake()  # woken and cancelled at once: the message is for somebody else

    def has_seen(self, message: object) -> bool:
        """Say whether a message, or one equal to it, is among those remembered."""
        with self._lock:
            seen = list(self._seen)
        return any(one is message or equal(one, message) for one in reversed(seen))

    def messages(self) -> list[Any]:
        """Return the messages that wait, in the order in which they would be pulled."""
        with self._lock:
            self._forget_expired()
            return [parcel.notification.body for parcel in self._buffer.peek(last_first=self._last_first)]

    def clear(self) -> None:
        """Drop the messages that wait."""
        with self._lock:
            self.tally.dropped += len(self._buffer.clear())

    def close(self) -> None:
        """Take no more messages, and let everyone who waits go on."""
        with self._lock:
            self._is_open = False
            self.tally.dropped += len(self._buffer.clear())
            self._some.notify_all()
            while self._awaiting:
                self._wake()

    def _remember(self, message: Any, size: int) -> None:
        self._seen.append(message)
        self._seen_bytes += size
        while len(self._seen) > HISTORY or self._seen_bytes > QUEUE_BYTES:
            self._seen_bytes -= weight(self._seen.popleft())

    def _forget_expired(self) -> None:
        now = self._clock()
        self.tally.expired += self._buffer.discard(lambda parcel: parcel.notification.is_expired(now))

    def _next(self) -> Notification | None:
        now = self._clock()
        while (parcel := self._buffer.take(last_first=self._last_first)) is not None:
            if not parcel.notification.is_expired(now):
                return parcel.notification
            self.tally.expired += 1
        return None

    def _wake(self) -> None:
        loop, future = self._awaiting.popleft()
        try:
            loop.call_soon_threadsafe(_resolve, future)
        except RuntimeError:  # its loop is closed: nobody waits there any more
            if self._awaiting:
                self._wake()


def _resolve(future: Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def equal(one: object, other: object) -> bool:
    """Say whether two objects are equal; those that refuse to be compared are not."""
    try:
        return bool(one == other)
    except Exception:  # noqa: BLE001  objects that refuse to be compared are different
        return False
