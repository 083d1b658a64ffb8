"""The papers' figures are drawn by one command; here with few and short measurements."""

import pytest

pytest.importorskip("matplotlib")

from bench import figures, filters, measure, records, throughput

FIGURES = {
    "a21-latency-of-publishing.png",
    "a22-throughput.png",
    "b05-cost-of-dynamism.png",
    "b17-type-test-against-topic-test.png",
    "b18a-topic-against-type.png",
    "b18b-filters-50-percent.png",
    "b20-static-over-dynamic.png",
    "b21a-filters-25-percent.png",
    "b21b-throughput-over-matching-rate.png",
}


@pytest.fixture
def _short(monkeypatch, tmp_path):
    def once(contenders, **_):
        return measure.best_of(contenders, rounds=1, seconds=1e-5)

    for module in (filters, throughput):
        monkeypatch.setattr(module, "best_of", once)
    monkeypatch.setattr(throughput, "COUNTS", (1, 10))
    monkeypatch.setattr(records, "COUNTS", (10, 20))
    monkeypatch.setattr(records, "ROUNDS", 1)
    monkeypatch.setattr(figures, "FOLDER", tmp_path)


@pytest.mark.spec("A22", "B9")
@pytest.mark.usefixtures("_short")
def test_all_figures_are_drawn(tmp_path, capsys):
    figures.draw()
    assert {path.name for path in tmp_path.iterdir()} == FIGURES
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in tmp_path.iterdir())


@pytest.mark.spec("A22")
@pytest.mark.usefixtures("_short")
def test_records_of_four_kinds_arrive_as_they_were_published():
    lines = records.latencies()
    assert {line.kind for line in lines} == {"Integer", "String", "DetailRecord", "CallDetailRecord"}
    for times in lines.values():
        assert all(0 < one.published <= one.received for one in times)
