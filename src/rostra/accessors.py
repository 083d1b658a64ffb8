"""The accessors behind `rostra.it`: how a condition reaches into a message."""

from rostra.model.accessor import PORTABLE_METHODS, Accessor, Arithmetic, Attribute, Constant, Invoke, Item, Message

__all__ = ["PORTABLE_METHODS", "Accessor", "Arithmetic", "Attribute", "Constant", "Invoke", "Item", "Message"]
