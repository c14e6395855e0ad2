"""k-modes clustering of categorical data: the measures, the initialisations, the
algorithms and the published tables.

Each name is imported when it is first used, so that `import kmodes_study` stays light.
"""

import lazy_loader as _lazy

__version__ = "0.2.0"
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
