"""The laws of covering, overlap and merging, by brute force over a universe that tells all messages apart."""

import datetime as dt
import gc
import random
import time
import weakref
from abc import ABC
from typing import Protocol, runtime_checkable

import pytest

from rostra import it
from rostra.conditions import Always, And, InstanceOf, IsTrue, Never, Or
from rostra.model.normal import disjunction
from tests import brute
from tests.brute import any_test, complete_test, true_of
from tests.model.modules import new_module

BUILDS = [(brute.disjunction, 1), (brute.tree, 2)]
SEEDS = [(brute.disjunction, 1), (brute.disjunction, 11), (brute.tree, 2), (brute.tree, 22)]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(("build", "seed"), SEEDS)
def test_no_false_covers_and_no_false_denial_of_overlap(build, seed):
    claimed = denied = 0
    for wide, narrow in brute.pairs(seed, 25_000, build, any_test):
        w, n = true_of(wide), true_of(narrow)
        if wide.covers(narrow):
            claimed += 1
            assert n & ~w == 0, (wide, narrow)
        if not wide.overlaps(narrow):
            denied += 1
            assert n & w == 0, (wide, narrow)
    assert min(claimed, denied) > 1_000  # the law must not hold for want of cases


@pytest.mark.spec("C6")
@pytest.mark.parametrize(("build", "seed"), [(brute.conjunction, 3), (brute.disjunction, 4)])
def test_on_the_complete_fragment_nothing_is_missed(build, seed):
    covered = 0
    for wide, narrow in brute.pairs(seed, 20_000, build, complete_test):
        w, n = true_of(wide), true_of(narrow)
        covered += n & ~w == 0
        assert wide.covers(narrow) is (n & ~w == 0), (wide, narrow)
        assert wide.overlaps(narrow) is (n & w != 0), (wide, narrow)
    assert covered > 1_000


@pytest.mark.spec("C6")
@pytest.mark.parametrize(("build", "seed"), BUILDS)
@pytest.mark.parametrize("test", [any_test, complete_test])
def test_a_perfect_merge_is_exactly_the_union_and_an_inexact_one_covers_it(build, seed, test):
    perfect = wider = 0
    for one, two in brute.pairs(seed, 4_000, build, test):
        union = true_of(one) | true_of(two)
        merged = one.merge(two)
        if merged is not None:
            perfect += 1
            assert true_of(merged) == union, (one, two, merged)
        loose = one.merge(two, inexact=True)
        assert loose is not None
        assert union & ~true_of(loose) == 0, (one, two, loose)
        wider += true_of(loose) != union
    assert min(perfect, wider) > 300


@pytest.mark.spec("C5")
@pytest.mark.parametrize("seed", [5, 6])
def test_the_normal_form_is_true_of_exactly_the_same_messages(seed):
    for condition, _ in brute.pairs(seed, 5_000, brute.tree, any_test):
        conjunctions = disjunction(condition)
        if conjunctions is not None:
            assert true_of(Or(*(And(*tests) for tests in conjunctions))) == true_of(condition), condition


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (it.s.endswith(".txt"), it.s == "a.txt"),
        (it.s.endswith(".txt"), it.s.is_in(["a.txt", "b.txt"])),
        (it.s.endswith("xt"), it.s.endswith(".txt")),
        (it.s.like("%a%"), it.s.like("b%a_")),
        (it.s.contains("a"), it.s.like("%a%")),
        (it.s.startswith("ab"), it.s.like("abc_%")),
        (it.s.exists(), it.s.like("_%")),
        (it.s.startswith(""), it.s < "x"),
        (it.s != "b", it.s.like("a%b_")),
        (it.pos.exists(), it.pos.x.y == 1),
        (it.pos.exists(), it.pos.norm() < 5),
        (it.a.exists() & it.b.exists(), it.a < it.b),
        (it.a.exists(), it.a + it.b > 5),
        (it.a <= it.b, it.a < it.b),
        (it.a != it.b, it.a < it.b),
        (~IsTrue(it.a == it.b), it.b > it.a),
        (InstanceOf(brute.Base), InstanceOf(brute.Derived)),
        (~InstanceOf(brute.Derived), ~InstanceOf(brute.Base)),
        (it.payload.is_a(brute.Base), it.payload.is_a(brute.Derived) & (it.x == 1)),
        (it.exists(), InstanceOf(brute.Base)),
        (IsTrue(it.x < 5), it.x < 5),
        (~IsTrue(it.x < 5), it.x >= 5),
        (~IsTrue(it.x < 5), ~it.x.exists()),
        (Always(), it.x == 1),
        (it.x == 1, Never()),
        (it.x == 1, (it.x < 0) & (it.x > 0)),
        (it.t >= dt.date(2026, 1, 1), it.t > dt.datetime(2026, 1, 1)),
        ((it.x == True) | (it.x == False), it.x.is_in([True, False])),  # noqa: E712
    ],
)
def test_beyond_the_complete_fragment_the_usual_cases_are_seen(wide, narrow):
    assert wide.covers(narrow)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("one", "two"),
    [
        (it.s.like("a%"), it.s.like("b%")),
        (it.s.like("%_a"), it.s.endswith("b")),
        (it.s.like("_"), it.s == "ab"),
        (it.s.like("a%"), it.s == 5),
        (it.s.endswith("a"), ~it.s.endswith("a")),
        (it.s.endswith("a") & ~it.s.like("%a"), Always()),
        (InstanceOf(brute.Derived), ~InstanceOf(brute.Base)),
        (it.a < it.b, it.a >= it.b),
        (it.a < it.b, ~it.a.exists()),
        (it.pos.x == 1, ~it.pos.exists()),
        (it.x == 1, it.x == True),  # noqa: E712
        (it.x == "1", it.x == b"1"),
        (it.x > "a", it.x < "a\0"),
    ],
)
def test_conditions_that_exclude_each_other(one, two):
    assert not one.overlaps(two)
    assert not two.overlaps(one)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("one", "two", "merged"),
    [
        (it.x < 5, it.x.between(5, 9), it.x <= 9),
        (it.x < 5, it.x > 5, it.x != 5),
        (it.x < 5, it.x >= 5, it.x <= float("inf")),
        (it.x == 1, it.x == 2, it.x.is_in([1, 2])),
        (it.x == 1, it.x == "a", it.x.is_in([1, "a"])),
        (it.x.is_in([1, 2]), it.x < 1, None),
        (it.x.between(1, 5), it.x.between(4, 9), it.x.between(1, 9)),
        (it.x.between(1, 5), it.x > 5, it.x >= 1),
        (it.x < 5, it.x > 9, None),
        ((it.x < 5) | (it.x > 9), it.x.between(5, 9), it.x <= float("inf")),
        (it.s.startswith("a"), it.s.startswith("ab"), it.s.startswith("a")),
        (it.s < "b", it.s.startswith("b"), it.s < "c"),
        (it.s <= "b", it.s > "b", it.s.startswith("")),
        ((it.x < 5) & (it.s == "a"), (it.x < 5) & (it.s == "b"), (it.x < 5) & it.s.is_in(["a", "b"])),
        ((it.x < 5) & (it.s == "a"), (it.x < 6) & (it.s == "b"), None),
        (it.x < 5, it.y < 5, None),
        (it.a < it.b, it.a == it.b, None),  # two equal lists are not in order
        (it.a < it.b, it.a > it.b, None),
        (it.a <= it.b, it.a < it.b, it.a <= it.b),
        (it.a <= it.b, ~IsTrue(it.a <= it.b), Always()),
        (it.s.exists(), ~it.s.exists(), Always()),
        (it.b == True, it.b == False, it.b.is_in([False, True])),  # noqa: E712
        (it.s.like("a_%"), ~IsTrue(it.s.like("a_%")), Always()),
    ],
)
def test_merging(one, two, merged):
    assert one.merge(two) == merged
    assert two.merge(one) == merged


@pytest.mark.spec("C6")
def test_inexact_merging_keeps_what_both_constrain():
    assert (it.x < 5).merge(it.x > 9, inexact=True) == (it.x <= float("inf"))
    assert (it.x.between(1, 2)).merge(it.x.between(8, 9), inexact=True) == it.x.between(1, 9)
    assert (it.x == 1).merge(it.y == 1, inexact=True) == Always()
    assert (it.x == 1).merge(it.x.startswith("a"), inexact=True) == it.x.exists()
    assert ((it.x == 1) & (it.s == "a")).merge((it.x == 2) & (it.t == "a"), inexact=True) == it.x.is_in([1, 2])
    assert ((it.a < it.b) & (it.x < 1)).merge((it.b > it.a) & (it.x < 2), inexact=True) == (it.a < it.b) & (it.x < 2)
    assert ((it.a < it.b) & (it.x < 1)).merge((it.a == it.b) & (it.x < 2), inexact=True) == (it.x < 2)
    assert ((it.x < 1) & (it.x > 1)).merge((it.y < 1) & (it.y > 1), inexact=True) is not None


def test_a_subtype_through_registration_is_not_taken_for_one_by_structure():
    class Fits(ABC):  # noqa: B024
        def name(self):
            return "x"

    class Stranger:
        pass

    @runtime_checkable
    class Named(Protocol):
        def name(self): ...

    zoo = new_module("registration", "")
    for cls in (Fits, Stranger, Named):
        cls.__qualname__, cls.__module__ = cls.__name__, "registration"
        setattr(zoo, cls.__name__, cls)
    named, fits = InstanceOf(Named), InstanceOf(Fits)
    Fits.register(Stranger)
    assert fits(Stranger())
    assert not named(Stranger())
    assert not named.covers(fits)


def test_the_work_is_bounded():
    def pigeons(holes):
        """Covered, since so many values cannot be one of each of one more kind; proving it takes factorial time."""
        wide = Or(*(And(*(it[f"x{j}"] != (i + j) % (holes + 1) for j in range(holes))) for i in range(holes + 1)))
        return wide, And(*(it[f"x{j}"] < holes + 1 for j in range(holes)))

    few, narrow = pigeons(5)
    assert few.covers(narrow)
    wide, narrow = pigeons(20)
    start = time.perf_counter()
    assert not wide.covers(narrow)  # it gives up, on the safe side
    assert wide.overlaps(narrow)
    assert time.perf_counter() - start < 5


def test_comparing_many_patterns_is_bounded():
    def patterns(seed, count):
        rng = random.Random(seed)
        letters = "abcdefghij"
        return [it.t.like(f"%{rng.choice(letters)}{'_' * 12}%{rng.choice(letters)}{'_' * 8}%") for _ in range(count)]

    one = And(*(Or(*patterns(i, 2)) for i in range(6)), it.t.endswith("x"))
    two = And(*(Or(*patterns(i + 50, 2)) for i in range(6)), it.t.endswith("y"))
    many, wide = And(*patterns(1, 38)), Or(*patterns(2, 30))
    long = "".join(chr(0x4E00 + i) for i in range(1000))
    start = time.perf_counter()
    assert one.overlaps(two)  # they exclude each other, but that is too much to find out
    assert not wide.covers(many)
    assert many.merge(wide) is None
    assert many.merge(wide, inexact=True) is not None
    assert not it.t.like(f"%{long[:500]}_%").covers(it.t.like(f"%{long[500:]}_%"))
    assert time.perf_counter() - start < 10


def test_comparing_large_sets_is_quick():
    even, odd = it.x.is_in(range(0, 20_000, 2)), it.x.is_in(range(1, 20_000, 2))
    start = time.perf_counter()
    assert not even.covers(odd)
    assert not even.overlaps(odd)
    assert even.merge(odd) is not None
    wide = Or(*(it[f"v{i}"].is_in(range(500)) & it[f"w{i}"].is_in(range(333)) for i in range(32)))
    wide.covers(And(*(it[f"{v}{i}"].is_in(range(1000)) for i in range(32) for v in "vw")))
    assert time.perf_counter() - start < 10


def test_a_condition_of_code_is_not_kept_alive():
    class Code:
        def __call__(self, message):
            return True

    code = Code()
    alive = weakref.ref(code)
    condition = (it.x == 1) & code
    assert condition.overlaps(it.x < 5)
    del code, condition
    gc.collect()
    assert alive() is None
