"""Saying beforehand what will be published (A16), so that brokers can route towards it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rostra.bus.closing import Closing
from rostra.model.interest import Interest

if TYPE_CHECKING:
    from rostra.bus.embedded import EmbeddedBus


class Advertisement(Closing):
    """What a collection will publish: on which topics or types, and under which condition. True while it stands."""

    def __init__(self, bus: EmbeddedBus, interest: Interest) -> None:
        self._bus = bus
        self.interest = interest

    def __bool__(self) -> bool:
        return self in self._bus.advertisements

    def close(self) -> None:
        """Withdraw it."""
        self._bus.withdraw(self)

    def __repr__(self) -> str:
        return f"<Advertisement of {self.interest.topics or self.interest.types}>"
