# Everything starts from a bare clone: Python 3.11 or newer and make are all that is needed.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test lint unit bench bench-matching figures fidelity clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Rostra needs Python 3.11 or newer on PATH (or make PYTHON=/path/to/python3)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling editables
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--no-build-isolation --editable '.[dev]'
	@touch $@

demo: setup
	@for example in conditions talks workers ticker; do echo "== examples/$$example.py"; $(BIN)/python examples/$$example.py || exit 1; done

test: lint unit

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

unit: setup
	$(BIN)/python -m pytest

bench: setup
	$(BIN)/python -m bench

bench-matching: setup
	$(BIN)/python -m bench.matching --million

figures: setup
	$(BIN)/python -m bench --figures

fidelity: setup
	$(BIN)/python scripts/fidelity.py --write

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
