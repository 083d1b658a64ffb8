"""The key and the fingerprint of a class."""

from dataclasses import dataclass

import pytest

from rostra import Event
from rostra.errors import InvalidType
from rostra.model.schema import fingerprint, key_reader


class Order(Event, key="number"):
    number: int
    text: str = ""


class Line(Event, key=("order", "position")):
    order: int
    position: int


class Plain:
    __rostra_key__ = "number"

    def __init__(self, number):
        self.number = number


def test_keys_are_read_from_the_fields_that_a_class_names():
    assert key_reader(Order)(Order(7)) == 7
    assert key_reader(Line)(Line(7, 1)) == (7, 1)
    assert key_reader(Plain)(Plain(3)) == 3
    assert key_reader(int) is None


def test_keys_that_make_no_sense():
    with pytest.raises(InvalidType, match="'colour', which is no field"):

        class Bad(Event, key="colour"):
            number: int

    class Worse:
        __rostra_key__ = 7

    with pytest.raises(InvalidType, match="name of a field or a tuple of names"):
        key_reader(Worse)


def test_a_subclass_has_the_key_of_its_base():
    class Special(Order):
        extra: int = 0

    assert key_reader(Special)(Special(5)) == 5


def test_fingerprints_change_with_public_fields_and_their_types_and_nothing_else():
    @dataclass
    class One:
        a: int
        b: str

    def variant(namespace, base=object):
        return type("One", (base,), {"__annotations__": namespace})

    same = variant({"b": str, "a": int, "_private": float})
    assert fingerprint(One) == fingerprint(same)
    assert len(fingerprint(One)) == 16
    others = [
        variant({"a": int}),
        variant({"a": int, "b": bytes}),
        variant({"a": int, "c": str}),
        variant({"a": int, "b": "list[str]"}),
        variant({"more": int}, One),
    ]
    assert len({fingerprint(cls) for cls in (One, *others)}) == len(others) + 1
    assert fingerprint(variant({"a": "int", "b": "str"})) == fingerprint(One)
    assert fingerprint(variant({"a": list[int]})) == fingerprint(variant({"a": "list[int]"}))
