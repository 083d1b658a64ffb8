"""Arrays that grow, and that Python can write one element of without the cost of numpy's scalars."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class Grown:
    """An array with room for more.

    `view` is the same memory for single elements, or for bytes if the elements are records; `ints`, `longs` and
    `floats` are records as whole numbers of 32 and of 64 bits and as floats.
    """

    __slots__ = ("_fill", "array", "floats", "ints", "longs", "view")
    array: npt.NDArray[Any]
    view: Any
    ints: npt.NDArray[np.int32]
    longs: npt.NDArray[np.int64]
    floats: npt.NDArray[np.float64]

    def __init__(self, dtype: npt.DTypeLike, room: int = 16, fill: float = 0) -> None:
        self._fill = fill
        self._take(self._made(room, np.dtype(dtype)))

    def __len__(self) -> int:
        return len(self.array)

    def reserve(self, room: int) -> None:
        """Make sure that there is room for so many elements, a quarter more than that if there was not."""
        old = self.array
        if room > len(old):
            larger = self._made(room + (room >> 2) + 16, old.dtype)
            larger[: len(old)] = old
            self._take(larger)

    def replace(self, array: npt.NDArray[Any]) -> None:
        """Put another array in the place of this one."""
        self._take(np.ascontiguousarray(array, self.array.dtype))

    def _made(self, room: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        return np.full(room, self._fill, dtype) if self._fill else np.zeros(room, dtype)

    def _take(self, array: npt.NDArray[Any]) -> None:
        self.array = array
        self.view = array.data
        if array.dtype.names:
            self.view = array.view(np.uint8).data
            self.ints, self.longs, self.floats = array.view(np.int32), array.view(np.int64), array.view(np.float64)
