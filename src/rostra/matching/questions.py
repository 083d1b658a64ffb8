"""Conditions that no predicate on slots narrows down: asked of every event, in generated Python.

They are kept in pages. Code for a page is generated when the page has not changed for a while, a page at a time, so
that nobody waits long for it; until then its conditions are asked one by one. Equal conditions are asked once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Final, Generic, TypeVar

from rostra.compile import compile_group
from rostra.compile.group import Matcher
from rostra.model.condition import Condition

PAGE: Final = 32
"""Conditions in a page: generating code for them takes milliseconds."""

CALM: Final = 64
"""Events that a page is asked one by one before code is generated for it."""

Id = TypeVar("Id", bound=Hashable)


class Page(Generic[Id]):
    """Some conditions, and who asks them."""

    __slots__ = ("_asked", "_matcher", "_who", "ids")

    def __init__(self) -> None:
        self.ids: dict[Condition, tuple[Id, ...]] = {}
        self._changed()

    def put(self, condition: Condition, ids: tuple[Id, ...]) -> None:
        """Set who asks a condition; nobody: forget it."""
        if ids:
            self.ids = {**self.ids, condition: ids}
        else:
            self.ids = {other: who for other, who in self.ids.items() if other != condition}
        self._changed()

    def _changed(self) -> None:
        self._asked = 0
        self._matcher: Matcher[Any] | None = None

    def ask(self, event: Any, topic: str) -> list[Id]:
        """Return who asks a condition that the event satisfies; ids may come more than once."""
        matcher, ids = self._matcher, self.ids
        if matcher is None:
            self._asked += 1
            if self._asked > CALM:
                matcher = compile_group({who: condition for condition, who in ids.items()})
                if self.ids is ids:
                    self._matcher = matcher
        if matcher is None:
            return [one for condition, who in ids.items() if condition(event, topic) for one in who]
        return [one for who in matcher(event, topic) for one in who]


class Questions(Generic[Id]):
    """All conditions to ask, in pages."""

    def __init__(self) -> None:
        self.pages: tuple[Page[Id], ...] = ()
        self._page_of: dict[Condition, Page[Id]] = {}

    def __iter__(self) -> Iterator[tuple[Condition, tuple[Id, ...]]]:
        for page in self.pages:
            yield from page.ids.items()

    def add(self, condition: Condition, key: Id) -> None:
        """Have a condition asked for an id; once, however often it is added."""
        page = self._page_of.get(condition)
        if page is None:
            page = self._page_of[condition] = self._page_with_room()
        ids = page.ids.get(condition, ())
        if key not in ids:
            page.put(condition, (*ids, key))

    def remove(self, condition: Condition, key: Id) -> None:
        """Have a condition asked no longer for an id, if it is."""
        page = self._page_of.get(condition)
        if page is None:
            return
        left = tuple(one for one in page.ids[condition] if one != key)
        page.put(condition, left)
        if not left:
            del self._page_of[condition]
            if not page.ids:
                self.pages = tuple(other for other in self.pages if other is not page)

    def _page_with_room(self) -> Page[Id]:
        for page in reversed(self.pages):
            if len(page.ids) < PAGE:
                return page
        new: Page[Id] = Page()
        self.pages = (*self.pages, new)
        return new
