"""Command lines: what they write is right; what is bad ends in one line and status 2,
with nothing written.
"""

import csv
import gzip
import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pandas as pd

from kmodes_study.data.sets import DATASETS
from kmodes_study.command.cli import main

from fuzz.damage import damaged
from fuzz.draw import Problem
from fuzz.trial import Trial, seen

WORDS = [
    "red",
    "Zürich",
    "a,b",
    'say "hi"',
    "two\nlines",
    "x;y",
    " blank",
    "1",
    "1.0",
    "naïve",
    "?",
    "日本",
    "=1+1",
    "O'Hara",
    "NA",
    "$5-$10",
    "$x_{$",
    "<b>",
    "</td><script>",
    r"\frac{$",
    "_^",
    "tab\there",
    "\x1b[31m",
]
COLUMNS = [
    "c{}",
    "$x_{{$ {}",
    "<i>{}",
    r"a\frac {}$",
    "_{}^",
    "{}. Question, with a long name that is cut",
]


def drawn_table(rng):
    "A table of words as a user has it, some cells empty, with a column `who`."
    codes = Problem(rng.randint(2**31)).codes
    words = rng.permutation(WORDS)
    frame = pd.DataFrame(words[codes % len(words)])
    names = [
        str(name)
        for name in rng.choice(
            COLUMNS, frame.shape[1], p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]
        )
    ]
    frame.columns = ["c0", *[name.format(j) for j, name in enumerate(names)][1:]]
    if rng.rand() < 0.3:
        frame = frame.mask(rng.rand(*frame.shape) < 0.1, "")
    frame.insert(
        rng.randint(frame.shape[1] + 1), "who", [f"R{i}" for i in range(len(frame))]
    )
    return frame


HABITS = ",;\t|", ("\n", "\r\n"), (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)


def write(rng, frame):
    """The table as a file, in some habit of writing; its name, and options that are
    needed to read it.
    """
    separator, ends, quoting = (
        [*options][rng.randint(len(options))] for options in HABITS
    )
    encoding = str(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp932"]))
    text = frame.to_csv(
        index=False, sep=separator, lineterminator=ends, quoting=quoting
    )
    try:
        content = text.encode(encoding)
    except UnicodeError:
        content, encoding = text.encode(), "utf-8"
    kind = rng.choice(["csv", "gz", "parquet"], p=[0.8, 0.1, 0.1])
    if kind == "parquet":
        frame.replace("", None).to_parquet("t.parquet")
    elif kind == "gz":
        Path("t.csv.gz").write_bytes(gzip.compress(content))
    else:
        Path("t.csv").write_bytes(content)
    name = {"csv": "t.csv", "gz": "t.csv.gz", "parquet": "t.parquet"}[kind]
    return name, ["--encoding", encoding] if encoding not in (
        "utf-8",
        "utf-8-sig",
    ) and kind != "parquet" else []


BAD_PATHS = (
    "",
    "absent.csv",
    "a.xlsx",
    ".",
    "no/such/t.csv",
    "t.csv/x",
    "\0",
    "x" * 300,
    "/proc/self/mem",
    "/dev/full",
    "-",
)
BAD_WORDS = (
    "",
    "-1",
    "0",
    "1.5",
    "x",
    "é",
    "99999999999999999999",
    "none",
    "cao ",
    "None",
    "\0",
    "--",
)
OPTIONS = {
    "-k": ("1", "2", "3"),
    "--init": ("cao", "Huang", "random", "matching"),
    "--algorithm": ("auto", "lloyd", "huang"),
    "--seed": ("0", "7"),
    "--missing": ("error", "category", "ignore"),
    "--na": ("?", "NA"),
    "-o": ("l.csv", "-"),
    "--profiles": ("p.csv", "p.tsv", "-"),
    "--save": ("m.json",),
    "--report": ("page.html",),
    "--id-column": ("who",),
    "--columns": ("c0",),
    "--unknown": ("error", "ignore"),
    "--by": ("c0", "who"),
    "--labels": ("labels.csv",),
    "--most": ("2", "3"),
    "--resamples": ("0", "1"),
    "--rows": ("5", "5000"),
    "--encoding": ("utf-8", "latin-1"),
    "--picture": ("scan.png", "scan.svg", "scan.pdf"),
    "--no-diagnosis": None,
    "--drop": ("c0", "who"),
    "--min-share": ("0", ".3", "1"),
    "--only": ("wilde2020",),
    "--output": ("out",),
    "--seeds": ("5",),
    "--jobs": ("1",),
    "--data-home": ("home",),
}
PATHS = {
    "-o",
    "--profiles",
    "--save",
    "--report",
    "--labels",
    "--picture",
    "--output",
    "--data-home",
}
TAKEN = dict(
    cluster=(
        "-k --init --algorithm --seed --missing --na -o --profiles --save --id-column "
        "--columns --drop --min-share --no-diagnosis"
    ),
    predict="--na --id-column -o --unknown",
    profile="--na --id-column --columns --drop --min-share --profiles",
    choose=(
        "--missing --na --id-column --columns --drop --most --resamples --rows --seed "
        "-o --no-diagnosis"
    ),
)
# pictures take their time
SELDOM = dict(cluster=["--report"], profile=["--report"], choose=["--picture"])


def options_of(rng, command, needed):
    "Options for a command, all of them good."
    names = [
        name
        for name in TAKEN[command].split()
        if rng.rand() < 0.25 and name not in needed
    ]
    names += [name for name in SELDOM.get(command, []) if rng.rand() < 0.04]
    options = {
        name: [*map(str, rng.choice(OPTIONS[name], 1))] if OPTIONS[name] else []
        for name in names
    }
    if command == "cluster" and rng.rand() < 0.97:
        options["-k"] = [str(rng.choice(["1", "2", "3"]))]
    if command == "choose":
        options |= {"--most": ["2"], "--resamples": ["0"]}
    groups = {"--by": ["c0"]}, {"--labels": ["labels.csv"]}, {"--by": ["who"]}
    if command == "profile":
        options |= groups[rng.randint(3)]
    if rng.rand() < 0.05:
        options["--no-header"] = []
    return options


def prepare(rng, command):
    """The files that a command takes besides the table: labels, or a model, sometimes
    damaged.
    """
    labels = "".join(f"{i},{i % 2}\n" for i in range(24))
    if command == "profile":
        Path("labels.csv").write_text(f"row,cluster\n{labels}")
    if command != "predict":
        return []
    name = next(
        name for name in ("t.csv", "t.csv.gz", "t.parquet") if Path(name).exists()
    )
    quiet(
        [
            "cluster",
            name,
            "-k",
            "1",
            "--missing",
            "category",
            "--save",
            "model.json",
            "--no-diagnosis",
        ]
    )
    if not Path("model.json").exists():
        Path("model.json").write_text("{}")
    if rng.rand() < 0.3:
        Path("model.json").write_bytes(damaged(Path("model.json").read_bytes(), rng)[0])
    return ["model.json"]


def quiet(argv, stdin=b""):
    "Status, output and errors of a command."
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    err = io.StringIO()
    source = SimpleNamespace(buffer=io.BytesIO(stdin))
    with redirect_stdout(out), redirect_stderr(err), patch.object(sys, "stdin", source):
        try:
            status = main(argv)
        except SystemExit as stop:
            status = stop.code
    return status, out.buffer.getvalue().decode(), err.getvalue()


def spoil(rng, argv, options):
    """One path or option is of no use, or the table is damaged: what it was, and the
    words of which an error has one.
    """
    which = rng.choice(["table", "option", "word", "bytes", "content"])
    place = rng.choice([*options, ""])
    if which == "table":
        argv[-1] = str(rng.choice(BAD_PATHS))
        return "another table", (repr(argv[-1])[1:-1] or "''",)
    if which == "option":
        argv.insert(
            1,
            str(
                rng.choice(
                    ["--what", "-z", "--columns", "--mising=x", "more.csv", "-k"]
                )
            ),
        )
        return argv[1], ("",)
    if which == "word" and options.get(place):
        options[place] = [str(rng.choice(BAD_PATHS if place in PATHS else BAD_WORDS))]
        return f"another {place}", (place, "expected", "--")
    file = Path(argv[-1])
    if which == "bytes":
        file.write_bytes(damaged(file.read_bytes(), rng)[0])
    else:
        file.write_bytes(CONTENTS[rng.randint(len(CONTENTS))])
    return "a damaged table", (
        file.name,
        "--",
        "-k",
        "no column is left",
        "model.json",
        "- stands",
    )


CONTENTS = [
    b"",
    b"\n",
    b"a\n",
    b"a,b\n1\n",
    b"a,a\n1,2\n",
    b"a,b\n1,2,3\n",
    b'a,b\n"1,2\n',
    b"\xff\xfe\x00",
    b"a\r1\r2\r",
    b",\n,\n",
    b"a,b\n,\n,\n",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"who\nR1\n",
    b"a,b\n1,2\n\n\n3,4\n",
    b"\xef\xbb\xbf",
    b"a;b,c;d\n1;2,3;4\n",
    b"PAR1",
    b"#a,b\n1,2\n",
    b"a,,b\n1,2,3\n",
    b"a,b\n1,2,\n1,2,\n",
    b"a,b,\n1,2,\n",
    b"y,n,y\ny,n,n\nn,y,y\n",
    b"PK\x03\x04 xl/workbook.xml",
    b"$x_{$,<b>\n$1$,<script>\n",
    b"a,b\n\0,1\n",
    b'"a\nb",c\n1,2\n',
    b"sep=;\na;b\n1;2\n",
]


def well_said(found, before, folder, options=(), names=("",)):
    "What must hold of each command line: its status, its words and its files."
    (status, out, err), after = found, seen(folder)
    new = {Path(name).name for name in after if after[name] != before.get(name, 0)}
    asked = {value for name in WRITTEN for value in dict(options).get(name, [])} - {"-"}
    lines = [line for line in err.splitlines() if not line.startswith("  ")]
    assert status in (0, 1, 2), f"status {status}, {err!r}"
    assert status == 0 or lines, f"status {status}, {err!r}"
    assert "Traceback" not in err, err
    assert "Error" not in err.partition(":")[0], err
    if status == 2:
        assert not out, f"{new} written, {out!r} printed, though it ends with {err}"
        assert not new, f"{new} written, {out!r} printed, though it ends with {err}"
        told = [line for line in lines if not SAID_BEFORE.search(line)]
        assert len(told) == 1, err
        assert told[0].startswith("kmodes-study"), err
        assert any(name in told[0] for name in names), f"does not name {names}: {err}"
    elif status == 0 and options:
        assert new == asked, f"{new} written, {asked} asked for"


WRITTEN = "-o", "--profiles", "--save", "--report", "--picture"
SAID_BEFORE = re.compile("^usage:|warning:|drawn at random")


def own_table(rng, folder):
    "A command for a table, sometimes with a fault."
    command = str(rng.choice(list(TAKEN), p=[0.45, 0.2, 0.2, 0.15]))
    frame = drawn_table(rng)
    name, needed = write(rng, frame)
    argv = [command, *prepare(rng, command), name]
    options = options_of(rng, command, needed)
    fault, names = spoil(rng, argv, options) if rng.rand() < 0.6 else ("", ("",))
    line = [
        *argv,
        *needed,
        *[part for name, values in options.items() for part in (name, *values)],
    ]
    stdin, before = frame.to_csv(index=False).encode(), seen(folder)
    names = (
        *names,
        "arguments are required",
        "invalid choice",
        "- stands for standard output",
        *argv[1:-1],
    )

    def check(found):
        well_said(found, before, folder, options, names)
        if not fault and command in ("cluster", "predict"):
            labelled(found, frame, options)
        return found[0]

    return Trial(f"{fault or 'as drawn'}: {line}", lambda: quiet(line, stdin), check)


def labelled(found, frame, options):
    "Each row has a label, beside its name."
    status, out, err = found
    place = options.get("-o", [""])[0]
    if status or not place:
        return
    labels = pd.read_csv(io.StringIO(out) if place == "-" else place, dtype=str)
    n = len(frame) + ("--no-header" in options)
    assert len(labels) == n, f"{len(labels)} labels of {n} rows"
    assert labels.cluster.notna().all(), f"{len(labels)} labels of {n} rows"
    if "--id-column" in options:
        assert labels.who.tolist() == frame.who.tolist()


def published(rng, folder):
    """The commands of the published tables, with something that is wrong, or that says
    at once what is there.
    """
    Path("afile").write_text("")
    (folder / "home" / "zoo").mkdir(parents=True)
    (folder / "home" / "zoo" / "zoo.data").write_bytes(rng.bytes(rng.randint(90)))
    if rng.rand() < 0.5:
        action = str(rng.choice(["list", "where", "verify", "fetch", "lst", ""]))
        names = [
            str(one)
            for one in rng.choice(
                [*DATASETS, "zo", "", "é", "../x", "\0"], rng.randint(3)
            )
        ]
        home = [
            "--data-home",
            str(rng.choice(["home", "afile", *BAD_PATHS[:-1], "~nobody/x"])),
        ]
        if action == "fetch":
            names, home = ["zoo"], ["--data-home", "home"]
        line = [
            "data",
            action,
            *names,
            *home * bool(rng.randint(2) or action == "fetch"),
        ]
    else:
        bad = {
            "--only": ["wilde2021", "../x", "", "coursework "],
            "--seeds": ["0", "-1", "x"],
            "--jobs": ["0", "x"],
            "--output": ["afile", "afile/x", "/proc/x", "\0", "/dev/full"],
            "--data-home": ["absent", "afile", "\0"],
            "--sedes": ["5"],
        }
        option = str(rng.choice(list(bad)))
        line = [
            "reproduce",
            "--offline",
            "--only",
            "coursework",
            option,
            str(rng.choice(bad[option])),
        ]
    before = seen(folder)
    return Trial(
        f"{line}",
        lambda: quiet(line),
        lambda found: well_said(found, before, folder) or found[0],
    )


def draw(rng, folder):
    "A trial with a command line."
    return own_table(rng, folder) if rng.rand() < 0.85 else published(rng, folder)
