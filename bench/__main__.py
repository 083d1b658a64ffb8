"""Run the benchmarks: `python -m bench [--figures]`. Exits with 1 if a required number is missed."""

import sys

from bench import deliveries, filters, imports, matching
from bench.measure import show


def main() -> int:
    if "--figures" in sys.argv:
        from bench import figures

        figures.draw()
        return 0
    missed = sum(show(module.report()) for module in (imports, filters, deliveries, matching))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
