"""Threads that run callbacks away from the publisher's: started when needed, ended when idle.

Neither the workers' lock nor a courier is waited for while the lock of the bus is held: a finalizer may run in the
middle of either and want the other.

They are daemons, so that a callback that never returns cannot keep the program from ending, and they are joined,
for a bounded time, when the bus is closed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Condition, Thread, current_thread
from time import monotonic
from typing import TypeAlias

from rostra.defaults import WORKER_IDLE_SECONDS, WORKERS

Job: TypeAlias = Callable[[], object]


class Workers:
    """A few threads and the jobs that wait for one."""

    def __init__(self, name: str, most: int = WORKERS, idle: float = WORKER_IDLE_SECONDS) -> None:
        self._name, self._most, self._idle_seconds = name, most, idle
        self._jobs: deque[Job] = deque()
        self._threads: set[Thread] = set()
        self._waiting = 0
        self._closed = False
        self._condition = Condition()

    def submit(self, job: Job) -> bool:
        """Have a job run on some thread; False if the workers were closed, or there can be no thread."""
        with self._condition:
            if self._closed:
                return False
            self._jobs.append(job)
            if self._waiting >= len(self._jobs):
                self._condition.notify()
            elif len(self._threads) < self._most and not self._start() and not self._threads:
                self._jobs.pop()
                return False
        return True

    def close(self, timeout: float) -> bool:
        """Let the threads finish what was submitted and end; False if some did not in time."""
        deadline = monotonic() + timeout
        with self._condition:
            self._closed = True
            self._condition.notify_all()
            threads = self._threads - {current_thread()}
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _start(self) -> bool:
        thread = Thread(target=self._work, name=f"{self._name}-{len(self._threads)}", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads: those that are there do the work
            return False
        self._threads.add(thread)
        return True

    def _work(self) -> None:
        try:
            while (job := self._next()) is not None:
                _run(job)
        finally:
            with self._condition:
                self._threads.discard(current_thread())

    def _next(self) -> Job | None:
        with self._condition:
            deadline = monotonic() + self._idle_seconds
            while not self._jobs and not self._closed and (left := deadline - monotonic()) > 0:
                self._waiting += 1
                self._condition.wait(left)
                self._waiting -= 1
            if self._jobs:
                return self._jobs.popleft()
            self._threads.discard(current_thread())  # under the lock, so that submit() starts another
            return None


def _run(job: Job) -> None:
    try:
        job()
    except BaseException:  # jobs report callbacks' errors themselves; whatever else comes must not end the thread
        import logging

        logging.getLogger("rostra").exception("a callback interrupted a worker thread of Rostra")


class Courier:
    """One thread that does jobs in order. Submitting takes no lock: a finalizer may do it at any moment."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._is_closed = False

    def submit(self, job: Job) -> bool:
        """Have a job done; False if the courier was closed."""
        if self._is_closed:
            return False
        self._jobs.put(job)
        if self._thread is None:
            self._thread = Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        return True

    def close(self, timeout: float) -> bool:
        """Let the thread finish what was submitted and end; False if it did not in time."""
        self._is_closed = True
        self._jobs.put(None)
        thread = self._thread
        if thread is None or thread is current_thread():
            return True
        thread.join(timeout)
        return not thread.is_alive()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            _run(job)
