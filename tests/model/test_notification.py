from __future__ import annotations

import datetime as dt
import uuid
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rostra import defaults, it
from rostra.errors import InvalidValue, LimitExceeded
from rostra.model.notification import Triple, attributes
from rostra.model.values import Family
from tests.model import zoo

NOW = dt.datetime(2024, 5, 1, 12, tzinfo=dt.UTC)
OPAQUE = object()
ID = uuid.UUID(int=7)

FLAT = [
    ({"pos": zoo.Point(1, 2)}, [("pos.x", "int", 1), ("pos.y", "int", 2)]),
    (zoo.Point(1, 2), [("x", "int", 1), ("y", "int", 2)]),
    (
        zoo.Data(1, ["a", "b"]),
        [("x", "int", 1), ("tags.0", "str", "a"), ("tags.1", "str", "b"), ("double", "int", 2)],
    ),
    (zoo.Pair(1), [("x", "int", 1)]),
    (zoo.Talk("Ada", "x"), [("getSpeaker", "str", "Ada"), ("getDescr", "str", "x")]),
    ({"a": {"b": {"c": 1}}}, [("a.b.c", "int", 1)]),
    ({"a": None, "b": [None, 1]}, [("b.1", "int", 1)]),
    ({"a": (1, 2.5)}, [("a.0", "int", 1), ("a.1", "float", 2.5)]),
    ({"a": deque([1])}, [("a.0", "int", 1)]),
    ({"a": {"z", "y", "x"}}, [("a.0", "str", "x"), ("a.1", "str", "y"), ("a.2", "str", "z")]),
    ({"a": frozenset({2, "x", True})}, [("a.0", "bool", True), ("a.1", "int", 2), ("a.2", "str", "x")]),
    ({"a": zoo.Color.RED, "b": zoo.Level.LOW}, [("a", "str", "red"), ("b", "int", 1)]),
    ({"a": zoo.Color.NONE}, [("a", "color", zoo.Color.NONE)]),
    ({"a": np.int32(3), "b": np.float64(1.5)}, [("a", "int", 3), ("b", "float", 1.5)]),
    ([1, "a"], [("0", "int", 1), ("1", "str", "a")]),
    ({"a": [], "b": {}}, [("a", "list", []), ("b", "dict", {})]),
    ({"a": OPAQUE, "b": ID}, [("a", "object", OPAQUE), ("b", "uuid", ID)]),
    ({"a": zoo.Point}, [("a", "eventmeta", zoo.Point)]),
]


@pytest.mark.spec("C3")
@pytest.mark.parametrize(("event", "expected"), FLAT, ids=lambda value: str(value)[:40])
def test_nested_events_flatten(event: object, expected: list[tuple[str, str, object]]) -> None:
    assert list(attributes(event)) == expected


SCALARS = [
    (1, "int", Family.NUMBER),
    (1.5, "float", Family.NUMBER),
    (float("inf"), "float", Family.NUMBER),
    (Decimal("1.5"), "decimal", Family.NUMBER),
    (True, "bool", Family.BOOL),
    ("text", "str", Family.TEXT),
    ("", "str", Family.TEXT),
    (b"x", "bytes", Family.BYTES),
    (bytearray(b"x"), "bytes", Family.BYTES),
    (NOW, "datetime", Family.TIME),
    (NOW.date(), "date", Family.TIME),
    (NOW.time(), "time", Family.OTHER),
    (dt.timedelta(1), "timedelta", Family.DURATION),
    (1j, "complex", Family.OTHER),
    (ID, "uuid", Family.OTHER),
    (Fraction(1, 2), "fraction", Family.OTHER),
    (PurePosixPath("/a/b"), "pureposixpath", Family.OTHER),
    (OPAQUE, "object", Family.OTHER),
]


@pytest.mark.spec("C3", "C4")
@pytest.mark.parametrize(("value", "name", "family"), SCALARS, ids=lambda value: str(value)[:20])
def test_a_value_is_one_attribute_with_a_type_and_a_family(value: object, name: str, family: Family) -> None:
    (attribute,) = attributes(value)
    assert attribute == ("it", name, value)
    assert attribute.value is value
    assert attribute.family is family
    assert attributes({"a": {"b": value}}) == (("a.b", name, value),)


@pytest.mark.spec("C3")
@pytest.mark.parametrize("event", [zoo.Ping(), {}, [], (), set(), {"a": None}, [None], zoo.Color.NONE])
def test_a_notification_is_never_empty(event: object) -> None:
    assert attributes(event) == (("it", type(event).__name__.lower(), event),)


def test_none_is_no_event() -> None:
    with pytest.raises(InvalidValue, match="None is not an event"):
        attributes(None)


@pytest.mark.spec("C3")
def test_a_shared_object_is_written_once_and_referred_to() -> None:
    """As on the slide: (obj1.id, id, 1) and (obj2.p, ref, 1)."""
    obj1 = zoo.Point(1, 2)
    assert list(attributes({"obj1": obj1, "obj2": {"p": obj1}})) == [
        ("obj1.id", "id", 1),
        ("obj1.x", "int", 1),
        ("obj1.y", "int", 2),
        ("obj2.p", "ref", 1),
    ]


@pytest.mark.spec("C3")
def test_a_cycle_ends_in_a_reference() -> None:
    first, second = zoo.Node("a"), zoo.Node("b")
    first.next, second.next = second, first
    assert list(attributes(first)) == [
        ("id", "id", 1),
        ("label", "str", "a"),
        ("next.label", "str", "b"),
        ("next.next", "ref", 1),
    ]
    loop: list[Any] = [5]
    loop.append(loop)
    assert list(attributes(loop)) == [("id", "id", 1), ("0", "int", 5), ("1", "ref", 1)]


@pytest.mark.spec("C3")
def test_an_object_with_an_id_of_its_own_keeps_it() -> None:
    ada = zoo.Person(7)
    ada.friend = ada
    assert list(attributes(ada)) == [("@id", "id", 1), ("id", "int", 7), ("friend", "ref", 1)]


@pytest.mark.spec("C3")
def test_identities_are_numbered_in_the_order_of_first_places() -> None:
    a, b = {"x": 1}, {"x": 2}
    assert list(attributes([a, b, b, a, {"x": 3}])) == [
        ("0.id", "id", 1),
        ("0.x", "int", 1),
        ("1.id", "id", 2),
        ("1.x", "int", 2),
        ("2", "ref", 2),
        ("3", "ref", 1),
        ("4.x", "int", 3),
    ]


@pytest.mark.spec("C3")
def test_only_what_repeats_has_an_identity() -> None:
    text, pair = "text" * 10, (1, 2)
    assert {a.type for a in attributes([text, text, pair, pair, zoo.Point(1), zoo.Point(1)])} == {
        "str",
        "int",
    }
    assert {a.type for a in attributes([zoo.Fresh() for _ in range(20)])} == {"int"}


def test_references_compare_with_nothing() -> None:
    assert Triple("a", "ref", 1).family is Family.OTHER
    assert Triple("a.id", "id", 1).family is Family.OTHER


def nest(levels: int, wrap: Callable[[Any], Any]) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = wrap(value)
    return value


@pytest.mark.spec("C3")
@pytest.mark.parametrize("wrap", [lambda v: {"a": v}, lambda v: [v], lambda v: (v,)])
def test_nesting_is_bounded(wrap: Callable[[Any], Any]) -> None:
    assert len(attributes(nest(defaults.NESTING, wrap))) == 1
    with pytest.raises(LimitExceeded, match="deep"):
        attributes(nest(defaults.NESTING + 1, wrap))
    with pytest.raises(LimitExceeded, match="deep"):
        attributes(zoo.Abyss())


@pytest.mark.spec("C3")
def test_the_number_of_attributes_is_bounded() -> None:
    most = defaults.ATTRIBUTES
    assert len(attributes(list(range(most)))) == most
    for event in (range(most + 1), [list(range(most)), 1], range(10**12), nest(20, lambda v: (v, v))):
        with pytest.raises(LimitExceeded, match="attributes"):
            attributes(event)


trees = st.recursive(
    st.none() | st.integers() | st.text(max_size=3) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=15,
)


def leaves(tree: Any, path: tuple[str, ...] = ()) -> list[tuple[str, Any]]:
    """The attributes of a tree, the obvious way."""
    if isinstance(tree, dict | list):
        parts = tree.items() if isinstance(tree, dict) else enumerate(tree)
        present = [(str(name), part) for name, part in parts if part is not None]
        if present:
            return [leaf for name, part in present for leaf in leaves(part, (*path, name))]
    return [(".".join(path) or "it", tree)]


@pytest.mark.spec("C3")
@given(trees.filter(lambda tree: tree is not None))
def test_a_tree_flattens_to_its_leaves(tree: Any) -> None:
    found = attributes(tree)
    assert [(attribute.name, attribute.value) for attribute in found] == leaves(tree)
    assert len({attribute.name for attribute in found}) == len(found)


scalars = st.one_of(st.integers(0, 3), st.booleans(), st.sampled_from(["", "a", "ab"]), st.none(), st.just(1.0))
nested = st.dictionaries(st.sampled_from(["x", "y"]), scalars | st.dictionaries(st.just("z"), scalars), max_size=2)


@pytest.mark.spec("C3", "C4")
@given(nested, st.sampled_from([("x",), ("y",), ("x", "z"), ("y", "z")]), st.sampled_from([0, 1, True, "a", "ab"]))
def test_a_filter_on_an_event_is_a_filter_on_its_notification(
    event: dict[str, Any], path: tuple[str, ...], constant: Any
) -> None:
    """An attribute matches (name, type, operator, constant) when the name and the family agree, and the values do."""
    try:
        triples = attributes({"pos": event})
    except InvalidValue:
        return
    term = it.pos
    for step in path:
        term = term[step]
    name = ".".join(("pos", *path))
    same_name_and_type = [t.value for t in triples if t.name == name and t.family is Triple(name, "", constant).family]
    assert (term == constant)({"pos": event}) is any(value == constant for value in same_name_and_type)
    assert (term != constant)({"pos": event}) is any(value != constant for value in same_name_and_type)


@pytest.mark.spec("C3")
def test_no_two_attributes_have_one_name() -> None:
    names = [triple.name for triple in attributes({"a.b": 1, "a": {"b": 2, "b.c": 3, "b\\": {"c": 4}}})]
    assert names == ["a\\.b", "a.b", "a.b\\.c", "a.b\\\\.c"]
