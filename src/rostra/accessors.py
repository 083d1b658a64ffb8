"""The accessors behind `rostra.it`: how a condition reaches into a message."""

from rostra.model.accessor import (
    Accessor,
    Arithmetic,
    Attribute,
    Constant,
    Invoke,
    Item,
    Literal,
    Message,
)
from rostra.model.reach import SCALAR_METHODS

__all__ = [
    "SCALAR_METHODS",
    "Accessor",
    "Arithmetic",
    "Attribute",
    "Constant",
    "Invoke",
    "Item",
    "Literal",
    "Message",
]
