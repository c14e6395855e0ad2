"""A table that is larger than memory becomes a file of codes: an array `.npy`, column
after column, with the categories as JSON behind it.

`numpy.load(path, mmap_mode="r")` reads the array alone.
"""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from ..core.codes import CategoryEncoder, encode, learn, smallest_unsigned
from ..core.checks import extra
from ..core.jit import count_threads, threads
from ..core.saved import from_json, to_json

__all__ = ["CodeFile", "open_codes", "write_codes"]

_MOST = 2**16  # categories of a column: a provisional code has two bytes
_ROWS = 2**18  # that are read or labelled together
_PIECE = 2**22  # provisional codes that are translated together


class CodeFile:
    """A table of codes on disk, as `open_codes` gives it.

    Attributes
    ----------
    path : Path
        The file.
    codes : ndarray of shape (n_samples, n_features)
        The codes, unsigned, column after column, mapped from the file: what is written
        into them never reaches it. A missing value has the code `len(categories[j])`.
    categories : list of arrays
        The categories of each column, in their order.
    feature_names : list of str
        The names of the columns.
    shape : tuple
        Numbers of rows and columns.
    dtype : numpy type
        The type of the codes.
    has_missing : bool
        Whether any cell has no value.
    """

    def __init__(self, path):
        self.path = Path(path)
        columns = np.load(self.path, mmap_mode="c")
        with open(self.path, "rb") as file:
            file.seek(columns.offset + columns.nbytes)
            written = file.read()
        if not written:
            raise ValueError(f"path must be a file of write_codes, got {path}")
        head = from_json(written)
        self.codes = np.asarray(columns).T
        self.categories = head["categories"]
        self.feature_names = head["names"]
        self.holes = head["holes"]
        self.has_missing = any(self.holes)
        self.shape, self.dtype = self.codes.shape, self.codes.dtype

    def __len__(self):
        return self.shape[0]

    def __reduce__(self):
        return CodeFile, (self.path,)

    def frame(self, rows=slice(None)) -> pd.DataFrame:
        "Some rows, a slice or their numbers, as a frame of pandas categories."
        columns = self.codes[rows].astype(np.int32).T
        found = {}
        for name, levels, column in zip(self.feature_names, self.categories, columns):
            column[column == len(levels)] = -1  # missing, for pandas
            found[name] = pd.Categorical.from_codes(column, levels)
        return pd.DataFrame(found)

    def frames(self):
        "All rows as frames, a part after the other."
        for first in range(0, len(self), _ROWS):
            yield self.frame(slice(first, first + _ROWS))


def open_codes(path) -> CodeFile:
    """A file of codes, opened.

    Parameters
    ----------
    path : str or path
        The file that `write_codes` has made.

    Returns
    -------
    CodeFile
        Its codes, mapped, with what its columns are.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    ValueError
        For another file.
    """
    return CodeFile(path)


def learn_from_file(encoder: CategoryEncoder, file: CodeFile) -> None:
    "Keep the categories of a file in `encoder`; ValueError for gaps it does not allow."
    if file.has_missing and encoder.missing == "error":
        raise ValueError(
            f"X must not hold missing values, got some in {file.path}: pass "
            "missing='category' or missing='ignore'"
        )
    # a frame with each category, and a missing value where the file has one
    columns, most = {}, max(map(len, file.categories)) + 1
    for name, levels, hole in zip(file.feature_names, file.categories, file.holes):
        codes = np.arange(most)
        codes[len(levels) :] = -1 if hole else 0
        columns[name] = pd.Categorical.from_codes(codes, levels)
    learn(encoder, pd.DataFrame(columns))


class _Spool:
    "A column that is being read: its values so far, and a file of provisional codes."

    def __init__(self, name, path):
        self.name, self.path = name, path
        self.kind = None  # the type of its values in Arrow
        self.numbers = {}  # from values to provisional codes; None is a missing one

    def add(self, column):
        "Write the provisional codes of a part: a new value gets the next number."
        for chunk in column.chunks:
            if not hasattr(chunk, "dictionary"):
                chunk = chunk.dictionary_encode()
            values = [*chunk.dictionary.to_pylist(), None]
            places = chunk.indices.fill_null(len(values) - 1).to_numpy(False)
            table = np.zeros(len(values), np.uint16)
            for place in np.flatnonzero(np.bincount(places)):
                value = values[place] if values[place] == values[place] else None
                number = self.numbers.setdefault(value, len(self.numbers))
                if number >= _MOST:
                    raise ValueError(
                        f"columns must have at most {_MOST} categories, got more in "
                        f"{self.name!r}: does it number the rows? Leave it out"
                    )
                table[place] = number
            if len(chunk.dictionary):
                self.kind = self.kind or chunk.dictionary.type
            with open(self.path, "ab") as file:
                file.write(table[places])

    def categories(self, arrow):
        "The categories in their order, and the code of each provisional code."
        known = [value for value in self.numbers if value is not None]
        if not known:
            return np.empty(0, object), np.zeros(1, int)
        column = arrow.array(known, self.kind).to_pandas()
        codes, [levels] = encode(pd.DataFrame({"": column}))
        final = np.full(len(self.numbers), len(levels))
        final[[value is not None for value in self.numbers]] = codes[:, 0]
        return levels, final


def _tables(source, columns, arrow):
    "The Arrow tables of a source, one after the other."
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        source = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    elif hasattr(source, "files"):  # a dataset of Parquet files
        source = source.files
    elif hasattr(source, "columns") or hasattr(source, "__arrow_c_array__"):
        source = [source]
    for part in source:
        if not isinstance(part, (str, os.PathLike)):
            yield part if isinstance(part, arrow.Table) else arrow.table(part)
            continue
        schema = arrow.parquet.read_schema(part)
        flat = [field.name for field in schema if not arrow.types.is_nested(field.type)]
        # dictionaries: each text is looked at once
        file = arrow.parquet.ParquetFile(part, read_dictionary=flat)
        for batch in file.iter_batches(_ROWS, columns=columns):
            yield arrow.Table.from_batches([batch])


def _read(tables, columns, folder, run):
    "The spools of some Arrow tables that have the same columns, and their rows."
    spools, n_rows = [], 0
    for table in tables:
        if not spools:
            # without the columns of which pandas would make the index
            index = (table.schema.pandas_metadata or {}).get("index_columns", [])
            names = columns or [one for one in table.column_names if one not in index]
            spools = [_Spool(name, folder / str(j)) for j, name in enumerate(names)]
        list(run(_Spool.add, spools, table.select(names).columns))
        n_rows += len(table)
    if not n_rows:
        raise ValueError("source must have at least one row, got none")
    return spools, n_rows


def _write(file, spools, learnt, n_rows):
    "Write the array of codes, and behind it what its columns are."
    dtype = smallest_unsigned(max(len(final) for _, final in learnt))
    shape = len(spools), n_rows
    header = dict(descr=dtype.str, fortran_order=False, shape=shape)
    np.lib.format.write_array_header_1_0(file, header)
    for spool, (_, final) in zip(spools, learnt):
        table = final.astype(dtype)
        with open(spool.path, "rb") as provisional:
            while len(piece := np.fromfile(provisional, np.uint16, _PIECE)):
                file.write(table[piece])
        os.remove(spool.path)
    head = dict(
        names=[spool.name for spool in spools],
        categories=[levels for levels, _ in learnt],
        holes=[None in spool.numbers for spool in spools],
    )
    file.write(json.dumps(to_json(head)).encode())


def write_codes(
    source,
    path,
    *,
    columns=None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> CodeFile:
    """Write a table, which may be larger than memory, as a file of codes, in one pass.

    Parameters
    ----------
    source : path, pyarrow dataset, frame, or iterator of Arrow batches or frames
        A path is that of a Parquet file, or of a folder of them.
    path : str or path
        The file to make, for instance "big.codes".
    columns : list of str, default=None
        Names of the columns to keep; None for all.
    n_jobs : int, default=None
        Number of threads; None for one, -1 for all processors.
    progress : bool, default=None
        Whether a bar is shown; None: on a terminal.

    Returns
    -------
    CodeFile
        The file, opened.

    Raises
    ------
    FileExistsError
        Where `path` is there.
    ValueError
        For a column with more than 65,536 categories, and for a source without rows.
    """
    with extra("big"):
        import pyarrow as arrow
        import pyarrow.parquet  # noqa: F401
    with extra("data"):
        from tqdm import tqdm
    target = Path(path)
    if os.path.lexists(target):
        raise FileExistsError(f"path must not exist yet, got {target}")
    hidden = None if progress is None else not progress
    with (
        TemporaryDirectory(dir=target.absolute().parent) as folder,
        threads(count_threads(n_jobs)) as run,
    ):
        folder = Path(folder)
        tables = tqdm(_tables(source, columns, arrow), "parts", disable=hidden)
        spools, n_rows = _read(tables, columns, folder, run)
        learnt = [spool.categories(arrow) for spool in spools]
        with open(folder / "codes", "wb") as file:
            _write(file, spools, learnt, n_rows)
        os.replace(folder / "codes", target)
    return open_codes(target)
