"""Conditions as values: how they are written, what they say, when two are the same."""

import copy
import datetime as dt
import pickle
from decimal import Decimal

import pytest
from hypothesis import given, settings

import rostra
from rostra import it
from rostra.accessors import Attribute, Constant, Invoke, Message
from rostra.conditions import (
    Always,
    And,
    Between,
    Condition,
    Contains,
    Equals,
    Exists,
    Greater,
    GreaterEqual,
    InstanceOf,
    IsTrue,
    Less,
    LessEqual,
    Like,
    Never,
    Not,
    NotEquals,
    OneOf,
    Opaque,
    Or,
    Prefix,
    Suffix,
    from_json,
)
from tests.strategies import CONDITIONS, TESTS

NAMES = {
    "it": it, "Always": Always, "Never": Never, "IsTrue": IsTrue, "Constant": Constant, "Decimal": Decimal,
    "datetime": dt, "Equals": Equals, "NotEquals": NotEquals, "Less": Less, "LessEqual": LessEqual,
    "Greater": Greater, "GreaterEqual": GreaterEqual,
}  # fmt: skip


class ChatMsg:
    """The paper's message: encapsulated, reached through its methods."""

    def __init__(self, sender, text):
        self._sender, self._text = sender, text

    def getSender(self):
        return self._sender

    def getText(self):
        return self._text

    def broken(self):
        raise RuntimeError("do not deliver me")

    def __eq__(self, other):
        return isinstance(other, ChatMsg) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self._sender)


HI = ChatMsg("Alice", "Hi, it is me")


class Quote(rostra.Event):
    symbol: str
    price: float
    ask: float = 0.0


@pytest.mark.spec("A11")
@pytest.mark.parametrize(
    ("condition", "same"),
    [
        (Equals("price", 5), it.price == 5),
        (Equals(it.price, 5), it.price == 5),
        (Less("price", 5), it.price < 5),
        (LessEqual("price", 5), it.price <= 5),
        (Greater(it.price, 5), it.price > 5),
        (GreaterEqual("price", it.ask), it.price >= it.ask),
        (NotEquals("price", 5), it.price != 5),
        (Between("price", 1, 5), it.price.between(1, 5)),
        (Between("price", 1, 5), (it.price >= 1) & (it.price <= 5)),
        (OneOf("symbol", ["A", "B"]), it.symbol.is_in(("B", "A"))),
        (OneOf("symbol", ["A"]), it.symbol == "A"),
        (OneOf("symbol", []), Never()),
        (Prefix("symbol", "A"), it.symbol.startswith("A")),
        (Suffix("symbol", "A"), it.symbol.endswith("A")),
        (Contains("symbol", "A"), it.symbol.contains("A")),
        (Like("symbol", "a_%"), it.symbol.like("a_%")),
        (Like("symbol", "A%"), Prefix("symbol", "A")),
        (Like("symbol", "%A"), Suffix("symbol", "A")),
        (Like("symbol", "A"), Equals("symbol", "A")),
        (Like("symbol", "50!%", "!"), Equals("symbol", "50%")),
        (Exists("pos.x"), it.pos.x.exists()),
        (InstanceOf(Quote), it.is_a(Quote)),
        (InstanceOf("tests.model.test_conditions.Quote"), InstanceOf(Quote)),
        (5 < it.price, it.price > 5),  # noqa: SIM300
        (it.bid > it.ask, it.ask < it.bid),
        (it.bid == it.ask, it.ask == it.bid),
        (~(it.price < 5), it.price >= 5),
        (~~it.symbol.startswith("A"), it.symbol.startswith("A")),
        ((it.a == 1) & (it.b == 2), (it.b == 2) & (it.a == 1)),
        (And(it.a == 1, And(it.b == 2, it.a == 1)), (it.a == 1) & (it.b == 2)),
        (And(), Always()),
        (Or(), Never()),
        ((it.a == 1) & Always(), it.a == 1),
        ((it.a == 1) | Always(), Always()),
        (IsTrue(IsTrue(it.a == 1)), IsTrue(it.a == 1)),
        (IsTrue(it.a.exists()), it.a.exists()),
        (it["a"] == 1, it.a == 1),
        (it.pos["x"] < 1, it.pos.x < 1),
    ],
)
def test_two_ways_to_write_one_condition(condition, same):
    assert condition == same
    assert hash(condition) == hash(same)


@pytest.mark.spec("A11", "A12")
@pytest.mark.parametrize(
    ("form", "same"),
    [
        (Equals(HI, True), it == HI),
        (Equals(HI, False), it != HI),
        (Equals(HI), it == HI),
        (Equals(Invoke("getSender", None), "Alice", True), it.getSender() == "Alice"),
        (Equals(Invoke("getSender"), "Alice", False), it.getSender() != "Alice"),
        (Equals("/getSender", "Alice", True), it.getSender() == "Alice"),
        (Equals("getSender", "Alice", True), it.getSender() == "Alice"),
        (Equals("/getText/strip", "Alice", True), it.getText().strip() == "Alice"),
        (Equals("/getText/find", [[], ["me"]], -1, False), it.getText().find("me") != -1),
        (Equals("/getText/find", [None, ["me"]], -1, True), it.getText().find("me") == -1),
        (Equals("getSpeaker", None, "Patrick Eugster"), it.getSpeaker() == "Patrick Eugster"),
        (Equals("find", ["me"], 3), it.find("me") == 3),
        (Equals("find", [["me"]], 3), it.find("me") == 3),
        (Equals("", "Alice", True), it == "Alice"),
        (Equals(it.flag, True), it.flag == True),  # noqa: E712
    ],
)
def test_the_papers_constructor_forms(form, same):
    assert form == same


@pytest.mark.spec("A11")
@pytest.mark.parametrize("form", [(), (5, 6), (5, None, "x"), ("getText", [["a"], ["b"]], "x"), (1, 2, 3, 4, 5)])
def test_other_forms_of_equals_are_refused(form):
    with pytest.raises(rostra.RostraError):
        Equals(*form)


@pytest.mark.spec("A12")
def test_accessors_are_the_same_however_they_are_nested():
    path = Invoke("/getText/find", [[], ["me"]])
    assert path == Invoke(Invoke("getText"), "find", ["me"])
    assert path == Invoke("getText/find", [None, ["me"]])
    assert path.get(HI) == 10
    assert Invoke(ChatMsg.getSender).get(HI) == "Alice"
    assert Invoke(Invoke(ChatMsg.getText), str.find, ["me"]).get(HI) == 10
    assert Invoke(it.getText(), "upper").get(HI) == "HI, IT IS ME"


@pytest.mark.spec("A12")
@pytest.mark.parametrize(
    "test",
    [
        it.missing() == 1,
        it.getText().indexOf("me") == 1,
        it.getText(1, 2) == 1,
        it.broken() == 1,
        it.broken().at.all == 1,
        it.getText == "Hi, it is me",
        it.getText()[99] == "x",
        it.getText() == 1,
        it.getText() < 1,
        it.getSender().find(it.nothing) == 0,
        it.getSender().find(it.nothing) == -1,
        it.getText() * 2 == 1,
        it.getText() * 2 != 1,
    ],
)
@pytest.mark.parametrize("event", [HI, None, 5, "text", {}, []])
def test_what_cannot_be_read_or_compared_is_unknown_and_so_is_its_negation(test, event):
    assert test.decide(event) is None
    assert (~test).decide(event) is None
    assert not test(event)
    assert not (~test)(event)
    assert IsTrue(test).decide(event) is False


@pytest.mark.spec("A12", "C4")
@pytest.mark.parametrize(
    ("condition", "event", "answer"),
    [
        (it.x == 1, {"x": 1.0}, True),
        (it.x == 1, {"x": Decimal(1)}, True),
        (it.x == 1, {"x": True}, None),
        (it.x == True, {"x": 1}, None),  # noqa: E712
        (it.x != 1, {"x": "1"}, None),
        (it.x != 1, {"x": float("nan")}, None),
        (it.x == it.x, {"x": float("nan")}, None),
        (it.x < it.y, {"x": 1, "y": "a"}, None),
        (it.x.exists(), {"x": None}, False),
        (it.x.exists(), {"x": float("nan")}, True),
        (~it.x.exists(), {}, True),
        (it.x == b"a", {"x": "a"}, None),
        (it.x < dt.date(2026, 1, 2), {"x": dt.datetime(2026, 1, 1, 23)}, True),
        (it.x == dt.datetime(2026, 1, 1, tzinfo=dt.UTC), {"x": dt.date(2026, 1, 1)}, True),
        (it.x.year == 2026, {"x": dt.date(2026, 1, 1)}, True),
        (it.x.is_in([1, "a"]), {"x": 2}, None),
        (it.x.is_in([1, 3]), {"x": 2}, False),
        (it.x.contains("b"), {"x": "abc"}, True),
        (it.x.contains("b"), {"x": ["a", "b"]}, True),
        (it.x.contains(1), {"x": (True,)}, False),
        (it.x.contains(1), {"x": 1}, None),
        (it.x.endswith("c"), {"x": b"c"}, None),
        (it.bid < it.ask * 1.01, {"bid": 100, "ask": 100}, True),
        (it.bid < it.ask * 1.01, {"bid": 100, "ask": Decimal(100)}, True),
        (it.x / it.y > 1, {"x": 1, "y": 0}, None),
        (-it.x == 1, {"x": -1}, True),
        (10 - it.x == 7, {"x": 3}, True),
        (1 / it.x == 2, {"x": 0.5}, True),
        (it.x[0] == 1, {"x": [1]}, True),
        (it.x[-1] == 1, {"x": [0, 1]}, True),
        (it == 5, 5, True),
        (it["content-type"] == "a", {"content-type": "a"}, True),
        (it["_id"] == 1, {"_id": 1}, True),
        (it["_sender"] == "Alice", HI, None),
    ],
)
def test_the_three_valued_kernel(condition, event, answer):
    assert condition.decide(event) is answer
    assert condition(event) is (answer is True)
    assert condition.compile()(event) is (answer is True)


@pytest.mark.spec("A13")
def test_constants_compare_by_family_and_value():
    assert (it.x == True) != (it.x == 1)  # noqa: E712
    assert (it.x == 1) == (it.x == 1.0) == (it.x == Decimal(1))
    assert (it.x == 0.0) == (it.x == -0.0)
    assert (it.x == "a") != (it.x == b"a")
    assert (it.x == dt.datetime(2026, 1, 1)) == (it.x == dt.date(2026, 1, 1))
    assert len({it.x == 1, it.x == 1.0, it.x == True}) == 2  # noqa: E712


@pytest.mark.spec("A13")
@pytest.mark.parametrize("constant", [None, float("nan"), Decimal("nan"), "\ud800", {}, [[]]])
def test_constants_that_nothing_can_equal_are_refused(constant):
    with pytest.raises(rostra.RostraError):
        it.x == constant  # noqa: B015


@pytest.mark.parametrize(
    ("mistake", "fix"),
    [
        (lambda: (it.a == 1) and (it.b == 2), "&"),
        (lambda: (it.a == 1) or (it.b == 2), "|"),
        (lambda: not (it.a == 1), "~"),  # noqa: SIM201
        (lambda: not it.a, "~"),
        (lambda: 1 < it.a < 5, "between"),
        (lambda: it.a in [1, 2], "is_in"),
        (lambda: 1 in it.a, "contains(1)"),
        (lambda: list(it.a), "iterated"),
        (lambda: it.a & (it.b == 1), "parentheses"),
        (lambda: (it.b == 1) & it.a, "parentheses"),
        (lambda: ~it.a, "=="),
        (lambda: it.a["x":"y"], "it[...]"),
        (it, "method"),
        (lambda: it.a + "x", "numbers"),
        (lambda: it.a.is_in("abc"), "Equals"),
        (lambda: Less(5, it.a), "first argument"),
        (lambda: And(it.a == 1, 5), "not a condition"),
        (lambda: setattr(it, "a", 1), "=="),
    ],
)
def test_mistakes_get_a_type_error_that_names_the_fix(mistake, fix):
    with pytest.raises(TypeError) as caught:
        mistake()
    assert fix in str(caught.value)


def test_private_names_cannot_be_reached():
    with pytest.raises(AttributeError, match="private"):
        it._secret  # noqa: B018
    with pytest.raises(ValueError, match="private"):
        Invoke("_secret")
    with pytest.raises(ValueError, match="private"):
        Less("_secret", 1)


def test_conditions_cannot_be_changed():
    condition = it.x == 1
    for change in (lambda: setattr(condition, "left", it.y), lambda: delattr(condition, "left")):
        with pytest.raises(AttributeError, match="value"):
            change()


@settings(max_examples=500, deadline=None)
@given(CONDITIONS)
def test_a_condition_survives_repr_copy_and_pickle(condition):
    text = repr(condition)
    again = eval(text, NAMES)
    assert again == condition
    assert hash(again) == hash(condition)
    assert repr(again) == text
    assert copy.deepcopy(condition) is condition
    assert pickle.loads(pickle.dumps(condition)) == condition


@pytest.mark.spec("A13")
@settings(max_examples=500, deadline=None)
@given(TESTS, TESTS)
def test_equal_conditions_have_equal_hashes_and_cover_each_other(one, two):
    if one == two:
        assert hash(one) == hash(two)
        assert one.covers(two)
    assert (one == two) is (two == one)


@pytest.mark.spec("A10", partly=True)
def test_users_write_their_own_conditions():
    class Urgent:
        def conforms(self, message, topic):
            return topic.startswith("/alarm") and message["level"] > 3

    class Paper:
        limit = 3

        def add(self, message, topic_name):
            return message["level"] > self.limit

    event = {"level": 4}
    own = Opaque(Urgent())
    assert own(event, "/alarm/fire")
    assert not own(event, "/news")
    changing = Paper()
    paper = (it.level < 10) & changing.add
    assert paper(event)
    changing.limit = 5
    assert not paper(event)  # its answer may change while it is subscribed
    assert ((it.level < 10) & (lambda m: m["level"] == 4))(event)
    assert ((lambda m: m["level"] == 4) | (it.level < 0))(event)
    assert Opaque(lambda m: m["missing"]).decide(event) is None
    assert (~Opaque(lambda m: m["missing"])).decide(event) is None
    assert Not(lambda m, topic: topic == "/a")(event, "/b")
    with pytest.raises(TypeError, match="not a condition"):
        Opaque(5)


@pytest.mark.spec("A10", partly=True)
def test_opaque_conditions_are_marked_and_stay_at_home():
    code = Opaque(len)
    for condition in (code, ~code, (it.a == 1) & code, Equals(Invoke(len), 3, True)):
        assert condition.is_opaque
        assert not condition.is_portable
        with pytest.raises(rostra.errors.NotPortable, match="this process"):
            condition.to_json()
    assert Opaque(len) == Opaque(len)
    assert Opaque(len) != Opaque(repr)
    assert Opaque(len).covers(Opaque(len))
    assert not Opaque(len).covers(Opaque(repr))
    assert (it.a == 1).is_portable
    assert not (it.a == 1).is_opaque


def test_async_methods_are_no_values():
    class Slow:
        async def price(self):
            return 5

    condition = it.price() == 5
    assert condition.decide(Slow()) is None
    assert not condition.compile(Slow)(Slow())
    assert not it.price().exists()(Slow())
    assert not it.price().exists().compile(Slow)(Slow())


def test_the_building_blocks_are_public():
    assert isinstance(it.x == 1, Condition)
    assert Equals(Attribute(Message(), "x"), Constant(1)) == (it.x == 1)
    assert from_json((it.x == 1).to_json()) == (it.x == 1)
