# Everything runs from one virtual environment here, .venv, built from the locked requirements.

PORT ?= 8000
# One more than there are processors: tests also wait, for servers and for processes they start.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)

# Checks read settings but serve nobody, so their secret is none.
SETTINGS := PODIUM_DEMO=1 SECRET_KEY=for-checks-only DATABASE_URL=sqlite://:memory: DJANGO_SETTINGS_MODULE=competition.settings
EMBEDDED := $(shell git ls-files -- 'scoring/*.py' 2>/dev/null | grep -v '^scoring/statistics/')

.DEFAULT_GOAL := help
.PHONY: help python runtime install services demo test check bench faults lock
.PHONY: check-format check-lint check-types check-migrations check-repository check-floor check-security check-audit

help: ## List what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Podium needs Python 3.11 or newer; none was found."; \
		echo "On Debian 12 or newer: sudo apt-get install python3 python3-venv"; \
		echo "If it has another name: make PYTHON=its-name"; exit 1; fi
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "$(PYTHON) is older than Python 3.11, or is not there. Podium needs 3.11 or newer."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make a virtual environment: its venv and ensurepip are missing."; \
		echo "On Debian: sudo apt-get install python3-venv"; exit 1; }

# A copy of the lock lies in the environment it built: nothing is installed until the lock changes.
define install_from
@cmp -s $(1) $(VENV)/$(1) && $(BIN)/python -c '' 2>/dev/null || { \
	echo "Installing $(1) into $(VENV)"; \
	{ $(BIN)/python -c 'import pip' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV); } && \
	$(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $(1) && \
	cp $(1) $(VENV)/$(1) || { \
	echo "Could not install $(1). The lines above say why; a network that reaches the package index is needed once."; exit 1; }; }
endef

runtime: python
	$(call install_from,requirements.txt)

install: python ## Build .venv with everything for work on Podium
	$(call install_from,requirements-dev.txt)

services:
	@sh tests/support/install_services.sh

demo: runtime ## Try Podium: http://localhost:8000 with an invented shared task (PORT=… for another port)
	@PODIUM_DEMO=1 PORT=$(PORT) $(BIN)/python manage.py demo

test: install services ## Run every test, on PostgreSQL and what must hold on SQLite too
	@status=0; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "not faults and not browser" || status=1; \
	echo "In the browser"; \
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "browser and not faults" || status=1; \
	echo "Again on SQLite"; \
	PODIUM_TEST_DATABASE=sqlite $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "both and not faults and not postgresql" || status=1; \
	exit $$status

check: check-format check-lint check-types check-migrations check-repository check-floor check-security check-audit ## Format, lint, types, migrations, import order, security

check-format: install
	$(BIN)/ruff format --check .

check-lint: install
	$(BIN)/ruff check .

check-types: install
	$(SETTINGS) $(BIN)/mypy

check-migrations: install
	$(SETTINGS) $(BIN)/python manage.py makemigrations --check --dry-run

check-repository: install
	$(BIN)/python -m pytest -q tests/test_imports.py tests/test_repository.py

check-floor: install # the validator embeds these files and runs on Python 3.9
	$(BIN)/vermin --quiet --target=3.9- --no-tips --violations $(EMBEDDED)

check-security: install
	$(BIN)/bandit --quiet --configfile pyproject.toml --severity-level medium --confidence-level medium -r competition scoring manage.py

check-audit: install
	$(BIN)/python .ci/audit.py requirements.txt

bench: install ## Measure speed as ratios (needs the shared data beside the repository)
	$(BIN)/python -m benchmarks

faults: install services ## Kill, pause and starve the parts while they work, and print what was lost
	@status=0; export PODIUM_DRILLS=full; \
	$(BIN)/python -m pytest tests/faults || status=1; \
	echo "Again on SQLite"; \
	PODIUM_TEST_DATABASE=sqlite $(BIN)/python -m pytest -m both tests/faults || status=1; \
	exit $$status

lock: install # pinned versions move only here: edit the .in file, then `make lock`
	$(BIN)/python -m pip install -q pip-tools
	for name in requirements requirements-dev; do \
		$(BIN)/python -m piptools compile -q --generate-hashes --allow-unsafe --strip-extras --no-header --no-annotate \
			--no-emit-index-url --no-emit-find-links -o $$name.txt $$name.in && \
		sed -i "1i # Made by \`make lock\` from $$name.in: exact versions with hashes. Do not edit." $$name.txt || exit 1; done
