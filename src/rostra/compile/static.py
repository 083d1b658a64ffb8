"""One condition as a function: static filters (B9).

The function is generated for the exact class of the message, as the paper generates code for the type a
collection is parameterised with. A message of another class gets code of its own, made when the first one comes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rostra.compile.emit import Emitter, assemble
from rostra.defaults import COMPILED_CLASSES
from rostra.errors import InvalidType
from rostra.model.condition import And, Condition, Filter, as_condition


def compile_condition(condition: Condition, event_type: type | None = None) -> Filter:
    """Return a function `(message, topic="") -> bool` that answers as the condition does, faster.

    With an event type the code for messages of exactly that class is generated now.
    """
    condition = as_condition(condition)
    by_class = ByClass(lambda cls: _generate(condition, cls, None))
    return by_class if event_type is None else _generate(condition, checked_class(event_type), by_class)


def checked_class(event_type: Any) -> type:
    """Return the event type if code can be generated for it; InvalidType if it is not a class."""
    if not isinstance(event_type, type):
        raise InvalidType(f"code is generated for a class of events, not for {event_type!r}")
    return event_type


class ByClass:
    """A function that is made anew for each class of its argument."""

    __slots__ = ("_functions", "_make")

    def __init__(self, make: Callable[[type], Callable[..., Any]]) -> None:
        self._make = make
        self._functions: dict[type, Callable[..., Any]] = {}

    def __call__(self, message: Any, topic: str = "") -> Any:
        try:
            function = self._functions.get(type(message))
        except TypeError:  # a metaclass that cannot be hashed: nothing can be kept for it
            return self._make(type(message))(message, topic)
        if function is None:
            if len(self._functions) >= COMPILED_CLASSES:
                self._functions.clear()
            function = self._functions[type(message)] = self._make(type(message))
        return function(message, topic)


def _generate(condition: Condition, cls: type, elsewhere: Callable[..., Any] | None) -> Filter:
    emitter = Emitter(cls, [condition])
    lines = ["def holds(o, topic=''):"]
    if elsewhere is not None:
        guard = f"if type(o) is not {emitter.bind('c', cls)}: return {emitter.bind('f', elsewhere)}(o, topic)"
        lines.append(f"    {guard}")
    if emitter.remembers:
        lines.append(f"    {emitter.memo} = {{}}")
    lines += [f"    {line}" for line in _body(condition, emitter)]
    function: Filter = assemble("\n".join(lines), emitter, "holds")
    return function


def _body(condition: Condition, emitter: Emitter) -> list[str]:
    """Return statements that test one conjunct after the other, reading only what the next one needs."""
    lines: list[str] = []
    done: set[str] = set()
    parts = condition.parts() if isinstance(condition, And) else (condition,)
    for part in parts:
        text, variables = emitter.expression(part)
        lines += emitter.loads(variables, done)
        lines.append(f"if not ({text}): return False" if part is not parts[-1] else f"return {text}")
    return lines
