"""The embedded bus against a plain model of its semantics, with the law of conservation after every step.

The model knows nothing of routes, lanes, mailboxes or compiled conditions: it keeps lists and goes through them.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

import rostra
from rostra import it
from rostra.bus import publisher as publisher_module
from rostra.bus.embedded import EmbeddedBus
from rostra.collections import DAArray, DAList, DASortedBag, DASortedSet, DAStrongBag, DAStrongSet, DAWeakBag, DAWeakSet

CLASSES = (DAWeakBag, DAWeakSet, DAStrongBag, DAStrongSet, DAArray, DAList, DASortedBag, DASortedSet)
TOPICS = ("/a", "/a/b")
CONDITIONS = {
    "all": (None, lambda m: True),
    "even": (it.value.is_in([0, 2, 4, 6, 8]), lambda m: m.value % 2 == 0),
    "small": (it.value < 3, lambda m: m.value < 3),
    "either": ((it.value == 1) | (it.value > 7), lambda m: m.value == 1 or m.value > 7),
    "opaque": (lambda m: m.value % 3 == 0, lambda m: m.value % 3 == 0),
}


class Message(rostra.Event):
    value: int


class Keyed(Message, key="value"):
    pass


class Hands:
    """Workers that work when they are told to."""

    def __init__(self) -> None:
        self.jobs: list[Any] = []

    def submit(self, job: Any) -> bool:
        self.jobs.append(job)
        return True

    def close(self, timeout: float) -> bool:
        return True


@dataclass(eq=False)
class ModelQueue:
    policy: str
    most: int
    in_order: bool
    waiting: list[tuple[int, int, Any]] = field(default_factory=list)  # priority, number, message


@dataclass(eq=False)
class ModelSubscriber:
    """One subscriber, as the model and as the real thing."""

    topic: str
    deep: bool
    types: type
    condition: Any
    fails: bool
    share: bool
    queue: ModelQueue | None
    ends: float | None
    real: Any = None
    got: list[Any] = field(default_factory=list)
    expected: list[Any] = field(default_factory=list)
    open: bool = True
    stamp: int = 0
    count: Any = None

    def hears(self, topic: str, message: Any) -> bool:
        near = topic == self.topic or (self.deep and topic.startswith(self.topic + "/"))
        return near and isinstance(message, self.types)


@dataclass
class Count:
    offered: int = 0
    filtered: int = 0
    dropped: int = 0
    expired: int = 0
    dead: int = 0
    errors: int = 0


@dataclass(eq=False)
class Envelope:
    message: Any
    priority: int
    expires: float | None
    topic: str
    tried: tuple[Any, ...] = ()
    groups: dict[int, Any] = field(default_factory=dict)
    reliable: bool = True


OPENING = st.tuples(st.sampled_from(CLASSES), st.sampled_from(TOPICS), st.sampled_from(["fifo", "lifo"]), st.booleans())
QUEUES = st.tuples(
    st.sampled_from(["drop-oldest", "drop-newest", "latest", "block", "block", "disconnect"]), st.integers(1, 3)
)
SUBSCRIBING = st.tuples(
    st.sampled_from(CLASSES),
    st.sampled_from(TOPICS),
    st.booleans(),
    st.sampled_from([Message, Message, Keyed]),
    st.sampled_from(sorted(CONDITIONS)),
    st.sampled_from([False, False, True]),
    st.booleans(),
    st.sampled_from([None, None, 5.0]),
    st.none() | QUEUES,
)
PUBLISHING = st.tuples(
    st.integers(0, 9),
    st.booleans(),
    st.sampled_from([None, None, "x", "y"]),
    st.sampled_from([None, None, None, 0, 3]),
    st.sampled_from([None, 9]),
)


class Law(RuleBasedStateMachine):
    collections = Bundle("collections")
    subscribers = Bundle("subscribers")

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0
        self.bus = EmbeddedBus("model", clock=lambda: self.now, monotonic=lambda: self.now)
        self.hands = Hands()
        self.bus._workers = self.bus.dispatcher._workers = self.hands  # type: ignore[assignment]
        self.failures: list[Any] = []
        self.bus.on_error = self.failures.append
        self.all: list[ModelSubscriber] = []
        self.groups: dict[Any, Count] = {}
        self.feeds: list[dict[str, Any]] = []
        self.seen: set[Any] = set()
        self.numbers = 0

    def number(self) -> int:
        self.numbers += 1
        return self.numbers

    def teardown(self) -> None:
        self.bus.close(timeout=0.0)

    # What users do.

    @initialize(target=collections, opened=st.tuples(OPENING, OPENING))
    def open_some(self, opened):
        return multiple(*(self.model_open(*one) for one in opened))

    @initialize(target=subscribers, wanted=st.tuples(SUBSCRIBING, SUBSCRIBING, SUBSCRIBING))
    def subscribe_some(self, wanted):
        return multiple(*(self.model_subscribe(*one) for one in wanted))

    @rule(target=collections, opened=OPENING)
    def open(self, opened):
        return self.model_open(*opened)

    @rule(target=subscribers, wanted=SUBSCRIBING)
    def subscribe(self, wanted):
        return self.model_subscribe(*wanted)

    def model_open(self, cls, topic, order, pull):
        dac = cls[Message](topic, order=order, pull=pull, bus=self.bus)
        entry = {"dac": dac, "topic": topic, "order": order, "waiting": [], "count": Count(), "cls": cls, "pull": pull}
        entry |= {"published": 0, "duplicates": 0, "refused": 0, "seen": []}
        self.feeds.append(entry)
        return entry

    def model_subscribe(self, cls, topic, deep, types, condition, fails, share, lease, queue):
        in_order = cls.guarantee.order > 0
        box = None if queue is None else ModelQueue(*queue, in_order)
        ends = None if lease is None else self.now + lease
        model = ModelSubscriber(topic, deep, types, CONDITIONS[condition][1], fails, share, box, ends)

        def receive(message):
            if model.fails:
                raise RuntimeError("this subscriber fails")
            model.got.append(message)

        dac = cls[types](topic, pull=False, bus=self.bus)
        verb = {(0, 0): dac.contains, (0, 1): dac.contains_all, (1, 0): dac.remove, (1, 1): dac.remove_all}[share, deep]
        how = {} if queue is None else {"run": "serial", "policy": queue[0], "queue": queue[1]}
        if lease is not None:
            how["lease"] = lease
        self.end_leases()
        model.real = verb(receive, CONDITIONS[condition][0], **how)
        model.stamp = self.number()
        if share:
            key = topic, deep, types
            alive = any(one.open and one.share and (one.topic, one.deep, one.types) == key for one in self.all)
            model.count = self.groups[key] if alive else self.groups.setdefault((key, self.number()), Count())
            if not alive:
                self.groups[key] = model.count
        else:
            model.count = Count()
        self.all.append(model)
        return model

    @rule(subscriber=consumes(subscribers))
    def unsubscribe(self, subscriber):
        self.end_leases()
        subscriber.real.close()
        self.end(subscriber)

    @rule(collection=collections, messages=st.lists(PUBLISHING, min_size=1, max_size=4))
    def publish(self, collection, messages):
        for message in messages:
            self.publish_one(collection, *message)

    def publish_one(self, collection, value, keyed, name, ttl, priority):
        message = Keyed(value) if keyed else Message(value)
        options = {"id": name, "ttl": ttl, "priority": priority}
        options = {key: given for key, given in options.items() if given is not None}
        answer = collection["dac"].add(message, **options)
        assert answer == self.model_publish(collection, message, name, ttl, priority)

    @rule(collection=collections)
    def get(self, collection):
        if not collection["pull"]:
            with pytest.raises(rostra.errors.UsageError, match="pull=False"):
                collection["dac"].get()
            return
        self.drop_expired(collection)
        waiting = collection["waiting"]
        in_order = collection["cls"].guarantee.order > 0
        best = max((one.priority for one, _ in waiting), default=None)
        line = [(one, n) for one, n in waiting if in_order or one.priority == best]
        chosen = None if not line else line[-1 if collection["order"] == "lifo" else 0]
        if chosen is not None:
            waiting.remove(chosen)
        got = collection["dac"].get()
        assert got is (None if chosen is None else chosen[0].message)

    @rule(collection=collections)
    def clear(self, collection):
        collection["count"].dropped += len(collection["waiting"])
        collection["waiting"].clear()
        collection["dac"].clear()

    @rule(seconds=st.sampled_from([1.0, 2.5]))
    def wait(self, seconds):
        self.now += seconds

    @precondition(lambda self: self.hands.jobs)
    @rule()
    def work(self):
        job = self.hands.jobs.pop(0)
        whose = inspect.getclosurevars(job).nonlocals["subscription"]
        job()
        self.model_work(next(one for one in self.all if one.real is whose))

    # What the model thinks happens.

    def end_leases(self):
        for one in sorted((one for one in self.all if one.open and one.ends is not None), key=lambda one: one.ends):
            if one.ends <= self.now:
                self.end(one)

    def end(self, one):
        if not one.open:
            return
        one.open = False
        if one.queue is not None:
            left, one.queue.waiting = self.in_turn(one.queue), []
            for envelope in left:
                if one.share:
                    self.share(envelope, one)
                else:
                    one.count.dropped += 1

    def in_turn(self, queue):
        line = queue.waiting if queue.in_order else sorted(queue.waiting, key=lambda w: (-w[0], w[1]))
        return [envelope for _, _, envelope in line]

    def model_publish(self, collection, message, name, ttl, priority):
        topic, promise = collection["topic"], collection["cls"].guarantee
        marks = [(topic, "id", name)] if name else []
        marks += [(topic, "key", message.value)] if isinstance(message, Keyed) else []
        fresh = [mark for mark in marks if mark not in self.seen]
        if len(fresh) < len(marks) and promise.unique:
            collection["duplicates"] += 1
            return False
        hearing = [one for one in self.all if one.open and one.hears(topic, message)]
        if promise.reliable and self.must_wait(hearing, message):
            collection["refused"] += 1
            return False
        self.seen.update(fresh)
        collection["published"] += 1
        self.end_leases()
        hearing = [one for one in hearing if one.open]
        expires = None if ttl is None else self.now + ttl
        envelope = Envelope(message, 4 if priority is None else priority, expires, topic, reliable=promise.reliable)
        self.deliver(hearing, envelope)
        return True

    def must_wait(self, hearing, message):
        willing = [one for one in hearing if one.condition(message)]
        full = [one for one in willing if one.queue is not None and len(one.queue.waiting) >= one.queue.most]
        if any(not one.share and one.queue.policy == "block" for one in full):
            return True
        shared = [one for one in willing if one.share]
        blocks = any(one.queue is not None and one.queue.policy == "block" for one in shared)
        return bool(shared) and blocks and all(one in full for one in shared)

    def deliver(self, hearing, envelope):
        message = envelope.message
        for count in {id(one.count): one.count for one in hearing}.values():
            count.offered += 1
        expired = envelope.expires is not None and envelope.expires <= self.now
        for feed in self.feeds:
            if feed["pull"] and feed["topic"] == envelope.topic:
                feed["count"].offered += 1
                if expired:
                    feed["count"].expired += 1
                else:
                    feed["waiting"].append((envelope, self.number()))
                    feed["seen"].append(message)
        for one in [one for one in hearing if not one.share]:
            if not one.condition(message):
                one.count.filtered += 1
            elif expired:
                one.count.expired += 1
            else:
                self.hand(one, envelope)
        groups = {id(one.count): one.count for one in hearing if one.share}
        for count in groups.values():
            count.filtered += 1  # until somebody takes it
        envelope.groups.update(groups)
        willing = [one for one in hearing if one.share and one.condition(message)]
        if willing and expired:
            self.expire_in_some_group(willing)
        elif willing:
            self.share(envelope, None)

    def expire_in_some_group(self, willing):
        """Which of several groups counts it is not promised: take the one that really did."""
        for one in willing:
            if one.real.stats.expired > one.count.expired:
                one.count.filtered -= 1
                one.count.expired += 1
                return
        pytest.fail("no group counted the expired message")

    def hand(self, one, envelope):
        if one.queue is not None:
            self.put(one, envelope)
        elif one.fails:
            one.count.dead += 1
            one.count.errors += 1
        else:
            one.expected.append(envelope.message)

    def put(self, one, envelope):
        queue = one.queue
        key = envelope.message.value if isinstance(envelope.message, Keyed) else None
        if queue.policy == "latest" and key is not None:
            same = [w for w in queue.waiting if isinstance(w[2].message, Keyed) and w[2].message.value == key]
            for w in same:
                queue.waiting.remove(w)
                one.count.dropped += 1
        if len(queue.waiting) >= queue.most and not (one.share and queue.policy == "block" and envelope.reliable):
            if queue.policy in ("drop-oldest", "latest"):
                queue.waiting.remove(min(queue.waiting, key=lambda w: w[1]))
                one.count.dropped += 1
            else:
                one.count.dropped += 1
                if queue.policy == "disconnect":
                    self.end(one)
                return
        queue.waiting.append((4 if queue.in_order else envelope.priority, self.number(), envelope))

    def share(self, envelope, origin):
        """Give to whoever has waited longest; whoever takes it, it was not filtered there."""
        topic, message = envelope.topic, envelope.message
        if origin is not None:
            origin.count.filtered += 1
        everyone = [one for one in self.all if one.open and one.share and one.hears(topic, message)]
        for one in everyone:
            if id(one.count) not in envelope.groups:  # a group that was not there when it was published
                envelope.groups[id(one.count)] = one.count
                one.count.offered += 1
                one.count.filtered += 1
        willing = sorted((one for one in everyone if one.condition(message)), key=lambda one: one.stamp)
        full, tried = [], list(envelope.tried)
        for one in willing:
            if one in tried:
                continue
            if one.queue is not None:
                if len(one.queue.waiting) >= one.queue.most:
                    full.append(one)
                    continue
                one.stamp = self.number()
                one.count.filtered -= 1
                self.put(one, envelope)
                return
            one.stamp = self.number()
            if not one.fails:
                one.count.filtered -= 1
                one.expected.append(message)
                return
            one.count.errors += 1
            tried.append(one)
        if full:
            full[0].stamp = self.number()
            full[0].count.filtered -= 1
            self.put(full[0], envelope)
        else:
            self.give_up(origin, willing, failed=bool(tried))

    def give_up(self, origin, willing, *, failed):
        fate = "dead" if failed else "dropped"
        candidates = [origin] if origin is not None else willing
        for one in candidates:  # which of several groups counts it is not promised
            if getattr(one.real.stats, fate) > getattr(one.count, fate):
                one.count.filtered -= 1
                setattr(one.count, fate, getattr(one.count, fate) + 1)
                return
        pytest.fail(f"no group counted the {fate} message")

    def model_work(self, one):
        while one.queue.waiting:  # also what comes in meanwhile
            envelope = self.in_turn(one.queue)[0]
            one.queue.waiting = [waiting for waiting in one.queue.waiting if waiting[2] is not envelope]
            if envelope.expires is not None and envelope.expires <= self.now:
                one.count.expired += 1
            elif not one.fails:
                one.expected.append(envelope.message)
            elif one.share:
                one.count.errors += 1
                envelope.tried = (*envelope.tried, one)
                self.share(envelope, one)
            else:
                one.count.dead += 1
                one.count.errors += 1

    def drop_expired(self, feed):
        late = [w for w in feed["waiting"] if w[0].expires is not None and w[0].expires <= self.now]
        for w in late:
            feed["waiting"].remove(w)
            feed["count"].expired += 1

    # What must hold.

    @invariant()
    def everyone_got_what_the_model_says(self):
        self.end_leases()
        for one in self.all:
            assert one.real.is_open == one.open
            assert one.got == one.expected

    @invariant()
    def counters_obey_the_law(self):
        self.end_leases()
        for one in self.all:
            stats = one.real.stats
            members = [other for other in self.all if other.count is one.count]
            pending = sum(len(other.queue.waiting) for other in members if other.queue is not None)
            delivered = sum(len(other.expected) for other in members)
            c = one.count
            assert stats[:8] == (
                c.offered, delivered, c.filtered, c.dropped, c.expired, c.dead, pending, c.errors
            ), (stats, c)  # fmt: skip
            assert stats.is_balanced

    @invariant()
    def collections_show_what_the_model_holds(self):
        for feed in self.feeds:
            self.drop_expired(feed)
            dac, c = feed["dac"], feed["count"]
            assert len(dac) == len(feed["waiting"])
            stats = dac.stats
            assert stats[:3] == (feed["published"], feed["duplicates"], feed["refused"])
            if feed["pull"]:
                assert stats.pull.is_balanced
                assert stats.pull[:5:2] == (c.offered, c.filtered, c.expired)
                assert stats.pull.dropped == c.dropped
                assert all(message in dac for message in feed["seen"])
            else:
                assert stats.pull is None


@pytest.mark.spec("A2", "A3", "A4", "A5", "A6", "A14", "A15", partly=True)
class TestLaw(Law.TestCase):
    settings = settings(max_examples=300, stateful_step_count=25, deadline=None)

    @pytest.fixture(autouse=True)
    def _no_waiting(self, monkeypatch):
        monkeypatch.setattr(publisher_module, "OUTBOX_SECONDS", 0.0)
