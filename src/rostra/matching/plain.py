"""The loops of the index in numpy: the same answers as `compiled`, without a compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rostra.matching.layout import (
    BLOCK,
    BLOCK_SLOTS,
    CHUNK,
    LEVELS,
    MISSING_PASSES,
    NEGATED,
    SET,
    STRICT_HIGH,
    STRICT_LOW,
    WORDS,
    hash_of,
)

if TYPE_CHECKING:
    from rostra.matching.encoding import Vector
    from rostra.matching.segment import Segment
    from rostra.matching.slots import Slots


def locate(vector: Vector, count: int, slots: Slots) -> None:
    """Find for each present value its bucket and its place among the values of its slot."""
    for slot in vector.actives[:count].tolist():
        place = slots.place(slot, float(vector.a[slot]))
        vector.place[slot] = place
        vector.bucket[slot] = slots.bucket(slot, float(vector.a[slot]))


def match(vector: Vector, count: int, slots: Slots, segment: Segment) -> Any:
    """Return the entries of a segment whose predicates all pass."""
    candidates = [segment.loose[: segment.looses], *_chained(vector, count, slots, segment)]
    if segment.blocks:
        candidates.append(_in_blocks(vector, segment))
    return _verified(np.concatenate(candidates), vector, segment)


def _chained(vector: Vector, count: int, slots: Slots, segment: Segment) -> list[Any]:
    found = []
    for slot in vector.actives[:count].tolist():
        wanted = int(slots.levels[slot])
        for level in range(LEVELS + 1):
            if wanted >> level & 1:
                cell = int(vector.place[slot] * (1 << (level - 1))) if level else int(vector.bits[slot])
                found += _chain(segment, hash_of(slot, level, cell))
    return found


def _chain(segment: Segment, h: int) -> list[Any]:
    found = []
    at = h & (len(segment.heads) - 1)
    segment.hits[at] += 1
    link = int(segment.heads[at])
    while link >= 0:
        places = slice(link * CHUNK, link * CHUNK + int(segment.c_count[link]))
        found.append(segment.c_entry[places][segment.c_hash[places] == h])
        link = int(segment.c_next[link])
    return found


def _in_blocks(vector: Vector, segment: Segment) -> Any:
    found = []
    rows = segment.fails[: segment.rows * WORDS].reshape(-1, WORDS)
    for block in range(segment.blocks):
        used = slice(block * BLOCK_SLOTS, block * BLOCK_SLOTS + int(segment.b_slots[block]))
        wanted = segment.b_row[used] + vector.bucket[segment.b_slot[used]]
        failed = np.bitwise_or.reduce(rows[wanted], axis=0) if len(wanted) else np.uint64(0)
        left = segment.alive[block * WORDS : (block + 1) * WORDS] & ~failed
        bits = np.unpackbits(left.view(np.uint8), bitorder="little")
        found.append(segment.b_entry[np.flatnonzero(bits) + block * BLOCK])
    return np.concatenate(found)


def _verified(entries: Any, vector: Vector, segment: Segment) -> Any:
    counts = segment.count[entries]
    total = int(counts.sum())
    if not total:
        return entries
    owner = np.repeat(np.arange(len(entries)), counts)
    place = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts) + segment.first[entries][owner]
    passed = np.ones(len(entries), bool)
    np.logical_and.at(passed, owner, _passes(place, vector, segment))
    return entries[passed]


def _passes(p: Any, vector: Vector, segment: Segment) -> Any:
    kind, low, high = segment.p_kind[p], segment.p_low[p], segment.p_high[p]
    a, b = vector.a[segment.p_slot[p]], vector.b[segment.p_slot[p]]
    above = np.where(kind & STRICT_LOW, b > low, a >= low)
    below = np.where(kind & STRICT_HIGH, a < high, b <= high)
    inside = above & below
    for i in np.flatnonzero(kind & SET):
        members = segment.members[int(low[i]) : int(low[i]) + int(high[i])]
        at = int(np.searchsorted(members, a[i]))
        inside[i] = at < len(members) and members[at] == a[i] == b[i]
    return np.where(np.isnan(a), kind & MISSING_PASSES, inside != (kind & NEGATED != 0)).astype(bool)
