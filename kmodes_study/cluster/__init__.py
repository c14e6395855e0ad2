"""k-modes itself: dissimilarity and modes, the initialisations, the algorithms, and their estimator `KModes`.

Each public name is imported from its module when it is first used, so that `import kmodes_study.cluster` stays light.
"""
from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(__name__, (
    "dissimilarity",
    "gaps",
    "modes",
    "seeding",
    "starts",
    "stable_matching",
    "batch",
    "online",
    "lanes",
    "search",
    "frequencies",
    "refined",
    "halving",
    "prominent",
    "bounds",
    "optima",
    "fitting",
    "estimator",
    "saved",
    "blocks",
    "stream",
    "sampled",
))
