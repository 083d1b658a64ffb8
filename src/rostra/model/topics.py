"""Topics and the patterns that address many of them.

A topic is a path such as `/Chat/Insomnia`; `/` is the abstract root of all. A pattern is a path in which the
segment `*` stands for exactly one level and `**` for any number of levels, none included. Wildcards are whole
segments: an asterisk inside a name is refused in both, so nobody takes a name for a pattern.

How patterns compare. A wildcard run such as `*/**/*` means "at least two levels", in whatever order it was
written, so every run is stored as its stars first and one `**` last; then two patterns are equal exactly when
they match the same topics. A stored pattern is a row of *blocks* (names and single stars, of fixed length)
with *gaps* between them (at least so many levels, no upper bound). A pattern matches a topic when its blocks
can be laid onto the topic in order, the first at the start and the last at the end, with enough levels in
every gap. As gaps have no upper bound, laying each block as far left as it goes never hurts, hence no
backtracking: time is at most length times length.

The same procedure decides `covers`, with the other pattern in the place of the topic: a block may lie on
names and single stars but not on a `**`, and a `**` counts as no level, the fewest it can stand for.
`overlaps` walks both patterns at once, as a product of two small automata.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

from rostra import defaults
from rostra.errors import InvalidType, InvalidValue, LimitExceeded
from rostra.model.node import Node

ONE: Final = "*"
ANY: Final = "**"

# Control characters, line separators, and lone surrogates, which no encoding can carry.
_UNPRINTABLE: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@functools.total_ordering
class Topic(Node):
    """A place in the hierarchy of topics: an immutable path that compares, sorts and hashes by value.

        Topic("/Chat") / "Insomnia" == Topic("/Chat/Insomnia")

    Raises `InvalidValue` for text that is not a topic and `LimitExceeded` for one that is too long or deep.
    """

    __slots__ = ("segments",)
    segments: tuple[str, ...]
    """The names along the path; none for the root."""

    def __new__(cls, path: str) -> Topic:
        segments = _split(path, "topic", defaults.TOPIC_BYTES, defaults.TOPIC_LEVELS)
        if any(ONE in segment for segment in segments):
            raise InvalidValue(f"topic {path!r} has a wildcard: use TopicPattern({path!r}) to address many topics")
        return cls._of(segments)

    @classmethod
    def from_dotted(cls, name: str) -> Topic:
        """Return the topic that other systems write with dots: `iit.sales` is `/iit/sales`."""
        _require_text(name, "dotted topic")
        if not name or "/" in name:
            raise InvalidValue(f"dotted topic {name!r} is empty or contains '/': write Topic(...) for a path")
        return cls("/" + name.replace(".", "/"))

    @property
    def name(self) -> str:
        """The last name of the path; `/` for the root."""
        return self.segments[-1] if self.segments else "/"

    @property
    def parent(self) -> Topic | None:
        """The topic above this one; None above the root."""
        return Topic._of(self.segments[:-1]) if self.segments else None

    @property
    def parents(self) -> tuple[Topic, ...]:
        """All topics above this one, nearest first, the root last."""
        return tuple(Topic._of(self.segments[:depth]) for depth in reversed(range(len(self.segments))))

    @property
    def subtree(self) -> TopicPattern:
        """The pattern of this topic and every topic below it."""
        return _pattern((*self.segments, ANY))

    def is_subtopic_of(self, other: Topic | str) -> bool:
        """Tell whether this topic is below the other; no topic is below itself."""
        other = _as_topic(other)
        return len(self.segments) > len(other.segments) and self.is_in_line_with(other)

    def is_in_line_with(self, other: Topic | str) -> bool:
        """Tell whether one of the two topics is the other, or above it, or below it."""
        return all(mine == theirs for mine, theirs in zip(self.segments, _as_topic(other).segments, strict=False))

    def __truediv__(self, child: str) -> Topic:
        if not isinstance(child, str):
            return NotImplemented
        return Topic(f"{self}/{child}" if self.segments else f"/{child}")

    def __str__(self) -> str:
        return "/" + "/".join(self.segments)

    def __repr__(self) -> str:
        return f"Topic({str(self)!r})"

    def __lt__(self, other: object) -> bool:
        return self.segments < other.segments if isinstance(other, Topic) else NotImplemented


class TopicPattern(Node):
    """A path in which `*` stands for one level and `**` for any number: `/quotes/*/tech/**`.

    Patterns compare and hash by what they match: `/**/*` is `/*/**`. Raises what `Topic` raises.
    """

    __slots__ = ("_blocks", "_gaps", "segments")
    _blocks: tuple[tuple[str, ...], ...]
    _gaps: tuple[int, ...]
    segments: tuple[str, ...]
    """The names and wildcards along the path."""

    def __new__(cls, path: str) -> TopicPattern:
        # One segment more than a topic, so that the subtree of every topic can be written down.
        segments = _split(path, "topic pattern", defaults.TOPIC_BYTES + len("/**"), defaults.TOPIC_LEVELS + 1)
        for segment in segments:
            if ONE in segment and segment not in {ONE, ANY}:
                raise InvalidValue(
                    f"topic pattern {path!r}: {segment!r} mixes a name with a wildcard; use * or ** as a whole segment"
                )
        return _pattern(segments)

    @property
    def is_wildcard(self) -> bool:
        """Whether this pattern has a wildcard; without one it matches a single topic."""
        return ONE in self.segments or ANY in self.segments

    @property
    def topic(self) -> Topic | None:
        """The single topic this pattern matches; None if it has a wildcard."""
        return None if self.is_wildcard else Topic._of(self.segments)

    def matches(self, topic: Topic | str) -> bool:
        """Tell whether the topic is one of those this pattern addresses."""
        return self._fits(_as_topic(topic).segments)

    def covers(self, other: TopicPattern | str) -> bool:
        """Tell whether this pattern matches every topic the other one matches."""
        return self._fits(_as_pattern(other).segments)

    def overlaps(self, other: TopicPattern | str) -> bool:
        """Tell whether some topic is matched by both patterns."""
        mine, theirs = self.segments, _as_pattern(other).segments
        reached, pending = {(0, 0)}, [(0, 0)]
        while pending:
            new = _steps(mine, theirs, *pending.pop()) - reached
            reached |= new
            pending.extend(new)
        return (len(mine), len(theirs)) in reached

    def _fits(self, row: tuple[str, ...]) -> bool:
        """Lay the blocks onto a row of names (or of names and wildcards) as the module's docstring says."""
        first, last = self._blocks[0], self._blocks[-1]
        if ONE not in first:  # the two most common patterns: a single topic, and a topic with all below it
            if not self._gaps:
                return row == first
            if self._gaps == (0,) and not last:
                return row[: len(first)] == first
        if not self._gaps:
            return len(first) == len(row) and _lies_on(first, row, 0)
        end = len(row) - len(last)
        if end < len(first) or not _lies_on(first, row, 0) or not _lies_on(last, row, end):
            return False
        at = len(first)
        for gap, block in zip(self._gaps, self._blocks[1:-1], strict=False):
            found = _find(block, row, _after(row, at, gap))
            if found is None:
                return False
            at = found + len(block)
        return _after(row, at, self._gaps[-1]) <= end

    def __str__(self) -> str:
        return "/" + "/".join(self.segments)

    def __repr__(self) -> str:
        return f"TopicPattern({str(self)!r})"


def receives_in_line(node: Topic, addressed: Topic) -> bool:
    """Tell whether a subscription to a node hears a message by the rule of SwiftMQ.

    It hears what is addressed to the node itself, to any node above and to any node below: `iit.sales` hears
    `iit` and `iit.sales.US` but not `iit.projects`. One question per message, so each is heard once.
    """
    return addressed.is_in_line_with(node)


def _as_topic(topic: Topic | str) -> Topic:
    return topic if isinstance(topic, Topic) else Topic(topic)


def _as_pattern(pattern: TopicPattern | str) -> TopicPattern:
    return pattern if isinstance(pattern, TopicPattern) else TopicPattern(pattern)


def _split(path: str, kind: str, most_bytes: int, most_levels: int) -> tuple[str, ...]:
    _require_text(path, kind)
    if len(path) > most_bytes or len(path.encode(errors="replace")) > most_bytes:
        raise LimitExceeded(f"{kind} {path[:40]!r}... is longer than {most_bytes} bytes: use shorter names")
    if not path.startswith("/"):
        raise InvalidValue(f"{kind} {path!r} must start with '/': write {'/' + path!r}")
    segments = tuple(path[1:].split("/")) if path != "/" else ()
    if len(segments) > most_levels:
        raise LimitExceeded(f"{kind} {path[:40]!r}... has more than {most_levels} levels: nest less")
    for segment in segments:
        _check_segment(segment, path, kind)
    return segments


def _require_text(path: object, kind: str) -> None:
    if not isinstance(path, str):
        raise InvalidType(f"a {kind} is text, not {type(path).__name__}: write it in quotes")


def _check_segment(segment: str, path: str, kind: str) -> None:
    if not segment:
        raise InvalidValue(f"{kind} {path!r} has an empty segment: leave out doubled and trailing slashes")
    if segment in {".", ".."}:
        # Topics become directories and addresses elsewhere, where these segments would lead out of the tree.
        raise InvalidValue(f"{kind} {path!r} has the segment {segment!r}: topics are absolute, write the full path")
    if _UNPRINTABLE.search(segment):
        raise InvalidValue(f"{kind} {path!r} has a control character: use printable names")


def _pattern(segments: Sequence[str]) -> TopicPattern:
    """Return the pattern of segments that are known to be valid."""
    canonical = _canonical(segments)
    return TopicPattern._of(*_blocks_and_gaps(canonical), canonical)


def _canonical(segments: Sequence[str]) -> tuple[str, ...]:
    """Write every run of wildcards as its single stars followed by at most one `**`."""
    row: list[str] = []
    unbounded = False
    for segment in segments:
        if segment == ANY:
            unbounded = True
            continue
        if unbounded and segment != ONE:
            row.append(ANY)
            unbounded = False
        row.append(segment)
    return (*row, ANY) if unbounded else tuple(row)


def _blocks_and_gaps(canonical: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[int, ...]]:
    """Cut a canonical row at every `**`; the stars before it are the least length of the gap."""
    blocks: list[tuple[str, ...]] = []
    gaps: list[int] = []
    block: list[str] = []
    for segment in canonical:
        if segment != ANY:
            block.append(segment)
            continue
        least = 0
        while block and block[-1] == ONE:
            block.pop()
            least += 1
        blocks.append(tuple(block))
        gaps.append(least)
        block = []
    return (*blocks, tuple(block)), tuple(gaps)


def _lies_on(block: Sequence[str], row: Sequence[str], at: int) -> bool:
    """Tell whether each segment of the block accepts what it lies on: a star any one level, a name itself."""
    return all(
        segment == row[at + offset] or (segment == ONE and row[at + offset] != ANY)
        for offset, segment in enumerate(block)
    )


def _find(block: Sequence[str], row: Sequence[str], start: int) -> int | None:
    """Return the first place from start on where the block lies on the row."""
    places = range(start, len(row) - len(block) + 1)
    return next((at for at in places if _lies_on(block, row, at)), None)


def _after(row: Sequence[str], at: int, levels: int) -> int:
    """Return the first place with certainly so many levels between `at` and itself; past the end if none."""
    while levels and at < len(row):
        levels -= row[at] != ANY
        at += 1
    return at + levels


def _steps(mine: Sequence[str], theirs: Sequence[str], i: int, j: int) -> set[tuple[int, int]]:
    """Return where two patterns may stand after one step: a level both accept, or a `**` that ends."""
    a = mine[i] if i < len(mine) else None
    b = theirs[j] if j < len(theirs) else None
    steps: set[tuple[int, int]] = set()
    if a == ANY:
        steps |= {(i + 1, j)} | ({(i, j + 1)} if b is not None else set())
    if b == ANY:
        steps |= {(i, j + 1)} | ({(i + 1, j)} if a is not None else set())
    if a is not None and b is not None and (a == b or ONE in (a, b)):
        steps.add((i + 1, j + 1))
    return steps
