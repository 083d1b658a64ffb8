"""Groups of ids: a router's neighbours, each of which wants an event or does not, for however many reasons."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Final, Generic, TypeVar

import numpy as np

Id = TypeVar("Id", bound=Hashable)

NO_GROUP: Final = 0


class Groups(Generic[Id]):
    """Which id belongs to which group, and the number of each group."""

    def __init__(self) -> None:
        self._number: dict[Hashable, int] = {}
        self._size: dict[Hashable, int] = {}
        self._of: dict[Id, Hashable] = {}
        self._free: list[int] = []

    def join(self, key: Id, group: Hashable | None) -> int:
        """Put an id into a group, or into none; returns the group's number."""
        if group is None:
            return NO_GROUP
        number = self._number.get(group)
        if number is None:
            number = self._number[group] = self._free.pop() if self._free else len(self._number) + 1
            self._size[group] = 0
        self._size[group] += 1
        self._of[key] = group
        return number

    def leave(self, key: Id) -> None:
        """Take an id out of its group; an empty group is no more."""
        group = self._of.pop(key, None)
        if group is None:
            return
        self._size[group] -= 1
        if not self._size[group]:
            self._free.append(self._number.pop(group))
            del self._size[group]

    def of(self, key: Id) -> Hashable | None:
        """Return the group of an id."""
        return self._of.get(key)

    def number_of(self, key: Id) -> int:
        """Return the number of the group of an id, `NO_GROUP` if it is in none."""
        return self._number.get(self._of.get(key), NO_GROUP)

    def open(self) -> tuple[Any, int, dict[Hashable, int]]:
        """Return an array of what has matched, how many groups have not, and the numbers of the groups as they are now.

        What belongs to no group counts as matched, and so do numbers that are not in use.
        """
        names = dict(self._number)
        done = np.ones(max(names.values(), default=1) + 1, np.uint8)
        done[list(names.values())] = 0
        return done, len(names), names

    def mark(self, done: Any, keys: Iterable[Id]) -> int:
        """Mark the groups of some ids as matched; returns how many were not."""
        if len(done) == 1:
            new = any(True for _ in keys) and not done[0]
            done[0] |= new
            return int(new)
        numbers = {self.number_of(key) for key in keys}
        new_ones = [number for number in numbers if not done[number]]
        done[new_ones] = 1
        return len(new_ones)
