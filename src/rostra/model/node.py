"""The base of everything that is a value: immutable, compared and hashed by content, cheap to keep.

A node lists its fields in `__slots__`; two nodes are equal when they are of one class and their `_key()` is
equal. Nodes are built bottom up and never change, so they can be shared, used as dictionary keys and sent. How deep
they are nested is bounded, so that whoever walks them may recurse.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self, cast

from rostra.defaults import LOCAL_NESTING
from rostra.errors import LimitExceeded

_set = object.__setattr__


class Node:
    """An immutable value made of the fields named in `__slots__`."""

    __slots__ = ("_depth", "_hash")
    _fields: ClassVar[tuple[str, ...]] = ()
    _depth: int
    _hash: int

    def __init_subclass__(cls) -> None:
        own = cls.__dict__.get("__slots__", ())
        cls._fields = (*cls._fields, *(name for name in own if name != "__weakref__"))

    def _key(self) -> Any:
        return self._values()

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self._fields)

    @classmethod
    def _of(cls, *parts: Any) -> Self:
        """Build a node from its parts as they are; constructors check and normalise before they call this."""
        self = object.__new__(cls)
        depth = 0
        for name, part in zip(cls._fields, parts, strict=True):
            _set(self, name, part)
            depth = max(depth, _depth_of(part))
        if depth >= LOCAL_NESTING:
            raise LimitExceeded(f"a condition may be nested {LOCAL_NESTING} deep")
        _set(self, "_depth", depth + 1)
        return self

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return False
        return hash(self) == hash(other) and bool(self._key() == cast("Self", other)._key())

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            _set(self, "_hash", hash((type(self).__name__, self._key())))
            return self._hash

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is a value and cannot be changed; build a new one")

    def __delattr__(self, name: str) -> NoReturn:
        self.__setattr__(name, None)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), *self._values())


def _depth_of(part: Any) -> int:
    if isinstance(part, Node):
        return getattr(part, "_depth", 1)  # a condition class of somebody's own has none
    return max(map(_depth_of, part), default=0) if type(part) is tuple else 0


def _restore(cls: type[Node], *parts: Any) -> Node:
    return cls._of(*parts)
