from __future__ import annotations

import gc
import itertools
import sys
import timeit
import types
import weakref
from abc import ABC
from typing import Any, Protocol

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rostra.model.types as lattice
from rostra import defaults
from rostra.errors import InvalidType, InvalidValue, LimitExceeded
from rostra.model.events import Event
from rostra.model.type_topics import topic_of
from rostra.model.types import (
    Intersection,
    ancestry,
    conforms,
    declared_type,
    directly_conforms,
    is_interface,
    is_pure,
    register,
    registered,
    type_name,
)
from tests.model import zoo
from tests.model.modules import new_module

ZOO = [value for value in vars(zoo).values() if isinstance(value, type) and value.__module__ == zoo.__name__]


# Names


@pytest.mark.spec("B8")
@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (zoo.Talk, "zoo.Talk"),
        (zoo.Outer.Inner, "zoo.Outer.Inner"),
        (zoo.Outer.Inner.Core, "zoo.Outer.Inner.Core"),
        (zoo.Box, "zoo.Box"),
        (int, "builtins.int"),
        (Event, "rostra.model.events.Event"),
    ],
)
def test_importable_classes_have_names(cls: type, name: str) -> None:
    for _ in range(2):  # worked out, then from the store
        assert type_name(cls).removeprefix("tests.model.") == name


@pytest.mark.spec("B8")
def test_classes_of_the_main_program_have_names(monkeypatch: pytest.MonkeyPatch) -> None:
    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec("class Script: pass", main.__dict__)
    assert type_name(main.Script) == "__main__.Script"


@pytest.mark.spec("B8")
@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (zoo.local_class(), r"zoo\.local_class\.<locals>\.Local is a local class.*move it to module level"),
        (type("Nameless", (), {}), r"test_types\.Nameless cannot be imported.*module level"),
        (zoo.Unreachable, r"zoo\.Hidden cannot be imported"),
        (types.new_class("<lambda>"), "cannot be imported"),
        (zoo.Box[int], "without its type arguments"),
        (list[int], "without its type arguments"),
        (int | str, "not a class"),
        ("zoo.Talk", "not a class"),
        (zoo.Point(1), "not a class"),
        (None, "not a class"),
    ],
    ids=str,
)
def test_what_others_could_not_import_is_refused(wrong: Any, problem: str) -> None:
    for use in (type_name, register, ancestry, topic_of):
        with pytest.raises(InvalidType, match=problem):
            use(wrong)


def test_a_class_whose_name_was_taken_over_is_refused() -> None:
    module = new_module("taken", "class X: pass")
    old = module.X
    exec("class X: pass", module.__dict__)
    with pytest.raises(InvalidType, match="cannot be imported"):
        type_name(old)
    assert type_name(module.X) == "taken.X"


# Interfaces and pure classes


@pytest.mark.spec("B4")
def test_interfaces_are_protocols_and_abstract_base_classes() -> None:
    names = "DSC DI DE Priced SamePriced Shape DeepPriced HasName Speaks NamedSpeaker Marker MarkedName Countable"
    assert {cls for cls in ZOO if is_interface(cls)} == {getattr(zoo, name) for name in names.split()}
    assert not any(map(is_interface, (Event, object, ABC, Protocol, int)))


@pytest.mark.spec("B4")
def test_pure_classes_are_the_type_of_their_interface() -> None:
    pure = {
        zoo.Stock: zoo.Priced,
        zoo.Bond: zoo.Priced,
        zoo.Sized: zoo.Priced,
        zoo.Blob: zoo.Shape,
        zoo.PureSpeaker: zoo.Speaks,
    }
    for cls in ZOO:
        assert declared_type(cls) is pure.get(cls, cls), cls
        assert is_pure(cls) == (cls in pure), cls


@pytest.mark.spec("B4")
def test_a_method_in_the_place_of_a_field_makes_no_pure_class() -> None:
    class Odd(zoo.HasName):
        def name(self) -> str:  # type: ignore[override]
            return "x"

    assert not is_pure(Odd)


# Conformance


@pytest.mark.spec("B2", partly=True)
def test_figure_one() -> None:
    """P1 subscribes to A and receives B, C and D; P3 subscribes to D and does not receive B."""
    assert all(conforms(cls, zoo.A) for cls in (zoo.A, zoo.B, zoo.C, zoo.D))
    assert [cls for cls in (zoo.A, zoo.B, zoo.C, zoo.D) if conforms(cls, zoo.D)] == [zoo.D]
    assert conforms(zoo.D, zoo.B)
    assert conforms(zoo.D, zoo.C)
    assert not conforms(zoo.C, zoo.B)


@pytest.mark.spec("B3", partly=True)
def test_direct_conformance_leaves_subtypes_out() -> None:
    assert [cls for cls in (zoo.A, zoo.B, zoo.C, zoo.D) if directly_conforms(cls, zoo.A)] == [zoo.A]
    assert directly_conforms(zoo.Talk, zoo.Talk)
    assert not directly_conforms(zoo.InvitedTalk, zoo.Talk)
    assert not directly_conforms(zoo.Talk, zoo.DSC)


@pytest.mark.spec("B4")
@pytest.mark.spec("B3", partly=True)
def test_direct_conformance_to_an_interface_means_its_pure_classes() -> None:
    priced = {zoo.Priced, zoo.Stock, zoo.Bond, zoo.Sized}
    assert {cls for cls in ZOO if directly_conforms(cls, zoo.Priced)} == priced
    assert {cls for cls in ZOO if directly_conforms(cls, zoo.Stock)} == priced
    assert {cls for cls in ZOO if directly_conforms(cls, zoo.WithMethod)} == {zoo.WithMethod}


@pytest.mark.spec("B4")
def test_subscribing_to_a_pure_class_is_subscribing_to_its_interface() -> None:
    for pure in (zoo.Stock, zoo.Bond):
        assert {cls for cls in ZOO if conforms(cls, pure)} == {cls for cls in ZOO if conforms(cls, zoo.Priced)}
    assert conforms(zoo.WithField, zoo.Stock)
    assert not conforms(zoo.Stock, zoo.WithField)


@pytest.mark.spec("B5", partly=True)
@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (zoo.Speaks, "Speaks NamedSpeaker Dog PropertyDog Puppy PureSpeaker Orator"),
        (zoo.NamedSpeaker, "NamedSpeaker Dog PropertyDog Puppy"),
        (zoo.Marker, "Marker MarkedName Marked"),
        (zoo.PureSpeaker, "Speaks NamedSpeaker Dog PropertyDog Puppy PureSpeaker Orator"),
    ],
)
def test_conformance_to_a_protocol_is_by_structure(target: type, expected: str) -> None:
    assert {cls for cls in ZOO if conforms(cls, target)} == {getattr(zoo, name) for name in expected.split()}


@pytest.mark.spec("B5", partly=True)
def test_data_members_of_a_protocol() -> None:
    for cls in (zoo.Dog, zoo.PropertyDog, zoo.Mute, zoo.Circle, zoo.Marked):
        assert conforms(cls, zoo.HasName), cls
    assert not conforms(zoo.NameMethod, zoo.HasName)
    assert not conforms(zoo.Nameless, zoo.HasName)
    assert not conforms(zoo.Mute, zoo.Speaks)
    assert conforms(list, zoo.Countable)
    assert conforms(zoo.Pair, zoo.Countable)
    assert not conforms(int, zoo.Countable)
    assert not conforms(zoo.Dog, zoo.Countable)


@pytest.mark.spec("B4")
@pytest.mark.spec("B5", partly=True)
def test_a_pure_class_fits_the_protocols_that_its_interface_fits() -> None:
    """Otherwise its siblings, which are of the same type, would not receive what it receives."""
    assert not conforms(zoo.Sized, zoo.Countable)
    assert not conforms(zoo.Priced, zoo.Countable)


@pytest.mark.spec("B5", partly=True)
def test_a_protocol_on_top_of_a_marker_keeps_the_marker() -> None:
    class Both(zoo.Marker):
        name: str = "x"

    assert conforms(Both, zoo.MarkedName)
    assert not conforms(zoo.Dog, zoo.MarkedName)


@pytest.mark.spec("B5", partly=True)
def test_a_registration_counts_also_after_the_question_was_asked() -> None:
    class Registered(Event):
        x: int

    class Below(Registered):
        pass

    assert not conforms(Below, zoo.Priced)
    zoo.Priced.register(Registered)
    assert conforms(Registered, zoo.Priced)
    assert conforms(Below, zoo.Priced)
    assert conforms(Registered, zoo.Stock)


def test_everything_is_an_object_and_events_are_events() -> None:
    assert all(conforms(cls, object) for cls in ZOO)
    assert conforms(zoo.Talk, object)
    assert {cls for cls in ZOO if conforms(cls, Event)} == {cls for cls in ZOO if issubclass(cls, Event)}
    assert conforms(bool, int)


@pytest.mark.parametrize("wrong", [zoo.Box[int], "zoo.Talk", None, int | str, 3])
def test_conformance_is_between_classes(wrong: Any) -> None:
    for use in (conforms, directly_conforms):
        with pytest.raises(InvalidType, match="not a class"):
            use(zoo.Talk, wrong)
        with pytest.raises(InvalidType, match="not a class"):
            use(wrong, zoo.Talk)


@pytest.mark.spec("B4")
@pytest.mark.spec("B5", partly=True)
@pytest.mark.spec("B2", partly=True)
def test_the_laws_hold_in_the_zoo() -> None:
    assert_lawful(ZOO)


def assert_lawful(classes: list[type]) -> None:
    above = {cls: {target for target in classes if conforms(cls, target)} for cls in classes}
    for cls in classes:
        assert cls in above[cls]
        assert {base for base in cls.__mro__ if base in above} <= above[cls]
        for target in above[cls]:
            assert above[target] <= above[cls], (cls, target, above[target] - above[cls])
        for target in classes:
            if directly_conforms(cls, target):
                assert above[cls] == above[target] or is_pure(cls) or is_pure(target)
                assert target in above[cls]


NAMES = ("p", "q", "_r", "__len__")


@st.composite
def hierarchies(draw: st.DrawFn) -> list[type]:
    """Classes, abstract classes and Protocols that inherit each other in any way Python allows."""
    classes: list[type] = []
    for index in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from([None, ABC, Protocol]))
        # A Protocol cannot extend a class. Trying would leave a half-made class behind, which confuses ABCs.
        candidates = [cls for cls in classes if kind is not Protocol or vars(cls).get("_is_protocol")]
        bases = draw(st.lists(st.sampled_from(candidates), unique=True, max_size=2)) if candidates else []
        members = draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from([method, property(method)])))
        try:
            classes.append(type(Protocol)(f"K{index}", (*bases, *([kind] if kind else [])), members))
        except TypeError:
            continue  # no consistent order of the base classes
    return classes


def method(self: object) -> int:
    return 1


@pytest.mark.spec("B4")
@pytest.mark.spec("B5", partly=True)
@pytest.mark.spec("B2", partly=True)
@settings(max_examples=200, deadline=None)
@given(hierarchies())
def test_conformance_is_reflexive_and_transitive(classes: list[type]) -> None:
    assert_lawful(classes)


# Intersections


@pytest.mark.spec("B7", partly=True)
def test_an_intersection_receives_what_conforms_to_all() -> None:
    both = Intersection(zoo.DSC, zoo.DI)
    assert [cls for cls in ZOO if conforms(cls, both)] == [zoo.Talk, zoo.InvitedTalk]
    assert conforms(zoo.DSC, Intersection(zoo.DSC))
    assert not any(conforms(cls, Intersection(zoo.DSC, zoo.DI, zoo.DE)) for cls in ZOO)
    assert conforms(zoo.Dog, Intersection(zoo.HasName, zoo.Speaks, Event))


@pytest.mark.spec("B7", partly=True)
def test_an_intersection_is_a_value() -> None:
    both = Intersection(zoo.DSC, zoo.DI)
    assert both == Intersection(zoo.DI, zoo.DSC) == Intersection(both, zoo.DI) == Intersection(Intersection(both))
    assert hash(both) == hash(Intersection(zoo.DI, zoo.DSC))
    assert both != Intersection(zoo.DSC, zoo.DE)
    assert both != frozenset({zoo.DSC, zoo.DI})
    assert both.types == (zoo.DI, zoo.DSC)
    assert repr(both) == "Intersection(DI, DSC)"
    with pytest.raises(AttributeError):
        both.types = ()  # type: ignore[misc]


@pytest.mark.spec("B7", partly=True)
def test_an_intersection_without_subtypes_makes_no_sense() -> None:
    with pytest.raises(InvalidType, match=r"Intersection\(DI, DSC\) always includes subtypes"):
        directly_conforms(zoo.Talk, Intersection(zoo.DSC, zoo.DI))
    with pytest.raises(InvalidValue, match="at least one type"):
        Intersection()
    with pytest.raises(InvalidType, match="not a class"):
        Intersection(zoo.DSC, "DI")  # type: ignore[arg-type]


# The store of answers


def test_answers_are_kept_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "_answers", {})
    conforms(zoo.D, zoo.A)
    monkeypatch.setattr(lattice, "_conforms", lambda cls, target: pytest.fail("asked again"))
    assert conforms(zoo.D, zoo.A)
    monkeypatch.undo()

    monkeypatch.setattr(lattice, "_answers", {})
    monkeypatch.setattr(defaults, "CONFORMANCE_ANSWERS", 10)
    for cls, target in itertools.product(ZOO, repeat=2):
        conforms(cls, target)
        assert len(lattice._answers) <= 10


def test_a_kept_answer_costs_a_lookup() -> None:
    conforms(zoo.D, zoo.A)
    conforms(zoo.Dog, zoo.NamedSpeaker)
    seconds = min(timeit.repeat(lambda: conforms(zoo.Dog, zoo.NamedSpeaker), number=1000, repeat=5)) / 1000
    assert seconds < 5e-6  # about 0.2 µs; deciding takes a hundred times that


def test_classes_can_die_and_take_their_answers_along() -> None:
    def ask() -> weakref.ref[type]:
        class Short(Event):
            pass

        assert conforms(Short, Event)
        assert not conforms(Short, zoo.Priced)
        assert not directly_conforms(Short, Event)
        return weakref.ref(Short)

    for _ in range(10):  # identities are used again soon; a stale answer would show
        short = ask()
        gc.collect()
        assert short() is None
    assert not lattice._answers


# Ancestry and registry


@pytest.mark.spec("B5", partly=True)
@pytest.mark.parametrize(
    ("cls", "names"),
    [
        (zoo.A, ["zoo.A"]),
        (zoo.D, ["zoo.D", "zoo.B", "zoo.C", "zoo.A"]),
        (zoo.Talk, ["zoo.Talk", "zoo.DSC", "zoo.DI"]),
        (zoo.Bond, ["zoo.Bond", "zoo.Priced"]),
        (zoo.Orator, ["zoo.Orator", "zoo.Speaks"]),
        (zoo.Dog, ["zoo.Dog"]),
        (zoo.Box, ["zoo.Box"]),
        (bool, ["builtins.bool", "builtins.int"]),
        (zoo.FromLocal, ["zoo.FromLocal"]),
        (Event, ["rostra.model.events.Event"]),
    ],
)
def test_ancestry_names_the_nominal_types_most_specific_first(cls: type, names: list[str]) -> None:
    assert [name.removeprefix("tests.model.") for name in ancestry(cls)] == names


def test_the_registry_knows_only_what_was_registered() -> None:
    assert registered("tests.model.zoo.Person") is None
    assert register(zoo.Person) == "tests.model.zoo.Person"
    assert registered("tests.model.zoo.Person") is zoo.Person
    assert registered("wave.Wave_read") is None
    assert "wave" not in sys.modules


def test_a_new_class_of_the_same_name_replaces_the_old_one() -> None:
    module = new_module("reloaded", "class X: pass")
    old = module.X
    register(old)
    exec("class X: pass", module.__dict__)
    register(module.X)
    assert registered("reloaded.X") is module.X
    assert registered("reloaded.X") is not old


def test_the_registry_is_weak_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    module = new_module("fleeting", "class X: pass")
    register(module.X)
    del module.X
    gc.collect()
    assert registered("fleeting.X") is None

    register(zoo.A)
    monkeypatch.setattr(defaults, "REGISTERED_CLASSES", len(lattice._registry))
    register(zoo.A)
    with pytest.raises(LimitExceeded, match=r"zoo\.Slotted"):
        register(zoo.Slotted)
