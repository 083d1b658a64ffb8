"""`rostra chat`: hear what one person says about you, and answer."""

from __future__ import annotations

import sys
from contextlib import suppress

from rostra.collections import DAStrongSet
from rostra.model.builder import it
from rostra.model.events import Event


class ChatMsg(Event):
    """What somebody says."""

    sender: str
    text: str


def chat(topic: str, me: str, person: str, /) -> None:
    """Say what you type, and hear what a person says about you. Ends with the input, or with Ctrl-C.

    Parameters
    ----------
    topic
        What the chat is about: messages go to /Chat/TOPIC.
    me
        Your name. You hear messages that mention it.
    person
        Whose messages you hear.

    """
    with DAStrongSet[ChatMsg](f"/Chat/{topic}") as messages, suppress(KeyboardInterrupt):
        messages.contains(_hear, (it.sender == person) & it.text.contains(me))
        for line in sys.stdin:
            text = line.rstrip("\n")
            _show(f"{me} says {text}")
            messages.add(ChatMsg(me, text))


def _hear(message: ChatMsg) -> None:
    _show(f"Message from {message.sender} : {message.text}")


def _show(text: str) -> None:
    print(text, flush=True)  # noqa: T201  flushed, for those who chat through a pipe
