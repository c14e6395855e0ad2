"""Result notebooks record what they find, and one self-contained page shows it.

`Results` writes tables, figures, comparisons and judgements as files; `write_report`
makes a page of them, paper by paper, with the reason for each cell that differs.
"""

import base64
import json
import os
import platform
import re
import subprocess
from collections import Counter
from contextlib import suppress
from datetime import datetime, timezone
from importlib.metadata import version
from importlib.resources import files
from io import BytesIO
from itertools import groupby
from pathlib import Path

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from ..core.checks import extra
from ..core.saved import write_whole
from ..data.files import MissingDataError
from ..data.sets import DATASETS
from .compare import (
    QUOTED,
    VERDICTS,
    inexact,
    runs_note,
    side_by_side,
    verdict_counts,
)
from .store import store_place

__all__ = ["Results", "option", "write_report"]

HOLDS = "holds", "holds in part", "does not hold"


def option(name: str, default):
    """An option of `kmodes-study reproduce` inside a result notebook.

    Parameters
    ----------
    name : str
        name of the option, as on the command line
    default
        its value when the command line says nothing; its type is the option's type

    Returns
    -------
    the value
    """
    text = os.environ.get(f"KMODES_STUDY_{name.upper()}")
    return type(default)(text) if text else default


# -------------------------------------------------------------------------- the record


def wide(comparison: pd.DataFrame) -> pd.DataFrame:
    """A comparison side by side, without those levels of its index that say the same in
    every row: the caption says it.
    """
    frame = side_by_side(comparison)
    levels = {name: frame.index.get_level_values(name) for name in frame.index.names}
    constant = [name for name, values in levels.items() if values.nunique() == 1]
    return frame.droplevel(constant) if len(constant) < frame.index.nlevels else frame


MANY_POINTS = 2000


def svg(figure, dpi=200):
    "A figure as the bytes of an SVG file, without date, version and random identifiers."
    with extra("plots"):
        import matplotlib.pyplot as plt
        from matplotlib.collections import Collection
        from matplotlib.lines import Line2D
    for cells in figure.findobj(Collection):
        drawn = cells.get_array()
        n_drawn = max(len(cells.get_offsets()), 0 if drawn is None else drawn.size)
        if n_drawn > MANY_POINTS:
            cells.set_rasterized(True)
    for line in figure.findobj(Line2D):
        is_marked = line.get_marker() not in ("None", "none", "", " ", None)
        if is_marked and len(line.get_xdata()) > MANY_POINTS:
            line.set_rasterized(True)
    file = BytesIO()
    how = dict(format="svg", dpi=dpi, bbox_inches="tight")
    with plt.rc_context({"svg.hashsalt": "kmodes_study", "svg.fonttype": "path"}):
        figure.savefig(file, metadata=dict(Date=None, Creator=None), **how)
    return file.getvalue()


def _check_name(name):
    "The name of a file, or a ValueError unless it stays in its folder."
    if isinstance(name, str) and re.fullmatch(r"[\w-][\w.-]*", name):
        return name
    raise ValueError(f"name must be letters, digits, '_', '-' and dots, got {name!r}")


class Results:
    """The record of one result notebook: tables, figures, comparisons, findings, and
    what waits for data.

    Parameters
    ----------
    name : str
        name of the notebook, and of its folder among the results
    title : str
        its headline in the report
    folder : default=None
        where to write; None for the folder of `kmodes-study reproduce`, or nowhere
        but for what is kept
    """

    def __init__(self, name: str, title: str, folder=None):
        folder = folder or os.environ.get("KMODES_STUDY_OUTPUT")
        self.record = dict(name=_check_name(name), title=title, items=[])
        self.folder = Path(folder) / "results" / name if folder else None

    def _add(self, kind, **item):
        "Append an item and write the record."
        self.record["items"].append(dict(kind=kind, **item))
        self._write()

    def _write(self):
        "Write the record, where there is a folder."
        self._file("record.json", json.dumps(self.record, indent=1))

    def _file(self, name, content):
        "Write a file beside the record, where there is a folder."
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(self.folder / _check_name(name), content)

    def heading(self, text: str, note: str = ""):
        "Start a section of the report; the note is a sentence or two under it."
        self._add("heading", text=text, note=note)

    def finding(self, claim: str, holds: str, evidence: str):
        """Record the judgement on a sentence of the source.

        Parameters
        ----------
        claim : str
            what the source says
        holds : str
            "holds", "holds in part" or "does not hold"
        evidence : str
            the figures that say so
        """
        self._add("finding", claim=claim, holds=holds, evidence=evidence)

    def kept(self, where: str):
        """Say that the figures of this notebook were not computed now, but are kept
        from another day: on which machine, and on which day.
        """
        self.record["kept"] = where
        self._write()

    def waiting(self, what: str, file: str):
        "Record what could not be computed, and the file that it waits for."
        self._add("waiting", what=what, file=file)

    def absent(self, names, what: str = "everything about {}"):
        """Record what waits for the files of some sets, and print it in one line;
        nothing where there is none. Under `KMODES_STUDY_STRICT=1` it is an error.
        """
        names = list(names)
        if not names:
            return
        if option("strict", 0):
            raise FileNotFoundError(
                "KMODES_STUDY_STRICT=1, and these sets are not at hand: "
                f"{', '.join(names)}"
            )
        for name in names:
            first = next(iter(DATASETS[name].files.values()))
            self.waiting(what.format(name), f"{name}/{first.name}")
        print(
            f"waiting for the files of {', '.join(names)}; `kmodes-study data fetch` "
            "fetches them"
        )

    def loaded(self, names, load, what: str = "everything about {}") -> dict:
        "What `load` gives for each set; those whose files are absent are recorded."
        found = {}
        names = list(names)
        for name in names:
            with suppress(MissingDataError):
                found[name] = load(name)
        self.absent([name for name in names if name not in found], what)
        return found

    @property
    def store(self) -> Path:
        """The SQLite file that keeps rows of runs between one reproduction and the
        next, also in Jupyter; None where `KMODES_STUDY_STORE` is `none` or nothing can
        be written.
        """
        named = os.environ.get("KMODES_STUDY_STORE")
        if named == "none":
            return None
        if self.folder and not named:
            return self.folder.parent.parent / "runs.sqlite"
        place = store_place()
        there = next(folder for folder in place.parents if folder.exists())
        return place if there.is_dir() and os.access(there, os.W_OK) else None

    def keep(self, name: str, content) -> Path:
        """Write rows that were made anew and that took long; never over those that lie
        beside the notebooks, which `kmodes-study reproduce --renew` renews.

        Parameters
        ----------
        name : str
            name of the file
        content
            its text or its bytes

        Returns
        -------
        Path
            the file, in the folder `kept` of the results; in Jupyter beside the store
        """
        store = self.store
        folder = (self.folder or (store.parent if store else Path.cwd())) / "kept"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / _check_name(name), content)
        print(f"made anew: {name}, {len(content)} characters, kept in {folder}")
        return folder / name

    def data(self, name: str, frame: pd.DataFrame, index: bool = False):
        """Write tidy data beside the results without showing them in the report;
        returns the frame.
        """
        self._file(f"{_check_name(name)}.csv", frame.to_csv(index=index))
        return frame

    def table(
        self, name: str, frame: pd.DataFrame, caption: str = "", index: bool = True
    ):
        """Record a table; its index belongs to it unless `index` is false; returns the
        frame for Jupyter to show.
        """
        self.data(name, frame, index)
        levels = dict(
            n_index=frame.index.nlevels if index else 0, n_header=frame.columns.nlevels
        )
        self._add("table", name=name, caption=caption, **levels)
        return frame

    def comparison(
        self,
        name: str,
        comparison: pd.DataFrame,
        caption: str = "",
        must_be_exact: bool = False,
    ) -> pd.DataFrame:
        """Record a comparison of computed with published cells.

        Parameters
        ----------
        name : str
            the name of the CSV file, without its ending
        comparison : pd.DataFrame
            as `compare` gives it; a column `reason` may say why a cell differs
        caption : str, default=""
            what the table shows
        must_be_exact : bool, default=False
            whether a cell that is not exact is a failure

        Returns
        -------
        pd.DataFrame
            the comparison side by side, for Jupyter to show
        """
        self.data(name, comparison)
        differing = comparison[comparison.verdict == "differs"]
        reasons = differing.get("reason", pd.Series("", differing.index)).fillna("")
        reasons = reasons.replace("", "no reason is known yet")
        self._add(
            "comparison",
            name=name,
            caption=caption,
            counts=verdict_counts(comparison),
            runs=runs_note(comparison),
            reasons=reasons.value_counts(sort=False).to_dict(),
            must_be_exact=must_be_exact,
            failed=inexact(comparison) if must_be_exact else "",
        )
        return wide(comparison)

    def figure(self, name: str, figure, caption: str = "", dpi: int = 200):
        """Record a matplotlib figure as SVG; returns it. What is drawn of very many
        points has `dpi` pixels to the inch.
        """
        if self.folder:
            self._file(f"{_check_name(name)}.svg", svg(figure, dpi))
        self._add("figure", name=name, caption=caption)
        return figure


# --------------------------------------------------------------------- how it was made


_TOLD_VERSIONS = "kmodes_study", "numpy", "numba", "scipy", "pandas", "scikit-learn"


def _machine():
    "Processor, system and versions in one sentence."
    cpu = Path("/proc/cpuinfo")
    text = cpu.read_text(encoding="utf-8") if cpu.exists() else ""
    found = re.search(r"model name\s*:\s*(.+)", text)
    processor = found[1].strip() if found else platform.processor()
    versions = ", ".join(f"{name} {version(name)}" for name in _TOLD_VERSIONS)
    return (
        f"{processor or platform.machine()}, {os.cpu_count()} processors, "
        f"{platform.system()}; Python {platform.python_version()}, {versions}."
    )


def _commit():
    """The commit of the clone that this package is read from, with a plus when files
    were changed since; nothing for a package that is part of no clone.
    """
    file = Path(__file__).resolve()

    def git(*words):
        command = ["git", "-C", file.parent, *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    try:
        if not git("ls-files", "--", file.name):
            return ""
        return git("describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+")
    except OSError:
        return ""


def provenance(command, seeds=None, seconds=0, notebook="", parameters=None) -> dict:
    "When, by which command and on what machine a notebook was executed, as texts."
    return dict(
        date=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        command=command,
        notebook=str(notebook),
        parameters=dict(parameters or {}),
        seeds="as in the notebook" if seeds is None else str(seeds),
        seconds=round(seconds),
        commit=_commit(),
        machine=_machine(),
    )


def _read_record(path):
    "The record in a file, with the note on how it was made."
    record = json.loads(path.read_text(encoding="utf-8"))
    for item in record["items"]:
        _check_name(item.get("name", "none"))
    run = path.with_name("run.json")
    made = json.loads(run.read_text(encoding="utf-8")) if run.exists() else {}
    name = path.parent.name
    if name != record["name"]:  # the results of a copy
        record["title"] += f" ({name})"
    return dict(record, name=name, run=made)


def read_records(folder) -> list:
    "The records in an output folder, in the order of their names, one dict a notebook."
    return [*map(_read_record, sorted(Path(folder).glob("results/*/record.json")))]


def _items(records, kind):
    "All items of a kind, each with its notebook and the title of that."
    return [
        dict(item, notebook=record["name"], title=record["title"])
        for record in records
        for item in record["items"]
        if item["kind"] == kind
    ]


def summary(records: list) -> dict:
    """What stands at the top of the report and at the end of the command: counts of
    verdicts (must be exact, or not), failures, reasons, what waits, findings, fewer runs.
    """
    comparisons = _items(records, "comparison")

    def count(strict):
        counts = [c["counts"] for c in comparisons if c["must_be_exact"] == strict]
        return {word: sum(each.get(word, 0) for each in counts) for word in VERDICTS}

    reasons = Counter()
    for item in comparisons:
        for reason, number in item.get("reasons", {}).items():
            reasons[item["notebook"], reason] += number
    fewer = {f"{c['notebook']}: {c['runs']}" for c in comparisons if c["runs"]}
    return dict(
        must_be_exact=count(True),
        statistical=count(False),
        failures=[item for item in comparisons if item["failed"]],
        reasons=[
            f"{name}: {number} of the cells ({reason})"
            for (name, reason), number in reasons.items()
        ],
        fewer_runs=sorted(fewer),
        waiting=_items(records, "waiting"),
        findings=_items(records, "finding"),
    )


# --------------------------------------------------------------- what came out, in words


QUICK_LOOK = (
    "a quick look: no cell must be exact, and what only all runs can show is not judged"
)


def counts_in_words(counts: dict) -> str:
    "The counts that are not zero, with their words; empty where all are zero."
    several = {QUOTED: QUOTED.replace("agrees", "agree")}
    return ", ".join(
        f"{number} {word if number == 1 else several.get(word, word)}"
        for word, number in counts.items()
        if number
    )


def conclusion(total: dict) -> str:
    """What came out: one sentence for each kind of judgement, or one for all where
    something waits; `total` is as `summary` gives it.
    """
    strict, other = total["must_be_exact"], total["statistical"]
    n_strict, n_quoted = sum(strict.values()), strict.get(QUOTED, 0)
    held = [item["holds"] for item in total["findings"]]
    said = []
    if n_strict:
        said.append(
            f"{strict['exact'] + n_quoted} of the {n_strict} published cells that must "
            "come out to the last digit do"
        )
    if n_quoted:
        said[-1] += (
            f", {strict['exact']} of them against figures read at their source and "
            f"{n_quoted} against figures that are only quoted"
        )
    if n_other := sum(other.values()):
        kind = "other" if n_strict else "published"
        said.append(f"the {n_other} {kind} cells: {counts_in_words(other)}")
    if held:
        counts = counts_in_words({word: held.count(word) for word in HOLDS})
        said.append(f"sentences of the sources: {counts}")
    if not said:
        return "Nothing was compared."
    if total["waiting"]:
        return f"From the sets that are computed or at hand: {'; '.join(said)}."
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in said)


def what_waits(total: dict) -> str:
    "The files that something waits for, in one line; empty where nothing waits."
    files = sorted({item["file"] for item in total["waiting"]})
    text = f"Some tables wait for the files {', '.join(files)}: "
    return text + "`kmodes-study data fetch` fetches them." if files else ""


# ------------------------------------------------------------------ a table on the page


def _number_text(value, decimals):
    "A number; the thousands of very large ones apart, an exponent where 0 would stand."
    if 0 < abs(value) < 0.5 * 10**-decimals:
        return f"{value:.1e}"
    return f"{value:,.{decimals}f}" if abs(value) >= 10**9 else f"{value:.{decimals}f}"


def column_texts(column: pd.Series) -> list:
    """The cells of a column as text: truth values in words, whole numbers whole,
    p-values short, others with the decimals that four digits need, four at most.
    """
    name = str(column.name[-1] if isinstance(column.name, tuple) else column.name)
    if is_bool_dtype(column) or name.startswith("has_"):
        return ["yes" if value else "no" for value in column]
    if not is_numeric_dtype(column):
        text = str
    elif re.match(r"(adjusted[_ ])?p([_ ,]|$)|.*p[- ]value", name):
        text = lambda p: "< 0.001" if p < 0.001 else f"{p:.{3 if p < 0.1 else 2}f}"
    else:
        known = column.dropna()
        needed = [len(f"{value:.4g}".partition(".")[2]) for value in known]
        decimals = 0 if (known % 1 == 0).all() else min(4, max(needed))
        text = lambda value: _number_text(value, decimals)
    return ["" if pd.isna(value) else text(value) for value in column]


_WORDS = {
    "n_clusters": "k",
    "n_init": "starts",
    "init": "start",
    "n_iter": "iterations",
    "dataset": "data set",
    "p_mean": "p of means",
    "p_sd": "p of deviations",
    "sd": "standard deviation",
    "n_rows_complete": "complete rows",
    "n_classes_complete": "classes in complete rows",
}


def words(name) -> str:
    "A name of a column in words."
    name = str(name)
    if name.startswith("Unnamed: "):
        return ""
    return _WORDS.get(name, name.removeprefix("n_").replace("_", " "))


def _head_rows(frame, n_names):
    "The rows of the head: cells with their text and the number of columns they span."
    rows = []
    n_levels = frame.columns.nlevels
    keys = [name if isinstance(name, tuple) else (name,) for name in frame.columns]
    for depth in range(1, n_levels):
        same = [(key, len([*cells])) for key, cells in groupby(k[:depth] for k in keys)]
        corner = [dict(text="", span=n_names)] if n_names else []
        rows.append(corner + [dict(text=words(k[-1]), span=n) for k, n in same])
    names = [words(name or "") for name in frame.index.names[:n_names]]
    last = [dict(text=name, span=1, names=True) for name in names]
    return [*rows, last + [dict(text=words(key[-1]), span=1) for key in keys]]


def _shade(value, text, numeric):
    "The class of a cell: its verdict, a number, a word, or words."
    if value == QUOTED:
        return "quoted"
    if value in VERDICTS:
        return value.split()[0]
    if numeric or re.match(r"[-+<]?\s?\d|$", text):
        return "number"
    return "words" if len(text) > 24 else "word"


def grid(frame: pd.DataFrame, index: bool = True) -> dict:
    "A table as the template wants it; its index belongs to it unless `index` is false."
    columns = []
    for _, column in frame.items():
        numeric = is_numeric_dtype(column)
        pairs = zip(column, column_texts(column))
        columns.append([dict(text=t, shade=_shade(v, t, numeric)) for v, t in pairs])
    names = frame.index.names if index else []
    levels = [
        column_texts(frame.index.get_level_values(level).to_series(name=name))
        for level, name in enumerate(names)
    ]
    rows = []
    for i in range(len(frame)):
        cells = [column[i] for column in columns]
        shades = {cell["shade"] for cell in cells}
        judged = shades & {"exact", "quoted", "within", "not"}
        agrees = bool(judged) and "differs" not in shades
        rows.append(
            dict(names=[level[i] for level in levels], cells=cells, agrees=agrees)
        )
    head = _head_rows(frame, len(levels))
    for cell, column in zip(head[-1][len(levels) :], columns):
        cell["names"] = any(one["shade"] in ("word", "words") for one in column)
    return dict(head=head, rows=rows)


# ----------------------------------------------------------------------------- the page


def _read_table(folder, item):
    "The table of an item, from its CSV file."
    n_header, n_index = item.get("n_header", 1), item.get("n_index", 0)
    frame = pd.read_csv(
        folder / f"{item['name']}.csv",
        header=list(range(n_header)) if n_header > 1 else 0,
        keep_default_na=False,
        na_values=[""],
        index_col=list(range(n_index)) or None,
    )
    is_comparison = item["kind"] == "comparison"
    return grid(wide(frame) if is_comparison else frame, is_comparison or n_index > 0)


def _picture(folder, item):
    "A figure as text, and its size on the page, a hundred pixels to the inch."
    content = (folder / f"{item['name']}.svg").read_bytes()
    size = re.search(rb'<svg[^>]* width="([\d.]+)pt" height="([\d.]+)pt"', content)
    width, height = (round(float(points) * 100 / 72) for points in size.groups())
    return dict(image=base64.b64encode(content).decode(), width=width, height=height)


def _label(item):
    """What a table or figure is called: its caption up to the first full stop or
    semicolon, or its name in words.
    """
    caption = item.get("caption") or words(item["name"]).capitalize()
    return re.split(r"[.;](?:\s|$)", caption)[0]


def _page_blocks(folder, record):
    """The items of a record, each with its anchor and whether nothing in it differs;
    judgements that follow each other are one block.
    """
    blocks = []
    for number, item in enumerate(record["items"], 1):
        kind = item["kind"]
        block = dict(item, id=f"{record['name']}-{item.get('name', number)}")
        if kind in ("finding", "waiting"):
            if not blocks or blocks[-1]["kind"] != kind:
                blocks.append(dict(kind=kind, id=block["id"], items=[]))
            blocks[-1]["items"].append(item)
            continue
        if kind in ("table", "comparison"):
            block.update(label=_label(item), table=_read_table(folder, item))
            block["agrees"] = not (item.get("counts") or {}).get("differs")
        if kind == "figure":
            block.update(_picture(folder, item), label=f"Figure: {_label(item)}")
            block["agrees"] = True
        blocks.append(block)
    under = []
    for block in reversed(blocks):
        if block["kind"] == "heading":
            block["agrees"], under = all(under), []
            continue
        if block["kind"] == "finding":
            block["agrees"] = all(item["holds"] == "holds" for item in block["items"])
        under.append(block.get("agrees", False))
    return blocks


def _linked(table, anchors):
    "The table with a link from the last name of each row to its anchor."
    for row, anchor in zip(table["rows"], anchors):
        row["to"] = anchor
    return table


def _overview(papers):
    "The first table of the page: how many cells and sentences have which verdict."
    rows = []
    for paper in papers:
        total = summary([paper])
        cells = [total["must_be_exact"][v] + total["statistical"][v] for v in VERDICTS]
        held = [item["holds"] for item in total["findings"]]
        rows.append([*cells, *map(held.count, HOLDS), len(total["waiting"])])
    heads = [("cells", verdict) for verdict in VERDICTS]
    heads += [("sentences", word) for word in HOLDS] + [("files", "waiting")]
    names = pd.Index([paper["title"] for paper in papers], name="source")
    counts = pd.DataFrame(rows, names, pd.MultiIndex.from_tuples(heads))
    table = grid(counts.loc[:, counts.any()].astype(object).replace(0, ""))
    return _linked(table, [paper["name"] for paper in papers])


def _why(papers):
    "The second table of the page: what differs, and why."
    rows, anchors = [], []
    for item in _items(papers, "comparison"):
        for reason, number in item.get("reasons", {}).items():
            rows.append((item["title"], _label(item), number, reason))
            anchors.append(f"{item['notebook']}-{item['name']}")
    frame = pd.DataFrame(rows, columns=["source", "table", "cells", "why"])
    return _linked(grid(frame.set_index(["source", "table"])), anchors)


def write_report(folder) -> Path:
    """Write the self-contained report of all records in a folder, kept figures last.

    Parameters
    ----------
    folder
        the output folder, which holds the records

    Returns
    -------
    Path
        report.html in that folder
    """
    with extra("plots"):
        import jinja2
    folder = Path(folder)
    records = read_records(folder)
    papers = []
    for record in sorted(records, key=lambda record: "kept" in record):
        blocks = _page_blocks(folder / "results" / record["name"], record)
        notebook = (folder / "notebooks" / f"{record['name']}.ipynb").exists()
        papers.append(dict(record, blocks=blocks, notebook=notebook))
    beside = files("kmodes_study.study")
    page, style = (
        beside.joinpath(f"page.{ending}").read_text(encoding="utf-8")
        for ending in ("html", "css")
    )
    total = summary(records)
    template = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(page)
    names = ["date", "command", "seeds", "seconds", "commit"]
    runs = [
        [paper["title"], *(paper["run"][name] for name in names)]
        for paper in papers
        if paper["run"]
    ]
    made = pd.DataFrame(runs, columns=["source", *names]).set_index("source")
    text = template.render(
        style=style,
        total=total,
        conclusion=conclusion(total),
        waits=what_waits(total),
        quick_look=QUICK_LOOK,
        papers=papers,
        overview=_overview(papers),
        reasons=_why(papers),
        made=grid(made),
    )
    write_whole(folder / "report.html", text)
    return folder / "report.html"
