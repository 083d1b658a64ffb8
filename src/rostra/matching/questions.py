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

    __slots__ = ("_asked", "_ids", "_matcher", "asking")

    def __init__(self) -> None:
        self.asking: dict[Condition, dict[Id, None]] = {}
        self._ids: dict[Condition, tuple[Id, ...]] = {}
        self._asked = 0
        self._matcher: Matcher[Any] | None = None

    def settle(self) -> None:
        """Take over who asks: what `ask` goes by does not change while it runs."""
        self._ids = {condition: tuple(ids) for condition, ids in self.asking.items()}
        self._asked = 0
        self._matcher = None

    def ask(self, event: Any, topic: str) -> list[Id]:
        """Return who asks a condition that the event satisfies; ids may come more than once."""
        matcher, ids = self._matcher, self._ids
        if matcher is None:
            self._asked += 1
            if self._asked > CALM:
                # two conditions may be asked by the same ids: they are told apart by their number
                matcher = compile_group({(n, who): condition for n, (condition, who) in enumerate(ids.items())})
                if self._ids is ids:
                    self._matcher = matcher
        if matcher is None:
            return [one for condition, who in ids.items() if condition(event, topic) for one in who]
        return [one for _, who in matcher(event, topic) for one in who]


class Questions(Generic[Id]):
    """All conditions to ask, in pages."""

    def __init__(self) -> None:
        self._pages: tuple[Page[Id], ...] = ()
        self._page_of: dict[Condition, Page[Id]] = {}
        self._changed: set[Page[Id]] = set()

    def __iter__(self) -> Iterator[tuple[Condition, list[Id]]]:
        for page in self._pages:
            for condition, ids in page.asking.items():
                yield condition, list(ids)

    def pages(self) -> tuple[Page[Id], ...]:
        """Return the pages to ask, as they are now."""
        if self._changed:
            for page in self._changed:
                page.settle()
            self._changed.clear()
        return self._pages

    def add(self, condition: Condition, key: Id) -> None:
        """Have a condition asked for an id; once, however often it is added."""
        page = self._page_of.get(condition)
        if page is None:
            page = self._page_of[condition] = self._page_with_room()
        page.asking.setdefault(condition, {})[key] = None
        self._changed.add(page)

    def remove(self, condition: Condition, key: Id) -> None:
        """Have a condition asked no longer for an id, if it is."""
        page = self._page_of.get(condition)
        if page is None:
            return
        ids = page.asking[condition]
        ids.pop(key, None)
        self._changed.add(page)
        if not ids:
            del page.asking[condition], self._page_of[condition]
            if not page.asking:
                self._pages = tuple(other for other in self._pages if other is not page)
                self._changed.discard(page)

    def _page_with_room(self) -> Page[Id]:
        for page in reversed(self._pages):
            if len(page.asking) < PAGE:
                return page
        new: Page[Id] = Page()
        self._pages = (*self._pages, new)
        return new
