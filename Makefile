# What one does with this project; `make` alone lists it.

BIN := .venv/bin
INSTALLED := .venv/.installed

# The first Python that is new enough; python3 if none is, so that the message can name it.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; \
	done; echo python3)

.DEFAULT_GOAL := help
.PHONY: help install demo test check bench erase-proof torture api lock wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## make .venv with lifelong and the tools, as requirements.lock names them

$(INSTALLED): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "lifelong needs Python 3.11 or newer; found: $$($(PYTHON) --version 2>&1)." \
		"Install one, or name it: make install PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2; \
		exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(INSTALLED) ## a tour of lifelong, offline, in a minute
	$(BIN)/python examples/demo.py

test: $(INSTALLED) ## run all tests on all cores (some of them: make test ARGS="-k recall")
	$(BIN)/python -m pytest --numprocesses auto $(ARGS)

check: $(INSTALLED) ## lint, format and types, without changing anything
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(INSTALLED) ## measure the speed; with DATA=folder, also what recall finds in both kinds of chat
	$(BIN)/lifelong bench speed $(ARGS)
	$(if $(DATA),$(BIN)/lifelong bench recall --gate --dataset locomo --data '$(DATA)')
	$(if $(DATA),$(BIN)/lifelong bench recall --gate --dataset beam --data '$(DATA)')

erase-proof: $(INSTALLED) ## show that forgetting leaves no byte, in every form and file (2 x 500 made-up words)
	$(BIN)/python tests/proofs/erase_proof.py $(ARGS)

torture: $(INSTALLED) ## kill, fail and cut off the power ten thousand times (ARGS: see tests/torture)
	$(BIN)/python tests/torture $(ARGS)

api: $(INSTALLED) ## write the public names down again, after a change of them that is meant
	$(BIN)/python tests/style/test_public_api.py

lock: ## solve the dependencies again (newest versions: make lock ARGS=--upgrade)
	$(PYTHON) -m venv --clear .tools
	.tools/bin/python -m pip install --quiet uv
	.tools/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
		--generate-hashes --extra all --group dev --no-header $(ARGS) \
		pyproject.toml --output-file requirements.lock

wheel: $(INSTALLED) ## build the source archive and the wheel into dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation

clean: ## remove all that make made
	rm -rf .venv .tools dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
