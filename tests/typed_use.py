"""A user's program, which is not run: `make lint` has mypy look whether the hints of
the package fit together where a user meets them.
"""

from typing import Any, assert_type

import numpy as np
import pandas as pd

from kmodes_study import CategoryEncoder, KModes, KPrototypes, encode
from kmodes_study.describe import describe_clusters, k_scan
from kmodes_study.family import LatentClasses, tree_labels
from kmodes_study.measures import adjusted_rand_score, gower_distances, silhouette_score
from kmodes_study.storage import CodeFile, open_codes

table = pd.read_csv("nbs/guests.csv")
model = KModes(3, init="cao", n_init="auto", max_time=None, n_jobs=None)
assert_type(model.fit(table), KModes)
labels: np.ndarray[Any, Any] = model.labels_
assert_type(model.n_iter_, int)
modes: np.ndarray[Any, Any] = model.cluster_centroids_
KModes(n_clusters=2, missing="ignore", feature_weight={"with": 2}).predict(table)
KPrototypes(2, gamma="variance").fit(table)
LatentClasses(2, random_state=0).fit(table)
CategoryEncoder(missing="category").fit(table).transform(table)
codes, categories = encode(table)
score: float = adjusted_rand_score(model.labels_, [0] * 12)
silhouette_score(table, model.labels_, sample_size=None, n_jobs=None)
gower_distances(table, n_jobs=None)
tree_labels(np.empty((3, 4)), height=None, n_clusters=2)
assert_type(open_codes("guests.codes"), CodeFile)
print(describe_clusters(table, model.labels_, n=2), k_scan(table, range(2, 5)))
KModes("three")  # type: ignore[arg-type]
