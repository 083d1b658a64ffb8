"""An interest says what comes to a subscription at all."""

from typing import Protocol

import pytest

from rostra import Event, Intersection, Topic, TopicPattern, it
from rostra.errors import InvalidValue, UsageError
from rostra.model.interest import Interest, with_subtopics


class Tick(Event):
    value: int


class BigTick(Tick):
    size: int = 0


class HasSize(Protocol):
    size: int


def test_topics():
    interest = Interest(TopicPattern("/a/*"))
    assert interest.hears(Topic("/a/b"), int)
    assert not interest.hears(Topic("/a"), int)
    assert not interest.hears(None, int)
    assert interest.topic is None
    assert Interest(TopicPattern("/a")).topic == Topic("/a")


@pytest.mark.spec("C2", partly=True)
def test_topics_in_line():
    interest = Interest(TopicPattern("/iit/sales"), in_line=True)
    heard = ["/", "/iit", "/iit/sales", "/iit/sales/US", "/iit/projects", "/other"]
    assert [interest.hears_topic(Topic(topic)) for topic in heard] == [True, True, True, True, False, False]
    assert interest.topic is None
    with pytest.raises(InvalidValue, match="only a single topic"):
        Interest(TopicPattern("/iit/*"), in_line=True)
    with pytest.raises(InvalidValue, match="only a single topic"):
        Interest(None, (Tick,), in_line=True)


def test_types():
    assert Interest(None, (Tick,)).hears(None, BigTick)
    assert not Interest(None, (Tick,), subtypes=False).hears(None, BigTick)
    assert not Interest(None, (Tick,)).hears(Topic("/a"), Tick)
    either = Interest(None, (int, HasSize))
    assert [either.takes(cls) for cls in (int, BigTick, Tick, str)] == [True, True, False, False]
    assert Interest(TopicPattern("/a")).takes(str)
    with pytest.raises(UsageError, match="a topic or a type"):
        Interest(None)
    with pytest.raises(UsageError, match="always includes subtypes"):
        Interest(None, (Intersection(Tick, HasSize),), subtypes=False)


def test_interests_are_values():
    one, two = (Interest(TopicPattern("/a/**"), (Tick,), where=it.value < 3) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != Interest(TopicPattern("/a/**"), (Tick,), where=it.value < 4)


def test_subtopics_are_added_once():
    assert with_subtopics(TopicPattern("/a")) == TopicPattern("/a/**")
    assert with_subtopics(TopicPattern("/a/**")) == TopicPattern("/a/**")
    assert with_subtopics(TopicPattern("/")) == TopicPattern("/**")
