from __future__ import annotations

import copy
import itertools
import pickle
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra import defaults
from rostra.errors import InvalidType, InvalidValue, LimitExceeded
from rostra.model.topics import Topic, TopicPattern, receives_in_line

LETTERS = ("a", "b", "z")  # patterns use a and b; z stands for every other name
SEGMENTS = ("a", "b", "*", "**")

topics = st.lists(st.sampled_from(LETTERS), max_size=7).map(lambda names: Topic("/" + "/".join(names)))
patterns = st.lists(st.sampled_from(SEGMENTS), max_size=7).map(lambda names: TopicPattern("/" + "/".join(names)))


@pytest.mark.spec("A1", "A8", partly=True)
def test_a_topic_is_a_value() -> None:
    chat = Topic("/Chat/Insomnia")
    assert str(chat) == "/Chat/Insomnia"
    assert repr(chat) == "Topic('/Chat/Insomnia')"
    assert chat == Topic("/Chat") / "Insomnia"
    assert hash(chat) == hash(Topic("/Chat/Insomnia"))
    assert chat != Topic("/Chat")
    assert chat != "/Chat/Insomnia"
    assert chat.name == "Insomnia"
    assert chat.segments == ("Chat", "Insomnia")
    assert copy.deepcopy(chat) == pickle.loads(pickle.dumps(chat)) == chat
    with pytest.raises(AttributeError, match="cannot be changed"):
        chat.name = "Other"  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be changed"):
        chat._segments = ()


@pytest.mark.spec("A1", partly=True)
def test_the_root_is_above_all_topics() -> None:
    root = Topic("/")
    assert (root.segments, root.name, root.parent, root.parents, str(root)) == ((), "/", None, (), "/")
    assert root / "Chat" == Topic("/Chat")
    assert Topic("/Chat").is_subtopic_of(root)
    assert not root.is_subtopic_of(root)


@pytest.mark.spec("A1", partly=True)
def test_topics_nest() -> None:
    topic = Topic("/a/b/c")
    assert topic.parent == Topic("/a/b")
    assert topic.parents == (Topic("/a/b"), Topic("/a"), Topic("/"))
    assert Topic("/") / "a/b" / "c" == topic
    assert topic.is_subtopic_of(Topic("/a"))
    assert not topic.is_subtopic_of(topic)
    assert not Topic("/a").is_subtopic_of(topic)
    assert not Topic("/ab").is_subtopic_of(Topic("/a"))


def test_topics_sort_by_level_not_by_character() -> None:
    # By character "/a b" would come between "/a" and "/a/b".
    assert sorted(map(Topic, ["/b", "/a b", "/a/b", "/a", "/"])) == [
        *map(Topic, ["/", "/a", "/a/b", "/a b", "/b"]),
    ]
    with pytest.raises(TypeError):
        assert Topic("/a") < "/b"  # type: ignore[operator]


@pytest.mark.parametrize("make", [Topic, TopicPattern])
@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "must start with '/'"),
        ("Chat", "must start with '/'"),
        ("//", "empty segment"),
        ("/a//b", "empty segment"),
        ("/a/", "trailing slashes"),
        ("/a/./b", "'.'"),
        ("/..", "absolute"),
        ("/a\nb", "control character"),
        ("/\x85", "control character"),
        ("/\u2028", "control character"),
        ("/\ud800", "control character"),
    ],
)
def test_what_is_not_a_topic_is_refused(make: type, path: str, problem: str) -> None:
    with pytest.raises(InvalidValue, match=re.escape(problem)):
        make(path)


@pytest.mark.parametrize("path", ["/a b", "/ü/日本", "/...", "/.hidden", "/a.b", "/(x)", "/👩\u200d💻"])
def test_unusual_names_are_fine(path: str) -> None:
    assert str(Topic(path)) == str(TopicPattern(path)) == path


@pytest.mark.parametrize("path", ["/*", "/a/**", "/a*", "/**x/b", "/a/***"])
def test_wildcards_are_no_topics_and_whole_segments_in_patterns(path: str) -> None:
    with pytest.raises(InvalidValue, match="TopicPattern"):
        Topic(path)
    if set(path.split("/")) & {"*", "**"}:
        assert TopicPattern(path).is_wildcard
    else:
        with pytest.raises(InvalidValue, match="whole segment"):
            TopicPattern(path)


@pytest.mark.parametrize("make", [Topic, TopicPattern, Topic.from_dotted])
@pytest.mark.parametrize("path", [None, 3, b"/a", ["a"]])
def test_only_text_is_a_topic(make: type, path: object) -> None:
    with pytest.raises(InvalidType, match="is text"):
        make(path)


def test_topics_are_bounded() -> None:
    longest, deepest = "/" + "a" * (defaults.TOPIC_BYTES - 1), "/a" * defaults.TOPIC_LEVELS
    for path in (longest, deepest):
        assert str(Topic(path)) == path
        subtree = Topic(path).subtree
        assert TopicPattern(str(subtree)) == subtree == pickle.loads(pickle.dumps(subtree))
    for path in (longest + "a", deepest + "/a", "/" + "ü" * (defaults.TOPIC_BYTES // 2), "/" + "a" * 10**7):
        with pytest.raises(LimitExceeded):
            Topic(path)
    with pytest.raises(LimitExceeded):
        Topic(deepest) / "a"
    with pytest.raises(LimitExceeded):
        TopicPattern(deepest + "/*/**")


@given(topics)
def test_a_topic_prints_as_it_is_read(topic: Topic) -> None:
    assert Topic(str(topic)) == topic
    assert all(topic.is_subtopic_of(above) for above in topic.parents)


@pytest.mark.spec("C2", partly=True)
def test_dotted_names() -> None:
    assert Topic.from_dotted("iit.sales.US") == Topic("/iit/sales/US")
    for wrong in ("iit..sales", "", ".iit", "iit/sales", "/iit"):
        with pytest.raises(InvalidValue):
            Topic.from_dotted(wrong)


@pytest.mark.spec("C2", partly=True)
def test_the_rule_of_swiftmq() -> None:
    sales = Topic.from_dotted("iit.sales")
    heard = ["iit", "iit.sales", "iit.sales.US", "iit.sales.EU", "iit.sales.EU.north"]
    unheard = ["iit.projects", "iit.projects.sales", "other", "iit.salesforce"]
    assert all(receives_in_line(sales, Topic.from_dotted(name)) for name in heard)
    assert not any(receives_in_line(sales, Topic.from_dotted(name)) for name in unheard)


@pytest.mark.spec("C2", partly=True)
@given(topics, topics)
def test_the_rule_of_swiftmq_is_equal_above_or_below(node: Topic, addressed: Topic) -> None:
    expected = node == addressed or node in addressed.parents or addressed in node.parents
    assert receives_in_line(node, addressed) == expected


@pytest.mark.spec("A1", partly=True)
@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("/a/b", ["/a/b"], ["/a", "/a/b/c", "/b/a"]),
        ("/", ["/"], ["/a"]),
        ("/*", ["/a", "/b"], ["/", "/a/b"]),
        ("/**", ["/", "/a", "/a/b/c"], []),
        ("/a/**", ["/a", "/a/b", "/a/b/c"], ["/", "/b", "/b/a"]),
        ("/a/*/c", ["/a/b/c", "/a/c/c"], ["/a/c", "/a/b/b/c"]),
        ("/**/c", ["/c", "/a/c", "/a/b/c", "/c/c"], ["/", "/c/a"]),
        ("/a/**/c/*", ["/a/c/x", "/a/b/c/x", "/a/c/c/c"], ["/a/c", "/a/x"]),
        ("/**/a/*/b/**", ["/a/x/b", "/a/a/b/b", "/y/a/x/b/y"], ["/a/b", "/a/x/x/b"]),
    ],
)
def test_patterns_match(pattern: str, yes: list[str], no: list[str]) -> None:
    assert all(TopicPattern(pattern).matches(Topic(path)) for path in yes)
    assert not any(TopicPattern(pattern).matches(Topic(path)) for path in no)


def test_a_pattern_is_a_value() -> None:
    pattern = TopicPattern("/a/*")
    assert repr(pattern) == "TopicPattern('/a/*')"
    assert pattern == TopicPattern("/a/*")
    assert pattern != TopicPattern("/a/**")
    assert TopicPattern("/a") != Topic("/a")
    assert len({TopicPattern("/**/*"), TopicPattern("/*/**"), TopicPattern("/*/**/**")}) == 1
    assert not TopicPattern("/a/b").is_wildcard
    assert pattern.is_wildcard
    assert TopicPattern("/**").is_wildcard
    assert Topic("/a").subtree == TopicPattern("/a/**")
    assert Topic("/").subtree == TopicPattern("/**")
    with pytest.raises(AttributeError, match="cannot be changed"):
        pattern._segments = ()


def reference(pattern: TopicPattern) -> re.Pattern[str]:
    parts = {"*": "(?:/[^/]+)", "**": "(?:/[^/]+)*"}
    return re.compile("".join(parts.get(segment, f"(?:/{segment})") for segment in pattern.segments))


def test_small_patterns_exhaustively() -> None:
    """Every pair of patterns of up to four segments, against the sets of topics they match."""
    rows = [row for size in range(7) for row in itertools.product(LETTERS, repeat=size)]
    words = [Topic("/" + "/".join(row)) for row in rows]
    texts = ["".join(f"/{name}" for name in row) for row in rows]
    small = [TopicPattern("/" + "/".join(r)) for n in range(5) for r in itertools.product(SEGMENTS, repeat=n)]
    extents: dict[TopicPattern, int] = {}
    for pattern in set(small):
        expected = reference(pattern)
        answers = [pattern.matches(word) for word in words]
        assert answers == [expected.fullmatch(text) is not None for text in texts], pattern
        extents[pattern] = sum(answer << index for index, answer in enumerate(answers))
    for (p, mine), (q, theirs) in itertools.product(extents.items(), repeat=2):
        assert p.covers(q) == (theirs & ~mine == 0), (p, q)
        assert p.overlaps(q) == (mine & theirs != 0), (p, q)
        assert (p == q) == (mine == theirs), (p, q)


def closure(pattern: TopicPattern, states: frozenset[int]) -> frozenset[int]:
    found = set(states)
    for state in range(len(pattern.segments)):
        if state in found and pattern.segments[state] == "**":
            found.add(state + 1)
    return frozenset(found)


def step(pattern: TopicPattern, states: frozenset[int], letter: str) -> frozenset[int]:
    after = set()
    for state in states - {len(pattern.segments)}:
        segment = pattern.segments[state]
        if segment == "**":
            after.add(state)
        elif segment in {"*", letter}:
            after.add(state + 1)
    return closure(pattern, frozenset(after))


def common_words(p: TopicPattern, q: TopicPattern) -> set[tuple[bool, bool]]:
    """Return whether p and whether q accept, for every word, by determinising both automata."""
    start = (closure(p, frozenset({0})), closure(q, frozenset({0})))
    reached, pending = {start}, [start]
    while pending:
        mine, theirs = pending.pop()
        for letter in LETTERS:
            new = (step(p, mine, letter), step(q, theirs, letter))
            if new not in reached:
                reached.add(new)
                pending.append(new)
    return {(len(p.segments) in mine, len(q.segments) in theirs) for mine, theirs in reached}


@pytest.mark.spec("A1", partly=True)
@settings(max_examples=500, deadline=None)
@given(patterns, patterns)
def test_covers_and_overlaps_are_exact(p: TopicPattern, q: TopicPattern) -> None:
    outcomes = common_words(p, q)
    assert p.covers(q) == ((False, True) not in outcomes)
    assert p.overlaps(q) == ((True, True) in outcomes)
    assert (p == q) == outcomes.isdisjoint({(True, False), (False, True)})


@pytest.mark.spec("A1", partly=True)
@settings(max_examples=300)
@given(patterns, topics)
def test_matching_agrees_with_a_regular_expression(pattern: TopicPattern, topic: Topic) -> None:
    text = "" if topic == Topic("/") else str(topic)
    assert pattern.matches(topic) == (reference(pattern).fullmatch(text) is not None)
    assert pattern.matches(topic) == pattern.covers(TopicPattern(str(topic)))


@given(patterns)
def test_a_pattern_prints_as_it_is_read(pattern: TopicPattern) -> None:
    assert TopicPattern(str(pattern)) == pattern


def test_hostile_patterns_take_no_time() -> None:
    levels = defaults.TOPIC_LEVELS
    pattern = TopicPattern("/**/a" * (levels // 2 - 1) + "/**/b")
    other = TopicPattern("/**/a/*" * (levels // 3))
    topic = Topic("/a" * levels)
    start = time.perf_counter()
    assert not pattern.matches(topic)
    assert not pattern.covers(other)
    assert pattern.overlaps(other)
    assert time.perf_counter() - start < 1


def test_text_does_where_a_topic_is_meant() -> None:
    assert TopicPattern("/a/**").matches("/a/b")
    assert TopicPattern("/a/**").covers("/a/*")
    assert not TopicPattern("/a/*").overlaps("/b/**")
    assert Topic("/a/b").is_subtopic_of("/a")
    with pytest.raises(InvalidValue, match="must start with"):
        TopicPattern("/a/**").matches("a")
