"""No verdict hangs on the clock: notebooks and tests may print a time, but they assert
none, nor what is computed from one.
"""

import ast
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLOCK = r"\b(time\.)?(perf_counter|monotonic|process_time|thread_time|timeit|time)\w*\("
# files that assert something of times that were given or kept, and not measured
KEPT = {"tests/test_clock.py", "tests/test_bench.py"}


def verdicts_on_times(source):
    "The assertions that look at a clock, or at a name that was given a time."
    if not re.search(CLOCK, source):
        return []
    nodes, times = list(ast.walk(ast.parse(source))), CLOCK
    for node in nodes:
        if isinstance(node, ast.Assign) and re.match(CLOCK, ast.unparse(node.value)):
            for target in node.targets:
                parts = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
                times += "".join(rf"|\b{name}\b" for name in parts)
    asserted = [
        ast.unparse(node.test) for node in nodes if isinstance(node, ast.Assert)
    ]
    return [text for text in asserted if re.search(times, text)]


def sources():
    "The code of all notebooks and tests, by name."
    for path in sorted((ROOT / "nbs").rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        code = "\n".join(text for text in texts if not text.startswith("%"))
        yield path.relative_to(ROOT).as_posix(), code
    for path in sorted((ROOT / "tests").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_no_notebook_and_no_test_asserts_a_time():
    seen = "start = perf_counter()\nlast = perf_counter() - start\nassert last < 1"
    assert verdicts_on_times(seen)
    assert not verdicts_on_times(seen.replace("last < 1", "f() == 3"))
    found = {name: verdicts_on_times(source) for name, source in sources()}
    assert {n: lines for n, lines in found.items() if lines and n not in KEPT} == {}
