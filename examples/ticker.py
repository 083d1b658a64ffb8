"""A stock ticker: of prices, the latest is the one that matters.

Twice: as a stack, from which the newest quote is pulled first, and as a slow display that is spared the quotes which
are out of date by the time it has drawn the one before.
"""

from threading import Event as Signal

import rostra
from rostra import DAStrongSet

DAY = [("ACME", 99.0), ("INIT", 42.0), ("ACME", 99.5), ("ACME", 101.0), ("INIT", 41.5), ("ACME", 100.5)]


class Quote(rostra.Event, frozen=True):
    """A price; frozen, since what was published is not to change."""

    symbol: str
    price: float

    def __str__(self) -> str:
        return f"{self.symbol} {self.price:.2f}"


class SlowDisplay:
    """Draws one quote at a time. The first takes until `go_on`, as if a person were reading it."""

    def __init__(self) -> None:
        self.drawn: list[str] = []
        self.is_drawing, self.go_on = Signal(), Signal()

    def draw(self, quote: Quote) -> None:
        self.drawn.append(str(quote))
        self.is_drawing.set()
        self.go_on.wait()


def pull_latest_first() -> None:
    stack = DAStrongSet[Quote]("/q", order="lifo")
    for symbol, price in DAY:
        stack.add(Quote(symbol, price))
    print("Pulled from the stack:")
    for _ in range(3):
        print(f"  {stack.get()}")
    print("Still on it:", ", ".join(str(quote) for quote in stack))  # looking takes nothing away


def show_latest_of_each() -> None:
    quotes = DAStrongSet[Quote]("/display", pull=False)
    display = SlowDisplay()
    subscription = quotes.contains(display.draw, run="serial", policy="latest")
    for symbol, price in DAY:
        quotes.add(Quote(symbol, price), key=symbol)  # the key says what a newer quote replaces
        display.is_drawing.wait()
    display.go_on.set()
    quotes.bus.flush()
    print("\nDrawn by a slow display:")
    for quote in display.drawn:
        print(f"  {quote}")
    stats = subscription.stats
    print(f"It was offered {stats.offered}, drew {stats.delivered}, was spared {stats.dropped}")


def main() -> None:
    pull_latest_first()
    show_latest_of_each()


if __name__ == "__main__":
    main()
