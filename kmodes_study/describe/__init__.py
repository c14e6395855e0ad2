"""What a user asks of a clustering: profiles of clusters, and pictures. Names are
imported when they are first used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "profiles",
        "plots",
        "cluster_plots",
        "description_length",
        "choice_of_k",
        "embedding",
    ),
    moved=dict.fromkeys(("save_model", "load_model"), "kmodes_study.cluster"),
)
