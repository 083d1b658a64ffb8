"""Who works the mailboxes of subscribers that do not run on the publisher's thread: threads, and event loops."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Lock, Thread, get_ident
from time import monotonic
from typing import TYPE_CHECKING, Any

from rostra.bus.mailbox import Mailbox
from rostra.bus.workers import Workers
from rostra.defaults import FAIR_SHARE
from rostra.errors import Closed

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

    from rostra.bus.subscription import Subscription


def work_on_thread(subscription: Subscription, box: Mailbox, workers: Workers) -> None:
    """Have some thread of the bus work a mailbox."""

    def work() -> None:
        for _ in range(FAIR_SHARE):
            parcel = box.take(subscription.now())
            if parcel is None:
                subscription.rest(box)
                return
            subscription.handle(box, parcel)
        if box.dismiss() and not workers.submit(work):
            box.dismiss(anyway=True)

    if not workers.submit(work):
        box.dismiss(anyway=True)


class Loops:
    """Event loops on which coroutines run: those of the program, and one of the bus's own if there is none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._own: AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._tasks: set[Task[Any]] = set()
        self._is_closed = False

    def current(self) -> AbstractEventLoop:
        """Return the running event loop, or the bus's own."""
        import asyncio

        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            return self._start()

    def work(self, subscription: Subscription, box: Mailbox, loop: AbstractEventLoop) -> None:
        """Have a task work a mailbox; if its loop is closed the subscription ends."""

        async def work() -> None:
            import asyncio

            served = 0
            while (parcel := box.take(subscription.now())) is not None:
                await subscription.handle_async(box, parcel)
                served += 1
                if served % FAIR_SHARE == 0:
                    await asyncio.sleep(0)
            subscription.rest(box)

        def spawn() -> None:
            task = loop.create_task(work())
            self._tasks.add(task)
            task.add_done_callback(finished)

        def finished(task: Task[Any]) -> None:
            self._tasks.discard(task)
            if task.cancelled():  # its loop is shutting down
                box.dismiss(anyway=True)
                subscription.close()

        try:
            loop.call_soon_threadsafe(spawn)
        except RuntimeError:
            subscription.close()

    @property
    def is_inside(self) -> bool:
        """Whether the present code runs on the bus's own loop."""
        return self._thread is not None and self._thread.ident == get_ident()

    def close(self, timeout: float) -> bool:
        """Stop the bus's own loop and end its thread; False if that did not happen in time."""
        with self._lock:
            self._is_closed = True
            loop, thread = self._own, self._thread
        if loop is None or thread is None:
            return True
        with suppress(RuntimeError):  # it has stopped already
            loop.call_soon_threadsafe(loop.stop)
        if thread.ident != get_ident():
            thread.join(timeout)
        return not thread.is_alive()

    def _start(self) -> AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._is_closed:
                raise Closed("this bus was closed: rostra.connect() gives a new one")
            if self._own is None:
                self._own = asyncio.new_event_loop()
                self._thread = Thread(target=_serve, args=(self._own,), name=f"{self._name}-loop", daemon=True)
                self._thread.start()
            return self._own


def _serve(loop: AbstractEventLoop) -> None:
    import asyncio

    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


class Timer:
    """Has functions called every so many seconds by the workers; one thread keeps the time."""

    def __init__(self, name: str, workers: Workers) -> None:
        self._name, self._workers = name, workers
        self._calls: dict[Callable[[], object], float] = {}
        self._due: list[tuple[float, int, Callable[[], object]]] = []
        self._count = 0
        self._changed = Condition()
        self._thread: Thread | None = None
        self._is_closed = False

    def every(self, seconds: float, call: Callable[[], object]) -> None:
        """Have a function called every so many seconds until it is taken out."""
        with self._changed:
            if self._is_closed:
                raise Closed("this bus was closed: rostra.connect() gives a new one")
            self._calls[call] = seconds
            self._plan(call, monotonic() + seconds)
            if self._thread is None:
                self._thread = Thread(target=self._keep_time, name=f"{self._name}-timer", daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self, call: Callable[[], object]) -> None:
        """Have a function called no more; a call that is under way goes on."""
        with self._changed:
            self._calls.pop(call, None)

    def close(self, timeout: float) -> bool:
        """End the thread; False if that did not happen in time."""
        with self._changed:
            self._is_closed = True
            self._calls.clear()
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(timeout)
        return thread is None or not thread.is_alive()

    def _plan(self, call: Callable[[], object], when: float) -> None:
        self._count += 1  # so that functions themselves are never compared
        heapq.heappush(self._due, (when, self._count, call))

    def _keep_time(self) -> None:
        with self._changed:
            while not self._is_closed:
                now = monotonic()
                while self._due and self._due[0][0] <= now:
                    _, _, call = heapq.heappop(self._due)
                    if call in self._calls:
                        self._workers.submit(call)
                        self._plan(call, now + self._calls[call])
                self._changed.wait(self._due[0][0] - now if self._due else None)
