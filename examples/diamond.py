r"""A diamond of types: who receives what when B and C specialise A, and D specialises both.

      A
     / \
    B   C
     \ /
      D

The figure that opens the paper on type-based publish/subscribe: P1 subscribes to A and so receives instances of
all four; P3 subscribes to D and publishes instances of B and D. What is published is one thing, who hears it another:
a subscription never says where messages come from, only what they are.
"""

from rostra import DAStrongSet, Event


class A(Event):
    """The most general."""


class B(A):
    """One kind of A."""


class C(A):
    """Another kind of A."""


class D(B, C):
    """Both at once."""


class Participant:
    """Notes what it hears."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.heard: list[str] = []

    def hear(self, message: A) -> None:
        self.heard.append(type(message).__name__)

    def __str__(self) -> str:
        return f"  {self.name:<28} {' '.join(self.heard) or '-'}"


def subscribe_with_subtypes() -> list[Participant]:
    who = [Participant(f"{name} with subtypes") for name in ("P1: A", "    B", "    C", "P3: D")]
    p1, b, c, p3 = who
    DAStrongSet[A]().contains_all(p1.hear)
    DAStrongSet[B]().contains_all(b.hear)
    DAStrongSet[C]().contains_all(c.hear)
    DAStrongSet[D]().contains_all(p3.hear)
    return who


def subscribe_without_subtypes() -> list[Participant]:
    who = [Participant(f"    {name} alone") for name in "ABCD"]
    a, b, c, d = who
    DAStrongSet[A]().contains(a.hear)
    DAStrongSet[B]().contains(b.hear)
    DAStrongSet[C]().contains(c.hear)
    DAStrongSet[D]().contains(d.hear)
    return who


def main() -> None:
    participants = [*subscribe_with_subtypes(), *subscribe_without_subtypes()]
    DAStrongSet[B]().add(B())  # P3 publishes a B and a D,
    DAStrongSet[D]().add(D())
    anything = DAStrongSet[A]()  # and somebody else the rest, through a collection that takes every A
    anything.add(A())
    anything.add(C())
    print("Published, in this order:  B D A C\n\nReceived by who subscribed to")
    print(*participants, sep="\n")


if __name__ == "__main__":
    main()
