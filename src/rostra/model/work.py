"""A bound on work: comparing conditions can be exponential, and must not be, at somebody else's expense."""

from __future__ import annotations


class GiveUp(Exception):
    """The work exceeds its bound; whoever asked answers on the safe side."""


class Work:
    """Counts steps of some microseconds, not time, so that answers do not depend on the speed of the machine."""

    __slots__ = ("_left",)

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Count steps; raise GiveUp when there are none left."""
        self._left -= steps
        if self._left < 0:
            raise GiveUp
