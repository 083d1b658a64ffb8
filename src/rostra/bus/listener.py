"""What the listeners of a route have in common: they are counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rostra.core.guarantee import Guarantee
from rostra.core.tally import Stats, Tally

if TYPE_CHECKING:
    from rostra.bus.route import Route


class Listener:
    """Somebody to whom messages are offered.

    Routes count their messages once, for all listeners; a listener's share is the sum over the routes it is on,
    and is added to its tally when a route is taken down.
    """

    __slots__ = ("__weakref__", "filters", "guarantee", "routes", "tally")

    def __init__(self, guarantee: Guarantee, *, filters: bool) -> None:
        self.guarantee = guarantee
        self.filters = filters
        self.tally = Tally()
        self.routes: set[Route] = set()

    @property
    def pending(self) -> int:
        """Messages that wait for it or are being handled."""
        return 0

    def count(self) -> Stats:
        """Return what became of its messages; call it with the lock of the bus held."""
        return self.tally.stats(
            offered=sum(route.count for route in self.routes),
            filters=self.filters,
            pending=self.pending,
            guarantee=self.guarantee,
        )
