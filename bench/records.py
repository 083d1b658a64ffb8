"""Publishing and receiving records of four kinds: Figures 21 and 22 of the paper on collections.

Several subscribers receive on threads of the bus. Each kind goes twice: as objects that are handed over as they are,
and as in the paper, marshalled by the publisher and unmarshalled by every subscriber.
"""

import gc
import random
import string
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import median
from threading import Event as Signal
from typing import Any, NamedTuple, TypeAlias

from msgspec import msgpack

import rostra
from rostra import DAStrongSet
from rostra.bus.embedded import EmbeddedBus
from rostra.collections import DACollection

COUNTS = (10, 20, 50, 100, 200, 500, 1000)
SUBSCRIBERS = 5
ROUNDS = 9
BUS = "memory://records"


class DetailRecord(rostra.Event):
    """Two dates and two strings."""

    begin: datetime
    end: datetime
    origin: str
    target: str


class CallDetailRecord(DetailRecord):
    """Four more integers and two more strings."""

    caller: int
    callee: int
    units: int
    tariff: int
    operator: str
    remark: str


def _text(rng: random.Random) -> str:
    return "".join(rng.choices(string.ascii_letters, k=rng.randint(10, 20)))


def _detail(rng: random.Random) -> tuple[datetime, datetime, str, str]:
    begin = datetime(2000, 1, 1, tzinfo=UTC) + timedelta(seconds=rng.randrange(10**8))
    return begin, begin + timedelta(seconds=rng.randrange(3600)), _text(rng), _text(rng)


def _call(rng: random.Random) -> CallDetailRecord:
    caller, callee, units, tariff = (rng.randrange(2**31) for _ in range(4))
    return CallDetailRecord(*_detail(rng), caller, callee, units, tariff, _text(rng), _text(rng))


KINDS: dict[type, Callable[[random.Random], Any]] = {
    int: lambda rng: rng.randrange(2**31),
    str: _text,
    DetailRecord: lambda rng: DetailRecord(*_detail(rng)),
    CallDetailRecord: _call,
}
NAMES = {int: "Integer", str: "String", DetailRecord: "DetailRecord", CallDetailRecord: "CallDetailRecord"}


class Line(NamedTuple):
    """One line of the figures."""

    kind: str
    marshalled: bool


class Times(NamedTuple):
    """Seconds until all messages were published, and until all subscribers had received them."""

    published: float
    received: float


Lines: TypeAlias = dict[Line, list[Times]]


class Receiver:
    """Counts what it receives and tells when that is all of it."""

    def __init__(self) -> None:
        self.left = 0
        self.all_here = Signal()

    def expect(self, number: int) -> None:
        self.left = number
        self.all_here.clear()

    def __call__(self, message: object) -> None:
        self.left -= 1
        if self.left == 0:
            self.all_here.set()


class Decoding(Receiver):
    """Unmarshals what it receives."""

    def __init__(self, cls: type) -> None:
        super().__init__()
        self._decode: Callable[[bytes], object] = msgpack.Decoder(cls).decode

    def __call__(self, message: object) -> None:
        assert isinstance(message, bytes)
        super().__call__(self._decode(message))


class Scenario:
    """A topic with its subscribers, and the messages for it."""

    def __init__(self, bus: EmbeddedBus, cls: type, *, marshalled: bool) -> None:
        rng = random.Random(11)
        self._messages = [KINDS[cls](rng) for _ in range(max(COUNTS))]
        self._topic: DACollection[Any] = DAStrongSet[object](_topic(cls, marshalled), pull=False, bus=bus)
        self._encode = msgpack.Encoder().encode if marshalled else None
        self._receivers = [Decoding(cls) if marshalled else Receiver() for _ in range(SUBSCRIBERS)]
        for receiver in self._receivers:
            self._topic.contains(receiver, run="serial")

    def run(self, number: int) -> Times:
        """Publish so many messages and wait until they have been received."""
        messages = self._messages[:number]
        self._topic.bus.flush()  # threads that were at work a moment ago must not be measured here
        for receiver in self._receivers:
            receiver.expect(number)
        start = time.perf_counter()
        self._publish(messages)
        published = time.perf_counter()
        # The subscribers are asked, not the bus: so a message that was lost is noticed.
        assert all(receiver.all_here.wait(10) for receiver in self._receivers), "messages were lost"
        return Times(published - start, time.perf_counter() - start)

    def _publish(self, messages: list[Any]) -> None:
        add, encode = self._topic.add, self._encode
        if encode is None:
            for message in messages:
                add(message)
        else:
            for message in messages:
                add(encode(message))


def _topic(cls: type, marshalled: bool) -> str:
    return f"/records/{cls.__name__}/{'bytes' if marshalled else 'objects'}"


def latencies() -> Lines:
    """Figures 21 and 22: for each line, the median times for each number of messages; the lines take turns."""
    with rostra.connect(BUS) as bus:
        scenarios = {
            Line(NAMES[cls], marshalled): Scenario(bus, cls, marshalled=marshalled)
            for marshalled in (False, True)
            for cls in KINDS
        }
        for scenario in scenarios.values():
            scenario.run(max(COUNTS))  # starts the threads
        columns = [_medians(scenarios, number) for number in COUNTS]
    return {line: [column[line] for column in columns] for line in scenarios}


def _medians(scenarios: dict[Line, Scenario], number: int) -> dict[Line, Times]:
    found: dict[Line, list[Times]] = {line: [] for line in scenarios}
    gc.collect()
    gc.disable()
    try:
        for _ in range(ROUNDS):
            for line, scenario in scenarios.items():
                found[line].append(scenario.run(number))
    finally:
        gc.enable()
    return {line: Times(*map(median, zip(*rounds, strict=True))) for line, rounds in found.items()}
