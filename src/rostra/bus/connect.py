"""`connect`: the buses of this process, by name."""

from __future__ import annotations

import atexit
import os
from threading import RLock

from rostra.bus.embedded import EmbeddedBus
from rostra.bus.failures import ErrorHandler
from rostra.errors import InvalidValue

_MEMORY = "memory://"
_buses: dict[str, EmbeddedBus] = {}
_lock = RLock()


def connect(url: str = _MEMORY, *, on_error: ErrorHandler | None = None) -> EmbeddedBus:
    """Return the bus at an address, opening it if need be.

    Without an address that is the embedded bus of this process, which needs no server; `memory://name` is another
    one of that name. `on_error` is called whenever a subscriber fails; it replaces the former one.
    """
    if not isinstance(url, str) or not url.startswith(_MEMORY) or "/" in url[len(_MEMORY) :]:
        raise InvalidValue(f"cannot connect to {url!r}: use 'memory://' or 'memory://name'")
    name = url[len(_MEMORY) :]
    with _lock:
        bus = _buses.get(name)
        if bus is None or bus.is_closing:
            if not _buses:
                atexit.register(_close_all)
            bus = _buses[name] = EmbeddedBus(name)
        if on_error is not None:
            bus.on_error = on_error
        return bus


def _forget_all() -> None:
    """Let a forked child have buses of its own: threads do not survive a fork."""
    _buses.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


def _close_all() -> None:
    """Deliver at the end of the program what was accepted, for a bounded time."""
    for bus in list(_buses.values()):
        bus.close(timeout=1.0)
