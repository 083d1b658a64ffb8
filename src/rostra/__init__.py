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
    from rostra.model.notification import attributes
    from rostra.model.topics import Topic, TopicPattern
    from rostra.model.types import Intersection

__version__ = "0.1.0"
__all__ = [
    "Condition",
    "Event",
    "Intersection",
    "RostraError",
    "Topic",
    "TopicPattern",
    "__version__",
    "accessors",
    "attributes",
    "compile",
    "conditions",
    "errors",
    "it",
]

_MODULES = frozenset({"accessors", "compile", "conditions"})
_NAMES = {
    "Intersection": "rostra.model.types",
    "Topic": "rostra.model.topics",
    "TopicPattern": "rostra.model.topics",
    "attributes": "rostra.model.notification",
}


def __getattr__(name: str) -> Any:
    """Load a part of the library when it is first used, so that importing the library stays quick."""
    if name in _MODULES:
        return import_module(f"rostra.{name}")
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    raise AttributeError(f"module 'rostra' has no attribute {name!r}")
