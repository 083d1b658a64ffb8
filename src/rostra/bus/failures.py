"""When a subscriber fails: counted, logged and reported, and nobody else's business."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from rostra.errors import RostraError
from rostra.model.envelope import Notification

if TYPE_CHECKING:
    from rostra.bus.subscription import Subscription
    from rostra.bus.supplier import Supplier


class TooSlow(RostraError):
    """A subscriber did not keep up: its queue was full, and by its policy messages were dropped or it was closed."""

    code = "limit.slow"


class Failure(NamedTuple):
    """What an error handler is told."""

    error: BaseException
    source: Subscription | Supplier
    """Who raised it."""

    notification: Notification | None
    """The message at which it happened; None for a supplier."""


ErrorHandler: TypeAlias = Callable[[Failure], object]

INTERRUPTS = (KeyboardInterrupt, SystemExit)
"""Raised in a callback on the publisher's thread, these are meant for the program: the publisher sees them, after
everyone has got the message."""


def report(failure: Failure, count: int, *handlers: ErrorHandler | None) -> BaseException | None:
    """Log a failure, unless there are many of its kind, and tell the handlers; one that raises is logged too.

    Returns an interrupt that a handler raised and that is meant for the program.
    """
    interrupt = None
    if count & (count - 1) == 0:  # the 1st, 2nd, 4th, 8th ...: a subscriber that always fails cannot flood the log
        _log(f"{failure.source.name} failed (error {count})", failure.error)
    for handler in handlers:
        if handler is not None:
            try:
                handler(failure)
            except BaseException as error:  # noqa: BLE001  logged: the bus goes on whatever handlers do
                _log(f"the error handler {handler!r} failed", error)
                interrupt = error if isinstance(error, INTERRUPTS) else interrupt
    return interrupt


def _log(text: str, error: BaseException) -> None:
    import logging

    logging.getLogger("rostra").error(text, exc_info=error)
