"""The eight collections (A14). They differ in what they promise, and in nothing else."""

from __future__ import annotations

from typing import TypeVar

from rostra.collections.collection import DACollection
from rostra.core.guarantee import Guarantee, Order

T = TypeVar("T")


class DAWeakBag(DACollection[T]):
    """Best effort: messages may be lost, and may come twice."""

    guarantee = Guarantee(reliable=False, unique=False, order=Order.NONE)


class DAWeakSet(DACollection[T]):
    """At most once: messages may be lost."""

    guarantee = Guarantee(reliable=False, unique=True, order=Order.NONE)


class DAStrongBag(DACollection[T]):
    """At least once: messages may come twice."""

    guarantee = Guarantee(reliable=True, unique=False, order=Order.NONE)


class DAStrongSet(DACollection[T]):
    """Exactly once."""

    guarantee = Guarantee(reliable=True, unique=True, order=Order.NONE)


class DAArray(DACollection[T]):
    """At least once, each publisher's messages in the order they were published."""

    guarantee = Guarantee(reliable=True, unique=False, order=Order.FIFO)


class DAList(DACollection[T]):
    """Exactly once, each publisher's messages in the order they were published."""

    guarantee = Guarantee(reliable=True, unique=True, order=Order.FIFO)


class DASortedBag(DACollection[T]):
    """At least once, all messages in one order that is the same for every subscriber."""

    guarantee = Guarantee(reliable=True, unique=False, order=Order.TOTAL)


class DASortedSet(DACollection[T]):
    """Exactly once, all messages in one order that is the same for every subscriber."""

    guarantee = Guarantee(reliable=True, unique=True, order=Order.TOTAL)
