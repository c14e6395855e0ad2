"""Twenty benchmark sets of the UCI archive, as `sets.toml` describes them."""

import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

__all__ = ["DATASETS", "describe"]

ARCHIVE = "https://archive.ics.uci.edu/ml/machine-learning-databases/"


class Column(NamedTuple):
    """One column of a raw file.

    Attributes
    ----------
    name : str
        as in the archive's documentation
    kind : str
        "category", "number", "class" or "identifier"
    names : dict
        value in the file -> readable name; empty where no values are declared
    """

    name: str
    kind: str
    names: dict


@dataclass(frozen=True)
class File:
    """One raw file of a set.

    Attributes
    ----------
    path : str
        below the archive's address
    sha256 : str
        of the contents, decompressed
    rows : int
    classes : int
    missing : int, default=0
        cells
    complete : int | None, default=None
        rows without a missing cell; None: all
    lacks : tuple, default=()
        columns of the set that this file does not have
    """

    path: str
    sha256: str
    rows: int
    classes: int
    missing: int = 0
    complete: int | None = None
    lacks: tuple = ()

    @property
    def name(self):
        "The file's name, without the ending of a compression."
        return self.path.rpartition("/")[2].removesuffix(".Z")


@dataclass(frozen=True)
class Dataset:
    """One data set: what it is, its columns and its files.

    Attributes
    ----------
    name, title, summary : str
    columns : tuple of Column
        in file order
    files : dict
        subset ("train", "test") -> File
    source : str
        what to cite
    note : str, default=""
        what a user should know
    read : dict, default={}
        options for pandas.read_csv
    computed : bool, default=False
        the module `computed` makes the contents: no file is needed
    """

    name: str
    title: str
    summary: str
    columns: tuple
    files: dict
    source: str
    note: str = ""
    read: dict = field(default_factory=dict)
    computed: bool = False

    def of_kind(self, *kinds) -> list:
        "The names of the columns of these kinds, in file order."
        return [column.name for column in self.columns if column.kind in kinds]


def _columns(entry, values):
    "The columns of a set: its entry in the file, and the values that its columns have."
    kinds = dict.fromkeys(entry.get("numbers", ()), "number")
    kinds |= {entry["class"]: "class", entry.get("identifier"): "identifier"}
    names = {}
    for columns, declared in values.items():
        if not isinstance(declared, dict):
            declared = dict(zip(declared, declared))
        names |= dict.fromkeys(columns.split(), declared)
    return tuple(
        Column(name, kinds.get(name, "category"), names.get(name, names.get("*", {})))
        for name in entry["columns"]
    )


def read_sets(text: str) -> dict:
    "The data sets that a text in the language TOML describes, by name."
    entries = tomllib.loads(text)
    sets = {}
    for name, entry in entries.items():
        borrowed = entries.get(entry.get("values_from"), {})
        values = borrowed.get("values", {}) | entry.get("values", {})
        texts = ("title", "summary", "source", "note", "read", "computed")
        parts = "train", "test"
        sets[name] = Dataset(
            name,
            columns=_columns(entry, values),
            files={part: File(**entry[part]) for part in parts if part in entry},
            **{key: entry[key] for key in texts if key in entry},
        )
    return sets


DATASETS = read_sets(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def find_dataset(name: str) -> Dataset:
    "The set of a name, in which underscores and capitals are forgiven."
    key = str(name).lower().replace("_", "-")
    if key not in DATASETS:
        raise ValueError(f"name must be one of {', '.join(DATASETS)}, got {name!r}")
    return DATASETS[key]


def _in_words(column):
    "A column and its declared values, such as `odor: a almond, n none`, or its kind."
    values = ", ".join(
        value if value == name else f"{value} {name}"
        for value, name in column.names.items()
    )
    if column.kind == "class" and values:
        values = f"class: {values}"
    return f"{column.name}: {values or column.kind}"


def describe(name: str) -> str:
    """What a data set is: its size, columns, source and licence.

    Parameters
    ----------
    name : str
        of a set

    Returns
    -------
    str
        a text of about 20 lines
    """
    dataset = find_dataset(name)
    files = dataset.files.items()
    sizes = [f"{part}: {f.rows} rows, {f.missing} missing cells" for part, f in files]
    parts = [
        dataset.title,
        *sizes,
        dataset.note,
        "Columns. " + "; ".join(map(_in_words, dataset.columns)) + ".",
        f"Source: {dataset.source}",
        "UCI Machine Learning Repository, University of California, Irvine; licence "
        "CC BY 4.0.",
        *(ARCHIVE + file.path for _, file in files),
    ]
    wrap = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
    return "\n\n".join(wrap.fill(part) for part in parts if part) + "\n"
