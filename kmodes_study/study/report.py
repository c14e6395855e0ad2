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
from itertools import groupby
from pathlib import Path

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from ..core.checks import extra
from ..core.saved import write_whole
from ..data.files import MissingDataError
from ..data.sets import DATASETS
from ..describe.plots import picture_file
from .compare import QUOTED, VERDICTS, inexact, runs_note, side_by_side
from .compare import verdict_counts
from .parameters import option
from .store import store_place

__all__ = ["Results", "option", "write_report"]

HOLDS = "holds", "holds in part", "does not hold"


# -------------------------------------------------------------------------- the record


_MANY_POINTS = 2000


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
        self.record = dict(name=name, title=title, items=[])
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
            write_whole(self.folder / name, content)

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

    def loaded(self, names, load, what: str = "everything about {}") -> dict:
        """What `load` gives for each set. What waits for the files of the others is
        recorded and printed in one line; under `KMODES_STUDY_STRICT=1` it is an error.
        """
        found, absent = {}, []
        for name in names:
            try:
                found[name] = load(name)
            except MissingDataError:
                if option("strict", 0):
                    raise
                absent.append(name)
                file = next(iter(DATASETS[name].files.values())).name
                self._add("waiting", what=what.format(name), file=f"{name}/{file}")
        if absent:
            print(
                f"waiting for the files of {', '.join(absent)}; `kmodes-study data fetch` "
                "fetches them"
            )
        return found

    @property
    def store(self) -> Path:
        """The SQLite file that keeps rows of runs between one reproduction and the
        next, also in Jupyter; None where `KMODES_STUDY_STORE` is `none`.
        """
        place = store_place()
        return None if place.name == "none" else place

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
        write_whole(folder / name, content)
        print(f"made anew: {name}, {len(content)} characters, kept in {folder}")
        return folder / name

    def data(self, name: str, frame: pd.DataFrame, index: bool = False):
        """Write tidy data beside the results without showing them in the report;
        returns the frame.
        """
        self._file(f"{name}.csv", frame.to_csv(index=index))
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
        return side_by_side(comparison)

    def figure(self, name: str, figure, caption: str = ""):
        "Record a matplotlib figure as SVG; returns it. Very many points are pixels."
        with extra("plots"):
            from matplotlib.collections import Collection

        for drawn in figure.findobj(Collection):
            if len(drawn.get_offsets()) > _MANY_POINTS:
                drawn.set_rasterized(True)
        if self.folder:
            self._file(f"{name}.svg", picture_file(figure, "svg"))
        self._add("figure", name=name, caption=caption)
        return figure


# --------------------------------------------------------------------- how it was made


_TOLD_VERSIONS = "kmodes_study", "numpy", "numba", "scipy", "pandas", "scikit-learn"


def _machine():
    "Processor, system and versions in one sentence."
    cpu = Path("/proc/cpuinfo")
    found = re.findall("model name.*: (.+)", cpu.read_text()) if cpu.exists() else []
    processor = next(filter(None, [*found, platform.processor(), platform.machine()]))
    versions = ", ".join(f"{name} {version(name)}" for name in _TOLD_VERSIONS)
    return (
        f"{processor}, {os.cpu_count()} processors, {platform.system()}; "
        f"Python {platform.python_version()}, {versions}."
    )


def _commit():
    """The commit of the clone that this package is read from, with a plus when files
    were changed since; nothing for a package that is part of no clone.
    """
    file = Path(__file__).resolve()

    def git(*words):
        command = ["git", "-C", file.parent, *words]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()

    with suppress(OSError):
        if git("ls-files", "--", file.name):
            return git(
                "describe", "--always", "--abbrev=10", "--exclude=*", "--dirty=+"
            )
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
    "All items of a kind, each with its notebook."
    return [
        dict(item, notebook=record["name"])
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
        return {word: sum(each[word] for each in counts) for word in VERDICTS}

    held = [item["holds"] for item in _items(records, "finding")]
    return dict(
        must_be_exact=count(True),
        statistical=count(False),
        findings={word: held.count(word) for word in HOLDS},
        failures=[item for item in comparisons if item["failed"]],
        reasons=[
            f"{item['notebook']}, {item['name']}: {number} of the cells ({reason})"
            for item in comparisons
            for reason, number in item["reasons"].items()
        ],
        fewer_runs=sorted(
            {f"{c['notebook']}: {c['runs']}" for c in comparisons if c["runs"]}
        ),
        waiting=sorted({item["file"] for item in _items(records, "waiting")}),
    )


# --------------------------------------------------------------- what came out, in words


QUICK_LOOK = (
    "a quick look: no cell must be exact, and what only all runs can show is not judged"
)


def counts_in_words(counts: dict) -> str:
    "The counts that are not zero, with their words; empty where all are zero."
    return ", ".join(
        f"{number} {word if number == 1 else word.replace('agrees', 'agree')}"
        for word, number in counts.items()
        if number
    )


def conclusion(total: dict) -> str:
    "What came out, in one line; `total` is as `summary` gives it."
    counts = {
        "cells that must be exact": total["must_be_exact"],
        "other cells": total["statistical"],
        "sentences of the sources": total["findings"],
    }
    told = {what: counts_in_words(each) for what, each in counts.items()}
    said = "; ".join(f"{what}: {words}" for what, words in told.items() if words)
    return f"{said[:1].upper()}{said[1:]}." if said else "Nothing was compared."


def what_waits(total: dict) -> str:
    "The files that something waits for, in one line; empty where nothing waits."
    text = f"Some tables wait for the files {', '.join(total['waiting'])}: "
    return text + "`kmodes-study data fetch` fetches them." if total["waiting"] else ""


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
        text = {True: "yes", False: "no"}.get
    elif not is_numeric_dtype(column):
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
    "index": "",
    "n_clusters": "k",
    "n_init": "starts",
    "init": "start",
    "n_iter": "iterations",
    "dataset": "data set",
    "p_mean": "p of means",
    "p_sd": "p of deviations",
    "sd": "standard deviation",
}


def words(name) -> str:
    "A name of a column in words."
    name = str(name)
    if name.startswith(("Unnamed: ", "level_")):
        return ""
    return _WORDS.get(name, name.removeprefix("n_").replace("_", " "))


_CLASSES = {QUOTED: "quoted"} | dict(zip(HOLDS, ("exact", "within partly", "differs")))


def _cell(found):
    "A cell of a table in HTML, with its class: its verdict, a number, a word, or words."
    text = found[1]
    kind = "words" if len(text) > 24 else "word"
    if re.match(r"[-+]?\s?\d|&lt;|$", text):
        kind = "number"
    elif text in VERDICTS or text in _CLASSES:
        kind = _CLASSES.get(text, text.split()[0])
    return f'<td class="{kind}">{text}</td>'


def grid(frame: pd.DataFrame, index: bool = True) -> str:
    """The rows of a table in HTML, empty where there are none; its index belongs to it
    unless `index` is false.
    """
    if frame.empty:
        return ""
    frame = frame.reset_index() if index else frame
    cells = zip(*[column_texts(column) for _, column in frame.items()])
    texts = pd.DataFrame(cells, columns=frame.columns).rename(columns=words)
    with pd.option_context("display.max_colwidth", None):
        text = texts.to_html(index=False, border=0)
    text = text[text.index("<thead>") :].replace("<th></th>", "<td></td>")
    text = re.sub("<th(?= colspan)", '<th scope="colgroup"', text)
    text = text.replace("<th>", '<th scope="col">')
    return re.sub("<td>([^<]*)</td>", _cell, text)


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
    return (
        grid(side_by_side(frame))
        if item["kind"] == "comparison"
        else grid(frame, n_index > 0)
    )


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


def _blocks(folder, record):
    "The items of a record; judgements that follow each other are one table."
    blocks = []
    for kind, items in groupby(record["items"], lambda item: item["kind"]):
        items = list(items)
        if kind == "finding":
            said = pd.DataFrame(items)[["holds", "claim", "evidence"]]
            items = [
                dict(
                    table=grid(
                        said.set_axis(["verdict", "what is said", "evidence"], axis=1),
                        False,
                    )
                )
            ]
        elif kind == "waiting":
            items = [dict(items=items)]
        for item in items:
            block = dict(item, kind=kind)
            if "name" in item:
                block.update(id=f"{record['name']}-{item['name']}", label=_label(item))
            if kind in ("table", "comparison"):
                block["table"] = _read_table(folder, item)
            if kind == "figure":
                block.update(_picture(folder, item))
            blocks.append(block)
    return blocks


def _overview(papers):
    "The first table of the page: how many cells and sentences have which verdict."
    rows = {}
    for paper in papers:
        total = summary([paper])
        cells = Counter(total["must_be_exact"]) + Counter(total["statistical"])
        waiting = {"waiting files": len(total["waiting"])}
        rows[paper["title"]] = cells + Counter(total["findings"]) + Counter(waiting)
    counts = pd.DataFrame.from_dict(
        rows, "index", columns=[*VERDICTS, *HOLDS, "waiting files"]
    )
    return grid(counts.dropna(axis=1, how="all").rename_axis("source"))


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
    papers = [
        dict(
            record,
            blocks=_blocks(folder / "results" / record["name"], record),
            notebook=(folder / "notebooks" / f"{record['name']}.ipynb").exists(),
        )
        for record in sorted(records, key=lambda record: "kept" in record)
    ]
    page, style = (
        files(__package__).joinpath(f"page.{ending}").read_text(encoding="utf-8")
        for ending in ("html", "css")
    )
    total = summary(records)
    runs = {paper["title"]: paper["run"] for paper in papers if paper["run"]}
    columns = ["date", "command", "seeds", "seconds", "commit"]
    made = pd.DataFrame.from_dict(runs, "index").reindex(columns=columns)
    template = jinja2.Environment(autoescape=True, trim_blocks=True).from_string(page)
    text = template.render(
        style=style,
        total=total,
        conclusion=conclusion(total),
        waits=what_waits(total),
        quick_look=QUICK_LOOK,
        papers=papers,
        overview=_overview(papers),
        made=grid(made.rename_axis("source")),
    )
    write_whole(folder / "report.html", text)
    return folder / "report.html"
