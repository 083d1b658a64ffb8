"""Slots: the numbers that an event is turned into, and what is known about each.

A slot is one question about one accessor: its value as a number, which of the texts that conditions mention it is,
whether there is a value at all. Everything the index compares is a number in a slot; texts and their like are
given numbers as conditions mention them. What events are like is measured: how often a slot has a value, and how
often it lies in which of 64 buckets.
"""

from __future__ import annotations

import enum
import math
from bisect import bisect_right
from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rostra.matching.arrays import Grown
from rostra.matching.codes import Codes
from rostra.matching.layout import BUCKETS, LEVEL_BITS, ROWS
from rostra.model.accessor import MESSAGE, Accessor, Attribute
from rostra.model.values import Family

if TYPE_CHECKING:
    from rostra.matching.predicates import Predicate

SAMPLE: Final = 1024
"""Bounds of predicates that are remembered to divide the values of a slot into buckets of like popularity."""

UNKNOWN: Final = -1.0
"""The number of a text that no condition mentions."""

NUMERIC: Final = frozenset({Family.NUMBER, Family.TIME, Family.DURATION, Family.BOOL})
"""Families whose values are numbers in a slot; of the others only those that conditions mention have one."""

LIKELY_DISTINCT: Final = 64
"""How many different numbers a slot is taken to have where equality is asked for and nothing is known."""


ALIKE: Final = 1.5
SHIFT: Final = 0.1
"""Events are like before if no slot has a value that much more or less often, and no values have shifted that much."""

Floats = npt.NDArray[np.float64]


class Ask(enum.Enum):
    """What a slot asks about the value of an accessor, besides its family."""

    ALWAYS = "always"
    PRESENT = "present"
    PREFIX = "prefix"
    TYPE = "type"


class SlotKey(NamedTuple):
    """Which question about which accessor; the detail is family and length of a prefix, or the name of a type."""

    accessor: Accessor
    ask: Family | Ask
    detail: Any = None


class Slots:
    """All slots of an index."""

    def __init__(self) -> None:
        self.keys: list[SlotKey] = []
        self.codes: list[Codes] = []
        self._new_codes: list[tuple[int, float]] = []
        self.version = 0
        """Changes whenever an event could be turned into other numbers than before."""

        self.levels = Grown(np.int32)
        """For each slot, a bit for equalities and one for each level of cells that entries are filed under."""

        self.bounds = Grown(np.float64, 16 * BUCKETS, math.inf)
        """For each slot, the values at which one bucket ends and the next begins."""

        self.seen = Grown(np.int64, 16 * ROWS)
        """For each slot, how many events had a value in which bucket, or none."""

        self.presence: list[float] = []
        """The share of events that have a value in a slot."""

        self._numbers: dict[SlotKey, int] = {}
        self._attributes: dict[tuple[str, Family], int] = {}
        self._samples: list[list[float] | None] = []
        self._ends: list[list[float]] = []
        self._reach: list[list[float]] = []
        self.lookups = 0
        """How many chains an event looks up, if it has a value in every slot."""

        self._new(SlotKey(MESSAGE, Ask.ALWAYS))

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, key: SlotKey) -> int:
        """Return the number of a slot, a new one if need be."""
        slot = self._numbers.get(key)
        return self._new(key) if slot is None else slot

    def of(self, accessor: Accessor, family: Family) -> int:
        """Return the number of the slot for values of a family: by name where it is of an attribute of the message."""
        if type(accessor) is not Attribute or accessor.of is not MESSAGE:
            return self.number(SlotKey(accessor, family))
        name = accessor.name, family
        slot = self._attributes.get(name)
        if slot is None:
            slot = self._attributes[name] = self.number(SlotKey(accessor, family))
        return slot

    def _new(self, key: SlotKey) -> int:
        slot = self._numbers[key] = len(self.keys)
        self.levels.reserve(slot + 1)
        self.bounds.reserve((slot + 1) * BUCKETS)
        self.seen.reserve((slot + 1) * ROWS)
        self.codes.append(Codes())
        self.presence.append(1.0)
        self._samples.append([])
        self._ends.append([])
        self._reach.append(_EVEN)
        self.keys.append(key)
        self.version += 1
        return slot

    def code(self, slot: int, value: Hashable) -> float:
        """Return the number that stands for a value in a slot, a new one if need be."""
        codes = self.codes[slot]
        found = codes.numbers.get(value)
        if found is None:
            found = codes.add(value)
            self.version += 1
            self.sample(slot, found)
            self._new_codes.append((slot, found))
        return found

    def use_codes(self, predicates: Iterable[Predicate]) -> None:
        """Note that predicates are in use, and with them the values that they mention."""
        for codes, number in self._mentioned(predicates):
            codes.use(number)

    def drop_codes(self, predicates: Iterable[Predicate]) -> None:
        """Note that predicates are no longer in use."""
        for codes, number in self._mentioned(predicates):
            codes.drop(number)

    def _mentioned(self, predicates: Iterable[Predicate]) -> Iterator[tuple[Codes, float]]:
        for slot, _, low, high, members in predicates:
            codes = self.codes[slot]
            if codes.numbers:
                for number in members or ((high,) if low == high else ()):
                    yield codes, number

    def forget_codes(self) -> None:
        """Forget those of the latest values that came to no predicate."""
        for slot, number in self._new_codes:
            self.codes[slot].forget(number)
        self._new_codes.clear()

    def sample(self, slot: int, bound: float) -> None:
        """Remember a bound of a predicate, until the buckets of the slot are settled."""
        sample = self._samples[slot]
        if sample is not None and len(sample) < SAMPLE and -math.inf < bound < math.inf:
            sample.append(bound)

    def look_up(self, of: int) -> None:
        """Have events look up a kind of key from now on."""
        slot, level = (of - 1) >> LEVEL_BITS, (of - 1) & ((1 << LEVEL_BITS) - 1)
        if not self.levels.view[slot] >> level & 1:
            self.levels.view[slot] |= 1 << level
            self.lookups += 1

    def settle(self, slot: int) -> None:
        """Divide the values of a slot into buckets, for good."""
        sample = self._samples[slot]
        if sample is None:
            return
        self._samples[slot] = None
        if sample:
            parts = np.unique(np.quantile(sample, np.arange(1, BUCKETS) / BUCKETS, method="nearest"))
            self._bound(slot, parts.tolist())

    def settled(self, slot: int) -> tuple[list[float] | None, list[float]]:
        """Return where the buckets of a slot end, None if that is open, and the share of events up to each."""
        return (None if self._samples[slot] is not None else self._ends[slot]), self._reach[slot]

    def restore(self, slot: int, ends: list[float] | None, presence: float, reach: list[float]) -> None:
        """Take over what was known about a slot elsewhere."""
        self.presence[slot] = presence
        if ends is not None:
            self._samples[slot] = None
            self._reach[slot] = reach
            self._bound(slot, sorted(set(ends)))

    def _bound(self, slot: int, ends: list[float]) -> None:
        self._ends[slot] = ends
        start = slot * BUCKETS
        self.bounds.array[start : start + BUCKETS] = math.inf
        self.bounds.array[start : start + len(ends)] = ends
        self.seen.array[slot * ROWS : (slot + 1) * ROWS] = 0

    def edges(self, slot: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return where each bucket of a slot begins, and where it ends."""
        self.settle(slot)
        ends = self.bounds.array[slot * BUCKETS : (slot + 1) * BUCKETS]
        return np.append(-math.inf, ends[:-1]), ends

    def bucket(self, slot: int, value: float) -> int:
        """Return the bucket that a value of a slot lies in."""
        return bisect_right(self._ends[slot], value)

    def place(self, slot: int, value: float) -> float:
        """Return the place between 0 and 1 of a value among those of its slot; monotone."""
        bucket, part = _position(self._ends[slot], value)
        return (bucket + part) / BUCKETS

    def share(self, slot: int, low: float, high: float) -> float:
        """Return the share of events that are expected to have a value between two."""
        if self._samples[slot] is not None:
            return self.presence[slot]
        ends, reach = self._ends[slot], self._reach[slot]
        before = 0.0 if low == -math.inf else _reached(ends, reach, low)
        return (reach[-1] if high == math.inf else _reached(ends, reach, high)) - before

    def shares(self, slot: int, low: Floats, high: Floats) -> Floats:
        """Return `share` for many, roughly: values count as if they lay in the middle of their bucket."""
        if self._samples[slot] is not None:
            return np.full(len(low), self.presence[slot])
        ends, reach = np.array(self._ends[slot]), np.array(self._reach[slot])
        middle = np.append(reach[:-1], reach[-1]) + np.append(np.diff(reach), 0.0) / 2
        first = np.where(low == -math.inf, 0.0, middle[np.searchsorted(ends, low, side="right")])
        return np.where(high == math.inf, reach[-1], middle[np.searchsorted(ends, high, side="right")]) - first

    def unit(self, slot: int) -> float:
        """Return the share of events that are expected to have one particular value."""
        distinct = len(self.codes[slot]) or (LIKELY_DISTINCT if self.keys[slot].ask in NUMERIC else 1)
        return self.presence[slot] / distinct

    def measure(self) -> tuple[int, bool]:
        """Take note of what events were like; returns how many were seen of late, and whether they are like before."""
        seen = self.seen.array[: len(self) * ROWS].reshape(-1, ROWS)
        total = np.maximum(seen.sum(axis=1), 1)
        reach = np.zeros_like(seen, float)
        np.cumsum(seen[:, :BUCKETS], axis=1, out=reach[:, 1:])
        reach /= total[:, None]
        alike = True
        for slot in np.flatnonzero(total >= LIKELY_DISTINCT).tolist():
            presence = max(float(reach[slot, BUCKETS]), 0.5 / float(total[slot]))
            alike = alike and 1 / ALIKE < presence / self.presence[slot] < ALIKE
            self.presence[slot] = presence
            if self._ends[slot]:
                shift = np.abs(reach[slot] / presence - np.array(self._reach[slot]) / (self._reach[slot][-1] or 1.0))
                alike = alike and float(shift.max()) < SHIFT
                self._reach[slot] = reach[slot].tolist()
        events = int(total.max(initial=0))
        seen >>= 1
        return events, alike


_EVEN: Final = [bucket / BUCKETS for bucket in range(BUCKETS + 1)]


def _position(ends: list[float], value: float) -> tuple[int, float]:
    """Return the bucket of a value, and how far into it the value lies; the loops compute the same."""
    bucket = bisect_right(ends, value) if value < math.inf else BUCKETS - 1
    if 0 < bucket < len(ends):
        left = ends[bucket - 1] * 0.5  # halves, for the width of a bucket may be more than a float can hold
        width = ends[bucket] * 0.5 - left
        if width > 0:
            return bucket, (value * 0.5 - left) / width
    return bucket, 0.5


def _reached(ends: list[float], reach: list[float], value: float) -> float:
    """Return the share of events up to a value, given the share up to the beginning of each bucket."""
    bucket, part = _position(ends, value)
    before = reach[bucket]
    return before + part * (reach[bucket + 1] - before)
