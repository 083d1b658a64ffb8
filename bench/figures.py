"""The papers' figures, drawn from measurements on this machine."""

import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator, NullLocator

from bench import filters, records, throughput

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
MACHINE = f"Python {platform.python_version()}, {platform.machine()}"
BEST = "best of 9 interleaved rounds"


def _save(name: str, title: str, rounds: str = BEST) -> None:
    if len(plt.gcf().axes) > 1:
        plt.suptitle(title, fontsize=11)
    else:
        plt.title(title, fontsize=11)
    plt.figtext(0.99, 0.01, f"{MACHINE}, {rounds}", ha="right", fontsize=7, color="gray")
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


def _log_scales(panel: Axes) -> None:
    """Make both scales logarithmic, with plain numbers at one, two and five."""
    panel.set(xscale="log", yscale="log")
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter("{x:,.10g}")
        axis.set_minor_locator(NullLocator())
    panel.grid(linewidth=0.4)


def _throughput(
    name: str, title: str, what: str, across: Sequence[float], measure: Callable[[int], dict[str, float]]
) -> None:
    """Draw messages per second, one line for each contender."""
    points = [measure(number) for number in range(len(across))]
    for line, marker, style in zip(points[0], "oD", ("-", "--"), strict=True):  # so that both show where they meet
        rates = [point[line] for point in points]
        plt.plot(across, rates, marker=marker, linestyle=style, markerfacecolor="none", label=line)
    _log_scales(plt.gca())
    plt.xlabel(what)
    plt.ylabel("messages published per second")
    plt.legend()
    _save(name, title)


def figure_18a() -> None:
    _throughput(
        "b18a-topic-against-type.png",
        "Type-based publish/subscribe, Figure 18(a): no filters",
        "subscribers without filters, in process, called on the publisher's thread",
        throughput.COUNTS,
        lambda number: throughput.publishing(throughput.COUNTS[number]),
    )


def filters_over_subscribers(name: str, figure: str, values: int) -> None:
    _throughput(
        name,
        f"Type-based publish/subscribe, Figure {figure}: {100 // values} % of the filters match",
        "subscribers, each with an equality on one integer message, in process",
        throughput.COUNTS,
        lambda number: throughput.filtering(throughput.COUNTS[number], values),
    )


def figure_21b() -> None:
    values = (1, 2, 3, 4, 5, 10, 20, 50, 100)
    _throughput(
        "b21b-throughput-over-matching-rate.png",
        "Type-based publish/subscribe, Figure 21(b): 100 subscribers with filters",
        "filters that match a message, % (in process)",
        [100 / number for number in values],
        lambda number: throughput.filtering(100, values[number]),
    )


def _records(name: str, title: str, seconds: Callable[[records.Times], float], lines: records.Lines) -> None:
    _, panels = plt.subplots(1, 2, sharey=True, figsize=(9, 4.6))
    for (kind, marshalled), times in lines.items():
        panel = panels[int(marshalled)]
        panel.plot(records.COUNTS, [seconds(one) * 1e3 for one in times], marker="o", markersize=4, label=kind)
    for panel, how in zip(panels, ("handed over as they are", "marshalled as msgpack bytes"), strict=True):
        _log_scales(panel)
        panel.set_title(f"messages {how}", fontsize=10)
        panel.set_xlabel("messages")
    panels[0].set_ylabel("ms for all messages")
    panels[0].legend()
    _save(name, title, f"median of {records.ROUNDS} interleaved rounds")


def records_published_and_received() -> None:
    lines = records.latencies()
    to = f"{records.SUBSCRIBERS} subscribers on threads of the bus"
    _records(
        "a21-latency-of-publishing.png",
        f"Collections, Figure 21: time to publish, {to}",
        lambda times: times.published,
        lines,
    )
    _records(
        "a22-throughput.png",
        f"Collections, Figure 22: time until everyone has received, {to}",
        lambda times: times.received,
        lines,
    )


def draw() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    figure_5()
    figure_17()
    static_over_dynamic()
    figure_18a()
    filters_over_subscribers("b18b-filters-50-percent.png", "18(b)", values=2)
    filters_over_subscribers("b21a-filters-25-percent.png", "21(a)", values=4)
    figure_21b()
    records_published_and_received()


if __name__ == "__main__":
    draw()
