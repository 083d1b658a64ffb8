"""Counting what became of every message, so that nothing is lost silently.

For every listener (a subscriber, a group of one-for-all subscribers, a buffer to pull from) the law holds that

    offered = delivered + filtered + dropped + expired + dead + pending

The tally keeps what is rare and derives what is common: a message that was offered, not filtered, and met none of
the other fates was delivered. Hence the usual delivery costs no counting at all.
"""

from __future__ import annotations

from typing import NamedTuple

from rostra.core.guarantee import Guarantee


class Stats(NamedTuple):
    """What became of the messages offered to one listener."""

    offered: int
    """Messages on the topics or types it listens to, while it listened."""

    delivered: int
    """Handed to it."""

    filtered: int
    """Its condition did not hold; in a group, nobody's did, or it went to somebody in another group."""

    dropped: int
    """No room, or it was closed before its turn came."""

    expired: int
    """Their time to live was over before their turn came."""

    dead: int
    """It raised an error on them; in a group, everyone did."""

    pending: int
    """Waiting, or being handled."""

    errors: int
    """Errors raised, those included after which somebody else took the message."""

    guarantee: Guarantee
    """What holds for the messages it was offered: the weaker promise of its own class and the publishers'."""

    @property
    def is_balanced(self) -> bool:
        """Whether every offered message is accounted for."""
        fates = self.delivered, self.filtered, self.dropped, self.expired, self.dead, self.pending
        return self.offered == sum(fates) and min(fates) >= 0


class Tally:
    """The counters behind `Stats`."""

    __slots__ = ("dead", "dropped", "errors", "expired", "offered", "taken")

    def __init__(self) -> None:
        self.offered = 0
        self.taken = 0
        """Offered and not filtered; counted only for those that filter."""

        self.dropped = self.expired = self.dead = self.errors = 0

    def stats(self, *, offered: int, filters: bool, pending: int, guarantee: Guarantee) -> Stats:
        """Return the sum, with messages that were offered since this tally last heard, and those that wait."""
        total = self.offered + offered
        taken = self.taken if filters else total
        delivered = taken - self.dropped - self.expired - self.dead - pending
        return Stats(
            total, delivered, total - taken, self.dropped, self.expired, self.dead, pending, self.errors, guarantee
        )
