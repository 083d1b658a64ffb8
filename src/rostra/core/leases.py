"""Leases: what ends by itself unless it is renewed (A15)."""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from typing import Generic, TypeVar

Id = TypeVar("Id", bound=Hashable)


class Leases(Generic[Id]):
    """Says which leases have ended by a given time.

    A renewal leaves its former entry in the heap; it is recognised as outdated when it comes up. When the outdated
    outnumber the live ones the heap is made anew.
    """

    def __init__(self) -> None:
        self._ends: dict[Id, float] = {}
        self._heap: list[tuple[float, int, Id]] = []
        self._count = 0

    def grant(self, holder: Id, until: float) -> None:
        """Let a lease run until a time; a lease that is running already is renewed, for longer or shorter."""
        self._ends[holder] = until
        self._push(holder, until)
        if len(self._heap) > 2 * len(self._ends) + 16:
            self._heap = []
            for each, end in self._ends.items():
                self._push(each, end)

    def end(self, holder: Id) -> None:
        """Forget a lease; one that is not there is forgotten already."""
        self._ends.pop(holder, None)

    def expired(self, now: float) -> list[Id]:
        """Return whose leases have ended by now, the earliest first, and forget them."""
        ended = []
        while self._heap and self._heap[0][0] <= now:
            until, _, holder = heapq.heappop(self._heap)
            if self._ends.get(holder) == until:
                del self._ends[holder]
                ended.append(holder)
        return ended

    def __len__(self) -> int:
        return len(self._ends)

    def _push(self, holder: Id, until: float) -> None:
        self._count += 1  # so that holders themselves are never compared
        heapq.heappush(self._heap, (until, self._count, holder))
