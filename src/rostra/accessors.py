"""The accessors behind `rostra.it`: how a condition reaches into a message."""

from rostra.model.accessor import (
    SCALAR_METHODS,
    Accessor,
    Arithmetic,
    Attribute,
    Constant,
    Invoke,
    Item,
    Literal,
    Message,
)

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
