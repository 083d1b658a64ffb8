"""Static filters: generated for a class, right for every other."""

from abc import ABC
from collections import UserDict
from typing import NamedTuple

import pytest

from rostra import it
from rostra.compile import compile_group
from rostra.conditions import And, InstanceOf, IsTrue, Not, Opaque, Or


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


@pytest.mark.spec("A13")
@pytest.mark.spec("B9", partly=True)
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


@pytest.mark.spec("B9", partly=True)
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
        assert len(compiled._functions) <= 3


@pytest.mark.spec("A13")
def test_a_costly_test_is_asked_once_even_in_one_condition():
    asked = []
    code = Opaque(lambda message: asked.append(message) or message["x"] > 3)
    condition = (code & (it.x < 9)) | (~code & (it.x < 2))
    assert condition.compile(dict)({"x": 1})
    assert len(asked) == 1


def test_the_topic_reaches_conditions_that_want_it():
    condition = (it.level > 3) & (lambda message, topic: topic == "/alarm")
    compiled = condition.compile(dict)
    assert compiled({"level": 5}, "/alarm")
    assert not compiled({"level": 5}, "/news")
    assert not compiled({"level": 5})


@pytest.mark.spec("B5", partly=True)
def test_a_class_that_is_registered_later_conforms_from_then_on():
    condition = InstanceOf(Shape)
    compiled, denied = condition.compile(Circle), Not(condition).compile(Circle)
    assert not compiled(Circle())
    assert denied(Circle())
    Shape.register(Circle)
    assert condition(Circle())
    assert compiled(Circle())
    assert not denied(Circle())


@pytest.mark.parametrize("depth", [5, 30, 49])
def test_deep_conditions_compile(depth):
    condition = it.x == 0
    for i in range(1, depth):
        condition = (condition & (it.y == 1)) | (it.x == i) if i % 2 else ~IsTrue(condition)
    for event in ({"x": 0, "y": 1}, {"x": 7}, {"y": 1}, {"x": depth - 1}, {}):
        assert condition.compile()(event) is condition(event)
        assert compile_group({1: condition, 2: ~condition, 3: ~IsTrue(condition)})(event) == [
            i for i, c in ((1, condition), (2, ~condition), (3, ~IsTrue(condition))) if c(event)
        ]


def test_wide_conditions_compile():
    condition = Or(*(And(it.x == i, it.y != i) for i in range(2000)))
    compiled = condition.compile(dict)
    assert compiled({"x": 1999, "y": 1})
    assert not compiled({"x": 5, "y": 5})


def test_code_is_generated_for_classes_only():
    for wrong in ("Quote", list[int], 5):
        with pytest.raises(TypeError, match="class of events"):
            (it.x == 1).compile(wrong)
