"""What a condition can do: a tour in one page. Run with `make demo`."""

import rostra
from rostra import it
from rostra.compile import compile_group
from rostra.conditions import Equals, from_json


class Quote(rostra.Event):
    """A typed event; dataclasses, attrs classes, dicts and ordinary classes do as well."""

    symbol: str
    bid: float
    ask: float


class ChatMsg:
    """An encapsulated event: conditions reach it through its methods."""

    def __init__(self, sender: str, text: str) -> None:
        self._sender, self._text = sender, text

    def getSender(self) -> str:
        return self._sender

    def getText(self) -> str:
        return self._text


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def show(label: str, value: object) -> None:
    print(f"  {label:<70} {value}")


def main() -> None:
    quotes = [Quote("ACME", 99.0, 99.5), Quote("ACME", 101.0, 101.2), Quote("INIT", 42.0, 44.0)]

    heading("Conditions are written in Python, and are values")
    cheap = (it.ask < 100) & it.symbol.is_in(["ACME", "INIT"])
    tight = it.ask < it.bid * 1.01
    for quote in quotes:
        show(str(quote), f"cheap: {cheap(quote)!s:5}  tight spread: {tight(quote)}")
    show("equal in another order, and with ~", cheap == it.symbol.is_in(("INIT", "ACME")) & ~(it.ask >= 100))
    show("as JSON", tight.to_json())
    show("and back", from_json(tight.to_json()) == tight)

    heading("Encapsulated events are reached through their methods")
    about_me = Equals("/getSender", "Alice", True) & (it.getText().find("me") != -1)
    for message in (ChatMsg("Alice", "is that me?"), ChatMsg("Alice", "hello"), ChatMsg("Tom", "me too")):
        show(f"{message.getSender()}: {message.getText()}", about_me(message))

    heading("What cannot be compared is unknown, and unknown never matches")
    for event in ({"ask": 99}, {"ask": "99"}, {"ask": None}, {}):
        show(str(event), f"ask < 100: {(it.ask < 100).decide(event)!s:5}  ask >= 100: {(it.ask >= 100).decide(event)}")

    heading("They can be compared with each other: what brokers route by")
    wide, narrow = it.price < 200, (it.price < 100) & (it.symbol == "ACME")
    show(f"{wide}  covers  {narrow}", wide.covers(narrow))
    show(f"{it.price < 100}  overlaps  {it.price > 150}", (it.price < 100).overlaps(it.price > 150))
    show(
        f"{it.price < 100}  merged with  {it.price.between(100, 150)}",
        (it.price < 100).merge(it.price.between(100, 150)),
    )
    one, two = (it.price < 100) & (it.symbol == "A"), (it.price < 150) & (it.symbol == "B")
    show(f"{one}  merged with  {two}", one.merge(two))
    show("there is no perfect merge; an inexact one", one.merge(two, inexact=True))

    heading("And compiled, one by one or a thousand at a time")
    fast = cheap.compile(Quote)
    show("a filter generated for Quote agrees", all(fast(quote) == cheap(quote) for quote in quotes))
    group = compile_group({f"below {limit}": it.ask < limit for limit in range(0, 1000, 10)} | {"tight": tight}, Quote)
    for quote in quotes:
        matching = group(quote)
        show(str(quote), f"{len(matching)} of 101 match; tight: {'tight' in matching}")


if __name__ == "__main__":
    main()
