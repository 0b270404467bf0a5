# Everything a fresh machine needs besides Python >= 3.11 (with pip), git and make is installed
# here, into .venv. Each command sets up what it needs and may be repeated.

PYTHON ?= python3
KILLS ?= 2000
INTERRUPTS ?= 10000
FUZZ ?= 20000
MINUTES ?= 3
PYTHONS ?= python3.11 python3.12 python3.13
BIN := .venv/bin
CHROMIUM := apt-get update --quiet && apt-get install --yes --no-install-recommends chromium
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo serve test slow crash fuzz load spark browser coverage lint types check theorems mechanisms http-api figures notebooks bench bench-large bench-spark \
  bench-tightness dist release-check extras lock clean

help:            ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Peekproof needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.use: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[plot,server]'
	@touch $@

.venv/.develop: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	@touch $@ .venv/.use

demo: .venv/.use           ## the attack, the defence and the price, in under a minute
	$(BIN)/peekproof demo --out demo

serve: .venv/.use          ## a gateway on made-up data at http://127.0.0.1:8417 (ARGS=--help)
	$(BIN)/peekproof serve --demo $(ARGS)

# Tests start hundreds of processes; compiling for each of them again takes a minute.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/.develop       ## the default suite
	$(BIN)/python -m pytest -n 2 $(ARGS)

slow: .venv/.develop       ## the default suite's statistical fights and examples at full size
	PEEKPROOF_SLOW=1 $(BIN)/python -m pytest -n 2 $(ARGS)

crash: .venv/.develop      ## thousands of killed and interrupted writers and of fights for the last question (KILLS=2000)
	PEEKPROOF_KILLS=$(KILLS) PEEKPROOF_TRIALS=$(KILLS) PEEKPROOF_INTERRUPTS=$(INTERRUPTS) $(BIN)/python -m pytest -n 2 tests/crash tests/ledger/test_contention.py $(ARGS)

fuzz: .venv/.develop       ## minutes of made-up and mutated requests to a real gateway (FUZZ=20000)
	PEEKPROOF_FUZZ=$(FUZZ) $(BIN)/python -m pytest -n 2 tests/server/test_raw_http.py tests/server/test_schema_fuzz.py $(ARGS)

load: .venv/.develop       ## a crowd at the gateway, its workers killed on the way (MINUTES=3 for each test)
	PEEKPROOF_LOAD_MINUTES=$(MINUTES) $(BIN)/python -m pytest --log-cli-level=INFO tests/load $(ARGS)

# Spark and its Java programs take 500 MB, and a cluster some memory: apart from everything else.
.venv/.spark: .venv/.develop
	$(PIP) --editable '.[dev,spark]'
	@touch $@

spark: .venv/.spark        ## the same questions on a real local cluster (needs Java 17 or newer)
	PEEKPROOF_SPARK=1 $(BIN)/python -m pytest tests/spark $(ARGS)

.venv/.browser: .venv/.develop
	$(PIP) --editable '.[dev,browser]'
	@touch $@

# Debian's browser: it needs no download of its own.
.PHONY: chromium
chromium:
	@command -v chromium >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && $(CHROMIUM); } || \
	  sudo -n sh -c '$(CHROMIUM)' || \
	  { echo "chromium is needed: install it, then run this again"; exit 1; }

browser: .venv/.browser chromium  ## the web page in a real browser (installs chromium if it can)
	PEEKPROOF_BROWSER=1 $(BIN)/python -m pytest tests/browser $(ARGS)

coverage: .venv/.develop   ## the default suite with branch coverage
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term $(ARGS)

lint: .venv/.develop       ## formatting and lint rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/.develop      ## strict static types
	$(BIN)/mypy

check: lint types test     ## what must pass before a change lands

theorems: .venv/.develop   ## write docs/theorems.md from the code
	$(BIN)/python docs/generate_theorems.py

# What stands in lab/ is no part of what is installed.
mechanisms bench-tightness: export PYTHONPATH = $(CURDIR)
mechanisms: .venv/.develop ## write docs/reference/mechanisms.md and its figure from the code
	$(BIN)/python docs/generate_mechanisms.py
	$(BIN)/python bench/figures.py mechanisms guessing

http-api: .venv/.develop   ## write docs/reference/http-api.md from the code
	$(BIN)/python docs/generate_http_api.py

.PHONY: docs  # there is a folder of that name
docs: .venv/.develop       ## build the documentation as a site, into site/; open site/index.html
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env --conf-dir docs --doctree-dir site/.doctrees . site

figures: .venv/.browser chromium  ## draw every figure of README and docs again (ARGS=NAME for one)
	$(BIN)/python bench/figures.py $(ARGS)

.venv/.notebooks: .venv/.develop
	$(PIP) --editable '.[dev,notebooks]'
	@touch $@

notebooks: .venv/.notebooks  ## run every notebook of docs again, and keep what it shows (ARGS=NAME for one)
	$(BIN)/python docs/execute_notebooks.py $(ARGS)

# The peers get environments of their own, in .venv-bench. A quick run is written to bench/quick.
bench: .venv/.develop      ## Peekproof beside the field, as ratios (ARGS=--quick, ARGS="--only NAME")
	$(BIN)/python bench/run.py $(ARGS)

bench-large: .venv/.develop  ## questions about a file ten times as large as the memory they may use
	PYTHONPATH=bench:.:tests $(BIN)/python -m comparisons.large_file $(ARGS)

bench-tightness: .venv/.develop  ## what attacks force beside what is certified, as a page and a figure
	$(BIN)/python bench/run.py --only radius
	$(BIN)/python docs/generate_tightness.py
	$(BIN)/python bench/figures.py tightness

bench-spark: .venv/.spark    ## questions on Spark beside the same aggregates by hand
	PYTHONPATH=bench:.:tests $(BIN)/python -m comparisons.spark $(ARGS)

# The wheel is made from the sdist, which shows that nothing is missing there.
dist: .venv/.develop         ## wheel and sdist of what is committed, in dist/
	@test -z "$$(git status --porcelain)" || { echo "commit first: what lies around would be released, too"; exit 1; }
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist

release-check: dist          ## install both into clean environments and use them (PYTHONS=python3.12)
	$(BIN)/python tests/release/check.py dist $(PYTHONS)

extras: .venv/.develop chromium  ## install every extra alone into a clean environment, and use it (ARGS=postgres)
	$(BIN)/python tests/release/extras.py $(ARGS)

# The oldest Python, as what it can install, newer ones can, too.
lock:                        ## write constraints.txt again, with the newest versions of everything
	rm -rf .venv-lock
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip --disable-pip-version-check --quiet install --editable '.[dev,spark,browser,notebooks]'
	.venv-lock/bin/python -m pip freeze --exclude-editable | LC_ALL=C sort --ignore-case > .venv-lock/frozen
	{ head -n 1 constraints.txt; cat .venv-lock/frozen; } > .venv-lock/constraints
	mv .venv-lock/constraints constraints.txt
	rm -rf .venv-lock

clean:                     ## remove everything that was installed or made
	rm -rf .venv .venv-bench .venv-lock bench/quick demo dist site .pytest_cache .hypothesis .mypy_cache .ruff_cache .coverage
