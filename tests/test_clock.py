"""No verdict hangs on the clock: notebooks and tests may print a time, but they assert
none, nor a rate or a ratio of times, and a limit in seconds is tested with a clock
that the test feeds.
"""

import ast
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CLOCKS = {
    "perf_counter",
    "perf_counter_ns",
    "monotonic",
    "monotonic_ns",
    "process_time",
    "process_time_ns",
    "thread_time",
    "thread_time_ns",
    "timeit",
    "default_timer",
    "time.time",
    "timeit.repeat",
}
COLUMNS = {
    "seconds",
    "best_seconds",
    "all_seconds",
    "cpu_seconds",
    "opponent_seconds",
    "compile_seconds",
    "milliseconds",
    "run_us",
    "start_us",
    "ratio_cpu",
    "exponent",
    "rate",
}
WORDS = re.compile(
    rf"\b({'|'.join(word.rpartition('.')[2] for word in CLOCKS | COLUMNS)})\b"
)
ASSERTING = {
    "test_eq",
    "test_close",
    "test_fail",
    "assert_allclose",
    "assert_array_less",
    "assert_array_equal",
    "test",
}
SAME_KIND = {
    "any",
    "all",
    "min",
    "max",
    "sum",
    "abs",
    "round",
    "float",
    "int",
    "sorted",
    "list",
    "median",
    "mean",
    "array",
    "asarray",
    "Series",
    "DataFrame",
    "divide",
    "log",
    "diff",
}  # what they give is a time where they are given one
# files that assert something of times that were given or kept, and not measured: what,
# and why that is well
KEPT = {
    "tests/test_bench.py": "times are fed by the test",
    "tests/test_runs.py": "the clock is fed by the test, and times may be missing",
    "nbs/study/report.ipynb": "the seconds that were handed over are noted",
    "nbs/index.ipynb": "the seconds of the page are those that the benchmarks keep",
}


def called(node):
    "The last name of what a call calls."
    function = node.func
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else getattr(function, "id", "")
    )


class Times:
    "Which expressions of a program were measured by a clock."

    def __init__(self, tree, source):
        self.tree = tree
        self.names = set()
        self.timers = {}
        self.clocks = CLOCKS
        if not any(clock.rpartition(".")[2] in source for clock in CLOCKS):
            return
        clocks = {
            name.asname or name.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module in ("time", "timeit")
            for name in node.names
        }
        self.clocks = CLOCKS | clocks - {"sleep"}
        while self.learn():
            pass

    def measured(self, node, columns=frozenset()):
        "Whether a time, or what is computed from times, is in an expression."

        def within(part):
            return self.measured(part, columns)

        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Attribute):
            return bool({node.attr, getattr(node.value, "id", "")} & columns) or within(
                node.value
            )
        if isinstance(node, ast.Subscript):
            return (
                isinstance(node.slice, ast.Constant)
                and node.slice.value in columns
                or within(node.value)
            )
        if isinstance(node, ast.Call):
            if called(node) in self.clocks or ast.unparse(node.func) in self.clocks:
                return True
            if self.timers.get(called(node)) is True:
                return True
            method = isinstance(node.func, ast.Attribute) and within(node.func.value)
            return (
                method
                and called(node) != "drop"
                or called(node) in SAME_KIND
                and any(map(within, node.args))
            )
        if isinstance(node, ast.Lambda):
            return False
        parts = (
            part
            for part in ast.iter_child_nodes(node)
            if isinstance(part, (ast.expr, ast.comprehension))
        )
        return any(map(within, parts))

    def learn(self):
        "Go once through the program; whether something new was measured."
        before = len(self.names), len(self.timers)
        for node in ast.walk(self.tree):
            if isinstance(
                node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)
            ):
                if node.value:
                    self.give(node)
            if isinstance(node, ast.FunctionDef):
                self.define(node)
            if isinstance(node, (ast.For, ast.comprehension)) and isinstance(
                node.target, ast.Name
            ):
                if self.measured(node.iter):
                    self.names.add(node.target.id)
            if (
                isinstance(node, ast.Call)
                and called(node) == "append"
                and isinstance(node.func.value, ast.Name)
            ):
                if any(map(self.measured, node.args)):
                    self.names.add(node.func.value.id)
        return before != (len(self.names), len(self.timers))

    def give(self, node):
        "Note the names that an assignment gives times to."
        places = (
            self.timers.get(called(node.value))
            if isinstance(node.value, ast.Call)
            else None
        )
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            values = (
                node.value.elts
                if isinstance(node.value, ast.Tuple)
                else [node.value] * len(parts)
            )
            if len(values) != len(parts):
                values = [node.value] * len(parts)
            for place, (part, value) in enumerate(zip(parts, values)):
                among = isinstance(places, set) and place in places
                if isinstance(part, ast.Name) and (among or self.measured(value)):
                    self.names.add(part.id)

    def define(self, node):
        "Note a function that returns a time, or a tuple with times in some places."
        for part in ast.walk(node):
            if not isinstance(part, ast.Return) or part.value is None:
                continue
            if not isinstance(part.value, ast.Tuple):
                if self.measured(part.value):
                    self.timers[node.name] = True
                continue
            places = {
                place
                for place, value in enumerate(part.value.elts)
                if self.measured(value)
            }
            if places:
                self.timers[node.name] = places


def verdicts_on_times(source):
    "The lines of assertions that look at a measured time."
    if not WORDS.search(source):
        return []
    tree = ast.parse(source)
    times, found = Times(tree, source), []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            looked_at = [node.test]
        elif isinstance(node, ast.Call) and called(node) in ASSERTING:
            looked_at = node.args
        else:
            continue
        if any(times.measured(part, COLUMNS) for part in looked_at):
            found.append(ast.unparse(node))
    return found


def limits_in_seconds(source):
    "The tests that hand over a limit of time and have no clock to feed."
    found = []
    for test in ast.walk(ast.parse(source)) if "max_time" in source else ():
        if not isinstance(test, ast.FunctionDef) or not test.name.startswith("test_"):
            continue
        if any(argument.arg == "monkeypatch" for argument in test.args.args):
            continue
        asserts = any(isinstance(node, ast.Assert) for node in ast.walk(test))
        limits = [
            word
            for node in ast.walk(test)
            if isinstance(node, ast.Call)
            for word in node.keywords
            if word.arg == "max_time"
            and isinstance(word.value, ast.Constant)
            and word.value.value
        ]
        if asserts and limits:
            found.append(test.name)
    return found


def sources():
    "The code of all notebooks and tests, by name."
    for path in sorted((ROOT / "nbs").rglob("*.ipynb")):
        cells = [
            "".join(cell["source"])
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "code"
        ]
        code = [source for source in cells if not source.startswith("%")]
        yield path.relative_to(ROOT).as_posix(), "\n".join(code)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "source",
    [
        "start = perf_counter()\nlast = perf_counter() - start\nassert last < 1",
        "def seconds(f):\n    begun = time.monotonic()\n    f()\n    return "
        "time.monotonic() - begun\nours, theirs = seconds(a), seconds(b)\nassert "
        "theirs > 20*ours",
        "times = []\ntimes.append(time.process_time() - start)\ntest_eq(min(times) < "
        "2, True)",
        "assert runs.seconds.median() < 1",
        "assert rate.population > 2/3*rate.descents\nrate = steps/time.time()",
        "assert time.time() - start < 3",
        "assert record['exponent'] < 1.5",
    ],
)
def test_an_assertion_of_a_time_is_seen(source):
    assert len(verdicts_on_times(source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "start = perf_counter()\nf()\nprint(perf_counter() - start)\nassert f() == 3",
        "assert runs.drop(columns='seconds').equals(others)",
        "while time.time() < end and not done(): pass\nassert done()",
    ],
)
def test_a_time_that_is_only_shown_is_well(source):
    assert not verdicts_on_times(source)


def test_no_notebook_and_no_test_asserts_a_time():
    found = {
        name: verdicts_on_times(source)
        for name, source in sources()
        if name != "tests/test_clock.py"
    }
    assert {
        name: lines for name, lines in found.items() if lines and name not in KEPT
    } == {}
    # an exception that is not needed any more is deleted
    assert all(found[name] for name in KEPT)


def test_a_limit_of_time_is_tested_with_a_clock_that_is_fed():
    found = {
        name: limits_in_seconds(source)
        for name, source in sources()
        if name.startswith("tests/")
    }
    assert {name: tests for name, tests in found.items() if tests} == {}
