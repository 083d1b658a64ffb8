"""What a collection promises, as three small independent promises (A14).

A guarantee says whether messages may be lost, whether they may come twice, and in which order they come. The eight
collection classes are eight of its combinations. Where publisher and subscriber use different classes on one topic,
each promise holds only if both made it: the weaker guarantee applies.
"""

from __future__ import annotations

import enum
from typing import NamedTuple


class Order(enum.IntEnum):
    """In which order messages are delivered; a higher one includes those below."""

    NONE = 0
    FIFO = 1
    """Each publisher's messages in the order they were published."""

    TOTAL = 2
    """All messages in one order, the same for every subscriber, which keeps each publisher's."""


class Guarantee(NamedTuple):
    """What a collection promises about delivery."""

    reliable: bool
    unique: bool
    order: Order

    def weaker(self, other: Guarantee) -> Guarantee:
        """Return what is left when only what both promise holds."""
        return Guarantee(self.reliable and other.reliable, self.unique and other.unique, min(self.order, other.order))

    def __str__(self) -> str:
        times = _TIMES[self.reliable, self.unique]
        return times + {Order.NONE: "", Order.FIFO: ", FIFO", Order.TOTAL: ", total order"}[self.order]


_TIMES = {
    (False, False): "best effort",
    (False, True): "at most once",
    (True, False): "at least once",
    (True, True): "exactly once",
}
