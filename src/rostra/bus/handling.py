"""How a subscriber wants its messages: where callbacks run (A17), how many may wait, for how long it listens."""

from __future__ import annotations

import enum
from threading import TIMEOUT_MAX
from typing import Any, Final

from msgspec import Struct

from rostra.bus.failures import ErrorHandler
from rostra.bus.receiver import Receiver
from rostra.core.buffer import Buffer, Policy
from rostra.core.guarantee import Guarantee, Order
from rostra.defaults import QUEUE_BYTES, QUEUE_MESSAGES
from rostra.errors import InvalidType, InvalidValue, UsageError


class Run(enum.Enum):
    """Where the callbacks of a subscriber run."""

    CALLER = "caller"
    """On the thread that publishes, before `add` returns. The default for functions."""

    SERIAL = "serial"
    """On a thread of the bus, one at a time."""

    POOL = "pool"
    """On threads of the bus, several at once, in no order; coroutines as several tasks on the event loop."""

    LOOP = "loop"
    """On the event loop that was running when they subscribed, or else on the bus's own, one at a time. The
    default for coroutine functions."""


class Handling(Struct, frozen=True, kw_only=True):
    """What a subscriber chose; raises for choices that make no sense."""

    run: Run | str | None = None
    policy: Policy | str = Policy.DROP_OLDEST
    queue: int = QUEUE_MESSAGES
    lease: float | None = None
    on_error: ErrorHandler | None = None

    def __post_init__(self) -> None:
        if self.run is not None:
            _one_of(Run, self.run, "place for callbacks to run")
        _one_of(Policy, self.policy, "policy for a full queue")
        if type(self.queue) is not int or self.queue < 1:
            raise InvalidValue(f"the length of a queue is a whole number greater than zero, not {self.queue!r}")
        if self.lease is not None:
            seconds_of(self.lease, "a lease")
        if self.on_error is not None and not callable(self.on_error):
            raise InvalidType(f"on_error is a function that takes a Failure, not {self.on_error!r}")

    def run_for(self, receiver: Receiver) -> Run:
        """Return where callbacks of a subscriber are to run; raises if they cannot run there."""
        if self.run is None:
            return Run.LOOP if receiver.is_async else Run.CALLER
        run = Run(self.run)
        if receiver.is_async and run in (Run.CALLER, Run.SERIAL):
            raise UsageError(f"a coroutine function needs an event loop, so it cannot run on {run.value!r}: use 'loop'")
        return run

    def left_of(self, guarantee: Guarantee, run: Run) -> Guarantee:
        """Return what is left of a guarantee for somebody who takes messages out of order, or lets some be dropped."""
        if run is Run.POOL:
            guarantee = guarantee._replace(order=Order.NONE)
        if run is not Run.CALLER and Policy(self.policy) in _LOSSY:
            guarantee = guarantee._replace(reliable=False)
        return guarantee

    def buffer(self) -> Buffer[Any]:
        """Return a queue for what waits."""
        return Buffer(self.queue, QUEUE_BYTES, Policy(self.policy))


_LOSSY: Final = frozenset({Policy.DROP_OLDEST, Policy.DROP_NEWEST, Policy.LATEST})


def seconds_of(value: object, what: str) -> float:
    """Return a number of seconds that a user gave; raises if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= TIMEOUT_MAX:
        raise InvalidValue(f"{what} is a number of seconds greater than zero, and not absurd, not {value!r}")
    return float(value)


def _one_of(kind: type[enum.Enum], value: object, what: str) -> None:
    try:
        kind(value)
    except ValueError:
        choices = ", ".join(repr(one.value) for one in kind)
        raise InvalidValue(f"{value!r} is no {what}; choose one of {choices}") from None


DEFAULT: Final = Handling()
