"""k-modes itself: dissimilarity and modes, the starts, the algorithms, and their
estimator `KModes`.
"""

from .algorithms.huang import huang
from .algorithms.lloyd import lloyd
from .algorithms.swaps import swap_search
from .algorithms.transfers import otqt
from .dissimilarity_tables import DISSIMILARITIES, CategoryTables
from .dissimilarity_tables import learn_tables, table_kmodes
from .estimator import KModes
from .modes import ClusteringResult, assign, category_counts, check_clustering
from .modes import cluster_costs, cost, fill_missing, matching, matching_distances
from .modes import modes_of
from .sampled import ALGORITHMS
from ..core.saved import load_model
from .starts.basic import INITIALISATIONS, init_cao, init_huang, init_random
from .starts.groups import init_bisecting, init_prominent, init_random_partition
from .starts.groups import init_refined
from .starts.matching import init_matching
from .starts.seeding import init_farthest, init_plus_plus

__all__ = [
    "KModes",
    "ALGORITHMS",
    "lloyd",
    "huang",
    "otqt",
    "swap_search",
    "ClusteringResult",
    "INITIALISATIONS",
    "init_random",
    "init_huang",
    "init_cao",
    "init_matching",
    "init_refined",
    "init_farthest",
    "init_bisecting",
    "init_plus_plus",
    "init_random_partition",
    "init_prominent",
    "matching",
    "matching_distances",
    "fill_missing",
    "modes_of",
    "assign",
    "category_counts",
    "check_clustering",
    "cost",
    "cluster_costs",
    "DISSIMILARITIES",
    "CategoryTables",
    "learn_tables",
    "table_kmodes",
    "load_model",
]
