"""Tables larger than memory: read part by part, or kept as codes. Names are imported
when they are first used.
"""

from kmodes_study import _lazy

__getattr__, __dir__ = _lazy(
    __name__,
    (
        "parts",
        "code_files",
    ),
)
