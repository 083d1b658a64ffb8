"""Static filters: generated for a class, right for every other."""

from abc import ABC
from collections import UserDict
from typing import NamedTuple

import pytest

import rostra
from rostra import it
from rostra.conditions import And, InstanceOf, IsTrue, Not, Or


class Counting:
    """Counts how often it is asked."""

    def __init__(self, value):
        self.value = value
        self.asked = 0

    def getValue(self):
        self.asked += 1
        return self.value


class Pair(NamedTuple):
    x: int
    y: int


class Shape(ABC):  # noqa: B024  a marker, as the papers' interfaces
    pass


class Circle:
    pass


@pytest.mark.spec("A13", "B9")
def test_an_accessor_is_evaluated_once_however_often_it_is_used():
    condition = (it.getValue() > 1) & (it.getValue() < 9) & (it.getValue() != 5) | (it.getValue() == 1)
    message = Counting(7)
    assert condition.compile(Counting)(message)
    assert message.asked == 1


def test_what_is_not_needed_is_not_read():
    condition = (it.value == 1) & (it.getValue() == 1)
    message = Counting(2)
    assert not condition.compile(Counting)(message)
    assert message.asked == 0


@pytest.mark.spec("A12")
def test_a_raising_method_is_called_once_and_is_no_match():
    class Failing(Counting):
        def getValue(self):
            self.asked += 1
            raise RuntimeError("no")

    message = Failing(1)
    assert not (it.getValue() == 1).compile(Failing)(message)
    assert not (it.getValue() != 1).compile(Failing)(message)
    assert message.asked == 2


@pytest.mark.spec("B9")
def test_messages_of_other_classes_get_code_of_their_own():
    compiled = (it.x < it.y).compile(dict)
    assert compiled({"x": 1, "y": 2})
    assert compiled(Pair(1, 2))
    assert not compiled(Pair(2, 1))
    assert compiled(UserDict(x=1, y=2))
    assert not compiled(5)
    assert not compiled(None)


def test_more_classes_than_are_kept(monkeypatch):
    monkeypatch.setattr("rostra.compile.static.COMPILED_CLASSES", 3)
    compiled = (it.x == 1).compile()
    for i in range(10):
        assert compiled(type(f"Class{i}", (), {"x": 1})())


def test_the_topic_reaches_conditions_that_want_it():
    condition = (it.level > 3) & (lambda message, topic: topic == "/alarm")
    compiled = condition.compile(dict)
    assert compiled({"level": 5}, "/alarm")
    assert not compiled({"level": 5}, "/news")
    assert not compiled({"level": 5})


@pytest.mark.spec("B5")
def test_a_class_that_is_registered_later_conforms_from_then_on():
    condition = InstanceOf(Shape)
    compiled, denied = condition.compile(Circle), Not(condition).compile(Circle)
    assert not compiled(Circle())
    assert denied(Circle())
    Shape.register(Circle)
    assert condition(Circle())
    assert compiled(Circle())
    assert not denied(Circle())


@pytest.mark.parametrize("depth", [30, 100, 300])
def test_deep_conditions_compile(depth):
    condition = it.x == 0
    for i in range(1, depth):
        condition = Or(IsTrue(And(condition, it.y == 1)), it.x == i) if i % 2 else ~IsTrue(condition)
    for event in ({"x": 0, "y": 1}, {"x": 7}, {"y": 1}, {}):
        assert condition.compile()(event) is condition(event)


def test_wide_conditions_compile():
    condition = Or(*(And(it.x == i, it.y != i) for i in range(2000)))
    compiled = condition.compile(dict)
    assert compiled({"x": 1999, "y": 1})
    assert not compiled({"x": 5, "y": 5})


def test_the_type_checker_knows_events():
    class Local(rostra.Event):
        x: int

    assert (it.x == 1).compile(Local)(Local(1))
