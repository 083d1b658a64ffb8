"""Types as topics, for middleware that knows only topics (B10).

A class whose ancestors each have one base is a path, `/DSC/Talk`. As soon as there is multiple inheritance a path
cannot say it, and the extended notation puts the supertopics of a name before it, in parentheses:
`(()DSC, ()DI)Talk`. Both notations can be read back (`parse_type_topic`) and know their supertopics.
"""

from __future__ import annotations

import re
import weakref
from typing import Final, NoReturn

from msgspec import Struct

from rostra import defaults
from rostra.errors import InvalidValue, LimitExceeded
from rostra.model.events import BASE_CLASSES
from rostra.model.types import type_name


def topic_of(cls: type) -> str:
    """Return the class as a topic: `/DSC/Talk` along single inheritance, else `(()DSC, ()DI)Talk`.

    In the second notation, needed as soon as a class in the ancestry has several bases, every name follows
    its supertopics in parentheses. Raises `InvalidValue` when another class already has that topic,
    `InvalidType` for a class without a name to travel by, `LimitExceeded` for a topic too long or deep.
    """
    name = type_name(cls)
    topic = _topics.get(cls)
    if topic is None:
        topic = _topics[cls] = _write_topic(cls)
    holder = _holders.setdefault(topic, cls)
    if holder is not cls and type_name(holder) != name:
        raise InvalidValue(f"{name} and {type_name(holder)} are both the topic {topic!r}: rename one of them")
    _holders[topic] = cls
    return topic


class TypePath(Struct, frozen=True):
    """A type as a topic: its name and its supertopics. Prints as `topic_of` does.

    Raises `InvalidValue` for a name that no class can have.
    """

    name: str
    parents: tuple[TypePath, ...] = ()

    def __post_init__(self) -> None:
        if not _is_class_name(self.name):
            raise InvalidValue(f"{self.name!r} is not the name of a class: use dotted identifiers")

    @property
    def supertopics(self) -> tuple[TypePath, ...]:
        """Every type above this one, nearest first, each once."""
        found: dict[TypePath, None] = {}
        level = self.parents
        while level:
            found |= dict.fromkeys(level)
            level = tuple(above for path in level for above in path.parents)
        return tuple(found)

    def is_subtopic_of(self, other: TypePath) -> bool:
        """Tell whether the other type is above this one."""
        return other in self.supertopics

    def __str__(self) -> str:
        names = [self.name]
        parents = self.parents
        while len(parents) == 1:
            names.append(parents[0].name)
            parents = parents[0].parents
        return self._nested() if parents else "/" + "/".join(reversed(names))

    def _nested(self) -> str:
        return f"({', '.join(parent._nested() for parent in self.parents)}){self.name}"


def parse_type_topic(text: str) -> TypePath:
    """Read a type topic in either notation.

    Raises `InvalidValue` with the column of the first mistake, `LimitExceeded` when it is too long or deep.
    """
    return _Reader(_checked(text)).read()


_topics: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()
_holders: weakref.WeakValueDictionary[str, type] = weakref.WeakValueDictionary()
_NAME: Final = re.compile(r"[^\s/(),]+")


def _write_topic(cls: type) -> str:
    line = [cls]
    while len(above := _supertypes(line[-1])) == 1:
        line.append(above[0])
    if above:
        return _write_nested(cls, 1)
    if len(line) > defaults.NESTING:
        raise _too_deep(type_name(cls))
    return _checked("".join(f"/{_topic_name(base)}" for base in reversed(line)))


def _write_nested(cls: type, depth: int) -> str:
    if depth > defaults.NESTING:
        raise _too_deep(type_name(cls))
    above = ", ".join(_write_nested(base, depth + 1) for base in _supertypes(cls))
    return _checked(f"({above}){_topic_name(cls)}")


def _supertypes(cls: type) -> list[type]:
    # How an event is laid out in memory (a NamedTuple, a TypedDict) is not what it is about.
    return [base for base in cls.__bases__ if base not in BASE_CLASSES and base not in (tuple, dict)]


def _topic_name(cls: type) -> str:
    type_name(cls)  # refuses a base class that nobody could name
    return cls.__qualname__


def _checked(text: str) -> str:
    if len(text.encode(errors="replace")) > defaults.TYPE_TOPIC_BYTES:
        raise LimitExceeded(f"type topic {text[:40]!r}... exceeds {defaults.TYPE_TOPIC_BYTES} bytes: inherit less")
    return text


def _too_deep(what: str) -> LimitExceeded:
    return LimitExceeded(f"type topic of {what[:40]!r} has more than {defaults.NESTING} levels: inherit less deeply")


def _is_class_name(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


class _Reader:
    """Reads one type topic from left to right; `at` is where the next character is."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def read(self) -> TypePath:
        path = self.line() if self.text.startswith("/") else self.nested(1)
        if self.at < len(self.text):
            self.fail("the end")
        return path

    def line(self) -> TypePath:
        self.expect("/")
        path = TypePath(self.name())
        for _ in range(1, defaults.NESTING):
            if not self.take("/"):
                return path
            path = TypePath(self.name(), (path,))
        if self.take("/"):
            raise _too_deep(self.text)
        return path

    def nested(self, depth: int) -> TypePath:
        if depth > defaults.NESTING:
            raise _too_deep(self.text)
        self.expect("(")
        parents: list[TypePath] = []
        while not self.take(")"):
            if parents:
                self.expect(",")
                self.take(" ")
            parents.append(self.nested(depth + 1))
        return TypePath(self.name(), tuple(parents))

    def name(self) -> str:
        found = _NAME.match(self.text, self.at)
        if found is None or not _is_class_name(found[0]):
            self.fail("the name of a class")
        self.at = found.end()
        return found[0]

    def take(self, character: str) -> bool:
        found = self.text.startswith(character, self.at)
        self.at += found
        return found

    def expect(self, character: str) -> None:
        if not self.take(character):
            self.fail(repr(character))

    def fail(self, wanted: str) -> NoReturn:
        raise InvalidValue(f"type topic {self.text!r}, column {self.at + 1}: expected {wanted}")
