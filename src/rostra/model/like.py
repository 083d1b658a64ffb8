r"""LIKE patterns: `%` is any text, `_` any one character, everything else itself.

Matching takes time linear in the text. A pattern is cut at its `%` into segments; the first is anchored at the
start, the last at the end, those between are found leftmost one after the other, which is optimal because
each `%` can stretch. A segment without `_` is found with `str.find`; one with `_` by a bit-parallel automaton
(one integer operation per character), so no pattern makes the search back up.

`pattern_covers` and `patterns_meet` compare the *languages* of two patterns.
"""

from __future__ import annotations

import functools
from typing import Final, TypeAlias

from rostra.defaults import PATTERN_ANSWERS, PATTERN_WORK
from rostra.errors import InvalidValue
from rostra.model.work import GiveUp, Work

ANY: Final = None
"""In a segment: the place of `_`."""

Segment: TypeAlias = tuple[str | None, ...]
"""Characters and ANYs."""

Pattern: TypeAlias = tuple[Segment, ...]
"""Segments with a `%` between each two; a pattern without `%` is a single segment."""


def parse(text: str, escape: str | None = None) -> Pattern:
    """Read a LIKE pattern; a character after `escape` stands for itself."""
    if escape is not None and len(escape) != 1:
        raise InvalidValue(f"the escape of a LIKE pattern is one character, not {escape!r}")
    segments: list[list[str | None]] = [[]]
    characters = iter(text)
    for character in characters:
        if character == escape:
            literal = next(characters, None)
            if literal is None:
                raise InvalidValue(f"the LIKE pattern {text!r} ends in its escape character")
            segments[-1].append(literal)
        elif character == "%":
            if len(segments) == 1 or segments[-1]:
                segments.append([])
        else:
            segments[-1].append(ANY if character == "_" else character)
    return tuple(tuple(segment) for segment in segments)


def text_of(pattern: Pattern, escape: str = "\\") -> str:
    """Return the pattern as text, escaped with `escape`."""
    special = {"%", "_", escape}

    def written(segment: Segment) -> str:
        return "".join("_" if c is ANY else escape + c if c in special else c for c in segment)

    return "%".join(map(written, pattern))


def matches(pattern: Pattern, text: str) -> bool:
    """Say whether the whole text matches the pattern."""
    first, last = pattern[0], pattern[-1]
    if len(pattern) == 1:
        return len(text) == len(first) and _stands_at(first, text, 0)
    end = len(text) - len(last)
    if end < len(first) or not (_stands_at(first, text, 0) and _stands_at(last, text, end)):
        return False
    start = len(first)
    for segment in pattern[1:-1]:
        found = _find(segment, text, start, end)
        if found < 0:
            return False
        start = found + len(segment)
    return True


def _stands_at(segment: Segment, text: str, start: int) -> bool:
    return all(c is ANY or c == text[start + i] for i, c in enumerate(segment))


def _find(segment: Segment, text: str, start: int, end: int) -> int:
    """Return the leftmost place of the segment within text[start:end], -1 if none."""
    if ANY not in segment:
        return text.find("".join(filter(None, segment)), start, end)
    everywhere = sum(1 << i for i, c in enumerate(segment) if c is ANY)
    masks: dict[str, int] = {}
    for i, c in enumerate(segment):
        if c is not ANY:
            masks[c] = masks.get(c, everywhere) | 1 << i
    reached, goal = 0, 1 << (len(segment) - 1)
    for at in range(start, end):
        reached = (reached << 1 | 1) & masks.get(text[at], everywhere)
        if reached & goal:
            return at - len(segment) + 1
    return -1


# The languages of patterns, by their automata. A state is a place in the flat pattern; at a "%" (written STAR)
# the automaton may stay. Only characters that occur in the patterns matter, and one that occurs in neither.

_STAR: Final = "%%"
_FOREIGN: Final = "foreign"


def _flat(pattern: Pattern) -> tuple[str | None, ...]:
    places: list[str | None] = []
    for i, segment in enumerate(pattern):
        places += [_STAR] * (i > 0)
        places += segment
    return tuple(places)


def _closure(places: tuple[str | None, ...], states: frozenset[int]) -> frozenset[int]:
    reached = set(states)
    for state in states:
        at = state
        while at < len(places) and places[at] == _STAR:
            at += 1
            reached.add(at)
    return frozenset(reached)


def _step(places: tuple[str | None, ...], states: frozenset[int], character: str) -> frozenset[int]:
    following = set()
    for state in states:
        if state < len(places):
            if places[state] == _STAR:
                following.add(state)
            elif places[state] is ANY or places[state] == character:
                following.add(state + 1)
    return _closure(places, frozenset(following))


@functools.lru_cache(maxsize=PATTERN_ANSWERS)
def _explore(first: Pattern, second: Pattern, *, goal_second: bool) -> bool | None:
    """Look for a text in the first language that is (or is not) in the second; None: too much work."""
    one, two = _flat(first), _flat(second)
    letters = sorted({c for c in (*one, *two) if c is not None and c != _STAR})
    letters.append(_FOREIGN)
    start = (_closure(one, frozenset({0})), _closure(two, frozenset({0})))
    seen, queue = {start}, [start]
    work = Work(PATTERN_WORK)
    try:
        while queue:
            a, b = queue.pop()
            if len(one) in a and (len(two) in b) is goal_second:
                return True
            work.spend((len(a) + len(b) + 2) * len(letters))
            for letter in letters:
                state = (_step(one, a, letter), _step(two, b, letter))
                if state[0] and state not in seen and (state[1] or not goal_second):
                    seen.add(state)
                    queue.append(state)
    except GiveUp:
        return None
    return False


def pattern_covers(wide: Pattern, narrow: Pattern) -> bool:
    """Say whether every text that matches `narrow` matches `wide`; False also when it cannot tell."""
    return _explore(narrow, wide, goal_second=False) is False


def patterns_meet(first: Pattern, second: Pattern) -> bool:
    """Say whether some text matches both; True also when it cannot tell."""
    return _explore(first, second, goal_second=True) is not False
