"""Deliveries inside one process: Rostra against blinker, pyee and PyPubSub, without conditions and with.

The others are used in the way that is fastest for them: blinker gets the message as the sender, which spares a keyword
argument, and holds its receivers strongly, which spares following a weak reference at every call.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeAlias

from blinker import Signal
from pubsub.core.publisher import Publisher
from pyee import EventEmitter

import rostra
from bench.filters import Result
from bench.measure import best_of
from rostra import DAStrongSet, it
from rostra.conditions import Condition

SYMBOLS = [f"S{number:02}" for number in range(100)]
BUS = "memory://deliveries"


class Quote(rostra.Event):
    """What is published: a price between 0 and 100 for one of the symbols."""

    symbol: str
    price: float


Callback: TypeAlias = Callable[[Quote], None]


def callbacks(count: int) -> list[Callback]:
    """Return functions that do nothing, each an object of its own."""

    def another() -> Callback:
        def receive(message: Quote) -> None:
            pass

        return receive

    return [another() for _ in range(count)]


def unconditional(count: int) -> dict[str, float]:
    """Return deliveries per second to a number of subscribers that all get every message."""
    receivers = callbacks(count)
    signal, emitter, publisher = Signal(), EventEmitter(), Publisher()
    with rostra.connect(BUS) as bus:
        quotes = DAStrongSet[Quote]("/quotes", pull=False, bus=bus)
        for receive in receivers:
            quotes.contains(receive)
            signal.connect(receive, weak=False)
            emitter.on("quotes", receive)
            publisher.subscribe(receive, "quotes")
        quote = Quote("S01", 50.0)
        times = best_of(
            {
                "Rostra": partial(quotes.add, quote),
                "blinker": partial(signal.send, quote),
                "pyee": partial(emitter.emit, "quotes", quote),
                "PyPubSub": partial(publisher.sendMessage, "quotes", message=quote),
            }
        )
    return {name: count / seconds for name, seconds in times.items()}


class Wish(NamedTuple):
    """What one subscriber wants, as a condition and as an `if` in its receiver, which counts in `hits`."""

    condition: Condition
    receiver: Callable[[list[int], int], Callback]


def one_symbol(rng: random.Random) -> Wish:
    """Want one symbol of a hundred."""
    wanted = rng.choice(SYMBOLS)

    def receiver(hits: list[int], number: int) -> Callback:
        def receive(quote: Quote) -> None:
            if quote.symbol == wanted:
                hits[number] += 1

        return receive

    return Wish(it.symbol == wanted, receiver)


def price_range(rng: random.Random) -> Wish:
    """Want one hundredth of all prices."""
    low = rng.uniform(0, 99)
    high = low + 1

    def receiver(hits: list[int], number: int) -> Callback:
        def receive(quote: Quote) -> None:
            if low <= quote.price <= high:
                hits[number] += 1

        return receive

    return Wish(it.price.between(low, high), receiver)


def symbols_and_range(rng: random.Random) -> Wish:
    """Want a tenth of the symbols at a tenth of the prices."""
    wanted = frozenset(rng.sample(SYMBOLS, 10))
    low = rng.uniform(0, 90)
    high = low + 10

    def receiver(hits: list[int], number: int) -> Callback:
        def receive(quote: Quote) -> None:
            if quote.symbol in wanted and low <= quote.price <= high:
                hits[number] += 1

        return receive

    return Wish(it.symbol.is_in(sorted(wanted)) & it.price.between(low, high), receiver)


WISHES: dict[str, Callable[[random.Random], Wish]] = {
    "a symbol": one_symbol,
    "a price range": price_range,
    "symbols and a price range": symbols_and_range,
}


class Filtered(NamedTuple):
    """Seconds per message of the contenders, and the rate of matches."""

    rostra: float
    blinker: float
    loop: float
    """A bare loop that calls all receivers: what no library that asks every receiver can beat."""

    rate: float


def conditional(kind: str, count: int = 1000, seed: int = 3) -> Filtered:
    """Publish to subscribers with a condition each: by Rostra, and by blinker with an `if` in each receiver."""
    rng = random.Random(seed)
    wishes = [WISHES[kind](rng) for _ in range(count)]
    messages = [Quote(rng.choice(SYMBOLS), rng.uniform(0, 100)) for _ in range(100)]
    ours, theirs = [0] * count, [0] * count
    receivers = [wish.receiver(theirs, number) for number, wish in enumerate(wishes)]
    signal = Signal()
    with rostra.connect(BUS) as bus:
        quotes = DAStrongSet[Quote]("/quotes", pull=False, bus=bus)
        for number, wish in enumerate(wishes):
            quotes.contains(_counter(ours, number), wish.condition)
            signal.connect(receivers[number], weak=False)
        by_rostra, by_blinker = _publishing(quotes.add, messages), _publishing(signal.send, messages)
        by_rostra()
        by_blinker()
        assert ours == theirs, "both deliver the same messages to the same subscribers"
        rate = sum(ours) / (count * len(messages))
        by_loop = _publishing(_loop(receivers), messages)
        times = best_of({"Rostra": by_rostra, "blinker": by_blinker, "loop": by_loop})
    ours_each, theirs_each, loop_each = (seconds / len(messages) for seconds in times.values())
    return Filtered(ours_each, theirs_each, loop_each, rate)


def _counter(hits: list[int], number: int) -> Callback:
    def receive(_: Quote) -> None:
        hits[number] += 1

    return receive


def _loop(receivers: list[Callback]) -> Callback:
    def call_all(quote: Quote) -> None:
        for receive in receivers:
            receive(quote)

    return call_all


def _publishing(publish: Callable[[Quote], object], messages: list[Quote]) -> Callable[[], None]:
    def run() -> None:
        for message in messages:
            publish(message)

    return run


def report() -> Iterator[Result]:
    for count in (1, 10, 100):
        rates = unconditional(count)
        ours = rates.pop("Rostra")
        for name, theirs in rates.items():
            text = f"{ours / theirs:.2f}x ({ours / 1e6:.2f} M/s against {theirs / 1e6:.2f} M/s)"
            met = ours >= 0.7 * theirs if name == "pyee" else ours > theirs
            yield Result(f"deliveries, subscribers: {count}, Rostra over {name}", text, met)
    for kind in WISHES:
        ours, theirs, loop, rate = conditional(kind)
        text = (
            f"{theirs / ours:.1f}x ({ours * 1e6:.1f} us against {theirs * 1e6:.0f} us; a bare loop {loop * 1e6:.0f} us)"
        )
        what = f"1,000 subscribers to {kind}, {rate:.1%} match, Rostra over blinker"
        yield Result(what, text, theirs >= 20 * ours)
