"""Who works the mailboxes of subscribers that do not run on the publisher's thread: threads, and event loops."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Signal
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Any

from rostra.bus.mailbox import Mailbox
from rostra.bus.workers import Workers
from rostra.defaults import FAIR_SHARE

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

    from rostra.bus.dispatch import Dispatcher
    from rostra.bus.subscription import Subscription


def work_on_thread(subscription: Subscription, box: Mailbox, workers: Workers, dispatcher: Dispatcher) -> None:
    """Have some thread of the bus work a mailbox."""

    def work() -> None:
        for _ in range(FAIR_SHARE):
            parcel = box.take(subscription.now())
            if parcel is None:
                break
            try:
                subscription.handle(parcel)
            finally:
                box.done()
                if dispatcher.watched:
                    dispatcher.changed()
        else:
            if box.dismiss():
                workers.submit(work)

    workers.submit(work)


class Loops:
    """Event loops on which coroutines run: those of the program, and one of the bus's own if there is none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._own: AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._tasks: set[Task[Any]] = set()

    def current(self) -> AbstractEventLoop:
        """Return the running event loop, or the bus's own."""
        import asyncio

        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            return self._start()

    def work(self, subscription: Subscription, box: Mailbox, loop: AbstractEventLoop, dispatcher: Dispatcher) -> None:
        """Have a task work a mailbox; if its loop is closed the subscription ends."""

        async def work() -> None:
            import asyncio

            served = 0
            while (parcel := box.take(subscription.now())) is not None:
                try:
                    await subscription.handle_async(parcel)
                finally:
                    box.done()
                    if dispatcher.watched:
                        dispatcher.changed()
                served += 1
                if served % FAIR_SHARE == 0:
                    await asyncio.sleep(0)

        def spawn() -> None:
            task = loop.create_task(work())
            self._tasks.add(task)
            task.add_done_callback(lambda done: self._finished(done, subscription))

        try:
            loop.call_soon_threadsafe(spawn)
        except RuntimeError:
            subscription.close()

    def close(self, timeout: float) -> bool:
        """Stop the bus's own loop and end its thread; False if that did not happen in time."""
        with self._lock:
            loop, thread = self._own, self._thread
            self._own = self._thread = None
        if loop is None or thread is None:
            return True
        loop.call_soon_threadsafe(loop.stop)
        if thread.ident != get_ident():
            thread.join(timeout)
        return not thread.is_alive()

    def _start(self) -> AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._own is None:
                self._own = asyncio.new_event_loop()
                self._thread = Thread(target=_serve, args=(self._own,), name=f"{self._name}-loop", daemon=True)
                self._thread.start()
            return self._own

    def _finished(self, task: Task[Any], subscription: Subscription) -> None:
        self._tasks.discard(task)
        if task.cancelled():  # its loop is shutting down
            subscription.close()


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
    """Calls functions every so many seconds, each on a thread of its own."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._stops: dict[Callable[[], object], tuple[Signal, Thread]] = {}

    def every(self, seconds: float, call: Callable[[], object]) -> None:
        """Call a function every so many seconds until it is taken out."""
        stop = Signal()

        def repeat() -> None:
            while not stop.wait(seconds):
                call()

        thread = Thread(target=repeat, name=f"{self._name}-timer", daemon=True)
        with self._lock:
            self._stops[call] = stop, thread
        thread.start()

    def stop(self, call: Callable[[], object], timeout: float) -> bool:
        """Call a function no more; False if a call is under way and does not end in time."""
        with self._lock:
            stop, thread = self._stops.pop(call, (None, None))
        if stop is None or thread is None:
            return True
        stop.set()
        if thread.ident != get_ident():
            thread.join(timeout)
        return not thread.is_alive()

    def close(self, timeout: float) -> bool:
        """Stop all."""
        ended = [self.stop(call, timeout) for call in list(self._stops)]
        return all(ended)
