from __future__ import annotations

import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

import rostra.model.events as events
from rostra.errors import InvalidType
from rostra.model.events import Event, fields, member_names, own_member_names
from tests.model import zoo

SRC = Path(events.__file__).parents[2]

READABLE = [
    (zoo.Point(1, 2), {"x": 1, "y": 2}),
    (zoo.Struct(1), {"x": 1}),
    (zoo.Data(1, ["a"]), {"x": 1, "tags": ["a"], "double": 2}),
    (zoo.Slim(1), {"x": 1}),
    (zoo.Attr(1), {"x": 1}),
    (zoo.Pair(1, "a"), {"x": 1, "y": "a"}),
    (zoo.Pair(1), {"x": 1}),
    (zoo.OldPair(1, 2), {"x": 1, "y": 2}),
    (zoo.Typed(x=1), {"x": 1}),
    ({"x": 1, "_y": 2, "z": None, 3: 4, "content-type": "text"}, {"x": 1, "content-type": "text"}),
    (types.MappingProxyType({"x": 1}), {"x": 1}),
    (types.SimpleNamespace(x=1, _y=2), {"x": 1}),
    (zoo.Plain(), {"x": 1, "loose": "loose"}),
    (zoo.Slotted(), {"x": 1}),
    (zoo.OneSlot(), {"x": 1}),
    (zoo.Box("a"), {"content": "a"}),
    (zoo.Ping(), {}),
    (zoo.Talk("Ada", "Engines"), {"getSpeaker": "Ada", "getDescr": "Engines"}),
    (zoo.Bond(), {"currency": "EUR", "get_price": 2.0}),
    (zoo.PropertyDog(), {"name": "Rex"}),
    (5, {}),
    ("text", {}),
    ([1, 2], {}),
    (None, {}),
    (zoo.Point, {}),
]


@pytest.mark.spec("C3")
@pytest.mark.parametrize(("event", "expected"), READABLE, ids=lambda value: type(value).__name__)
def test_fields_of_every_kind_of_event(event: object, expected: dict[str, object]) -> None:
    assert dict(fields(event)) == expected


@pytest.mark.spec("C3")
def test_encapsulated_classes_are_read_through_getters_and_properties() -> None:
    getters = {
        "getText": "hi",
        "get_text": "hi",
        "isShort": True,
        "is_short": True,
        "hasText": True,
        "has_text": True,
    }
    for _ in range(2):  # a cached property moves into the instance at the first reading
        assert dict(fields(zoo.Encapsulated())) == getters | {"text": "hi", "size": 2}


def test_an_overridden_getter_or_property_is_gone() -> None:
    assert {"get_text", "text"}.isdisjoint(dict(fields(zoo.Quiet())))
    assert "getText" in dict(fields(zoo.Quiet()))


def test_declared_fields_come_in_order_and_base_classes_first() -> None:
    assert [name for name, _ in fields(zoo.Circle("c", 1.0))] == ["name", "r"]
    assert [name for name, _ in fields(zoo.Data(1))] == ["x", "tags", "double"]


SURFACES = [
    (zoo.Point, {"x", "y"}),
    (zoo.Circle, {"name", "r"}),
    (zoo.Data, {"x", "tags", "kind", "double"}),
    (zoo.Attr, {"x"}),
    (zoo.Pair, {"x", "y"}),
    (zoo.Typed, {"x"}),
    (zoo.Slotted, {"x", "unset"}),
    (zoo.Priced, {"get_price", "currency"}),
    (zoo.WithMethod, {"get_price", "currency", "rate"}),
    (zoo.NamedSpeaker, {"name", "speak"}),
    (zoo.Outer, set()),
    (zoo.Outer.Inner, {"x"}),
    (Event, set()),
    (object, set()),
    (dict, set()),
    (tuple, set()),
    (zoo.Box, {"content"}),
]


@pytest.mark.spec("B4")
@pytest.mark.parametrize(("cls", "expected"), SURFACES, ids=lambda value: getattr(value, "__name__", ""))
def test_member_names_are_the_public_surface(cls: type, expected: set[str]) -> None:
    assert member_names(cls) == expected


def test_own_member_names_leave_inherited_ones_out() -> None:
    assert own_member_names(zoo.Circle) == {"r"}


@pytest.mark.spec("B5", partly=True)
def test_an_event_may_inherit_an_abstract_base_class() -> None:
    assert isinstance(zoo.Bond(), zoo.Priced)
    assert zoo.Bond().get_price() == 2.0
    with pytest.raises(TypeError, match="abstract"):
        type("Half", (Event, zoo.Priced), {})()


@pytest.mark.spec("B5", partly=True)
@pytest.mark.parametrize("bases", [(Event, zoo.HasName), (zoo.HasName, Event), (zoo.Dog, zoo.HasName)])
def test_inheriting_a_protocol_says_what_to_do_instead(bases: tuple[type, ...]) -> None:
    with pytest.raises(InvalidType, match=r"Wrong cannot inherit the Protocol HasName.*leave it out of the bases"):
        types.new_class("Wrong", bases)


def test_events_check_instances_like_other_classes() -> None:
    assert isinstance(zoo.Dog("Rex"), zoo.Dog)
    assert not isinstance(zoo.PropertyDog(), zoo.Dog)
    assert issubclass(zoo.D, zoo.A)
    assert not issubclass(zoo.A, zoo.D)


GOOD = """
from abc import ABC, abstractmethod
from msgspec import field
from rostra.model.events import Event

class Priced(ABC):
    @abstractmethod
    def get_price(self) -> float: ...

class Quote(Event, Priced, frozen=True):
    symbol: str
    price: float = 0.0
    def get_price(self) -> float:
        return self.price

class Trade(Event, kw_only=True):
    quote: Quote
    tags: list[str] = field(default_factory=list)

reveal_type(Quote("A", price=1.5).symbol)
Trade(quote=Quote("A")).tags = ["a"]
"""
BAD = (
    GOOD
    + """
Quote(1)
Quote()
Quote("A", colour="red")
Trade(Quote("A"))
Quote("A").price = 2.0
"""
)


@pytest.fixture
def mypy(tmp_path: Path) -> Callable[[str], str]:
    def run(source: str) -> str:
        (tmp_path / "snippet.py").write_text(source)
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir",
            str(tmp_path / "cache"),
            "snippet.py",
        ]
        environment = {"MYPYPATH": str(SRC), "PATH": ""}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.stdout

    return run


@pytest.mark.spec("B1", partly=True)
def test_type_checkers_know_the_constructor_of_an_event(mypy: Callable[[str], str]) -> None:
    report = [line for line in mypy(BAD).splitlines() if line.startswith("snippet.py")]
    codes = [line.rpartition("[")[2].rstrip("]") for line in report[1:]]
    assert "Revealed type" in report[0]
    assert "str" in report[0]
    assert codes == ["arg-type", "call-arg", "call-arg", "call-arg", "misc"]


def test_importing_the_model_of_types_stays_light() -> None:
    # What msgspec itself loads is its own affair, so the count starts after it.
    code = (
        "import sys, msgspec; before = set(sys.modules); sys.path.insert(0, sys.argv[1]);"
        "import rostra.model.types, rostra.model.notification, rostra.model.topics;"
        "heavy = {'dataclasses', 'inspect', 'attr', 'attrs', 'asyncio', 'numpy'};"
        "print(*sorted(heavy & (set(sys.modules) - before)))"
    )
    loaded = subprocess.run([sys.executable, "-c", code, str(SRC)], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == ""


def test_protocol_members_do_not_leak_into_the_surface_of_a_class() -> None:
    class Local(Protocol):
        def ring(self) -> Any: ...

    class Bell(Local):
        def ring(self) -> Any: ...

    assert member_names(Bell) == {"ring"}


def test_fields_come_from_one_line_of_bases() -> None:
    class Speaker(Event):
        speaker: str

    class Room(Event):
        room: str

    class Marker(Event):
        pass

    with pytest.raises(InvalidType, match=r"Talk cannot inherit fields from both Speaker and Room: give fields to one"):
        type("Talk", (Speaker, Room), {})
    assert issubclass(type("Fine", (Speaker, Marker), {}), Speaker)


class Named(Event):
    name: str


class Loud(Named):
    pass


class Sized(Named):
    size: int = 0


def test_a_diamond_of_events_needs_fields_on_one_side_only():
    class Bottom(Loud, Sized):
        pass

    assert Bottom("x", 3).size == 3

    class Other(Named):
        colour: str = ""

    with pytest.raises(InvalidType, match="from both Sized and Other"):

        class Impossible(Sized, Other):
            pass
