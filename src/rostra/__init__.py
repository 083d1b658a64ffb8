"""Rostra: publish objects, say in Python what you want to hear.

>>> from rostra import it
>>> cheap = (it.price < 100) & it.symbol.is_in(["A", "B"])
>>> cheap({"price": 42, "symbol": "A"})
True
"""

from rostra.errors import RostraError
from rostra.model.builder import it
from rostra.model.condition import Condition
from rostra.model.events import Event

__version__ = "0.1.0"
__all__ = ["Condition", "Event", "RostraError", "__version__", "it"]
