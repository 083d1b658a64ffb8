"""The laws of covering, overlap and merging, by brute force over a universe that tells all messages apart."""

import pytest

from rostra.conditions import And, Or
from rostra.model.normal import disjunction
from tests import brute
from tests.brute import any_test, complete_test, true_of

BUILDS = [(brute.disjunction, 1), (brute.tree, 2)]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(("build", "seed"), BUILDS)
def test_no_false_covers_and_no_false_denial_of_overlap(build, seed):
    claimed = denied = 0
    for wide, narrow in brute.pairs(seed, 30_000, build, any_test):
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
