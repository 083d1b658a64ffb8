"""Static against dynamic filters: Figures 5 and 17 of the type-based paper, its speed-ups, and groups at large.

The dynamic baseline is the honest one: a bare `getattr`, call and compare, with nothing around it.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

import rostra
from bench.measure import best_of
from rostra import it
from rostra.compile import compile_group
from rostra.conditions import And, Condition, Equals
from rostra.model.topics import Topic, TopicPattern


class Result(NamedTuple):
    """One line of the report; `met` is None where no number is required."""

    what: str
    value: str
    met: bool | None = None


class IntMessage:
    """The paper's message: an integer, encapsulated."""

    def __init__(self, value: int) -> None:
        self._value = value

    def getValue(self) -> int:
        return self._value


Method: TypeAlias = Callable[..., int]


class Arguments:
    """Methods of nought to nine arguments."""


for count in range(10):
    names = ", ".join(f"x{i}" for i in range(count))
    namespace: dict[str, Method] = {}
    exec(f"def take{count}(self{', ' if count else ''}{names}): return {count}", namespace)
    setattr(Arguments, f"take{count}", namespace[f"take{count}"])


def cost_of_dynamism() -> dict[str, list[float]]:
    """Figure 5: nanoseconds for one filter around a method of 0 to 9 arguments."""
    lines: dict[str, list[float]] = {
        "lookup: getattr(o, name)(*args)": [],
        "call: method(o, *args)": [],
        "static: generated code": [],
    }
    message = Arguments()
    for count in range(10):
        name, arguments = f"take{count}", tuple(range(count))
        method = getattr(Arguments, name)
        static = Equals(name, list(arguments), count).compile(Arguments)

        def lookup(o: Arguments, name: str = name, arguments: tuple[int, ...] = arguments, count: int = count) -> bool:
            return bool(getattr(o, name)(*arguments) == count)

        def call(
            o: Arguments, method: Method = method, arguments: tuple[int, ...] = arguments, count: int = count
        ) -> bool:
            return bool(method(o, *arguments) == count)

        filters: tuple[Callable[[Arguments], bool], ...] = (lookup, call, static)
        contenders = dict(zip(lines, filters, strict=True))
        times = best_of({line: partial(test, message) for line, test in contenders.items()})
        for line, seconds in times.items():
            lines[line].append(seconds * 1e9)
    return lines


class Talk(rostra.Event):
    """A message with its topic as an attribute, as topic-based systems carry it."""

    speaker: str
    topic: str

    def getTopic(self) -> str:
        return self.topic


def affiliation() -> dict[str, float]:
    """Figure 17: nanoseconds to find out whether a message belongs to a type or to a topic."""
    talk = Talk("Eugster", "/DSC/Talk")
    by_type = it.is_a(Talk).compile(Talk)
    by_topic = it.getTopic().startswith("/DSC").compile(Talk)
    pattern, topic = TopicPattern("/DSC/**"), Topic(talk.topic)
    times = best_of(
        {
            "isinstance": lambda: isinstance(talk, Talk),
            "startswith on the attribute": lambda: talk.topic.startswith("/DSC"),
            "startswith on the getter": lambda: talk.getTopic().startswith("/DSC"),
            "compiled type test": lambda: by_type(talk),
            "compiled topic test": lambda: by_topic(talk),
            "topic pattern": lambda: pattern.matches(topic),
        }
    )
    return {name: seconds * 1e9 for name, seconds in times.items()}


def static_over_dynamic(count: int, values: int, seed: int = 1) -> dict[str, float]:
    """Seconds per message for `count` filters that each hold for one of `values` equally likely integers."""
    rng = random.Random(seed)
    wanted = [rng.randint(1, values) for _ in range(count)]
    messages = [IntMessage(rng.randint(1, values)) for _ in range(20)]
    conditions = {i: Equals("getValue", None, value) for i, value in enumerate(wanted)}
    dynamic = [("getValue", value) for value in wanted]
    singles = list(enumerate(condition.compile(IntMessage) for condition in conditions.values()))
    group = compile_group(conditions, IntMessage)

    def run_dynamic() -> list[list[int]]:
        return [[i for i, (name, value) in enumerate(dynamic) if getattr(m, name)() == value] for m in messages]

    def run_singles() -> list[list[int]]:
        return [[i for i, single in singles if single(m)] for m in messages]

    def run_group() -> list[list[int]]:
        return [group(m) for m in messages]

    assert run_dynamic() == run_singles() == [sorted(ids) for ids in run_group()]
    times = best_of({"dynamic": run_dynamic, "one by one": run_singles, "group": run_group})
    return {name: seconds / len(messages) for name, seconds in times.items()}


def generated_filters(kind: str, count: int, seed: int = 7) -> tuple[dict[int, Condition], list[dict[str, object]]]:
    """Return filters of four predicates each, of which about 1 % match, and messages for them.

    ranges: four one- or two-sided ranges, each true of 31.6 % of the messages on average. mixed: an equality, true
    of 10 %, a set, true of 50 %, and two ranges, each true of 45 % on average.
    """
    rng = random.Random(seed)
    words = [f"{first}{second}" for first in "abcdefghij" for second in "xy"]

    def span(width: float) -> Condition:
        term = it[f"n{rng.randrange(10)}"]
        width *= rng.uniform(0.8, 1.2)  # so that hardly two predicates are the same
        low = rng.random() * (1 - width)
        return rng.choice([term < width, term >= 1 - width, term.between(low, low + width)])

    def mixed() -> Condition:
        half = it.second.is_in(rng.sample(words, len(words) // 2))
        return And(it.first == rng.choice(words[:20:2]), half, span(0.45), span(0.45))

    build = {"ranges": lambda: And(*(span(0.316) for _ in range(4))), "mixed": mixed}[kind]
    messages: list[dict[str, object]] = [
        {f"n{i}": rng.random() for i in range(10)} | {"first": rng.choice(words[:20:2]), "second": rng.choice(words)}
        for _ in range(50)
    ]
    return {i: build() for i in range(count)}, messages


def group_of_generated(kind: str, count: int = 1000) -> tuple[float, float]:
    """Return microseconds per filter and message for a group of generated filters, and the rate of matches."""
    conditions, messages = generated_filters(kind, count)
    group = compile_group(conditions, dict)
    found = [sorted(group(message)) for message in messages]
    assert found == [[i for i, c in conditions.items() if c(message)] for message in messages]
    seconds = best_of({"group": lambda: [group(message) for message in messages]})["group"]
    rate = sum(map(len, found)) / (count * len(messages))
    return seconds / len(messages) / count * 1e6, rate


def report() -> Iterator[Result]:
    lines = cost_of_dynamism()
    for count in (0, 9):
        lookup, call, static = (line[count] for line in lines.values())
        yield Result(
            f"Figure 5, {count} arguments: lookup / call / static", f"{lookup:.0f} / {call:.0f} / {static:.0f} ns"
        )
    tests = affiliation()
    ratio = tests["startswith on the attribute"] / tests["isinstance"]
    yield Result("Figure 17: topic test over type test", f"{ratio:.2f}x")
    for values, percent, wanted in ((2, 50, 3.0), (4, 25, 4.0)):
        for count in (1, 10, 100, 1000):
            times = static_over_dynamic(count, values)
            alone, together = times["dynamic"] / times["one by one"], times["dynamic"] / times["group"]
            met = together >= wanted if count >= 100 else None
            text = f"{together:.1f}x (each filter by itself {alone:.2f}x)"
            yield Result(f"static over dynamic, {percent} % match, {count} filters", text, met)
    for kind in ("ranges", "mixed"):
        cost, rate = group_of_generated(kind)
        what = f"group of 1,000 filters of 4 predicates ({kind}), {rate:.1%} match"
        yield Result(what, f"{cost:.4f} us per filter", cost <= 0.05)
