"""Where a raw file is found, how it is fetched, and the proof that it is the right one."""

import gzip
import hashlib
import lzma
import os
import warnings
from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..core.checks import extra
from . import computed
from .sets import ARCHIVE, DATASETS, Dataset, File, find_dataset

__all__ = ["MissingDataError", "DownloadError", "fetch", "list_datasets"]

TABLES = Path(__file__).with_name("tables")


class MissingDataError(FileNotFoundError):
    "A raw file is not at hand."


class DownloadError(MissingDataError):
    "A raw file is not at hand and could not be fetched."


def _pooch():
    "The module pooch, without tqdm's warning that a notebook could have widgets."
    with extra("data"), warnings.catch_warnings(action="ignore"):
        import pooch
    pooch.get_logger().setLevel("WARNING")
    return pooch


def _cache(data_home):
    "The folder in which fetched files are kept."
    home = _pooch().os_cache("kmodes_study") if data_home is None else data_home
    return Path(home).expanduser()


def _homes(data_home):
    "The folders in which raw files are looked for, in this order."
    named = filter(None, [data_home, os.environ.get("KMODES_STUDY_DATA")])
    yield from (Path(home).expanduser() for home in named)
    yield TABLES
    with suppress(ModuleNotFoundError):
        yield _cache(None)


def _unlzw(data):
    "The contents of a file of the Unix program compress."
    with extra("data"):
        from unlzw3 import unlzw
    return unlzw(data)


_OPEN = {"": bytes, ".gz": gzip.decompress, ".Z": _unlzw, ".xz": lzma.decompress}


def _locate(dataset, file, data_home):
    "The path of a file, plain or compressed, and its ending; None: it is in no folder."
    for home in _homes(data_home):
        for ending in _OPEN:
            path = home / dataset.name / f"{file.name}{ending}"
            if path.is_file():
                return path, ending


def _download(dataset, file, data_home, progress):
    "Fetch a file from the archive, or from the mirror that KMODES_STUDY_BASE_URL names."
    pooch = _pooch()
    base = (os.environ.get("KMODES_STUDY_BASE_URL") or ARCHIVE).rstrip("/")
    folder, _, name = f"{base}/{file.path}".rpartition("/")
    compressed = name != file.name  # pooch does not open what compress has made
    fetcher = pooch.create(
        _cache(data_home) / dataset.name,
        folder + "/",
        registry={name: None if compressed else f"sha256:{file.sha256}"},
        retry_if_failed=1,
    )
    ask = pooch.HTTPDownloader(progressbar=progress, timeout=10)
    try:
        path = Path(fetcher.fetch(name, downloader=ask))
    except (OSError, ValueError) as error:
        raise DownloadError(
            f"{file.name} of {dataset.name!r} could not be fetched from "
            f"{folder}/{name}: {error}"
        ) from error
    return path, ".Z" if compressed else ""


def read_file(dataset: Dataset, file: File, data_home, download=True, progress=True):
    "The contents of a raw file, when they are right, and its path, or 'computed'."
    if dataset.computed:
        return getattr(computed, dataset.name.replace("-", "_"))(), "computed"
    found = _locate(dataset, file, data_home)
    if found is None and not download:
        raise MissingDataError(
            f"{dataset.name}/{file.name} is not in data_home={data_home!r}, in "
            "KMODES_STUDY_DATA or among what was fetched: run "
            f"`kmodes-study data fetch {dataset.name}`, or load with download=True"
        )
    path, ending = found or _download(dataset, file, data_home, progress)
    contents = _OPEN[ending](path.read_bytes())
    sha256 = hashlib.sha256(contents).hexdigest()
    if sha256 != file.sha256:
        raise ValueError(
            f"{path} must have the SHA-256 {file.sha256}, got {sha256}: it is damaged "
            "or another version, remove it"
        )
    return contents, path


def fetch(name: str, data_home=None, progress: bool = True) -> dict:
    """Download the files of a set that are not at hand, and check all of them.

    Parameters
    ----------
    name : str
        of a set
    data_home : path or None, default=None
        where to look, and to keep what is fetched; None: as in `load`, and the user's
        cache
    progress : bool, default=True
        show a progress bar

    Returns
    -------
    dict
        file name -> its path, or "computed"

    Raises
    ------
    DownloadError
        when a file cannot be had, or what comes is not the file
    ValueError
        when a file at hand is damaged
    """
    dataset = find_dataset(name)
    return {
        file.name: read_file(dataset, file, data_home, progress=progress)[1]
        for file in dataset.files.values()
    }


def list_datasets(data_home=None) -> pd.DataFrame:
    """All sets, their sizes, and where they are.

    Parameters
    ----------
    data_home : path or None, default=None
        as in `load`

    Returns
    -------
    pd.DataFrame
        one row a file; `where` is its path, "computed" or "absent"
    """
    rows = []
    for dataset in DATASETS.values():
        for subset, file in dataset.files.items():
            path, _ = _locate(dataset, file, data_home) or ("absent", "")
            rows.append(
                dict(
                    name=dataset.name,
                    subset=subset,
                    rows=file.rows,
                    attributes=len(dataset.of_kind("category", "number")),
                    classes=file.classes,
                    missing_cells=file.missing,
                    complete_rows=file.rows if file.complete is None else file.complete,
                    where="computed" if dataset.computed else str(path),
                )
            )
    return pd.DataFrame(rows)
