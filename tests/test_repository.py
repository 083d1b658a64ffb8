"""What the repository promises about itself."""

import doctest
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def script(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fidelity_page_is_up_to_date():
    fidelity = script("fidelity")
    assert fidelity.PAGE.read_text() == fidelity.page(), "run make fidelity"


def fresh(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def test_import_rostra_loads_nothing_heavy():
    loaded = fresh("import rostra, sys; print(*sorted({name.split('.')[0] for name in sys.modules}))").split()
    assert not {"numpy", "numba", "lark", "anyio", "asyncio", "attr", "json", "apsw", "uvloop"} & set(loaded)


def test_everything_rostra_promises_is_there():
    import rostra

    assert all(getattr(rostra, name) is not None for name in rostra.__all__)
    with pytest.raises(AttributeError, match="nothing_like_it"):
        rostra.nothing_like_it  # noqa: B018


def test_the_example_in_the_package_is_true():
    import rostra

    assert doctest.testmod(rostra) == (0, 3)


def imported_in(module):
    return float(
        fresh(f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)")
    )


def test_import_rostra_takes_at_most_twice_import_asyncio():
    rostra = min(imported_in("rostra") for _ in range(5))
    asyncio = min(imported_in("asyncio") for _ in range(5))
    assert rostra <= 2 * asyncio


def test_constraints_name_versions_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert pins
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", pin) for pin in pins)


def examples(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


PAGES = ["README.md", *(str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*.md")))]
EXAMPLES = [pytest.param(code, id=f"{page}-{i}") for page in PAGES for i, code in enumerate(examples(page))]


@pytest.mark.parametrize("code", EXAMPLES)
def test_every_example_in_the_documentation_runs(code, tmp_path):
    path = tmp_path / "example.py"
    path.write_text(code)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"# => (.*)", code)
    assert done.stdout.splitlines() == promised


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_run(path):
    arguments = ["Insomnia", "Alice", "Alice"] if path.name == "chat.py" else []
    command = [sys.executable, "-W", "error", str(path), *arguments]
    done = subprocess.run(command, input="Alice says hi\n", capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout
