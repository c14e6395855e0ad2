"""What had another place in version 0.1 is still found there, and a warning names its
place of today.
"""

import json
import pickle
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest

import kmodes_study
from kmodes_study import KModes, _old_paths
from kmodes_study.data.synthetic import toy_vehicles

# The modules of version 0.1 and their public names, read from that version once.
OLD = json.loads((Path(__file__).parent / "old_names.json").read_text(encoding="utf-8"))
# A module that came after that version, and has another place by now.
OLD["describe.numbers"] = "number_profiles"
# Parts of the engine that nobody had a use for: `Rows` has taken their place.
GONE = {
    "checks": "whole_weights",
    "cluster.batch": (
        "Fit make_fit make_shares make_passes hidden_values count_offsets forbid "
        "in_units check_start"
    ),
    "cluster.gaps": "present_rows too_few_rows gap_codes gaps_in check_complete",
    "cluster.lanes": "RowsTaken prepared_rows",
    "family.mixed": (
        "Rows row_weights subset Columns measured observed_weights present"
    ),
}
for module, names in GONE.items():
    OLD[module] = " ".join(
        name for name in OLD[module].split() if name not in names.split()
    )
PAIRS = [
    (f"kmodes_study.{module}", name)
    for module, names in OLD.items()
    for name in names.split()
]
# those that handed out the names of their modules
PACKAGES = "cluster", "data", "describe", "family", "measures"


def imported(line):
    """What `line` imports as `found`, and the warnings; modules under old names are
    loaded anew.
    """
    for name in _old_paths.MODULES:
        sys.modules.pop(name, None)
    space = {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        exec(line, space)
    return space["found"], [
        str(each.message) for each in said if each.category is DeprecationWarning
    ]


def test_the_table_names_modules_that_were_and_modules_that_are():
    assert len(PAIRS) > 500
    assert {name.removeprefix("kmodes_study.") for name in _old_paths.MODULES} <= set(
        OLD
    )
    for old, new in _old_paths.MODULES.items():
        assert import_module(new).__name__ == new
        assert not (
            Path(kmodes_study.__file__).parent.parent / f"{old.replace('.', '/')}.py"
        ).exists()


@pytest.mark.parametrize("module", OLD)
def test_each_public_name_is_found_where_it_was(module):
    for name in OLD[module].split():
        found, said = imported(f"from kmodes_study.{module} import {name} as found")
        assert found is not None
        new = _old_paths.MODULES.get(f"kmodes_study.{module}")
        expected = []
        if new:
            expected = [f"kmodes_study.{module} is now {new}; the old name goes"]
        elif hasattr(import_module(f"kmodes_study.{module}"), "__path__"):
            # a package now, which does not offer the parts of the engine
            package = f"kmodes_study.{module}"
            if name not in dir(import_module(package)):
                expected = [f"{package}.{name} is now {package}."]
        # `from … import` asks a package twice
        said = list(dict.fromkeys(said))
        assert len(said) == len(expected), said
        for line, beginning in zip(said, expected):
            assert line.startswith(beginning)
        if new and hasattr(import_module(new), name):
            assert found is getattr(import_module(new), name)


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_hands_out_what_it_did(package):
    whole = import_module(f"kmodes_study.{package}")
    modules = [module for module in OLD if module.startswith(f"{package}.")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for module in modules:
            home = import_module(f"kmodes_study.{module}")
            for name in OLD[module].split():
                value = vars(home).get(name)
                if getattr(value, "__module__", "") == home.__name__:
                    assert getattr(whole, name) is value, (module, name)
            assert getattr(whole, module.partition(".")[2]).__name__.startswith(
                "kmodes_study."
            )


def test_a_name_that_has_left_its_package_is_named_in_the_warning():
    for name, home in [
        ("cluster.batch_passes", "cluster.algorithms.lloyd"),
        ("measures.BEST", "measures.validity"),
        ("cluster.prove_optimum", "exact"),
        ("data.open_codes", "storage"),
        ("cluster.check_clustering", "cluster.modes"),
        ("cluster.starts.initialise", "cluster.starts.basic"),
        ("family.rock_labels", "family.rock_clustering"),
        ("study.planted_problem", "study.contest"),
    ]:
        package, _, name = name.rpartition(".")
        said = f"kmodes_study.{package}.{name} is now kmodes_study.{home}.{name};"
        with pytest.warns(DeprecationWarning, match=said):
            assert getattr(import_module(f"kmodes_study.{package}"), name) is getattr(
                import_module(f"kmodes_study.{home}"), name
            )


def test_a_name_that_went_to_another_module_is_found():
    found, said = imported("from kmodes_study.tables import toy_vehicles as found")
    assert found is toy_vehicles
    assert len(said) == 1


def test_the_ways_of_an_import():
    for line in (
        "import kmodes_study.columns as found",
        "from kmodes_study.cluster import batch as found",
        "import kmodes_study.cluster.fitting\nfound = kmodes_study.cluster.fitting",
        "from kmodes_study import codes as found",
        "import kmodes_study as ks\nfound = ks.codes",
    ):
        for name in "columns", "codes":
            vars(kmodes_study).pop(name, None)
        for name in "batch", "fitting":
            vars(kmodes_study.cluster).pop(name, None)
        found, said = imported(line)
        assert len(said) == 1, line
        assert set(dir(found)) >= set(found.__all__), line
    found, said = imported("from kmodes_study.codes import *\nfound = encode")
    assert found is kmodes_study.encode
    assert len(said) == 1


def test_what_never_was_is_refused():
    with pytest.raises(
        ModuleNotFoundError, match="No module named 'kmodes_study.codez'"
    ):
        import_module("kmodes_study.codez")
    with pytest.raises(ImportError, match="cannot import name 'lloyds'"):
        imported("from kmodes_study.cluster.batch import lloyds as found")


def test_pickles_of_the_old_version_load():
    model = KModes(3, random_state=0).fit(toy_vehicles())
    written = pickle.dumps(model, protocol=0)
    old = written.replace(b"ckmodes_study.core.codes\n", b"ckmodes_study.codes\n")
    assert old != written
    again = pickle.loads(old)
    assert (again.predict(toy_vehicles()) == model.labels_).all()
    assert again.cost_ == model.cost_
    for new, name in [
        ("storage.code_files", "CodeFile"),
        ("exact.optima", "Proof"),
        ("core.diagnosis", "TableWarning"),
        ("cluster.algorithms.lloyd", "Share"),
    ]:
        was = next(
            old
            for old, home in _old_paths.MODULES.items()
            if home == f"kmodes_study.{new}"
        )
        assert pickle.loads(f"c{was}\n{name}\n.".encode()) is getattr(
            import_module(f"kmodes_study.{new}"), name
        )


def test_nothing_old_is_loaded_by_the_package_itself():
    code = (
        "import sys, warnings\nwarnings.simplefilter('error', DeprecationWarning)\n"
        "import kmodes_study as ks\nks.KModes(2).fit(ks.load('car').data[:50])\n"
        "dir(ks.cluster), dir(ks.data), dir(ks.describe), dir(ks.exact)\n"
        "print('kmodes_study._old_paths' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_the_old_module_of_the_command_runs():
    command = [sys.executable, "-W", "always", "-m", "kmodes_study.study.cli"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
