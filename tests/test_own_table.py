"""The commands for one's own table: what they write, that they agree with Python, and what they refuse in one line."""
import io
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from kmodes_study import KModes
from kmodes_study.diagnosis import diagnose
from kmodes_study.describe.profiles import cluster_profiles, describe_clusters
from kmodes_study.study import own_table
from kmodes_study.study.cli import main

RNG = np.random.RandomState(0)
GROUPS = np.repeat([0, 1, 2], 20)
TABLE = pd.DataFrame({f"c{j}": np.where(RNG.rand(60) < .8, np.array(["red", "grün", "b,l\"ue"])[GROUPS], "none")
                      for j in range(5)})
NAMED = TABLE.assign(who=[f"R{i}" for i in range(60)])


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    NAMED.to_csv("t.csv", index=False)
    NAMED.to_csv("t.tsv", index=False, sep="\t")
    NAMED.to_csv("semi.csv", index=False, sep=";", encoding="utf-8-sig")
    NAMED.to_parquet("t.parquet")
    return tmp_path


def run(capsys, *argv):
    "Status, standard output and standard error of a command."
    try: status = main([str(part) for part in argv])
    except SystemExit as stop: status = stop.code
    return status, *capsys.readouterr()


def refused(capsys, contains, *argv):
    "The one line of a command that cannot work."
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "") and contains in err and len(err.splitlines()) == 1, err


MODEL = KModes(3, random_state=0).fit(TABLE)


@pytest.mark.parametrize("file", ["t.csv", "t.tsv", "semi.csv", "t.parquet", "-"])
def test_the_labels_are_those_of_the_estimator(place, capsys, monkeypatch, file):
    if file == "-": monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO((place/"t.csv").read_bytes())))
    status, out, err = run(capsys, "cluster", file, "-k", 3, "--id-column", "who", "-o", "l.csv", "--profiles", "p.csv")
    assert status == 0 and describe_clusters(TABLE, MODEL.labels_) in out and f"cost {MODEL.cost_}:" in out and not err
    labels, profiles = pd.read_csv("l.csv"), cluster_profiles(TABLE, MODEL.labels_)
    assert labels.who.tolist() == NAMED.who.tolist() and (labels.cluster == MODEL.labels_).all()
    assert (pd.read_csv("p.csv")["count"] == profiles["count"]).all()


def test_a_model_that_is_saved_predicts_and_leaves_other_columns_aside(place, capsys):
    assert run(capsys, "cluster", "t.csv", "-k", 3, "--columns", "c1", "c0", "--save", "m.json")[0] == 0
    status, out, err = run(capsys, "predict", "m.json", "t.csv", "--id-column", "who")
    expected = KModes(3, random_state=0).fit(TABLE[["c1", "c0"]]).labels_
    assert (status, err) == (0, "") and (pd.read_csv(io.StringIO(out)).cluster == expected).all()
    TABLE.replace("red", "new").to_csv("new.csv", index=False)
    refused(capsys, "--unknown ignore", "predict", "m.json", "new.csv")
    assert run(capsys, "predict", "m.json", "new.csv", "--unknown", "ignore", "-o", "l.csv")[0] == 0
    TABLE[["c0"]].to_csv("one.csv", index=False)
    refused(capsys, "m.json needs the column c1", "predict", "m.json", "one.csv")


def test_a_large_parquet_file_goes_through_a_file_of_codes(place, capsys, monkeypatch):
    options = "cluster", "t.parquet", "-k", 3, "--id-column", "who", "--algorithm", "lloyd"
    assert run(capsys, *options, "-o", "small.csv")[0] == 0
    monkeypatch.setattr(own_table, "_LARGE", 100)
    monkeypatch.setattr(own_table, "_DRAWN", 30)
    with monkeypatch.context() as patch:
        patch.setattr(own_table, "read_own_table", None)  # nothing is read as a whole
        check_large(place, capsys, options)
    assert run(capsys, "predict", "m.json", "t.csv", "--id-column", "who", "-o", "again.csv")[0] == 0
    assert (place/"again.csv").read_bytes() == (place/"small.csv").read_bytes()
    TABLE.where(TABLE != "none").to_parquet("gaps.parquet")
    refused(capsys, "--missing category", "cluster", "gaps.parquet", "-k", 2)
    for missing in ("category", "ignore"):
        assert run(capsys, "cluster", "gaps.parquet", "-k", 2, "--missing", missing)[0] == 0


def check_large(place, capsys, options):
    status, out, err = run(capsys, *options, "-o", "large.csv", "--save", "m.json", "--report", "page.html")
    assert status == 0 and describe_clusters(TABLE, pd.read_csv("small.csv").cluster) in out, err
    assert (place/"large.csv").read_bytes() == (place/"small.csv").read_bytes()
    assert run(capsys, "predict", "m.json", "t.parquet", "--id-column", "who", "-o", "coded.csv")[0] == 0
    assert (place/"coded.csv").read_bytes() == (place/"small.csv").read_bytes()
    refused(capsys, "--na is not for a Parquet file of more than 100 cells", *options, "--na", "?")


def test_the_page_stands_alone_and_shows_values_as_they_are(place, capsys):
    TABLE.replace("red", "<script>x</script>").to_csv("evil.csv", index=False)
    assert run(capsys, "cluster", "evil.csv", "-k", 3, "--report", "page.html")[0] == 0
    page = (place/"page.html").read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script" in page and "http" not in page and page.count("<img") == 1
    assert all(f"<td>{name}</td>" in page for name in TABLE)


def test_groups_that_are_there_already(place, capsys):
    TABLE.assign(group=GROUPS).to_csv("g.csv", index=False)
    status, out, _ = run(capsys, "profile", "g.csv", "--by", "group", "--profiles", "p.csv")
    assert status == 0 and describe_clusters(TABLE, GROUPS) in out
    run(capsys, "cluster", "t.csv", "-k", 3, "--id-column", "who", "-o", "l.csv")
    status, out, _ = run(capsys, "profile", "t.csv", "--id-column", "who", "--labels", "l.csv")
    assert status == 0 and describe_clusters(TABLE, MODEL.labels_) in out


def test_a_scan_warns_of_an_identifier(place, capsys):
    warned = run(capsys, "choose", "t.csv", "--most", 2, "--resamples", 0)[2]
    assert "who: identifier" in warned and warned.count("warning") == 1
    assert run(capsys, "choose", "t.csv", "--most", 2, "--resamples", 0, "--no-diagnosis")[2] == ""


def test_a_scan_names_three_clusters(place, capsys):
    status, out, _ = run(capsys, "choose", "t.csv", "--id-column", "who", "--most", 4, "--resamples", 2, "-o", "s.csv")
    assert status == 0 and re.search("3 clusters by .*silhouette", out)
    assert pd.read_csv("s.csv").n_clusters.tolist() == [1, 2, 3, 4]


def test_a_scan_leaves_gaps_out_and_says_when_there_are_no_more_clusters(place, capsys):
    pd.DataFrame([("a", "x"), ("a", None), ("b", "y"), (None, "y")]*3).to_csv("gaps.csv", index=False)
    asked = "choose", "gaps.csv", "--missing", "ignore", "--resamples", 0, "--no-diagnosis", "--most"
    assert re.search("2 clusters by .*code length", run(capsys, *asked, 2)[1])
    status, _, err = run(capsys, *asked, 3)
    assert status == 2 and "--most must be less than 3" in err


def test_one_warning_names_what_spoils_the_clusters(place, capsys):
    flawed = NAMED.assign(same="x", c0=TABLE.c0.replace("none", "?"))
    flawed.to_csv("f.csv", index=False)
    status, _, err = run(capsys, "cluster", "f.csv", "-k", 3)
    assert status == 0 and err.count("warning") == 1
    for words in "who: identifier", "same: constant", "c0: placeholder, '?'": assert words in err
    assert run(capsys, "cluster", "f.csv", "-k", 3, "--no-diagnosis")[2] == ""
    refused(capsys, "--missing ignore", "cluster", "f.csv", "-k", 3, "--na", "?", "--no-diagnosis")
    names = "--columns", "c0", "c1", "c2"
    assert run(capsys, "cluster", "f.csv", "-k", 3, "--missing", "ignore", *names, "--na", "?")[2] == ""


def test_a_table_in_another_encoding_is_read_where_it_is_named(place, capsys):
    options = "-k", 3, "--id-column", "who", "-o", "l.csv"
    assert run(capsys, "cluster", "t.csv", *options)[0] == 0
    expected = (place/"l.csv").read_bytes()
    for encoding in "cp1252", "utf-16":
        NAMED.to_csv("other.csv", index=False, encoding=encoding)
        refused(capsys, "--encoding", "cluster", "other.csv", *options)
        assert run(capsys, "cluster", "other.csv", *options, "--encoding", encoding)[0] == 0
        assert (place/"l.csv").read_bytes() == expected


def test_what_the_estimator_warns_of_is_one_line(place, capsys):
    (place/"two.csv").write_text("a,b\nx,y\nx,y\nx,z\n")
    status, _, err = run(capsys, "cluster", "two.csv", "-k", 3, "--no-diagnosis")
    assert status == 0 and "2 distinct rows" in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("contains, argv", [
    ("no ordinary file", ["cluster", "t.csv", "-k", 2, "-o", "/dev/null"]),
    ("nothing can be written in /proc", ["cluster", "t.csv", "-k", 2, "-o", "/proc/labels.csv"]),
    ("no such encoding", ["cluster", "t.csv", "-k", 2, "--encoding", "utf-9"]),
    ("no such file", ["cluster", "slip.csv", "-k", 2]), ("folder", ["cluster", ".", "-k", 2]),
    ("make it first", ["cluster", "t.csv", "-k", 2, "-o", "no/l.csv"]),
    ("this is a folder", ["cluster", "t.csv", "-k", 2, "--report", "."]),
    ("overwrite t.csv", ["cluster", "t.csv", "-k", 2, "-o", "./t.csv"]),
    ("overwrite x", ["cluster", "t.csv", "-k", 2, "-o", "x", "--save", "x"]),
    ("-k must be a whole number of at least 1", ["cluster", "t.csv", "-k", 0]),
    ("60 rows only", ["cluster", "t.csv", "-k", 61, "--no-diagnosis"]),
    ("--init must be one of", ["cluster", "t.csv", "-k", 2, "--init", "coa"]),
    ("--algorithm must be one of", ["cluster", "t.csv", "-k", 2, "--algorithm", "fast"]),
    ("did you mean 'who'", ["cluster", "t.csv", "-k", 2, "--id-column", "whom"]),
    ("this is no table", ["cluster", "ragged.csv", "-k", 2]), ("not UTF-8", ["cluster", "latin.csv", "-k", 2]),
    ("the table is empty", ["cluster", "empty.csv", "-k", 2]), ("has no rows", ["cluster", "head.csv", "-k", 2]),
    ("no Parquet file", ["cluster", "bad.parquet", "-k", 2]), ("hash", ["cluster", "lists.parquet", "-k", 2]),
    ("must be a model", ["predict", "t.csv", "t.csv"]), ("--most", ["choose", "t.csv", "--most", 1]),
    ("no such column", ["profile", "t.csv", "--by", "what"]), ("--labels ''", ["profile", "t.csv", "--labels", ""])])
def test_what_cannot_work_ends_in_one_line(place, capsys, contains, argv):
    (place/"ragged.csv").write_text("a,b\n1,2\n1,2,3\n")
    (place/"latin.csv").write_bytes("a,b\ngrün,x\n".encode("latin-1"))
    (place/"empty.csv").write_text("\n")
    (place/"head.csv").write_text("a,b\n")
    (place/"bad.parquet").write_bytes((place/"t.parquet").read_bytes()[:200])
    pd.DataFrame({"a": [[1], [2]], "b": ["x", "y"]}).to_parquet("lists.parquet")
    before = sorted(place.iterdir())
    refused(capsys, contains, *argv)
    assert sorted(place.iterdir()) == before


def test_help_imports_nothing_heavy():
    code = ("import sys\nfrom kmodes_study.study.cli import main\ntry: main(['cluster', '--help'])\n"
            "except SystemExit: print({'pandas', 'sklearn', 'numba', 'scipy', 'jinja2'} & set(sys.modules))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "examples:" in done.stdout and done.stdout.endswith("set()\n"), done.stdout + done.stderr


def test_a_closed_pipe_is_no_error_and_files_are_there(place):
    line = f"'{sys.executable}' -m kmodes_study cluster - -k 3 -o - --save m --no-diagnosis < t.csv 2> err | true"
    pd.concat([NAMED[["c0", "c1"]]]*2000).to_csv("t.csv", index=False)
    assert subprocess.run(["bash", "-c", line], timeout=60).returncode == 0
    assert (place/"m").exists()
    assert "Broken" not in (place/"err").read_text() and "Traceback" not in (place/"err").read_text()


def test_diagnosis_of_other_tables():
    assert diagnose(TABLE).empty
    assert diagnose(pd.DataFrame({"a": pd.Categorical(["x", "x "])})).finding.tolist() == ["blanks"]
    assert diagnose(np.array([[1, 2]]*12)).finding.tolist() == ["constant"]*2
    found = diagnose(pd.DataFrame({"n": [1, "1", 1., None], "f": [.1, .2, np.nan, .1]}))
    assert found.to_dict("records")[0]["example"] == "1 beside '1'" and len(found) == 1
