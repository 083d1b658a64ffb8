"""A bounded buffer of messages that wait for one subscriber, and what happens when it is full.

The bound counts messages and bytes. Messages of a higher priority come out first; within one priority in the order
they went in (FIFO) or the reverse (LIFO), as whoever takes them wants. What does not fit is decided by a `Policy`,
and nothing disappears without being named in the `Verdict`.
"""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Policy(enum.Enum):
    """What a full buffer does with one more message."""

    BLOCK = "block"
    """Refuse it for now: the publisher may wait and offer it again."""

    DROP_OLDEST = "drop-oldest"
    """Make room by dropping what has waited longest."""

    DROP_NEWEST = "drop-newest"
    """Drop the new message."""

    LATEST = "latest"
    """Keep only the newest message of each key; messages without a key are treated as by DROP_OLDEST."""

    DISCONNECT = "disconnect"
    """Give up on the subscriber, who is too slow."""


class Outcome(enum.Enum):
    """What became of an offered message."""

    ACCEPTED = "accepted"
    DROPPED = "dropped"
    WAIT = "wait"
    DISCONNECT = "disconnect"


class Verdict(NamedTuple, Generic[T]):
    """The outcome for the offered message, and earlier ones that went in its favour."""

    outcome: Outcome
    dropped: tuple[T, ...] = ()
    """For lack of room."""

    superseded: tuple[T, ...] = ()
    """Because this one has the same key, as the policy wants it."""


class _Entry(NamedTuple, Generic[T]):
    item: T
    size: int
    key: Hashable | None
    priority: int


class Buffer(Generic[T]):
    """Messages that wait, at most so many and so many bytes."""

    def __init__(self, messages: int, size: int, policy: Policy) -> None:
        self._most, self._largest, self.policy = messages, size, policy
        self._waiting: dict[int, OrderedDict[int, _Entry[T]]] = {}
        self._latest: dict[Hashable, tuple[int, int]] = {}
        self._length = self._bytes = self._number = 0

    def has_room(self, size: int = 0, *, besides: int = 0) -> bool:
        """Say whether one more message fits, besides so many that are expected."""
        return self._length + besides < self._most and self._bytes + size <= self._largest

    def could_hold(self, size: int) -> bool:
        """Say whether a message of so many bytes fits into an empty buffer."""
        return size <= self._largest

    def offer(
        self, item: T, *, size: int = 0, key: Hashable | None = None, priority: int = 0, promised: bool = False
    ) -> Verdict[T]:
        """Put a message in, or say why not. One that is larger than the whole buffer is dropped.

        One that was promised room goes in whatever the policy.
        """
        if not self.could_hold(size):
            return Verdict(Outcome.DROPPED)
        superseded = self._superseded(key) if self.policy is Policy.LATEST else ()
        dropped: list[T] = []
        if not promised and not self.has_room(size):
            refusal = _REFUSALS.get(self.policy)
            if refusal is not None:
                return Verdict(refusal)
            while not self.has_room(size):
                dropped.append(self._drop_oldest())
        self._put(_Entry(item, size, key, priority))
        return Verdict(Outcome.ACCEPTED, tuple(dropped), superseded)

    def take(self, *, last_first: bool = False) -> T | None:
        """Take out the next message of the highest priority, the newest of them if `last_first`; None if empty."""
        if not self._waiting:
            return None
        priority = max(self._waiting)
        number = next(reversed(self._waiting[priority])) if last_first else next(iter(self._waiting[priority]))
        return self._remove(priority, number).item

    def discard(self, unwanted: Callable[[T], bool]) -> int:
        """Take out the messages of which this is true; returns how many."""
        places = [
            (p, n) for p, entries in self._waiting.items() for n, entry in entries.items() if unwanted(entry.item)
        ]
        for priority, number in places:
            self._remove(priority, number)
        return len(places)

    def clear(self) -> list[T]:
        """Take out all messages, in the order in which they would be taken."""
        items = list(self)
        self._waiting.clear()
        self._latest.clear()
        self._length = self._bytes = 0
        return items

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        return self.peek()

    def peek(self, *, last_first: bool = False) -> Iterator[T]:
        """Yield the messages in the order in which they would be taken, without taking them."""
        for priority in sorted(self._waiting, reverse=True):
            entries = self._waiting[priority].values()
            for entry in reversed(entries) if last_first else entries:
                yield entry.item

    @property
    def size(self) -> int:
        """The bytes that wait."""
        return self._bytes

    def _put(self, entry: _Entry[T]) -> None:
        number = self._number + 1
        if entry.key is not None and self.policy is Policy.LATEST:
            self._latest[entry.key] = entry.priority, number  # first: a key that refuses to be compared raises here
        self._number = number
        self._waiting.setdefault(entry.priority, OrderedDict())[number] = entry
        self._length += 1
        self._bytes += entry.size

    def _remove(self, priority: int, number: int) -> _Entry[T]:
        entries = self._waiting[priority]
        entry = entries.pop(number)
        if not entries:
            del self._waiting[priority]
        self._length -= 1
        self._bytes -= entry.size
        if entry.key is not None and self.policy is Policy.LATEST:
            with suppress(Exception):  # of a key that refuses to be compared; what it leads to is looked at again
                if self._latest.get(entry.key) == (priority, number):
                    del self._latest[entry.key]
        return entry

    def _superseded(self, key: Hashable | None) -> tuple[T, ...]:
        priority, number = (0, -1) if key is None else self._latest.get(key, (0, -1))
        return (self._remove(priority, number).item,) if number in self._waiting.get(priority, ()) else ()

    def _drop_oldest(self) -> T:
        number, priority = min((next(iter(entries)), priority) for priority, entries in self._waiting.items())
        return self._remove(priority, number).item


_REFUSALS = {
    Policy.BLOCK: Outcome.WAIT,
    Policy.DROP_NEWEST: Outcome.DROPPED,
    Policy.DISCONNECT: Outcome.DISCONNECT,
}
