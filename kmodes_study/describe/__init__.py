"""What a user asks of a clustering: profiles of clusters, and pictures. Names are
imported when they are first used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "kinds_of_columns",
        "profiles",
        "words",
        "plots",
        "cluster_plots",
        "column_plots",
        "mixed_plane",
        "description_length",
        "choice_of_k",
        "mixed_scan",
        "stability",
        "embedding",
    ),
    moved={
        "save_model": "kmodes_study.cluster",
        "load_model": "kmodes_study.cluster",
        "labels_of": "kmodes_study.core.labels",
    },
)
