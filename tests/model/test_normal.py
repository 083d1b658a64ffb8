"""The normal form: four questions, and a bound."""

import time

import pytest

from rostra import it
from rostra.conditions import Always, And, IsTrue, Never, Not, Or
from rostra.model.normal import Ask, asked, disjunction, literal


@pytest.mark.spec("C5")
def test_any_logic_becomes_conjunctions():
    a, b, c = it.a == 1, it.b == 2, it.c.startswith("x")
    assert disjunction(a & (b | c)) == ((a, b), (a, c))
    assert disjunction(~(a & b)) == ((it.a != 1,), (it.b != 2,))
    assert disjunction(~IsTrue(a & c)) == ((~IsTrue(a),), (~IsTrue(c),))
    assert disjunction(~IsTrue(~c)) == ((~IsTrue(~c),),)
    assert disjunction(IsTrue(a) & a) == ((a,),)
    assert disjunction(Always()) == ((),)
    assert disjunction(Never()) == ()


@pytest.mark.spec("C5")
def test_a_condition_that_would_explode_stays_a_tree():
    big = And(*(Or(it[f"a{i}"] == 1, it[f"b{i}"] == 1) for i in range(30)))
    start = time.perf_counter()
    assert disjunction(big) is None
    assert disjunction(Or(*(it.x == i for i in range(65)))) is None
    narrow, wide = And(big, it.z == 1), Or(big, it.z == 1)
    assert big.covers(narrow)
    assert wide.covers(big)
    assert not narrow.covers(big)
    assert big.overlaps(wide)
    assert not (it.z == 2).overlaps(And(big, it.z == 1))
    assert big.merge(it.z == 1) is None
    assert big.merge(it.z == 1, inexact=True).covers(big)
    assert big({f"a{i}": 1 for i in range(30)})
    assert time.perf_counter() - start < 2


def test_a_literal_is_a_question_about_a_test():
    test = it.a.startswith("x")
    assert [literal(test, ask) for ask in Ask] == [test, Not(test), ~IsTrue(test), ~IsTrue(~test)]
    for ask in Ask:
        assert asked(literal(test, ask)) == (test, ask)
    assert literal(it.a.exists(), Ask.NOT_TRUE) == ~it.a.exists()
