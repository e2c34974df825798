# make demo and make test set up what they need in .venv first; nothing else is needed.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/.ready
TESTED := $(VENV)/.tested
JOBS ?= auto
SITE := $(VENV)/.site
PAGE := src/armwerk/studio/bundle/index.html
COVERED := tests/architecture tests/robot tests/scene tests/geometry tests/mechanics tests/motion tests/control

.PHONY: page browser tour demo test coverage check format docs gallery bench soak lock clean help

help: ## show the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) scripts/set_up.py
	@touch $@

$(TESTED): $(READY)
	@$(RUN) scripts/set_up.py tools
	$(RUN) -m armwerk warm
	@touch $@

$(PAGE): $(READY) $(wildcard studio/*.* studio/src/*) $(wildcard src/armwerk/protocol/*.py)
	$(RUN) scripts/page.py

page: $(PAGE) ## build the page of the studio

browser: # the tests of the studio look at it in a real one
	@command -v chromium > /dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium > /dev/null; } || { echo "the tests of the studio need a browser; type: sudo apt-get install chromium"; exit 1; }

demo: $(READY) ## set up, show the main job, open the studio where there is a screen
	@! $(RUN) -c 'import sys; from armwerk.cli.console import has_screen; sys.exit(not has_screen())' || $(MAKE) -s page || echo "the page of the studio could not be built"
	PYTHONDONTWRITEBYTECODE= $(RUN) -m armwerk demo --studio # what it loads is quicker the next time

test: $(TESTED) $(PAGE) browser ## set up and run every test
	$(RUN) -m pytest -n $(JOBS)

check: $(TESTED) ## format, lint, types of src, tests, examples and benchmarks, order of the rooms
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	$(RUN) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'

coverage: $(TESTED) ## which lines of Python the quick rooms' tests run
	$(RUN) -m coverage erase
	$(RUN) -m pytest -n $(JOBS) --cov --cov-report= $(COVERED)
	$(RUN) -m coverage report
	@echo "Compiled kernels do not show here: numba runs them outside of Python. Their own tests judge them."

format: $(TESTED) ## put the code into shape
	$(RUN) -m ruff format .
	$(RUN) -m ruff check --fix .

$(SITE): $(TESTED)
	@$(RUN) scripts/set_up.py docs
	@touch $@

tour: $(TESTED) $(PAGE) browser ## take the pictures of the studio for the documentation
	$(RUN) scripts/tour.py

gallery: $(TESTED) ## have the examples write their pictures
	$(RUN) scripts/gallery.py

docs: $(SITE) gallery ## build the site in out/site; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict
	@echo "out/site/index.html"

bench: $(TESTED) ## measure against peers, results in benchmarks/results
	$(RUN) benchmarks/run.py

soak: $(TESTED) ## long random runs
	$(RUN) -m pytest -n $(JOBS) -m soak -o timeout=0

lock: $(TESTED) ## choose dependency versions anew within pyproject's bounds
	$(RUN) -m uv pip compile --universal --no-header --no-annotate --no-emit-index-url --quiet \
		--extra dev --extra witness --extra planning --extra cluster --extra video --extra editors --extra can --extra docs --python-version 3.11 --upgrade pyproject.toml -o constraints.txt
	echo "uv==$$($(RUN) -m uv --version | cut -d' ' -f2)" >> constraints.txt

clean: ## remove the environment and what was built
	rm -rf $(VENV) build dist out studio/node_modules src/armwerk/studio/bundle
