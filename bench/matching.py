"""The index against a compiled scan, on four workloads: `python -m bench.matching [--million]`.

Each engine gets the same events in turns of a few, after a warm-up with other events. The index is given dictionaries
and returns a list of ids. The scan (see `bench.scan`) is timed without encoding the event, which favours it. What is
required is required over the textbook scan, two comparisons for each predicate; the leaner one is shown beside it.
"""

import gc
import json
import random
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.filters import Result
from bench.measure import best_of, show
from bench.scan import Scan
from bench.workloads import KINDS, Workload, columns
from rostra.conditions import Condition
from rostra.matching import Index, ready

OVER_SCAN: Final = {"eq20": 20, "mix20": 15, "sparse100": 12, "range20": 10}
GROWTH: Final = 12
MICROSECONDS_PER_ADD: Final = 60
BYTES: Final = 400
CHURN_MILLISECONDS: Final = 50
SHIPPED_MEGABYTES: Final = 40
SHIPPED_SECONDS: Final = 5

MILLION: Final = 1_000_000
WARM_UP: Final = 1  # the seed of events that are not those measured
TURN: Final = 100
SAMPLE: Final = 200


class Size(NamedTuple):
    """How many subscriptions, and how many events for what."""

    subscriptions: int
    timed: int
    batch: int = 1_000
    warm_up: int = 4_000


SMALL: Final = Size(100_000, timed=1_000)
LARGE: Final = Size(MILLION, timed=300)


class Measured(NamedTuple):
    """What one workload of one size costs; times are seconds, those of engines for one event."""

    kind: str
    size: Size
    build: float
    bytes: float
    matches: float
    match: float
    match_p99: float
    batch_of_dicts: float
    batch_of_columns: float
    scan: float
    lean_scan: float
    one_by_one: float


def measured(kind: str, size: Size) -> Measured:
    """Build an index, compare its answers with the scan's and take the times; differences end the program."""
    workload = Workload(kind, size.subscriptions)
    conditions = list(workload.conditions())
    before = workload.dicts(workload.events(size.warm_up, WARM_UP))
    index, build = built(conditions)  # first, while nothing about the conditions is known yet
    footprint = bytes_each(conditions, before[:300])
    for event in before:
        index.match(event)
    scan, drawn = Scan(workload), workload.events(max(size.batch, size.timed))
    events, arrays = workload.dicts(drawn), scan.encode(drawn)
    matches = agreed(kind, index, scan, events[: size.timed], arrays)
    filters = [condition.compile(dict) for condition in random.Random(1).choices(conditions, k=SAMPLE)]
    times = in_turns(
        {
            "match": lambda i: index.match(events[i]),
            "scan": lambda i: scan.textbook(arrays[i]),
            "lean": lambda i: scan.lean(arrays[i]),
            "one by one": lambda i: [test(events[i]) for test in filters],
        },
        size.timed,
    )
    batches = batched(kind, index, events[: size.batch])
    middle = {name: float(np.median(each)) for name, each in times.items()}
    return Measured(
        kind,
        size,
        build=build,
        bytes=footprint,
        matches=matches,
        match=middle["match"],
        match_p99=float(np.percentile(times["match"], 99)),
        batch_of_dicts=batches["dicts"],
        batch_of_columns=batches["columns"],
        scan=middle["scan"],
        lean_scan=middle["lean"],
        one_by_one=middle["one by one"] / SAMPLE * size.subscriptions,
    )


def built(conditions: Sequence[Condition]) -> tuple[Index[int], float]:
    """Return an index of conditions, numbered, and the seconds it took."""
    ids = list(range(len(conditions)))
    gc.collect()
    start = time.perf_counter()
    index = Index[int]()
    for key, condition in zip(ids, conditions, strict=True):
        index.add(key, condition)
    return index, time.perf_counter() - start


def bytes_each(conditions: Sequence[Condition], events: Sequence[dict[str, object]]) -> float:
    """Return the bytes of an index for each of its conditions, without these and their ids, after some events."""
    ids = list(range(len(conditions)))
    gc.collect()
    tracemalloc.start()
    try:
        index = Index[int]()
        for key, condition in zip(ids, conditions, strict=True):
            index.add(key, condition)
        for event in events:
            index.match(event)
        gc.collect()
        return tracemalloc.get_traced_memory()[0] / len(ids)
    finally:
        tracemalloc.stop()


def agreed(
    kind: str, index: Index[int], scan: Scan, events: Sequence[dict[str, object]], arrays: Sequence[Any]
) -> float:
    """Return how many ids an event has on average, after seeing that index and scans find the same."""
    total = 0
    for number, (event, array) in enumerate(zip(events, arrays, strict=False)):
        wanted = scan.lean(array).tolist()
        same(f"{kind}, event {number}: the scans", scan.textbook(array).tolist(), wanted)
        same(f"{kind}, event {number}: match and the scan", index.match(event), wanted)
        total += len(wanted)
    return total / len(events)


def same(what: str, found: Sequence[int], wanted: Sequence[int]) -> None:
    """End the program if two answers differ."""
    if sorted(found) == sorted(wanted):
        return
    more, less = sorted(set(found) - set(wanted)), sorted(set(wanted) - set(found))
    twice = len(found) - len(set(found))
    raise SystemExit(
        f"{what} differ: {len(found)} ids for {len(wanted)}, "
        f"{len(more)} too many {more[:5]}, {len(less)} missing {less[:5]}, {twice} repeated"
    )


def in_turns(engines: Mapping[str, Callable[[int], object]], events: int) -> dict[str, NDArray[np.float64]]:
    """Return the seconds of each engine for each event by itself; the engines take turns of a few events."""
    times = {name: np.zeros(events) for name in engines}
    for call in engines.values():
        call(0)
    gc.collect()
    gc.disable()
    try:
        for start in range(0, events, TURN):
            for name, call in engines.items():
                for i in range(start, min(start + TURN, events)):
                    begin = time.perf_counter_ns()
                    call(i)
                    times[name][i] = (time.perf_counter_ns() - begin) / 1e9
    finally:
        gc.enable()
    return times


def batched(kind: str, index: Index[int], events: list[dict[str, object]]) -> dict[str, float]:
    """Return the seconds for one event of a batch, as dictionaries and as columns, after comparing the answers."""
    table = columns(events)
    each = [index.match(event) for event in events]
    for form, batch in (("dictionaries", events), ("columns", table)):
        found = index.match_batch(batch)
        if len(found) != len(events):
            raise SystemExit(f"{kind}: {len(events)} events as {form} have {len(found)} answers")
        for number, (ours, wanted) in enumerate(zip(found, each, strict=True)):
            same(f"{kind}, event {number} of a batch as {form}: match_batch and match", ours, wanted)
    times = best_of(
        {"dicts": lambda: index.match_batch(events), "columns": lambda: index.match_batch(table)},
        rounds=5,
        seconds=1e-3,
    )
    return {form: seconds / len(events) for form, seconds in times.items()}


class Churned(NamedTuple):
    """Seconds of single matches while conditions come and go, and how many came and went in a second."""

    times: NDArray[np.float64]
    rate: float

    def percentile(self, percent: float) -> float:
        return float(np.percentile(self.times, percent))


def churned(subscriptions: int, seconds: float = 20, rate: int = 1_000) -> Churned:
    """Match mix20 without pause, while another thread adds and removes `rate` conditions in each second.

    The time of an event begins with the answer to the one before: waiting for the other thread counts.
    """
    steps = round(seconds * rate)
    workload = Workload("mix20", subscriptions + steps)
    conditions = list(workload.conditions())
    index, _ = built(conditions[:subscriptions])
    for event in workload.dicts(workload.events(SMALL.warm_up, WARM_UP)):
        index.match(event)
    drawn = workload.events(500)
    events = workload.dicts(drawn)
    gc.collect()
    times = []
    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(come_and_go, index, conditions, steps, rate)
        following, begin = cycle(events), time.perf_counter_ns()
        while not writing.done():
            time.sleep(0)  # as an event loop would, or the other thread gets a turn every 5 ms only
            index.match(next(following))
            end = time.perf_counter_ns()
            times.append(end - begin)
            begin = end
    scan = Scan(workload)
    for event, array in zip(events, scan.encode(drawn), strict=True):
        found = scan.lean(array)
        same(
            "mix20, after conditions came and went: match and the scan",
            index.match(event),
            found[found >= steps].tolist(),
        )
    return Churned(np.array(times) / 1e9, writing.result())


def come_and_go(index: Index[int], conditions: Sequence[Condition], steps: int, rate: int) -> float:
    """Add the last conditions one by one, and remove the first ones; returns how many came and went in a second."""
    start, new = time.perf_counter(), len(conditions) - steps
    for step in range(steps):
        early = start + step / rate - time.perf_counter()
        if early > 0:
            time.sleep(early)
        index.add(new + step, conditions[new + step])
        index.remove(step)
    return steps / (time.perf_counter() - start)


FIRST_MATCH: Final = """
import json, pathlib, sys, time
data, event = pathlib.Path(sys.argv[1]).read_bytes(), json.loads(sys.argv[2])
start = time.perf_counter()
from rostra.matching import Index
found = Index.from_bytes(data).match(event)
print(json.dumps([time.perf_counter() - start, found]))
"""


class Shipped(NamedTuple):
    """The size of an index as bytes, and the seconds from them to the first answer in a new process."""

    bytes: int
    seconds: float


def shipped(subscriptions: int) -> Shipped:
    """Send an index of mix20 to a new process; its time begins with the bytes, before anything is imported."""
    workload = Workload("mix20", subscriptions)
    index, _ = built(list(workload.conditions()))
    event = workload.dicts(workload.events(1))[0]
    data = index.to_bytes()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        path.write_bytes(data)
        command = [sys.executable, "-c", FIRST_MATCH, str(path), json.dumps(event)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, found = json.loads(done.stdout)
    same("mix20, in a new process: match and that of the original", found, index.match(event))
    return Shipped(len(data), seconds)


def lines(m: Measured) -> Iterator[Result]:
    """Say what one workload of one size costs."""
    name, count = f"{m.kind}, {m.size.subscriptions:,} subscriptions", m.size.subscriptions
    each = m.build / count * 1e6
    text = f"{each:.1f} us per add ({m.build:.1f} s; at most {MICROSECONDS_PER_ADD} us at a million)"
    yield Result(f"{name}: build", text, each <= MICROSECONDS_PER_ADD if count >= MILLION else None)
    limit, met = (f" (at most {BYTES} B)", m.bytes <= BYTES) if m.kind == "mix20" else ("", None)
    yield Result(f"{name}: memory without the conditions", f"{m.bytes:.0f} B each{limit}", met)
    text = f"for all of {m.size.timed:,} events, {m.matches:.1f} matches each"
    yield Result(f"{name}: the ids that the scan finds", text)
    text = f"{m.match * 1e3:.4f} ms p50, {m.match_p99 * 1e3:.4f} ms p99"
    yield Result(f"{name}: match", text)
    text = f"{m.batch_of_dicts * 1e3:.4f} ms as dictionaries, {m.batch_of_columns * 1e3:.4f} ms as columns"
    yield Result(f"{name}: an event of match_batch of {m.size.batch:,}", text)
    wanted = OVER_SCAN[m.kind]
    against = f"{m.match * 1e3:.4f} ms against {m.scan * 1e3:.3f} ms"
    text = f"{m.scan / m.match:.1f}x (at least {wanted}x; {against})"
    yield Result(f"{name}: match over the early-exit scan", text, m.scan >= wanted * m.match)
    text = f"{m.lean_scan / m.match:.1f}x (against {m.lean_scan * 1e3:.3f} ms)"
    yield Result(f"{name}: match over a scan without guessing at bounds", text)
    text = f"{m.one_by_one / m.match:,.0f}x (against {m.one_by_one * 1e3:.1f} ms)"
    yield Result(f"{name}: match over compiled filters one by one", text)


def report(*, million: bool = False) -> Iterator[Result]:
    if not ready(120):
        raise SystemExit("the index has no compiled loops to measure: install rostra[fast]")
    for kind in KINDS:
        small = measured(kind, SMALL)
        yield from lines(small)
        if million:
            large = measured(kind, LARGE)
            yield from lines(large)
            growth = large.match / small.match
            text = f"{growth:.1f}x (at most {GROWTH}x)"
            yield Result(f"{kind}: match of a million over match of 100,000", text, growth <= GROWTH)
    yield from churn_and_shipping(MILLION if million else SMALL.subscriptions)


def churn_and_shipping(subscriptions: int) -> Iterator[Result]:
    churn = churned(subscriptions)
    middle, high, higher, worst = (churn.percentile(percent) * 1e3 for percent in (50, 99, 99.9, 100))
    text = f"{higher:.2f} ms p99.9 (at most {CHURN_MILLISECONDS} ms; p50 {middle:.3f}, p99 {high:.2f}, max {worst:.1f})"
    met = higher <= CHURN_MILLISECONDS and churn.rate >= 950
    what = f"mix20, {subscriptions:,} subscriptions, {churn.rate:,.0f} added and removed per second"
    yield Result(f"{what}: match", text, met)
    data, seconds = shipped(SMALL.subscriptions)
    what = f"mix20, {SMALL.subscriptions:,} subscriptions"
    text = f"{data / 1e6:.1f} MB (at most {SHIPPED_MEGABYTES} MB)"
    yield Result(f"{what}: as bytes", text, data <= SHIPPED_MEGABYTES * 1e6)
    text = f"{seconds:.2f} s (less than {SHIPPED_SECONDS} s)"
    yield Result(f"{what}: from bytes to a match in a new process", text, seconds < SHIPPED_SECONDS)


def main(argv: Sequence[str]) -> int:
    return 1 if show(report(million="--million" in argv)) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
