"""Events and values that do their worst: the answer is unknown or right, the same everywhere, and never an error."""

import copy
import datetime as dt
import enum
import gc
import pickle
import time
from abc import ABC
from collections import UserDict, deque, namedtuple
from decimal import Decimal
from fractions import Fraction
from typing import Protocol

import msgspec
import numpy as np
import pytest

import rostra
from rostra import it
from rostra.accessors import Arithmetic, Attribute, Constant, Invoke, Message
from rostra.compile import compile_group
from rostra.conditions import (
    And,
    Condition,
    Contains,
    Equals,
    Exists,
    Greater,
    InstanceOf,
    IsTrue,
    Less,
    Like,
    Not,
    Opaque,
    Or,
    from_json,
)
from tests.model.modules import new_module

Pair = namedtuple("Pair", "x y")


def everywhere(condition, event):
    """The answer of the interpreter, of generated code for the class and for any, and of groups; all must agree."""
    answers = {
        condition(event),
        condition.compile(type(event))(event),
        condition.compile()(event),
        bool(compile_group({1: condition}, type(event))(event)),
        bool(compile_group({1: condition, 2: Not(condition), 3: it.zz == 1})(event).count(1)),
    }
    assert len(answers) == 1, answers
    return answers.pop()


# Equal conditions have equal answers


@pytest.mark.spec("A13")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (it.x * 1 == 2**53 + 1, it.x * 1.0 == 2**53 + 1),
        (it.x / 3 == 1, it.x / Decimal(3) == 1),
        (it.s.find("b", 1) == 1, it.s.find("b", 1.0) == 1),
        (it.a == Pair(1, 2), it.a == (1, 2)),
        (it.a == (1,), it.a == (True,)),
        (it.a == Fraction(1), it.a == complex(1)),
    ],
)
def test_what_calculates_or_compares_differently_is_different(one, two):
    assert one != two
    assert not one.covers(two)
    assert len(Or(one, two).parts()) == 2


@pytest.mark.spec("A13")
def test_what_is_equal_is_equal_however_it_was_made():
    assert (it.a == [1, 2]) == (it.a == (1, 2)) == (it.a == (1.0, 2))
    assert (it.f(1) == it.f(1, 2)) == (it.f(1, 2) == it.f(1))
    bound = Contains("a", 1).decide
    assert Opaque(bound.__self__.decide) == Opaque(bound)
    event = {"a": (True,)}
    assert not everywhere(it.a == (1,), event)
    assert everywhere(it.a != (1,), event)
    assert everywhere(it.a == [True], event)
    assert everywhere(it.a == (1, ("x", None)), {"a": [1.0, ["x", None]]})


@pytest.mark.parametrize(
    "constant", [(float("nan"),), (1, Decimal("nan")), 10**5000, ("\ud800",)], ids=["a", "b", "c", "d"]
)
def test_constants_that_cannot_be_kept_are_refused(constant):
    for build in (lambda: it.x == constant, lambda: it.x.find(constant) == 1, lambda: it.x.is_in([constant])):
        with pytest.raises(ValueError, match=r"NaN|bits|Unicode"):
            build()


# Relations of two values of no family


@pytest.mark.spec("C6")
def test_two_lists_may_be_equal_but_are_not_in_order():
    equal, different = {"a": [1], "b": [1]}, {"a": [1], "b": [2]}
    assert (it.a == it.b)(equal)
    assert not (it.a <= it.b)(equal)
    assert not (it.a <= it.b).covers(it.a == it.b)
    assert (it.a == it.b).overlaps(~IsTrue(it.a <= it.b))
    assert (it.a != it.b)(different)
    assert not ((it.a < it.b) | (it.a > it.b)).covers(it.a != it.b)


# Classes that lie, raise or hide


class Fake:
    x = 1
    __class__ = property(lambda self: dict)


class Raising:
    def m(self):
        return 1

    def __getattribute__(self, name):
        raise RuntimeError(name)


class Redirecting:
    def m(self):
        return 1

    def __getattribute__(self, name):
        return 7 if name == "m" else object.__getattribute__(self, name)


class Descriptor:
    def __get__(self, instance, owner):
        if instance is None:
            raise RuntimeError("not on the class")
        return 5


class Described:
    m = Descriptor()


class Unhashable(type):
    def __eq__(cls, other):
        return cls is other


class OfUnhashable(metaclass=Unhashable):
    x = 1


class Meta(type):
    def __getattr__(cls, name):
        raise RuntimeError(name)


class OfMeta(metaclass=Meta):
    pass


class Broken(enum.Enum):
    ONE = 1

    @property
    def value(self):
        raise RuntimeError("no value")


class Bad(list):
    def __iter__(self):
        raise RuntimeError("no")


class Late(dt.datetime):
    def __lt__(self, other):
        return True

    def __eq__(self, other):
        return True

    __hash__ = None


class Span(dt.timedelta):
    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError("no")


class Exact(Decimal):
    def __lt__(self, other):
        raise RuntimeError("no")


class Lazy:
    @property
    def __class__(self):
        raise RuntimeError("not loaded")


class Struct(msgspec.Struct):
    x: object = msgspec.UNSET


CASES = [
    (it.x == 1, Fake(), True),
    (it.m() == 1, Raising(), False),
    (it.a == 1, Raising(), False),
    (it.a.b == 1, {"a": Raising()}, False),
    (it.m() == 7, Redirecting(), True),
    (it.m() == 5, Described(), True),
    (it.foo() == 1, OfMeta(), False),
    (it.x == 1, OfUnhashable(), True),
    (it.a == 1, {"a": OfUnhashable()}, False),
    (it.a.exists(), {"a": OfUnhashable()}, True),
    (it.a == 1, {"a": Broken.ONE}, False),
    (it.a.exists(), {"a": Broken.ONE}, True),
    (it.a.contains(1), {"a": Bad([1])}, False),
    (it.a == (1,), {"a": Bad([1])}, False),
    (it.a < dt.datetime(2026, 1, 1), {"a": Late(2027, 1, 1)}, False),
    (it.a == dt.datetime(2026, 1, 1), {"a": Late(2027, 1, 1)}, False),
    (it.a.is_in([dt.timedelta(1), dt.timedelta(2)]), {"a": Span(1)}, True),
    (it.a == dt.timedelta(1), {"a": Span(1)}, True),
    (it.a < 5, {"a": Exact(1)}, True),
    (it.b.x == 1, {"b": Lazy()}, False),
    (it.b == (1,), {"b": Lazy()}, False),
    (it.b.contains(1), {"b": Lazy()}, False),
    (it.b + 1 > 0, {"b": Lazy()}, False),
    (it.x.exists(), Struct(), False),
    (it.x.exists(), Struct(1), True),
    (InstanceOf(object), None, False),
    (InstanceOf("foo.Bar"), type("Local", (), {})(), False),
    (InstanceOf(it.g, "foo.Bar"), {"g": lambda: 1}, False),
    (InstanceOf("tests.model.test_adversity.Described"), Described(), True),
    (~InstanceOf("foo.Bar"), 5, True),
    (it.q[0] == 1, {"q": deque([1])}, True),
    (it.q[0] == 1, {"q": {0: 1}}, True),
    (it.x == 1, UserDict(x=1), True),
    (it.a > 5, {"a": np.datetime64("2026-01-01", "ns")}, False),
    (it.a == dt.datetime(2026, 1, 1), {"a": np.datetime64("2026-01-01", "ns")}, True),
    (it.a == dt.timedelta(1), {"a": np.timedelta64(1, "D")}, True),
    (it.a.exists(), {"a": np.datetime64("NaT")}, True),
    (it.a == 1, {"a": np.int64(1)}, True),
    (it.a == True, {"a": np.bool_(True)}, True),  # noqa: E712
    (it.a == (1,), {"a": np.array([1])}, False),
    (it.on(dt.date(2026, 1, 1)) == True, type("E", (), {"on": lambda self, day: type(day) is dt.date})(), True),  # noqa: E712
    (it.get("x", None).exists(), {}, False),
    (it.get("x", 3) == 3, {}, True),
]


@pytest.mark.spec("A12")
@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_answer_is_the_same_everywhere_and_never_an_error(case):
    condition, event, answer = CASES[case]
    assert everywhere(condition, event) is answer
    everywhere(~condition, event)


def test_after_very_many_classes_the_families_are_still_known(monkeypatch):
    monkeypatch.setattr("rostra.model.values.WEIGHED_CLASSES", 20)
    for i in range(50):
        (it.a == 1)({"a": type(f"Class{i}", (), {})()})
    assert not (it.a == 1)({"a": True})
    assert (it.a == 1)({"a": 1})


# Types


@pytest.mark.spec("C6")
@pytest.mark.spec("B5", partly=True)
def test_what_is_registered_with_a_type_conforms_to_all_above_it():
    zoo = new_module("registered", "")
    source = {"ABC": ABC, "Protocol": Protocol}
    exec(
        "class Plain: pass\n"
        "class Abstract(Plain, ABC): pass\n"
        "class Foo(Protocol):\n    def foo(self): ...\n"
        "class Bar(Foo, ABC):\n    def bar(self): ...\n"
        "class C: pass\n",
        vars(zoo) | source,
        vars(zoo),
    )
    zoo.Abstract.register(zoo.C)
    zoo.Bar.register(zoo.C)
    for wide, narrow in ((zoo.Plain, zoo.Abstract), (zoo.Foo, zoo.Bar)):
        assert InstanceOf(wide).covers(InstanceOf(narrow))
        assert InstanceOf(narrow)(zoo.C())
        assert InstanceOf(wide)(zoo.C())


@pytest.mark.spec("B7", partly=True)
def test_an_intersection_is_all_of_its_types():
    both = rostra.Intersection(Fake, Described)
    assert it.is_a(both) == it.is_a(Fake) & it.is_a(Described)
    assert InstanceOf(it.payload, both) == it.payload.is_a(Fake) & it.payload.is_a(Described)


def test_a_reloaded_class_is_seen_by_code_compiled_before():
    module = new_module("reloaded", "class Event: pass")
    old = module.Event
    condition = InstanceOf(old)
    compiled = condition.compile(old)
    assert compiled(old())
    exec("class Event: pass", vars(module))
    InstanceOf(module.Event)
    assert not condition(old())
    assert not compiled(old())


# Values


@pytest.mark.parametrize("name", ["class", "ﬁ", "None", "like", "_x", "a b", "é", "1"])
def test_every_name_prints_as_python_that_means_it(name):
    condition = it[name] == 1
    assert eval(repr(condition), {"it": it}) == condition


def test_terms_can_be_copied_and_pickled():
    for again in (copy.copy(it.x), copy.deepcopy(it.x), pickle.loads(pickle.dumps(it.x))):
        assert (again == 1) == (it.x == 1)


def deepest(start, nest):
    """Nest until that is refused; return the deepest that was built."""
    built = start
    for i in range(1000):
        try:
            built = nest(built, i)
        except rostra.errors.LimitExceeded as error:
            assert "deep" in str(error)  # noqa: PT017
            return built
    raise AssertionError("nested without end")


def test_nesting_is_bounded_when_a_condition_is_built():
    deep = deepest(it.a == 1, lambda inner, i: (inner & (it.b == i)) | (it.c == i))
    assert repr(deep)
    assert not everywhere(deep, {"a": 1})
    assert pickle.loads(pickle.dumps(deep)) == deep
    assert deep.covers(deep & (it.x == 1))
    assert everywhere(deepest(it > 50, lambda test, _: Greater(Arithmetic(test.left, "+", 1), 50)), 1)
    assert not everywhere(deepest(it > 50, lambda test, _: Greater(Attribute(test.left, "a"), 50)), {"a": 1})


def test_a_condition_class_of_ones_own_is_code():
    class Mine(Condition):
        def __init__(self, limit):
            self.limit = limit

        def decide(self, message, topic=""):
            return message["x"] > self.limit

        def __new__(cls, limit):
            return object.__new__(cls)

    one, five = Mine(1), Mine(5)
    assert one != five
    assert not five.covers(one)
    assert Or(five, one)({"x": 3})
    assert one.is_opaque
    assert not one.is_portable
    assert one.compile()({"x": 3})


# Mistakes


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: (it.x == 1).covers(5),
        lambda: (it.x == 1).overlaps("x"),
        lambda: (it.x == 1).merge(it.x),
        lambda: from_json(None),
        lambda: from_json(bytearray(b"true")),
        lambda: Attribute(Message(), 5),
        lambda: Attribute("pos", "x"),
        lambda: Invoke("find", "me"),
        lambda: it.x.like("a", 5),
        lambda: it.x.is_in(5),
        lambda: And({1}),
        lambda: Opaque(lambda one, two, three: True),
        lambda: Like(Constant("abc"), "a_%"),
        lambda: Less(Constant(1), it.x),
        lambda: Exists(Constant(1)),
        lambda: Equals("isOpen", None, True),
        lambda: it.like == 3,
        lambda: it.name.exists & (it.x == 1),
        lambda: (it.x == 1) & it.name.exists,
        lambda: it.contains > 3,
        lambda: ~it.name.exists,
        lambda: it.x % 2,
        lambda: len(it.x),
        lambda: abs(it.x),
        lambda: 2**it.x,
        lambda: it.x + "a",
        lambda: it.start + dt.timedelta(1),
        lambda: it.s < (5,),
        lambda: it.s >= Fraction(1, 2),
        lambda: it.is_a((int, str)),
        lambda: it.is_a(int | str),
        lambda: it.active({"active": True}),
    ],
)
def test_mistakes_are_errors_of_use(mistake):
    with pytest.raises(rostra.errors.UsageError) as caught:
        mistake()
    assert caught.value.code.startswith("usage")


def test_equals_takes_a_path_of_methods_not_of_attributes():
    with pytest.raises(ValueError, match=r"it\.pos\.x"):
        Equals("pos.x", 5, True)
    assert Equals("pos.x", 5) == (it.pos.x == 5)


@pytest.mark.spec("A10", partly=True)
def test_the_topic_goes_only_to_who_asks_for_it():
    event = {"x": 9}
    assert Opaque(lambda m, limit=5: m["x"] > limit)(event, "/t")
    assert Opaque(lambda m, topic="": topic == "/t")(event, "/t")
    assert Opaque(lambda m, t: t == "/t")(event, "/t")
    assert Opaque(lambda *parts: len(parts) == 1)(event, "/t")

    class Paper:
        def add(self, message, topic_name):
            return topic_name == "/t"

    assert Opaque(Paper())(event, "/t")


def test_instants_beyond_utc_are_refused():
    edge = dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5)))
    with pytest.raises(ValueError, match="out of the range"):
        it.t > edge  # noqa: B015
    assert not everywhere(it.t > dt.datetime(2026, 1, 1), {"t": edge})


def test_arguments_come_back_as_they_were():
    for argument in (dt.date(2026, 1, 1), dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, tzinfo=dt.UTC), None, 1.0, 1,
                     Decimal(1), b"a", True, dt.timedelta(1)):  # fmt: skip
        condition = it.f(argument) == 1
        again = from_json(condition.to_json(), methods={"f"})
        assert again == condition
        assert type(again.left.arguments[0].value) is type(argument)
    for local in (Broken.ONE, (1, 2), dt.datetime(2026, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))):
        with pytest.raises(rostra.errors.NotPortable, match="this process"):
            (it.f(local) == 1).to_json()


# Values that fail while they are looked at, or never end


class Ruined(dt.timedelta):
    days = property(lambda self: 1 / 0)


class NoBytes(bytearray):
    def __bytes__(self):
        raise RuntimeError("no")


class Returning:
    def m(self):
        return Lazy()


endless: list = []
endless.append(endless)
doubling: list = [1]
for _ in range(22):
    doubling = [doubling, doubling]


@pytest.mark.spec("A12")
@pytest.mark.parametrize("case", range(10))
def test_worse_values_still(case):
    condition, event, answer = [
        (it.a == dt.timedelta(1), {"a": Ruined(1)}, False),
        (it.a == b"1", {"a": NoBytes(b"1")}, False),
        (InstanceOf(Described), OfUnhashable(), False),
        (InstanceOf(it.a, Described), {"a": OfUnhashable()}, False),
        (it.m().exists(), Returning(), True),
        (it.a > 5, {"a": np.datetime64("12000-01-01")}, False),
        (it.x().exists(), Struct(), False),
        (it.x * it.x * it.x > 1, {"x": 1 << 8_000_000}, False),
        (it.a == it.b, {"a": endless, "b": [endless]}, False),
        (it.a == it.b, {"a": doubling, "b": doubling}, False),
    ][case]
    start = time.perf_counter()
    assert everywhere(condition, event) is answer
    assert time.perf_counter() - start < 10


@pytest.mark.spec("A13")
def test_a_costly_test_is_remembered_wherever_it_stands():
    leaf = it.s.contains("ax")
    deep = leaf | (it.w == 1)
    for i in range(20):
        deep = (deep & (it[f"p{i}"] == 1)) | (it[f"q{i}"] == 1)
    event = {"s": "xaxb", **{f"p{i}": 1 for i in range(20)}}
    shallow = (it.z == 1) & leaf
    assert everywhere(Or(shallow, deep), event)
    assert compile_group({1: shallow, 2: deep})(event) == [2]


@pytest.mark.spec("A13")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ((1,), (True,)),
        (Decimal("1.0"), Decimal("1.00")),
        (dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(2026, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))),
        (0.0, -0.0),
    ],
)
def test_arguments_that_are_not_the_very_same_are_different(one, two):
    assert (it.f(one) == 1) != (it.f(two) == 1)
    assert (it.f(one) == 1) == (it.f(copy.deepcopy(one)) == 1)


def test_a_comparison_class_of_ones_own_is_code():
    class Nearly(Less):
        def decide(self, message, topic=""):
            return np.False_ if message["a"] == 3 else 1 / (message["a"] - 5)

    nearly = Nearly(it.a, 5)
    assert not nearly.covers(it.a == 10)
    assert nearly.decide({"a": 5}) is None
    assert nearly.decide({"a": 3}) is False
    assert everywhere(~nearly, {"a": 3})
    assert not everywhere(~nearly, {"a": 5})


def test_work_on_large_sets_is_counted_too():
    groups = [Or(*(it[g] <= i for i in range(7))) for g in "ab"]
    wide = Or(And(it.x.is_in(range(0, 1420, 2)), *groups), *(it[f"z{i}"].exists() for i in range(10)))
    narrow = And(it.x.is_in(range(2, 1418, 2)), *(Or(*(it[g] == -i for i in range(8))) for g in "ab"))
    start = time.perf_counter()
    wide.covers(narrow)
    wide.merge(narrow, inexact=True)
    assert time.perf_counter() - start < 5


def test_what_from_json_accepts_can_be_written_again():
    text = '{"eq":[{"it":["x",["find",{"time":"2026-01-01T00:00:00+01:00"}]]},1]}'
    assert from_json(text).is_portable
    with pytest.raises(rostra.errors.Malformed, match="bits"):
        from_json('{"exists":{"it":[' + "1" * 3000 + "]}}")
    with pytest.raises(rostra.errors.LimitExceeded, match="methods"):
        from_json(And(*(it[f"a{i}"].upper().lower() == "x" for i in range(20))).to_json())


class Lenient(type):
    def __subclasscheck__(cls, other):
        return True


class Wide:
    pass


class Narrow(Wide, metaclass=Lenient):
    pass


@pytest.mark.spec("C6")
def test_a_class_that_lets_in_anybody_is_covered_by_nothing():
    assert InstanceOf(Narrow)(5)
    assert not InstanceOf(Wide)(5)
    assert not InstanceOf(Wide).covers(InstanceOf(Narrow))
    assert InstanceOf(Narrow).overlaps(~InstanceOf(Wide))


def test_code_compiled_for_a_type_that_is_gone_says_what_the_condition_says():
    module = new_module("gone", "class Fitting:\n    def foo(self): ...")
    exec("class Foo(Protocol):\n    def foo(self): ...", {"Protocol": Protocol, "__name__": "gone"}, vars(module))
    condition = InstanceOf(module.Foo)
    compiled = condition.compile(module.Fitting)
    assert compiled(module.Fitting())
    del module.Foo
    gc.collect()
    assert compiled(module.Fitting()) is condition(module.Fitting())
