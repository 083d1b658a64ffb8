"""Example classes of every kind that can be an event or a type, importable as tests need them."""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypedDict, TypeVar

import attrs
import msgspec

from rostra.model.events import Event

T = TypeVar("T")


# Figure 1 of the paper: a diamond.
class A(Event):
    pass


class B(A):
    pass


class C(A):
    pass


class D(B, C):
    pass


# The talk example: two departments, and what both are interested in.
class DSC(ABC):  # noqa: B024  an interface that only marks
    pass


class DI(ABC):  # noqa: B024  an interface that only marks
    pass


class DE(ABC):  # noqa: B024  an interface that only marks
    pass


class Talk(DSC, DI):
    def __init__(self, speaker: str, descr: str) -> None:
        self._speaker = speaker
        self._descr = descr

    def getSpeaker(self) -> str:
        return self._speaker

    def getDescr(self) -> str:
        return self._descr


class InvitedTalk(Talk):
    pass


class DSCTalk(DSC):
    def get_room(self) -> str:
        return "INR 113"


class Seminar(DSCTalk):
    pass


# Pure classes of an abstract base class.
class Priced(ABC):
    @abstractmethod
    def get_price(self) -> float: ...

    @property
    @abstractmethod
    def currency(self) -> str: ...


class Stock(Priced):
    """Pure: everything public is in the interface."""

    _price = 1.0

    def get_price(self) -> float:
        return self._price

    @property
    def currency(self) -> str:
        return "CHF"


class Bond(Event, Priced):
    """Pure, and an event: its field is private."""

    _price: float = 2.0

    def get_price(self) -> float:
        return self._price

    @property
    def currency(self) -> str:
        return "EUR"


class Extra(Stock):
    """Not pure: its base is a class."""


class WithMethod(Priced):
    def get_price(self) -> float:
        return 1.0

    currency = "CHF"

    def rate(self) -> float:
        return 1.0


class WithField(Event, Priced):
    issuer: str
    currency: str = "CHF"

    def get_price(self) -> float:
        return 1.0


class WithProperty(Stock.__bases__[0]):  # type: ignore[misc]
    currency = "CHF"

    def get_price(self) -> float:
        return 1.0

    @property
    def issuer(self) -> str:
        return "x"


class Twofold(Priced, DSC):
    """Not pure: two interfaces."""

    currency = "CHF"

    def get_price(self) -> float:
        return 1.0


class Shape(Event, ABC):
    name: str


class Blob(Shape):
    pass


class Circle(Shape):
    r: float


class DeepPriced(Priced):
    """An interface that extends an interface: it leaves methods abstract."""

    @abstractmethod
    def get_depth(self) -> int: ...


class SamePriced(Priced, ABC):
    """An interface of its own although it adds nothing: only classes are pure."""


class Sized(Priced):
    """Pure: special methods are not public names."""

    currency = "CHF"

    def get_price(self) -> float:
        return 1.0

    def __len__(self) -> int:
        return 1


# Protocols.
class HasName(Protocol):
    name: str


class Speaks(Protocol):
    def speak(self) -> str: ...


class NamedSpeaker(HasName, Speaks, Protocol):
    pass


class Marker(Protocol):
    pass


class MarkedName(Marker, HasName, Protocol):
    pass


class Countable(Protocol):
    def __len__(self) -> int: ...


class Dog(Event):
    name: str

    def speak(self) -> str:
        return "wuff"


class PropertyDog:
    @property
    def name(self) -> str:
        return "Rex"

    def speak(self) -> str:
        return "wuff"


class Puppy(PropertyDog):
    """Conforms through its base class although it takes a member away."""

    speak = None  # type: ignore[assignment]


class Mute(Event):
    name: str
    speak: bool = False


class NameMethod:
    def name(self) -> str:
        return "x"


class Nameless:
    name = None


class Marked(Marker):
    name = "x"


class PureSpeaker(Speaks):
    def speak(self) -> str:
        return "hello"


class Orator(Speaks):
    fee: int = 3

    def speak(self) -> str:
        return "friends"


# Fields of all kinds of classes.
class Point(Event):
    x: int
    y: int = 0


class Struct(msgspec.Struct):
    x: int
    _hidden: int = 1


@dataclass
class Data:
    x: int
    tags: list[str] = field(default_factory=list)
    kind: ClassVar[str] = "data"

    @property
    def double(self) -> int:
        return 2 * self.x


@dataclass(slots=True)
class Slim:
    x: int
    gone: str | None = None


@attrs.define
class Attr:
    x: int
    _hidden: int = 0


class Pair(NamedTuple):
    x: int
    y: str | None = None


OldPair = namedtuple("OldPair", "x y")


class Typed(TypedDict):
    x: int


class Plain:
    x: int
    late: int
    kind: ClassVar[str] = "plain"
    other_kind: "ClassVar[str]" = "plain"  # noqa: UP037  quoted twice, by us and by the future import

    def __init__(self) -> None:
        self.x = 1
        self.loose = "loose"
        self._private = 3
        self.callback = print
        self.nothing = None


class Slotted:
    __slots__ = ("_z", "unset", "x")

    def __init__(self) -> None:
        self.x = 1
        self._z = 3


class OneSlot:
    __slots__ = "x"  # noqa: PLC0205  legal Python

    def __init__(self) -> None:
        self.x = 1


class Encapsulated:
    def __init__(self) -> None:
        self._text = "hi"

    def getText(self) -> str:
        return self._text

    def get_text(self) -> str:
        return self._text

    def isShort(self) -> bool:
        return True

    def is_short(self) -> bool:
        return True

    def hasText(self) -> bool:
        return True

    def has_text(self) -> bool:
        return True

    def get_nothing(self) -> None:
        return None

    def get_angry(self) -> str:
        raise RuntimeError("angry")

    def get_part(self, index: int) -> str:
        return self._text[index]

    def get_default(self, index: int = 0) -> str:
        return self._text[index]

    def get_any(self, *args: int) -> str:
        return self._text

    def get_keyword(self, *, index: int = 0) -> str:
        return self._text

    async def get_async(self) -> str:
        return self._text

    def get_many(self) -> Any:
        yield self._text

    @staticmethod
    def get_static() -> int:
        return 1

    @classmethod
    def get_class(cls) -> int:
        return 1

    def getaway(self) -> str:
        return "not a getter"

    def issue(self) -> str:
        return "not a getter"

    def _get_private(self) -> str:
        return self._text

    @property
    def text(self) -> str:
        return self._text

    @cached_property
    def size(self) -> int:
        return len(self._text)

    @property
    def broken(self) -> str:
        raise ValueError("broken")


class Quiet(Encapsulated):
    """Takes a getter and a property away again."""

    get_text = None  # type: ignore[assignment]
    text = None  # type: ignore[assignment]


class Outer:
    class Inner(Event):
        x: int

        class Core:
            pass


class Box(Event, Generic[T]):
    content: T


class Color(enum.Enum):
    RED = "red"
    NONE = None


class Level(enum.IntEnum):
    LOW = 1


class Ping(Event):
    pass


class Node:
    """A node of a graph: may be shared, and part of a cycle."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.next: Node | None = None


class Person(Event):
    id: int
    friend: Any = None


class Fresh:
    """Gives a new, equal object at every reading."""

    x = 1

    @property
    def one(self) -> list[int]:
        return [1]

    @property
    def two(self) -> list[int]:
        return [1]


class Abyss:
    @property
    def deeper(self) -> Abyss:
        return Abyss()


def local_class() -> type:
    class Local(Event):
        x: int

    return Local


class FromLocal(local_class()):  # type: ignore[misc]
    pass


class Hidden:
    pass


Unreachable = Hidden
del Hidden


class Homonym:
    class Talk:
        pass
