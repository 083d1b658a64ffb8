"""Which loops to use: numba's as soon as they are compiled, numpy's until then, or where there is no numba."""

from __future__ import annotations

from threading import Lock, Thread
from types import ModuleType

from rostra.matching import plain

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
    compiled.warm_up()
    _loops = compiled
