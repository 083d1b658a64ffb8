"""Taking turns: which of several subscribers a one-for-all message goes to (A5).

Whoever was chosen goes to the end of the line, so each gets a message before anyone gets a second one, as far as
their conditions allow. If the chosen one fails, the next in line is asked.
"""

from __future__ import annotations

from collections.abc import Container, Hashable
from typing import Generic, TypeVar

Id = TypeVar("Id", bound=Hashable)


class Turns(Generic[Id]):
    """The line in which subscribers wait for their turn."""

    __slots__ = ("_line",)

    def __init__(self) -> None:
        self._line: dict[Id, None] = {}

    def join(self, member: Id) -> None:
        """Put a subscriber at the end of the line; one that is in it stays where it is."""
        self._line.setdefault(member, None)

    def leave(self, member: Id) -> None:
        """Take a subscriber out of the line; one that is not in it has left already."""
        self._line.pop(member, None)

    def next(self, willing: Container[object], besides: Container[object] = ()) -> Id | None:
        """Return who is to be asked next of the willing, besides some; None if there is nobody else."""
        return next((member for member in self._line if member in willing and member not in besides), None)

    def served(self, member: Id) -> None:
        """Send a subscriber that took a message to the end of the line."""
        if member in self._line:
            del self._line[member]
            self._line[member] = None

    def __len__(self) -> int:
        return len(self._line)
