"""Conditions as JSON: they come back equal, and nothing hostile comes in."""

import json
import re
import time
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rostra
from rostra import defaults, it
from rostra.accessors import SCALAR_METHODS, Invoke
from rostra.conditions import And, Equals, IsTrue, from_json
from rostra.errors import Forbidden, LimitExceeded, Malformed, NotPortable, RostraError
from tests.strategies import CONDITIONS


@pytest.mark.spec("A10", partly=True)
@settings(max_examples=1000, deadline=None)
@given(CONDITIONS)
def test_a_condition_comes_back_equal(condition):
    if re.search(r"\((1, 2|True, 'a')\)", repr(condition)):  # the constants of the strategies that are no scalars
        with pytest.raises(NotPortable, match="this process"):
            condition.to_json()
        return
    text = condition.to_json()
    again = from_json(text, methods={"get_a", "get_b", "fails", "s", "a"})
    assert again == condition
    assert from_json(text.encode(), methods={"get_a", "get_b", "fails", "s", "a"}) == condition


@pytest.mark.spec("A10", partly=True)
def test_the_form_is_the_documented_one():
    condition = (it.price < 100) & (it.text.find("me") != -1)
    assert json.loads(condition.to_json()) == {
        "and": [{"lt": [{"it": ["price"]}, 100]}, {"ne": [{"it": ["text", ["find", "me"]]}, -1]}]
    }


@pytest.mark.parametrize(
    "method", ["shutdown", "getSender", "format", "format_map", "encode", "zfill", "ljust", "join", "pop"]
)
def test_methods_beyond_the_harmless_ones_are_refused_unless_the_caller_trusts_them(method):
    condition = it.text[method]("x") == 1
    assert not condition.is_portable
    with pytest.raises(Forbidden, match=method):
        from_json(condition.to_json())
    assert from_json(condition.to_json(), methods={method}) == condition


def test_no_scalar_method_grows_its_input_or_takes_more_than_linear_time():
    text = "aß" * 100_000 + "b"
    for name, most in SCALAR_METHODS.items():
        if hasattr(text, name):
            start = time.perf_counter()
            result = getattr(text, name)(*["a" * 50_000 + "b"] * min(most, 1))
            assert time.perf_counter() - start < 0.5, name
            assert not isinstance(result, str) or len(result) <= 3 * len(text), name


def test_scalar_methods_do_not_reach_methods_of_the_event():
    class Repository:
        called = False

        def find(self, what):
            self.called = True
            return 3

        strip = lower = find

    repository = Repository()
    for condition in (it.find("x") == 3, it.r.find("x") == 3, it.lower() == 3):
        again = from_json(condition.to_json())
        for event in (repository, {"r": repository}):
            assert not again(event)
            assert not again.compile(type(event))(event)
    assert not repository.called
    assert (Equals(Invoke(Repository.find, ["x"]), 3))(repository)  # local code may, by function


def test_reading_does_not_lead_out_of_the_event():
    def generator():
        yield 1

    for value in (generator(), json, type("Class", (), {"x": 1}), generator):
        for path in (["v", "gi_frame"], ["v", "loads"], ["v", "x"], ["v", "gi_code"]):
            assert not from_json(json.dumps({"exists": {"it": path}}))({"v": value}), (value, path)


def test_reading_changes_nothing():
    made_up = defaultdict(list)
    for path in (["d", "x"], ["d", 9], ["x"]):
        for event in ({"d": made_up}, made_up):
            assert not from_json(json.dumps({"exists": {"it": path}}))(event)
            assert not from_json(json.dumps({"exists": {"it": path}})).compile()(event)
    assert not made_up


@pytest.mark.parametrize("names", [["_secret"], ["a", "__class__"], [["__init__"]], [["_private", 1]]])
def test_private_names_are_refused(names):
    with pytest.raises(Forbidden, match="private"):
        from_json(json.dumps({"eq": [{"it": names}, 1]}), methods={"__init__", "_private"})


def test_reading_a_foreign_condition_never_calls_a_method_of_the_event():
    class Rocket:
        launched = False

        def launch(self):
            self.launched = True
            return 1

    rocket = Rocket()
    condition = from_json('{"eq":[{"it":["launch"]},1]}')
    assert not condition(rocket)
    assert not condition.compile(Rocket)(rocket)
    assert not rocket.launched


HOSTILE = [
    "", "{", "null", "5", '"x"', "[]", "{}", "NaN", "nope",
    '{"eq":1}', '{"eq":[]}', '{"eq":[1]}', '{"eq":[1,2,3]}', '{"eq":{}}', '{"eq":[{"it":["a"]},null]}',
    '{"eq":[{"it":["a"]},[]]}', '{"eq":[{"it":["a"]},{}]}', '{"eq":[{"it":["a"]},NaN]}',
    '{"eq":[{"it":["a"]},Infinity]}', '{"eq":[{"it":5},1]}', '{"eq":[{"it":[null]},1]}', '{"eq":[{"it":[true]},1]}',
    '{"eq":[{"it":[1.5]},1]}', '{"eq":[{"it":[[]]},1]}', '{"eq":[{"it":[[5]]},1]}', '{"eq":[{"it":[""]},1]}',
    '{"eq":[{"it":["a"],"x":1},1]}', '{"eq":[{"of":1},1]}', '{"eval":["1+1"]}', '{"and":{}}', '{"not":[]}',
    '{"and":[{"eq":[{"it":["a"]},1]}],"or":[]}', '{"in":[{"it":["a"]},5]}', '{"in":[{"it":["a"]},[null]]}',
    '{"like":[{"it":["a"]},5]}', '{"like":[{"it":["a"]},"x\\\\"]}', '{"like":[{"it":["a"]},"\\ud800"]}',
    '{"prefix":[{"it":["a"]},5]}', '{"is":[{"it":[]},"os.system()"]}', '{"is":[{"it":[]},""]}', '{"is":[{"it":[]},5]}',
    '{"eq":[{"it":["a"]},{"decimal":"x"}]}', '{"eq":[{"it":["a"]},{"decimal":"NaN"}]}',
    '{"eq":[{"it":["a"]},{"decimal":5}]}', '{"eq":[{"it":["a"]},{"float":"nan"}]}',
    '{"eq":[{"it":["a"]},{"bytes":"*"}]}', '{"eq":[{"it":["a"]},{"time":"yesterday"}]}',
    '{"eq":[{"it":["a"]},{"duration":1e99}]}', '{"eq":[{"it":["a"]},{"duration":' + "9" * 30 + "}]}",
    '{"lt":["price",100]}', '{"lt":[5,{"it":["a"]}]}', '{"exists":5}', '{"not":true,"not":false}',
    '{"eq":[{"it":["a"]},"\\ud800"]}', '{"eq":[{"+":[{"it":["a"]},"x"]},1]}', '{"eq":[{"**":[2,2]},1]}',
    '{"eq":[{"it":["\\ud800"]},1]}', '{"eq":[{"object":"os"},1]}',
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_malformed_input_gets_one_clear_error(text):
    with pytest.raises(Malformed) as caught:
        from_json(text)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_not_text_are_malformed():
    with pytest.raises(Malformed):
        from_json(b'{"eq":[{"it":["\xff"]},1]}')


def test_size_depth_and_number_of_tests_are_bounded():
    with pytest.raises(LimitExceeded, match="bytes"):
        from_json(Equals("a", "x" * defaults.CONDITION_BYTES).to_json())
    many = And(*(it.a != i for i in range(defaults.CONDITION_PREDICATES + 1)))
    with pytest.raises(LimitExceeded, match="tests"):
        from_json(many.to_json())
    assert not many.is_portable
    deep = it.a == 1
    for _ in range(defaults.NESTING):
        deep = ~IsTrue(deep & (it.b == 1))
    with pytest.raises(LimitExceeded, match="deep"):
        from_json(deep.to_json())
    with pytest.raises(LimitExceeded, match="deep"):
        from_json(json.dumps({"eq": [{"it": ["a"] * (defaults.NESTING + 1)}, 1]}))
    total = {"it": ["a"]}
    for _ in range(defaults.NESTING + 1):
        total = {"+": [total, 1]}
    with pytest.raises(LimitExceeded, match="deep"):
        from_json(json.dumps({"eq": [total, 1]}))


@pytest.mark.parametrize(
    "text", ["[" * 4000, '{"not":' * 500, "1" * 4000, '{"eq":[{"it":["a"]},{"decimal":"1e999999999"}]}']
)
def test_bombs_are_refused_or_harmless_and_quick(text):
    start = time.perf_counter()
    try:
        condition = from_json(text)
    except RostraError:
        pass
    else:
        assert not condition({"a": 5})
        assert not condition.covers(it.a > 5)
        assert condition.overlaps(it.a > 5)
        assert not condition.compile()({"a": 5})
    assert time.perf_counter() - start < 1


@settings(max_examples=500, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda x: (
            st.lists(x, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "and",
                        "or",
                        "not",
                        "true",
                        "eq",
                        "lt",
                        "in",
                        "it",
                        "of",
                        "+",
                        "like",
                        "is",
                        "exists",
                        "prefix",
                        "bytes",
                        "time",
                    ]
                ),
                x,
                max_size=2,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_a_condition_or_a_rostra_error(data):
    try:
        condition = from_json(json.dumps(data))
    except RostraError:
        return
    assert from_json(condition.to_json()) == condition
    condition({"a": 1})


def test_nothing_of_a_condition_reaches_the_source_of_generated_code():
    for name in ["a b", "x; import os", "class", "a\nb", "x)", "'", "o", "k0", "f1"]:
        for event in ({name: 1}, type("Odd", (), {name: 1})()):
            condition = it[name] == 1
            assert condition.compile(type(event))(event)
            assert not condition.compile(type(event))({})
    nasty = "'; __import__('os').abort() #"
    assert (it.a == nasty).compile()({"a": nasty})
    assert rostra.conditions.Like("a", "%" + nasty + "_%").compile()({"a": "x" + nasty + "y"})
