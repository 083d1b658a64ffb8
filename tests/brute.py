"""Sets of messages, exactly: a small universe of messages, and for each condition the subset it is true of.

The universe holds a message for every way in which the constants below can tell messages apart, so on
conditions built from them set inclusion over the universe *is* covering. Subsets are integers used as bitsets;
each single test is evaluated once on every message, combinations are combined bitwise.
"""

import datetime as dt
import functools
import random
from itertools import product

from rostra import it
from rostra.conditions import Always, And, Exists, InstanceOf, IsTrue, Never, Not, OneOf, Or

NAN = float("nan")
DAY = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
NEXT = DAY + dt.timedelta(microseconds=1)


class Base:
    pass


class Derived(Base):
    pass


# What conditions compare each attribute with; the values below lie on, between and beyond these constants.
NUMBERS = [1, 2, 3]
TEXTS = ["", "a", "ab", "b"]
CONSTANTS = {
    "a": [*NUMBERS, *NUMBERS, *TEXTS, *TEXTS, True, b"a", DAY],
    "b": [*NUMBERS, "a"],
    "c.x": [1, 2],
}

A_VALUES = [
    None, NAN, ["a"], ["b"], 0, 1, 1.5, 2, 2.5, 3, 4, float("inf"), float("-inf"),
    "", "A", "a", "a\0", "aa", "ab", "aba", "abb", "ac", "az", "b", "ba", "bz", "c",
    True, False, b"", b"a", b"a\0", b"b", DAY - dt.timedelta(1), DAY, NEXT, NEXT + dt.timedelta(1),
]  # fmt: skip
B_VALUES = [None, NAN, ["a"], 0, 1, 1.5, 2, 2.5, 3, 4, "", "a", "aa", "b", True]
C_VALUES = [
    None, {"x": NAN}, {"x": 0}, {"x": 1}, {"x": 1.5}, {"x": 2}, {"x": 3}, {"x": "a"}, {}, 1, Base(), Derived(),
]  # fmt: skip


def message(a, b, c):
    return {key: value for key, value in {"a": a, "b": b, "c": c}.items() if value is not None}


UNIVERSE = [message(*values) for values in product(A_VALUES, B_VALUES, C_VALUES)]
ALL = (1 << len(UNIVERSE)) - 1


@functools.cache
def answers(test):
    """The messages of which a test is true, and those of which it is false."""
    true = false = 0
    for i, event in enumerate(UNIVERSE):
        decided = test.decide(event)
        true |= (decided is True) << i
        false |= (decided is False) << i
    return true, false


def true_and_false(condition):
    parts = [true_and_false(part) for part in condition.parts()]
    match condition:
        case Always():
            return ALL, 0
        case Never():
            return 0, ALL
        case Not():
            [(true, false)] = parts
            return false, true
        case IsTrue():
            [(true, false)] = parts
            return true, ALL & ~true
        case And():
            return functools.reduce(lambda p, q: (p[0] & q[0], p[1] | q[1]), parts)
        case Or():
            return functools.reduce(lambda p, q: (p[0] | q[0], p[1] & q[1]), parts)
    return answers(condition)


def true_of(condition):
    return true_and_false(condition)[0]


def complete_test(rng):
    """A test from the fragment in which covers and overlaps never give up."""
    name, term = rng.choice([("a", it.a), ("a", it.a), ("b", it.b), ("c.x", it.c.x)])
    constants = CONSTANTS[name]
    constant = rng.choice(constants)
    texts = [c for c in constants if isinstance(c, str | bytes)] or [""]
    return rng.choice(
        [
            lambda: term == constant,
            lambda: term != constant,
            lambda: term < constant,
            lambda: term <= constant,
            lambda: term > constant,
            lambda: term >= constant,
            lambda: term.between(1, 2),
            lambda: OneOf(term, rng.sample(constants, rng.randint(1, 2))),
            lambda: term.startswith(rng.choice(texts)),
            lambda: Exists(rng.choice([it.a, it.b, it.c, it.c.x])),
        ]
    )()


def any_test(rng):
    """A test of any kind."""
    if rng.random() < 0.5:
        return complete_test(rng)
    number = rng.choice(NUMBERS)
    return rng.choice(
        [
            lambda: it.a.endswith(rng.choice(["a", "b", "ab", b"a"])),
            lambda: it.a.contains(rng.choice(["a", "b", "ab", 1])),
            lambda: it.a.like(rng.choice(["%a%", "a_", "_b%", "%", "a%b", "_", "%a", "__"])),
            lambda: it.a < it.b,
            lambda: it.a <= it.b,
            lambda: it.a == it.b,
            lambda: it.b != it.a,
            lambda: it.b > it.a,
            lambda: it.a == it.a,
            lambda: it.a + it.b > number,
            lambda: it.b * 2 <= number,
            lambda: InstanceOf(it.c, rng.choice([Base, Derived, dict, int])),
            lambda: it.a == ("a",),
            lambda: it.a.upper() == rng.choice(["A", "B"]),
            lambda: it.a[0] == rng.choice(["a", "b"]),
            Always,
            Never,
        ]
    )()


def conjunction(rng, test):
    return And(*(_maybe_negated(rng, test(rng)) for _ in range(rng.randint(1, 3))))


def disjunction(rng, test):
    return Or(*(conjunction(rng, test) for _ in range(rng.choice([1, 1, 1, 2, 3]))))


def tree(rng, test, depth=3):
    """Any combination, IsTrue included."""
    if depth == 0 or rng.random() < 0.3:
        return test(rng)
    return rng.choice(
        [
            lambda: And(*(tree(rng, test, depth - 1) for _ in range(rng.randint(1, 3)))),
            lambda: Or(*(tree(rng, test, depth - 1) for _ in range(rng.randint(1, 3)))),
            lambda: Not(tree(rng, test, depth - 1)),
            lambda: IsTrue(tree(rng, test, depth - 1)),
        ]
    )()


def _maybe_negated(rng, condition):
    return Not(condition) if rng.random() < 0.2 else condition


def pairs(seed, count, build, test):
    rng = random.Random(seed)
    for _ in range(count):
        yield build(rng, test), build(rng, test)
