"""One-for-all: subscribers of whom each message reaches exactly one (A5).

Members of a group have subscribed to the same topics or types. They take turns. If the chosen one raises, is full
or goes away before it has handled the message, the message goes to the next; only when everyone has failed on it
is it dead. A message on which several groups listen reaches one subscriber of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import TYPE_CHECKING

from rostra.bus.listener import Listener
from rostra.bus.mailbox import Parcel
from rostra.core.guarantee import Guarantee
from rostra.core.turns import Turns

if TYPE_CHECKING:
    from rostra.bus.subscription import Subscription


class Group(Listener):
    """Subscribers that share messages, counted as one."""

    __slots__ = ("_leaving", "_redeliver", "members", "passing", "turns")

    def __init__(self, guarantee: Guarantee, redeliver: Callable[[Group, Parcel], None]) -> None:
        super().__init__(guarantee, filters=True)
        self.turns: Turns[Subscription] = Turns()
        self.members: set[Subscription] = set()
        self._leaving: set[Subscription] = set()
        self.passing = 0
        """Messages on their way from one member, who could not handle them, to the next."""

        self._redeliver = redeliver

    @property
    def pending(self) -> int:
        self._leaving = {member for member in self._leaving if member.pending}
        return self.passing + sum(member.pending for member in (*self.members, *self._leaving))

    def join(self, member: Subscription) -> None:
        """Add a subscriber, which gets its first message after everyone else has had one."""
        self.members.add(member)
        self.turns.join(member)

    def leave(self, member: Subscription) -> None:
        """Remove a subscriber; what it is handling stays counted until it has finished."""
        self.turns.leave(member)
        self.members.discard(member)
        if member.pending:
            self._leaving.add(member)

    def pass_on(self, parcel: Parcel) -> None:
        """Offer a message that one member could not handle, and that counts as passing, to those who have not tried."""
        self._redeliver(self, parcel)


def next_in_turn(groups: Iterable[Group], willing: Container[object], tried: Container[object]) -> Subscription | None:
    """Return the willing subscriber who has waited longest for a message."""
    firsts = (group.turns.next(willing, tried) for group in groups)
    return min((one for one in firsts if one is not None), key=lambda one: one.stamp, default=None)
