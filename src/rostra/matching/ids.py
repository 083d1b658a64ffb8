"""Ids by number: whole numbers in an array, which returns a thousand of them without touching a thousand objects."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from rostra.matching.arrays import Grown

Id = TypeVar("Id", bound=Hashable)

_FEW: Final = 16
"""Below this, one by one is faster."""


class Ids(Generic[Id]):
    """The id of each number that is in use. Until one comes that is no `int` of 64 bits, they are kept in an array."""

    def __init__(self) -> None:
        self._whole = Grown(np.int64)
        self._any: list[Any] | None = None
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, number: int, key: Any) -> None:
        """Set the id of a number, the next one at most."""
        if number == self._count:
            self._count += 1
            self._whole.reserve(self._count)
            if self._any is not None:
                self._any.append(None)
        if self._any is None:
            if type(key) is int and -(2**63) <= key < 2**63:
                self._whole.view[number] = key
                return
            self._any = self._whole.array[: self._count].tolist()
            self._whole = Grown(np.int64, 0)
        self._any[number] = key

    def forget(self, number: int) -> None:
        """Keep the id of a number no longer."""
        if self._any is not None:
            self._any[number] = None

    def one(self, number: int) -> Id:
        """Return the id of a number."""
        found: Id = self._whole.view[number] if self._any is None else self._any[number]
        return found

    def some(self, numbers: npt.NDArray[Any]) -> list[Id]:
        """Return the ids of many numbers."""
        if self._any is None and len(numbers) > _FEW:
            found: list[Any] = self._whole.array[numbers].tolist()
            return found
        known = self._whole.view if self._any is None else self._any
        return [known[number] for number in numbers.tolist()]
