"""Shared fixtures, and the rule for raw data: an absent file skips; with
KMODES_STUDY_STRICT=1 a skip is a failure.
"""

import os

import pytest
from hypothesis import Phase, settings

# The same examples in every run: a property that fails, fails for everybody. A test
# that asks for no number has forty. HYPOTHESIS_PROFILE=default searches anew.
settings.register_profile("same", derandomize=True, deadline=None, max_examples=40)
# The first example that fails is enough where only that is asked, as for faults.
settings.register_profile(
    "first",
    settings.get_profile("same"),
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))


def pytest_addoption(parser):
    parser.addoption(
        "--all",
        action="store_true",
        help="also the tests that take a minute, as CI does",
    )


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "minute: takes about a minute; runs with --all only"
    )


@pytest.fixture(scope="module", params=["numpy", "kernels"])
def small_tables(request):
    """Small tables by numpy, as the package is shipped, and by the kernels, which
    larger tables take.

    A test that does not ask for it runs as shipped.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "kernels":
            patch.setattr("kmodes_study.core.jit._LITTLE", 0)
        yield


@pytest.fixture(scope="module")
def few_swaps():
    """At most 200 swaps of modes in a fit that does not say how many, not 2,500.

    For files that fit with the default algorithm again and again, and ask for what
    holds after any number of swaps.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kmodes_study.cluster.algorithms.swaps._MOST", 200)
        yield


# Files that take longest come first, so that the workers of `make test` (a file each,
# in this order) end together.
LONGEST = [
    "reproducible",
    "site",
    "cli",
    "estimator",
    "kprototypes",
    "huang",
    "properties",
    "packaging",
    "jit",
    "lloyd",
    "optima",
    "kmodes",
    "compare",
    "profiles",
    "data",
    "starts",
    "measures",
    "legacy",
    "blocks",
]


def pytest_collection_modifyitems(config, items):
    """Long files come first; tests that take a minute are left out where nobody asked
    for them.
    """
    place = {f"test_{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.name, len(place)))
    if not config.getoption("--all"):
        items[:] = [item for item in items if not item.get_closest_marker("minute")]


STRICT = os.environ.get("KMODES_STUDY_STRICT", "0") == "1"


@pytest.fixture
def load_or_skip():
    """A loader `load(name, **options)` that skips the test when the raw data of the set
    are not at hand.
    """
    from kmodes_study import data as datasets

    def load(name, **options):
        try:
            return datasets.load(name, download=False, **options)
        except datasets.MissingDataError as error:
            pytest.skip(f"the raw file of {name!r} is not at hand: {error}")

    return load


def pytest_sessionfinish(session, exitstatus):
    "In CI nothing may be skipped: the run fails when something was."
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    programs = dict(KMODES_STUDY_BROWSER="no chromium", KMODES_STUDY_R="no R with")
    excused = [
        reason for name, reason in programs.items() if os.environ.get(name) == "0"
    ]
    reasons = [str(report.longrepr) for report in reports]
    skipped = sum(not any(each in reason for each in excused) for reason in reasons)
    if STRICT and skipped and exitstatus == 0:
        reporter.write_line(
            f"KMODES_STUDY_STRICT=1: {skipped} skipped tests count as failures",
            red=True,
        )
        session.exitstatus = 1
