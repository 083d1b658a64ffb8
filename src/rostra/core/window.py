"""A bounded memory of what was seen: how sets refuse duplicates without remembering everything."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable


class Window:
    """Remembers the last `size` different keys, forgetting the one that was new the longest time ago."""

    __slots__ = ("_seen", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._seen: OrderedDict[Hashable, None] = OrderedDict()

    def admit(self, key: Hashable) -> bool:
        """Say whether a key is new within the window, and remember it."""
        if key in self._seen:
            return False
        self._seen[key] = None
        if len(self._seen) > self._size:
            self._seen.popitem(last=False)
        return True

    def forget(self, key: Hashable) -> None:
        """Let a key be new again; one that is not remembered is new already."""
        self._seen.pop(key, None)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._seen

    def __len__(self) -> int:
        return len(self._seen)
