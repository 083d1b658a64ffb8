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
    from rostra import accessors, compile, conditions, matching  # noqa: A004  named for what it does
    from rostra.bus.connect import connect
    from rostra.bus.failures import Failure
    from rostra.bus.subscription import Subscription
    from rostra.collections import (
        DAArray,
        DACollection,
        DAList,
        DASortedBag,
        DASortedSet,
        DAStrongBag,
        DAStrongSet,
        DAWeakBag,
        DAWeakSet,
    )
    from rostra.model.envelope import Notification
    from rostra.model.notification import attributes
    from rostra.model.topics import Topic, TopicPattern
    from rostra.model.types import Intersection

__version__ = "0.1.0"
__all__ = [
    "Condition",
    "DAArray",
    "DACollection",
    "DAList",
    "DASortedBag",
    "DASortedSet",
    "DAStrongBag",
    "DAStrongSet",
    "DAWeakBag",
    "DAWeakSet",
    "Event",
    "Failure",
    "Intersection",
    "Notification",
    "RostraError",
    "Subscription",
    "Topic",
    "TopicPattern",
    "__version__",
    "accessors",
    "attributes",
    "compile",
    "conditions",
    "connect",
    "errors",
    "it",
    "matching",
]

_MODULES = frozenset({"accessors", "compile", "conditions", "matching"})
_NAMES = {
    "DAArray": "rostra.collections",
    "DACollection": "rostra.collections",
    "DAList": "rostra.collections",
    "DASortedBag": "rostra.collections",
    "DASortedSet": "rostra.collections",
    "DAStrongBag": "rostra.collections",
    "DAStrongSet": "rostra.collections",
    "DAWeakBag": "rostra.collections",
    "DAWeakSet": "rostra.collections",
    "Failure": "rostra.bus.failures",
    "Intersection": "rostra.model.types",
    "Notification": "rostra.model.envelope",
    "Subscription": "rostra.bus.subscription",
    "Topic": "rostra.model.topics",
    "TopicPattern": "rostra.model.topics",
    "attributes": "rostra.model.notification",
    "connect": "rostra.bus.connect",
}


def __getattr__(name: str) -> Any:
    """Load a part of the library when it is first used, so that importing the library stays quick."""
    if name in _MODULES:
        return import_module(f"rostra.{name}")
    if name in _NAMES:
        found = globals()[name] = getattr(import_module(_NAMES[name]), name)
        return found
    raise AttributeError(f"module 'rostra' has no attribute {name!r}")
