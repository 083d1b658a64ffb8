"""What a type checker says to users of collections: nothing to good programs, and the right lines of bad ones."""

import re
from collections import defaultdict
from pathlib import Path

import pytest

PROGRAMS = Path(__file__).resolve().parent.parent / "typing"


@pytest.fixture(scope="module")
def findings(tmp_path_factory):
    """Return the errors mypy finds in each program, by line; one run for all, since starting is what takes time."""
    from mypy import api

    paths = [str(path) for path in sorted(PROGRAMS.glob("*.py"))]
    cache = tmp_path_factory.mktemp("mypy")
    options = ["--strict", "--config-file=", "--hide-error-context", "--no-pretty", "--no-color-output"]
    report, complaints, status = api.run([*options, f"--cache-dir={cache}", *paths])
    assert not complaints
    assert status in (0, 1), report  # 2 would be a program that mypy could not read at all
    found = defaultdict(lambda: defaultdict(list))
    for path, line, error in re.findall(r"^(.+?):(\d+): error: (.*)$", report, re.MULTILINE):
        found[Path(path).name][int(line)].append(error)
    return found


def marked_lines(program):
    lines = (PROGRAMS / program).read_text().splitlines()
    return {number for number, line in enumerate(lines, start=1) if line.endswith("# error")}


@pytest.mark.spec("B1")
def test_a_type_checker_accepts_good_programs(findings):
    assert dict(findings["good.py"]) == {}


@pytest.mark.spec("B1")
def test_a_type_checker_refuses_wrong_types_and_options(findings):
    marked = marked_lines("bad.py")
    assert len(marked) > 30
    missed, unexpected = marked - findings["bad.py"].keys(), findings["bad.py"].keys() - marked
    assert not missed
    assert not unexpected, findings["bad.py"]


def test_nothing_but_the_programs_has_errors(findings):
    assert findings.keys() <= {"good.py", "bad.py"}
