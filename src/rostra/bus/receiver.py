"""What can be given to a collection as a subscriber, and how it is called (A9)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from rostra.errors import InvalidType
from rostra.model.envelope import Notification


class Receiver(NamedTuple):
    """A subscriber as a function, with how many of message, topic and notification it takes."""

    subscriber: object
    """What was given."""

    call: Callable[..., Any]
    arity: int
    is_async: bool

    def arguments(self, notification: Notification) -> tuple[Any, ...]:
        """Return what to call it with."""
        return (notification.body, notification.topic, notification)[: self.arity]


def is_subscriber(candidate: object) -> bool:
    """Say whether an object can be called back: a callable, or an object with a method `contains`."""
    return callable(candidate) or callable(getattr(candidate, "contains", None))


def receiver_of(subscriber: object) -> Receiver:
    """Return how to call a subscriber; `InvalidType` if it cannot be called with a message.

    A function of one argument gets the message, of two the message and its topic, of three also the notification.
    Arguments with defaults are left alone, unless they are called `topic` and `notification`.
    """
    import inspect

    call: Any = subscriber if callable(subscriber) else getattr(subscriber, "contains", None)
    if not callable(call):
        raise InvalidType(f"{subscriber!r} cannot subscribe: give a function, or an object with a method `contains`")
    code = _code(call)
    if inspect.isasyncgenfunction(code):
        raise InvalidType(f"{subscriber!r} is an asynchronous generator, which nobody would iterate: use a coroutine")
    is_async = inspect.iscoroutinefunction(code)
    try:
        signature = inspect.signature(call if isinstance(call, partial | type) else code)
    except (ValueError, TypeError):  # built in, and it does not say: list.append and its like take one
        return Receiver(subscriber, call, 1, is_async)
    return Receiver(subscriber, call, _arity(signature, subscriber), is_async)


def _code(call: Any) -> Any:
    """Return the function behind a callable: of a partial its function, of an object its method `__call__`."""
    from inspect import isroutine

    while isinstance(call, partial):
        call = call.func
    return call if isroutine(call) or isinstance(call, type) else call.__call__


def _arity(signature: Any, subscriber: object) -> int:
    parameters = list(signature.parameters.values())
    missing = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    if missing or len(required) > 3 or not (positional or takes_any):
        raise InvalidType(
            f"{subscriber!r} cannot be called with a message: a subscriber takes (message), (message, topic) "
            "or (message, topic, notification)"
        )
    arity = max(1, len(required))
    for parameter in positional[arity:3]:
        if parameter.name != ("message", "topic", "notification")[arity]:
            break
        arity += 1
    return arity
