"""Write docs/fidelity.md: every requirement with the tests that prove it, read from the tests' `spec` marks.

python scripts/fidelity.py           print the page
python scripts/fidelity.py --write   write it
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "fidelity.md"
HEAD = """# Fidelity

Every requirement of the specification and the tests that prove it. This page is generated from the `spec` marks
of the tests by `make fidelity`; a test fails when it is stale. A requirement without a test is not done, and one
proven in part is done in part.

## Sources

- **A** P. Eugster, R. Guerraoui, J. Sventek: *Distributed Asynchronous Collections: Abstractions for Publish/Subscribe
  Interaction*.
- **B** P. Eugster, R. Guerraoui, J. Sventek: *Type-Based Publish/Subscribe*.
- **C** M. Mühlhäuser: *TK1, Distributed Systems: Programming and Algorithms*, lecture, TU Darmstadt, chapter 2.2.
- **D** P. Pietzuch, D. Eyers, S. Kounev, B. Shand: *Towards a Common API for Publish/Subscribe*.
- **E** *Subscribing to a P&S model*, an article on publish and subscribe services over CORBA.
- **F** The person Rostra is built for.
"""


def requirements() -> dict[str, dict[str, str]]:
    return tomllib.loads((ROOT / "tests" / "spec.toml").read_text())


def marks(path: Path) -> Iterator[tuple[str, str, bool]]:
    """Yield (requirement id, test name, whether it proves only a part) for every marked test of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.spec":
                    partly = any(keyword.arg == "partly" for keyword in decorator.keywords)
                    for argument in decorator.args:
                        yield ast.literal_eval(argument), node.name, partly


class Proof(NamedTuple):
    """The tests of a requirement, as links relative to the page, and whether they prove all of it."""

    links: list[str]
    partly: list[bool]

    def __str__(self) -> str:
        return ("*in part:* " if all(self.partly) else "") + "<br>".join(self.links)


def proofs() -> dict[str, Proof]:
    found: dict[str, Proof] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for requirement, name, partly in marks(path):
            proof = found.setdefault(requirement, Proof([], []))
            proof.links.append(f"[{name.removeprefix('test_').replace('_', ' ')}](../{path.relative_to(ROOT)})")
            proof.partly.append(partly)
    return found


def page() -> str:
    proven, lines = proofs(), [HEAD]
    unknown = proven.keys() - {key for section in requirements().values() for key in section}
    if unknown:
        raise SystemExit(f"tests name requirements that do not exist: {', '.join(sorted(unknown))}")
    for letter, section in requirements().items():
        lines += [f"## {letter}. {section.pop('title')}", "", "| id | requirement | proven by |", "|---|---|---|"]
        for requirement, text in section.items():
            tests = proven.get(requirement, "*not yet*")
            lines.append(f"| {requirement} | {text.replace('|', '&#124;')} | {tests} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        print(page())
