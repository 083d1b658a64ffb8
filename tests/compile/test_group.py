"""Groups: the ids that match, with everything equal evaluated once."""

import random

import pytest

from rostra import it
from rostra.compile import compile_group
from rostra.compile.group import _Entry, _file
from rostra.conditions import Always, And, Equals, Never, Or
from tests.compile.test_static import Counting


@pytest.mark.spec("A13")
def test_equal_accessors_are_evaluated_once_for_all():
    group = compile_group({i: Equals("/getValue", i % 7, True) & (it.getValue() < i) for i in range(500)}, Counting)
    message = Counting(3)
    assert sorted(group(message)) == [i for i in range(500) if i % 7 == 3 and i > 3]
    assert message.asked == 1


@pytest.mark.spec("A13")
def test_equal_opaque_conditions_are_asked_once_where_they_are_shared():
    asked = []

    def code(message):
        asked.append(message)
        return True

    conditions = dict.fromkeys(range(10), (it.x > 0) & code) | {f"{i}": (it.y == i) & code for i in range(5)}
    assert len(compile_group(conditions, dict)({"x": 1, "y": 1})) == 11
    assert len(asked) == 1


def test_a_group_is_a_mapping_of_conditions():
    assert compile_group({1: lambda message: message["x"] > 1})({"x": 2}) == [1]
    for wrong in ([it.x == 1], {1: 5}, {1: it.x}):
        with pytest.raises(TypeError):
            compile_group(wrong)


def test_ids_may_be_anything_hashable_and_come_once():
    either = Or(it.x == 1, it.y == 1, it.x < 5)
    ids = ["text", 7, None, ("a", 1), frozenset({1}), 1.5, True]
    group = compile_group(dict.fromkeys(ids, either), dict)
    assert set(group({"x": 1, "y": 1})) == set(ids)
    assert len(group({"x": 1, "y": 1})) == len(ids)
    assert group({"x": 9}) == []


def test_degenerate_groups():
    assert compile_group({})({"x": 1}) == []
    assert compile_group({"all": Always(), "none": Never()})({}) == ["all"]
    assert compile_group({"all": Always()}, dict)(5) == ["all"]


def test_sets_and_equalities_share_a_look_up():
    conditions = {f"{i}": it.x.is_in([i, i + 1, f"t{i}"]) for i in range(20)} | {"big": it.x.is_in(range(1000))}
    group = compile_group(conditions, dict)
    assert sorted(group({"x": 5})) == ["4", "5", "big"]
    assert sorted(group({"x": 5.0})) == ["4", "5", "big"]
    assert group({"x": "t3"}) == ["3"]
    assert group({"x": True}) == []
    assert group({}) == []


def test_conditions_without_a_normal_form_are_evaluated_whole():
    big = And(*(Or(it.x == i, it.y == i) for i in range(8)))
    assert compile_group({"big": big}, dict)({"x": 1, "y": 2}) == []
    loose = And(*(Or(it.x > i, it.y > i) for i in range(8)))
    assert compile_group({"loose": loose}, dict)({"x": 9, "y": 2}) == ["loose"]


@pytest.mark.parametrize("seed", range(3))
def test_thousands_of_conditions(seed):
    rng = random.Random(seed)

    def test():
        term = it[rng.choice("abcdef")]
        return rng.choice(
            [
                lambda: term < rng.randrange(100),
                lambda: term >= rng.randrange(100),
                lambda: term == rng.randrange(100),
                lambda: ~(term == rng.randrange(100)),
                lambda: term.is_in(rng.sample(range(100), 3)),
                term.exists,
            ]
        )()

    conditions = {i: And(*(test() for _ in range(rng.randint(1, 4)))) for i in range(3000)}
    group = compile_group(conditions, dict)
    for _ in range(20):
        event = {name: rng.randrange(100) for name in "abcdef" if rng.random() < 0.8}
        assert sorted(group(event)) == [i for i, condition in conditions.items() if condition(event)]


def test_a_conjunction_is_filed_under_the_equality_that_fewest_share():
    entries = [_Entry((it.kind == "order", it.id == i, it.n.is_in([1, 2])), f"k{i}", again=False) for i in range(5)]
    filed, rest = _file([*entries, _Entry((it.n < 5,), "k9", again=False)])
    assert [str(accessor) for accessor, _ in filed] == ["it.id"]
    assert all(entry.tests == (it.kind == "order", it.n.is_in([1, 2])) for [entry] in filed[next(iter(filed))].values())
    assert [entry.id for entry in rest] == ["k9"]
