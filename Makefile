# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PY_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
LOWEST := tests/classifier/test_sklearn_contract.py tests/tables/test_tables.py
STAMP  := $(VENV)/installed-$(PY_VERSION)
SMALL  := $(VENV)/small-$(PY_VERSION)
PIP    := $(BIN)/python -m pip --disable-pip-version-check -q
PYTEST := $(BIN)/python -m pytest -q -n 2 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test slow uncompiled thorough coverage lint lowest deployment fuzz walk bench reproduce docs links spelling package lock workflows release-check clean interrupts

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'
	@echo "  with another Python: make test PYTHON=python3.13"

# One environment for everything; made anew for another PYTHON, brought up to date for new dependencies.
define environment
	@test -n "$(PY_VERSION)" || { echo "$(PYTHON) was not found: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is Python $(PY_VERSION); 3.11 or later is needed: make PYTHON=python3.12 ..."; exit 1; }
	@test "`$(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null`" = "$(PY_VERSION)" || \
	  { echo "making $(VENV) with Python $(PY_VERSION) (once, about a minute)"; \
	    $(PYTHON) -m venv --clear $(VENV); }
endef

$(STAMP): pyproject.toml
	$(environment)
	@$(PIP) install -e ".[test]"
	@touch $@ $(SMALL)

# The demo needs less than the tests, and should not make one wait for the rest.
$(SMALL): pyproject.toml
	$(environment)
	@$(PIP) install --no-compile -e ".[plot]"
	@touch $@

demo: $(SMALL) ## learn digits, a table, a chess board and a rule; writes demo/index.html
	@$(BIN)/python -m atomlearn_paper.demo

test: $(STAMP) ## the tests, but for slow ones (3 to 4 minutes)
	@$(PYTEST)

slow: $(STAMP) ## the slow tests (4 minutes)
	@$(PYTEST) -m slow tests

uncompiled: $(STAMP) ## the tests of kernels, with the kernels as plain Python (2 minutes)
	@NUMBA_DISABLE_JIT=1 $(PYTEST) -m kernels tests

thorough: $(STAMP) ## every property with more random examples (5 minutes)
	@$(PYTEST) -m hypothesis --hypothesis-profile=thorough tests

# Without compilation coverage sees inside the kernels.
coverage: $(STAMP) ## which lines all tests reach together
	@$(PYTEST) -m "slow or not slow" --cov --cov-report=
	@NUMBA_DISABLE_JIT=1 $(PYTEST) -m kernels tests --cov --cov-append --cov-report=term

lint: $(STAMP) ## ruff, mypy --strict, and numpydoc for the docstrings of public names
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m tests.docstrings

# Lower bounds in pyproject.toml are promises: this is where they are kept.
lowest: $(STAMP) ## part of the suite with the lowest versions of everything that is needed
	@$(PIP) install uv
	@$(BIN)/uv venv -q --clear --python $(BIN)/python $(VENV)-lowest
	@VIRTUAL_ENV=$(VENV)-lowest $(BIN)/uv pip install -q --resolution lowest-direct -e ".[test]"
	@NUMBA_CACHE_DIR=$(VENV)-lowest/cache $(VENV)-lowest/bin/python -m pytest -q -n 2 --dist worksteal $(LOWEST)

interrupts: $(STAMP) ## Ctrl-C at random times, 224 tries: commands, scripts, a Jupyter kernel (half an hour)
	@$(BIN)/python -m tests.interrupts --tries 224

deployment: $(STAMP) ## as another user, without a home, read-only, with a full or damaged cache
	@$(BIN)/python tests/deployment.py

SECONDS ?= 60
SEED    ?= 0
fuzz: $(STAMP) ## damaged files, random relation sets, round trips, rules: make fuzz SECONDS=600 SEED=1
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

walk: $(STAMP) ## the files that fit, predict_proba, explain, partial_fit, learn and solve pass through
	@$(BIN)/python -m tests.walk

BENCH := $(VENV)/bench-$(PY_VERSION)
$(BENCH): $(STAMP) pyproject.toml
	@$(PIP) install "pip>=25.1"
	@$(PIP) install -e . --group bench
	@touch $@

bench: $(BENCH) ## measure, and write docs/benchmarks.md and README's table: make bench ONLY="tables large/adult"
	@$(BIN)/python -m benchmarks $(ONLY)

reproduce: $(STAMP) ## the paper's tables and figures, in results/ (about an hour; goes on if interrupted)
	@$(BIN)/atomlearn reproduce all --out results

DOCS := $(VENV)/docs-$(PY_VERSION)
$(DOCS): $(STAMP) pyproject.toml
	@$(PIP) install "pip>=25.1"
	@$(PIP) install -e ".[all]" --group docs
	@touch $@

docs: $(DOCS) ## the documentation as a site, in site/ (five minutes; examples are run)
	@$(BIN)/python -m sphinx -q -W --keep-going -d $(VENV)/doctrees docs site
	@$(BIN)/python docs/_ext/check_links.py site

links: $(DOCS) ## do the links of the documentation to other sites lead somewhere? (network)
	@$(BIN)/python -m sphinx -q -b linkcheck -D plot_gallery=0 -d $(VENV)/doctrees docs $(VENV)/links

spelling: $(DOCS) ## spelling of texts, comments and messages
	@$(BIN)/codespell *.md docs src tests benchmarks Makefile pyproject.toml

RELEASE := $(VENV)/release-$(PY_VERSION)
$(RELEASE): $(STAMP) pyproject.toml
	@$(PIP) install "pip>=25.1"
	@$(PIP) install -e . --group release
	@touch $@

package: $(RELEASE) ## wheel and sdist in dist/, checked
	@rm -rf dist
	@$(BIN)/python -m build -q
	@$(BIN)/twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl

lock: $(RELEASE) ## ci/constraints.txt anew: the versions that CI installs
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
	  --extra test --group bench --group docs --group release --no-emit-package atomlearn pyproject.toml -o ci/constraints.txt

workflows: $(RELEASE) ## workflows and hooks: are they well-formed, and safe?
	@$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/zizmor -q --offline .github
	@$(BIN)/pre-commit validate-config

release-check: lint spelling workflows package ## what can be checked of a release without a public host
	@$(BIN)/python -m repo_review .
	@$(BIN)/python -m venv --clear $(VENV)-wheel
	@$(VENV)-wheel/bin/python -m pip --disable-pip-version-check -q install dist/*.whl
	@cd /tmp && $(CURDIR)/$(VENV)-wheel/bin/atomlearn --version
	@rm -rf $(VENV)-wheel
	@$(MAKE) --no-print-directory docs

clean: ## remove what make made
	rm -rf $(VENV) $(VENV)-lowest $(VENV)-wheel demo site dist .coverage docs/_extra docs/auto_* docs/reference
