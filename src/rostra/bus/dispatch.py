"""In which order, and on which thread, accepted messages are delivered.

Delivery happens on the thread that publishes, before `add` returns, with three exceptions:

- *Publishing inside a callback.* The new message waits until the present one has been handed to everyone, then
  the same thread delivers it. So callbacks never nest, however long a chain of messages they set off, and every
  subscriber hears effects after their causes.
- *Messages in order.* Those of lists and sorted collections go through one lane for the whole bus. Whoever finds
  it without a driver delivers until it is empty; others leave their message and go. No lock is held while
  callbacks run, and yet all see one order. A driver that has nothing of its own left in the lane gives it to a
  thread of the bus after a fair share of others' messages.
- *Publishing in the middle of the bus's own work*, which a finalizer or a signal handler may do: a thread of the
  bus delivers.

Every thread has a `Turn`: locks that are held, by `with` statements, while the thread delivers and while it drives,
and the jobs that callbacks on it have left behind. Nothing else says who does what, so that an interrupt at any
moment leaves no false claim: a lock in a `with` statement is released whatever happens, a driver who does not hold
the wheel is none, and jobs left in a queue are done by the next delivery of the thread or by whoever waits for the
bus to be idle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import TIMEOUT_MAX, Condition, Lock, RLock, get_ident
from time import monotonic
from typing import TypeAlias

from rostra.bus.workers import Courier
from rostra.defaults import FAIR_SHARE, OUTBOX_MESSAGES, OUTBOX_SECONDS, TURNS

Job: TypeAlias = Callable[[], object]


class Turn:
    """What one thread is delivering."""

    __slots__ = ("busy", "queue", "wheel")

    def __init__(self) -> None:
        self.busy = Lock()
        self.wheel = Lock()
        """Held while the thread drives the lane."""

        self.queue: deque[Job] = deque()


class Dispatcher:
    """Runs jobs that each deliver one message."""

    def __init__(self, name: str) -> None:
        self.lock = RLock()
        self.is_held: Callable[[], bool] = self.lock._is_owned  # type: ignore[attr-defined]
        """Says whether this very thread holds the lock, and is therefore in the middle of the bus's own work."""

        self.turns: dict[int, Turn] = {}
        self.watched = False
        self._lane: deque[tuple[Turn, Job]] = deque()
        self._driver: Turn | None = None
        self._relief = Courier(f"{name}-lane")
        self._relieved = Turn()
        """Stands for the driver while a thread of the bus has been asked to drive and does not yet."""

        self._changed = Condition(self.lock)
        self._watchers = 0

    @property
    def turn(self) -> Turn:
        """The turn of this thread."""
        ident = get_ident()
        turn = self.turns.get(ident)
        if turn is None:
            if len(self.turns) >= TURNS:
                self._forget_turns()
            turn = self.turns[ident] = Turn()
        return turn

    @property
    def is_delivering(self) -> bool:
        """Whether this very thread is inside a callback."""
        return self.turn.busy.locked()

    def run(self, job: Job) -> None:
        """Deliver now, or after the present callback."""
        turn = self.turn
        turn.queue.append(job)
        if turn.busy.locked():
            return
        with turn.busy:
            self.catch_up(turn)
        if self.watched:
            self.changed()

    def has_room(self) -> bool:
        """Say whether one more message can wait for the present callback to end."""
        return len(self.turn.queue) < OUTBOX_MESSAGES

    def wait_for_lane(self, *, wait: bool) -> bool:
        """Wait, if allowed, until the lane has room; False if it has none. With the lock held."""
        return len(self._lane) < OUTBOX_MESSAGES or (wait and self._wait_for_room(self.turn))

    def enter_lane(self, job: Job) -> None:
        """Have a job run after everything that came before on this bus; `drive` sees to it. With the lock held."""
        self._lane.append((self.turn, job))

    def drive(self) -> None:
        """Deliver what is in the lane, unless somebody does that already."""
        with self.lock:
            if self._is_driven():
                return
        self.run(self._drive)

    def run_last(self, job: Job) -> None:
        """Run a job after all that this thread has left to deliver."""
        with self.lock:
            if self._driver is self.turn and self._lane:
                self.enter_lane(job)
                return
        self.run(job)

    def catch_up(self, turn: Turn) -> None:
        """Run the jobs that wait on this thread; an interrupt is raised after the last."""
        interrupt: BaseException | None = None
        while turn.queue:
            try:
                turn.queue.popleft()()
            except BaseException as error:  # noqa: BLE001  the others' messages come first; raised below
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def changed(self) -> None:
        """Wake those that wait for something to happen on this bus."""
        with self.lock:
            self._changed.notify_all()

    def wait_until(self, done: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until something holds, looking again whenever a delivery ends; False if it does not in time."""
        deadline = None if timeout is None else monotonic() + timeout
        with self.lock:
            self._watchers += 1
            self.watched = True
            try:
                while not done():
                    left = None if deadline is None else deadline - monotonic()
                    if left is not None and left <= 0:
                        return False
                    self._changed.wait(None if left is None else min(left, TIMEOUT_MAX))
                return True
            finally:
                self._watchers -= 1
                self.watched = self._watchers > 0

    def is_idle(self) -> bool:
        """Say whether no message is being delivered, except by the thread that asks."""
        own = self.turn
        others = any(turn.busy.locked() for turn in list(self.turns.values()) if turn is not own)
        return not others and (not self._lane or self._driver is own)

    def owes(self) -> bool:
        """Say whether this thread, inside a callback, has messages left to deliver after it."""
        own = self.turn
        return bool(own.queue) or (self._driver is own and bool(self._lane))

    def tidy_up(self) -> None:
        """Deliver what interrupted threads have left behind."""
        for turn in list(self.turns.values()):
            while turn.queue and not turn.busy.locked():
                try:
                    job = turn.queue.popleft()
                except IndexError:  # its thread came back
                    break
                self.run(job)
        if self._lane and not self._is_driven():
            self.run(self._drive)

    def close(self, timeout: float) -> bool:
        """End the thread that relieves drivers."""
        return self._relief.close(timeout)

    def _is_driven(self) -> bool:
        return self._driver is not None and (self._driver is self._relieved or self._driver.wheel.locked())

    def _wait_for_room(self, turn: Turn) -> bool:
        if turn.busy.locked():  # it would wait for itself
            return False
        return self.wait_until(lambda: len(self._lane) < OUTBOX_MESSAGES, OUTBOX_SECONDS)

    def _drive(self) -> None:
        """Deliver what is in the lane, one message after the other, unless somebody does that already."""
        turn = self.turn
        if turn.wheel.locked():
            return
        with turn.wheel:
            with self.lock:
                if self._is_driven() and self._driver is not turn:
                    return
                self._driver = turn
            self._deliver_lane(turn)

    def _deliver_lane(self, turn: Turn) -> None:
        interrupt: BaseException | None = None
        foreign = 0
        while (following := self._next_in_lane(turn, foreign)) is not None:
            whose, job = following
            foreign = 0 if whose is turn else foreign + 1
            try:
                job()
                self.catch_up(turn)
            except BaseException as error:  # noqa: BLE001  the others' messages come first; raised below
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def _next_in_lane(self, turn: Turn, foreign: int) -> tuple[Turn, Job] | None:
        """Take the next message out of the lane; None if there is none, or another thread is to go on."""
        with self.lock:
            if self.watched:
                self._changed.notify_all()
            if not self._lane:
                self._driver = None
                return None
            if foreign and foreign % FAIR_SHARE == 0 and all(whose is not turn for whose, _ in self._lane):
                self._driver = self._relieved
                if self._relief.submit(self._relieve):
                    return None
                self._driver = turn
            return self._lane.popleft()

    def _relieve(self) -> None:
        with self.lock:
            self._driver = None
        self.run(self._drive)

    def _forget_turns(self) -> None:
        for ident, turn in list(self.turns.items()):
            if not turn.busy.locked() and not turn.queue:
                self.turns.pop(ident, None)
