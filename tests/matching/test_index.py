"""The index against asking each condition: the same ids, whatever the conditions, the events and the ways."""

import math
from decimal import Decimal
from threading import Event, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rostra import it
from rostra.conditions import And, Not, Or
from rostra.errors import InvalidValue, NotPortable, RostraError
from rostra.matching import Index, access, jit, plain, questions, segment, tuning
from tests.strategies import CONDITIONS, EVENTS

NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from(
        [2**53, 2**53 + 1, -(2**53) - 1, 10**400, Decimal("0.1"), Decimal("0.30000000000000001"), 0.1, 0.3]
    ),
    st.sampled_from([math.inf, -math.inf, math.nan, -0.0, True, None, "1", "abc", "abd"]),
)


@pytest.fixture(params=["plain", "compiled"])
def loops(request, monkeypatch):
    if request.param == "compiled":
        pytest.importorskip("numba")
        assert jit.ready(120)
        return jit._loops
    monkeypatch.setattr(jit, "loops", lambda: plain)
    return plain


@pytest.fixture(params=["as it is", "blocks at once", "chains only"])
def _ways(request, monkeypatch):
    if request.param == "blocks at once":
        monkeypatch.setattr(segment, "LOOSE_ENTRIES", 2)
        monkeypatch.setattr(access, "SELECTIVE", -1.0)
    elif request.param == "chains only":
        monkeypatch.setattr(access, "SELECTIVE", 1.0)


def agree(conditions, events):
    found = Index()
    for key, condition in conditions.items():
        found.add(key, condition)
    wanted = [[key for key, condition in conditions.items() if condition(event)] for event in events]
    for event, ids in zip(events, wanted, strict=True):
        assert sorted(found.match(event)) == ids, event
        assert found.match_any(event) is bool(ids), event
    assert [sorted(ids) for ids in found.match_batch(events)] == wanted
    return found


@pytest.mark.spec("A13")
@pytest.mark.usefixtures("loops", "_ways")
@given(st.lists(CONDITIONS, max_size=12), st.lists(EVENTS, min_size=1, max_size=4))
@settings(max_examples=60)
def test_any_conditions_and_events(conditions, events):
    agree(dict(enumerate(conditions)), events)


NAMES = st.sampled_from("xyz")
OPERATORS = st.sampled_from(["__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"])
CONSTANTS = NUMBERS.filter(lambda n: n is not None and n == n and not isinstance(n, bool))
TESTS = st.one_of(
    st.builds(lambda name, operator, value: getattr(it[name], operator)(value), NAMES, OPERATORS, CONSTANTS),
    st.builds(lambda name, values: it[name].is_in(values), NAMES, st.lists(st.integers(-3, 3), max_size=4)),
    st.builds(lambda name: it[name].exists(), NAMES),
    st.builds(lambda name, start: it[name].startswith(start), NAMES, st.sampled_from(["a", "ab", "abc"])),
)
LITERALS = st.one_of(TESTS, TESTS.map(lambda test: ~test))
CONJUNCTIONS = st.lists(LITERALS, min_size=1, max_size=4).map(lambda some: And(*some))
DISJUNCTIONS = st.lists(CONJUNCTIONS, min_size=2, max_size=3).map(lambda some: Or(*some))
NUMERIC_EVENTS = st.dictionaries(NAMES, NUMBERS)


@pytest.mark.usefixtures("loops", "_ways")
@given(st.lists(CONJUNCTIONS, max_size=15), st.lists(NUMERIC_EVENTS, min_size=1, max_size=8))
@settings(max_examples=80)
def test_numbers_of_every_size_and_kind(conditions, events):
    agree(dict(enumerate(conditions)), events)


@pytest.mark.usefixtures("loops", "_ways")
@given(st.data())
@settings(max_examples=40)
def test_adding_removing_and_replacing_at_any_time(data):
    found, model = Index(), {}
    for _ in range(data.draw(st.integers(1, 40))):
        action = data.draw(st.sampled_from(["add", "add", "remove", "replace", "match"]))
        if action == "add":
            key = len(model) + data.draw(st.integers(0, 1)) * 1000
            if key in model:
                with pytest.raises(InvalidValue, match="use replace"):
                    found.add(key, it.x > 1)
                continue
            model[key] = data.draw(
                st.one_of(CONJUNCTIONS, st.lists(CONJUNCTIONS, min_size=2, max_size=3).map(lambda some: Or(*some)))
            )
            found.add(key, model[key])
        elif model and action in ("remove", "replace"):
            key = data.draw(st.sampled_from(sorted(model)))
            if action == "remove":
                del model[key]
                found.remove(key)
            else:
                model[key] = data.draw(CONJUNCTIONS)
                found.replace(key, model[key])
        event = data.draw(NUMERIC_EVENTS)
        assert sorted(found.match(event)) == sorted(key for key, condition in model.items() if condition(event))
        assert len(found) == len(model)
    with pytest.raises(KeyError):
        found.remove("never there")


@pytest.mark.usefixtures("loops", "_ways")
@given(
    st.lists(st.tuples(st.one_of(CONJUNCTIONS, DISJUNCTIONS), st.sampled_from("pqr") | st.none()), max_size=15),
    st.lists(NUMERIC_EVENTS, min_size=1, max_size=8),
)
@settings(max_examples=60)
def test_groups_are_those_of_the_conditions_that_hold(conditions, events):
    found = Index()
    for key, (condition, group) in enumerate(conditions):
        found.add(key, condition if key % 5 else lambda event, asked=condition: asked(event), group)
    for event in events:
        wanted = {group for condition, group in conditions if group is not None and condition(event)}
        assert sorted(found.match_groups(event)) == sorted(wanted)


@pytest.mark.usefixtures("loops")
def test_groups_come_and_go():
    found = Index()
    found.add(1, it.x == 1, "a")
    found.add(2, it.x == 1, "b")
    assert sorted(found.match_groups({"x": 1})) == ["a", "b"]
    found.remove(1)
    found.add(3, it.x == 1, "c")
    found.replace(2, it.x == 2)
    assert found.match_groups({"x": 1}) == ["c"]
    assert found.match_groups({"x": 2}) == ["b"]


@pytest.mark.usefixtures("loops", "_ways")
@given(st.lists(st.one_of(CONJUNCTIONS, DISJUNCTIONS), max_size=15), st.lists(NUMERIC_EVENTS, min_size=1, max_size=6))
@settings(max_examples=60)
def test_an_index_travels(conditions, events):
    here: Index[object] = Index()
    for number, condition in enumerate(conditions):
        here.add(("id", number) if number % 2 else number, condition, "g" if number % 3 else None)
    for event in events:
        here.match(event)
    there = Index.from_bytes(here.to_bytes())
    for event in events:
        assert sorted(map(str, there.match(event))) == sorted(map(str, here.match(event)))
        assert there.match_groups(event) == here.match_groups(event)
    assert len(there) == len(here)
    for number in range(len(conditions)):
        there.remove(("id", number) if number % 2 else number)
    assert not any(there.match(event) for event in events)


def test_what_is_no_index_is_refused():
    index = Index()
    index.add("a", (it.x == 1) & it.y.is_in([1, 2]))
    data = index.to_bytes()
    for wrong in (b"", b"\x00", data[:-3], data[:20] + b"\xff" + data[21:]):
        with pytest.raises(RostraError):
            Index.from_bytes(wrong)
    index.add("code", lambda event: True)
    with pytest.raises(NotPortable):
        index.to_bytes()


@given(st.binary(max_size=8), st.integers(0, 10**6))
@settings(max_examples=300)
def test_damaged_bytes_are_an_index_or_refused(junk, place):
    index = Index()
    for number in range(20):
        index.add(number, (it.x == number) & (it.y < number) & it.z.is_in([number, "a", "b"]) | (it.s == f"{number}"))
    data = index.to_bytes()
    at = place % len(data)
    try:
        read = Index.from_bytes(data[:at] + junk + data[at + len(junk) :])
    except RostraError:
        return
    read.match({"x": 3, "y": 1, "z": "a", "s": "4"})


@pytest.mark.usefixtures("loops")
def test_entries_are_filed_anew_where_measuring_shows_a_better_way(monkeypatch):
    monkeypatch.setattr(tuning, "FIRST", 64)
    monkeypatch.setattr(tuning, "STRIDE", 1)
    found = Index()
    for number in range(600):  # looks like many kinds, but nearly all events are of one
        found.add(number, (it.kind == f"k{number % 60}") & (it.region == f"r{number % 3}") & (it.level > number % 5))
    busy = [{"kind": "k7", "region": "r9", "level": 3}] * 200

    def candidates():
        segment = found._segments[0]
        before = segment.chains.table.array["hits"].copy()
        found.match({"kind": "k7", "region": "r9", "level": 3})
        looked_up = segment.chains.table.array["hits"] > before
        return int(segment.chains.table.array["count"][looked_up].sum())

    assert candidates() >= 9
    for event in busy:
        assert found.match(event) == []
    assert candidates() == 0
    for region in range(3):
        event = {"kind": "k7", "region": f"r{region}", "level": 9}
        assert sorted(found.match(event)) == [n for n in range(600) if n % 60 == 7 and n % 3 == region]


@pytest.mark.usefixtures("loops", "_ways")
def test_many_threads_at_once():
    found: Index[int] = Index()
    for number in range(300):
        found.add(number, it.x == number % 10)
    wrong: list[object] = []
    stop = Event()

    def match():
        while not stop.is_set():
            ids = [key for key in found.match({"x": 3, "late": 1}) if key < 300]
            if sorted(ids) != list(range(3, 300, 10)):
                wrong.append(ids)

    threads = [Thread(target=match) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(1000, 2000):
        found.add(number, (it[f"a{number}"] != number) | (it.x == number) | ~it.late.exists())
        if number % 3:
            found.remove(number)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.usefixtures("loops")
def test_conditions_that_are_code_run_while_others_may_use_the_index():
    found: Index[str] = Index()
    seen = []

    def nested(event):
        helper = Thread(target=lambda: seen.append(found.match({"x": 1})))
        if event.get("x") == 2:
            helper.start()
            helper.join(5)
        return True

    found.add("code", nested)
    found.add("both", (it.x == 2) & Not(lambda event: not nested(event)))
    assert sorted(found.match({"x": 2})) == ["both", "code"]
    assert seen == [["code"], ["code"]]


def test_code_is_generated_for_conditions_that_stay(monkeypatch):
    monkeypatch.setattr(questions, "CALM", 3)
    found: Index[int] = Index()
    for number in range(70):
        found.add(number, it.name.endswith(f"{number % 10}") & (it.x < it.y + number % 3))
    for _ in range(3):
        for event in ({"name": "a7", "x": 1, "y": 1}, {"name": "a8", "x": 3, "y": 1}, {"name": "b"}):
            wanted = [
                n for n in range(70) if n % 10 == int(event["name"][1:] or -1) and event["x"] < event["y"] + n % 3
            ]
            assert sorted(found.match(event)) == wanted
    found.remove(7)
    assert 7 not in found.match({"name": "a7", "x": 0, "y": 1})


@pytest.mark.usefixtures("loops")
def test_what_is_no_longer_mentioned_is_forgotten():
    found: Index[int] = Index()
    found.add(-1, it.s == "kept")
    for number in range(2000):
        found.add(number, (it.s == f"a{number}") & it.s.startswith(f"a{number}") & it.t.is_in([f"b{number}", "c"]))
        found.add(-2, (it.s == f"x{number}") & (it.s == f"y{number}"))
        assert found.match({"s": f"a{number}", "t": "c"}) == [number]
        assert found.match({"s": f"a{number - 1}", "t": "c"}) == []
        found.remove(number)
        found.remove(-2)
    assert found.match({"s": "kept"}) == [-1]
    assert max(len(codes.values) for codes in found._slots.codes) < 5
    assert len(found._segments[0].chains.table) < 2000
    there = Index.from_bytes(found.to_bytes())
    there.add(1, it.s != "kept")
    assert there.match({"s": "kept"}) == [-1]
    assert there.match({"s": "other"}) == [1]


def test_an_add_that_fails_leaves_nothing_behind(monkeypatch):
    found: Index[str] = Index()
    found.add("v", it.x == 1)
    with pytest.raises(TypeError):
        found.add("b", it.x == 2, [])
    monkeypatch.setattr(segment.Segment, "file", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        found.add("b", (it.x == 2) | (it.y > 3))
    with pytest.raises(ZeroDivisionError):
        found.replace("v", it.x == 3)
    monkeypatch.undo()
    assert "b" not in found
    assert found.match({"x": 1}) == ["v"]
    found.add("b", it.x == 1)
    assert sorted(found.match({"x": 1})) == ["b", "v"]
    found.remove("v")
    assert found.match({"x": 1}) == ["b"]


def test_disjunctions_of_questions_and_ids_of_any_kind(monkeypatch):
    monkeypatch.setattr(questions, "CALM", 1)
    found: Index[object] = Index()
    found.add(None, it.s.contains("x") | it.t.contains("y"))
    found.add(0, it.s.contains("x"))
    for _ in range(4):
        assert found.match({"s": "ax"}) == [None, 0]
        assert found.match({"t": "ay"}) == [None]
    found.replace(None, it.s.contains("x"))
    assert found.match({"t": "ay"}) == []
    assert set(found.match({"s": "x"})) == {None, 0}


def test_an_entry_of_hundreds_of_predicates():
    found: Index[int] = Index()
    many = And(*(it[f"a{n}"] != n for n in range(300)), *(it[f"b{n}"] < 5 for n in range(3)), it.c == "c")
    for number in range(3):
        found.add(number, many & (it.d == number))
    event = {f"a{n}": -1 for n in range(300)} | {f"b{n}": 1 for n in range(3)} | {"c": "c", "d": 1}
    assert found.match(event) == [1]
    found.remove(0)
    assert found.match(event) == [1]
    assert found.match(event | {"d": 0}) == []


def test_travelling_ids_stay_what_they_are():
    found: Index[object] = Index()
    found.add(Decimal(1), it.x == 1)
    with pytest.raises(NotPortable, match="ids"):
        found.to_bytes()
    seen: Index[object] = Index()
    seen.add((1, "a", b"b", None), it.never == 1)
    for _ in range(tuning.FIRST + 1):
        seen.match({"x": 1})
    assert Index.from_bytes(seen.to_bytes()).match({"never": 1}) == [(1, "a", b"b", None)]


@pytest.mark.usefixtures("loops", "_ways")
def test_numbers_that_no_float_can_hold():
    constants = [2**53, 2**53 + 1, 0.3, Decimal("0.3"), Decimal("0.30000000000000001"), 10**400, -(10**400), math.inf]
    tests = [
        getattr(it.x, operator)(value)
        for operator in ("__lt__", "__le__", "__eq__", "__ne__", "__ge__", "__gt__")
        for value in constants
    ]
    conditions = dict(enumerate([*tests, *(~test for test in tests)]))
    values = [*constants, -math.inf, 2**53 - 1, 2**53 + 2, 0.30000000000000004, math.nan, 5e-324, -0.0]
    agree(conditions, [{"x": value} for value in values])
