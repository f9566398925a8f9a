# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo demo-agent test test-slow bench lint docs-check clean

demo: $(VENV)/.ready
	$(BIN)/python scripts/demo.py

# a real agent and a real model, of which nothing but the package index is needed
demo-agent: $(VENV)/.ready-local-model
	$(BIN)/python scripts/demo_agent.py

test: $(VENV)/.ready-dev lint
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not slow"

test-slow: $(VENV)/.ready-dev
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready-dev
	$(BIN)/python benchmarks/run_all.py

$(VENV)/.ready: pyproject.toml requirements.lock scripts/make_venv.py
	$(PYTHON) scripts/make_venv.py $(VENV) requirements.lock
	touch $@

$(VENV)/.ready-dev: pyproject.toml requirements-dev.lock scripts/make_venv.py
	$(PYTHON) scripts/make_venv.py $(VENV) requirements-dev.lock
	touch $(VENV)/.ready $@

$(VENV)/.ready-local-model: pyproject.toml requirements-local-model.lock scripts/make_venv.py
	$(PYTHON) scripts/make_venv.py $(VENV) requirements-local-model.lock
	touch $(VENV)/.ready $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
