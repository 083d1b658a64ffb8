from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rostra import defaults
from rostra.errors import InvalidType, InvalidValue, LimitExceeded
from rostra.model.type_topics import TypePath, parse_type_topic, topic_of
from tests.model import zoo
from tests.model.modules import new_module


@pytest.mark.spec("B10")
@pytest.mark.parametrize(
    ("cls", "topic"),
    [
        (zoo.DSC, "/DSC"),
        (zoo.DSCTalk, "/DSC/DSCTalk"),
        (zoo.Seminar, "/DSC/DSCTalk/Seminar"),
        (zoo.Talk, "(()DSC, ()DI)Talk"),
        (zoo.InvitedTalk, "((()DSC, ()DI)Talk)InvitedTalk"),
        (zoo.D, "((()A)B, (()A)C)D"),
        (zoo.Bond, "/Priced/Bond"),
        (zoo.Outer.Inner, "/Outer.Inner"),
        (zoo.Pair, "/Pair"),
        (zoo.Box, "/Box"),
    ],
)
def test_a_class_is_a_topic(cls: type, topic: str) -> None:
    assert topic_of(cls) == topic
    assert topic_of(cls) == topic
    assert str(parse_type_topic(topic)) == topic


@pytest.mark.spec("B10")
def test_a_type_topic_resolves_its_supertopics() -> None:
    dsc, di = TypePath("DSC"), TypePath("DI")
    talk = TypePath("Talk", (dsc, di))
    assert parse_type_topic("(()DSC, ()DI)Talk") == parse_type_topic("(()DSC,()DI)Talk") == talk
    assert parse_type_topic("()DSC") == parse_type_topic("/DSC") == dsc
    assert parse_type_topic("/DSC/Talk") == TypePath("Talk", (dsc,))
    assert parse_type_topic("((()DSC, ()DI)Talk)X").supertopics == (talk, dsc, di)
    assert [str(above) for above in parse_type_topic(topic_of(zoo.D)).supertopics] == ["/A/B", "/A/C", "/A"]
    assert talk.is_subtopic_of(di)
    assert not di.is_subtopic_of(talk)
    assert not talk.is_subtopic_of(talk)
    assert len({talk, TypePath("Talk", (dsc, di))}) == 1


names = st.sampled_from(["A", "Talk", "Outer.Inner", "Ünï", "x_1"])
paths = st.recursive(
    names.map(TypePath),
    lambda inner: st.builds(TypePath, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=12,
)


@pytest.mark.spec("B10")
@given(paths)
def test_a_type_topic_prints_as_it_is_read(path: TypePath) -> None:
    assert parse_type_topic(str(path)) == path


@pytest.mark.spec("B10")
@pytest.mark.parametrize(
    ("text", "column", "wanted"),
    [
        ("", 1, "'('"),
        ("Talk", 1, "'('"),
        ("/", 2, "name of a class"),
        ("/DSC/", 6, "name of a class"),
        ("/DSC//Talk", 6, "name of a class"),
        ("/DSC Talk", 5, "the end"),
        ("/9", 2, "name of a class"),
        ("/a.", 2, "name of a class"),
        ("(", 2, "'('"),
        ("()", 3, "name of a class"),
        ("()DSC)", 6, "the end"),
        ("(()DSC ()DI)Talk", 7, "','"),
        ("(()DSC, )Talk", 9, "'('"),
        ("(()DSC, ()DI", 13, "','"),
        ("(DSC)Talk", 2, "'('"),
        ("(()DSC,  ()DI)Talk", 9, "'('"),
    ],
)
def test_a_malformed_type_topic_is_refused_with_the_column(text: str, column: int, wanted: str) -> None:
    with pytest.raises(InvalidValue, match=rf"column {column}: expected .*{re.escape(wanted)}"):
        parse_type_topic(text)


@given(st.text("()/, AB", max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        path = parse_type_topic(text)
    except InvalidValue:
        return
    assert parse_type_topic(str(path)) == path


@pytest.mark.spec("B10")
def test_type_topics_are_bounded() -> None:
    deep = defaults.NESTING
    assert str(parse_type_topic("/A" * deep)) == "/A" * deep
    assert parse_type_topic("(" * deep + ")A" * deep) == parse_type_topic("/A" * deep)
    for text in ("/A" * (deep + 1), "(" * (deep + 1) + ")A" * (deep + 1), "(" * 4000):
        with pytest.raises(LimitExceeded, match="levels"):
            parse_type_topic(text)
    with pytest.raises(LimitExceeded, match="bytes"):
        parse_type_topic("/" + "A" * defaults.TYPE_TOPIC_BYTES)


def ladder(rungs: int, width: int) -> str:
    lines = ["class C0x0: pass"]
    for rung in range(1, rungs):
        bases = ", ".join(f"C{rung - 1}x{i}" for i in range(width if rung > 1 else 1))
        lines += [f"class C{rung}x{i}({bases}): pass" for i in range(width)]
    return "\n".join(lines)


@pytest.mark.spec("B10")
def test_classes_too_deep_or_too_wide_for_a_topic_are_refused() -> None:
    chain = new_module("chain", ladder(defaults.NESTING + 1, 1))
    assert topic_of(getattr(chain, f"C{defaults.NESTING - 1}x0")).count("/") == defaults.NESTING
    with pytest.raises(LimitExceeded, match="levels"):
        topic_of(getattr(chain, f"C{defaults.NESTING}x0"))
    diamonds = new_module("diamonds", ladder(25, 2))
    with pytest.raises(LimitExceeded, match="bytes"):
        topic_of(diamonds.C24x0)


@pytest.mark.spec("B10")
def test_two_classes_are_not_one_topic() -> None:
    here = new_module("here", "class Clash: pass")
    there = new_module("there", "class Clash: pass\nclass Base: pass\nclass Fine(Base): pass")
    assert topic_of(here.Clash) == "/Clash"
    with pytest.raises(InvalidValue, match=r"there\.Clash and here\.Clash are both the topic '/Clash'"):
        topic_of(there.Clash)
    with pytest.raises(InvalidValue, match="both the topic"):
        topic_of(there.Clash)
    assert topic_of(here.Clash) == "/Clash"
    assert topic_of(there.Fine) == "/Base/Fine"


@pytest.mark.spec("B10")
def test_a_redefined_class_keeps_its_topic() -> None:
    module = new_module("again", "class Again: pass")
    old = module.Again
    assert topic_of(old) == "/Again"
    exec("class Again: pass", module.__dict__)
    assert topic_of(module.Again) == "/Again"


@pytest.mark.spec("B8", "B10")
def test_a_local_base_class_has_no_place_in_a_topic() -> None:
    with pytest.raises(InvalidType, match=r"Local is a local class"):
        topic_of(zoo.FromLocal)


def test_a_type_path_has_the_name_of_a_class() -> None:
    with pytest.raises(InvalidValue, match="not the name of a class"):
        TypePath("a/b")
