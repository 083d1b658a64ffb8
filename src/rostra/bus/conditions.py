"""The conditions of many subscribers, matched together.

A few conditions are best compiled into one function at once. Many are put into an index, which takes on new ones and
drops old ones without a pause and serves one route after the other; if they are not too many and nothing changes for a
while, they are compiled beside the traffic, and the function takes over from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from rostra.compile.group import Matcher, compile_group
from rostra.defaults import COMPILE_AFTER, COMPILED_ASIDE, COMPILED_ASIDE_AFTER, COMPILED_AT_ONCE

if TYPE_CHECKING:
    from rostra.bus.subscription import Subscription
    from rostra.matching import Index
    from rostra.model.condition import Condition

_numbers = count(1)
"""Routes are numbered: one that was taken down must not take the index back to what it knew."""

Conditional = Mapping["Subscription", "Condition"]


class Shared:
    """An index of conditions that outlives the routes it serves."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._index: Index[Subscription] | None = None
        self._known: Conditional = {}
        self._latest = 0

    def serve(self, conditional: Conditional, route: int) -> Matcher[Subscription] | None:
        """Return a matcher for the conditions of a route, most of which were known before; None for an old route."""
        from rostra.matching import Index

        with self._lock:
            if route < self._latest:
                return None
            self._latest = route
            index: Index[Subscription] = Index() if self._index is None else self._index
            known, self._index, self._known = self._known, None, {}  # begin anew if something fails
            for one in known.keys() - conditional.keys():
                index.remove(one)
            for one, condition in conditional.items():
                if one not in known:
                    index.add(one, condition)
            self._index, self._known = index, conditional
        # a route that was taken down may still be at work, with other subscriptions than the index has now
        return lambda message, topic="": [one for one in index.match(message, topic) if one in conditional]


class Conditions:
    """The conditions of one route."""

    __slots__ = ("_asked", "_is_served", "_is_settled", "_matcher", "_number", "_shared", "conditional")

    def __init__(self, conditional: Conditional, shared: Callable[[], Shared]) -> None:
        self.conditional = conditional
        self._shared = shared
        self._number = next(_numbers)
        self._asked = 0
        self._is_served = self._is_settled = False
        self._matcher: Matcher[Subscription] | None = None

    def match(self, message: Any, topic: str) -> list[Subscription]:
        """Return the subscriptions whose conditions hold."""
        if not self._is_settled:
            self._prepare(type(message))
        if self._matcher is not None:
            return self._matcher(message, topic)
        return [one for one, condition in self.conditional.items() if condition(message, topic)]

    def _prepare(self, cls: type) -> None:
        self._asked += 1
        many = len(self.conditional)
        if self._asked < COMPILE_AFTER:
            return
        if many <= COMPILED_AT_ONCE:
            self.compile(cls)
        elif not self._is_served:
            self._is_served = True
            self._matcher = self._shared().serve(self.conditional, self._number)
            self._is_settled = many > COMPILED_ASIDE
        elif self._asked >= COMPILED_ASIDE_AFTER:
            self._is_settled = _compile_aside(self, cls)

    def compile(self, cls: type) -> None:
        """Compile all conditions into one function."""
        self._matcher = compile_group(self.conditional, cls)
        self._is_settled = True


_compiling = Lock()
"""Held while conditions are compiled aside: one route after the other."""


def _compile_aside(conditions: Conditions, cls: type) -> bool:
    """Begin to compile conditions while the index goes on to serve them; False if that has to wait."""
    if not _compiling.acquire(blocking=False):
        return False

    def compile_and_release() -> None:
        try:
            conditions.compile(cls)
        finally:
            _compiling.release()

    Thread(target=compile_and_release, name="rostra-conditions", daemon=True).start()
    return True
