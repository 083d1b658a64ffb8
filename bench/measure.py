"""Timing on noisy machines: the contenders take turns, and the best of each one's rounds counts."""

import gc
import time
from collections.abc import Callable, Iterable, Mapping


def best_of(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int = 9, seconds: float = 0.02
) -> dict[str, float]:
    """Return seconds per call of each contender: the fastest round of each, all of them interleaved."""
    numbers = {name: _calls_in(call, seconds) for name, call in contenders.items()}
    best = dict.fromkeys(contenders, float("inf"))
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, call in contenders.items():
                best[name] = min(best[name], _timed(call, numbers[name]))
    finally:
        gc.enable()
    return best


def _timed(call: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return (time.perf_counter() - start) / number


def _calls_in(call: Callable[[], object], seconds: float) -> int:
    number = 1
    while _timed(call, number) * number < seconds:
        number *= 2
    return number


def show(results: Iterable[tuple[str, str, bool | None]]) -> int:
    """Print what was measured, line by line as it comes; returns how many required numbers are missed."""
    missed = 0
    for what, value, met in results:
        missed += met is False
        print(f"{'' if met is None else 'ok' if met else 'MISSED':6} {what:75} {value}", flush=True)
    return missed
