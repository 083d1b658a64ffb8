"""Pull suppliers (A16): callbacks that a collection asks for new messages."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

from rostra.bus.closing import Closing
from rostra.bus.failures import Failure, report
from rostra.defaults import SUPPLIED

if TYPE_CHECKING:
    from rostra.bus.publisher import Publisher


class Supplier(Closing):
    """A function that returns the next message, or None when there is none for now.

    It is asked when somebody pulls and finds nothing, and every so many seconds. One that raises is reported, and
    asked again the next time.
    """

    def __init__(self, publisher: Publisher, supply: Callable[[], Any]) -> None:
        self._publisher, self._supply = publisher, supply
        self._refused: Any = None
        self._asking = Lock()
        self._is_open = True
        self.errors = 0
        """How often it has raised."""

    @property
    def name(self) -> str:
        """The function as logs call it."""
        return getattr(self._supply, "__qualname__", None) or type(self._supply).__qualname__

    def __bool__(self) -> bool:
        return self._is_open

    def poll(self) -> int:
        """Publish what it has, up to a bound; returns how many messages. Does nothing while it is being asked."""
        if not self._is_open or not self._asking.acquire(blocking=False):
            return 0
        try:
            return self._take()
        except Exception as error:  # noqa: BLE001  reported; the collection lives on
            self.errors += 1
            report(Failure(error, self, None), self.errors, self._publisher.bus.on_error)
            return 0
        finally:
            self._asking.release()

    def close(self) -> None:
        """Ask it no more."""
        self._is_open = False
        self._publisher.bus.timer.stop(self.poll)

    def _take(self) -> int:
        for number in range(SUPPLIED):
            message = self._supply() if self._refused is None else self._refused
            if message is None or not self._is_open or not self._publish(message):
                return number
        return SUPPLIED

    def _publish(self, message: Any) -> bool:
        """Publish a message, or keep it for the next time if there is no room."""
        refused = self._publisher.refused
        accepted = self._publisher.publish(message, {})
        self._refused = message if not accepted and self._publisher.refused > refused else None
        return self._refused is None
