# Every target has one sentence behind `##`; a bare `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
BENCH_DATA ?= bench/data
SEEDS ?= 2000
TRIPLES ?= 1000000
ENDS ?= 10000
WORKERS ?= 2
BIN := .venv/bin
export BENCH_DATA

help: ## List the targets.
	@grep -hE '^[a-z][a-z-]*:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 16

.venv/uv:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

.venv/for-use: .venv/uv requirements/use.txt pyproject.toml
	$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements/use.txt
	$(BIN)/uv pip install --quiet --no-deps --editable .
	@touch $@

.venv/for-work: .venv/uv requirements/work.txt pyproject.toml
	$(BIN)/uv pip install --quiet --compile-bytecode --require-hashes -r requirements/work.txt
	$(BIN)/uv pip install --quiet --no-deps --editable .
	@touch $@ .venv/for-use

words: .venv/for-work ## Make what is not kept here: compiled catalogues after a change to a .po file, htmx for the pages.
	$(BIN)/python hatch_build.py

setup: .venv/for-work words ## Install everything that work on the product needs into .venv.

run: .venv/for-use ## Set up, then a Cloud and two devices with their pages in the browser; Ctrl-C leaves nothing behind.
	@$(BIN)/oharness demo

chat: .venv/for-use ## Chat in a sample project with the configured model, else with the practice assistant.
	@mkdir -p build/sample-project
	@$(BIN)/oharness --project build/sample-project project init > /dev/null
	@$(BIN)/oharness --project build/sample-project chat

check: setup ## Format, lint, types and the direction of imports.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/words.py --check
	$(BIN)/python scripts/settings_page.py --check
	$(BIN)/python scripts/variables_pages.py --check

typecheck: setup ## Types alone (mypy --strict).
	$(BIN)/mypy

pages: setup ## Write the document pages that are made from the code.
	$(BIN)/python scripts/settings_page.py
	$(BIN)/python scripts/variables_pages.py
	$(BIN)/python scripts/openapi_document.py

format: setup ## Bring the code into its form.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: setup ## Every test, in random order, on $(WORKERS) processes.
	$(BIN)/pytest -n $(WORKERS) --dist loadfile

test-memory: setup ## Tests of notes, recall and the memory plugin.
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m memory

test-sync: setup ## Tests of reconciliation, the sync client and the sync service.
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m sync

test-plugins: setup ## Tests of the plugin host, the built-in plugins and an external one.
	$(BIN)/pytest -n $(WORKERS) --dist loadfile -m plugins

hammer: setup ## 24 processes write to one notes directory for 10 s; nothing may be lost or seen torn.
	$(BIN)/python scripts/hammer.py --processes 24 --seconds 10

simulate: setup ## The proof of sync: $(TRIPLES) related notes, $(SEEDS) made-up worlds, $(ENDS) made-up ends of an account.
	$(BIN)/python scripts/simulate_planner.py --triples $(TRIPLES)
	$(BIN)/python scripts/simulate.py --seeds $(SEEDS) --workers $(WORKERS)
	$(BIN)/python scripts/simulate_erasure.py --seeds $(ENDS) --workers $(WORKERS)

simulate-long: setup ## The same with ten million notes and fifty thousand worlds; hours.
	$(BIN)/python scripts/simulate_planner.py --triples 10000000
	$(BIN)/python scripts/simulate.py --seeds 50000 --workers $(WORKERS)

build: setup ## Source archive and wheel under dist/.
	$(BIN)/python -m build --installer uv --outdir dist .

bench-start: setup ## Start-up times beside a bare Python and beside reading the files.
	$(BIN)/python -m bench.start

bench-page: setup ## The Memory page with 5,000 notes: answers of the server, search, time to interactive, transfer.
	$(BIN)/python -m bench.page

bench-sync: setup ## Sync beside git, unison and vdirsyncer with Radicale, and commits per second of the service.
	$(BIN)/python -m bench.sync $(BENCH_ARGS)

bench-recall: setup ## Recall beside FTS5, bm25s, tantivy and rank-bm25; BENCH_DATA names the corpora, FULL=1 adds 20,000 notes.
	$(BIN)/python -m bench.recall $(if $(FULL),--full) $(BENCH_ARGS)

bench-tidy: setup ## Notes that stay good: extraction (BENCH_ARGS="--model NAME" asks one), merging, findings over 5,000 notes.
	$(BIN)/python -m bench.tidy.extraction $(BENCH_ARGS)
	$(BIN)/python -m bench.tidy.merging
	$(BIN)/python -m bench.tidy.findings

bench-live: setup ## How soon a note is in the cloud and elsewhere, and what an idle process costs, with real processes.
	$(BIN)/python -m bench.live $(BENCH_ARGS)

lock: .venv/uv ## Write the lock files anew from pyproject.toml.
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --all-extras pyproject.toml -o requirements/use.txt
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --all-extras --group dev --group bench -c requirements/use.txt pyproject.toml -o requirements/work.txt

clean: ## Remove what was built; your notes and home are not touched.
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: help words setup run chat bench-live check typecheck pages format simulate simulate-long bench-page bench-sync bench-tidy test test-memory test-sync test-plugins hammer build bench-start bench-recall lock clean
