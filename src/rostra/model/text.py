"""Tests on text (and bytes): prefix, suffix, containment, LIKE.

Unknown on values of another family. A LIKE pattern that says no more than an equality, a prefix or a suffix
becomes that, so equal questions are equal values however they were asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from rostra.errors import InvalidType
from rostra.model import like
from rostra.model.accessor import Accessor, Constant, base_text
from rostra.model.comparison import Equals, subject
from rostra.model.condition import Condition, ValueTest
from rostra.model.values import Family, same, weigh


class _Affix(ValueTest):
    """What Prefix and Suffix share: a text (or bytes) that a value of the same family must carry."""

    __slots__ = ("text",)
    text: Constant
    verb: ClassVar[str]

    def __new__(cls, of: Any, text: str | bytes) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        constant = Constant(text)
        if constant.family not in (Family.TEXT, Family.BYTES):
            raise InvalidType(f"{cls.__name__} tests text or bytes, not {constant!r}")
        return (cls if constant.value else Prefix)._of(subject(of), constant)

    def decide_value(self, value: Any) -> bool | None:
        if value is None:
            return None
        family, plain = weigh(value)
        return bool(getattr(plain, self.verb)(self.text.value)) if family is self.text.family else None

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.{self.verb}({self.text!r})"


class Prefix(_Affix):
    """Text that starts with a given text. With the empty text: any text at all."""

    __slots__ = ()
    verb = "startswith"


class Suffix(_Affix):
    """Text that ends with a given text."""

    __slots__ = ()
    verb = "endswith"


class Contains(ValueTest):
    """Text that contains a text, or a list, tuple or set that contains a value."""

    __slots__ = ("item",)
    item: Constant

    def __new__(cls, of: Any, item: Any) -> Contains:
        return cls._of(subject(of), Constant(item))

    def decide_value(self, value: Any) -> bool | None:
        if value is None:
            return None
        family, plain = weigh(value)
        if family is Family.OTHER:
            return has_element(plain, self.item) if issubclass(type(plain), COLLECTIONS) else None
        if family is self.item.family and family in (Family.TEXT, Family.BYTES):
            return self.item.value in plain
        return None

    def __repr__(self) -> str:
        return f"{base_text(self.of)}.contains({self.item!r})"


COLLECTIONS = (list, tuple, set, frozenset)


def has_element(collection: Iterable[Any], item: Constant) -> bool | None:
    """Say whether a collection has an element equal to the constant, by family and value."""
    try:
        return _has_element(collection, item)
    except Exception:  # noqa: BLE001  a collection of a user's own may raise what it likes: unknown (A12)
        return None


def _has_element(collection: Iterable[Any], item: Constant) -> bool:
    for member in collection:
        if member is None:
            continue
        family, plain = weigh(member)
        if family is item.family:
            equal = same(plain, item.value) if family is Family.OTHER else plain == item.value
            if equal:
                return True
    return False


class Like(ValueTest):
    """Text that matches a LIKE pattern: `%` any text, `_` any one character, `escape` takes both literally."""

    __slots__ = ("pattern",)
    pattern: like.Pattern

    def __new__(cls, of: Any, pattern: str, escape: str | None = None) -> Condition:  # type: ignore[misc]  # the plainest condition that says it
        if not isinstance(pattern, str) or not isinstance(escape, str | None):
            raise InvalidType("a LIKE pattern is text, and so is its escape character")
        Constant(pattern)
        return simplest_like(subject(of), like.parse(pattern, escape))

    def decide_value(self, value: Any) -> bool | None:
        if value is None:
            return None
        family, plain = weigh(value)
        return like.matches(self.pattern, plain) if family is Family.TEXT else None

    def __repr__(self) -> str:
        text = like.text_of(self.pattern)
        escape = ", escape='\\\\'" if "\\" in text else ""
        return f"{base_text(self.of)}.like({text!r}{escape})"


def simplest_like(of: Accessor, pattern: like.Pattern) -> Condition:
    """Return the plainest condition with the pattern's meaning."""
    if all(c is not like.ANY for segment in pattern for c in segment):
        texts = ["".join(filter(None, segment)) for segment in pattern]
        match texts:
            case [text]:
                return Equals._of(of, Constant(text))
            case [text, ""]:
                return Prefix._of(of, Constant(text))
            case ["", text]:
                return Suffix._of(of, Constant(text))
    return Like._of(of, pattern)
