"""A file of text, a workbook, a Parquet file or a set of this package becomes a frame."""

import datetime
import gzip
import io
import re
import sys
import zlib
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..core.checks import extra
from ..describe.auto import mark_between

__all__ = ["read_own_table"]


class OwnTable(NamedTuple):
    """A table as it was read.

    Attributes
    ----------
    cells : pd.DataFrame
        the columns that take part
    ids : pd.DataFrame
        the names of the rows, in one column or in several
    classes : array or None
        the class of each row, for a set of this package
    """

    cells: pd.DataFrame
    ids: pd.DataFrame
    classes: object = None


def read_own_table(
    path,
    columns=None,
    id_column=None,
    na=None,
    *,
    drop=None,
    header: bool = None,
    encoding: str = None,
    sheet: str = None,
    several=None,
    needed=(),
) -> OwnTable:
    """A user's table, of strings where it is a text or a workbook.

    Parameters
    ----------
    path : str or path
        a CSV, TSV, XLSX, XLS, ODS or Parquet file, "-" for standard input, or the name
        of a set of this package
    columns : default=None
        names of the columns that take part; None for all but `id_column`
    id_column : default=None
        the column with the names of the rows, or a list of such; None numbers the rows
        from 1
    na : default=None
        texts that stand for a missing value, besides the empty one
    drop : default=None
        names of columns that take no part
    header : bool, default=None
        whether the first line holds the names of the columns; else they are c1, c2,
        ...; None to see
    encoding : str, default=None
        of a file of text; None to see
    sheet : str, default=None
        of a workbook; None for the first with cells
    several : default=None
        names of columns whose cells hold several answers, such as "bus;train"; each
        answer becomes a column of yes and no
    needed : default=()
        more columns that are asked for; if the first line has one, it holds names

    Returns
    -------
    OwnTable
        the frame of the columns, the names of the rows, and the classes of a set

    Raises
    ------
    ValueError
        For what is no table, and for columns that it lacks.
    """
    ids, drop, several = as_list(id_column), as_list(drop), as_list(several)
    columns = None if columns is None else as_list(columns)
    needed = {*needed, *(columns or ()), *ids, *drop, *several}
    try:
        table, classes = _read(str(path), as_list(na), header, encoding, sheet, needed)
        if not len(table):
            raise ValueError("the table has no rows")
        became = {}
        if several:
            table, became = _with_answers_apart(table, several, columns or ())
        refuse_unknown_columns([*(columns or ()), *ids, *drop, *several], table, became)
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: {error}") from error
    names = list(table) if columns is None else columns
    names = [one for name in names for one in became.get(name, [name])]
    taken = [name for name in dict.fromkeys(names) if name not in (*ids, *drop)]
    if not taken:
        raise ValueError("no column is left to cluster by: name others by --columns")
    rows = pd.DataFrame({"row": range(1, len(table) + 1)})
    return OwnTable(table[taken], table[ids] if ids else rows, classes)


def as_list(names) -> list:
    "Some names as a list; one name is a list of one."
    return [names] if isinstance(names, str) else list(names or ())


def refuse_unknown_columns(asked, table, became=()):
    "ValueError unless the table has the columns, or had them before `--several`."
    for name in asked:
        if name not in table and name not in became:
            known = ", ".join(map(str, list(table)[:20]))
            whole = str(name).partition(": ")[0]
            hint = f"; --several {whole} makes it" if whole in table else ""
            raise ValueError(f"there is no column {name!r}; there are {known}{hint}")


def note(text):
    "Print what was decided at reading."
    print("kmodes-study:", text, file=sys.stderr)


def _read(path, na, header, encoding, sheet, needed):
    "The whole table, and the classes of a set of this package."
    from ..data.sets import DATASETS

    if path in DATASETS and not Path(path).exists():
        from ..data.loaders import load

        found = load(path, as_frame=True, names=True)
        return found.data.mask(found.data.isin(na)), found.target
    if Path(path).suffix.lower() in (".parquet", ".pq"):
        with extra("big"):
            import pyarrow  # noqa: F401
        table = pd.read_parquet(path)
        return (table.mask(table.isin(na)) if na else table), None
    content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        names, table = _cells_of_workbook(path, content, sheet, na)
    else:
        names, table = _cells_of_text(_text_of(path, content, encoding), na)
    return _named(path, names, table, header, needed), None


def _text_of(path, content, encoding):
    "The text of a file, in the encoding that is said or in the first that fits."
    if encoding is not None:
        try:
            return content.decode(encoding)
        except (LookupError, UnicodeError) as error:
            raise ValueError(f"{error}; --encoding names another encoding") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        marked = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        encoding = "utf-16" if marked else "cp1252"
    text = content.decode(encoding, "replace")
    if re.search("[\x00-\x08\x0e-\x1f\ufffd]", text):
        raise ValueError("this is no text, or in an encoding to be named by --encoding")
    note(f"{path}: this is not UTF-8, and is read as {encoding} (--encoding)")
    return text


def _cells_of_text(text, na):
    "The first line, and all cells with it, of CSV or the like."
    text = text.lstrip("\ufeff")
    told = re.match("sep=(.)\r?\n", text)  # what Excel writes and reads
    separator = told[1] if told else max(",;\t|", key=text.partition("\n")[0].count)
    text = text[told.end() :] if told else text
    options = dict(
        sep=separator, header=None, dtype=str, keep_default_na=False, index_col=False
    )
    first = pd.read_csv(io.StringIO(text), na_values=[], nrows=1, **options)
    table = pd.read_csv(io.StringIO(text), na_values=["", *na], **options)
    return first.iloc[0].tolist(), table


def _cells_of_workbook(path, content, sheet, na):
    "The first line, and all cells with it, of a sheet, without what stands above."
    with extra("excel"):
        from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(content))
        sheets = [one for one in book.sheets_metadata if "WorkSheet" in str(one.typ)]
        seen = [one for one in sheets if str(one.visible).endswith("Visible")]
        names = [one.name for one in seen or sheets] if sheet is None else [sheet]
        cells = {name: book.get_sheet_by_name(name).to_python() for name in names}
    except CalamineError as error:
        raise ValueError(f"{error}") from error
    name = next((name for name in names if cells[name]), names[0])
    if len(names) > 1:
        note(f"{path}: sheet {name!r} of {len(names)} (--sheet takes another)")
    table = pd.DataFrame(
        [[_as_text(cell) for cell in row] for row in cells[name]], dtype=object
    )
    table = table.dropna(how="all")
    filled = table.notna().sum(axis=1).to_numpy()
    most = max(filled, default=0)
    first = next((i for i, n in enumerate(filled) if n > 1 or most < 3), 0)
    if first:
        note(f"{path}: {first} lines above the table are passed over")
    table = table.iloc[first:].dropna(axis=1, how="all")
    if table.empty:
        raise ValueError("the table is empty")
    table = table.reset_index(drop=True).set_axis(range(table.shape[1]), axis=1)
    return [name or "" for name in table.iloc[0]], table.mask(table.isin(na))


def _as_text(value):
    "A cell of a workbook as a text, or None if it is empty."
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    return str(value)


def _named(path, names, table, header, needed):
    "The table with the names of its columns, which the first line holds or not."
    likeness = 0 if header is not None else _likeness(names, table)
    if likeness == 1 and not needed & set(names):
        note(
            f"{path}: the first line is read as a row, as with --no-header, since all of "
            "it stands in the columns below; --header takes it for names"
        )
        header = False
    if header is False:
        return table.set_axis([f"c{j + 1}" for j in range(len(names))], axis=1)
    if twice := [name for name in names if name and names.count(name) > 1]:
        raise ValueError(
            f"the first line names {twice[0]!r} more than once: rename one, or say "
            "--no-header if this line is a row"
        )
    if likeness >= 0.6:
        note(
            f"warning: {path}: the first line is taken for the names of the columns, "
            "but looks like a row: say --no-header if it is one"
        )
    table = table[1:].reset_index(drop=True)
    while len(names) > 1 and not names[-1] and table[len(names) - 1].isna().all():
        names = names[:-1]
        note(f"warning: {path}: the last column, which is empty, is left out")
    found = []
    for j, name in enumerate(names, 1):
        name = name or f"c{j}"
        while not names[j - 1] and name in names:
            name += "_"
        found.append(name)
    return table.iloc[:, : len(found)].set_axis(found, axis=1)


def _likeness(names, table):
    """The part of the first line that looks like values of the columns below; numbers
    that count are names.
    """
    filled = [(name, table[j][1:]) for j, name in enumerate(names) if name]
    numbers = [number for name in names if (number := _as_number(name)) is not None]
    if len(numbers) > 1 and all(b - a == 1 for a, b in zip(numbers, numbers[1:])):
        filled = [(name, column) for name, column in filled if _as_number(name) is None]
    if len(table) < 3 or not filled:
        return 0
    return sum(_is_a_value(*each) for each in filled) / sum(map(bool, names))


def _is_a_value(name, column):
    "Whether what stands in the first line looks like a value of its column."
    if (column == name).any():
        return True
    some = [_as_number(value) is not None for value in column.dropna()[:100]]
    return _as_number(name) is not None and some != [] and sum(some) >= 0.9 * len(some)


def _as_number(text):
    "The number that a text stands for, or None."
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _with_answers_apart(table, several, asked):
    """The table with a column of yes and no for each answer in the columns that hold
    several, and which columns each has become; `asked` are names that are needed.
    """
    refuse_unknown_columns(several, table)
    became, parts = {}, []
    for name in table:
        part = table[[name]]
        if name in several:
            known = [one for one in asked if str(one).startswith(f"{name}: ")]
            part = _ticks_of(name, table[name], known)
            became[name] = list(part)
        parts.append(part)
    table = pd.concat(parts, axis=1)
    if not table.columns.is_unique:
        raise ValueError(f"an answer in {several} has the name of another column")
    return table, became


def _ticks_of(name, cells, known):
    "A column of yes and no for each answer of a column, those that are known as well."
    texts = cells.astype("str").str.strip()
    mark = mark_between(texts.dropna())
    if mark is None and not known:
        raise ValueError(
            f"no cell of {name!r} holds several answers, with one of ; | , / or a new "
            "line between them"
        )
    texts = texts.str.replace(rf"\s*{re.escape(mark or ';')}\s*", "\0", regex=True)
    ticks = texts.str.get_dummies("\0").drop(columns="", errors="ignore")
    ticks = ticks.add_prefix(f"{name}: ")
    ticked = ticks.any(axis=1)
    ticks = ticks.reindex(columns=dict.fromkeys([*ticks, *known]), fill_value=0)
    if mark is not None:
        note(
            f"{name} has {mark!r} between answers, and becomes {ticks.shape[1]} columns"
        )
    return ticks.astype(object).replace({1: "yes", 0: "no"}).where(ticked)
