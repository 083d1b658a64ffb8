"""In which order, and on which thread, accepted messages are delivered.

Delivery happens on the thread that publishes, before `add` returns, with two exceptions:

- *Publishing inside a callback.* The new message waits until the present one has been handed to everyone, then
  the same thread delivers it. So callbacks never nest, however long a chain of messages they set off, and every
  subscriber hears effects after their causes.
- *Messages in order.* Those of lists and sorted collections go through one lane for the whole bus. Whoever finds
  it empty becomes its driver and delivers until it is empty again; others leave their message and go. No lock is
  held while callbacks run, and yet all see one order. A driver that has nothing of its own left in the lane
  gives it to a worker after a fair share of others' messages.

`active` has an entry for every thread that is delivering, with the jobs that callbacks on it left behind, or None
while there are none. Only the thread itself touches its entry.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Condition, RLock, get_ident
from time import monotonic
from typing import TypeAlias

from rostra.bus.workers import Workers
from rostra.defaults import FAIR_SHARE, OUTBOX_MESSAGES, OUTBOX_SECONDS

Job: TypeAlias = Callable[[], None]


class Dispatcher:
    """Runs jobs that each deliver one message."""

    def __init__(self, workers: Workers) -> None:
        self.lock = RLock()  # reentrant: a signal handler or a finalizer may publish while it is held
        self.active: dict[int, deque[Job] | None] = {}
        self.watched = False
        self._workers = workers
        self._lane: deque[tuple[int, Job]] = deque()
        self._driver: int | None = None
        self._foreign = 0
        self._changed = Condition(self.lock)
        self._watchers = 0

    @property
    def is_delivering(self) -> bool:
        """Whether this very thread is inside a callback."""
        return get_ident() in self.active

    def run(self, job: Job, *, always: bool = False) -> bool:
        """Deliver now, or after the present callback; False if too many wait for that already."""
        ident = get_ident()
        if ident in self.active:
            queue = self._queue(ident)
            if len(queue) >= OUTBOX_MESSAGES and not always:
                return False
            queue.append(job)
            return True
        self.active[ident] = None
        try:
            try:
                job()
            finally:
                self.catch_up(ident)
        finally:
            self.leave(ident)
        return True

    def run_in_order(self, job: Job, *, wait: bool) -> bool:
        """Deliver after everything that came before on this bus; False if too much did and it does not get less."""
        ident = get_ident()
        with self.lock:
            if len(self._lane) >= OUTBOX_MESSAGES and not (wait and self._wait_for_room(ident)):
                return False
            self._lane.append((ident, job))
            if self._driver is not None:
                return True
            self._driver, self._foreign = ident, 0
        if ident in self.active:
            self._queue(ident).append(self._drive)
        else:
            self.run(self._drive)
        return True

    def catch_up(self, ident: int) -> None:
        """Run the jobs that callbacks on this thread have left behind; an interrupt is raised after the last."""
        interrupt: BaseException | None = None
        while queue := self.active[ident]:
            try:
                queue.popleft()()
            except BaseException as error:  # noqa: BLE001  the others' messages come first; raised below
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def leave(self, ident: int) -> None:
        """Note that this thread has finished delivering."""
        left = self.active.pop(ident)
        if left:  # interrupted between two jobs
            self._workers.submit(lambda: self._resume(left))
        if self.watched:
            self.changed()

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
                    self._changed.wait(left)
                return True
            finally:
                self._watchers -= 1
                self.watched = self._watchers > 0

    def is_idle(self) -> bool:
        """Say whether no message is being delivered, except by the thread that asks."""
        own = get_ident()
        others = any(ident != own for ident in list(self.active))
        return not others and (self._driver is None or self._driver == own)

    def _wait_for_room(self, ident: int) -> bool:
        if ident in self.active:  # it would wait for itself
            return False
        return self.wait_until(lambda: len(self._lane) < OUTBOX_MESSAGES, OUTBOX_SECONDS)

    def _queue(self, ident: int) -> deque[Job]:
        queue = self.active[ident]
        if queue is None:
            queue = self.active[ident] = deque()
        return queue

    def _drive(self) -> None:
        """Deliver the next message of the lane, and see to it that somebody goes on."""
        ident = get_ident()
        with self.lock:
            whose, job = self._lane.popleft()
            self._foreign = 0 if whose == ident else self._foreign + 1
        try:
            job()
        finally:
            self._go_on(ident)

    def _go_on(self, ident: int) -> None:
        with self.lock:
            if self.watched:
                self._changed.notify_all()
            if not self._lane:
                self._driver = None
                return
            tired = self._foreign >= FAIR_SHARE and all(whose != ident for whose, _ in self._lane)
            if tired:
                self._driver, self._foreign = 0, 0
        if tired:
            self._workers.submit(lambda: self.run(self._take_over))
        else:
            self._queue(ident).append(self._drive)

    def _take_over(self) -> None:
        with self.lock:
            self._driver = get_ident()
        self._drive()

    def _resume(self, jobs: deque[Job]) -> None:
        for job in jobs:
            self.run(job)
