"""The commands for one's own table: what they write, that they agree with Python, and
what they refuse in one line.
"""

import errno
import gzip
import io
import lzma
import os
import re
import shlex
import subprocess
import sys
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes, KPrototypes
from kmodes_study.core.diagnosis import diagnose
from kmodes_study.describe import cluster_profiles, describe_clusters
from kmodes_study.family import FuzzyKModes, LatentClasses
from kmodes_study.command import own_table, table_page
from kmodes_study.study import reading

from commands import run

RNG = np.random.RandomState(0)
GROUPS = np.repeat([0, 1, 2], 20)
TABLE = pd.DataFrame(
    {
        f"c{j}": np.where(
            RNG.rand(60) < 0.8, np.array(["red", "grün", 'b,l"ue'])[GROUPS], "none"
        )
        for j in range(5)
    }
)
NAMED = TABLE.assign(who=[f"R{i}" for i in range(60)])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NAMED.to_csv("t.csv", index=False)
    NAMED.to_csv("t.tsv", index=False, sep="\t")
    NAMED.to_csv("semi.csv", index=False, sep=";", encoding="utf-8-sig")
    NAMED.to_parquet("t.parquet")
    return tmp_path


def refused(capsys, contains, *argv):
    "The one line of a command that cannot work."
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, ""), err
    assert contains in err, err
    assert len(err.splitlines()) == 1, err


def test_a_table_with_a_column_called_codes_is_no_file_of_codes(place, capsys):
    table = TABLE.rename(columns=dict(c0="codes"))
    table.loc[3, "codes"] = None
    table.to_csv("gap.csv", index=False)
    refused(capsys, "codes (1)", "cluster", "gap.csv", "-k", 3, "--missing", "error")
    status, out, _ = run(capsys, "cluster", "gap.csv", "-k", 3)
    assert status == 0
    assert "gaps: 1 cells in codes (left out of account" in out


MODEL = KModes(3, random_state=0).fit(TABLE)


@pytest.mark.parametrize("file", ["t.csv", "t.tsv", "semi.csv", "t.parquet", "-"])
def test_the_labels_are_those_of_the_estimator(place, capsys, monkeypatch, file):
    if file == "-":
        monkeypatch.setattr(
            sys,
            "stdin",
            SimpleNamespace(buffer=io.BytesIO((place / "t.csv").read_bytes())),
        )
    status, out, err = run(
        capsys,
        "cluster",
        file,
        "-k",
        3,
        "--id-column",
        "who",
        "-o",
        "l.csv",
        "--profiles",
        "p.csv",
    )
    assert status == 0
    assert describe_clusters(TABLE, MODEL.labels_) in out
    assert f"cost {MODEL.cost_}:" in out
    assert not err
    labels, profiles = pd.read_csv("l.csv"), cluster_profiles(TABLE, MODEL.labels_)
    assert labels.who.tolist() == NAMED.who.tolist()
    assert (labels.cluster == MODEL.labels_).all()
    assert (pd.read_csv("p.csv")["count"] == profiles["count"]).all()


def test_a_model_that_is_saved_predicts_and_leaves_other_columns_aside(place, capsys):
    assert (
        run(
            capsys,
            "cluster",
            "t.csv",
            "-k",
            3,
            "--columns",
            "c1",
            "c0",
            "--save",
            "m.json",
        )[0]
        == 0
    )
    status, out, err = run(capsys, "predict", "m.json", "t.csv", "--id-column", "who")
    expected = KModes(3, random_state=0).fit(TABLE[["c1", "c0"]]).labels_
    assert (status, err) == (0, "")
    assert (pd.read_csv(io.StringIO(out)).cluster == expected).all()
    TABLE.replace("red", "new").to_csv("new.csv", index=False)
    refused(capsys, "--unknown ignore", "predict", "m.json", "new.csv")
    assert (
        run(
            capsys, "predict", "m.json", "new.csv", "--unknown", "ignore", "-o", "l.csv"
        )[0]
        == 0
    )
    TABLE[["c0"]].to_csv("one.csv", index=False)
    refused(capsys, "m.json needs the column c1", "predict", "m.json", "one.csv")


def test_a_category_that_reads_like_an_argument_stays_as_it_is(place, capsys):
    pd.DataFrame(dict(a=["x", "y"] * 3)).to_csv("old.csv", index=False)
    pd.DataFrame(dict(a=["x", "missing='ignore'"])).to_csv("new.csv", index=False)
    assert run(capsys, "cluster", "old.csv", "-k", 2, "--save", "m.json")[0] == 0
    refused(
        capsys,
        """got "missing='ignore'" in column 'a': --unknown ignore gives""",
        "predict",
        "m.json",
        "new.csv",
    )
    warned = run(capsys, "cluster", "old.csv", "-k", 3)[2]
    assert "X has 2 distinct rows, fewer than -k 3: these rows are the modes" in warned


def test_a_large_parquet_file_goes_through_a_file_of_codes(place, capsys, monkeypatch):
    options = (
        "cluster",
        "t.parquet",
        "-k",
        3,
        "--id-column",
        "who",
        "--algorithm",
        "lloyd",
    )
    assert run(capsys, *options, "-o", "small.csv")[0] == 0
    monkeypatch.setattr(own_table, "_LARGE", 100)
    monkeypatch.setattr(own_table, "_DRAWN", 30)
    with monkeypatch.context() as patch:
        patch.setattr(own_table, "read_own_table", None)  # nothing is read as a whole
        check_large(place, capsys, options)
    assert (
        run(
            capsys,
            "predict",
            "m.json",
            "t.csv",
            "--id-column",
            "who",
            "-o",
            "again.csv",
        )[0]
        == 0
    )
    assert (place / "again.csv").read_bytes() == (place / "small.csv").read_bytes()
    TABLE.where(TABLE != "none").to_parquet("gaps.parquet")
    asked = "cluster", "gaps.parquet", "-k", 2
    refused(capsys, "--missing category", *asked, "--missing", "error")
    assert run(capsys, *asked)[0] == 0
    for missing in ("category", "ignore"):
        assert (
            run(capsys, "cluster", "gaps.parquet", "-k", 2, "--missing", missing)[0]
            == 0
        )


def check_large(place, capsys, options):
    status, out, err = run(
        capsys, *options, "-o", "large.csv", "--save", "m.json", "--report", "page.html"
    )
    assert status == 0, err
    assert describe_clusters(TABLE, pd.read_csv("small.csv").cluster) in out, err
    assert (place / "large.csv").read_bytes() == (place / "small.csv").read_bytes()
    assert (
        run(
            capsys,
            "predict",
            "m.json",
            "t.parquet",
            "--id-column",
            "who",
            "-o",
            "coded.csv",
        )[0]
        == 0
    )
    assert (place / "coded.csv").read_bytes() == (place / "small.csv").read_bytes()
    refused(
        capsys,
        "--na is not for a Parquet file of more than 100 cells",
        *options,
        "--na",
        "?",
    )


def test_the_page_stands_alone_and_shows_values_as_they_are(place, capsys):
    TABLE.replace("red", "<script>x</script>").to_csv("evil.csv", index=False)
    assert run(capsys, "cluster", "evil.csv", "-k", 3, "--report", "page.html")[0] == 0
    page = (place / "page.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script" in page
    assert "http" not in page
    assert page.count("<img") == 1
    assert all(f"<td>{name}</td>" in page for name in TABLE)


def test_groups_that_are_there_already(place, capsys):
    TABLE.assign(group=GROUPS).to_csv("g.csv", index=False)
    status, out, _ = run(
        capsys, "profile", "g.csv", "--by", "group", "--profiles", "p.csv"
    )
    assert status == 0
    assert describe_clusters(TABLE, GROUPS) in out
    run(capsys, "cluster", "t.csv", "-k", 3, "--id-column", "who", "-o", "l.csv")
    status, out, _ = run(
        capsys, "profile", "t.csv", "--id-column", "who", "--labels", "l.csv"
    )
    assert status == 0
    assert describe_clusters(TABLE, MODEL.labels_) in out


def test_a_scan_leaves_an_identifier_out_and_says_so(place, capsys):
    asked = "choose", "t.csv", "--most", 2, "--resamples", 0
    _, out, err = run(capsys, *asked)
    assert "left out: who (identifier: 60 different values in 60 cells" in out
    assert err == ""
    _, looked_at_nothing, err = run(capsys, *asked, "--no-diagnosis")
    assert "left out" not in looked_at_nothing
    assert err == ""
    without = run(capsys, *asked, "--drop", "who", "--no-diagnosis")[1]
    assert out.endswith(without)
    assert without != looked_at_nothing


def test_a_scan_names_three_clusters(place, capsys):
    status, out, _ = run(
        capsys,
        "choose",
        "t.csv",
        "--id-column",
        "who",
        "--most",
        4,
        "--resamples",
        2,
        "-o",
        "s.csv",
    )
    assert status == 0
    assert re.search("3 clusters by .*silhouette", out)
    assert pd.read_csv("s.csv").n_clusters.tolist() == [1, 2, 3, 4]


def test_a_scan_leaves_gaps_out_and_says_when_there_are_no_more_clusters(place, capsys):
    pd.DataFrame([("a", "x"), ("a", None), ("b", "y"), (None, "y")] * 3).to_csv(
        "gaps.csv", index=False
    )
    asked = (
        "choose",
        "gaps.csv",
        "--missing",
        "ignore",
        "--resamples",
        0,
        "--no-diagnosis",
        "--most",
    )
    assert re.search("2 clusters by .*code length", run(capsys, *asked, 2)[1])
    status, _, err = run(capsys, *asked, 3)
    assert status == 2
    assert "--most must be less than 3" in err


def test_what_spoils_the_clusters_is_left_out_or_warned_of(place, capsys):
    flawed = NAMED.assign(same="x", c0=TABLE.c0.replace("none", "?"))
    flawed.to_csv("f.csv", index=False)
    status, out, err = run(capsys, "cluster", "f.csv", "-k", 3)
    assert (status, err) == (0, "")
    n_gaps = (flawed.c0 == "?").sum()
    for words in (
        "left out: who (identifier",
        "left out: same (constant: always 'x'",
        f"gaps: {n_gaps} cells, '?' among them, in c0 (left out of account",
    ):
        assert words in out
    # what the user says goes before what is found, and then there is a warning
    _, out, err = run(capsys, "cluster", "f.csv", "-k", 3, "--missing", "category")
    assert err.count("warning") == 1
    assert "c0: placeholder, '?'" in err
    assert "gaps" not in out
    assert run(capsys, "cluster", "f.csv", "-k", 3, "--no-diagnosis")[2] == ""
    refused(
        capsys,
        "--missing ignore",
        "cluster",
        "f.csv",
        "-k",
        3,
        "--na",
        "?",
        "--no-diagnosis",
    )
    names = "--columns", "c0", "c1", "c2"
    assert (
        run(
            capsys,
            "cluster",
            "f.csv",
            "-k",
            3,
            "--missing",
            "ignore",
            *names,
            "--na",
            "?",
        )[2]
        == ""
    )


def test_a_table_in_another_encoding_is_read_where_it_is_named(place, capsys):
    options = "-k", 3, "--id-column", "who", "-o", "l.csv"
    assert run(capsys, "cluster", "t.csv", *options)[0] == 0
    expected = (place / "l.csv").read_bytes()
    for encoding in "cp1252", "utf-16":
        NAMED.to_csv("other.csv", index=False, encoding=encoding)
        for said in [], ["--encoding", encoding]:
            status, _, err = run(capsys, "cluster", "other.csv", *options, *said)
            assert status == 0
            assert (f"read as {encoding} (--encoding)" in err) == (not said)
            assert (place / "l.csv").read_bytes() == expected
    refused(
        capsys, "not UTF-8", "cluster", "other.csv", *options, "--encoding", "utf-8"
    )


def test_what_the_estimator_warns_of_is_one_line(place, capsys):
    (place / "two.csv").write_text("a,b\nx,y\nx,y\nx,z\n")
    status, _, err = run(capsys, "cluster", "two.csv", "-k", 3, "--no-diagnosis")
    assert status == 0
    assert "2 distinct rows" in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    "contains, argv",
    [
        ("no ordinary file", ["cluster", "t.csv", "-k", 2, "-o", "/dev/null"]),
        (
            "nothing can be written in /proc",
            ["cluster", "t.csv", "-k", 2, "-o", "/proc/labels.csv"],
        ),
        ("no such encoding", ["cluster", "t.csv", "-k", 2, "--encoding", "utf-9"]),
        ("no such file", ["cluster", "slip.csv", "-k", 2]),
        ("folder", ["cluster", ".", "-k", 2]),
        ("make it first", ["cluster", "t.csv", "-k", 2, "-o", "no/l.csv"]),
        ("this is a folder", ["cluster", "t.csv", "-k", 2, "--report", "."]),
        ("overwrite t.csv", ["cluster", "t.csv", "-k", 2, "-o", "./t.csv"]),
        ("overwrite x", ["cluster", "t.csv", "-k", 2, "-o", "x", "--save", "x"]),
        ("-k must be a whole number of at least 1", ["cluster", "t.csv", "-k", 0]),
        ("60 rows only", ["cluster", "t.csv", "-k", 61, "--no-diagnosis"]),
        ("--init must be one of", ["cluster", "t.csv", "-k", 2, "--init", "coa"]),
        (
            "--algorithm must be one of",
            ["cluster", "t.csv", "-k", 2, "--algorithm", "fast"],
        ),
        ("did you mean 'who'", ["cluster", "t.csv", "-k", 2, "--id-column", "whom"]),
        (
            "ragged.csv: this is no table: line 3 has 3 cells, and the first line 2",
            ["cluster", "ragged.csv", "-k", 2],
        ),
        (
            "line 2 has 3 cells, and the first line 2: the lines end with ','",
            ["choose", "ends.csv"],
        ),
        ("a quotation mark in row 3 has no end", ["cluster", "open.csv", "-k", 2]),
        (
            "names 'a' more than once (columns 1 and 3): rename one",
            ["cluster", "twice.csv", "-k", 2],
        ),
        (
            "is not UTF-8: say by --encoding",
            ["cluster", "wide.csv", "-k", 2, "--encoding", "utf-8"],
        ),
        ("book.xlsx: this workbook is damaged", ["cluster", "book.xlsx", "-k", 2]),
        (
            "--encoding is for files of text",
            ["cluster", "book.xlsx", "--encoding", "cp1252"],
        ),
        ("--sheet is for workbooks", ["cluster", "t.csv", "--sheet", "one"]),
        (
            "mushrom: there is no such file; of the sets of this package, did you mean "
            "'mushroom'?",
            ["cluster", "mushrom"],
        ),
        ("--n-init must be", ["cluster", "t.csv", "--n-init", 0]),
        ("--weight who: column 'who' holds", ["cluster", "t.csv", "--weight", "who"]),
        (
            "--numeric c9: no such column",
            ["cluster", "t.csv", "--numeric", "c9"],
        ),
        (
            "column 'c0' holds 'red', which is no number",
            ["cluster", "t.csv", "--numeric", "c0"],
        ),
        ("packed by xz", ["choose", "t.csv.xz"]),
        ("a name that ends in .parquet", ["profile", "parquet.csv", "--by", "c0"]),
        (
            "--no-header is for files of text",
            ["cluster", "t.parquet", "-k", 2, "--no-header"],
        ),
        (
            "--picture p.jpg: a file for this option must end in .png or .svg or .pdf",
            ["choose", "t.csv", "--picture", "p.jpg"],
        ),
        (
            "must end in .csv or .tsv or .xlsx, not in .xls; Excel",
            ["cluster", "t.csv", "-k", 2, "--profiles", "p.xls"],
        ),
        (
            "must end in .csv or .tsv or .xlsx, not in .gz",
            ["predict", "m.json", "t.csv", "-o", "l.csv.gz"],
        ),
        (
            "must end in .html or .htm, not in .pdf; a browser",
            ["profile", "t.csv", "--by", "c0", "--report", "r.pdf"],
        ),
        ("must end in .json", ["cluster", "t.csv", "-k", 2, "--save", "m.pkl"]),
        (
            "only a table goes to standard output",
            ["cluster", "t.csv", "-k", 2, "--report", "-"],
        ),
        (
            "--min-share must be a number from 0 to 1, got 30",
            ["cluster", "t.csv", "-k", 2, "--min-share", 30],
        ),
        (
            "--min-share must be a finite number",
            ["profile", "t.csv", "--by", "c0", "--min-share", "nan"],
        ),
        (
            "--drop c9: no such column; there are c0",
            ["cluster", "t.csv", "-k", 2, "--drop", "c9"],
        ),
        ("no column is left", ["choose", "t.csv", "--columns", "c0", "--drop", "c0"]),
        (
            "--id-column nobody: no such column",
            ["choose", "t.csv", "--id-column", "who", "--id-column", "nobody"],
        ),
        (
            "--id-column cluster: the clusters are written",
            ["cluster", "t.csv", "-k", 2, "--id-column", "cluster", "-o", "l"],
        ),
        (
            "59 labels for the 60 rows of t.csv; its first line",
            ["profile", "t.csv", "--labels", "short.csv"],
        ),
        ("not UTF-8", ["cluster", "latin.csv", "-k", 2, "--encoding", "utf-8"]),
        ("the table is empty", ["cluster", "empty.csv", "-k", 2]),
        ("has no rows", ["cluster", "head.csv", "-k", 2]),
        ("no Parquet file", ["cluster", "bad.parquet", "-k", 2]),
        ("hash", ["cluster", "lists.parquet", "-k", 2]),
        ("must be a model", ["predict", "t.csv", "t.csv"]),
        ("--most", ["choose", "t.csv", "--most", 1]),
        ("no such column", ["profile", "t.csv", "--by", "what"]),
        ("--labels ''", ["profile", "t.csv", "--labels", ""]),
    ],
)
def test_what_cannot_work_ends_in_one_line(place, capsys, contains, argv):
    (place / "ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (place / "ends.csv").write_text("a,b\n1,2,\n1,2,\n")
    (place / "open.csv").write_text('a,b\n1,2\n1,"2\n1,2\n')
    (place / "twice.csv").write_text("a,b,a\n1,2,3\n")
    (place / "wide.csv").write_bytes("a,b\n1,2\n".encode("utf-16"))
    with ZipFile(place / "book.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")
    (place / "t.csv.xz").write_bytes(lzma.compress(b"a,b\n1,2\n"))
    (place / "parquet.csv").write_bytes((place / "t.parquet").read_bytes())
    (place / "m.json").write_text("{}")
    (place / "short.csv").write_text("0\n" * 60)
    (place / "latin.csv").write_bytes("a,b\ngrün,x\n".encode("latin-1"))
    (place / "empty.csv").write_text("\n")
    (place / "head.csv").write_text("a,b\n")
    (place / "bad.parquet").write_bytes((place / "t.parquet").read_bytes()[:200])
    pd.DataFrame({"a": [[1], [2]], "b": ["x", "y"]}).to_parquet("lists.parquet")
    before = sorted(place.iterdir())
    refused(capsys, contains, *argv)
    assert sorted(place.iterdir()) == before


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom kmodes_study.command.cli import main\ntry: main(['cluster', "
        "'--help'])\nexcept SystemExit: print({'pandas', 'sklearn', 'numba', 'scipy', "
        "'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "examples:" in done.stdout, done.stdout + done.stderr
    assert done.stdout.endswith("set()\n"), done.stdout + done.stderr


def test_a_closed_pipe_is_no_error_and_files_are_there(place):
    line = (
        f"'{sys.executable}' -m kmodes_study cluster - -k 3 -o - --save m "
        "--no-diagnosis < t.csv 2> err | true"
    )
    pd.concat([NAMED[["c0", "c1"]]] * 2000).to_csv("t.csv", index=False)
    assert subprocess.run(["bash", "-c", line], timeout=60).returncode == 0
    assert (place / "m").exists()
    assert "Broken" not in (place / "err").read_text()
    assert "Traceback" not in (place / "err").read_text()


def test_diagnosis_of_other_tables():
    assert diagnose(TABLE).empty
    assert diagnose(
        pd.DataFrame({"a": pd.Categorical(["x", "x "])})
    ).finding.tolist() == ["blanks"]
    assert diagnose(np.array([[1, 2]] * 12)).finding.tolist() == ["constant"] * 2
    found = diagnose(
        pd.DataFrame({"n": [1, "1", 1.0, None], "f": [0.1, 0.2, np.nan, 0.1]})
    )
    assert found.to_dict("records")[0]["example"] == "1 beside '1'"
    assert found.finding.tolist() == ["types", "numbers"]


LIKERT = (
    "Strongly disagree",
    "Disagree",
    "Neither agree nor disagree",
    "Agree",
    "Strongly agree",
)


def survey(n=1500, m=36):
    """Answers to 36 questions by people of three groups, when they began, and their
    age; and the groups.
    """
    rng = np.random.RandomState(0)
    groups, leans = rng.randint(3, size=n), rng.randint(5, size=(3, m))
    answers = np.where(
        rng.rand(n, m) < 0.27, leans[groups], rng.randint(5, size=(n, m))
    )
    table = pd.DataFrame(
        np.array(LIKERT, object)[answers], columns=[f"Q{j + 1}" for j in range(m)]
    )
    minutes = pd.to_timedelta(rng.randint(30 * 24 * 60, size=n), unit="min")
    table.insert(
        0,
        "Start date",
        (pd.Timestamp("2026-03-01") + minutes).strftime("%d.%m.%Y %H:%M"),
    )
    table.insert(1, "Age", rng.randint(18, 80, n).astype(str))
    return table, groups


def test_a_survey_is_told_in_words_on_the_terminal_and_on_the_page(
    place, capsys, monkeypatch
):
    from kmodes_study.describe import profiles

    table, groups = survey()
    table.assign(Q1=table.Q1.replace("Agree", "Agr\xe9e")).to_csv(
        "survey.csv", sep=";", index=False, encoding="cp1252"
    )
    shown = []
    draw = profiles.plot_modes
    monkeypatch.setattr(
        profiles, "plot_modes", lambda part: shown.append(draw(part)) or shown[0]
    )
    as_names = "--categorical", *table.columns[2:], "--drop", "Start date", "Age"
    asked = "cluster", "survey.csv", "-k", 3, "--encoding", "cp1252", *as_names
    status, out, err = run(capsys, *asked, "--report", "page.html", "-o", "l.csv")
    assert (status, err) == (0, "")
    assert "no category" not in out
    assert "nothing" not in out
    lines = out[out.index("\n0 (") + 1 :].splitlines()[:3]
    labels = pd.read_csv("l.csv").cluster.to_numpy()
    # the clusters are the groups
    assert pd.crosstab(labels, groups).max(axis=1).sum() > 1350
    page = (place / "page.html").read_text(encoding="utf-8")
    for number, line in enumerate(lines):
        assert f"<li>{line}</li>" in page
        assert "Start date" not in line
        assert "Age" not in line
        told = re.findall(
            r"(Q\d+)=([^(]*) in (\d+)% \(overall (\d+)%, lift ([0-9.]+)\)", line
        )
        assert len(told) == 3
        for question, answer, share, overall, lift in told:
            column = table[question] == answer
            assert f"{column[labels == number].mean():.0%}" == f"{share}%"
            assert f"{column.mean():.0%}" == f"{overall}%"
            assert 35 < int(share) < 50
            assert float(lift) > 1.7
    names = [label.get_text() for label in shown[0].get_yticklabels()]
    assert len(names) == 30
    assert not {"Start date", "Age"} & set(names)
    cells = {text.get_text() for text in shown[0].texts}
    assert {"Strongly disagree", "Strongly agree"} <= cells
    assert "Neither agree nor…" in cells
    assert (
        "no category in 60% or more"
        in run(capsys, *asked, "--min-share", ".6", "--no-diagnosis")[1]
    )


def test_a_first_line_that_is_a_row_is_told_and_kept(place, capsys):
    votes = pd.DataFrame(np.random.RandomState(0).choice(list("yn?"), (40, 6)))
    votes.insert(0, "party", ["republican", "democrat"] * 20)
    votes.to_csv("votes.data", header=False, index=False)
    said = "--no-header if it is a row"
    for command in ["cluster", "-k", 2], ["choose"], ["profile", "--by", "c2"]:
        asked = command[0], "votes.data", *command[1:]
        refused(capsys, said, *asked, "--header")
        status, seen, err = run(capsys, *asked)
        assert status == 0
        assert "is read as a row, as with --no-header" in err
        assert seen == run(capsys, *asked, "--no-header")[1]
    # a name that is asked for makes the line one of names
    refused(capsys, said, "profile", "votes.data", "--by", "n")
    status, out, _ = run(
        capsys,
        "cluster",
        "votes.data",
        "-k",
        2,
        "--no-header",
        "--drop",
        "c1",
        "--save",
        "m.json",
        "-o",
        "l.csv",
        "--no-diagnosis",
    )
    assert status == 0
    assert "40 rows in 6 columns" in out
    assert re.search(r"c[2-7]=[yn?] in", out)
    status, out, _ = run(
        capsys, "predict", "m.json", "votes.data", "--no-header", "-o", "again.csv"
    )
    assert status == 0
    assert (place / "again.csv").read_bytes() == (place / "l.csv").read_bytes()
    assert (
        "c1=democrat"
        in run(capsys, "profile", "votes.data", "--no-header", "--by", "c2")[1]
    )
    assert (
        run(
            capsys, "choose", "votes.data", "--no-header", "--most", 2, "--resamples", 0
        )[0]
        == 0
    )


@pytest.mark.parametrize(
    "first, suspicious",
    [
        ("vhigh,small,2", True),
        ("5.1,3.5,4", True),
        ("buying,size,2", False),
        ("2019,2020,2021", False),
        ("0,1,2", False),
        ("price,size,doors", False),
        ("vhigh,size,doors", False),
    ],
)
def test_a_first_line_like_a_row_is_a_warning(place, capsys, first, suspicious):
    rows = {"v": "vhigh,small,2\nlow,big,4\nvhigh,big,2\nlow,small,4\n"}.get(
        first[0], "1,2,3\n2,3,4\n5.5,1,2\n6,2,1\n"
    )
    if first[0] in "bp":
        rows = "vhigh,small,2\nlow,big,4\nvhigh,big,2\n"
    (place / "r.csv").write_text(first + "\n" + rows)
    status, _, err = run(capsys, "cluster", "r.csv", "-k", 2, "--no-diagnosis")
    assert status == 0
    assert ("--no-header" in err) == suspicious
    assert len(err.splitlines()) == suspicious


def test_columns_without_names_get_some_and_empty_ones_at_the_end_are_left_out(
    place, capsys
):
    (place / "index.csv").write_text(",c1,\n0,x,\n1,y,\n2,x,\n")
    status, out, err = run(
        capsys, "cluster", "index.csv", "-k", 2, "--save", "m.json", "--no-diagnosis"
    )
    assert status == 0
    assert "in 2 columns" in out
    assert err.count("neither a name nor a value") == 1
    assert '"name": "c1_"' in (place / "m.json").read_text()
    assert "c2" not in (place / "m.json").read_text()
    (place / "excel.csv").write_text("sep=;\na;b,c\nx;1,5\ny;2,5\n")
    assert "in 2 columns" in run(capsys, "cluster", "excel.csv", "-k", 2)[1]


def test_columns_are_left_out_by_a_line_that_can_be_copied(place, capsys):
    odd = NAMED.assign(
        **{"Start date": [f"{i} May" for i in range(60)], "-same": "x", "it's": "y"}
    )
    odd = odd.assign(**{name: odd[name].replace("none", "NA") for name in TABLE})
    odd.to_csv("odd.csv", index=False)
    status, out, err = run(capsys, "cluster", "odd.csv", "-k", 3)
    assert (status, err) == (0, "")
    assert "left out: who, Start date (identifier" in out
    assert "left out: -same, it's (constant" in out
    assert "'NA' among them, in c0, c1, c2 and 2 more" in out
    assert "in 5 columns" in out
    # all that is found is left to the user: then there is a line that can be copied
    _, kept, err = run(capsys, "cluster", "odd.csv", "-k", 3, "--missing", "category")
    assert "c0, c1, c2 and 2 more: placeholder, 'NA'" in err
    assert err.count("NA'") == 1
    na = re.search("add: (--na.*)", err)[1]
    assert shlex.split(na) == ["--na", "NA", "--missing", "ignore"]
    again = run(capsys, "cluster", "odd.csv", "-k", 3, *shlex.split(na))
    assert again[1].splitlines()[-4:] == out.splitlines()[-4:]
    assert kept != out


def test_several_columns_name_the_rows(place, capsys):
    NAMED.assign(town="X").to_csv("two.csv", index=False)
    NAMED.assign(town="X").to_parquet("two.parquet")
    for file in "two.csv", "two.parquet":
        asked = "cluster", file, "-k", 3, "--id-column", "town", "--id-column", "who"
        assert run(capsys, *asked, "-o", "l.tsv", "--save", "m.json")[0] == 0
        labels = pd.read_csv("l.tsv", sep="\t")
        assert list(labels) == ["town", "who", "cluster"]
        assert (labels.cluster == MODEL.labels_).all()
        ids = "--id-column", "town", "--id-column", "who"
        out = run(capsys, "predict", "m.json", file, *ids)[1]
        assert pd.read_csv(io.StringIO(out)).equals(labels)
    refused(
        capsys,
        "in m.json this column takes part",
        "predict",
        "m.json",
        "two.csv",
        "--id-column",
        "who",
        "--id-column",
        "c0",
    )


def test_a_repeated_option_adds_to_what_came_before(place, capsys):
    once, twice = (
        run(capsys, "cluster", "t.csv", "-k", 2, *options)[1]
        for options in (
            ["--columns", "c0", "c1"],
            [
                "--columns",
                "c0",
                "c2",
                "--drop",
                "c2",
                "--columns",
                "c1",
                "--drop",
                "who",
            ],
        )
    )
    assert once == twice
    assert "in 2 columns" in once


@pytest.mark.parametrize(
    "name, begins",
    [("s.svg", b"<?xml"), ("s.pdf", b"%PDF"), ("s.PNG", b"\x89PNG"), ("s", b"\x89PNG")],
)
def test_a_picture_is_what_its_name_says(place, capsys, name, begins):
    asked = "choose", "t.csv", "--id-column", "who", "--most", 2, "--resamples", 0
    assert run(capsys, *asked, "--picture", name)[0] == 0
    assert (place / name).read_bytes().startswith(begins)


def test_a_dollar_is_a_dollar_in_pictures_pages_and_names_of_files(place, capsys):
    odd = TABLE.replace({"red": "$5-$10", "none": "$x_{$"}).set_axis(
        ["$x_{$", "<b>", "a\\frac", "_^", "$"], axis=1
    )
    odd.to_csv("$x_{$.csv", index=False)
    assert run(capsys, "cluster", "$x_{$.csv", "-k", 3, "--report", "page.html")[0] == 0
    page = (place / "page.html").read_text(encoding="utf-8")
    assert "The clusters of $x_{$.csv" in page
    assert "=$5-$10 in" in page
    assert "<td>&lt;b&gt;</td>" in page
    status, _, err = run(
        capsys,
        "choose",
        "$x_{$.csv",
        "--most",
        2,
        "--resamples",
        0,
        "--picture",
        "s.png",
    )
    assert (status, err) == (0, "")


def test_a_name_that_is_not_utf8_works(place, capsys):
    name = os.fsdecode(b"t\xff.csv")
    TABLE.to_csv(name, index=False)
    TABLE.to_parquet(place / "plain.parquet")
    os.rename("plain.parquet", os.fsdecode(b"t\xff.parquet"))
    assert (
        run(
            capsys,
            "cluster",
            name,
            "-k",
            2,
            "--report",
            "p.html",
            "-o",
            "l.csv",
            "--save",
            "m.json",
        )[0]
        == 0
    )
    assert "The clusters of t\ufffd.csv" in (place / "p.html").read_text(
        encoding="utf-8"
    )
    assert (
        run(
            capsys, "choose", name, "--most", 2, "--resamples", 0, "--picture", "s.png"
        )[0]
        == 0
    )
    assert run(capsys, "cluster", os.fsdecode(b"t\xff.parquet"), "-k", 2)[0] == 0


@pytest.mark.parametrize(
    "option, path",
    [
        ("-o", "l.csv"),
        ("--save", "m.json"),
        ("--report", "r.html"),
        ("--profiles", "p.csv"),
    ],
)
def test_a_full_disk_names_the_file(place, capsys, monkeypatch, option, path):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("kmodes_study.core.stored.write_whole", full)
    monkeypatch.setattr("kmodes_study.core.model_files.write_whole", full)
    refused(
        capsys,
        f"{option} {path}: this file cannot be written: No space left on device",
        "cluster",
        "t.csv",
        "-k",
        2,
        "--no-diagnosis",
        option,
        path,
    )


@pytest.mark.skipif(
    not os.path.exists("/dev/full"), reason="there is no /dev/full here"
)
def test_a_full_standard_output_is_named(place):
    words = [
        sys.executable,
        "-m",
        "kmodes_study",
        "cluster",
        "t.csv",
        "-k",
        "2",
        "--no-diagnosis",
    ]
    with open("/dev/full", "w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1  # Python has nothing to add at its end
    assert "standard output cannot be written: No space" in done.stderr


def test_nothing_is_written_where_one_of_the_files_cannot_be_made(
    place, capsys, monkeypatch
):
    def fail(*given):
        raise ValueError("no picture today")

    monkeypatch.setattr(table_page, "_picture_of", fail)
    before = sorted(place.iterdir())
    refused(
        capsys,
        "no picture today",
        "cluster",
        "t.csv",
        "-k",
        2,
        "--no-diagnosis",
        "-o",
        "l.csv",
        "--save",
        "m.json",
        "--profiles",
        "p.csv",
        "--report",
        "r.html",
    )
    assert sorted(place.iterdir()) == before


def test_a_table_that_is_too_large_for_the_memory_is_one_line(
    place, capsys, monkeypatch
):
    def full(content):
        raise MemoryError

    monkeypatch.setattr(reading.gzip, "decompress", full)
    (place / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n"))
    for command in ["cluster", "-k", 2], ["choose"], ["profile", "--by", "a"]:
        refused(
            capsys,
            "bomb.csv.gz: there is not enough memory",
            command[0],
            "bomb.csv.gz",
            *command[1:],
        )


def test_gaps_at_predict_name_what_can_be_done_there(place, capsys):
    assert (
        run(capsys, "cluster", "t.csv", "-k", 2, "--drop", "who", "--save", "m.json")[0]
        == 0
    )
    NAMED.assign(c0=None).to_csv("gaps.csv", index=False)
    refused(
        capsys,
        "m.json was made with --missing error; cluster with another --missing",
        "predict",
        "m.json",
        "gaps.csv",
    )


@pytest.mark.parametrize("kind", [KPrototypes, FuzzyKModes, LatentClasses])
def test_a_model_of_another_class_predicts_too(place, capsys, kind):
    X = NAMED[["c0", "c1"]]
    if kind is KPrototypes:
        X = X.assign(size=np.arange(len(X)) % 7 / 4)
    model = kind(3, random_state=0).fit(X)
    model.save("m.json")
    X.assign(more="left aside").to_csv("more.csv", index=False)
    status, out, err = run(capsys, "predict", "m.json", "more.csv")
    assert (status, err) == (0, "")
    assert pd.read_csv(io.StringIO(out)).cluster.tolist() == model.labels_.tolist()
    X[["c1"]].to_csv("few.csv", index=False)
    refused(capsys, "m.json needs the column c0: no", "predict", "m.json", "few.csv")
    X.assign(c0="new").to_csv("new.csv", index=False)
    refused(capsys, "--unknown ignore", "predict", "m.json", "new.csv")
    status, out, _ = run(capsys, "predict", "m.json", "new.csv", "--unknown", "ignore")
    assert status == 0
    assert set(pd.read_csv(io.StringIO(out)).cluster) <= {0, 1, 2}
    if kind is KPrototypes:
        X.assign(size="heavy").to_csv("words.csv", index=False)
        refused(capsys, "numbers in column 'size'", "predict", "m.json", "words.csv")
