"""What a user asks of a table and of a clustering: kinds of columns, how many clusters,
profiles, words and pictures.
"""

from ..core.columns import column_kinds
from .auto import cluster_table, fit_plan, plan_table, scan_plan
from .choice_of_k import KScan, choose_k, code_length, k_scan, plot_k_scan
from .cluster_plots import (
    plot_columns,
    plot_dendrogram,
    plot_distances,
    plot_modes,
    plot_silhouette,
)
from .film import draw_film, kmodes_frames, swap_frames, transfer_frames
from .maps import famd, mca, pca, plot_embedding, tsne
from .plots import (
    plot_cdf,
    plot_costs,
    plot_figure,
    plot_knee,
    style,
)
from .profiles import category_profiles, cluster_profiles
from .stability import cluster_stability
from .words import column_importance, describe_clusters

__all__ = [
    "KScan",
    "category_profiles",
    "choose_k",
    "cluster_profiles",
    "cluster_stability",
    "cluster_table",
    "code_length",
    "column_importance",
    "column_kinds",
    "describe_clusters",
    "draw_film",
    "famd",
    "fit_plan",
    "k_scan",
    "kmodes_frames",
    "mca",
    "pca",
    "plan_table",
    "plot_cdf",
    "plot_columns",
    "plot_costs",
    "plot_dendrogram",
    "plot_distances",
    "plot_embedding",
    "plot_figure",
    "plot_k_scan",
    "plot_knee",
    "plot_modes",
    "plot_silhouette",
    "scan_plan",
    "style",
    "swap_frames",
    "transfer_frames",
    "tsne",
]
