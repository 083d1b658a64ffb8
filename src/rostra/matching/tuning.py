"""Keeping the index in tune with its events: entries are filed anew where measuring shows a better way.

What events are like is counted as they are matched. After some hundred events, and then each time eight times as many
have been seen, the counts are taken over; if events are not like before, all entries are gone through, some hundred at
a time between events: one whose most selective predicate is another than it seemed is filed under that one.
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rostra.matching import access, jit
from rostra.matching.layout import LEVEL_BITS, MISSING_PASSES, NEGATED, SET, key_of
from rostra.matching.segment import CHAINED, CHOICES, NOWHERE, Segment
from rostra.matching.slots import Slots

FIRST: Final = 512
"""Events after which entries are gone through for the first time."""

GROWTH: Final = 8
LONGEST: Final = 2**20
"""Events after which they are gone through again at the latest."""

STRIDE: Final = 16
"""While entries are gone through, every so many events some are looked at."""

STEP: Final = 4096
"""Records that are looked at together."""

MOVES: Final = 256
"""Entries that are filed anew together, at most."""

BETTER: Final = 2.0
"""How much more selective another predicate must be for an entry to be filed anew."""


class Tuning:
    """When to measure, and which entries to move."""

    def __init__(self, slots: Slots, segments: list[Segment]) -> None:
        self._slots, self._segments = slots, segments
        self.hot: dict[access.Key, float] = {}
        """The share of events that look up a chain, for those that many do."""

        self._events = 0
        self._next = FIRST
        self._at: tuple[int, int] | None = None
        self._moves: list[tuple[Segment, int]] = []

    def step(self, events: int = 1) -> ModuleType:
        """Note that events are about to be matched; returns the loops to match them with."""
        self._events = count = self._events + events
        if count >= self._next:
            self._measure()
        if self._at is not None and count % STRIDE < events:
            self._look()
        return jit.loops()

    def _measure(self) -> None:
        seen, alike = self._slots.measure()
        self._next = self._events + min((GROWTH - 1) * self._events, LONGEST)
        least = max(1, int(seen * access.SELECTIVE / BETTER))
        before, self.hot = self.hot, {}
        for segment in self._segments:
            for of, bits, hits in segment.chains.hot(least):
                if (of - 1) & ((1 << LEVEL_BITS) - 1) == 0:
                    self.hot[of, bits] = hits / seen
            segment.chains.fade()
        if not alike or self.hot.keys() != before.keys():
            self._at = (0, 0)

    def _look(self) -> None:
        """Go through some more entries."""
        for segment, entry in self._moves[:MOVES]:
            self._move(segment, entry)
        del self._moves[:MOVES]
        if self._moves or self._at is None:
            return
        at, start = self._at
        if at >= len(self._segments):
            self._at = None
            return
        segment = self._segments[at]
        entries, end = segment.entries_from(start, STEP)
        self._moves = [(segment, entry) for entry in self._misfiled(segment, entries).tolist()]
        self._at = (at, end) if end < segment.top else (at + 1, 0)

    def _move(self, segment: Segment, entry: int) -> None:
        if segment.header(entry).where == NOWHERE:
            return
        predicates = segment.predicates_of(entry)
        segment.unfile(entry, self._slots)
        segment.file(entry, predicates, access.choose(predicates, self._slots, self.hot), self._slots)

    def _misfiled(self, segment: Segment, entries: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return those of some entries that have a predicate much better than what they are filed under."""
        if not len(entries):
            return entries
        places, owner = segment.places_of(entries)
        shares = self._shares(segment.records.array[places])
        first = np.searchsorted(owner, np.arange(len(entries)))
        best = np.minimum.reduceat(shares, first)
        where = segment.records.longs[entries * 3 + 2]
        chained = where <= CHAINED
        current = np.full(len(entries), access.SELECTIVE)
        current[chained] = shares[first[chained] + (CHAINED - where[chained]) // CHOICES]
        return entries[(best * BETTER < current) | (chained & (current > access.SELECTIVE * BETTER))]

    def _shares(self, tests: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the share of events that are expected to pass each predicate: `access` for many."""
        slots = self._slots
        slot, kind, low, high = (tests[name] for name in ("slot", "kind", "low", "high"))
        shares = np.ones(len(tests))
        sets = kind & SET != 0
        same = ~sets & (low >= high) & (low < math.inf)
        for number in np.unique(slot).tolist():
            here = slot == number
            unit = slots.unit(number)
            shares[here & same] = unit
            many = here & sets
            shares[many] = np.where(high[many] <= access.FILED_MEMBERS, high[many] * unit, 1.0)
            ranges = here & ~sets & ~same
            shares[ranges] = slots.shares(number, low[ranges], high[ranges])
        shares[kind & (NEGATED | MISSING_PASSES) != 0] = 1.0
        for i in np.flatnonzero(same).tolist() if self.hot else ():
            key = key_of(int(slot[i]), 0), access.bits_of(float(high[i]))
            shares[i] = self.hot.get(key, shares[i])
        return shares
