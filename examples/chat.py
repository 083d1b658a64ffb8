"""A chat, after the paper that introduced the collections: hear what one person says about you.

    python examples/chat.py TOPIC ME PERSON

What you type is published on /Chat/TOPIC. You hear the messages of PERSON that mention ME. Here everyone is in one
process, so talk to yourself to try it: `python examples/chat.py Insomnia Alice Alice`, and say "Alice is awake".
"""

import sys
from contextlib import suppress

import rostra
from rostra import DAStrongSet, it


class ChatMsg(rostra.Event):
    """What somebody says."""

    sender: str
    text: str


class ChatSubscriber:
    """Is told of messages by `contains`, as in the paper; a function does as well."""

    def contains(self, message: ChatMsg, topic: str) -> None:
        print(f"Message from {message.sender} : {message.text}", flush=True)


def publish_lines(chat: DAStrongSet[ChatMsg], me: str) -> None:
    for line in sys.stdin:
        text = line.rstrip("\n")
        print(f"{me} says {text}", flush=True)  # flushed, for those who chat through a pipe
        chat.add(ChatMsg(me, text))


def main(topic: str, me: str, person: str) -> None:
    chat = DAStrongSet[ChatMsg](f"/Chat/{topic}")
    # If ChatMsg hid its fields behind methods, as in the paper, this would be written
    #   Equals("/getSender", person, True) & Equals("/getText/find", [None, [me]], -1, False)
    # with Equals from rostra.conditions, or (it.getSender() == person) & (it.getText().find(me) != -1).
    chat.contains(ChatSubscriber(), (it.sender == person) & it.text.contains(me))
    publish_lines(chat, me)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        print("ChatClient <topic> <participant> <person of interest>", file=sys.stderr)
        sys.exit(2)
    with suppress(KeyboardInterrupt):  # Ctrl-C is how one leaves a chat
        main(*sys.argv[1:])
