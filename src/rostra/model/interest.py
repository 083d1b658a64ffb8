"""An interest: what one subscription asks for, as a value.

It names where to listen (topics, or types), and which of what comes there to deliver: a condition on the message
and one on the envelope. Nothing in it is code of the user's unless a condition is, so an interest can be kept,
compared, and sent to where messages are filtered early.
"""

from __future__ import annotations

from msgspec import Struct

from rostra.errors import InvalidValue, UsageError
from rostra.model.condition import Always, Condition
from rostra.model.topics import ANY, Topic, TopicPattern
from rostra.model.types import Intersection, Target, conforms, directly_conforms


class Interest(Struct, frozen=True):
    """What a subscription asks for. With no topics it listens to the types themselves."""

    topics: TopicPattern | None
    types: tuple[Target, ...] = ()
    """The message conforms to one of these; to anything if there are none."""

    subtypes: bool = True
    in_line: bool = False
    """Whether topics above and below the topic are heard too, as SwiftMQ addresses them."""

    where: Condition = Always()
    about: Condition = Always()
    """A condition on the notification: `it.headers.region == "EU"`."""

    one_for_all: bool = False

    def __post_init__(self) -> None:
        if self.topics is None and not self.types:
            raise UsageError("a collection needs a topic or a type: DAStrongSet('/topic') or DAStrongSet[Type]()")
        if not self.subtypes and any(isinstance(target, Intersection) for target in self.types):
            raise UsageError("an intersection always includes subtypes: use contains_all or remove_all")
        if self.in_line and (self.topics is None or self.topics.is_wildcard):
            raise InvalidValue(f"only a single topic is in line with others, and {self.topics} is not one")

    @property
    def topic(self) -> Topic | None:
        """The one topic that is heard; None if there may be several, or types."""
        if self.topics is None or self.in_line or self.topics.is_wildcard:
            return None
        return self.topics.topic

    def hears(self, topic: Topic | None, cls: type) -> bool:
        """Say whether messages of a class on a topic, or on the class itself if there is none, come here at all."""
        return self.hears_topic(topic) and self.takes(cls)

    def hears_topic(self, topic: Topic | None) -> bool:
        """Say whether it listens to a topic; with None, to classes."""
        if self.topics is None or topic is None:
            return self.topics is None and topic is None
        if self.in_line:
            return all(mine == theirs for mine, theirs in zip(self.topics.segments, topic.segments, strict=False))
        return self.topics.matches(topic)

    def takes(self, cls: type) -> bool:
        """Say whether messages of this class are among what it asks for."""
        fits = conforms if self.subtypes else directly_conforms
        return not self.types or any(fits(cls, target) for target in self.types)


def with_subtopics(pattern: TopicPattern) -> TopicPattern:
    """Return the pattern of all that a pattern matches and everything below."""
    if pattern.segments and pattern.segments[-1] == ANY:
        return pattern
    return TopicPattern(f"{str(pattern).rstrip('/')}/**")
