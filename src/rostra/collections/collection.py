"""What all collections can do: publish, subscribe, pull and look.

A collection is a proxy: it stands for a topic (or a type) on a bus and holds nothing of its own but the messages
that nobody has pulled yet. Everything that makes messages flow is in `rostra.bus`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterator
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Concatenate,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from rostra.bus.advertisement import Advertisement
from rostra.bus.closing import Closing
from rostra.bus.connect import connect
from rostra.bus.embedded import EmbeddedBus
from rostra.bus.failures import ErrorHandler
from rostra.bus.feed import Feed, equal
from rostra.bus.handling import Handling, Run, seconds_of
from rostra.bus.receiver import is_subscriber
from rostra.bus.subscription import Subscription
from rostra.bus.supplier import Supplier
from rostra.collections.elements import typed
from rostra.core.buffer import Policy
from rostra.core.guarantee import Guarantee, Order
from rostra.core.tally import Stats
from rostra.defaults import SUPPLY_SECONDS
from rostra.errors import Closed, InvalidType, InvalidValue, UsageError
from rostra.model.condition import Always, Condition, ConditionLike, as_condition
from rostra.model.envelope import Notification, Options
from rostra.model.interest import Interest, with_subtopics
from rostra.model.topics import Topic, TopicPattern
from rostra.model.type_topics import topic_of
from rostra.model.types import Intersection, Target, conforms

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
X = TypeVar("X")
R = TypeVar("R")
P = ParamSpec("P")


class SubscriberObject(Protocol[T_contra]):
    """An object that is told of messages, as the paper has it."""

    def contains(self, message: T_contra, topic: str, /) -> object:
        """Take a message and the precise topic it came on."""


# Two aliases, and two overloads for each: of a union type checkers do not learn what a lambda takes.
Simple: TypeAlias = Callable[[T], object]
Informed: TypeAlias = Callable[[T, str], object] | Callable[[T, str, Notification], object] | SubscriberObject[T]

Reach: TypeAlias = Literal["topic", "subtopics", "line"]
"""Which topics a subscription hears: the topic, also those below it, or also those above and below it."""


class How(TypedDict, total=False):
    """How a subscriber wants to be called."""

    about: ConditionLike
    """A condition on the envelope: `it.headers.region == "EU"`, `it.priority > 5`, `it.subject[0] == "news"`."""

    run: Run | Literal["caller", "serial", "pool", "loop"]
    """Where callbacks run; by default functions on the publisher's thread, coroutines on the event loop."""

    policy: Policy | Literal["block", "drop-oldest", "drop-newest", "latest", "disconnect"]
    """What happens when the subscriber's queue is full; the oldest message is dropped by default."""

    queue: int
    """How many messages may wait for the subscriber."""

    lease: float
    """Seconds after which the subscription ends, unless it is renewed."""

    on_error: ErrorHandler
    """Called with a `Failure` when this subscriber fails."""


class CollectionStats(NamedTuple):
    """What a collection has done."""

    published: int
    """Messages accepted by `add`."""

    duplicates: int
    """Messages refused because a set had them already."""

    refused: int
    """Messages refused for lack of room."""

    guarantee: Guarantee
    """What is left of the collection's own promise towards the subscribers it has met."""

    pull: Stats | None
    """What became of the messages to be pulled; None with `pull=False`."""


class DACollection(Closing, Collection[T], Generic[T]):
    """A distributed asynchronous collection; use one of the eight classes that say what they promise.

    chat = DAStrongSet[ChatMsg]("/Chat/Insomnia")     # a topic, with elements of a type
    all = DAStrongSet[ChatMsg]("/Chat/*")             # many topics, to listen to
    talks = DAStrongSet[Talk]()                       # no topic: everything published by that type
    """

    guarantee: ClassVar[Guarantee]
    """What this class promises."""

    elements: ClassVar[tuple[Target, ...]] = ()

    if not TYPE_CHECKING:

        def __class_getitem__(cls, argument):
            return super().__class_getitem__(argument) if isinstance(argument, TypeVar) else typed(cls, argument)

    def __init__(
        self,
        topic: str | Topic | TopicPattern | None = None,
        *,
        order: Literal["fifo", "lifo"] = "fifo",
        pull: bool = True,
        bus: EmbeddedBus | None = None,
    ) -> None:
        """Open the collection of a topic or, without one, of its type.

        `order` is the order in which messages are pulled. With `pull=False` nothing is kept for pulling.
        """
        if order not in ("fifo", "lifo"):
            raise InvalidValue(f"order={order!r}: messages are pulled 'fifo' (first in, first out) or 'lifo'")
        if not hasattr(type(self), "guarantee"):
            raise UsageError("DACollection promises nothing: use DAStrongSet, DAList or another of the eight classes")
        self._topics = None if topic is None else _pattern(topic)
        self._bus = connect() if bus is None else bus
        interest = Interest(self._topics, self.elements)
        if self._topics is None:
            self._name = " & ".join(_type_label(target) for target in self.elements)
        else:
            self._name = str(self._topics)
        self._publisher = self._bus.publisher(self._topics, self.elements, self.guarantee)
        self._ways = self._publisher.ways
        in_order = self.guarantee.order is not Order.NONE
        self._feed = self._bus.feed(interest, last_first=order == "lifo", in_order=in_order) if pull else None
        self._subscriptions: list[Subscription] = []
        self._prune_at = 16
        self._suppliers: list[Supplier] = []
        self._advertisements: list[Advertisement] = []
        self._bus.forget_when_gone(self, self._publisher, self._feed)

    @classmethod
    def of(
        cls,
        first: Callable[..., X],  # a class; abstract ones are no `type[X]` to type checkers
        *others: type,
        order: Literal["fifo", "lifo"] = "fifo",
        pull: bool = True,
        bus: EmbeddedBus | None = None,
    ) -> DACollection[X]:
        """Open the collection of everything that conforms to all of these types."""
        both: Any = typed(cls, Intersection(cast("type", first), *others) if others else first)
        return both(order=order, pull=pull, bus=bus)  # type: ignore[no-any-return]

    # Publishing.

    def add(self, message: T, /, **options: Unpack[Options]) -> bool:
        """Publish a message. False if it was refused: by a set as a duplicate, or for lack of room.

        Raises `InvalidType` for a message that is not of the collection's type.
        """
        way = self._ways.get(type(message))
        if way is None or options:
            return self._publisher.publish(message, options)
        return way(message)

    def advertise(self, where: ConditionLike | None = None, *, lease: float | None = None) -> Advertisement:
        """Say what will be published here, so that brokers can prepare."""
        self._require_open()
        interest = Interest(self._topics, self.elements, where=_condition(where))
        advertisement = Advertisement(self._bus, interest)
        self._bus.advertise(advertisement, lease)
        self._advertisements = [*filter(None, self._advertisements), advertisement]
        return advertisement

    def supply(self, supplier: Callable[[], T | None], *, every: float = SUPPLY_SECONDS) -> Supplier:
        """Have a function asked for messages: it returns the next one, or None when there is none for now.

        It is asked when somebody pulls and finds nothing, and every so many seconds.
        """
        if not callable(supplier):
            raise InvalidType(f"a supplier is a function without arguments, not {supplier!r}")
        self._require_open()
        asked = Supplier(self._publisher, supplier)
        self._bus.timer.every(seconds_of(every, "every"), asked.poll)
        self._suppliers = [*filter(None, self._suppliers), asked]
        return asked

    def poll(self) -> int:
        """Ask all suppliers now; returns how many messages they had."""
        return sum(supplier.poll() for supplier in self._suppliers)

    # Subscribing, in the paper's words.

    @overload
    def contains(  # type: ignore[overload-overlap]  # a message that can be called is taken for a subscriber
        self, subscriber: Simple[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def contains(  # type: ignore[overload-overlap]
        self, subscriber: Informed[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def contains(self, message: T, /) -> bool: ...
    def contains(self, subject: Any, condition: ConditionLike | None = None, /, **how: Any) -> Subscription | bool:
        """Subscribe one-for-each: everyone gets each message. By type, without subtypes.

        Given something that cannot subscribe, say whether it was published here; see `in`.
        """
        if isinstance(subject, DACollection):
            raise UsageError("a collection does not subscribe: forward with contains(other.add), ask with contains_all")
        if not is_subscriber(subject):
            if condition is not None or how:
                raise InvalidType(
                    f"{subject!r} cannot subscribe: give a function, or an object with a method `contains`"
                )
            return subject in self
        interest = self._interest(condition, how, reach="topic", subtypes=self._topics is not None)
        return self._subscribe(subject, interest, how)

    @overload
    def contains_all(self, collection: DACollection[Any], /) -> bool: ...
    @overload
    def contains_all(
        self, subscriber: Simple[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def contains_all(
        self, subscriber: Informed[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    def contains_all(self, subject: Any, condition: ConditionLike | None = None, /, **how: Any) -> Subscription | bool:
        """Subscribe one-for-each, with all subtopics or subtypes, also those that come to be later.

        Given a collection, say whether that one is a specialisation of this one.
        """
        if isinstance(subject, DACollection):
            return self._is_above(subject)
        return self._subscribe(subject, self._interest(condition, how, reach="subtopics"), how)

    @overload
    def remove(
        self, subscriber: Simple[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def remove(
        self, subscriber: Informed[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    def remove(self, subscriber: Any, condition: ConditionLike | None = None, /, **how: Any) -> Subscription:
        """Subscribe one-for-all: each message reaches one of those who subscribe like this. By type, no subtypes."""
        subtypes = self._topics is not None
        interest = self._interest(condition, how, reach="topic", subtypes=subtypes, one_for_all=True)
        return self._subscribe(subscriber, interest, how)

    @overload
    def remove_all(
        self, subscriber: Simple[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    @overload
    def remove_all(
        self, subscriber: Informed[T], condition: ConditionLike | None = None, /, **how: Unpack[How]
    ) -> Subscription: ...
    def remove_all(self, subscriber: Any, condition: ConditionLike | None = None, /, **how: Any) -> Subscription:
        """Subscribe one-for-all, with all subtopics or subtypes, also those that come to be later."""
        interest = self._interest(condition, how, reach="subtopics", one_for_all=True)
        return self._subscribe(subscriber, interest, how)

    @overload
    def clear(self, /) -> None: ...
    @overload
    def clear(self, subscriber: Simple[T] | Informed[T], /) -> None: ...
    def clear(self, subscriber: Any = None, /) -> None:
        """Unsubscribe a subscriber from this collection; without one, drop the messages that wait to be pulled."""
        if subscriber is None:
            if self._feed is not None:
                self._feed.clear()
            return
        with self._bus.lock:
            subscribed = self._bus.directory.subscribed(self._topics, self.elements)
        for subscription in subscribed:
            if subscription.subscriber is subscriber or equal(subscription.subscriber, subscriber):
                subscription.close()

    # Subscribing, with a decorator.

    @overload
    def subscribe(self, subscriber: Callable[Concatenate[T, P], R], /) -> Callable[Concatenate[T, P], R]: ...
    @overload
    def subscribe(
        self,
        /,
        *,
        where: ConditionLike | None = None,
        reach: Reach = "topic",
        subtypes: bool = True,
        one_for_all: bool = False,
        **how: Unpack[How],
    ) -> Callable[[Callable[Concatenate[T, P], R]], Callable[Concatenate[T, P], R]]: ...
    def subscribe(
        self,
        subscriber: Any = None,
        /,
        *,
        where: ConditionLike | None = None,
        reach: Reach = "topic",
        subtypes: bool = True,
        one_for_all: bool = False,
        **how: Any,
    ) -> Any:
        """Subscribe the decorated function: `@chat.subscribe` or `@chat.subscribe(where=it.price < 10)`.

        Subtypes are included unless `subtypes=False`; subtopics are with `reach="subtopics"`; `reach="line"` hears
        what is published on topics above and below, too. `clear(function)` unsubscribes.
        """
        interest = self._interest(where, how, reach=reach, subtypes=subtypes, one_for_all=one_for_all)

        def decorate(function: Any) -> Any:
            self._subscribe(function, interest, how)
            return function

        return decorate if subscriber is None else decorate(subscriber)

    # Pulling.

    def get(self, timeout: float | None = 0) -> T | None:
        """Take the next message nobody has pulled; None if there is none within so many seconds (None: forever)."""
        notification = self.pull(timeout)
        return None if notification is None else notification.body

    async def aget(self, timeout: float | None = None) -> T | None:
        """Take the next message, waiting for it on the event loop; None after the time-out or at closing."""
        import asyncio

        feed = self._require_feed()
        _check_timeout(timeout)
        if self._suppliers and not len(feed):
            await asyncio.to_thread(self.poll)
        try:
            async with asyncio.timeout(timeout):
                notification = await feed.pull_async()
        except TimeoutError:
            return None
        return None if notification is None else notification.body

    def pull(self, timeout: float | None = 0) -> Notification | None:
        """Take the next message with its envelope; otherwise as `get`."""
        feed = self._require_feed()
        _check_timeout(timeout)
        found = feed.pull()
        if found is None and self._suppliers:
            self.poll()
        return feed.pull(timeout) if found is None else found

    def __aiter__(self) -> AsyncIterator[T]:
        """Take one message after the other, waiting for each, until the collection is closed."""
        return self._stream()

    async def _stream(self) -> AsyncIterator[T]:
        while (message := await self.aget()) is not None:
            yield message

    # Looking.

    @property
    def name(self) -> str:
        """The topic, or the type, that the collection stands for."""
        return self._name

    @property
    def bus(self) -> EmbeddedBus:
        """The bus it is on."""
        return self._bus

    def __len__(self) -> int:
        """Return how many messages wait to be pulled."""
        return 0 if self._feed is None else len(self._feed)

    def is_empty(self) -> bool:
        """Say whether no message waits to be pulled."""
        return not len(self)

    def __bool__(self) -> bool:
        return True  # an empty collection is still a collection

    def __iter__(self) -> Iterator[T]:
        """Look at the messages that wait to be pulled, in the order in which they would be."""
        return iter([] if self._feed is None else self._feed.messages())

    @overload
    def to_array(self) -> list[T]: ...
    @overload
    def to_array(self, cls: type[X]) -> list[X]: ...
    def to_array(self, cls: type[Any] = object) -> list[Any]:
        """Return the messages that wait to be pulled, or those of them that are of a class."""
        return [message for message in self if isinstance(message, cls)]

    def __contains__(self, message: object) -> bool:
        """Say whether a message was published here, among the last ones seen since the collection was opened."""
        return self._feed is not None and self._feed.has_seen(message)

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, DACollection) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'' if self._topics is None else repr(self._name)})"

    @property
    def stats(self) -> CollectionStats:
        """What this collection has done; every subscription has `stats` of its own."""
        publisher = self._publisher
        with self._bus.lock:
            pull = None if self._feed is None else self._feed.stats
            return CollectionStats(
                publisher.sequence, publisher.duplicates, publisher.refused, publisher.effective, pull
            )

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The open subscriptions made through this collection."""
        return tuple(self._open_subscriptions())

    # Ending.

    def close(self) -> None:
        """End the subscriptions, suppliers and advertisements made here, and publish and pull no more."""
        for supplier in self._suppliers:
            supplier.close()
        for advertisement in self._advertisements:
            advertisement.close()
        for subscription in self._open_subscriptions():
            subscription.close()
        self._bus.forget(self._publisher, self._feed)

    # Inside.

    @property
    def _identity(self) -> tuple[object, ...]:
        return self._bus, self._topics, frozenset(self.elements) if self._topics is None else None

    def _subscribe(self, subscriber: object, interest: Interest, how: Any) -> Subscription:
        self._require_open()
        subscription = self._bus.subscribe(interest, subscriber, self.guarantee, Handling(**how))
        self._subscriptions.append(subscription)
        if len(self._subscriptions) > self._prune_at:
            self._subscriptions = self._open_subscriptions()
            self._prune_at = 2 * len(self._subscriptions) + 16
        return subscription

    def _interest(
        self, where: ConditionLike | None, how: Any, *, reach: Reach, subtypes: bool = True, one_for_all: bool = False
    ) -> Interest:
        """Return the interest that a subscription stands for; takes what belongs to it out of the options."""
        unknown = how.keys() - How.__annotations__.keys()
        if unknown:
            choices = ", ".join(How.__annotations__)
            raise InvalidType(f"a subscription has no option {min(unknown)!r}; there are {choices}")
        return Interest(
            topics=self._reached(reach),
            types=self.elements,
            subtypes=subtypes,
            in_line=reach == "line",
            where=_condition(where),
            about=_condition(how.pop("about", None)),
            one_for_all=one_for_all,
        )

    def _reached(self, reach: Reach) -> TopicPattern | None:
        if reach not in ("topic", "subtopics", "line"):
            raise InvalidValue(f"reach={reach!r}: a subscription reaches its 'topic', also 'subtopics', or its 'line'")
        return with_subtopics(self._topics) if self._topics is not None and reach == "subtopics" else self._topics

    def _require_open(self) -> None:
        if not self._publisher.is_open:
            raise Closed("this collection was closed: open a new one")

    def _open_subscriptions(self) -> list[Subscription]:
        return [one for one in self._subscriptions if one.is_open]

    def _is_above(self, other: DACollection[Any]) -> bool:
        mine, theirs = self._topics, other._topics
        if mine is not None and theirs is not None:
            return with_subtopics(mine).covers(theirs)
        return mine is theirs and all(_is_below(target, self.elements) for target in other.elements)

    def _require_feed(self) -> Feed:
        if self._feed is None:
            raise UsageError("this collection was opened with pull=False, so nothing is kept to be pulled")
        return self._feed


def _pattern(topic: object) -> TopicPattern:
    if isinstance(topic, TopicPattern):
        return topic
    if isinstance(topic, str | Topic):
        return TopicPattern(str(topic))
    raise InvalidType(f"a topic is a text such as '/Chat/Insomnia', not {topic!r}")


def _check_timeout(timeout: float | None) -> None:
    if timeout is not None and not timeout >= 0:
        raise InvalidValue(f"timeout={timeout!r}: give a number of seconds, or None to wait forever")


def _condition(condition: ConditionLike | None) -> Condition:
    return Always() if condition is None else as_condition(condition)


def _type_label(target: Target) -> str:
    return str(target) if isinstance(target, Intersection) else topic_of(target)


def _is_below(target: Target, above: tuple[Target, ...]) -> bool:
    parts = target.types if isinstance(target, Intersection) else (target,)
    return any(any(conforms(part, one) for part in parts) for one in above)
