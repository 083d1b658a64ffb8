"""Run the benchmarks: `python -m bench [--figures]`. Exits with 1 if a required number is missed."""

import sys

from bench import deliveries, filters, imports


def main() -> int:
    if "--figures" in sys.argv:
        from bench import figures

        figures.draw()
        return 0
    missed = 0
    for module in (imports, filters, deliveries):
        for what, value, met in module.report():
            missed += met is False
            print(f"{'' if met is None else 'ok' if met else 'MISSED':6} {what:75} {value}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
