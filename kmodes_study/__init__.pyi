from . import cluster as cluster
from . import data as data
from . import describe as describe
from . import exact as exact
from . import family as family
from . import measures as measures
from . import storage as storage
from . import study as study
from .cluster import KModes as KModes
from .core.codes import CategoryEncoder as CategoryEncoder
from .core.codes import decode as decode
from .core.codes import encode as encode
from .core.columns import TableWarning as TableWarning
from .core.columns import diagnose as diagnose
from .data import list_datasets as list_datasets
from .data import load as load
from .family import KPrototypes as KPrototypes

__version__: str
