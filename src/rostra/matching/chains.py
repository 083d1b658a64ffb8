"""Chains: entries filed under a value that they ask for, or under a cell that their range lies in.

An event looks up the chains of its own values and finds few of all the entries there are. The table is a hash table
with open addressing; the items of a chain lie side by side, with room to grow, so that going through a long chain is
going through memory in order. Each item carries one more predicate of its entry, which rules most of them out.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rostra.matching.arrays import Grown
from rostra.matching.layout import CHAIN, ITEM, MIX, MIX_KEY, hash_of

_ROW: Final = struct.Struct("<qiiiiq")
_ITEM: Final = struct.Struct("<iidd")
_ROW_SIZE: Final = _ROW.size
_ITEM_SIZE: Final = _ITEM.size
_ITEM_INTS: Final = _ITEM_SIZE // 4

Item = tuple[int, int, float, float]


class Chains:
    """The chains of a segment."""

    def __init__(self) -> None:
        self.table = Grown(CHAIN, 256)
        self.items = Grown(ITEM, 64)
        self._rows = 0
        self._top = 0
        self._free: dict[int, list[int]] = {}

    def add(self, of: int, bits: int, item: Item) -> None:
        """File an entry under a key."""
        at, row = self._find(of, bits)
        if row is None:
            if 2 * self._rows >= len(self.table.array):
                self._rebuild()
                at, _ = self._find(of, bits)
            self._rows += 1
            start, count, room, hits = 0, 0, 0, 0
        else:
            _, _, start, count, room, hits = row
        if count == room:
            start, room = self._moved(start, count)
        _ITEM.pack_into(self.items.view, (start + count) * _ITEM_SIZE, *item)
        _ROW.pack_into(self.table.view, at * _ROW_SIZE, bits, of, start, count + 1, room, hits)

    def remove(self, of: int, bits: int, entry: int) -> None:
        """Take an entry out: the last of its chain takes its place."""
        at, row = self._find(of, bits)
        if row is None:
            raise KeyError(of, bits)
        _, _, start, count, room, hits = row
        last = start + count - 1
        entries = self.items.ints[1::_ITEM_INTS]
        place = start + int((entries[start : last + 1] == entry).argmax())
        if entries[place] != entry:
            raise KeyError(entry)
        items = self.items.view
        items[place * _ITEM_SIZE : (place + 1) * _ITEM_SIZE] = items[last * _ITEM_SIZE : (last + 1) * _ITEM_SIZE]
        if count == 1:
            self._release(start, room)
            start = room = 0
        _ROW.pack_into(self.table.view, at * _ROW_SIZE, bits, of, start, count - 1, room, hits)

    def hot(self, least: int) -> list[tuple[int, int, int]]:
        """Return the keys of the chains that were looked up so often, and how often."""
        table = self.table.array
        found = np.flatnonzero((table["hits"] >= least) & (table["count"] > 0))
        return [(int(row["of"]), int(row["bits"]), int(row["hits"])) for row in table[found]]

    def fade(self) -> None:
        """Let what was counted long ago count half."""
        self.table.array["hits"] >>= 1

    def _find(self, of: int, bits: int) -> tuple[int, tuple[int, ...] | None]:
        """Return where a key is in the table, and its row; or where it would go."""
        mask, view, size = len(self.table.array) - 1, self.table.view, _ROW_SIZE
        at = hash_of(of, bits) & mask
        while True:
            row = _ROW.unpack_from(view, at * size)
            if row[1] == of and row[0] == bits:
                return at, row
            if not row[1]:
                return at, None
            at = (at + 1) & mask

    def _moved(self, start: int, count: int) -> tuple[int, int]:
        """Move a chain to where there is twice the room."""
        room = 2 * count or 1
        runs = self._free.get(room)
        if runs:
            new = runs.pop()
        else:
            new, self._top = self._top, self._top + room
            self.items.reserve(self._top)
        if count:
            self.items.array[new : new + count] = self.items.array[start : start + count]
            self._release(start, count)
        return new, room

    def _release(self, start: int, room: int) -> None:
        self._free.setdefault(room, []).append(start)

    def _rebuild(self) -> None:
        """Make the table four times as large as it has to be; chains without items are forgotten."""
        rows = self.table.array[self.table.array["count"] > 0]
        size = 1 << max(8, (4 * len(rows)).bit_length())
        table = np.zeros(size, CHAIN)
        table[places(rows["of"], rows["bits"], size)] = rows
        self.table.replace(table)
        self._rows = len(rows)


def places(of: npt.NDArray[np.int32], bits: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """Return a place of its own in a table for each of many keys, each where looking for it from its hash finds it."""
    where = hashes(of, bits) & (size - 1)
    taken = np.zeros(size, bool)
    waiting: Any = np.arange(len(where))
    while len(waiting):
        _, first = np.unique(where[waiting], return_index=True)
        lucky = np.zeros(len(waiting), bool)
        lucky[first] = True
        lucky &= ~taken[where[waiting]]
        taken[where[waiting[lucky]]] = True
        waiting = waiting[~lucky]
        where[waiting] = (where[waiting] + 1) & (size - 1)
    return where


def hashes(of: npt.NDArray[np.int32], bits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return `hash_of` of many keys."""
    h = bits.astype(np.int64) * np.int64(MIX) + of.astype(np.int64) * np.int64(MIX_KEY)
    h = (h ^ (h >> np.int64(29))) * np.int64(MIX)
    result: npt.NDArray[np.int64] = (h ^ (h >> np.int64(32))) & np.int64(0x7FFFFFFF)
    return result
