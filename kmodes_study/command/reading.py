"""A file of text, a workbook, a Parquet file or a set of this package becomes a frame."""

import codecs
import gzip
import io
import re
import sys
import zipfile
import zlib
from functools import reduce
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..core.checks import extra
from ..data.questionnaires import separator_of, tick_columns, yes_and_no

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
    header: bool | None = None,
    header_rows: int | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
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
    header_rows : int, default=None
        lines that hold names together, as exports of surveys have them; None to see
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
    asked = [*as_list(columns), *ids, *drop, *several]
    try:
        lines = dict(header=header, header_rows=header_rows)
        table, classes = _read(path, na, encoding, sheet, {*needed, *asked}, **lines)
        if not len(table):
            raise ValueError("the table has no rows")
        refuse_unknown_columns(several, table)
        whole = [name.rpartition(": ")[0] for name in asked if name not in table]
        several += [name for name in dict.fromkeys(whole) if name in table]
        ticks = {name: _ticks_of(name, table[name], asked) for name in several}
        parts = [ticks.get(name, table[[name]]) for name in table]
        table = pd.concat(parts, axis=1)
        refuse_unknown_columns(asked, table, several)
    except (ValueError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path}: {error}") from error
    names = list(table) if columns is None else as_list(columns)
    names = [one for name in names for one in ticks.get(name, [name])]
    taken = [name for name in dict.fromkeys(names) if name not in (*ids, *drop)]
    if not taken:
        raise ValueError("no column is left to cluster by: name others by --columns")
    rows = pd.DataFrame({"row": range(1, len(table) + 1)})
    return OwnTable(table[taken], table[ids] if ids else rows, classes)


def as_list(names) -> list:
    "Some names as a list; one name is a list of one."
    return [names] if isinstance(names, str) else list(names or ())


def refuse_unknown_columns(asked, table, several=()):
    "ValueError unless the table has the columns, or had them before `--several`."
    for name in asked:
        if name not in table and name not in several:
            known = ", ".join(map(str, list(table)[:20]))
            raise ValueError(f"there is no column {name!r}; there are {known}")


def note(text):
    "Print what was decided at reading."
    print("kmodes-study:", text, file=sys.stderr)


def _read(path, na, encoding, sheet, needed, header, header_rows):
    "The whole table, and the classes of a set of this package."
    from ..data.sets import DATASETS

    classes, is_text = None, False
    if path in DATASETS and not Path(path).exists():
        from ..data.loaders import load

        found = load(path, as_frame=True, names=True)
        table, classes = found.data, found.target
    elif Path(path).suffix.lower() in (".parquet", ".pq"):
        with extra("big"):
            import pyarrow  # noqa: F401
        table = pd.read_parquet(path)
    else:
        table, is_text = _lines_of_file(path, encoding, sheet), True
        table = _without_foot(path, table)
        if header is not False and len(table) > 2:
            table, header = _one_header(path, table, header, header_rows)
        table = table.apply(lambda column: column.str.strip()).replace("", None)
        names = table.iloc[0].fillna("").tolist()
    if na:
        table = table.mask(table.isin(as_list(na)))
    if is_text:
        table = _named(path, names, table, header, needed)
    return table, classes


def _lines_of_file(path, encoding, sheet):
    "All lines of a text or a workbook, the first one too; None where a cell is empty."
    content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if content.startswith(b"\x1f\x8b"):
        content = gzip.decompress(content)
    if content[:4] in (b"PK\x03\x04", b"\xd0\xcf\x11\xe0"):
        return _lines_of_workbook(path, content, sheet)
    text = _text_of(path, content, encoding).lstrip("\ufeff")
    told = re.match("sep=(.)\r?\n", text)  # what Excel writes and reads
    return pd.read_csv(
        io.StringIO(text[told.end() :] if told else text),
        sep=told[1] if told else max(",;\t|", key=text.partition("\n")[0].count),
        header=None,
        dtype=str,
        keep_default_na=False,
        na_values=[""],
        index_col=False,
    )


def _text_of(path, content, encoding):
    "The text of a file, in the encoding that is said or in the first that fits."
    is_marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode(encoding or ("utf-16" if is_marked else "utf-8"))
    except (LookupError, UnicodeError) as error:
        text = content.decode("cp1252", "replace")
        if encoding or re.search("[\x00-\x08\x0e-\x1f\ufffd]", text):
            raise ValueError(
                f"{error}: this is no text, or --encoding names its encoding"
            ) from None
    note(f"{path}: this is not UTF-8, and is read as cp1252 (--encoding)")
    return text


def _lines_of_workbook(path, content, sheet):
    "All lines of a sheet, as texts, without what stands above the table."
    with extra("excel"):
        from python_calamine import CalamineError
    options = dict(header=None, dtype=object, keep_default_na=False, na_values=[""])
    try:
        _refuse_what_no_memory_holds(content)
        book = pd.ExcelFile(io.BytesIO(content), engine="calamine")
        names = book.sheet_names if sheet is None else [sheet]
        sheets = pd.read_excel(book, names, **options)
    except (CalamineError, zipfile.BadZipFile, RuntimeError) as error:
        raise ValueError(f"{error}") from error
    name = next((name for name in names if sheets[name].size), names[0])
    if len(names) > 1:
        note(f"{path}: sheet {name!r} of {len(names)} (--sheet takes another)")
    table = sheets[name].dropna(how="all").dropna(axis=1, how="all")
    filled = table.notna().sum(axis=1).to_numpy()
    first = (filled > 1).argmax() if filled.max(initial=0) > 2 else 0
    if first:
        note(f"{path}: {first} lines above the table are passed over")
    table = table[first:].dropna(axis=1, how="all")
    if table.empty:
        raise ValueError("the table is empty")
    table = table.reset_index(drop=True).set_axis(range(table.shape[1]), axis=1)
    return table.map(_as_text, na_action="ignore")


_MOST_BYTES, _OF_A_CELL = 5 * 10**8, 5


def _refuse_what_no_memory_holds(content):
    "ValueError for a workbook of more bytes or cells than can be read."
    if not content.startswith(b"PK"):
        return
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        size = sum(part.file_size for part in book.infolist())
        for part in book.namelist() if size <= _MOST_BYTES else ():
            if part.startswith("xl/worksheets/") or part == "content.xml":
                text, row, columns = book.read(part), 0, {b""}
                for place in re.finditer(rb'\br="([A-Za-z]+)(\d+)"', text):
                    columns.add(place[1])
                    row = max(row, int(place[2]))
                last = max(columns, key=lambda name: (len(name), name.upper()))
                width = reduce(lambda n, letter: 26 * n + letter % 32, last, 0)
                blanks = map(int, re.findall(rb'text:c="(\d+)"', text))
                size += sum(blanks) + _OF_A_CELL * row * width
    if size > _MOST_BYTES:
        raise ValueError("the workbook says it has more cells than can be read")


def _as_text(value):
    "A cell of a workbook as a text file has it: TRUE, and a day without its midnight."
    text = str(value).removesuffix(" 00:00:00")
    return text.upper() if isinstance(value, bool) else text


_ANSWERS = "response", "open-ended response", "antwort", "réponse", "respuesta"
_TOTALS = re.compile(
    " *((grand )?totals?|sum|average|mean|summe|gesamt|insgesamt|durchschnitt|mittelwert"
    "|somme|moyenne|suma|promedio) *:? *",
    re.IGNORECASE,
)


def _one_header(path, lines, header, n):
    """Lines whose first has the names that `n` lines hold together, None to see, and
    whether it is known to have names.
    """
    is_import = str(lines.iat[2, 0]).startswith('{"ImportId"')  # of Qualtrics
    if n is None:
        first, second, below = lines.iloc[0], lines.iloc[1], lines[2:]
        n = 3 if is_import else 1
        is_word = second.str.lower().isin(_ANSWERS)
        is_answer = is_word | (below.isna() | (below == second)).all()
        is_below = is_word | first.isna() | first.duplicated()
        if is_answer[second.notna()].all() and (is_below & second.notna()).any():
            n = 2  # as SurveyMonkey writes them
    if n == 1:
        return lines, header
    note(f"{path}: the first {n} lines are read as names (--header-rows)")
    heads = lines[: n - is_import]
    has_more = heads[1:].notna().any()
    heads = heads.fillna(heads[:1].ffill(axis=1).loc[:, has_more])
    names = []
    for _, parts in heads.items():
        parts = [part for part in parts.dropna() if part.lower() not in _ANSWERS]
        different = {re.sub(r"\W", "", part.lower()): part for part in parts}
        names.append(": ".join(different.values()))
    return pd.concat([pd.DataFrame([names]), lines[n:]], ignore_index=True), True


def _without_foot(path, lines):
    "Lines without those of totals at the end."
    first = lines.bfill(axis=1).iloc[:, 0].fillna("")
    is_total = first.str.fullmatch(_TOTALS) & ~first.duplicated(keep=False)
    n_totals = is_total[::-1].cumprod().sum()
    if n_totals:
        note(f"{path}: {n_totals} lines of totals at the end are left out")
    return lines[: len(lines) - n_totals]


def _named(path, names, table, header, needed):
    "The table with the names of its columns, which the first line holds or not."
    likeness = 0 if header is not None else _likeness(table)
    if likeness == 1 and not needed & set(names):
        note(
            f"{path}: the first line is read as a row, as with --no-header, since all of "
            "it stands in the columns below; --header takes it for names"
        )
        header = False
    if header is False:
        return table.set_axis([f"c{j + 1}" for j in range(len(names))], axis=1)
    names = [name or f"c{j}" for j, name in enumerate(names, 1)]
    if twice := [name for name in names if names.count(name) > 1]:
        text = f"the first line names {twice[0]!r} more than once"
        if len(twice) > len(names) / 2 > 1.5:
            raise ValueError(f"{text}: say --no-header if this line is a row")
        note(f"{path}: {text}, which becomes {twice[0]}.1")
    for j in range(len(names)):
        while names[j] in names[:j]:
            names[j] += ".1"
    if likeness >= 0.6:
        note(
            f"warning: {path}: the first line is taken for the names of the columns, "
            "but looks like a row: say --no-header if it is one"
        )
    is_there = table.notna().any()  # neither a name nor a cell: a comma at the end
    table = table[1:].reset_index(drop=True).set_axis(names, axis=1)
    return table.loc[:, is_there.to_numpy()]


def _likeness(table):
    """The part of the first line that looks like values of the columns below; numbers
    that count are names.
    """
    first, below = table.iloc[0], table[1:]
    numbers = table[:101].apply(
        lambda column: pd.to_numeric(column.str.replace(",", "."), errors="coerce")
    )
    are_numbers = numbers[1:].notna().sum() >= 0.9 * below[:100].notna().sum()
    is_number = numbers.iloc[0].notna()
    looks = (below == first).any() | (is_number & are_numbers & below.notna().any())
    steps = numbers.iloc[0].dropna().diff()[1:]
    if len(steps) and (steps == 1).all():
        looks &= ~is_number
    return looks.sum() / first.count() if len(table) > 2 else 0


def _ticks_of(name, cells, known):
    "A column of yes and no for each answer of a column, those that are known as well."
    sep, begin = separator_of(cells), f"{name}: "
    ticks = tick_columns(cells, sep)
    more = [x for x in known if x.startswith(begin) and x not in ticks]
    more = tick_columns(cells, sep, [x.removeprefix(begin) for x in more])
    ticks = yes_and_no(pd.concat([ticks, more], axis=1))
    note(f"{name} has {sep!r} between answers, and becomes {ticks.shape[1]} columns")
    return ticks
