# Two commands do it all: `make reproduce` and `make test`. Both create the environment when it is not there.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready

# Raw data beside the clone are used when they are there; otherwise the user's cache, then the UCI archive.
SHARED_DATA := $(abspath ../shared/data)
ifneq ($(wildcard ../shared/data/MANIFEST.csv),)
export KMODES_STUDY_DATA ?= $(SHARED_DATA)
endif

.PHONY: help reproduce test format fuzz mutants bench kept lab site figures export readme book lock clean

help:
	@echo "make reproduce   rerun the published tables; ARGS='--seeds 25' is a quick look, in build/seeds-25"
	@echo "make test        notebook cells, tests/, notebooks and package in step"
	@echo "make format      ruff format over notebooks, tests, bench and site; the package follows"
	@echo "make fuzz        10,000 generated calls, 1,000 files of each kind, command lines and certificates; ARGS='--family models'"
	@echo "make mutants     small faults, one at a time, in a copy: do the tests notice? ARGS='--only rock'"
	@echo "make bench       times beside scikit-learn and the peers; ARGS=--full for full sizes"
	@echo "make kept        are kept rows those of this program? a twentieth is made again; ARGS=optima for one table"
	@echo "make lab         JupyterLab on nbs/"
	@echo "make site        the book as web pages, in build/site/html; no network, half a minute"
	@echo "make figures     draws figures that are made of pixels as SVG; ARGS=nbs/book/04_starts.ipynb draws all of one notebook"
	@echo "make export      outputs stay, noise goes; the package follows the notebooks"
	@echo "make book        write the first and last line of each chapter, and README.md, from nbs/index.ipynb"
	@echo "make lock        resolve requirements.lock anew (needs uv)"
	@echo "make clean       remove the environment and build/"

$(READY): requirements.lock settings.ini setup.py pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

reproduce: $(READY)
	$(BIN)/kmodes-study reproduce $(ARGS)

# ruff: undefined and unused names, syntax, slips. A chapter may import again, for its module, what an earlier cell imported
# for the reader (F811).
LINT := --no-cache --isolated --quiet --select F,E9,PLE --per-file-ignores 'nbs/**:F811'

# The form, which pyproject.toml sets; the modules follow the notebooks.
FORMATTED := nbs tests bench site setup.py

# Result notebooks run with 8 seeds here, with all of them in `make reproduce`; `ARGS=--all` adds tests that take a minute.
test: $(READY)
	$(BIN)/ruff check $(LINT) kmodes_study tests bench site nbs
	$(BIN)/ruff format --no-cache --quiet --check $(FORMATTED) || { echo "run make format"; exit 1; }
	KMODES_STUDY_STORE=none KMODES_STUDY_SEEDS=8 NUMBA_NUM_THREADS=2 $(BIN)/nbdev_test --n_workers 2 --timing
	$(BIN)/python -m pytest tests -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

format: $(READY)
	$(BIN)/ruff format --no-cache $(FORMATTED)
	$(MAKE) --silent export

fuzz: $(READY)
	cd tests && MPLBACKEND=Agg ../$(BIN)/python -m fuzz $(ARGS)

mutants: $(READY)
	cd tests && ../$(BIN)/python -m mutants $(ARGS)

bench: $(READY)
	$(BIN)/python -m bench $(ARGS)

# Ten minutes of one processor, most of it for which_initialisation and the searches of evolution.
kept: $(READY)
	$(BIN)/python -m bench.kept $(ARGS)

lab: $(READY)
	$(BIN)/jupyter lab nbs

site: $(READY)
	$(BIN)/python site build/site
	@echo "site  build/site/html/index.html"

README ?= README.md
readme: $(READY)
	"$(BIN)/jupyter" nbconvert --log-level ERROR --to markdown --stdout nbs/index.ipynb \
	  --RegexRemovePreprocessor.patterns '^#\|\s*hide' | sed -E 's#\]\(((book|core|measures|data|storage|cluster|exact|family|describe|study|command|results|howto)/|compat|contents|glossary|sources|first_page|guests)#](nbs/\1#g; s#\]\(\.\./#](#g' | \
	  awk '/^```/ { inside = !inside; if (inside && $$0 == "```") $$0 = "```python" } 1' > "$(README)"

figures: $(READY)
	$(BIN)/python site/figures.py $(ARGS)

export: $(READY)
	$(BIN)/nbdev_clean
	$(BIN)/nbdev_export

book: $(READY)
	$(BIN)/python tests/navigation.py
	$(MAKE) --silent readme

lock:
	$(PYTHON) -c "import configparser as c; p=c.ConfigParser(delimiters=['=']); p.read('settings.ini'); d=p['DEFAULT']; \
	print(*d['requirements'].split(), *d['dev_requirements'].split(), sep='\n')" | \
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate - -o requirements.lock

clean:
	rm -rf .venv build
