"""Hypothesis strategies for conditions and events that collide often enough to be interesting."""

import dataclasses
import datetime as dt
import enum
from decimal import Decimal

import attrs
from hypothesis import strategies as st

import rostra
from rostra import it
from rostra.accessors import Arithmetic, Attribute, Constant, Invoke, Item, Message
from rostra.conditions import (
    Always,
    And,
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
    Or,
    Prefix,
    Suffix,
)


class Colour(enum.Enum):
    RED = "red"
    ONE = 1
    FLAG = True
    NESTED = (1, 2)


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Shout(str):
    """A subclass that lies about its order; conditions must not ask it."""

    def __lt__(self, other):
        return True

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return False


class Whole(int):
    def __eq__(self, other):
        raise RuntimeError("do not ask")

    __hash__ = int.__hash__


class Struct(rostra.Event):
    a: object = None
    b: object = None
    s: object = None


@dataclasses.dataclass
class Data:
    a: object = None
    b: object = None
    s: object = None

    def get_a(self):
        return self.a

    def fails(self):
        raise RuntimeError("no")


@attrs.define
class Attrs:
    a: object = None
    b: object = None
    s: object = None


class Encapsulated:
    """Reached through its methods, as in the papers."""

    def __init__(self, a, b, s):
        self._a, self._b, self._s = a, b, s

    def get_a(self):
        return self._a

    def get_b(self):
        return self._b

    @property
    def s(self):
        if self._s is None:
            raise LookupError("no s")
        return self._s

    def between(self, low, high):
        return low <= self._a <= high


class Mangled(dict):
    """Whatever a mapping makes up when it is asked for a key is none of ours."""

    def __getitem__(self, key):
        raise RuntimeError("broken mapping")

    def __missing__(self, key):
        raise RuntimeError("made up")

    def __repr__(self):
        return "Mangled(...)"


NUMBERS = st.one_of(
    st.sampled_from(
        [0, 1, 2, 3, -1, 1.0, 1.5, 2.5, -0.0, 10**30, float("inf"), float("-inf"), Decimal("1.5"), Decimal(1)]
    ),
    st.integers(-3, 4),
    st.floats(-2, 5),
)
TEXTS = st.one_of(st.sampled_from(["", "a", "ab", "b", "red", "aba", "a%b", "é"]), st.text("ab_%", max_size=4))
TIMES = st.sampled_from(
    [
        dt.datetime(2026, 1, 1),
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2026, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.datetime(2026, 1, 1, 0, 0, 0, 1),
        dt.date(2026, 1, 1),
        dt.date(2025, 12, 31),
    ]
)
SCALARS = st.one_of(
    NUMBERS,
    TEXTS,
    st.booleans(),
    st.sampled_from([b"", b"a", b"ab"]),
    TIMES,
    st.sampled_from([dt.timedelta(0), dt.timedelta(seconds=1)]),
)
CONSTANTS = st.one_of(SCALARS, SCALARS, st.sampled_from([Colour.RED, Colour.ONE, Level.LOW, (1, 2), (True, "a")]))
VALUES = st.one_of(
    SCALARS,
    SCALARS,
    st.none(),
    st.just(float("nan")),
    st.just(Decimal("nan")),
    st.sampled_from(
        [
            Colour.RED,
            Colour.ONE,
            Colour.FLAG,
            Colour.NESTED,
            Level.LOW,
            Level.HIGH,
            Shout("a"),
            Whole(1),
            len,
            object(),
        ]
    ),
    st.lists(SCALARS | st.none(), max_size=3),
    st.tuples(SCALARS, SCALARS),
    st.frozensets(st.integers(0, 2) | st.sampled_from(["a", "b"]), max_size=3),
    st.dictionaries(st.sampled_from(["x", "y", "upper"]), SCALARS | st.none(), max_size=2),
    st.just(bytearray(b"ab")),
)


def _event(kind, a, b, s):
    pairs = {k: v for k, v in {"a": a, "b": b, "s": s}.items() if v is not None}
    return {
        "dict": lambda: pairs,
        "struct": lambda: Struct(a, b, s),
        "data": lambda: Data(a, b, s),
        "attrs": lambda: Attrs(a, b, s),
        "encapsulated": lambda: Encapsulated(a, b, s),
        "shadowed": lambda: _shadowed(a, b, s),
        "mangled": lambda: Mangled(pairs),
        "scalar": lambda: a,
    }[kind]()


def _shadowed(a, b, s):
    event = Encapsulated(a, b, s)
    event.get_a = b
    return event


KINDS = ["dict", "struct", "data", "attrs", "encapsulated", "shadowed", "mangled", "scalar"]
EVENTS = st.builds(_event, st.sampled_from(KINDS), VALUES, VALUES, VALUES)

STEPS = st.sampled_from(["a", "b", "s", "x", "get_a", "value", "year", "upper"])


def _chains(base):
    return st.one_of(
        st.builds(Attribute, base, STEPS),
        st.builds(Item, base, st.sampled_from([0, 1, -1])),
        st.builds(Invoke, base, st.sampled_from(["get_a", "get_b", "fails", "upper", "s", "a"])),
        st.builds(lambda of, x: Invoke(of, "find", [x]), base, st.sampled_from(["a", "b", ""])),
    )


SIMPLE = st.sampled_from([it.a, it.b, it.s]).map(lambda term: term._accessor_of())
ACCESSORS = st.one_of(
    SIMPLE,
    SIMPLE,
    SIMPLE,
    _chains(st.just(Message())),
    _chains(SIMPLE),
    st.just(Message()),
    st.builds(
        Arithmetic,
        SIMPLE,
        st.sampled_from("+-*/"),
        SIMPLE | NUMBERS,
    ),
)
COMPARISONS = st.sampled_from([Equals, NotEquals, Less, LessEqual, Greater, GreaterEqual])
PATTERNS = st.text("ab_%", max_size=5)
TESTS = st.one_of(
    st.builds(lambda cls, of, c: cls(of, c), COMPARISONS, ACCESSORS, SCALARS.map(Constant)),
    st.builds(lambda cls, of, c: cls(of, c), st.sampled_from([Equals, NotEquals]), ACCESSORS, CONSTANTS.map(Constant)),
    st.builds(lambda cls, of, c: cls(of, c), COMPARISONS, ACCESSORS, ACCESSORS),
    st.builds(OneOf, ACCESSORS, st.lists(CONSTANTS, max_size=4)),
    st.builds(Prefix, ACCESSORS, TEXTS | st.sampled_from([b"a", b""])),
    st.builds(Suffix, ACCESSORS, TEXTS | st.sampled_from([b"b", b""])),
    st.builds(Contains, ACCESSORS, SCALARS),
    st.builds(Like, ACCESSORS, PATTERNS),
    st.builds(Exists, ACCESSORS),
    st.builds(InstanceOf, ACCESSORS, st.sampled_from([int, str, dict, Struct, Data, Encapsulated])),
    st.sampled_from([Always(), Never()]),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: And(*parts)),
        st.lists(inner, max_size=3).map(lambda parts: Or(*parts)),
        inner.map(Not),
        inner.map(IsTrue),
    ),
    max_leaves=6,
)
