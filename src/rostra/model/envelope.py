"""The envelope: what is known about a message besides the message.

A `Notification` is a message with its envelope. The envelope is complete from the first version on, so that
nothing that stores or forwards notifications has to learn new fields later; what users add goes into `headers`
(for subscribers) and `extensions` (blocks that other layers attach under their own names).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any, Final, TypedDict

from msgspec import Struct

from rostra.defaults import HEADER_BYTES, HEADERS, PRIORITY, TTL
from rostra.errors import InvalidType, InvalidValue, LimitExceeded

_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


class Options(TypedDict, total=False):
    """What a publisher may say about a message."""

    id: str
    """Names this publication: sets refuse a second one of the same id."""

    key: Hashable
    """What the message is about: queues with the policy "latest" keep one message of each key."""

    priority: int
    """0 to 9; of messages that wait, those of higher priority come first, where no order was promised."""

    ttl: float | timedelta
    """Seconds after which the message is of no use to anyone and is not delivered any more."""

    headers: Mapping[str, Any]
    """Names and values that subscribers can ask for without looking into the message."""

    subject: str | tuple[str, ...] | list[str]
    """The words under which the message is filed, for subject-based addressing."""

    reply_to: str
    """The topic on which an answer is awaited."""

    correlation: str
    """What this message answers, or what an answer should quote."""

    extensions: Mapping[str, Any]
    """Blocks of other layers, by name."""


class Notification(Struct, frozen=True, eq=False, kw_only=True):
    """A message and everything known about it."""

    body: Any
    publisher: str
    """Who published it: a collection in a process."""

    sequence: int
    """Its number among the messages of that publisher."""

    channel: str
    """What carries it: a topic, or the name of a class."""

    topic: str
    """The precise topic; for type-based messages the class written as a topic."""

    type: str
    """The name of its class."""

    ancestry: tuple[str, ...]
    """The names of the types above its class."""

    schema: str
    """A fingerprint of the fields of its class."""

    time: float
    """When it was published, in seconds since 1970."""

    name: str | None = None
    """The id that the publisher chose, if any."""

    expires: float | None = None
    """When it stops being of use, in seconds since 1970."""

    priority: int = PRIORITY
    key: Any = None
    reply_to: str | None = None
    correlation: str | None = None
    subject: tuple[str, ...] = ()
    headers: Mapping[str, Any] = _EMPTY
    extensions: Mapping[str, Any] = _EMPTY

    @property
    def id(self) -> str:
        """What names this publication: the publisher's choice, or publisher and number."""
        return self.name if self.name is not None else f"{self.publisher}:{self.sequence}"

    def is_expired(self, now: float) -> bool:
        """Say whether the message is of no use any more."""
        return self.expires is not None and now >= self.expires


def envelope_fields(options: Mapping[str, Any], now: float) -> dict[str, Any]:
    """Return the fields of a notification that the publisher's options stand for; raises for bad ones."""
    found: dict[str, Any] = {}
    for option, value in options.items():
        check = _CHECKS.get(option)
        if check is None:
            known = ", ".join(_CHECKS)
            raise InvalidType(f"add() knows no option {option!r}; there are {known}")
        if value is not None:
            field, checked = check(value, now)
            found[field] = checked
    return found


def _text(field: str, what: str) -> Any:
    def check(value: object, _: float) -> tuple[str, str]:
        return field, _short(value, what)

    return check


def _short(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidType(f"{what} of a message is a text that is not empty, not {value!r}")
    if len(value) > HEADER_BYTES:
        raise LimitExceeded(f"{what} of a message is longer than {HEADER_BYTES}: put long values into the message")
    return value


def _priority(value: object, _: float) -> tuple[str, int]:
    if type(value) is not int or not 0 <= value <= 9:
        raise InvalidValue(f"the priority of a message is a whole number from 0 to 9, not {value!r}")
    return "priority", value


def _ttl(value: object, now: float) -> tuple[str, float]:
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= TTL:
        raise InvalidValue(f"the ttl of a message is a number of seconds from zero to {TTL}, not {value!r}")
    return "expires", now + seconds


def _key(value: object, _: float) -> tuple[str, Hashable]:
    try:
        hash(value)
    except Exception as error:
        raise InvalidType(f"the key of a message must be hashable, and {value!r} is not") from error
    return "key", value


def _subject(value: object, _: float) -> tuple[str, tuple[str, ...]]:
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, tuple | list):
        raise InvalidType(f"the subject of a message is a word or a list of words, not {value!r}")
    _few(words, "subject")
    return "subject", tuple(_short(word, "a word in the subject") for word in words)


def _names(field: str) -> Any:
    def check(value: object, _: float) -> tuple[str, Mapping[str, Any]]:
        if not isinstance(value, Mapping):
            raise InvalidType(f"{field} of a message are a mapping from names to values, not {value!r}")
        _few(value, field)
        for each in value.values():
            if isinstance(each, str | bytes) and len(each) > HEADER_BYTES:
                raise LimitExceeded(f"one of the {field} is longer than {HEADER_BYTES}: put it into the message")
        named = {_short(name, f"a name in the {field}"): each for name, each in value.items()}
        return field, MappingProxyType(named)  # all subscribers see the same one

    return check


def _few(values: Any, what: str) -> None:
    if len(values) > HEADERS:
        raise LimitExceeded(f"the {what} of a message has more than {HEADERS} entries: put them into the message")


_CHECKS: Final = {
    "id": _text("name", "the id"),
    "key": _key,
    "priority": _priority,
    "ttl": _ttl,
    "headers": _names("headers"),
    "subject": _subject,
    "reply_to": _text("reply_to", "the reply_to topic"),
    "correlation": _text("correlation", "the correlation"),
    "extensions": _names("extensions"),
}
