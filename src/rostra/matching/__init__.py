"""An index of many conditions: which of them does an event satisfy."""

from rostra.matching.index import Index
from rostra.matching.jit import ready

__all__ = ["Index", "ready"]
