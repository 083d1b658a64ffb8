"""`rostra chat`, as a process."""

import os
import signal
import subprocess
import sys

import pytest

ROSTRA = [sys.executable, "-W", "error", "-m", "rostra.cli"]


def rostra(*arguments, said=""):
    return subprocess.run([*ROSTRA, *arguments], input=said, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.spec("A21", partly=True)
def test_chat_says_and_hears():
    done = rostra("chat", "Insomnia", "Alice", "Alice", said="Good evening\nAlice is awake\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "Alice says Good evening",
        "Alice says Alice is awake",
        "Message from Alice : Alice is awake",
    ]


@pytest.mark.spec("A21", partly=True)
def test_chat_hears_one_person_only():
    done = rostra("chat", "Insomnia", "Alice", "Tom", said="Alice is awake\n")
    assert (done.returncode, done.stdout) == (0, "Alice says Alice is awake\n")


@pytest.mark.parametrize("arguments", [[], ["Insomnia"], ["Insomnia", "Alice"], ["Insomnia", "Alice", "Tom", "Bob"]])
def test_chat_wants_three_arguments(arguments):
    done = rostra("chat", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error" in done.stderr


def test_what_cannot_be_a_topic_is_one_line_and_no_trace():
    done = rostra("chat", "*", "Alice", "Tom", said="Hi\n")
    assert done.returncode == 1
    assert done.stderr.startswith("rostra: /Chat/* ")
    assert done.stderr.count("\n") == 1


def test_chat_ends_with_an_interrupt():
    chat = subprocess.Popen(
        [*ROSTRA, "chat", "Insomnia", "Alice", "Alice"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    )
    with chat:
        chat.stdin.write("Hi Alice\n")
        chat.stdin.flush()
        assert chat.stdout.readline() == "Alice says Hi Alice\n"
        assert chat.stdout.readline() == "Message from Alice : Hi Alice\n"  # now it waits for more
        chat.send_signal(signal.SIGINT)
        assert chat.wait(timeout=30) == 0
        assert chat.stderr.read() == ""
