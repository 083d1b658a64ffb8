"""Write docs/fidelity.md: every requirement with the tests that prove it, read from the tests' `spec` marks.

python scripts/fidelity.py           print the page
python scripts/fidelity.py --write   write it
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "fidelity.md"
HEAD = """# Fidelity

Every requirement of the specification and the tests that prove it. This page is generated from the `spec` marks
of the tests by `make fidelity`; a test fails when it is stale. A requirement without a test is not done.
"""


def requirements() -> dict[str, dict[str, str]]:
    return tomllib.loads((ROOT / "tests" / "spec.toml").read_text())


def marks(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (requirement id, test name) for every marked test of a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.spec":
                    for argument in decorator.args:
                        yield ast.literal_eval(argument), node.name


def proofs() -> dict[str, list[str]]:
    """Return the tests of each requirement, as links relative to the page."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for requirement, name in marks(path):
            link = f"[{name.removeprefix('test_').replace('_', ' ')}](../{path.relative_to(ROOT)})"
            found.setdefault(requirement, []).append(link)
    return found


def page() -> str:
    proven, lines = proofs(), [HEAD]
    unknown = proven.keys() - {key for section in requirements().values() for key in section}
    if unknown:
        raise SystemExit(f"tests name requirements that do not exist: {', '.join(sorted(unknown))}")
    for letter, section in requirements().items():
        lines += [f"## {letter}. {section.pop('title')}", "", "| id | requirement | proven by |", "|---|---|---|"]
        for requirement, text in section.items():
            tests = "<br>".join(proven.get(requirement, [])) or "*not yet*"
            lines.append(f"| {requirement} | {text.replace('|', '&#124;')} | {tests} |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page())
    else:
        print(page())
