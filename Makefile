# samebits: every task of the project. `make help` lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
NATIVE := $(shell find native -type f 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help setup setup-browser setup-frameworks demo docs test test-slow test-arm lint format bench bench-exact pins clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make .venv, install the pinned dependencies, build the native part

$(VENV)/.pinned: requirements/pinned.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else "samebits needs Python 3.10 or newer, this is %d.%d; choose another: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/pinned.txt
	touch $@

$(STAMP): $(VENV)/.pinned pyproject.toml CMakeLists.txt $(NATIVE)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	touch $@

$(VENV)/.browser: requirements/browser.txt $(VENV)/.pinned
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/browser.txt
	touch $@

setup-browser: $(VENV)/.browser  ## what the tests of the page need: Playwright, Debian's Chromium
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
	  || { echo "setup-browser needs Chromium (Debian: apt-get install chromium)"; exit 2; }

$(VENV)/.frameworks: requirements/frameworks.txt $(VENV)/.pinned
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements/frameworks.txt
	touch $@

setup-frameworks: $(VENV)/.frameworks  ## what scripts of the longer proofs need: Accelerate, Lightning

demo: $(STAMP)  ## check the example script, print the verdict, write a page
	$(BIN)/samebits check --html report.html examples/digits.py
	@echo "The page: $(abspath report.html)"

docs: $(STAMP) setup-browser  ## check an example, make the pictures of the README of it
	$(BIN)/python docs/pictures.py

# Two test processes: most tests wait for a script that computes on one processor.
WORKERS ?= 2

test: $(STAMP)  ## the whole test suite
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS) --dist worksteal

test-slow: $(STAMP) setup-frameworks  ## the longer proofs
	$(BIN)/python -m pytest -m slow

lint: $(STAMP)  ## ruff, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)  ## measure, print ratios, write benchmarks/results
	$(BIN)/python benchmarks/run.py

bench-exact: $(STAMP)  ## what exact arithmetic costs in time and memory, written to benchmarks/results
	$(BIN)/python benchmarks/run.py exact exact_memory

# Debian: apt-get install g++-aarch64-linux-gnu qemu-user
ARM_CXX ?= aarch64-linux-gnu-g++
ARM_RUN ?= qemu-aarch64 -L /usr/aarch64-linux-gnu
ARM     := build/arm

test-arm:  ## the exact kernels on another architecture: needs g++-aarch64-linux-gnu and qemu-user
	@command -v $(ARM_CXX) >/dev/null || { echo "test-arm needs $(ARM_CXX) (Debian: g++-aarch64-linux-gnu)"; exit 2; }
	@command -v $(firstword $(ARM_RUN)) >/dev/null || { echo "test-arm needs $(firstword $(ARM_RUN)) (Debian: qemu-user)"; exit 2; }
	$(MAKE) --no-print-directory $(ARM)/vectors
	$(ARM_RUN) $(ARM)/vectors tests/arithmetic/vectors.txt

# Every kernel twice: for any processor, and as NEON.
ARM_FLAGS   := -std=c++17 -O2 -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wno-psabi -Inative
ARM_KERNELS := $(notdir $(basename $(wildcard native/exact/kernels/*.cpp)))
ARM_OBJECTS := $(ARM_KERNELS:%=$(ARM)/plain/%.o) $(ARM_KERNELS:%=$(ARM)/neon/%.o)
ARM_SOURCES := $(wildcard native/exact/*.cpp native/exact/precise/*.cpp native/openmp/*.cpp)
HEADERS     := $(shell find native/exact native/openmp -name '*.hpp' 2>/dev/null)

$(ARM)/plain/%.o: native/exact/kernels/%.cpp $(HEADERS)
	@mkdir -p $(@D)
	$(ARM_CXX) $(ARM_FLAGS) -DSAMEBITS_EXACT_BUILD=plain -c $< -o $@

$(ARM)/neon/%.o: native/exact/kernels/%.cpp $(HEADERS)
	@mkdir -p $(@D)
	$(ARM_CXX) $(ARM_FLAGS) -DSAMEBITS_EXACT_BUILD=neon -DSAMEBITS_NEON -c $< -o $@

$(ARM)/vectors: $(ARM_OBJECTS) $(ARM_SOURCES) $(HEADERS)
	$(ARM_CXX) $(ARM_FLAGS) -DSAMEBITS_NEON_KERNELS -static -pthread $(ARM_SOURCES) $(ARM_OBJECTS) -o $@

pins:  ## resolve requirements/pinned.txt anew (needs uv)
	uv pip compile --universal --python-version 3.10 --no-header --no-annotate \
	  --no-emit-package torch --no-emit-package triton requirements/dev.in | \
	  grep -vE '^(nvidia-|cuda-)' > requirements/pinned.new
	(sed -n '/^#/p' requirements/pinned.txt; cat requirements/pinned.new; echo 'torch==2.13.0') > requirements/pinned.tmp
	mv requirements/pinned.tmp requirements/pinned.txt
	rm requirements/pinned.new
	uv pip compile --universal --python-version 3.10 --no-header --no-annotate \
	  --no-emit-package torch --no-emit-package triton -c requirements/pinned.txt \
	  requirements/frameworks.in | grep -vE '^(nvidia-|cuda-)' > requirements/frameworks.new
	(sed -n '/^#/p' requirements/frameworks.txt; \
	  grep -vxFf requirements/pinned.txt requirements/frameworks.new) > requirements/frameworks.tmp
	mv requirements/frameworks.tmp requirements/frameworks.txt
	rm requirements/frameworks.new

clean:  ## remove what was built
	rm -rf $(VENV) build dist
