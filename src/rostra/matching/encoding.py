"""Events as numbers in slots.

Each accessor that conditions mention is evaluated once for an event; its value fills the slot of its own family
and those that ask whether it is there, how it begins, what type it is. All other slots hold NaN, for "missing".
A number that no float can hold is kept as its two neighbours, so that comparisons stay exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rostra.matching.layout import ALWAYS, MORE
from rostra.matching.predicates import as_number, neighbours
from rostra.matching.slots import NUMERIC, UNKNOWN, Ask, SlotKey, Slots
from rostra.model.accessor import MESSAGE, Accessor, Attribute
from rostra.model.presence import InstanceOf
from rostra.model.reach import NOT_DATA, is_mapping, read, read_value
from rostra.model.values import Family, weigh

EXACT_INT: Final = 2**53
"""Whole numbers up to here are floats, too."""

_SPECIAL: Final = -2
"""In the place of a slot: there are several."""

_SCALARS: Final = frozenset({int, float, str, bool})


class Reader:
    """The slots of one accessor."""

    __slots__ = ("codes", "families", "is_plain", "number", "prefixes", "present", "text", "texts", "types")

    def __init__(self) -> None:
        self.families: dict[Family, int] = {}
        self.codes: dict[Family, dict[Any, float]] = {}
        self.number = self.text = self.present = -1
        self.texts: dict[Any, float] = {}
        self.prefixes: list[tuple[Family, int, int, dict[Any, float]]] = []
        self.types: list[tuple[int, InstanceOf]] = []
        self.is_plain = True
        """Whether a number or a text concerns one slot at most."""

    def assign(self, key: SlotKey, slot: int, codes: dict[Any, float]) -> None:
        """Take note of a slot."""
        match key.ask:
            case Ask.PRESENT:
                self.present = slot
            case Ask.TYPE:
                self.types.append((slot, InstanceOf._of(key.accessor, key.detail)))
            case Ask.PREFIX:
                self.prefixes.append((*key.detail, slot, codes))
            case Family() as family:
                self.families[family], self.codes[family] = slot, codes
                if family is Family.NUMBER:
                    self.number = slot
                elif family is Family.TEXT:
                    self.text, self.texts = slot, codes
                return
        self.is_plain = False


class Plan(NamedTuple):
    """What most values of an attribute need: where a number goes and where a text, and what stands for the text."""

    name: str
    number: int
    text: int
    code: Callable[[Any, float], float]
    reader: Reader


class Readers:
    """What is to be read of an event, and where it goes."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._known = 0
        self._names: dict[str, Reader] = {}
        self._others: dict[Accessor, Reader] = {}
        self.plans: dict[str, Plan] = {}
        """What to do with attributes of the event itself, by name."""

        self._in_order: tuple[int, list[str], list[Plan]] = -1, [], []

    def in_order(self) -> tuple[list[str], list[Plan]]:
        """Return the names and the plans, in lists that do not change while other threads learn."""
        known, names, plans = self._in_order
        if known != self._known:  # which may change at any time: what was made before is never taken for what is now
            known = self._known
            plans = list(self.plans.values())
            names = [plan.name for plan in plans]
            self._in_order = known, names, plans
        return names, plans

    def others(self) -> list[tuple[Accessor, Reader]]:
        """Return what to do with other parts of an event."""
        return list(self._others.items()) if self._others else []

    def learn(self) -> None:
        """Take note of slots that are new."""
        for slot in range(self._known, len(self._slots)):
            key, codes = self._slots.keys[slot], self._slots.codes[slot].numbers
            if isinstance(key.accessor, Attribute) and key.accessor.of == MESSAGE:
                name = key.accessor.name
                reader = self._names.setdefault(name, Reader())
                reader.assign(key, slot, codes)
                number, text = (reader.number, reader.text) if reader.is_plain else (_SPECIAL, _SPECIAL)
                self.plans[name] = Plan(name, number, text, reader.texts.get, reader)
            elif key.ask is not Ask.ALWAYS:
                self._others.setdefault(key.accessor, Reader()).assign(key, slot, codes)
        if self._known < len(self._slots):
            self._known = len(self._slots)
            self._slots.version += 1  # for those who began to read before this was known


class Vector:
    """One event as numbers, and the room to write the next one into."""

    def __init__(self) -> None:
        self.version = -1
        """The version of the slots that the event was written for."""

        self.is_sharp = True
        """Whether every number of the event is one that a float can hold."""

        self.more = MORE
        """The bits of a kind that make a predicate more than bounds: all, if the event is not sharp."""

        self._room(16)
        self.reserve_keys(16)

    def _room(self, size: int) -> None:
        self.a, self._empty = np.full(size, np.nan), np.full(size, np.nan)
        self._empty[ALWAYS] = 0.0
        self.b = self.a
        self._a: Any = self.a.data  # written one by one, which arrays are slow at
        self._apart: list[tuple[int, float]] = []
        self.bucket = np.zeros(size, np.int32)

    def reserve(self, slots: int) -> None:
        """Make room for so many slots."""
        if slots > len(self.a):
            self._room(2 * slots)

    def reserve_keys(self, room: int) -> None:
        """Make room for the keys of so many chains."""
        self.key_of = np.zeros(room, np.int32)
        self.key_bits = np.zeros(room, np.int64)
        self.key_at = np.zeros(room, np.int64)

    def fill(self, event: Any, topic: str, readers: Readers, slots: Slots) -> None:
        """Write an event down. Runs code of the event's, and accessors."""
        self.version, count = slots.version, len(slots)
        self.reserve(count)
        self.a[:] = self._empty
        if self._apart:
            self._apart = []
        if readers.plans:
            self._write_attributes(event, readers)
        for accessor, reader in readers.others():
            value = accessor.get(event, topic)
            if value is not None:
                write(reader, value, self._a, self._apart)
        self.b = self.a
        self.is_sharp = not self._apart
        self.more = MORE if self.is_sharp else -1
        if self._apart:
            self.b = self.a.copy()
            for slot, high in self._apart:
                self.b[slot] = high

    def _write_attributes(self, event: Any, readers: Readers) -> None:
        """Go through the names that conditions mention, or through those of the event if they are fewer."""
        cls = type(event)
        names, plans = readers.in_order()
        if cls is dict:
            if len(names) <= 2 * len(event):
                self._write_all(zip(plans, map(event.get, names), strict=True))
            else:
                found = zip(map(readers.plans.get, event), event.values(), strict=True)
                self._write_all([(plan, value) for plan, value in found if plan is not None])
        elif is_mapping(cls) or issubclass(cls, NOT_DATA):
            self._write_all(zip(plans, [read(event, name) for name in names], strict=True))
        else:
            self._write_all(zip(plans, [_attribute(event, name) for name in names], strict=True))

    def _write_all(self, pairs: Iterable[tuple[Plan, Any]]) -> None:
        """Write values down: numbers and texts here, whatever is rare elsewhere."""
        a, apart = self._a, self._apart
        for (_, number, text, code, reader), value in pairs:
            cls = type(value)
            if cls is str:
                if text >= 0:
                    a[text] = code(value, UNKNOWN)
                elif text == _SPECIAL:
                    write(reader, value, a, apart)
            elif cls is float:
                if number >= 0:
                    a[number] = value + 0.0  # which makes a zero of minus zero
                elif number == _SPECIAL:
                    write(reader, value, a, apart)
            elif cls is int and number >= 0 and -EXACT_INT <= value <= EXACT_INT:
                a[number] = value
            elif value is not None:
                write(reader, value, a, apart)


def write(reader: Reader, value: Any, a: Any, apart: list[tuple[int, float]]) -> None:
    """Write a value of any kind down: into `a` by slot, and into `apart` the upper neighbour if there is one."""
    if reader.present >= 0:
        a[reader.present] = 1.0
    for slot, test in reader.types:
        if test.decide_value(value):
            a[slot] = 1.0
    family, plain = weigh(value)
    slot = reader.families.get(family, -1)
    if slot >= 0:
        if family not in NUMERIC:
            a[slot] = reader.codes[family].get(plain, UNKNOWN)
        else:
            low, high = neighbours(as_number(family, plain))
            a[slot] = low
            if low != high:
                apart.append((slot, high))
    for wanted, length, slot, codes in reader.prefixes:
        if family is wanted:
            a[slot] = codes.get(plain[:length], UNKNOWN)


class Batch:
    """Many events as numbers."""

    def __init__(self, count: int, slots: int) -> None:
        self.a = np.full((count, slots), np.nan)
        self.a[:, ALWAYS] = 0.0
        self.b = self.a
        self.more = np.full(count, MORE)

    def __len__(self) -> int:
        return len(self.a)

    def put(self, row: int, vector: Vector, slots: int) -> None:
        """Write an event down."""
        self.a[row] = vector.a[:slots]
        if vector.is_sharp:
            if self.b is not self.a:
                self.b[row] = vector.a[:slots]
        else:
            self.spread(row, ALWAYS, 0.0)
            self.b[row] = vector.b[:slots]

    def spread(self, row: int, slot: int, high: float) -> None:
        """Note that a number lies between the one that was written down and a higher one."""
        if self.b is self.a:
            self.b = self.a.copy()
        self.b[row, slot] = high
        self.more[row] = -1


class Work(NamedTuple):
    """Room to match a batch in."""

    vector: Vector
    found: npt.NDArray[np.int32]
    ends: npt.NDArray[np.int64]
    """For each event, where what was found for it ends."""

    counts: int
    """Whether to count what the events are like: once, not for every segment."""


def _attribute(event: Any, name: str) -> Any:
    """Return what `read` does for an event that is no mapping."""
    if name[0] == "_":
        return None
    try:
        value = getattr(event, name, None)
    except Exception:  # noqa: BLE001  whatever a property raises, the attribute is missing (A12)
        return None
    return value if type(value) in _SCALARS else read_value(value)
