"""Data sets of the UCI archive, planted clusters and questionnaires."""

from . import loaders
from .files import DownloadError, MissingDataError, available, fetch, list_datasets
from .loaders import *  # noqa: F403
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
    "available",
    "describe",
    "fetch",
    "list_datasets",
    "make_planted_clusters",
    "make_survey",
    "split_answers",
    "step_columns",
    "toy_vehicles",
    "weights_by_group",
]
__all__ += loaders.__all__
