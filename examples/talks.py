"""Types instead of topics: talks of interest to two departments, after the paper on type-based publish/subscribe.

No topic says where a talk belongs. Its class does, and a class may belong in several places.
"""

from abc import ABC, abstractmethod

from rostra import DAStrongSet, it
from rostra.conditions import Equals


class DSC(ABC):
    """What concerns the Department of Communication Systems."""

    @abstractmethod
    def getDescr(self) -> str: ...


class DI(ABC):
    """What concerns the Department of Computer Science."""

    @abstractmethod
    def getDescr(self) -> str: ...


class Talk(DSC, DI):
    """A talk for both departments. It hides its fields: conditions reach them through its methods."""

    def __init__(self, speaker: str, descr: str) -> None:
        self._speaker, self._descr = speaker, descr

    def getSpeaker(self) -> str:
        return self._speaker

    def getDescr(self) -> str:
        return self._descr


class Keynote(Talk):
    """A talk nobody misses."""


class Outage(DSC):
    """Concerns one department."""

    def getNetwork(self) -> str:
        return "10.0.0.0/8"

    def getDescr(self) -> str:
        return f"No network {self.getNetwork()}"


class Exam(DI):
    """Concerns the other one."""

    def getSubject(self) -> str:
        return "Algorithms"

    def getDescr(self) -> str:
        return f"Exam in {self.getSubject()}"


class TalkNotifiable:
    """The paper's callback object. Any function will do, so also a method of an object."""

    def __init__(self, name: str) -> None:
        self._name = name

    def notify(self, talk: Talk) -> None:
        print(f"  {self._name:<20} {talk.getSpeaker()}: {talk.getDescr()}")


def main() -> None:
    talks = DAStrongSet[Talk]()  # no topic: the type says it all
    talks.contains(TalkNotifiable("talks").notify)  # Talk itself, no subclasses
    talks.contains_all(TalkNotifiable("talks, all").notify)  # and whatever is a Talk

    # Figure 19 of the paper; in Python, `it.getSpeaker() == "Patrick Eugster"` is the same condition.
    by_eugster = Equals("getSpeaker", None, "Patrick Eugster")
    talks.contains_all(TalkNotifiable("talks by Eugster").notify, by_eugster)
    print("One condition in two spellings:", by_eugster == (it.getSpeaker() == "Patrick Eugster"))

    # Whoever subscribes to a department need not know what it announces.
    communication, computing = DAStrongSet[DSC](), DAStrongSet[DI]()
    communication.contains_all(lambda news: print(f"  {'DSC':<20} {news.getDescr()}"))
    computing.contains_all(lambda news: print(f"  {'DI':<20} {news.getDescr()}"))

    # Of interest to both departments, though no class is called "for both".
    both = DAStrongSet.of(DSC, DI)
    both.contains_all(lambda news: print(f"  {'DSC and DI':<20} {news.getDescr()}"))

    print("\nPublished: a talk")
    talks.add(Talk("Patrick Eugster", "Type-Based Pub/Sub"))
    print("\nPublished: a keynote")
    talks.add(Keynote("Rachid Guerraoui", "Collections for events"))
    print("\nPublished: an outage")
    communication.add(Outage())
    print("\nPublished: an exam")
    computing.add(Exam())


if __name__ == "__main__":
    main()
