"""What the index is measured against: go through all subscriptions, and leave each at its first failing predicate.

The scan gets the best of everything. Predicates lie in three arrays in the order of the subscriptions, which is faster
than an array of triples, than triples behind their number and than rows of a fixed length. An event comes as an array
with a place for each attribute, already encoded, which is not part of the time. Ids stay numbers in an array.

There are two of it. `lean` tests both bounds by one comparison of unsigned numbers. `textbook` makes two comparisons
and is up to five times slower: whether a value is below or above the bounds is a coin flip that no processor foresees.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from bench.workloads import Events, Ints, Workload

Unsigned: TypeAlias = NDArray[np.uint32]
F = TypeVar("F")

MISSING: Final = np.uint32(0xFFFFFFFF)
"""The value of a missing attribute: above every range, and further above its low end than any range is wide."""

ONE: Final = np.uint64(1)  # indexes are unsigned, which spares the test whether they count from the end


def _compiled(function: F) -> F:
    options: Any = {"cache": False, "nogil": True, "error_model": "numpy"}
    return cast("F", numba.njit(**options)(function))


@_compiled
def _lean(event: Any, first: Any, attribute: Any, low: Any, width: Any, found: Any) -> int:
    matches = 0
    for subscription in range(np.uint64(len(first) - 1)):
        passes = True
        for p in range(first[subscription], first[subscription + ONE]):
            if np.uint32(event[attribute[p]] - low[p]) > width[p]:
                passes = False
                break
        if passes:
            found[matches] = subscription
            matches += 1
    return matches


@_compiled
def _textbook(event: Any, first: Any, attribute: Any, low: Any, high: Any, found: Any) -> int:
    matches = 0
    for subscription in range(np.uint64(len(first) - 1)):
        passes = True
        for p in range(first[subscription], first[subscription + ONE]):
            value = event[attribute[p]]
            if value < low[p] or value > high[p]:
                passes = False
                break
        if passes:
            found[matches] = subscription
            matches += 1
    return matches


class Scan:
    """Both scans over the subscriptions of a workload; they return numbers, which the next call overwrites."""

    def __init__(self, workload: Workload) -> None:
        self._attributes = workload.kind.attributes
        self._first, self._attribute, self._low, self._high = (
            column.astype(np.uint32) for column in workload.subscriptions
        )
        self._width = self._high - self._low
        self._found = np.zeros(workload.subscriptions.size, np.int32)

    def encode(self, events: Events) -> list[Unsigned]:
        """Give each event an array with a place for each attribute."""
        rows = np.full((len(events.attribute), self._attributes), MISSING)
        np.put_along_axis(rows, events.attribute.astype(np.intp), events.value.astype(np.uint32), axis=1)
        return list(rows)

    def lean(self, event: Unsigned) -> Ints:
        return self._run(_lean, event, self._width)

    def textbook(self, event: Unsigned) -> Ints:
        return self._run(_textbook, event, self._high)

    def _run(self, scan: Callable[..., int], event: Unsigned, bounds: Unsigned) -> Ints:
        count = scan(event, self._first, self._attribute, self._low, bounds, self._found)
        return self._found[:count]
