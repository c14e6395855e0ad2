"""The benchmark runs, the freeze compares, and certificates are checked anew."""

import json
import subprocess
import sys
from pathlib import Path

from bench import freeze

ROOT = Path(__file__).resolve().parent.parent


def test_a_row_of_the_benchmark_is_measured_in_turns(tmp_path):
    command = [sys.executable, "-m", "bench", "--only", "adjusted rand"]
    subprocess.run([*command, "--output", tmp_path], cwd=ROOT, check=True)
    record = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    (row,) = record["rows"]
    assert row["same"] is True
    assert row["ratio"] > 0 and row["repeat"] >= 3
    assert {"processor", "cores", "versions", "date"} <= {*record["machine"]}


def total(values, k):
    return int(values.sum())


def row(**options):
    return measure.Timing(
        **dict(
            name="sum",
            size=measure.Size(900),
            data=planted,
            ours=total,
            opponent=total,
            against="itself",
        )
        | options
    )


@pytest.fixture
def fed(monkeypatch):
    """Seconds that a function of the number of rows gives, in place of those that a
    clock would measure.
    """

    def feed(seconds):
        monkeypatch.setattr(
            measure,
            "timed",
            lambda function, data: (*[seconds(len(data[0]))] * 2, function(*data)),
        )

    return feed


def test_names_are_unique_and_reach_is_known():
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {name for row in ROWS for name in row.reach} <= {
        "ratio",
        "seconds",
        "exponent",
        "extra_mb",
    }
    assert all(row.opponent for row in ROWS if "ratio" in row.reach)
    assert all(row.memory for row in ROWS if "extra_mb" in row.reach)


@pytest.mark.parametrize("row", QUICK, ids=lambda row: row.name)
def test_row_runs_and_results_agree(row):
    record = measure.measure(row, quick=True)
    if "skipped" in record:
        pytest.skip(record["skipped"])
    assert np.isfinite(record["seconds"])
    assert record["n"] <= 800
    assert record["reached"] is None
    if getattr(row, "opponent", None) and row.same:
        assert record["same"], (record["value_at_opponent_n"], record["opponent_value"])


def test_a_different_result_is_never_a_success(fed):
    fed(lambda n: n / 1000)
    wrong = row(opponent=lambda values, k: total(values, k) + 1, reach=dict(ratio=0))
    assert measure.measure(wrong)["reached"] is False
    assert measure.measure(row(reach=dict(ratio=0)))["reached"] is True
    assert measure.measure(row(reach=dict(seconds=0)))["reached"] is False
    assert measure.measure(row())["reached"] is None


def test_compilation_of_an_opponent_does_not_count():
    sizes = []
    record = measure.measure(
        row(
            opponent_compiles=True,
            opponent=lambda values, k: sizes.append(len(values)) or total(values, k),
        )
    )
    assert sizes[0] == 400
    assert set(sizes[1:]) == {900}
    assert record["opponent_repeat"] == len(sizes) - 1


def test_scaled_opponents_are_stated():
    seen = []
    record = measure.measure(
        row(
            opponent_n=90,
            opponent=lambda values, k: seen.append(len(values)) or total(values, k),
        )
    )
    assert set(seen) == {90}
    assert record["opponent_n"] == 90
    assert record["same"]
    assert record["opponent_seconds"] == pytest.approx(10 * record["opponent_measured"])
    assert "(from n=90)" in table([record]).opponent[0]
    full = measure.measure(
        row(
            opponent_n=90,
            opponent=lambda values, k: seen.append(len(values)) or total(values, k),
        ),
        full=True,
    )
    assert set(seen) == {90, 900}
    assert full["opponent_seconds"] == full["opponent_measured"]


def test_exponent_of_a_sweep(fed):
    fed(lambda n: 3e-6 * n**1.5)
    record = measure.measure(
        measure.Sweep("loop", measure.Size(1), "n", (200, 1_000, 5_000), planted, total)
    )
    assert record["exponent"] == pytest.approx(1.5)
    assert record["repeat"] == 3
    assert record["all_seconds"] == pytest.approx(
        [3e-6 * n**1.5 for n in (200, 1_000, 5_000)]
    )


def test_a_run_that_was_disturbed_does_not_count(fed):
    calls = []
    # the second of three is slow
    fed(lambda n: calls.append(n) or n * (100 if calls.count(n) == 2 else 1))
    record = measure.measure(
        measure.Sweep("loop", measure.Size(1), "n", (20, 100, 500), planted, total)
    )
    assert record["exponent"] == pytest.approx(1)
    assert record["all_seconds"] == [20, 100, 500]
    assert record["best_seconds"] == 500


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1",
    reason="too slow without compiled kernels",
)
def test_memory_is_that_of_the_call():
    found = measure.in_child("memory of a batch fit, from codes", "ours", True, 200_000)
    codes = 200_000 * 20 / 1e6
    assert codes / 2 < found["extra_mb"] < 12 * codes < found["peak_mb"]


def test_missing_data_are_said(monkeypatch, tmp_path):
    monkeypatch.setenv("KMODES_STUDY_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    record = measure.measure(find("fit online, splice"), quick=True)
    assert record["skipped"] == "the raw file is not at hand"
    assert record["reached"] is None
    assert "skipped" in table([record]).result[0]


def test_kept_run_is_whole():
    kept = json.loads(
        (ROOT / "nbs" / "results" / "benchmarks.json").read_text(encoding="utf-8")
    )
    assert not kept["options"]["tiny"]
    assert not [record["name"] for record in kept["rows"] if "skipped" in record]
    assert not [
        record["name"] for record in kept["rows"] if record.get("same") is False
    ]
    assert set(kept["machine"]) == {"processor", "cores", "system", "versions", "date"}


def test_agreement_is_exact_for_integers():
    assert measure.agree(3, 3)
    assert not measure.agree(10**15, 10**15 + 1)
    assert measure.agree(0.1 + 0.2, 0.3)
    assert not measure.agree(0.3, 0.3 + 1e-8)


def test_command_writes_table_json_and_csv(tmp_path, capsys):
    main(
        [
            "--tiny",
            "--only",
            "^(distances|Cao's start, k=10)",
            "--output",
            str(tmp_path),
        ]
    )
    printed = capsys.readouterr().out
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    names = [record["name"] for record in written["rows"]]
    assert len(names) == 4
    assert all(name in printed for name in names)
    assert written["options"]["tiny"]
    assert {"numpy", "kmodes", "gower"} <= set(written["machine"]["versions"])
    with open(tmp_path / "results.csv", encoding="utf-8") as file:
        assert [line["name"] for line in csv.DictReader(file)] == names
    assert set(written["machine"]) == {
        "processor",
        "cores",
        "system",
        "versions",
        "date",
    }


def test_full_suite_measures_large_tables(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(scale, "main", asked.append)
    main(["--full", "--only", "larger than memory", "--output", str(tmp_path)])
    options = scale.parsed(*asked)
    assert max(options.rows) == 10**8
    assert options.dask == [1, 2]
    assert options.output == f"{tmp_path}/scale.json"
    main(["--tiny", "--only", "^distances", "--output", str(tmp_path)])
    assert len(asked) == 1


def test_large_tables_without_room_are_not_begun(monkeypatch, tmp_path):
    for room, message in (
        (
            10**6,
            "1,000,000 rows need 0.1 GB on the disk of .* and 0.0 GB are free: make "
            "room",
        ),
        (10**15, "1,000,000 rows need 1.0 GB of memory, and 0.5 GB are free"),
    ):
        monkeypatch.setattr(
            scale.shutil, "disk_usage", lambda folder: SimpleNamespace(free=room)
        )
        monkeypatch.setattr(scale, "available_memory", lambda: 5e8)
        with pytest.raises(SystemExit, match=message):
            scale.main(
                [
                    "--rows",
                    "1e6",
                    "--folder",
                    str(tmp_path),
                    "--output",
                    str(tmp_path / "scale.json"),
                ]
            )
    assert not [*tmp_path.iterdir()]


def test_module_lists_rows_and_refuses_none():
    run = lambda *options: subprocess.run(
        [sys.executable, "-m", "bench", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run("--list").stdout.splitlines() == [row.name for row in ROWS]
    refused = run("--only", "no such row")
    assert refused.returncode == 2
    assert "no row matches 'no such row'" in refused.stderr


# ---------------------------------------------------------------- kept rows made again

# what the cells that are run must define
DEFINED = dict(
    which_initialisation=[
        "starts =",
        "algorithms =",
        "problems =",
        "KEY =",
        "COLUMNS =",
    ],
    how_many=["def designs", "def examine", "def departing_designs"]
    + ["def examine_departing"],
    optima=[
        "frames,",
        "def swaps",
        "def rows_of",
        "METHODS =",
        "REMOVAL =",
        "def key_of",
    ],
    evolution=["def search", "SEARCH ="],
)


@pytest.mark.parametrize("name", kept.TABLES)
def test_the_cells_that_make_rows_again_are_in_their_notebook(name):
    cells = kept.cells_of(name)
    text = "\n".join(cells[cell] for cell in kept.CELLS[name])
    assert [word for word in DEFINED[name] if word not in text] == []


def test_a_set_is_made_again_and_every_value_that_differs_is_named():
    random = np.random.RandomState(0)
    pair = next(kept.how_many(random))
    assert len(pair.made) > 10
    assert kept.differing(pair) == []
    changed = pair._replace(kept=pair.kept | dict(code_length=99, gap=None))
    assert kept.differing(changed) == ["code_length", "gap"]


def test_a_twentieth_of_each_kind_is_drawn():
    frame = pd.DataFrame(dict(kind=["a"] * 100 + ["b"] * 10 + ["c"] * 2))
    drawn = kept.twentieth(frame, ["kind"], np.random.RandomState(0))
    assert drawn.kind.value_counts().to_dict() == dict(a=5, b=3, c=2)


def test_a_kept_row_that_does_not_come_out_again_is_an_error(monkeypatch, capsys):
    pairs = [kept.Pair("one", dict(cost=1), dict(cost=1))]
    monkeypatch.setitem(kept.TABLES, "optima", lambda random: pairs)
    assert kept.main(["optima"]) == 0
    assert "1 of 1,242 kept rows drawn and made again, all" in capsys.readouterr().out
    pairs.append(kept.Pair("two", dict(cost=3), dict(cost=4)))
    assert kept.main(["optima"]) == 1
    assert "optima: two: cost is 4, kept is 3" in capsys.readouterr().out
