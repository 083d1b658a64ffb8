"""Blocks: bitsets for entries with no selective predicate.

Values of a slot are divided into 64 buckets. For each slot that a block's entries ask about, and each bucket, a row
of bits says which entries certainly fail there; one more row is for events that have no such value. The union of an
event's rows leaves few entries to verify. Entries come in lines of 512, whose bits are computed together; one that is
removed is merely no longer alive, and a line that few are left of is given up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from rostra.matching.arrays import Grown
from rostra.matching.layout import (
    BLOCK,
    BLOCK_SLOTS,
    BUCKETS,
    LINE,
    LINES,
    MISSING_PASSES,
    NEGATED,
    ROWS,
    SET,
    WORDS,
)

if TYPE_CHECKING:
    from rostra.matching.slots import Slots

FEW: Final = LINE * 3 // 8
"""Entries left in a line below which it is given up."""

_LINE_WORDS: Final = LINE // 64


class Blocks:
    """The blocks of a segment."""

    def __init__(self) -> None:
        self.count = 0
        self.alive = Grown(np.uint64, 0)
        self.entry = Grown(np.int32, 0)
        self.used = Grown(np.int32, 0)
        """For each block, how many slots it has rows for; which, and where their rows begin:"""

        self.width = Grown(np.int32, 0)
        """For each block, how many words of its rows are in use."""

        self.slot = Grown(np.int32, 0)
        self.row = Grown(np.int32, 0)
        self.fails = Grown(np.uint64, 0)
        self._rows = 0
        self._lines: list[int] = []
        self._living: dict[int, int] = {}

    def add(self, entries: npt.NDArray[np.int32], tests: Tests, slots: Slots) -> npt.NDArray[np.int64]:
        """Put up to a line of entries in; returns the place of each."""
        if not self._lines:
            self._new_block()
        line = self._lines.pop()
        self._living[line] = len(entries)
        width, block = (line % LINES + 1) * _LINE_WORDS, line // LINES
        self.width.view[block] = max(self.width.view[block], width)
        start = line * LINE
        self.entry.array[start : start + len(entries)] = entries
        alive = np.packbits(np.arange(LINE) < len(entries), bitorder="little").view(np.uint64)
        self.alive.array[line * _LINE_WORDS : (line + 1) * _LINE_WORDS] = alive
        mentioned, counts = np.unique(tests.slot, return_counts=True)
        for slot in mentioned[np.argsort(-counts, kind="stable")].tolist():
            row = self._rows_of(block, slot)
            if row >= 0:
                words = slice(line % LINES * _LINE_WORDS, (line % LINES + 1) * _LINE_WORDS)
                bits = np.packbits(tests.failing(slot, slots), axis=1, bitorder="little").view(np.uint64)
                self.fails.array[row * WORDS : (row + ROWS) * WORDS].reshape(ROWS, WORDS)[:, words] = bits
        return np.arange(start, start + len(entries))

    def remove(self, place: int) -> npt.NDArray[np.int32] | None:
        """Take the entry at a place out; returns those that are left in its line if the line is given up."""
        line = place // LINE
        self.alive.view[place >> 6] &= ~(1 << (place & 63))
        self._living[line] -= 1
        if self._living[line] >= FEW:
            return None
        words = slice(line * _LINE_WORDS, (line + 1) * _LINE_WORDS)
        bits = np.unpackbits(self.alive.array[words].view(np.uint8), bitorder="little")
        left: npt.NDArray[np.int32] = self.entry.array[line * LINE : (line + 1) * LINE][bits.astype(bool)]
        self.alive.array[words] = 0
        rows = self.fails.array[: self._rows * WORDS].reshape(-1, WORDS)
        block, column = line // LINES, line % LINES * _LINE_WORDS
        for row in self.row.array[block * BLOCK_SLOTS : block * BLOCK_SLOTS + int(self.used.array[block])].tolist():
            rows[row : row + ROWS, column : column + _LINE_WORDS] = 0
        del self._living[line]
        self._lines.append(line)
        return left

    def _new_block(self) -> None:
        block, self.count = self.count, self.count + 1
        self.alive.reserve(self.count * WORDS)
        self.entry.reserve(self.count * BLOCK)
        self.used.reserve(self.count)
        self.width.reserve(self.count)
        self.slot.reserve(self.count * BLOCK_SLOTS)
        self.row.reserve(self.count * BLOCK_SLOTS)
        self._lines = list(range(self.count * LINES - 1, block * LINES - 1, -1))

    def _rows_of(self, block: int, slot: int) -> int:
        """Return the first row of a slot's bitsets in a block, made if need be; -1 if the block has no room for it."""
        start, used = block * BLOCK_SLOTS, int(self.used.array[block])
        known = self.slot.array[start : start + used].tolist()
        if slot in known:
            return int(self.row.array[start + known.index(slot)])
        if used == BLOCK_SLOTS:
            return -1
        row, self._rows = self._rows, self._rows + ROWS
        self.fails.reserve(self._rows * WORDS)
        self.slot.array[start + used], self.row.array[start + used] = slot, row
        self.used.array[block] = used + 1
        return row


class Tests:
    """The predicates of the entries of a line."""

    def __init__(self, predicates: npt.NDArray[Any], owner: npt.NDArray[np.int64], members: npt.NDArray[Any]) -> None:
        self.slot: npt.NDArray[np.int32] = predicates["slot"]
        self._predicates, self._owner, self._members = predicates, owner, members

    def failing(self, slot: int, slots: Slots) -> npt.NDArray[np.bool_]:
        """Return for each bucket of a slot, and for no value, which entries certainly fail there."""
        chosen = self.slot == slot
        tests, owner = self._predicates[chosen], self._owner[chosen]
        kind, low, high = tests["kind"], tests["low"], tests["high"]
        left, right = (edge[:, None] for edge in slots.edges(slot))
        fails = (right < low) | (left > high)
        negated = kind & NEGATED != 0
        if negated.any():
            fails = np.where(negated, (left > low) & (right < high), fails)
        for i in np.flatnonzero(kind & SET).tolist():
            fails[:, i] = self._set_fails(tests[i], right[:, 0])
        rows = np.vstack([fails, kind & MISSING_PASSES == 0])
        result = np.zeros((ROWS, LINE), bool)
        if len(np.unique(owner)) == len(owner):
            result[:, owner] = rows
        else:
            for i, at in enumerate(owner.tolist()):
                result[:, at] |= rows[:, i]
        return result

    def _set_fails(self, test: Any, ends: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        if test["kind"] & NEGATED:
            return np.zeros(BUCKETS, bool)
        start = int(test["low"])
        inside = np.searchsorted(ends, self._members[start : start + int(test["high"])], side="right")
        fails = np.ones(BUCKETS, bool)
        fails[np.minimum(inside, BUCKETS - 1)] = False
        return fails
