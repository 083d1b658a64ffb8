"""Slots: the numbers that an event is turned into, and what is known about each.

A slot is one question about one accessor: its value as a number, which of the texts that conditions mention it is,
whether there is a value at all. Everything the index compares is a number in a slot; texts and their like are
given numbers as conditions mention them.
"""

from __future__ import annotations

import enum
from collections.abc import Hashable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rostra.matching.layout import BUCKETS
from rostra.model.accessor import Accessor
from rostra.model.values import Family

SAMPLE: Final = 1024
"""Bounds of predicates that are remembered to divide the values of a slot into buckets of like popularity."""

UNKNOWN: Final = -1.0
"""The number of a text that no condition mentions."""


class Ask(enum.Enum):
    """What a slot asks about the value of an accessor, besides its family."""

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
        self.codes: list[dict[Hashable, float]] = []
        self.levels: npt.NDArray[np.int32] = np.zeros(16, np.int32)
        """For each slot, a bit for equalities and one for each level of cells that entries are filed under."""

        self.bounds: npt.NDArray[np.float64] = np.full(16 * BUCKETS, np.inf)
        """For each slot, the values at which one bucket ends and the next begins."""

        self._numbers: dict[SlotKey, int] = {}
        self._samples: list[list[float] | None] = []

    def __len__(self) -> int:
        return len(self.keys)

    def number(self, key: SlotKey) -> int:
        """Return the number of a slot, a new one if need be."""
        slot = self._numbers.get(key)
        if slot is None:
            slot = self._numbers[key] = len(self.keys)
            self.keys.append(key)
            self.codes.append({})
            self._samples.append([])
            if len(self.keys) > len(self.levels):
                self.levels = np.append(self.levels, np.zeros(len(self.levels), np.int32))
                self.bounds = np.append(self.bounds, np.full(len(self.bounds), np.inf))
        return slot

    def code(self, slot: int, value: Hashable) -> float:
        """Return the number that stands for a value in a slot, a new one if need be."""
        codes = self.codes[slot]
        return codes.setdefault(value, float(len(codes)))

    def sample(self, slot: int, *bounds: float) -> None:
        """Remember bounds of a predicate, until the buckets of the slot are settled."""
        sample = self._samples[slot]
        if sample is not None and len(sample) < SAMPLE:
            sample.extend(bound for bound in bounds if np.isfinite(bound))

    def is_settled(self, slot: int) -> bool:
        """Say whether the slot is divided into buckets."""
        return self._samples[slot] is None

    def settle(self, slot: int) -> None:
        """Divide the values of a slot into buckets, for good."""
        sample = self._samples[slot]
        if sample is not None:
            self._samples[slot] = None
            if sample:
                parts = np.quantile(sample, np.arange(1, BUCKETS) / BUCKETS, method="nearest")
                self.bounds[slot * BUCKETS : slot * BUCKETS + BUCKETS - 1] = _increasing(parts)

    def edges(self, slot: int) -> tuple[Any, Any]:
        """Return where each bucket of a slot begins, and where it ends."""
        self.settle(slot)
        ends = self.bounds[slot * BUCKETS : (slot + 1) * BUCKETS].copy()
        ends[-1] = np.inf
        return np.append(-np.inf, ends[:-1]), ends

    def bucket(self, slot: int, value: float) -> int:
        """Return the bucket that a value of a slot lies in."""
        bounds = self.bounds[slot * BUCKETS : slot * BUCKETS + BUCKETS - 1]
        return int(np.searchsorted(bounds, value, side="right"))

    def place(self, slot: int, value: float) -> float:
        """Return the place between 0 and 1 of a value among those of its slot; monotone."""
        bounds = self.bounds[slot * BUCKETS : slot * BUCKETS + BUCKETS - 1]
        low = self.bucket(slot, value)
        part = 0.5
        if 0 < low < BUCKETS - 1:
            part = float((value - bounds[low - 1]) / (bounds[low] - bounds[low - 1]))
        return (low + part) / BUCKETS


def _increasing(parts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Spread repeated bounds out: every bucket but the last ones has values of its own."""
    distinct = np.unique(parts)
    return np.append(distinct, np.full(len(parts) - len(distinct), np.inf))
