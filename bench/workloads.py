"""Four workloads for matching, drawn at random; the same seed draws the same data.

kind       attributes                    predicates per subscription                an event has
eq20       20 categorical (200 values)   2-3 equalities                             all 20
mix20      10 categorical, 10 numeric    3-5: an equality, or a range 5-50 % wide   all 20
           (0 to 999,999)                (half of the ranges one-sided)
sparse100  50 + 50, popularity zipf 0.8  3-5, as above                              15 of the 100
range20    20 numeric                    5 ranges, each 30 % wide                   all 20

Everything is integers in arrays; a predicate is two bounds, both included. Categorical attributes come before numeric
ones. For Rostra, categorical values become texts and numeric ones stay integers.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rostra import it
from rostra.conditions import And, Condition

Ints: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]

DOMAIN: Final = 1_000_000
CARDINALITY: Final = 200
STEP: Final = DOMAIN // CARDINALITY
BLOCK: Final = 50_000
"""Subscriptions drawn at once, which bounds the memory it takes."""


class Kind(NamedTuple):
    """What tells one workload from another."""

    attributes: int
    categorical: int
    per_event: int
    predicates: tuple[int, ...]
    """The numbers of predicates that a subscription can have, all equally likely."""

    zipf: float = 0.0
    widths: tuple[float, float] = (0.05, 0.5)
    one_sided: float = 0.5


KINDS: Final = {
    "eq20": Kind(20, 20, 20, (2, 3)),
    "mix20": Kind(20, 10, 20, (3, 4, 5)),
    "sparse100": Kind(100, 50, 15, (3, 4, 5), zipf=0.8),
    "range20": Kind(20, 0, 20, (5,), widths=(0.3, 0.3), one_sided=0.0),
}


class Subscriptions(NamedTuple):
    """Predicates one after the other; subscription i has those from `first[i]` up to `first[i + 1]`."""

    first: Ints
    attribute: Ints
    low: Ints
    high: Ints

    @property
    def size(self) -> int:
        return len(self.first) - 1


class Events(NamedTuple):
    """A row for each event: its attributes in ascending order, and their values."""

    attribute: Ints
    value: Ints


class Workload:
    """Subscriptions of one kind, and as many events for them as wanted."""

    def __init__(self, kind: str, count: int, seed: int = 7) -> None:
        self.kind = KINDS[kind]
        self._seed = seed
        rng = np.random.default_rng(seed)
        weights = 1 / np.arange(1, self.kind.attributes + 1) ** self.kind.zipf
        self._popularity: Floats = np.log(rng.permutation(weights) / weights.sum())
        sizes = [min(BLOCK, count - start) for start in range(0, count, BLOCK)]
        parts = [self._draw(rng, size) for size in sizes]
        counts, attribute, low, high = (np.concatenate(part).astype(np.int32) for part in zip(*parts, strict=True))
        first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        self.subscriptions = Subscriptions(first, attribute, low, high)

    def _draw(self, rng: np.random.Generator, count: int) -> tuple[NDArray[Any], ...]:
        kind, shape = self.kind, (count, max(self.kind.predicates))
        attribute = self._attributes(rng, *shape)
        code = rng.integers(0, CARDINALITY, shape) * STEP
        width = rng.uniform(*kind.widths, shape)
        low = (rng.random(shape) * DOMAIN * (1 - width)).astype(np.int64)
        high = np.minimum((low + width * DOMAIN).astype(np.int64), DOMAIN - 1)
        side = rng.random(shape)
        low = np.where(side < kind.one_sided / 2, 0, low)
        high = np.where((side >= kind.one_sided / 2) & (side < kind.one_sided), DOMAIN - 1, high)
        is_categorical = attribute < kind.categorical
        low, high = np.where(is_categorical, code, low), np.where(is_categorical, code, high)
        counts = rng.choice(kind.predicates, count)
        kept = np.arange(shape[1]) < counts[:, None]
        return counts, attribute[kept], low[kept], high[kept]

    def _attributes(self, rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.intp]:
        """Draw different attributes for each row, the popular ones more often."""
        keys = self._popularity + rng.gumbel(size=(rows, self.kind.attributes))
        return np.argsort(-keys, axis=1)[:, :columns]

    def events(self, count: int, seed: int = 0) -> Events:
        """Draw events; other seeds draw others, in which the same attributes are popular."""
        rng = np.random.default_rng((self._seed, seed))
        shape = (count, self.kind.per_event)
        attribute = np.sort(self._attributes(rng, *shape), axis=1)
        code = rng.integers(0, CARDINALITY, shape) * STEP
        value = np.where(attribute < self.kind.categorical, code, rng.integers(0, DOMAIN, shape))
        return Events(attribute.astype(np.int32), value.astype(np.int32))

    def conditions(self) -> Iterator[Condition]:
        """Make a condition of each subscription."""
        first, *predicates = (column.tolist() for column in self.subscriptions)
        for start, end in pairwise(first):
            rows = zip(*(column[start:end] for column in predicates), strict=True)
            yield And(*(comparison for row in rows for comparison in self._comparisons(*row)))

    def _comparisons(self, attribute: int, low: int, high: int) -> tuple[Condition, ...]:
        term = it[f"a{attribute}"]
        if attribute < self.kind.categorical:
            return (term == self._value(attribute, low),)
        if low == 0:
            return (term <= high,)
        if high == DOMAIN - 1:
            return (term >= low,)
        return term >= low, term <= high

    def dicts(self, events: Events) -> list[dict[str, object]]:
        """Make a dictionary of each event."""
        rows = zip(events.attribute.tolist(), events.value.tolist(), strict=True)
        return [{f"a{a}": self._value(a, value) for a, value in zip(*row, strict=True)} for row in rows]

    def _value(self, attribute: int, value: int) -> str | int:
        return f"v{value // STEP}" if attribute < self.kind.categorical else value


def columns(dicts: list[dict[str, object]]) -> dict[str, list[object]]:
    """Turn dictionaries into columns, with None where an attribute is missing."""
    names = sorted({name for event in dicts for name in event})
    return {name: [event.get(name) for event in dicts] for name in names}
