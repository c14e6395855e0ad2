"""Measures of clusterings, against known labels (contingency, pairs, information) or
from the data (silhouette).

Each public name is imported from its module when it is first used, so that
`import kmodes_study.measures` stays light.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "contingency",
        "pair_counting",
        "expected_information",
        "information",
        "assignment",
        "silhouette_gaps",
        "mixed_silhouette",
        "silhouette",
        "clusterability",
        "validity",
        "distances",
        "cohesion",
    ),
)
