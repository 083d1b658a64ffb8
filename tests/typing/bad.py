"""What type checkers must refuse: the marked lines and no others."""

# ruff: noqa: B018, T201  these programs are read by a type checker and never run

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import rostra
from rostra import DACollection, DAStrongSet, it


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


class Chat(DAStrongSet[ChatMsg]):
    def say(self, text: str) -> bool:
        return self.add(text)  # error


chat = DAStrongSet[ChatMsg]("/Chat/Insomnia")
shouts = DAStrongSet[Shout]("/Chat/Loud")
prices = DAStrongSet[Priced]("/prices")


# Publishing what is of another type.

chat.add("Hi")  # error
chat.add(Quote("ACME", 99.0))  # error
chat.add(None)  # error
shouts.add(ChatMsg("Alice", "Hi"))  # error
prices.add(ChatMsg("Alice", "Hi"))  # error
Chat("/Chat").add("Hi")  # error
DAStrongSet[Department]().add(Quote("ACME", 99.0))  # error
chat.supply(lambda: "Hi")  # error


# Publishing with options that do not exist, or of another type.

chat.add(ChatMsg("Alice", "Hi"), prio=5)  # error
chat.add(ChatMsg("Alice", "Hi"), priority="high")  # error


# Subscribing what takes something else.


def on_quote(quote: Quote) -> None:
    print(quote.price)


def on_shout(shout: Shout) -> None:
    print(shout.loudness)


def on_message(message: ChatMsg) -> None:
    print(message.text)


def on_message_and_number(message: ChatMsg, number: int) -> None:
    print(message.text, number)


def on_nothing() -> None:
    print()


async def on_quote_later(quote: Quote) -> None:
    print(quote.price)


class QuoteSubscriber:
    def contains(self, message: Quote, topic: str) -> None:
        print(message.price, topic)


class Forgetful:
    def contains(self, message: ChatMsg) -> None:
        print(message.text)


chat.contains(on_quote)  # error
chat.contains(on_shout)  # error
chat.contains(on_message_and_number)  # error
chat.contains(on_nothing)  # error
chat.contains(on_quote_later)  # error
chat.contains(QuoteSubscriber())  # error
chat.contains(Forgetful())  # error
chat.contains_all(on_quote)  # error
chat.remove(on_quote)  # error
chat.remove_all(on_quote)  # error
chat.clear(on_quote)  # error


# Subscribing with options that do not exist, or with other values.

chat.contains(on_message, policy="drop")  # error
chat.contains(on_message, run="thread")  # error
chat.contains(on_message, polcy="block")  # error
chat.contains(on_message, queue="long")  # error
chat.remove(on_message, policy="drop")  # error
chat.remove(on_message, workers=3)  # error
chat.contains(on_message, it.sender == "Alice", it.text == "Hi")  # error
chat.contains(on_message, "sender = 'Alice'")  # error


@chat.subscribe(reach="everywhere")  # error
def decorated(message: ChatMsg) -> None:
    print(message.text)


@chat.subscribe  # error
def for_another_type(quote: Quote) -> None:
    print(quote)


chat.contains(lambda message: message.price)  # error


# Using what may not be there, or is of another type.

chat.get().text  # error
number: int = chat.get()  # error
for message in chat:
    print(message.price)  # error


async def read() -> None:
    (await chat.aget()).text  # error
    async for message in chat:
        print(message.price)  # error


# Opening what makes no sense.

DAStrongSet[ChatMsg]("/Chat", order="sorted")  # error
DAStrongSet[ChatMsg](42)  # error
DAStrongSet[ChatMsg]("/Chat", durable=True)  # error
general: DACollection[ChatMsg] = shouts  # error
