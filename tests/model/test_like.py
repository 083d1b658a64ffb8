"""LIKE: the language, in linear time, and the comparison of patterns."""

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra.errors import InvalidValue
from rostra.model import like
from tests import oracle

PATTERNS = st.text("ab_%", max_size=7)
TEXTS = ["".join(letters) for size in range(9) for letters in itertools.product("abc", repeat=size)]


@pytest.mark.spec("A11")
@settings(max_examples=2000, deadline=None)
@given(PATTERNS, st.text("ab\n", max_size=9))
def test_matching_follows_the_textbook(pattern, text):
    parsed = like.parse(pattern)
    assert like.matches(parsed, text) is oracle.like(parsed, text)


@settings(max_examples=1000, deadline=None)
@given(st.text("ab_%!\\", max_size=6))
def test_a_pattern_prints_and_parses_back(text):
    try:
        pattern = like.parse(text, "!")
    except InvalidValue:
        assert text.endswith("!")
        return
    assert like.parse(like.text_of(pattern), "\\") == pattern


def test_an_escape_is_one_character():
    with pytest.raises(InvalidValue, match="one character"):
        like.parse("a%", "ab")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("%a" * 50 + "%b", "a" * 100_000),
        ("%" + "_" * 50 + "a%b", "a" * 100_000),
        ("%" + "a_" * 60 + "b%", "a" * 100_000),
        ("%" * 4000, "a" * 100_000),
        ("_%" * 2000, "a" * 100_000),
        ("%" + "a" * 3000 + "b%", "a" * 100_000),
    ],
)
def test_hostile_patterns_take_linear_time(pattern, text):
    start = time.perf_counter()
    like.matches(like.parse(pattern), text)
    assert time.perf_counter() - start < 1


@pytest.mark.spec("C6")
@settings(max_examples=300, deadline=None)
@given(st.text("ab_%", max_size=4), st.text("ab_%", max_size=4))
def test_comparing_patterns_is_comparing_their_languages(one, two):
    one, two = like.parse(one), like.parse(two)
    first = {text for text in TEXTS if like.matches(one, text)}
    second = {text for text in TEXTS if like.matches(two, text)}
    assert like.pattern_covers(one, two) is (second <= first)
    assert like.patterns_meet(one, two) is bool(first & second)


def test_comparing_patterns_gives_up_on_the_safe_side():
    wild = like.parse("%a" + "_" * 30 + "%b" + "_" * 30)
    other = like.parse("%b" + "_" * 30 + "%a" + "_" * 31)
    start = time.perf_counter()
    assert not like.pattern_covers(wild, other)
    assert like.patterns_meet(wild, other)
    assert time.perf_counter() - start < 2
