# Every target sets up what it needs: a virtual environment in .venv and the packages pinned in lock.txt.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint lock.txt

.PHONY: demo test bench torture lint format docs-api docs-pictures lock clean help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: .venv/demo  ## set up, and open the screwdriver in the browser; without a display, draw it and write a report
	$(BIN)/abut demo screwdriver --report

test: .venv/dev  ## set up and run the tests
	$(BIN)/pytest -n auto --dist loadfile

docs-api: .venv/demo  ## write the reference, docs/api.md, from docstrings again
	$(BIN)/python docs/make_api.py

docs-pictures: .venv/demo  ## draw the pictures of the documentation again
	for script in docs/make_pictures/*.py; do $(BIN)/python $$script || exit 1; done

bench: .venv/bench  ## measure abut beside other libraries and print ratios
	$(BIN)/python -m bench

MINUTES ?= 5
JOBS ?= 1
SEED ?= 0
torture: .venv/dev  ## let the adversary try to break the laws: MINUTES=5 JOBS=1 SEED=0
	$(BIN)/python -m torture --minutes $(MINUTES) --jobs $(JOBS) --seed $(SEED)

lint: .venv/dev  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: .venv/dev  ## put the code in the project's format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: .venv/dev  ## renew lock.txt from pyproject.toml
	$(INSTALL) uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 --upgrade \
		--no-header --no-annotate --no-emit-index-url --output-file lock.txt

clean:  ## remove the environment and everything generated
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests bench torture -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp file per set of extras; `pip` adds to the same environment.
.venv/demo: EXTRAS := cad
.venv/dev: EXTRAS := cad,dev
.venv/bench: EXTRAS := cad,bench
.venv/demo .venv/dev .venv/bench: pyproject.toml lock.txt | .venv/bin/python
	@echo "installing abut and what it needs into .venv, which takes a minute or two"
	@$(INSTALL) --editable '.[$(EXTRAS)]'
	@touch $@

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
		"abut needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; name another: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }
