# ruff: noqa: F403
from . import cluster as cluster, data as data, describe as describe, exact as exact, family as family
from . import measures as measures, storage as storage, study as study
from .cluster.estimator import KModes as KModes
from .core.codes import CategoryEncoder as CategoryEncoder, encode as encode, decode as decode
from .data.files import list_datasets as list_datasets
from .core.diagnosis import diagnose as diagnose, TableWarning as TableWarning
from .family.kprototypes import KPrototypes as KPrototypes
from .data.loaders import *

__version__: str
