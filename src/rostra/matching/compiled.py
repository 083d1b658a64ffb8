"""The loops of the index, compiled by numba. Imported only where it is installed, in the background.

The arrays are described in `segment`, `chains` and `blocks`; records are read through plain arrays over the same memory
(`..._i` whole numbers of 32 bits, `..._l` of 64, `..._f` floats), which costs less. Candidates are collected without a
branch for each: every one is written down, and the place for the next one moves on only if it is to be kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from rostra.matching.layout import (
    BLOCK_SLOTS,
    BUCKETS,
    DOWN,
    LEVEL_BITS,
    LEVELS,
    MISSING_PASSES,
    MIX,
    MIX_KEY,
    NEGATED,
    ROWS,
    SET,
    UP,
    WORDS,
)

if TYPE_CHECKING:
    from rostra.matching.encoding import Batch, Vector, Work
    from rostra.matching.segment import Segment
    from rostra.matching.slots import Slots

U = np.uint64
"""Indexes are unsigned: for others, compiled code makes sure that they are not negative."""

AHEAD = 8
"""How many steps ahead memory is asked for."""

CHUNK = 64
"""Candidates that are verified before it is looked whether a group is still missing."""

_OPTIONS: Any = {"cache": True, "nogil": True, "boundscheck": False, "error_model": "numpy"}


def _compiled(function: Callable[..., Any]) -> Any:
    return numba.njit(**_OPTIONS)(function)


def _fetching(_: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        made = context.make_array(kind)(context, builder, arguments[0])
        item_pointer: Any = cgutils.get_item_pointer
        address = item_pointer(context, builder, kind, made, [arguments[1]])
        number, pointer = ir.IntType(32), ir.PointerType(ir.IntType(8))
        prefetch = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        )
        builder.call(prefetch, [builder.bitcast(address, pointer), *(ir.Constant(number, n) for n in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


_fetch: Any = intrinsic(_fetching)
"""Have the memory of an element of an array brought near, without waiting for it."""


_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)
_POSITION = np.zeros(64, dtype=np.int64)
for _i in range(64):
    _POSITION[((0x03F79D71B4CB0A89 << _i) & 0xFFFFFFFFFFFFFFFF) >> 58] = _i


@_compiled
def _hash_of(of: int, bits: int) -> Any:
    h = np.int64(bits) * np.int64(MIX) + np.int64(of) * np.int64(MIX_KEY)
    h = (h ^ (h >> np.int64(29))) * np.int64(MIX)
    return (h ^ (h >> np.int64(32))) & np.int64(0x7FFFFFFF)


@_compiled
def _prepare(
    a: Any, count: int, bounds: Any, levels: Any, seen: Any, bucket: Any, key_of: Any, key_bits: Any, counts: int
) -> int:
    """Find the bucket of each value, count it, and write down the keys of the chains to look up; returns how many."""
    n = 0
    bits = a.view(np.int64)
    for slot in range(count):
        x = a[U(slot)]
        if x != x:
            bucket[U(slot)] = BUCKETS
            seen[U(slot * ROWS + BUCKETS)] += counts
            continue
        base = slot * BUCKETS
        low, step = 0, BUCKETS >> 1
        while step:
            if bounds[U(base + low + step - 1)] <= x:
                low += step
            step >>= 1
        bucket[U(slot)] = low
        seen[U(slot * ROWS + low)] += counts
        wanted = levels[U(slot)]
        if wanted & 1:
            key_of[U(n)], key_bits[U(n)] = (slot << LEVEL_BITS) + 1, bits[U(slot)]
            n += 1
        if wanted >> 1:
            part = 0.5
            if low > 0 and bounds[U(base + low)] != np.inf:
                left = bounds[U(base + low - 1)] * 0.5
                width = bounds[U(base + low)] * 0.5 - left
                if width > 0:
                    part = (x * 0.5 - left) / width
            place = (low + part) / BUCKETS
            for level in range(1, LEVELS + 1):
                if wanted >> level & 1:
                    key_of[U(n)], key_bits[U(n)] = ((slot << LEVEL_BITS) | level) + 1, int(place * (1 << (level - 1)))
                    n += 1
    return n


@_compiled
def _from_chains(
    a: Any, b: Any, key_of: Any, key_bits: Any, key_at: Any, keys: int,
    table_i: Any, table_l: Any, items_i: Any, items_f: Any, loose_i: Any, loose_f: Any, looses: int, found: Any,
) -> int:  # fmt: skip
    """Write down the entries in the chains of an event, and the loose ones, whose one predicate there passes."""
    n = 0
    mask = len(table_l) // 4 - 1
    for k in range(keys):
        key_at[U(k)] = _hash_of(key_of[U(k)], key_bits[U(k)]) & mask
        _fetch(table_l, key_at[U(k)] * 4)
    for k in range(keys):
        at = key_at[U(k)]
        of, bits = key_of[U(k)], key_bits[U(k)]
        while table_i[U(at * 8 + 2)] != 0 and (table_i[U(at * 8 + 2)] != of or table_l[U(at * 4)] != bits):
            at = (at + 1) & mask
        key_at[U(k)] = at
        _fetch(items_f, table_i[U(at * 8 + 3)] * 3)
    for k in range(keys):
        at = key_at[U(k)]
        table_l[U(at * 4 + 3)] += 1
        start = table_i[U(at * 8 + 3)]
        for i in range(start, start + table_i[U(at * 8 + 4)]):
            slot = items_i[U(i * 6)]
            found[U(n)] = items_i[U(i * 6 + 1)]
            n += (b[U(slot)] >= items_f[U(i * 3 + 1)]) & (a[U(slot)] <= items_f[U(i * 3 + 2)])
    for i in range(looses):
        slot = loose_i[U(i * 6)]
        found[U(n)] = loose_i[U(i * 6 + 1)]
        n += (b[U(slot)] >= loose_f[U(i * 3 + 1)]) & (a[U(slot)] <= loose_f[U(i * 3 + 2)])
    return n


@_compiled
def _from_block(
    block: int,
    bucket: Any,
    alive: Any,
    entry: Any,
    width: Any,
    used: Any,
    slot: Any,
    row: Any,
    fails: Any,
    found: Any,
    n: int,
) -> int:  # fmt: skip
    """Write down the entries of a block that do not fail for sure."""
    failed = np.empty(WORDS, dtype=np.uint64)
    words = width[U(block)]
    for w in range(words):
        failed[U(w)] = ~alive[U(block * WORDS + w)]
    start, stop = block * BLOCK_SLOTS, block * BLOCK_SLOTS + used[U(block)]
    for s in range(start, stop):
        at = (row[U(s)] + bucket[U(slot[U(s)])]) * WORDS
        if s + AHEAD < stop:
            later = (row[U(s + AHEAD)] + bucket[U(slot[U(s + AHEAD)])]) * WORDS
            for w in range(0, words, 8):
                _fetch(fails, later + w)
        for w in range(words):
            failed[U(w)] |= fails[U(at + w)]
    for w in range(words):
        left = ~failed[U(w)]
        while left != np.uint64(0):
            lowest = left & (~left + np.uint64(1))
            found[U(n)] = entry[U((block * WORDS + w) * 64 + _POSITION[(lowest * _DEBRUIJN) >> np.uint64(58)])]
            n += 1
            left ^= lowest
    return n


@_compiled
def _is_member(x: float, first: int, length: int, members: Any) -> bool:
    low, high = first, first + length
    while low < high:
        middle = (low + high) >> 1
        if members[U(middle)] < x:
            low = middle + 1
        else:
            high = middle
    return low < first + length and members[U(low)] == x


@_compiled
def _passes(x: float, y: float, kind: int, low: float, high: float, members: Any) -> bool:
    """Say whether a predicate passes; `x` and `y` are the floats next to a value, or both the value."""
    if x != x:
        return kind & MISSING_PASSES != 0
    if kind & SET:
        inside = x == y and _is_member(x, int(low), int(high), members)
    else:
        inside = ((y if kind & UP else x) >= low) & ((x if kind & DOWN else y) <= high)
    return inside != (kind & NEGATED != 0)


@_compiled
def _verified(
    found: Any, start: int, stop: int, m: int, a: Any, b: Any, more: int, records_i: Any, records_f: Any, members: Any,
    owners: int,
) -> int:  # fmt: skip
    """Keep those candidates of which all predicates pass, from `m` on; what has a bit of `more` is not just bounds.

    One loop and not a function for each candidate: counting references to the arrays would take most of the time.
    """
    for i in range(start, min(start + AHEAD, stop)):
        _fetch(records_f, found[U(i)] * 3)
        _fetch(records_f, found[U(i)] * 3 + 8)
    for i in range(start, stop):
        if i + AHEAD < stop:
            _fetch(records_f, found[U(i + AHEAD)] * 3)
            _fetch(records_f, found[U(i + AHEAD)] * 3 + 8)
        entry = found[U(i)]
        found[U(m)] = records_i[U(entry * 6)] if owners else entry
        passed = True
        for p in range(entry + 1, entry + 1 + records_i[U(entry * 6 + 1)]):
            slot, kind = records_i[U(p * 6)], records_i[U(p * 6 + 1)]
            x, low, high = a[U(slot)], records_f[U(p * 3 + 1)], records_f[U(p * 3 + 2)]
            if kind & more or more == -1:
                if not _passes(x, b[U(slot)], kind, low, high, members):
                    passed = False
                    break
            elif not (x >= low and x <= high):
                passed = False
                break
        m += passed
    return m


@_compiled
def _match(
    a: Any, b: Any, more: int, bucket: Any, key_of: Any, key_bits: Any, key_at: Any, keys: int,
    records_i: Any, records_f: Any, members: Any, table_i: Any, table_l: Any, items_i: Any, items_f: Any,
    loose_i: Any, loose_f: Any, looses: int,
    blocks: int, alive: Any, entry: Any, width: Any, used: Any, slot: Any, row: Any, fails: Any,
    found: Any, owners: int,
) -> Any:  # fmt: skip
    """Write down the entries of a segment whose predicates all pass, or their owners; returns how many."""
    n = _from_chains(
        a, b, key_of, key_bits, key_at, keys, table_i, table_l, items_i, items_f, loose_i, loose_f, looses, found
    )
    for block in range(blocks):
        n = _from_block(block, bucket, alive, entry, width, used, slot, row, fails, found, n)
    return _verified(found, 0, n, 0, a, b, more, records_i, records_f, members, owners)


@_compiled
def _settle(
    found: Any, start: int, stop: int, a: Any, b: Any, more: int, records_i: Any, records_f: Any, members: Any,
    done: Any, missing: int,
) -> Any:  # fmt: skip
    """Verify candidates of groups that have not matched; keeps those to ask about, and returns where they end."""
    kept = start
    for first in range(start, stop, CHUNK):
        n = first
        for i in range(first, min(first + CHUNK, stop)):
            group = records_i[U(found[U(i)] * 6 + 2)] if len(done) > 1 else 0
            found[U(n)] = found[U(i)]
            n += done[U(group)] == 0
        n = _verified(found, first, n, first, a, b, more, records_i, records_f, members, 0)
        for i in range(first, n):
            entry = found[U(i)]
            group = records_i[U(entry * 6 + 2)] if len(done) > 1 else 0
            if records_i[U(entry * 6 + 3)]:
                found[U(kept)] = entry
                kept += 1
            elif not done[U(group)]:
                done[U(group)] = 1
                missing -= 1
        if missing == 0:
            break
    return kept, missing


@_compiled
def _match_groups(
    a: Any, b: Any, more: int, bucket: Any, key_of: Any, key_bits: Any, key_at: Any, keys: int,
    records_i: Any, records_f: Any, members: Any, table_i: Any, table_l: Any, items_i: Any, items_f: Any,
    loose_i: Any, loose_f: Any, looses: int,
    blocks: int, alive: Any, entry: Any, width: Any, used: Any, slot: Any, row: Any, fails: Any, found: Any,
    done: Any, missing: int,
) -> Any:  # fmt: skip
    """Mark the groups with an entry that passes, until none is missing; returns entries to ask about, and the rest."""
    n = _from_chains(
        a, b, key_of, key_bits, key_at, keys, table_i, table_l, items_i, items_f, loose_i, loose_f, looses, found
    )
    m, missing = _settle(found, 0, n, a, b, more, records_i, records_f, members, done, missing)
    for block in range(blocks):
        if missing == 0:
            break
        n = _from_block(block, bucket, alive, entry, width, used, slot, row, fails, found, m)
        m, missing = _settle(found, m, n, a, b, more, records_i, records_f, members, done, missing)
    return m, missing


@_compiled
def _match_many(
    a: Any, b: Any, more: Any, count: int, bounds: Any, levels: Any, seen: Any,
    bucket: Any, key_of: Any, key_bits: Any, key_at: Any,
    records_i: Any, records_f: Any, members: Any, table_i: Any, table_l: Any, items_i: Any, items_f: Any,
    loose_i: Any, loose_f: Any, looses: int,
    blocks: int, alive: Any, entry: Any, width: Any, used: Any, slot: Any, row: Any, fails: Any, found: Any,
    owners: int, start: int, ends: Any, counts: int, room: int,
) -> int:  # fmt: skip
    """Write down the entries for each of many events, one after the other; returns the first there was no room for."""
    at = 0
    for event in range(start, len(a)):
        if at + room > len(found):
            return event
        x, y = a[event], b[event]
        keys = _prepare(x, count, bounds, levels, seen, bucket, key_of, key_bits, counts)
        at += _match(
            x, y, more[event], bucket, key_of, key_bits, key_at, keys, records_i, records_f, members,
            table_i, table_l, items_i, items_f, loose_i, loose_f, looses,
            blocks, alive, entry, width, used, slot, row, fails, found[at:], owners,
        )  # fmt: skip
        ends[event] = at
    return len(a)


def prepare(vector: Vector, slots: Slots) -> int:
    """Find the bucket of each value of an event, and the keys of the chains it looks up; returns how many."""
    known = slots.bounds.array, slots.levels.array, slots.seen.array
    return int(_prepare(vector.a, len(slots), *known, vector.bucket, vector.key_of, vector.key_bits, 1))


def match(vector: Vector, keys: int, segment: Segment) -> Any:
    """Return the entries of a segment whose predicates all pass; their owners if nothing is left to ask of any."""
    found = segment.found.array
    v = vector
    keyed = v.key_of, v.key_bits, v.key_at, keys
    count = _match(v.a, v.b, v.more, v.bucket, *keyed, *_arrays(segment), found, not segment.asking)
    return found[:count]


def match_groups(vector: Vector, keys: int, segment: Segment, done: Any, missing: int) -> tuple[Any, int]:
    """Mark the groups that match; returns the entries to ask about in Python, and how many groups are missing."""
    found = segment.found.array
    v = vector
    keyed = v.key_of, v.key_bits, v.key_at, keys
    count, missing = _match_groups(v.a, v.b, v.more, v.bucket, *keyed, *_arrays(segment), found, done, missing)
    return found[:count], missing


def match_many(batch: Batch, start: int, work: Work, slots: Slots, segment: Segment) -> int:
    """Write down what is found for many events, and where that of each ends; returns the first event left out."""
    v = work.vector
    known = slots.bounds.array, slots.levels.array, slots.seen.array
    keyed = v.key_of, v.key_bits, v.key_at
    results = work.found, not segment.asking, start, work.ends, work.counts, len(segment.found)
    events = batch.a, batch.b, batch.more, len(slots)
    return int(_match_many(*events, *known, v.bucket, *keyed, *_arrays(segment), *results))


def _arrays(segment: Segment) -> tuple[Any, ...]:
    chains, blocks = segment.chains, segment.blocks
    return (
        segment.records.ints, segment.records.floats, segment.members.array,
        chains.table.ints, chains.table.longs, chains.items.ints, chains.items.floats,
        segment.loose.ints, segment.loose.floats, segment.looses,
        blocks.count, blocks.alive.array, blocks.entry.array, blocks.width.array,
        blocks.used.array, blocks.slot.array, blocks.row.array, blocks.fails.array,
    )  # fmt: skip
