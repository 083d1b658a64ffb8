"""The loops of the index, compiled by numba. Imported only where it is installed, in the background.

The arrays are described in `segment`. Names here are short on purpose: they are those of the arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np

from rostra.matching.layout import (
    BLOCK_SLOTS,
    BUCKETS,
    CHUNK,
    LEVELS,
    MISSING_PASSES,
    MIX,
    MIX_SLOT,
    NEGATED,
    SET,
    STRICT_HIGH,
    STRICT_LOW,
    WORDS,
)

if TYPE_CHECKING:
    from rostra.matching.encoding import Vector
    from rostra.matching.segment import Segment
    from rostra.matching.slots import Slots

F = TypeVar("F")

_OPTIONS: Any = {"cache": True, "nogil": True, "boundscheck": False, "error_model": "numpy"}


def _compiled(function: F) -> F:
    return cast("F", numba.njit(**_OPTIONS)(function))


_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITION = np.zeros(64, dtype=np.int64)
for _i in range(64):
    _POSITION[((0x03F79D71B4CB0A89 << _i) & 0xFFFFFFFFFFFFFFFF) >> 58] = _i


@_compiled
def _hash_of(slot: int, level: int, bits: int) -> Any:
    h = np.int64(bits) * np.int64(MIX) + (np.int64(slot) * np.int64(64) + np.int64(level)) * np.int64(MIX_SLOT)
    h = (h ^ (h >> np.int64(29))) * np.int64(MIX)
    return (h ^ (h >> np.int64(32))) & np.int64(0x7FFFFFFF)


@_compiled
def _is_member(a: float, first: int, length: int, members: Any) -> bool:
    low, high = first, first + length
    while low < high:
        middle = (low + high) >> 1
        if members[middle] < a:
            low = middle + 1
        else:
            high = middle
    return low < first + length and members[low] == a


@_compiled
def _verify(
    entry: int, a: Any, b: Any, first: Any, count: Any, p_slot: Any, p_kind: Any, p_low: Any, p_high: Any, members: Any
) -> bool:
    start = first[entry]
    for p in range(start, start + count[entry]):
        slot, kind = p_slot[p], p_kind[p]
        x = a[slot]
        if x != x:
            if kind & MISSING_PASSES == 0:
                return False
            continue
        y = b[slot]
        if kind == 0:
            if x < p_low[p] or y > p_high[p]:
                return False
            continue
        if kind & SET:
            inside = x == y and _is_member(x, int(p_low[p]), int(p_high[p]), members)
        else:
            above = y > p_low[p] if kind & STRICT_LOW else x >= p_low[p]
            below = x < p_high[p] if kind & STRICT_HIGH else y <= p_high[p]
            inside = above and below
        if inside == (kind & NEGATED != 0):
            return False
    return True


@_compiled
def _locate(a: Any, active: Any, actives: int, bounds: Any, bucket: Any, place: Any) -> None:
    """Find for each present value its bucket and its place between 0 and 1 among the values of its slot."""
    for i in range(actives):
        slot = active[i]
        x = a[slot]
        base = slot * BUCKETS
        low, high = 0, BUCKETS - 1
        while low < high:
            middle = (low + high) >> 1
            if bounds[base + middle] <= x:
                low = middle + 1
            else:
                high = middle
        bucket[slot] = low
        if low == 0 or low == BUCKETS - 1:
            part = 0.5
        else:
            left, right = bounds[base + low - 1], bounds[base + low]
            part = (x - left) / (right - left)
        place[slot] = (low + part) / BUCKETS


@_compiled
def _match(
    a: Any,
    b: Any,
    a_bits: Any,
    active: Any,
    actives: int,
    bucket: Any,
    place: Any,
    levels: Any,
    first: Any,
    count: Any,
    p_slot: Any,
    p_kind: Any,
    p_low: Any,
    p_high: Any,
    members: Any,
    heads: Any,
    hits: Any,
    c_next: Any,
    c_count: Any,
    c_entry: Any,
    c_hash: Any,
    loose: Any,
    looses: int,
    blocks: int,
    alive: Any,
    b_entry: Any,
    b_slots: Any,
    b_slot: Any,
    b_row: Any,
    fails: Any,
    found: Any,
) -> int:
    """Write the entries of a segment whose predicates all pass into `found`; returns how many."""
    n = 0
    mask = len(heads) - 1
    for i in range(actives):
        slot = active[i]
        wanted = levels[slot]
        for level in range(LEVELS + 1):
            if wanted >> level == 0:
                break
            if wanted >> level & 1 == 0:
                continue
            if level == 0:
                h = _hash_of(slot, 0, a_bits[slot])
            else:
                h = _hash_of(slot, level, int(place[slot] * (1 << (level - 1))))
            at = h & mask
            hits[at] += 1
            link = heads[at]
            while link >= 0:
                for k in range(c_count[link]):
                    if c_hash[link * CHUNK + k] == h:
                        entry = c_entry[link * CHUNK + k]
                        if _verify(entry, a, b, first, count, p_slot, p_kind, p_low, p_high, members):
                            found[n] = entry
                            n += 1
                link = c_next[link]
    for i in range(looses):
        if _verify(loose[i], a, b, first, count, p_slot, p_kind, p_low, p_high, members):
            found[n] = loose[i]
            n += 1
    failed = np.empty(WORDS, dtype=np.uint64)
    for block in range(blocks):
        for w in range(WORDS):
            failed[w] = ~alive[block * WORDS + w]
        for s in range(b_slots[block]):
            slot = b_slot[block * BLOCK_SLOTS + s]
            which = bucket[slot]
            row = (b_row[block * BLOCK_SLOTS + s] + which) * WORDS
            for w in range(WORDS):
                failed[w] |= fails[row + w]
        for w in range(WORDS):
            left = ~failed[w]
            while left != np.uint64(0):
                lowest = left & (~left + np.uint64(1))
                bit = _POSITION[(lowest * _DEBRUIJN) >> np.uint64(58)]
                left ^= lowest
                entry = b_entry[(block * WORDS + w) * 64 + bit]
                if _verify(entry, a, b, first, count, p_slot, p_kind, p_low, p_high, members):
                    found[n] = entry
                    n += 1
    return n


def locate(vector: Vector, count: int, slots: Slots) -> None:
    """Find for each present value its bucket and its place among the values of its slot."""
    _locate(vector.a, vector.actives, count, slots.bounds, vector.bucket, vector.place)


def match(vector: Vector, count: int, slots: Slots, segment: Segment) -> Any:
    """Return the entries of a segment whose predicates all pass."""
    s = segment
    n = _match(
        vector.a, vector.b, vector.bits, vector.actives, count, vector.bucket, vector.place, slots.levels,
        s.first, s.count, s.p_slot, s.p_kind, s.p_low, s.p_high, s.members,
        s.heads, s.hits, s.c_next, s.c_count, s.c_entry, s.c_hash,
        s.loose, s.looses,
        s.blocks, s.alive, s.b_entry, s.b_slots, s.b_slot, s.b_row, s.fails,
        s.found,
    )  # fmt: skip
    return s.found[:n]


def warm_up() -> None:
    """Compile, or load what was compiled before."""
    from rostra.matching.encoding import Vector
    from rostra.matching.segment import Segment
    from rostra.matching.slots import Slots

    slots = Slots()
    vector = Vector(slots)
    locate(vector, 0, slots)
    match(vector, 0, slots, Segment())
