"""The loops of the index in numpy: the same answers as `compiled`, without a compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rostra.matching.chains import hashes
from rostra.matching.layout import (
    ALWAYS,
    BLOCK,
    BLOCK_SLOTS,
    BUCKETS,
    DOWN,
    LEVELS,
    MISSING_PASSES,
    NEGATED,
    ROWS,
    SET,
    UP,
    WORDS,
    key_of,
)

if TYPE_CHECKING:
    from rostra.matching.encoding import Batch, Vector, Work
    from rostra.matching.segment import Segment
    from rostra.matching.slots import Slots


def prepare(vector: Vector, slots: Slots) -> int:
    """Find the bucket of each value of an event, and the keys of the chains it looks up; returns how many."""
    return _prepare(vector, vector.a, slots, 1)


def _prepare(vector: Vector, a: Any, slots: Slots, counts: int) -> int:
    keys = 0
    there = np.flatnonzero(~np.isnan(a[: len(slots)]))
    vector.bucket[: len(slots)] = BUCKETS
    for slot in there.tolist():
        x = float(a[slot])
        vector.bucket[slot] = BUCKETS - 1 if x == np.inf else slots.bucket(slot, x)
        wanted = slots.levels.view[slot]
        for level in range(LEVELS + 1):
            if wanted >> level & 1:
                bits = a.view(np.int64)[slot] if not level else _cell(slots.place(slot, x), level - 1)
                vector.key_of[keys], vector.key_bits[keys] = key_of(slot, level), bits
                keys += 1
    slots.seen.array[np.arange(len(slots)) * ROWS + vector.bucket[: len(slots)]] += counts
    return keys


def _cell(place: float, level: int) -> int:
    return min(int(place * (1 << level)), (1 << level) - 1)


def match(vector: Vector, keys: int, segment: Segment) -> Any:
    """Return the entries of a segment whose predicates all pass; their owners if nothing is left to ask of any."""
    return _owners(_match(vector, vector.a, vector.b, keys, segment), segment)


def _owners(entries: Any, segment: Segment) -> Any:
    return entries if segment.asking else segment.records.ints[entries * 6]


def _match(vector: Vector, a: Any, b: Any, keys: int, segment: Segment) -> Any:
    candidates = [_from_chains(vector, a, b, keys, segment)]
    if segment.blocks.count:
        candidates.append(_from_blocks(vector, segment))
    return _verified(np.concatenate(candidates), a, b, segment)


def match_groups(vector: Vector, keys: int, segment: Segment, done: Any, missing: int) -> tuple[Any, int]:
    """Mark the groups that match; returns the entries to ask about in Python, and how many groups are missing."""
    found = _match(vector, vector.a, vector.b, keys, segment)
    groups = segment.records.ints[found * 6 + 2] if len(done) > 1 else np.full(len(found), ALWAYS)
    asks = segment.records.ints[found * 6 + 3].astype(bool)
    new = np.unique(groups[~asks])
    new = new[done[new] == 0]
    done[new] = 1
    return found[asks & (done[groups] == 0)], missing - len(new)


def match_many(batch: Batch, start: int, work: Work, slots: Slots, segment: Segment) -> int:
    """Write down what is found for many events, and where that of each ends; returns the first event left out."""
    at, a, b = 0, batch.a, batch.b
    for event in range(start, len(a)):
        if at + len(segment.found) > len(work.found):
            return event
        keys = _prepare(work.vector, a[event], slots, work.counts)
        entries = _owners(_match(work.vector, a[event], b[event], keys, segment), segment)
        work.found[at : at + len(entries)] = entries
        at += len(entries)
        work.ends[event] = at
    return len(a)


def _from_chains(vector: Vector, a: Any, b: Any, keys: int, segment: Segment) -> Any:
    table = segment.chains.table.array
    of, bits = vector.key_of[:keys], vector.key_bits[:keys]
    where = hashes(of, bits) & (len(table) - 1)
    runs = [segment.loose.array[: segment.looses]]
    for k, at in enumerate(where.tolist()):
        while table["of"][at]:
            if table["of"][at] == of[k] and table["bits"][at] == bits[k]:
                table["hits"][at] += 1
                start = int(table["start"][at])
                runs.append(segment.chains.items.array[start : start + int(table["count"][at])])
                break
            at = (at + 1) & (len(table) - 1)  # noqa: PLW2901
    items = np.concatenate(runs)
    passed = (b[items["slot"]] >= items["low"]) & (a[items["slot"]] <= items["high"])
    return items["entry"][passed]


def _from_blocks(vector: Vector, segment: Segment) -> Any:
    blocks = segment.blocks
    found = []
    fails = blocks.fails.array
    rows = fails[: len(fails) // WORDS * WORDS].reshape(-1, WORDS)
    for block in range(blocks.count):
        used = slice(block * BLOCK_SLOTS, block * BLOCK_SLOTS + int(blocks.used.array[block]))
        wanted = blocks.row.array[used] + vector.bucket[blocks.slot.array[used]]
        failed = np.bitwise_or.reduce(rows[wanted], axis=0) if len(wanted) else np.uint64(0)
        left = blocks.alive.array[block * WORDS : (block + 1) * WORDS] & ~failed
        bits = np.unpackbits(left.view(np.uint8), bitorder="little")
        found.append(blocks.entry.array[np.flatnonzero(bits) + block * BLOCK])
    return np.concatenate(found)


def _verified(entries: Any, a: Any, b: Any, segment: Segment) -> Any:
    if not len(entries):
        return entries
    places, owner = segment.places_of(entries)
    passed = np.ones(len(entries), bool)
    np.logical_and.at(passed, owner, _passes(segment.records.array[places], a, b, segment.members.array))
    return entries[passed]


def _passes(predicates: Any, a: Any, b: Any, members: Any) -> Any:
    slot, kind, low, high = (predicates[name] for name in ("slot", "kind", "low", "high"))
    x, y = a[slot], b[slot]
    inside = (np.where(kind & UP, y, x) >= low) & (np.where(kind & DOWN, x, y) <= high)
    for i in np.flatnonzero(kind & SET).tolist():
        some = members[int(low[i]) : int(low[i]) + int(high[i])]
        at = int(np.searchsorted(some, x[i]))
        inside[i] = at < len(some) and some[at] == x[i] == y[i]
    return np.where(np.isnan(x), kind & MISSING_PASSES, inside != (kind & NEGATED != 0)).astype(bool)
