"""k-modes itself: dissimilarity and modes, the initialisations, the algorithms, and
their estimator `KModes`.

Each public name is imported from its module when it is first used, so that
`import kmodes_study.cluster` stays light.
"""

from kmodes_study import _lazy

_EXACT = (
    "bounds",
    "warm_prices",
    "PricedModes",
    "modes_of_value",
    "lower_bound",
    "optima",
    "Certificate",
    "Proof",
    "prove_optimum",
    "LimitReached",
    "check_certificate",
    "optimal_partitions",
)

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "dissimilarity",
        "gaps",
        "empty",
        "modes",
        "starts",
        "algorithms.lloyd",
        "algorithms.huang",
        "algorithms.transfers",
        "algorithms.swaps",
        "dissimilarity_tables",
        "numbers",
        "profiles",
        "base",
        "estimator",
        "saved",
        "blocks",
        "stream",
        "sampled",
    ),
    moved=dict.fromkeys(_EXACT, "kmodes_study.exact"),
)
