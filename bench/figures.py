"""The papers' figures, drawn from measurements on this machine."""

import platform
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from bench import filters

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
MACHINE = f"Python {platform.python_version()}, {platform.machine()}, best of 9 interleaved rounds"


def _save(name: str, title: str) -> None:
    plt.title(title, fontsize=11)
    plt.figtext(0.99, 0.01, MACHINE, ha="right", fontsize=7, color="gray")
    plt.tight_layout(rect=(0, 0.03, 1, 1))
    plt.savefig(FOLDER / name, dpi=120, metadata={"Software": None})
    plt.close()
    print(f"docs/figures/{name}")


def figure_5() -> None:
    for line, values in filters.cost_of_dynamism().items():
        plt.plot(range(10), values, marker="o", label=line)
    plt.xlabel("arguments of the method")
    plt.ylabel("ns per filter")
    plt.ylim(bottom=0)
    plt.legend()
    _save("b05-cost-of-dynamism.png", "Type-based publish/subscribe, Figure 5: one filter around a method call")


def figure_17() -> None:
    tests = filters.affiliation()
    plt.figure(figsize=(7.5, 3.6))
    for name, nanoseconds in reversed(tests.items()):
        by_type = "type" in name or name == "isinstance"
        bar = plt.barh(name, nanoseconds, color="C0" if by_type else "C1", label="by type" if by_type else "by topic")
        plt.bar_label(bar, fmt="%.0f", padding=3)
    handles = dict(zip(*reversed(plt.gca().get_legend_handles_labels()), strict=True))
    plt.legend(handles.values(), handles.keys())
    plt.xscale("log")
    plt.margins(x=0.2)
    plt.xlabel("ns per test")
    _save("b17-type-test-against-topic-test.png", "Type-based publish/subscribe, Figure 17: does this message belong?")


def static_over_dynamic() -> None:
    counts = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    for values, percent in ((2, 50), (4, 25)):
        ratios = []
        for count in counts:
            times = filters.static_over_dynamic(count, values)
            ratios.append(times["dynamic"] / times["group"])
        plt.plot(counts, ratios, marker="o", label=f"{percent} % match")
    plt.axhline(1, color="gray", linewidth=0.8)
    plt.xscale("log")
    plt.yscale("log")
    plt.xlabel("filters on one integer message (getattr, call, compare = 1)")
    plt.ylabel("speed-up of the generated group")
    plt.legend()
    _save(
        "b20-static-over-dynamic.png",
        "Static over dynamic filters: equalities on one getter",
    )


def draw() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure_5()
    figure_17()
    static_over_dynamic()


if __name__ == "__main__":
    sys.exit(draw())
