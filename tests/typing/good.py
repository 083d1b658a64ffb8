"""What users write and type checkers must accept: no error in this file."""

# ruff: noqa: T201  this program is read by a type checker and never run

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Protocol, assert_type

import rostra
from rostra import DAList, DAStrongSet, DAWeakBag, Failure, Intersection, Notification, Subscription, it
from rostra.conditions import Equals


class ChatMsg(rostra.Event):
    sender: str
    text: str


class Shout(ChatMsg):
    loudness: int = 11


@dataclass
class Quote:
    symbol: str
    price: float


class Priced(Protocol):
    @property
    def price(self) -> float: ...


class Department(ABC):
    @abstractmethod
    def address(self) -> str: ...


class Talk(Department):
    def address(self) -> str:
        return "INF"

    def speaker(self) -> str:
        return "Eugster"


class Ring(rostra.Event, key="number"):
    number: int


# Collections: of a class, of a Protocol, of an abstract base class, of several at once; subclasses of collections.

chat = DAStrongSet[ChatMsg]("/Chat/Insomnia")
prices = DAStrongSet[Priced]("/prices", order="lifo")
talks = DAStrongSet[Department]()
numbers = DAList[float]("/numbers", pull=False)
rows = DAWeakBag[dict[str, int]]("/rows")
either = DAStrongSet[ChatMsg | Quote]("/mixed", bus=rostra.connect("memory://mixed"))
annotated: DAStrongSet[ChatMsg] = DAStrongSet("/Chat")


class Chat(DAStrongSet[ChatMsg]):
    def say(self, text: str) -> bool:
        return self.add(ChatMsg("me", text))


mine = Chat("/Chat/Mine")
assert_type(mine.get(), ChatMsg | None)
mine.contains(lambda message: message.text.upper())
assert_type(mine.say("hello"), bool)


# Publishing: the class, its subclasses, what fits a Protocol; options.

assert_type(chat.add(ChatMsg("Alice", "Hi")), bool)
chat.add(Shout("Alice", "HI"))
chat.add(ChatMsg("Alice", "Hi"), id="1", key="Alice", priority=5, ttl=2.5, headers={"region": "EU"})
prices.add(Quote("ACME", 99.0))
talks.add(Talk())
numbers.add(1)
either.add(ChatMsg("Alice", "Hi"))
either.add(Quote("ACME", 99.0))
rows.add({"a": 1})


# Subscribing: functions of one, two and three arguments, for the class or what is above it.


def on_message(message: ChatMsg) -> None:
    print(message.text)


def on_message_and_topic(message: ChatMsg, topic: str) -> None:
    print(message.text, topic)


def on_notification(message: ChatMsg, topic: str, notification: Notification) -> str:
    return f"{message.text} {topic} {notification.id}"


def on_anything(message: object) -> int:
    return hash(message)


def with_defaults(message: ChatMsg, topic: str = "", times: int = 1) -> None:
    print(message.text, topic, times)


def configured(prefix: str, message: ChatMsg) -> None:
    print(prefix, message.text)


assert_type(chat.contains(on_message), Subscription)
chat.contains(on_message_and_topic)
chat.contains(on_notification)
chat.contains(on_anything)
chat.contains(with_defaults)
chat.contains(partial(configured, "> "))
chat.contains(print)
chat.contains_all(on_message)
chat.remove(on_message)
chat.remove_all(on_message_and_topic)
heard: list[ChatMsg] = []
chat.contains(heard.append)
chat.contains(mine.add)


# Lambdas.

chat.contains(lambda message: message.text.upper())
chat.contains(lambda message: print(message.text))
chat.contains_all(lambda message: message.sender.lower())
chat.remove(lambda message: heard.insert(0, message))
chat.contains(lambda message, topic: print(message.text, topic))
prices.contains(lambda priced: round(priced.price))


# Coroutine functions.


async def on_message_later(message: ChatMsg) -> None:
    await asyncio.sleep(0)
    print(message.text)


async def on_message_and_topic_later(message: ChatMsg, topic: str) -> int:
    await asyncio.sleep(0)
    return len(message.text + topic)


chat.contains(on_message_later)
chat.contains_all(on_message_and_topic_later, run="loop")
chat.remove(on_message_later)


# Objects, as in the paper: with `contains`, or callable.


class ChatSubscriber:
    def contains(self, message: ChatMsg, topic: str) -> None:
        print(message.text, topic)


class Logger:
    def contains(self, message: object, topic: str) -> None:
        print(message, topic)


class Counter:
    def __call__(self, message: ChatMsg) -> None:
        print(message.text)


class LaterSubscriber:
    async def contains(self, message: ChatMsg, topic: str) -> None:
        await asyncio.sleep(0)


chat.contains(ChatSubscriber())
chat.contains(Logger())
chat.contains(Counter())
chat.contains(LaterSubscriber())
chat.contains(ChatSubscriber().contains)
assert_type(chat.contains_all(ChatSubscriber()), Subscription)
chat.clear(on_message)
chat.clear()


# Conditions: operators, classes, functions.

chat.contains(on_message, it.sender == "Alice")
chat.contains(on_message, (it.sender == "Alice") & it.text.contains("me"))
chat.contains(on_message, Equals("/getSender", "Alice", True))
chat.contains(on_message, lambda message: message.sender == "Alice")


# How to be called.


def on_error(failure: Failure) -> None:
    print(failure.error, failure.source.name, failure.notification)


chat.contains(on_message, run="serial", policy="block", queue=10, lease=60, on_error=on_error)
chat.contains(on_message, it.sender == "Alice", about=it.headers.region == "EU", policy="latest")


# Decorators, which leave the function as it is.


@chat.subscribe
def decorated(message: ChatMsg) -> int:
    return len(message.text)


@chat.subscribe(where=it.sender == "Alice", reach="subtopics", one_for_all=True, run="pool")
def decorated_with_options(message: ChatMsg, topic: str) -> int:
    return len(message.text + topic)


@chat.subscribe
async def decorated_later(message: ChatMsg) -> None:
    await asyncio.sleep(0)


assert_type(decorated(ChatMsg("Alice", "Hi")), int)
assert_type(decorated_with_options(ChatMsg("Alice", "Hi"), "/Chat"), int)


# Pulling and looking.

first = chat.get()
if first is not None:
    print(first.text)
while (message := chat.get(timeout=0)) is not None:
    print(message.sender)
assert_type(chat.get(), ChatMsg | None)
assert_type(prices.get(), Priced | None)
assert_type([*chat], list[ChatMsg])
assert_type(chat.to_array(), list[ChatMsg])
assert_type(chat.to_array(Shout), list[Shout])
assert_type(len(chat), int)
assert_type(ChatMsg("Alice", "Hi") in chat, bool)
assert_type(chat.contains(ChatMsg("Alice", "Hi")), bool)
assert_type(chat.contains_all(mine), bool)


async def read() -> None:
    async for message in chat:
        assert_type(message, ChatMsg)
        break
    later = await chat.aget(timeout=1)
    assert_type(later, ChatMsg | None)


# Suppliers, advertisements, leases, endings.


def supplier() -> ChatMsg | None:
    return None


chat.supply(supplier, every=60)
chat.supply(lambda: ChatMsg("Alice", "Hi"))
chat.advertise(it.sender == "Alice", lease=60)
with chat.contains(on_message) as subscription:
    subscription.renew(60)
    assert_type(subscription.stats.is_balanced, bool)
with DAStrongSet[ChatMsg]("/Chat/Short") as short:
    short.add(ChatMsg("Alice", "Hi"))


# Several types at once.

both = DAStrongSet.of(Talk, Ring)
both.contains_all(lambda talk: talk.speaker())
assert_type(both.get(), Talk | None)
abstract = DAStrongSet.of(Department, Talk)
assert_type(abstract.get(), Department | None)
structural = DAStrongSet.of(Priced, Quote)
assert_type(structural.get(), Priced | None)
print(Intersection(Department, Priced))

with Chat("/Chat/own") as own:
    own.say("hi")
