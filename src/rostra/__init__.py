"""Rostra: publish objects, say in Python what you want to hear.

>>> from rostra import it
>>> cheap = (it.price < 100) & it.symbol.is_in(["A", "B"])
>>> cheap({"price": 42, "symbol": "A"})
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rostra import errors
from rostra.errors import RostraError
from rostra.model.builder import it
from rostra.model.condition import Condition
from rostra.model.events import Event

if TYPE_CHECKING:
    from rostra import accessors, compile, conditions  # noqa: A004  named for what it does

__version__ = "0.1.0"
__all__ = ["Condition", "Event", "RostraError", "__version__", "accessors", "compile", "conditions", "errors", "it"]

_LATE = frozenset({"accessors", "compile", "conditions"})


def __getattr__(name: str) -> Any:
    """Load a part of the library when it is first used, so that importing the library stays quick."""
    if name in _LATE:
        return import_module(f"rostra.{name}")
    raise AttributeError(f"module 'rostra' has no attribute {name!r}")
