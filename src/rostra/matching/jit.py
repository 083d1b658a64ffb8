"""Which loops to use: numba's as soon as they are compiled, numpy's until then, or where there is no numba."""

from __future__ import annotations

from threading import Lock, Thread
from types import ModuleType
from typing import Any

import numpy as np

from rostra.matching import plain
from rostra.matching.encoding import Batch, Vector, Work
from rostra.matching.segment import Segment
from rostra.matching.slots import Slots

_lock = Lock()
_compiler: Thread | None = None
_loops: ModuleType = plain


def loops() -> ModuleType:
    """Return the loops to use now; the first call starts to compile better ones in the background."""
    global _compiler  # noqa: PLW0603  once for the process
    if _compiler is None:
        with _lock:
            if _compiler is None:
                _compiler = Thread(target=_compile, name="rostra-compiler", daemon=True)
                _compiler.start()
    return _loops


def ready(timeout: float | None = None) -> bool:
    """Wait until the loops are compiled; False if that takes too long, or there is no numba."""
    loops()
    if _compiler is not None:
        _compiler.join(timeout)
    return _loops is not plain


def _compile() -> None:
    global _loops  # noqa: PLW0603  once for the process
    try:
        from rostra.matching import compiled
    except ImportError:
        return
    warm_up(compiled)
    _loops = compiled


def warm_up(loops: Any) -> None:
    """Call every loop once: to compile it, or to load what was compiled before."""
    slots, vector, segment = Slots(), Vector(), Segment()
    work = Work(vector, np.zeros(len(segment.found), np.int32), np.zeros(1, np.int64), 1)
    keys = loops.prepare(vector, slots)
    loops.match(vector, keys, segment)
    loops.match_groups(vector, keys, segment, np.zeros(1, np.uint8), 1)
    loops.match_many(Batch(1, 1), 0, work, slots, segment)
