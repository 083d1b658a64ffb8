"""Events as numbers in slots.

Each accessor that conditions mention is evaluated once for an event; its value fills the slot of its own family
and those that ask whether it is there, how it begins, what type it is. All other slots hold NaN, for "missing".
A number that no float can hold is kept as its two neighbours, so that comparisons stay exact.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from rostra.matching.layout import BUCKETS
from rostra.matching.predicates import NUMERIC, as_number, neighbours
from rostra.matching.slots import UNKNOWN, Ask, SlotKey, Slots
from rostra.model.accessor import MESSAGE, Accessor, Attribute
from rostra.model.presence import InstanceOf
from rostra.model.reach import read
from rostra.model.values import Family, weigh

_EXACT_INT: Final = 2**53


class _Reader:
    """The slots of one accessor."""

    __slots__ = ("codes", "families", "number", "prefixes", "present", "text", "texts", "types")

    def __init__(self) -> None:
        self.families: dict[Family, int] = {}
        self.codes: dict[Family, dict[Any, float]] = {}
        self.number = self.text = self.present = -1
        self.texts: dict[Any, float] = {}
        self.prefixes: list[tuple[Family, int, int, dict[Any, float]]] = []
        self.types: list[tuple[int, InstanceOf]] = []


class Vector:
    """One event as numbers, and the room to write the next one into."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._names: dict[str, _Reader] = {}
        self._readers: dict[Accessor, _Reader] = {}
        self._known = 0
        self.is_sharp = True
        """Whether every number of the event is one that a float can hold."""

        self.active: list[int] = []
        self._room(16)

    def _room(self, size: int) -> None:
        self.a, self.b, self.place = np.full(size, np.nan), np.full(size, np.nan), np.zeros(size)
        self.bits = self.a.view(np.int64)
        self.bucket = np.full(size, BUCKETS, np.int32)
        self.actives = np.zeros(size, np.int32)
        self._a: Any = self.a.data  # written one by one, which arrays are slow at
        self._b: Any = self.b.data

    def fill(self, event: Any, topic: str) -> int:
        """Write an event; returns how many slots are filled."""
        if self._known < len(self._slots):
            self._learn()
        self.is_sharp = True
        if type(event) is dict:
            self._write_dict(event)
        else:
            for name, reader in self._names.items():
                value = read(event, name)
                if value is not None:
                    self._write(reader, value)
        for accessor, reader in self._readers.items():
            value = accessor.get(event, topic)
            if value is not None:
                self._write(reader, value)
        count = len(self.active)
        self.actives[:count] = self.active
        return count

    def _write_dict(self, event: dict[Any, Any]) -> None:
        """Go through the names that conditions mention or through those of the event, whichever are fewer."""
        names = self._names
        if len(names) <= len(event):
            for name, reader in names.items():
                value = event.get(name)
                if value is not None:
                    self._write(reader, value)
        else:
            for name, value in event.items():
                if value is not None and (known := names.get(name)) is not None:
                    self._write(known, value)

    def wipe(self) -> None:
        """Forget the event."""
        active = self.actives[: len(self.active)]
        self.a[active] = np.nan
        self.b[active] = np.nan
        self.bucket[active] = BUCKETS
        self.active.clear()

    def _write(self, reader: _Reader, value: Any) -> None:
        cls = type(value)
        if reader.present >= 0:
            self._put(reader.present, 1.0)
        if cls is float:
            if reader.number >= 0 and value == value:  # noqa: PLR0124  NaN is no number
                self._put(reader.number, value + 0.0)
        elif cls is int and -_EXACT_INT <= value <= _EXACT_INT:
            if reader.number >= 0:
                self._put(reader.number, float(value))
        elif cls is str:
            if reader.text >= 0:
                self._put(reader.text, reader.texts.get(value, UNKNOWN))
        else:
            self._write_other(reader, value)
        if reader.prefixes or reader.types:
            self._write_rest(reader, value)

    def _put(self, slot: int, number: float) -> None:
        self._a[slot] = self._b[slot] = number
        self.active.append(slot)

    def _write_other(self, reader: _Reader, value: Any) -> None:
        family, plain = weigh(value)
        slot = reader.families.get(family, -1)
        if slot < 0:
            return
        if family in NUMERIC:
            low, high = neighbours(as_number(family, plain))
            self._a[slot], self._b[slot] = low, high
            self.active.append(slot)
            self.is_sharp = self.is_sharp and low == high
        else:
            self._put(slot, reader.codes[family].get(plain, UNKNOWN))

    def _write_rest(self, reader: _Reader, value: Any) -> None:
        for slot, test in reader.types:
            if test.decide_value(value):
                self._put(slot, 1.0)
        if reader.prefixes:
            family, plain = weigh(value)
            for wanted, length, slot, codes in reader.prefixes:
                if family is wanted:
                    self._put(slot, codes.get(plain[:length], UNKNOWN))

    def _learn(self) -> None:
        """Take note of slots that are new."""
        if len(self._slots) > len(self.a):
            self._room(2 * len(self._slots))
        for slot in range(self._known, len(self._slots)):
            key = self._slots.keys[slot]
            self._assign(self._reader(key.accessor), key, slot)
        self._known = len(self._slots)

    def _reader(self, accessor: Accessor) -> _Reader:
        if isinstance(accessor, Attribute) and accessor.of == MESSAGE:
            return self._names.setdefault(accessor.name, _Reader())
        return self._readers.setdefault(accessor, _Reader())

    def _assign(self, reader: _Reader, key: SlotKey, slot: int) -> None:
        codes = self._slots.codes[slot]
        match key.ask:
            case Ask.PRESENT:
                reader.present = slot
            case Ask.TYPE:
                reader.types.append((slot, InstanceOf._of(key.accessor, key.detail)))
            case Ask.PREFIX:
                reader.prefixes.append((*key.detail, slot, codes))
            case family:
                reader.families[family], reader.codes[family] = slot, codes
                if family is Family.NUMBER:
                    reader.number = slot
                elif family is Family.TEXT:
                    reader.text, reader.texts = slot, codes
