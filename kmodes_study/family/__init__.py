"""Relatives of k-modes."""

from .fuzzy import FuzzyKModes, fuzzy_k_modes
from .kprototypes import KPrototypes
from .latent_classes import LatentClasses
from .prototypes import column_spreads, estimate_gamma, standard_weights
from .relatives import bisect_modes, cheapest_cuts, grow_tree, k_means, k_medians
from .relatives import k_medoids, labels_at, tree_labels
from .rock_clustering import ROCK, jaccard_neighbours, links, rock

__all__ = [
    "KPrototypes",
    "estimate_gamma",
    "standard_weights",
    "column_spreads",
    "LatentClasses",
    "FuzzyKModes",
    "fuzzy_k_modes",
    "ROCK",
    "rock",
    "jaccard_neighbours",
    "links",
    "bisect_modes",
    "labels_at",
    "grow_tree",
    "tree_labels",
    "k_means",
    "k_medians",
    "k_medoids",
    "cheapest_cuts",
]
