"""Clusterings of categorical data: dissimilarity and modes, the initialisations, the algorithms, and their estimators.

Each public name is imported from its module when it is first used, so that `import kmodes_study.cluster` stays light.
Where a module and its function share a name, as `matching` does, the name here is the module. What stands in for another
package under that package's names is in a module of its own and not repeated here.
"""
from kmodes_study import _lazy_namespace

__getattr__, __dir__ = _lazy_namespace(__name__, (
    "dissimilarity", "partial", "modes", "initialisation", "matching", "kmodes", "transfer", "batch", "estimator", "kprototypes", "profiles"))
