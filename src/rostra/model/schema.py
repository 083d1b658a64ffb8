"""What identifies a class of events across versions of a program: its key, and a fingerprint of its fields."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from rostra.errors import InvalidType
from rostra.model.events import annotations_of, is_public

KEY: str = "__rostra_key__"
"""Where a class that is no `Event` names the fields by which its messages are told apart, as a tuple."""


def key_reader(cls: type) -> Callable[[Any], Hashable] | None:
    """Return what reads the key that a class declares from a message; None if it declares none.

    Messages of equal keys are duplicates of each other to a set.
    """
    names = getattr(cls, KEY, None)
    if names is None:
        return None
    names = (names,) if isinstance(names, str) else names
    if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidType(f"the key of {cls.__qualname__} is the name of a field or a tuple of names, not {names!r}")
    return attrgetter(*names)


def fingerprint(cls: type) -> str:
    """Return 16 characters that change when the public fields of a class or their types change."""
    described = sorted(
        f"{name}:{_written(hint)}"
        for base in cls.__mro__
        for name, hint in annotations_of(base).items()
        if is_public(name)
    )
    return blake2b("\n".join(described).encode(), digest_size=8).hexdigest()


def _written(hint: object) -> str:
    if isinstance(hint, str):
        return hint
    return hint.__qualname__ if isinstance(hint, type) and not hasattr(hint, "__origin__") else repr(hint)
