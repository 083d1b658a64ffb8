"""Which of many conditions does an event satisfy? The index answers without asking each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial
from threading import RLock
from typing import Any, Final, Generic, Self, TypeVar

import numpy as np

from rostra.errors import InvalidValue
from rostra.matching import access, jit, shipping
from rostra.matching.arrays import Grown
from rostra.matching.columns import Columns
from rostra.matching.encoding import Batch, Readers, Vector, Work
from rostra.matching.groups import NO_GROUP, Groups
from rostra.matching.ids import Ids
from rostra.matching.layout import MORE
from rostra.matching.predicates import Predicate, draft
from rostra.matching.questions import Page, Questions
from rostra.matching.segment import SEGMENT, Segment
from rostra.matching.slots import Slots
from rostra.matching.tuning import Tuning
from rostra.model.condition import And, Condition, ConditionLike, as_condition
from rostra.model.normal import disjunction

Id = TypeVar("Id", bound=Hashable)
T = TypeVar("T")

SEVERAL: Final = -1
"""In the place of an entry: the condition has several, or none, and they are listed elsewhere."""

_ENCODINGS: Final = 8
"""How often an event is turned into numbers again because conditions were added meanwhile, before they have to wait."""


EVENTS_TOGETHER: Final = 256
ROWS_TOGETHER: Final = 1024
"""Events of a batch, and rows of columns, that are matched while the lock is held."""


class Index(Generic[Id]):
    """Conditions by id. Adding, removing and matching can be mixed at any time, from any thread.

    Neither conditions that are code nor anything else of the event's runs while other threads are kept waiting.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._slots = Slots()
        self._readers = Readers(self._slots)
        self._vectors: list[Vector] = []
        self._segments: list[Segment] = []
        self._numbers: dict[Id, int] = {}
        self._ids: Ids[Id] = Ids()
        self._places = Grown(np.int64)
        self._several: dict[int, tuple[int | Condition, ...]] = {}
        self._left: dict[int, Condition] = {}
        self._unsharp: dict[int, Condition] = {}
        self._free: list[int] = []
        self._questions: Questions[Id] = Questions()
        self._groups = Groups[Id]()
        self._tuning = Tuning(self._slots, self._segments)
        self._found = np.zeros(0, np.int32)
        jit.loops()

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def add(self, key: Id, condition: ConditionLike, group: Hashable | None = None) -> None:
        """Add a condition under a new id; `group` is for `match_groups`."""
        wanted = as_condition(condition)
        with self._lock:
            if key in self._numbers:
                raise InvalidValue(f"{key!r} is in the index already: use replace")
            hash(group)
            number = self._free.pop() if self._free else len(self._ids)
            self._ids.put(number, key)
            self._places.reserve(number + 1)
            self._put_places(number, ())
            self._numbers[key] = number
            try:
                self._put_places(number, self._file(number, key, wanted, self._groups.join(key, group)))
            except BaseException:
                self.remove(key)
                raise

    def remove(self, key: Id) -> None:
        """Remove a condition; an id that is not there raises `KeyError`."""
        with self._lock:
            number = self._numbers.pop(key)
            for place in self._take_places(number):
                self._remove_entry(key, place)
            self._groups.leave(key)
            self._ids.forget(number)
            self._free.append(number)

    def replace(self, key: Id, condition: ConditionLike) -> None:
        """Put another condition in the place of one; its group stays."""
        wanted = as_condition(condition)
        with self._lock:
            number = self._numbers[key]
            new = self._file(number, key, wanted, self._groups.number_of(key))
            for place in self._take_places(number):
                if isinstance(place, int) or place not in new:
                    self._remove_entry(key, place)
            self._put_places(number, new)

    def to_bytes(self) -> bytes:
        """Return all of it as bytes, to match events elsewhere; `NotPortable` if a condition is code."""
        with self._lock:
            return shipping.shipped(self)

    @classmethod
    def from_bytes(cls, data: bytes, *, methods: Collection[str] = ()) -> Self:
        """Return the index that `to_bytes` wrote; `methods` names methods that its conditions may call on events."""
        index = cls()
        shipping.unshipped(index, data, methods)
        return index

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def match(self, event: Any, topic: str = "") -> list[Id]:
        """Return the ids of the conditions that an event satisfies, each once, in no particular order."""
        vector = self._encoded(event, topic)
        left: list[tuple[Id, Condition]] = []
        try:
            ids = self._match(vector, left)
            pages, several = self._questions.pages(), bool(self._several)
        finally:
            self._lock.release()
            self._vectors.append(vector)
        if left or pages:
            ids += _asked(left, pages, event, topic)
        return list(dict.fromkeys(ids)) if several else ids

    def match_any(self, event: Any, topic: str = "") -> bool:
        """Say whether an event satisfies any condition at all; stops at the first that it does."""
        done, _, left, pages = self._match_groups(event, topic, any_group=True)
        return (
            bool(done[0])
            or any(condition(event, topic) for _, condition in left)
            or any(page.ask(event, topic) for page in pages)
        )

    def match_groups(self, event: Any, topic: str = "") -> list[Hashable]:
        """Return the groups with a condition that an event satisfies; stops when every group has one."""
        done, names, left, pages = self._match_groups(event, topic, any_group=False)
        group_of = self._groups.of
        for key, condition in left:
            if not done[number := names.get(group_of(key), NO_GROUP)] and condition(event, topic):
                done[number] = 1
        for page in pages:
            if done.all():
                break
            done[[names.get(group_of(key), NO_GROUP) for key in page.ask(event, topic)]] = 1
        return [group for group, number in names.items() if done[number]]

    def match_batch(self, events: Any, topic: str = "") -> list[list[Id]]:
        """Return for each of many events what `match` does.

        Events come as a list, or as columns: a dict of them, or an Arrow record batch or table.
        """
        result: list[list[Id]] = []
        if isinstance(events, Sequence):
            for start in range(0, len(events), EVENTS_TOGETHER):
                result += self._match_part(events[start : start + EVENTS_TOGETHER], topic)
            return result
        columns = Columns(events)
        for start in range(0, len(columns), ROWS_TOGETHER):
            result += self._match_part(columns.part(slice(start, start + ROWS_TOGETHER)), topic)
        return result

    def _match_part(self, events: Any, topic: str) -> list[list[Id]]:
        batch, vector = self._encoded_batch(events, topic)
        left: list[list[tuple[Id, Condition]]] = [[] for _ in range(len(batch))]
        try:
            result = self._match_many(batch, vector, left)
            pages, several = self._questions.pages(), bool(self._several)
        finally:
            self._lock.release()
            self._vectors.append(vector)
        for number, (ids, open_) in enumerate(zip(result, left, strict=True)):
            if open_ or pages:
                ids.extend(_asked(open_, pages, events[number], topic))
            if several:
                ids[:] = dict.fromkeys(ids)
        return result

    def _encoded(self, event: Any, topic: str) -> Vector:
        """Return an event as numbers, with the lock held: the caller releases it."""
        vector = self._vectors.pop() if self._vectors else Vector()
        slots = self._slots
        try:
            vector.fill(event, topic, self._readers, slots)
        except IndexError:  # there was no room for slots that came meanwhile
            vector.version = -1
        self._lock.acquire()
        if vector.version != slots.version:
            self._lock.release()
            self._encode(partial(vector.fill, event, topic, self._readers, slots))
        return vector

    def _encode(self, write: Callable[[], T]) -> T:
        """Turn events into numbers; if conditions come meanwhile, again, and in the end while they have to wait."""
        for attempt in range(2 * _ENCODINGS):
            waiting = attempt >= _ENCODINGS and self._lock.acquire()
            version = self._slots.version
            try:
                result = write()
            except BaseException as error:
                if waiting:
                    self._lock.release()
                if not isinstance(error, IndexError) or version == self._slots.version:
                    raise
                continue  # there was no room for slots that came meanwhile
            if not waiting:
                self._lock.acquire()
            if version == self._slots.version:
                return result
            self._lock.release()
        raise InvalidValue("to read this event adds conditions to the index, time and again: it cannot be matched")

    def _encoded_batch(self, events: Any, topic: str) -> tuple[Batch, Vector]:
        """Return many events as numbers, and room to work, with the lock held: the caller releases it."""
        vector = self._vectors.pop() if self._vectors else Vector()
        batch = self._encode(partial(self._batch, events, topic, vector))
        vector.reserve(len(self._slots))
        return batch, vector

    def _batch(self, events: Any, topic: str, vector: Vector) -> Batch:
        if isinstance(events, Columns):
            return events.encoded(self._readers, self._slots, topic)
        count = len(self._slots)
        batch = Batch(len(events), count)
        for row, event in enumerate(events):
            vector.fill(event, topic, self._readers, self._slots)
            batch.put(row, vector, count)
        return batch

    def _match(self, vector: Vector, left: list[tuple[Id, Condition]]) -> list[Id]:
        loops, slots = self._tuning.step(), self._slots
        if slots.lookups > len(vector.key_of):
            vector.reserve_keys(2 * slots.lookups)
        keys = loops.prepare(vector, slots)
        ids: list[Id] = []
        for at, segment in enumerate(self._segments):
            found = loops.match(vector, keys, segment)
            if segment.asking:
                found = self._take_left(at, segment, found, left, is_sharp=vector.is_sharp)
            ids = ids + self._ids.some(found) if ids else self._ids.some(found)
        return ids

    def _match_many(self, batch: Batch, vector: Vector, left: list[list[tuple[Id, Condition]]]) -> list[list[Id]]:
        loops, slots = self._tuning.step(len(batch)), self._slots
        if slots.lookups > len(vector.key_of):
            vector.reserve_keys(2 * slots.lookups)
        result: list[list[Id]] = [[] for _ in range(len(batch))]
        ends = np.zeros(len(batch), np.int64)
        for at, segment in enumerate(self._segments):
            if 2 * len(segment.found) > len(self._found):
                self._found = np.zeros(2 * len(segment.found) + 2**16, np.int32)
            work = Work(vector, self._found, ends, int(at == 0))
            start = 0
            while start < len(batch):
                stop = loops.match_many(batch, start, work, slots, segment)
                begin = 0
                for row, end in enumerate(ends[start:stop].tolist(), start):
                    found = self._found[begin:end]
                    if segment.asking and end > begin:
                        sharp = bool(batch.more[row] == MORE)
                        found = self._take_left(at, segment, found, left[row], is_sharp=sharp)
                    if len(found):
                        result[row] += self._ids.some(found)
                    begin = end
                start = stop
        return result

    def _match_groups(
        self, event: Any, topic: str, *, any_group: bool
    ) -> tuple[Any, dict[Hashable, int], list[tuple[Id, Condition]], tuple[Page[Id], ...]]:
        """Mark the groups that match; returns what has to be asked for those that do not yet."""
        vector = self._encoded(event, topic)
        left: list[tuple[Id, Condition]] = []
        try:
            done, missing, names = self._groups.open() if not any_group else (np.zeros(1, np.uint8), 1, {})
            loops, slots = self._tuning.step(), self._slots
            if slots.lookups > len(vector.key_of):
                vector.reserve_keys(2 * slots.lookups)
            keys = loops.prepare(vector, slots)
            for at, segment in enumerate(self._segments):
                if not missing:
                    break
                found, missing = loops.match_groups(vector, keys, segment, done, missing)
                if len(found):
                    sure = self._take_left(at, segment, found, left, is_sharp=vector.is_sharp)
                    missing -= self._groups.mark(done, [self._ids.one(number) for number in sure.tolist()])
            return (done, names, left, self._questions.pages()) if missing else (done, names, [], ())
        finally:
            self._lock.release()
            self._vectors.append(vector)

    def _take_left(
        self, at: int, segment: Segment, entries: Any, left: list[tuple[Id, Condition]], *, is_sharp: bool
    ) -> Any:
        """Write down those entries about which something is left to ask; returns the owners of the others."""
        asks = segment.records.ints[entries * 6 + 3].astype(bool)
        sure = []
        for entry in entries[asks].tolist():
            place = at * SEGMENT + entry
            condition = self._left.get(place) if is_sharp else self._unsharp.get(place, self._left.get(place))
            if condition is None:
                sure.append(entry)
            else:
                left.append((self._ids.one(segment.header(entry).owner), condition))
        return segment.records.ints[np.append(entries[~asks], np.array(sure, np.int32)) * 6]

    def _file(self, number: int, key: Id, condition: Condition, group: int) -> tuple[int | Condition, ...]:
        """File a condition; returns the places of its entries, and what of it is a question. All of it, or nothing."""
        places: list[int | Condition] = []
        try:
            self._file_all(number, key, condition, group, places)
        except BaseException:
            for place in places:
                self._remove_entry(key, place)
            raise
        finally:
            self._readers.learn()
            self._slots.forget_codes()
        return tuple(places)

    def _file_all(self, number: int, key: Id, condition: Condition, group: int, places: list[int | Condition]) -> None:
        conjunctions = disjunction(condition)
        if conjunctions is None:
            self._questions.add(condition, key)
            places.append(condition)
            return
        for conjunction in conjunctions:
            places.append(self._file_conjunction(number, key, conjunction, group))  # noqa: PERF401  some, if one fails

    def _file_conjunction(self, number: int, key: Id, conjunction: Iterable[Condition], group: int) -> int | Condition:
        made = draft(conjunction, self._slots)
        if not made.predicates:
            condition = And(*made.left)
            self._questions.add(condition, key)
            return condition
        left = And(*made.left) if made.left else None
        whole = None if made.is_sharp else And(*conjunction)
        return self._file_entry(number, group, made.predicates, left, whole)

    def _file_entry(
        self, number: int, group: int, predicates: list[Predicate], left: Condition | None, whole: Condition | None
    ) -> int:
        """File predicates, with what is left to ask if they pass, and what to ask where floats are not enough."""
        at, segment = self._segment_with_room(len(predicates))
        entry = segment.add(predicates, number, group, asks=left is not None or whole is not None)
        place = at * SEGMENT + entry
        if left is not None:
            self._left[place] = left
        if whole is not None:
            self._unsharp[place] = whole
        self._slots.use_codes(predicates)
        choice = access.choose(predicates, self._slots, self._tuning.hot)
        segment.file(entry, predicates, choice, self._slots)
        return place

    def _take_places(self, number: int) -> tuple[int | Condition, ...]:
        place = self._places.view[number]
        return (place,) if place >= 0 else self._several.pop(number)

    def _put_places(self, number: int, places: tuple[int | Condition, ...]) -> None:
        if len(places) == 1 and isinstance(places[0], int):
            self._places.view[number] = places[0]
            self._several.pop(number, None)
        else:
            self._places.view[number] = SEVERAL
            self._several[number] = places

    def _restore_ids(self, ids: list[Id], groups: list[Hashable | None]) -> list[int]:
        """Give ids their numbers in an empty index; returns the numbers of their groups."""
        self._readers.learn()
        self._places.reserve(len(ids))
        for number, key in enumerate(ids):
            self._numbers[key] = number
            self._ids.put(number, key)
        return [self._groups.join(key, group) for key, group in zip(ids, groups, strict=True)]

    def _restore_places(self, places: list[list[int | Condition]]) -> None:
        for number, some in enumerate(places):
            self._put_places(number, tuple(some))

    def _segment_with_room(self, predicates: int) -> tuple[int, Segment]:
        for at in range(len(self._segments) - 1, -1, -1):
            if self._segments[at].has_room(predicates):
                return at, self._segments[at]
        self._segments.append(Segment())
        return len(self._segments) - 1, self._segments[-1]

    def _remove_entry(self, key: Id, place: int | Condition) -> None:
        if isinstance(place, int):
            segment, entry = self._segments[place // SEGMENT], place % SEGMENT
            self._slots.drop_codes(segment.predicates_of(entry))
            segment.remove(entry, self._slots)
            self._left.pop(place, None)
            self._unsharp.pop(place, None)
        else:
            self._questions.remove(place, key)


def _asked(left: list[tuple[Id, Condition]], pages: tuple[Page[Id], ...], event: Any, topic: str) -> list[Id]:
    """Ask what is left to ask about an event, each condition once."""
    answers: dict[Condition, bool] = {}
    ids: list[Id] = []
    for key, condition in left:
        answer = answers.get(condition)
        if answer is None:
            answer = answers[condition] = condition(event, topic)
        if answer:
            ids.append(key)
    for page in pages:
        ids += page.ask(event, topic)
    return ids
