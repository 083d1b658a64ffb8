"""What `import rostra` costs, against `import asyncio`."""

import subprocess
import sys
from collections.abc import Iterator

from bench.filters import Result

CODE = "import time; start = time.perf_counter(); import {0}; print(time.perf_counter() - start)"


def seconds(module: str) -> float:
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def report() -> Iterator[Result]:
    rounds = [(seconds("rostra"), seconds("asyncio")) for _ in range(9)]
    rostra, asyncio = (min(times) for times in zip(*rounds, strict=True))
    text = f"{rostra / asyncio:.2f}x ({rostra * 1e3:.0f} ms against {asyncio * 1e3:.0f} ms)"
    yield Result("import rostra over import asyncio", text, rostra <= 2 * asyncio)
