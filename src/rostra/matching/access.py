"""Where an entry is filed: under the predicate that the fewest events are expected to pass."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from rostra.matching.layout import LEVELS, MISSING_PASSES, NEGATED, SET, UP, key_of
from rostra.matching.predicates import Predicate, is_equality
from rostra.matching.slots import Slots

SELECTIVE: Final = 1 / 8
"""Share of events beyond which an entry is better off in a block than in a chain."""

FILED_MEMBERS: Final = 16
"""Largest set that an entry is filed under, once for each member."""

Key = tuple[int, int]


class Choice(NamedTuple):
    """The predicate to file an entry under, by its place among the entry's; -1 if none is selective."""

    access: int
    share: float
    check: int
    """The predicate to check where the entry is found: the most selective of the others; -1 if there is none."""


def choose(predicates: Sequence[Predicate], slots: Slots, hot: dict[Key, float]) -> Choice:
    """Choose where to file an entry."""
    access, least = -1, SELECTIVE
    check, second = -1, 2.0
    for at, predicate in enumerate(predicates):
        share = _share(predicate, slots, hot)
        if share < least:
            if access >= 0 and _is_plain(predicates[access]):
                check, second = access, least
            access, least = at, share
        elif share < second and _is_plain(predicate):
            check, second = at, share
    return Choice(access, least, check)


def keys(predicate: Predicate, slots: Slots) -> list[Key]:
    """Return the keys of the chains under which an entry is filed by one of its predicates."""
    slot, kind, low, high, members = predicate
    if members is not None:
        return [(key_of(slot, 0), bits_of(member)) for member in members]
    if is_equality(predicate):
        return [(key_of(slot, 0), bits_of(high))]
    slots.settle(slot)
    if kind & UP:
        low = math.nextafter(low, -math.inf)  # events look themselves up by their lower neighbour
    begin = 0.0 if low == -math.inf else slots.place(slot, low)
    end = 1.0 if high == math.inf else slots.place(slot, high)
    level = 0
    while level < LEVELS - 1 and (end - begin) * (2 << level) <= 1:
        level += 1
    cells = range(int(begin * (1 << level)), min(int(end * (1 << level)), (1 << level) - 1) + 1)
    return [(key_of(slot, level + 1), cell) for cell in cells]


def bits_of(value: float) -> int:
    """Return the bits of a float as a whole number."""
    return int(_INT.unpack(_FLOAT.pack(value))[0])


def _is_plain(predicate: Predicate) -> bool:
    return not predicate.kind & (NEGATED | MISSING_PASSES | SET)


def _share(predicate: Predicate, slots: Slots, hot: dict[Key, float]) -> float:
    """Return the share of events that are expected to pass a predicate; 1 if it cannot be looked up."""
    slot, kind, low, high, members = predicate
    if kind & (NEGATED | MISSING_PASSES):
        return 1.0
    if members is not None:
        return 1.0 if len(members) > FILED_MEMBERS else min(1.0, len(members) * slots.unit(slot))
    if is_equality(predicate):
        share = slots.unit(slot)
        return hot.get((key_of(slot, 0), bits_of(high)), share) if hot else share
    return slots.share(slot, low, high) if low <= high else 1.0


_FLOAT: Final = struct.Struct("<d")
_INT: Final = struct.Struct("<q")
