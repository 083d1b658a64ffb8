"""A segment of the index: up to some hundred thousand entries in arrays that grow, never all at once.

An *entry* is a conjunction of predicates (and of what has to be asked in Python, which is kept elsewhere). A
*predicate* is about one *slot*, one number that encoding gives an event: bounds, or a set of members. All of an entry
lies side by side in `records`: a header, then its predicates; the place of the header is the entry's number. Entries
are found in one of three ways:

- `chains`: an entry with an equality, a small set or a narrow range is filed under the value, or under the one or two
  cells that the range lies in;
- `blocks`: entries with nothing selective are in bitsets;
- *loose* entries, fewer than a line of a block, wait for that and are looked at one by one.

Whatever the way, verifying has the last word: an entry is found if and only if all its predicates pass.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rostra.matching.access import Choice, keys
from rostra.matching.arrays import Grown
from rostra.matching.blocks import Blocks, Tests
from rostra.matching.chains import Chains, Item
from rostra.matching.layout import ALWAYS, ITEM, LINE, PREDICATE, SET
from rostra.matching.predicates import Predicate
from rostra.matching.slots import Slots

SEGMENT: Final = 2**20
"""Records in a segment: arrays of this length grow in milliseconds."""

LOOSE_ENTRIES: Final = LINE
"""Entries that are looked at one by one before they are put into a block."""

NOWHERE: Final = -1
LOOSE: Final = -2
CHAINED: Final = -3
"""Where entries are filed: at a place in a block if not negative, and at -3 or below by a choice of predicates."""

ANYTHING: Final = Predicate(ALWAYS, 0, 0.0, 0.0)
CHOICES: Final = 2**20
_HEADER: Final = struct.Struct("<iiiiq")
_WHERE: Final = struct.Struct("<q")
_PREDICATE: Final = struct.Struct("<iidd")
_SIZE: Final = _PREDICATE.size


class Header(NamedTuple):
    """What is known about an entry besides its predicates."""

    owner: int
    """Whose entry it is, for the index."""

    length: int
    """How many predicates it has."""

    group: int
    asks: int
    """Whether something has to be asked in Python if the predicates pass, for the index."""

    where: int


class Segment:
    """Entries and the ways to find them."""

    def __init__(self) -> None:
        self.records = Grown(PREDICATE)
        self.members = Grown(np.float64)
        self.found = Grown(np.int32, LINE)
        """Room for what the loops find."""

        self.loose = Grown(ITEM, LINE)
        self.looses = 0
        self.chains = Chains()
        self.blocks = Blocks()
        self.entries = 0
        self.asking = 0
        """How many entries there are about which something has to be asked."""

        self.top = 0
        self._top_member = 0
        self._free: dict[int, list[int]] = {}
        self._free_members: dict[int, list[int]] = {}

    def has_room(self, predicates: int) -> bool:
        """Say whether there is room for another entry with so many predicates."""
        return self.top + predicates < SEGMENT or bool(self._free.get(predicates))

    def add(self, predicates: Sequence[Predicate], owner: int, group: int, *, asks: bool) -> int:
        """Store an entry, which is not found until it is filed."""
        count = len(predicates)
        entry = self._room_for(count)
        view, at = self.records.view, entry * _SIZE
        _HEADER.pack_into(view, at, owner, count, group, asks, NOWHERE)
        for slot, kind, low, high, members in predicates:
            at += _SIZE
            if members is not None:
                low, high = self._add_members(members), len(members)  # noqa: PLW2901
            _PREDICATE.pack_into(view, at, slot, kind, low, high)
        self.asking += asks
        self.entries += 1
        if self.entries + LINE > len(self.found.array):
            self.found.reserve(self.entries + LINE)
        return entry

    def header(self, entry: int) -> Header:
        """Return what is known about an entry."""
        return Header._make(_HEADER.unpack_from(self.records.view, entry * _SIZE))

    def predicates_of(self, entry: int) -> list[Predicate]:
        """Return the predicates of an entry."""
        view, start = self.records.view, entry + 1
        stop = start + _HEADER.unpack_from(view, entry * _SIZE)[1]
        return [self._predicate(*_PREDICATE.unpack_from(view, at * _SIZE)) for at in range(start, stop)]

    def _predicate(self, slot: int, kind: int, low: float, high: float) -> Predicate:
        if kind & SET:
            members = self.members.array[int(low) : int(low + high)].tolist()
            return Predicate(slot, kind, low, high, tuple(members))
        return Predicate(slot, kind, low, high)

    def file(self, entry: int, predicates: Sequence[Predicate], choice: Choice, slots: Slots) -> None:
        """Have an entry found by events that may satisfy it."""
        check = predicates[choice.check] if choice.check >= 0 else ANYTHING
        item = check.slot, entry, check.low, check.high
        if choice.access < 0:
            self._file_loosely(entry, item, slots)
            return
        self._put(entry, CHAINED - choice.access * CHOICES - choice.check - 1)
        for of, bits in keys(predicates[choice.access], slots):
            slots.look_up(of)
            self.chains.add(of, bits, item)

    def unfile(self, entry: int, slots: Slots) -> None:
        """Have an entry found no longer."""
        place = self.header(entry).where
        self._put(entry, NOWHERE)
        if place <= CHAINED:
            access = self.predicates_of(entry)[(CHAINED - place) // CHOICES]
            for of, bits in keys(access, slots):
                self.chains.remove(of, bits, entry)
        elif place == LOOSE:
            loose = self.loose.array
            self.looses -= 1
            loose[np.flatnonzero(loose["entry"][: self.looses + 1] == entry)[0]] = loose[self.looses]
        elif place >= 0:
            left = self.blocks.remove(place)
            for other in () if left is None else left.tolist():
                self._file_loosely(other, (ALWAYS, other, 0.0, 0.0), slots)

    def remove(self, entry: int, slots: Slots) -> None:
        """Take an entry out; its room is used again."""
        self.unfile(entry, slots)
        header = self.header(entry)
        for at in range(entry + 1, entry + 1 + header.length):
            _, kind, low, high = _PREDICATE.unpack_from(self.records.view, at * _SIZE)
            if kind & SET:
                self._free_members.setdefault(int(high), []).append(int(low))
        self._free.setdefault(header.length, []).append(entry)
        self.asking -= header.asks
        self.entries -= 1

    def places_of(self, entries: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return where the predicates of some entries are, and whose each is, by position."""
        counts = self.records.ints[entries * 6 + 1].astype(np.int64)
        owner = np.repeat(np.arange(len(entries)), counts)
        rank = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        return entries[owner] + 1 + rank, owner

    def entries_from(self, start: int, stop: int) -> tuple[npt.NDArray[np.int64], int]:
        """Return the entries that are filed in so many records, beginning with the one at `start`, and the next one."""
        view, found, entry = self.records.ints, [], start
        end = min(start + stop, self.top)
        while entry < end:
            found.append(entry)
            entry += 1 + int(view[entry * 6 + 1])
        entries = np.array(found, np.int64)
        return entries[self.records.longs[entries * 3 + 2] != NOWHERE], entry

    def _put(self, entry: int, where: int) -> None:
        _WHERE.pack_into(self.records.view, entry * _SIZE + 16, where)

    def _file_loosely(self, entry: int, item: Item, slots: Slots) -> None:
        self._put(entry, LOOSE)
        _PREDICATE.pack_into(self.loose.view, self.looses * _SIZE, *item)
        self.looses += 1
        if self.looses == LOOSE_ENTRIES:
            entries = self.loose.array["entry"][: self.looses].copy()
            self.looses = 0
            places, owner = self.places_of(entries)
            tests = Tests(self.records.array[places], owner, self.members.array)
            self.records.longs[entries * 3 + 2] = self.blocks.add(entries, tests, slots)

    def _room_for(self, count: int) -> int:
        runs = self._free.get(count)
        if runs:
            return runs.pop()
        entry, self.top = self.top, self.top + count + 1
        self.records.reserve(self.top)
        return entry

    def _add_members(self, members: Sequence[float]) -> int:
        runs = self._free_members.get(len(members))
        if runs:
            start = runs.pop()
        else:
            start, self._top_member = self._top_member, self._top_member + len(members)
            self.members.reserve(self._top_member)
        self.members.array[start : start + len(members)] = members
        return start
