"""Measures of clusterings: against known labels (contingency, pair counting, information) and from the data alone (cost, silhouette).

Each public name is imported from its module when it is first used, so that `import kmodes_study.measures` stays light.
Where a module and its function share a name, as `cost` does, the name here is the module.
"""
from kmodes_study import _lazy_namespace

__getattr__, __dir__ = _lazy_namespace(__name__, ("contingency", "pair_counting", "information", "cost", "silhouette"))
