"""The condition classes, for those who prefer names to operators.

What tests a part of the message can also be written with `rostra.it`; both build the same values.
"""

from rostra.model.comparison import (
    Between,
    Equals,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    NotEquals,
    OneOf,
)
from rostra.model.condition import Always, And, Condition, IsTrue, Never, Not, Opaque, Or
from rostra.model.portable import from_json
from rostra.model.presence import Exists, InstanceOf
from rostra.model.text import Contains, Like, Prefix, Suffix

__all__ = [
    "Always",
    "And",
    "Between",
    "Condition",
    "Contains",
    "Equals",
    "Exists",
    "Greater",
    "GreaterEqual",
    "InstanceOf",
    "IsTrue",
    "Less",
    "LessEqual",
    "Like",
    "Never",
    "Not",
    "NotEquals",
    "OneOf",
    "Opaque",
    "Or",
    "Prefix",
    "Suffix",
    "from_json",
]
