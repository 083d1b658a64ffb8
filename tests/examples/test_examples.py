"""The examples do what they say."""

import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
USAGE = "ChatClient <topic> <participant> <person of interest>\n"


def command(name, *arguments):
    return [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments]


def run(name, *arguments, said=""):
    return subprocess.run(
        command(name, *arguments), input=said, capture_output=True, text=True, check=False, timeout=60
    )


def printed(name, *arguments, said=""):
    done = run(name, *arguments, said=said)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def sections(text):
    """Return the indented lines below each heading."""
    found, heading = defaultdict(list), ""
    for line in text.splitlines():
        if line.startswith("  "):
            found[heading].append(line[2:])
        elif line:
            heading = line
    return found


@pytest.mark.spec("A21", partly=True)
def test_in_the_chat_one_hears_what_a_person_says_about_oneself():
    said = "Good evening\nAlice is awake\nalice is not\nthis is Alice"
    assert printed("chat.py", "Insomnia", "Alice", "Alice", said=said).splitlines() == [
        "Alice says Good evening",
        "Alice says Alice is awake",
        "Message from Alice : Alice is awake",
        "Alice says alice is not",
        "Alice says this is Alice",
        "Message from Alice : this is Alice",
    ]


@pytest.mark.spec("A21", partly=True)
def test_in_the_chat_one_does_not_hear_others():
    assert printed("chat.py", "Insomnia", "Alice", "Tom", said="Alice is awake\n") == "Alice says Alice is awake\n"


@pytest.mark.parametrize("arguments", [[], ["Insomnia"], ["Insomnia", "Alice"], ["Insomnia", "Alice", "Tom", "Bob"]])
def test_the_chat_wants_three_arguments(arguments):
    done = run("chat.py", *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", USAGE)


def test_one_leaves_the_chat_with_an_interrupt():
    chat = subprocess.Popen(
        command("chat.py", "Insomnia", "Alice", "Alice"),
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


@pytest.mark.spec("B12")
def test_talks_reach_those_who_asked_for_their_type():
    text = printed("talks.py")
    assert text.startswith("One condition in two spellings: True\n")
    heard = sections(text)
    eugster, keynote = "Patrick Eugster: Type-Based Pub/Sub", "Rachid Guerraoui: Collections for events"
    assert {heading: {tuple(re.split(r"  +", line)) for line in lines} for heading, lines in heard.items()} == {
        "Published: a talk": {
            ("talks", eugster),
            ("talks, all", eugster),
            ("talks by Eugster", eugster),
            ("DSC", "Type-Based Pub/Sub"),
            ("DI", "Type-Based Pub/Sub"),
            ("DSC and DI", "Type-Based Pub/Sub"),
        },
        "Published: a keynote": {
            ("talks, all", keynote),
            ("DSC", "Collections for events"),
            ("DI", "Collections for events"),
            ("DSC and DI", "Collections for events"),
        },
        "Published: an outage": {("DSC", "No network 10.0.0.0/8")},
        "Published: an exam": {("DI", "Exam in Algorithms")},
    }
    assert sum(len(lines) for lines in heard.values()) == 12  # nobody heard anything twice


@pytest.mark.spec("B2", partly=True)
def test_in_the_diamond_everyone_hears_what_conforms():
    table = sections(printed("diamond.py"))["Received by who subscribed to"]
    assert [re.split(r"  +", line.strip()) for line in table] == [
        ["P1: A with subtypes", "B D A C"],
        ["B with subtypes", "B D"],
        ["C with subtypes", "D C"],
        ["P3: D with subtypes", "D"],
        ["A alone", "A"],
        ["B alone", "B"],
        ["C alone", "C"],
        ["D alone", "D"],
    ]


@pytest.mark.spec("A5", partly=True)
def test_workers_share_the_jobs_and_lose_none():
    text = printed("workers.py")
    shares = {
        name: (int(count), [int(number) for number in numbers.split(", ")])
        for name, count, numbers in re.findall(r"^  (\w+) +(\d+) jobs: \[(.*)\]$", text, re.MULTILINE)
    }
    assert shares.keys() == {"Ann", "Ben", "Cy"}
    assert all(count == len(numbers) for count, numbers in shares.values())
    assert sorted(number for _, numbers in shares.values() for number in numbers) == list(range(1, 31))
    assert all(number % 2 for number in shares["Cy"][1])  # it fails on even ones
    assert abs(shares["Ann"][0] - shares["Ben"][0]) <= 1  # who never fail, and take turns
    assert shares["Cy"][0] > 1  # it is not shut out for failing


@pytest.mark.spec("A5", partly=True)
def test_workers_account_for_every_job():
    text = printed("workers.py")
    failed = int(re.search(r"Failed and passed on: (\d+), the first because Cy cannot do job 6\n", text)[1])
    assert failed > 1
    assert "Done exactly once: 30 of 30\n" in text
    assert f"was offered 30, handled 30, had {failed} errors,\nlost 0, has 0 left; balanced: True\n" in text


@pytest.mark.spec("A3", partly=True)
def test_the_ticker_pulls_the_latest_first():
    text = printed("ticker.py")
    assert sections(text)["Pulled from the stack:"] == ["ACME 100.50", "INIT 41.50", "ACME 101.00"]
    assert "\nStill on it: ACME 99.50, INIT 42.00, ACME 99.00\n" in text


def test_the_ticker_spares_a_slow_display_old_quotes():
    text = printed("ticker.py")
    assert sections(text)["Drawn by a slow display:"] == ["ACME 99.00", "INIT 41.50", "ACME 100.50"]
    assert text.endswith("It was offered 6, drew 3, was spared 3\n")
