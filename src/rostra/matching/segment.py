"""A segment of the index: up to some hundred thousand entries in arrays that grow, never all at once.

An *entry* is a conjunction of predicates (and of what has to be asked in Python, which is kept elsewhere). A
*predicate* is about one *slot*, one number that encoding gives an event: bounds, or a set of members. Entries are
found in one of three ways:

- *Chains.* An entry with an equality, a small set or a narrow range is filed under the hash of the value, or of the
  one or two cells that the range lies in. An event looks up the chains of its own values. `heads` holds the first
  link of each chain; a link holds up to seven entries with their hashes (`c_entry`, `c_hash`), and the next link.
- *Loose* entries, with nothing selective, are verified one by one; when there are some hundreds of them they go into
- *Blocks* of 4,096. Values of a slot are divided into 64 buckets; for each slot that the block's entries ask about,
  and each bucket, a bitset says which entries certainly fail there (`fails`, a row of 64 words; one more row is for
  events that have no such value). The union of an event's rows leaves few entries to verify.

Whatever the way, `verify` has the last word: an entry is found if and only if all its predicates pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from rostra.matching.layout import (
    BLOCK,
    BLOCK_SLOTS,
    BUCKETS,
    CHUNK,
    MISSING_PASSES,
    NEGATED,
    ROWS,
    SET,
    WORDS,
)

if TYPE_CHECKING:
    from rostra.matching.predicates import Predicate
    from rostra.matching.slots import Slots

LOOSE: Final = 512
"""Entries verified one by one before they are put into blocks."""

NOWHERE: Final = -3
CHAINED: Final = -2
LOOSELY: Final = -1

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


def grown(array: Any, needed: int, fill: int = 0) -> Any:
    """Return an array of at least so many elements with the same content, larger by half if it had to grow."""
    if needed <= len(array):
        return array
    larger = np.full(max(needed, len(array) + (len(array) >> 1) + 16), fill, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


class Segment:
    """Entries and the ways to find them."""

    def __init__(self) -> None:
        self.entries = 0
        self.first: Ints = np.zeros(64, np.int32)
        self.count: Ints = np.zeros(64, np.int32)
        self.p_slot: Ints = np.zeros(256, np.int32)
        self.p_kind = np.zeros(256, np.int8)
        self.p_low: Floats = np.zeros(256)
        self.p_high: Floats = np.zeros(256)
        self.predicates = 0
        self.members: Floats = np.zeros(16)
        self.membership = 0
        self.heads: Ints = np.full(1024, -1, np.int32)
        self.hits = np.zeros(1024, np.int32)
        self.links = 0
        self.filed = 0
        self.c_next: Ints = np.full(64, -1, np.int32)
        self.c_count: Ints = np.zeros(64, np.int32)
        self.c_entry: Ints = np.zeros(64 * CHUNK, np.int32)
        self.c_hash: Ints = np.zeros(64 * CHUNK, np.int32)
        self.loose: Ints = np.zeros(LOOSE, np.int32)
        self.looses = 0
        self.blocks = 0
        self.alive = np.zeros(0, np.uint64)
        self.b_entry: Ints = np.zeros(0, np.int32)
        self.b_slots: Ints = np.zeros(0, np.int32)
        self.b_slot: Ints = np.zeros(0, np.int32)
        self.b_row: Ints = np.zeros(0, np.int32)
        self.fails = np.zeros(0, np.uint64)
        self.rows = 0
        self.found: Ints = np.zeros(64, np.int32)
        self._free: list[int] = []
        self._free_runs: dict[int, list[int]] = {}
        self._free_bits: list[int] = []
        self._free_fresh: list[int] = []
        self._free_links: list[int] = []
        self.where: Ints = np.zeros(64, np.int32)
        """Where an entry is filed: a place in a block, or `LOOSELY`, `CHAINED`, `NOWHERE`."""

        self.hash: Ints = np.zeros(64, np.int32)
        self._more_hashes: dict[int, tuple[int, ...]] = {}
        self.owner: Ints = np.zeros(64, np.int32)
        """Whose entry it is, for the index."""

        self.left: dict[int, Any] = {}
        """What is left to ask in Python about an entry, for the index."""

    def add(self, predicates: Sequence[Predicate]) -> int:
        """Store an entry, which is not found until it is filed."""
        entry = self._free.pop() if self._free else self._new_entry()
        start = self._room_for(len(predicates))
        for p, (slot, kind, low, high, members) in enumerate(predicates, start):
            if members is not None:
                low, high = self._add_members(members), len(members)  # noqa: PLW2901
            self.p_slot[p], self.p_kind[p], self.p_low[p], self.p_high[p] = slot, kind, low, high
        self.first[entry], self.count[entry], self.where[entry] = start, len(predicates), NOWHERE
        return entry

    def remove(self, entry: int) -> None:
        """Take an entry out; its number and its room are used again."""
        place = int(self.where[entry])
        if place == CHAINED:
            for h in self._more_hashes.pop(entry, (int(self.hash[entry]),)):
                self._unchain(entry, h)
        elif place == LOOSELY:
            at = int(np.flatnonzero(self.loose[: self.looses] == entry)[0])
            self.looses -= 1
            self.loose[at] = self.loose[self.looses]
        elif place >= 0:
            self._clear_block(entry, place)
        self._free_runs.setdefault(int(self.count[entry]), []).append(int(self.first[entry]))
        self.where[entry] = NOWHERE
        self._free.append(entry)

    def file_in_chains(self, entry: int, hashes: Sequence[int]) -> None:
        """Have an entry found by events that look up one of these hashes."""
        self.where[entry], self.hash[entry] = CHAINED, hashes[0]
        if len(hashes) > 1:
            self._more_hashes[entry] = tuple(hashes)
        for h in hashes:
            self._chain(entry, h)
        self.filed += len(hashes)
        if self.filed > 4 * len(self.heads):
            self._rehash()

    def file_loosely(self, entry: int) -> bool:
        """Have an entry looked at by every event; True if there are so many now that they belong into blocks."""
        self.where[entry] = LOOSELY
        self.loose[self.looses] = entry
        self.looses += 1
        return self.looses == LOOSE

    def file_in_blocks(self, slots: Slots) -> None:
        """Put all loose entries into blocks."""
        for entry in self.loose[: self.looses].tolist():
            self._file_in_block(entry, slots)
        self.looses = 0

    def _new_entry(self) -> int:
        entry = self.entries
        self.entries += 1
        if self.entries > len(self.first):
            for name in ("first", "count", "where", "hash", "found", "owner"):
                setattr(self, name, grown(getattr(self, name), self.entries))
        return entry

    def _room_for(self, count: int) -> int:
        runs = self._free_runs.get(count)
        if runs:
            return runs.pop()
        start, self.predicates = self.predicates, self.predicates + count
        if self.predicates > len(self.p_slot):
            for name in ("p_slot", "p_kind", "p_low", "p_high"):
                setattr(self, name, grown(getattr(self, name), self.predicates))
        return start

    def _add_members(self, members: Sequence[float]) -> int:
        start, self.membership = self.membership, self.membership + len(members)
        self.members = grown(self.members, self.membership)
        self.members[start : self.membership] = members
        return start

    def _chain(self, entry: int, h: int) -> None:
        at = h & (len(self.heads) - 1)
        link = int(self.heads[at])
        if link < 0 or self.c_count[link] == CHUNK:
            link = self._new_link(link)
            self.heads[at] = link
        place = link * CHUNK + int(self.c_count[link])
        self.c_entry[place], self.c_hash[place] = entry, h
        self.c_count[link] += 1

    def _new_link(self, following: int) -> int:
        if self._free_links:
            link = self._free_links.pop()
        else:
            link, self.links = self.links, self.links + 1
            if self.links > len(self.c_next):
                self.c_next, self.c_count = grown(self.c_next, self.links), grown(self.c_count, self.links)
                self.c_entry = grown(self.c_entry, len(self.c_next) * CHUNK)
                self.c_hash = grown(self.c_hash, len(self.c_next) * CHUNK)
        self.c_next[link], self.c_count[link] = following, 0
        return link

    def _unchain(self, entry: int, h: int) -> None:
        """Take an entry out of a chain: the last one of the first link takes its place."""
        at = h & (len(self.heads) - 1)
        head = link = int(self.heads[at])
        while True:
            places = range(link * CHUNK, link * CHUNK + int(self.c_count[link]))
            place = next((p for p in places if self.c_entry[p] == entry and self.c_hash[p] == h), None)
            if place is not None:
                break
            link = int(self.c_next[link])
        last = head * CHUNK + int(self.c_count[head]) - 1
        self.c_entry[place], self.c_hash[place] = self.c_entry[last], self.c_hash[last]
        self.c_count[head] -= 1
        self.filed -= 1
        if not self.c_count[head]:
            self.heads[at] = self.c_next[head]
            self._free_links.append(head)

    def _rehash(self) -> None:
        """Make four times as many chains, all at once and in whole arrays, so that nobody has to wait for it."""
        places = self._places()
        entries, hashes = self.c_entry[places], self.c_hash[places]
        size = 4 * len(self.heads)
        chain = hashes & (size - 1)
        order = np.argsort(chain, kind="stable")
        chain = chain[order]
        lengths = np.bincount(chain, minlength=size)
        links = (lengths + CHUNK - 1) // CHUNK
        starts = np.cumsum(links) - links
        rank = np.arange(len(chain)) - (np.cumsum(lengths) - lengths)[chain]
        place = (starts[chain] + rank // CHUNK) * CHUNK + rank % CHUNK
        self.links = int(links.sum())
        room = max(64, self.links + (self.links >> 1))
        self.c_entry, self.c_hash = np.zeros(room * CHUNK, np.int32), np.zeros(room * CHUNK, np.int32)
        self.c_entry[place], self.c_hash[place] = entries[order], hashes[order]
        self.c_next, self.c_count = np.arange(-1, room - 1, dtype=np.int32), np.full(room, CHUNK, np.int32)
        some = lengths > 0
        self.c_next[starts[some]] = -1
        last = (starts + links - 1)[some]  # the one link of a chain that may have room is its first
        self.c_count[last] = lengths[some] - (links[some] - 1) * CHUNK
        self.heads = np.full(size, -1, np.int32)
        self.heads[some] = last
        self.hits = np.zeros(size, np.int32)
        self._free_links = []

    def _places(self) -> npt.NDArray[np.int64]:
        """Return the places of all chained entries."""
        counts = self.c_count[: self.links].copy()
        counts[self._free_links] = 0
        link = np.repeat(np.arange(self.links), counts)
        return link * CHUNK + np.arange(len(link)) - np.repeat(np.cumsum(counts) - counts, counts)

    def _file_in_block(self, entry: int, slots: Slots) -> None:
        place = self._free_bits.pop() if self._free_bits else self._new_bit()
        self.where[entry], self.b_entry[place] = place, entry
        block = place // BLOCK
        for p in range(self.first[entry], self.first[entry] + self.count[entry]):
            row = self._rows_of(block, int(self.p_slot[p]))
            if row >= 0:
                failing = self._failing(p, slots) + row
                self.fails[failing * WORDS + place % BLOCK // 64] |= np.uint64(1) << np.uint64(place & 63)
        self.alive[place >> 6] |= np.uint64(1) << np.uint64(place & 63)

    def _clear_block(self, entry: int, place: int) -> None:
        block, bit = place // BLOCK, ~(np.uint64(1) << np.uint64(place & 63))
        self.alive[place >> 6] &= bit
        for p in range(self.first[entry], self.first[entry] + self.count[entry]):
            row = self._rows_of(block, int(self.p_slot[p]))
            if row >= 0:
                self.fails[(np.arange(ROWS) + row) * WORDS + place % BLOCK // 64] &= bit
        self._free_bits.append(place)

    def _new_bit(self) -> int:
        if not self._free_fresh:
            self._new_block()
        return self._free_fresh.pop()

    def _new_block(self) -> None:
        block, self.blocks = self.blocks, self.blocks + 1
        self.alive = grown(self.alive, self.blocks * WORDS)
        self.b_entry = grown(self.b_entry, self.blocks * BLOCK)
        self.b_slots = grown(self.b_slots, self.blocks)
        self.b_slot = grown(self.b_slot, self.blocks * BLOCK_SLOTS)
        self.b_row = grown(self.b_row, self.blocks * BLOCK_SLOTS)
        self._free_fresh = list(range(self.blocks * BLOCK - 1, block * BLOCK - 1, -1))

    def _rows_of(self, block: int, slot: int) -> int:
        """Return the first row of a slot's bitsets in a block, made if need be; -1 if the block has no room for it."""
        start, used = block * BLOCK_SLOTS, int(self.b_slots[block])
        for s in range(start, start + used):
            if self.b_slot[s] == slot:
                return int(self.b_row[s])
        if used == BLOCK_SLOTS:
            return -1
        row, self.rows = self.rows, self.rows + ROWS
        self.fails = grown(self.fails, self.rows * WORDS)
        self.b_slot[start + used], self.b_row[start + used] = slot, row
        self.b_slots[block] += 1
        return row

    def _failing(self, p: int, slots: Slots) -> npt.NDArray[np.int64]:
        """Return the buckets in which a predicate certainly fails."""
        kind, low, high = int(self.p_kind[p]), self.p_low[p], self.p_high[p]
        left, right = slots.edges(int(self.p_slot[p]))
        if kind & SET:
            inside = np.searchsorted(right, self.members[int(low) : int(low) + int(high)], side="right")
            fails = np.ones(BUCKETS, bool)
            fails[np.minimum(inside, BUCKETS - 1)] = False
            fails &= not kind & NEGATED
        elif kind & NEGATED:
            fails = (left > low) & (right < high)
        else:
            fails = (right < low) | (left > high)
        return np.flatnonzero(np.append(fails, not kind & MISSING_PASSES))
