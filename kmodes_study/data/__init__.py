"""Data sets of the UCI archive, planted clusters and questionnaires."""

from .files import DownloadError, MissingDataError, fetch, list_datasets
from .loaders import load
from .questionnaires import (
    AGREEMENT,
    make_survey,
    split_answers,
    step_columns,
    weights_by_group,
)
from .sets import DATASETS, describe
from .synthetic import make_planted_clusters, toy_vehicles

__all__ = [
    "AGREEMENT",
    "DATASETS",
    "DownloadError",
    "MissingDataError",
    "describe",
    "fetch",
    "list_datasets",
    "load",
    "make_planted_clusters",
    "make_survey",
    "split_answers",
    "step_columns",
    "toy_vehicles",
    "weights_by_group",
]
