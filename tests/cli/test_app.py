"""The `rostra` command: its entry point, its commands, and what it says when it cannot start."""

import inspect
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import rostra
from rostra.cli import main
from rostra.cli.app import COMMANDS, run

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_entry_point_is_the_command():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    module, function = scripts["rostra"].split(":")
    assert getattr(import_module(module), function) is main


def test_it_says_its_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.strip() == rostra.__version__


def test_it_lists_its_commands(capsys):
    assert run([]) == 0
    listed = capsys.readouterr().out
    assert all(f" {name} " in listed for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_there_and_explained(name, capsys):
    command = getattr(import_module(f"rostra.cli.{name}"), name)
    assert inspect.getdoc(command).startswith(COMMANDS[name].rstrip("."))
    assert run([name, "--help"]) == 0
    assert f"Usage: rostra {name} " in capsys.readouterr().out


def test_an_unknown_command_is_an_error_of_use(capsys):
    with pytest.raises(SystemExit) as stop:
        run(["shout"])
    assert stop.value.code == 2
    assert "shout" in capsys.readouterr().err


def start_without(package):
    code = f"import sys; sys.modules[{package!r}] = None; from rostra.cli import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)


def test_without_the_extra_it_says_what_to_install():
    done = start_without("cyclopts")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'rostra[cli]'" in done.stderr


def test_a_module_of_our_own_that_is_missing_is_not_mistaken_for_the_extra():
    done = start_without("rostra.cli.app")
    assert "rostra[cli]" not in done.stderr
    assert "ModuleNotFoundError" in done.stderr
