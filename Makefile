# make run, make test, make check: all that a fresh machine needs is Python 3.11 or newer and make.

HOST ?= 127.0.0.1
PORT ?= 8000
# One more than there are cores: a third of the time a worker waits for its servers, browsers and databases.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
ARGS ?=
BIN := .venv/bin
SCALED_SUITES := tests/runs/streaming tests/runs/test_lanes.py tests/runs/test_live_runs.py tests/runs/test_ending.py \
  tests/runs/execution/test_answers.py tests/runs/execution/test_children.py tests/runs/execution/test_crash_guard.py \
  tests/runs/execution/test_delegation.py tests/runs/execution/test_event_redaction.py \
  tests/runs/execution/test_memory_flush.py \
  tests/web/stream/test_sse.py tests/web/stream/test_proxy.py tests/web/stream/test_lost_clients.py \
  tests/web/handlers/test_runs.py tests/agents/test_circles.py

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYTHONUTF8 := 1
# Where no bytecode is kept, each of hundreds of processes compiles all of Sprout anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run run-scaled test test-scaled check docs bench faults format lock release vendor clean venv venv-dev

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: venv ## start Sprout on HOST:PORT (127.0.0.1:8000) and print its address and the model
	@$(BIN)/sprout serve --host "$(HOST)" --port "$(PORT)"

run-scaled: venv ## the same as web processes and workers: needs DATABASE_URL, REDIS_URL (docs/scale.md)
	@$(BIN)/python scripts/run_scaled.py "$(PORT)"

test: venv-dev ## all tests; ARGS="-k name" chooses, SPROUT_REQUIRE=browser,postgres,redis turns skips into failures
	@$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal $(ARGS)

test-scaled: venv-dev ## the suites of runs, streams and requests on PostgreSQL, Procrastinate and Redis (tests/topologies.py)
	@SPROUT_TEST_TOPOLOGY=scaled $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal $(SCALED_SUITES) $(ARGS)

check: venv-dev ## format, lint, types, imports, dead code, dependencies, what is shipped, the page's own tests
	@$(BIN)/python scripts/check.py

docs: venv-dev ## write the API reference; ARGS=record runs all its curls for the answers that it prints
	@$(BIN)/python -m scripts.api_reference $(ARGS)

bench: venv-dev ## measure against the floor; ARGS="B1 B3" chooses
	@$(BIN)/python -m bench $(ARGS)

faults: venv-dev ## play the faults in their long forms; ARGS="kills points" chooses
	@$(BIN)/python -m faults $(ARGS)

format: venv-dev ## format Python and the page, and mend what ruff can mend
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix-only --quiet .
	@if scripts/page_tools.sh; then node_modules/.bin/prettier --log-level warn --write .; fi

lock: ## resolve the dependencies anew (maintainers; needs uv). UPGRADE=1 takes newer ones
	@scripts/lock.sh $(if $(UPGRADE),--upgrade)

release: venv-dev ## build wheel, sdist, bill of materials and checksums of the commit into dist/
	@$(BIN)/python -m scripts.release

vendor: venv-dev ## fetch the page's libraries and fonts anew (maintainers; needs npm)
	@$(BIN)/python scripts/vendor.py

clean: ## remove the virtual environment and every cache; data/ stays
	rm -rf .venv node_modules .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build bench/results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

venv:
	@scripts/venv.sh run

venv-dev:
	@scripts/venv.sh dev
