"""Relatives of k-modes; each public name is imported from its module when it is first
used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "kprototypes",
        "spreads",
        "prototypes",
        "mixed",
        "kmeans",
        "pkmeans",
        "segmentation",
        "trees",
        "bisecting",
        "latent_classes",
        "partitional",
        "fuzzy",
        "rock_clustering",
    ),
)
