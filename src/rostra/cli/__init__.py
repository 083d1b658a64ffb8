"""The `rostra` command. Each of its commands is a module of this package."""

from __future__ import annotations

import sys

_NEEDED = frozenset({"cyclopts", "rich"})


def main() -> int:
    """Run the command line of this process; returns the exit code."""
    try:
        from rostra.cli.app import run
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print("rostra: the command line needs more packages: pip install 'rostra[cli]'", file=sys.stderr)  # noqa: T201
        return 1
    return run()
