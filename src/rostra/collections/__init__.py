"""Distributed asynchronous collections: the way in."""

from rostra.collections.classes import (
    DAArray,
    DAList,
    DASortedBag,
    DASortedSet,
    DAStrongBag,
    DAStrongSet,
    DAWeakBag,
    DAWeakSet,
)
from rostra.collections.collection import CollectionStats, DACollection

__all__ = [
    "CollectionStats",
    "DAArray",
    "DACollection",
    "DAList",
    "DASortedBag",
    "DASortedSet",
    "DAStrongBag",
    "DAStrongSet",
    "DAWeakBag",
    "DAWeakSet",
]
