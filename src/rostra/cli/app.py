"""The commands, and what they have in common: a usage error exits with 2, any other failure with 1 and one line."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from cyclopts import App

import rostra
from rostra.errors import RostraError

app = App(name="rostra", help="Publish objects. Say in Python what you want to hear.", version=rostra.__version__)

COMMANDS = {
    "chat": "Say what you type, and hear what a person says about you.",
}
"""One for each module of this package with a function of its own name; loaded when it is called for."""

for _name, _help in COMMANDS.items():
    app.command(f"rostra.cli.{_name}:{_name}", help=_help)


def run(arguments: Iterable[str] | None = None) -> int:
    """Run a command line, by default the one of this process; returns the exit code.

    What a command returns is its exit code; None is 0. A command line that makes no sense raises `SystemExit(2)`.
    """
    try:
        return app(arguments, result_action="return_int_as_exit_code_else_zero")  # type: ignore[no-any-return]
    except RostraError as error:
        print(f"rostra: {error}", file=sys.stderr)  # noqa: T201
        return 1
