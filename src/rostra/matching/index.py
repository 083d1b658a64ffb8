"""Which of many conditions does an event satisfy? The index answers without asking each."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable
from threading import RLock
from typing import Any, Final, Generic, TypeVar

from rostra.errors import InvalidValue
from rostra.matching import jit
from rostra.matching.encoding import Vector
from rostra.matching.layout import LEVELS, MISSING_PASSES, NEGATED, STRICT_HIGH, STRICT_LOW, hash_of
from rostra.matching.predicates import NUMERIC, Predicate, draft
from rostra.matching.segment import Segment
from rostra.matching.slots import Slots
from rostra.model.condition import And, Condition, ConditionLike, as_condition
from rostra.model.normal import disjunction

Id = TypeVar("Id", bound=Hashable)

SEGMENT: Final = 262_144
"""Entries in a segment: arrays of this length grow in milliseconds."""

SELECTIVE: Final = 1 / 24
"""Share of events that look a chain up, beyond which an entry is better off in a block."""

FILED_MEMBERS: Final = 64
"""Largest set that an entry is filed under, once for each member."""


class Index(Generic[Id]):
    """Conditions by id. Adding, removing and matching can be mixed at any time, from any thread."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._slots = Slots()
        self._vector = Vector(self._slots)
        self._segments: list[Segment] = []
        self._numbers: dict[Id, int] = {}
        self._ids: list[Any] = []
        self._conditions: list[Any] = []
        self._entries: list[Any] = []
        self._free: list[int] = []
        self._asked: dict[Condition, dict[int, None]] = {}
        self._several = 0
        self._events = 0
        jit.loops()

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def add(self, key: Id, condition: ConditionLike) -> None:
        """Add a condition under a new id."""
        wanted = as_condition(condition)
        with self._lock:
            if key in self._numbers:
                raise InvalidValue(f"{key!r} is in the index already: use replace")
            number = self._free.pop() if self._free else self._new_number()
            self._numbers[key] = number
            self._ids[number], self._conditions[number] = key, wanted
            self._entries[number] = self._file(number, wanted)

    def remove(self, key: Id) -> None:
        """Remove a condition; an id that is not there raises `KeyError`."""
        with self._lock:
            number = self._numbers.pop(key)
            places = self._entries[number]
            several = places if isinstance(places, tuple) else (places,)
            for place in several:
                self._remove_entry(number, place)
            self._several -= len(several) > 1
            self._ids[number] = self._conditions[number] = self._entries[number] = None
            self._free.append(number)

    def replace(self, key: Id, condition: ConditionLike) -> None:
        """Put another condition in the place of one."""
        wanted = as_condition(condition)
        with self._lock:
            self.remove(key)
            self.add(key, wanted)

    def match(self, event: Any, topic: str = "") -> list[Id]:
        """Return the ids of the conditions that an event satisfies, each once, in no particular order."""
        with self._lock:
            numbers = self._match(event, topic)
            ids = self._ids
            return [ids[number] for number in numbers]

    def _match(self, event: Any, topic: str) -> list[int]:
        loops, vector = jit.loops(), self._vector
        count = vector.fill(event, topic)
        try:
            loops.locate(vector, count, self._slots)
            numbers: list[int] = []
            for segment in self._segments:
                entries = loops.match(vector, count, self._slots, segment)
                if segment.left:
                    numbers += self._still(segment, entries.tolist(), event, topic)
                else:
                    numbers += segment.owner[entries].tolist()
        finally:
            vector.wipe()
        self._events += 1
        for condition, owners in self._asked.items():
            if condition(event, topic):
                numbers += owners
        return list(dict.fromkeys(numbers)) if self._several else numbers

    def _still(self, segment: Segment, entries: list[int], event: Any, topic: str) -> list[int]:
        """Return the owners of entries that also pass what is left to ask."""
        answers: dict[Any, bool] = {None: True}
        found = []
        for entry in entries:
            condition, sharp = segment.left.get(entry, _NOTHING)
            if not sharp and not self._vector.is_sharp:
                condition = self._conditions[segment.owner[entry]]
            answer = answers.get(condition)
            if answer is None:
                answer = answers[condition] = condition(event, topic)
            if answer:
                found.append(int(segment.owner[entry]))
        return found

    def _new_number(self) -> int:
        self._ids.append(None)
        self._conditions.append(None)
        self._entries.append(None)
        return len(self._ids) - 1

    def _file(self, number: int, condition: Condition) -> Any:
        conjunctions = disjunction(condition)
        if conjunctions is None:
            return self._ask(number, condition)
        places = tuple(self._file_conjunction(number, conjunction) for conjunction in conjunctions)
        self._several += len(places) > 1
        return places[0] if len(places) == 1 else places

    def _ask(self, number: int, condition: Condition) -> int:
        self._asked.setdefault(condition, {})[number] = None
        return -1

    def _file_conjunction(self, number: int, conjunction: Iterable[Condition]) -> Any:
        made = draft(conjunction, self._slots)
        if not made.predicates:
            left = And(*made.left)
            self._ask(number, left)
            return left
        if not self._segments or self._is_full(self._segments[-1]):
            self._segments.append(Segment())
        at = next(i for i, segment in enumerate(self._segments) if not self._is_full(segment))
        segment = self._segments[at]
        entry = segment.add(made.predicates)
        segment.owner[entry] = number
        if made.left or not made.is_sharp:
            segment.left[entry] = And(*made.left) if made.left else None, made.is_sharp
        hashes = self._access(segment, made.predicates)
        if hashes:
            segment.file_in_chains(entry, hashes)
        elif segment.file_loosely(entry):
            segment.file_in_blocks(self._slots)
        return at * SEGMENT + entry

    def _is_full(self, segment: Segment) -> bool:
        return segment.entries >= SEGMENT and not segment._free

    def _access(self, segment: Segment, predicates: list[Predicate]) -> list[int]:
        """Return the hashes to file an entry under, by its most selective predicate; none if none is selective."""
        best, share = None, SELECTIVE
        for predicate in predicates:
            expected = self._share(segment, predicate)
            if expected < share:
                best, share = predicate, expected
        return [] if best is None else self._hashes(best)

    def _share(self, segment: Segment, predicate: Predicate) -> float:
        """Return the share of events that are expected to pass a predicate; 1 if it cannot be looked up."""
        slot, kind, low, high, members = predicate
        if kind & (NEGATED | MISSING_PASSES):
            return 1.0
        if members is not None:
            return 1.0 if len(members) > FILED_MEMBERS else len(members) / self._distinct(slot)
        if low == high or (kind == STRICT_LOW | STRICT_HIGH and _adjacent(low, high)):
            return self._measured(segment, slot, low)
        if not self._slots.is_settled(slot):
            return 1.0
        return self._slots.place(slot, high) - self._slots.place(slot, low)

    def _distinct(self, slot: int) -> float:
        codes = self._slots.codes[slot]
        return max(1.0, len(codes)) if self._slots.keys[slot].ask not in NUMERIC else 64.0

    def _measured(self, segment: Segment, slot: int, value: float) -> float:
        if self._events < 256:
            return 1 / self._distinct(slot)
        h = hash_of(slot, 0, _bits(value))
        return min(float(segment.hits[h & (len(segment.hits) - 1)]) / self._events, 1.0)

    def _hashes(self, predicate: Predicate) -> list[int]:
        slot, _, low, high, members = predicate
        if members is not None or low == high or _adjacent(low, high):
            self._slots.levels[slot] |= 1
            return list(dict.fromkeys(hash_of(slot, 0, _bits(value)) for value in members or (low,)))
        begin, end = self._slots.place(slot, low), self._slots.place(slot, high)
        level = 0
        while level < LEVELS - 1 and (end - begin) * (2 << level) <= 1:
            level += 1
        self._slots.levels[slot] |= 1 << (level + 1)
        cells = range(int(begin * (1 << level)), int(end * (1 << level)) + 1)
        return [hash_of(slot, level + 1, cell) for cell in cells]

    def _remove_entry(self, number: int, place: Any) -> None:
        if isinstance(place, int) and place >= 0:
            segment, entry = self._segments[place // SEGMENT], place % SEGMENT
            segment.left.pop(entry, None)
            segment.remove(entry)
            return
        condition = self._conditions[number] if place == -1 else place
        owners = self._asked[condition]
        del owners[number]
        if not owners:
            del self._asked[condition]


_NOTHING: Final = (None, True)


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def _adjacent(low: float, high: float) -> bool:
    import math

    return math.nextafter(low, math.inf) == high
