"""Measures of clusterings, against known labels (contingency, pairs, information) or
from the data (silhouettes, distances, cohesion, validity).
"""

from .cohesion import (
    categorical_hopkins,
    cluster_distances,
    cophenetic_correlation,
    hopkins,
)
from .contingency import (
    classification_scores,
    contingency_matrix,
    match_clusters,
    normalized_clustering_accuracy,
    optimal_classification_error,
    purity_score,
)
from .distances import gower_distances, hamming_distances
from .information import (
    adjusted_mutual_info_score,
    completeness_score,
    entropy,
    expected_mutual_information,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    v_measure_score,
)
from .pair_counting import (
    adjusted_rand_score,
    pair_counts,
    pair_jaccard_score,
    rand_score,
)
from .silhouette import silhouette_samples, silhouette_score
from .validity import validity_indices, validity_of_distances

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "categorical_hopkins",
    "classification_scores",
    "cluster_distances",
    "completeness_score",
    "contingency_matrix",
    "cophenetic_correlation",
    "entropy",
    "expected_mutual_information",
    "gower_distances",
    "hamming_distances",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "hopkins",
    "match_clusters",
    "mutual_info_score",
    "normalized_clustering_accuracy",
    "optimal_classification_error",
    "pair_counts",
    "pair_jaccard_score",
    "purity_score",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "v_measure_score",
    "validity_indices",
    "validity_of_distances",
]
