"""What can be closed can be used in a `with` statement."""

from __future__ import annotations

from types import TracebackType
from typing import Self


class Closing:
    """Closes at the end of a `with` statement."""

    __slots__ = ()

    def close(self) -> object:
        """End it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
