"""Codes: numbers that stand for the texts, and their like, that conditions mention, as long as they do."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any


class Codes:
    """The values of one slot and the number of each. A number that no predicate uses any more is given to another."""

    __slots__ = ("_free", "_uses", "numbers", "values")

    def __init__(self) -> None:
        self.numbers: dict[Any, float] = {}
        self.values: list[Hashable | None] = []
        """The value of each number, None for numbers that are free."""

        self._uses: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, value: Hashable) -> float:
        """Return a number for a new value, which nothing uses so far."""
        if self._free:
            number = self._free.pop()
            self.values[number] = value
        else:
            number = len(self.values)
            self.values.append(value)
            self._uses.append(0)
        self.numbers[value] = float(number)
        return float(number)

    def restore(self, values: list[Any]) -> None:
        """Take over the values of each number from elsewhere."""
        for number, value in enumerate(values):
            self.values.append(value)
            self._uses.append(0)
            if value is None:
                self._free.append(number)
            else:
                self.numbers[value] = float(number)

    def use(self, number: float) -> None:
        """Note that one more predicate mentions a value."""
        self._uses[int(number)] += 1

    def drop(self, number: float) -> None:
        """Note that one predicate less mentions a value; the last one takes it along."""
        at = int(number)
        self._uses[at] -= 1
        self.forget(at)

    def forget(self, number: float) -> None:
        """Forget a value if nothing uses it."""
        at = int(number)
        if self._uses[at] <= 0 and self.values[at] is not None:
            del self.numbers[self.values[at]]
            self.values[at] = None
            self._free.append(at)
