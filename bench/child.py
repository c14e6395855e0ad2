"""One side of one row in a process of its own: prints its peak memory as JSON. Called
by `measure.in_child`.
"""

import json
import sys
from dataclasses import replace

from .measure import peak_mb, reset_peak, tiny
from .rows import find


def main(name, side, quick, n):
    row = find(name)
    function, size = getattr(row, side), tiny(row.size) if int(quick) else row.size
    if int(n):
        size = replace(size, n=int(n))
    function(*row.data(tiny(size)))  # imports and compilation are not what is asked
    data = row.data(size)
    reset_peak()
    before = peak_mb()
    function(*data)
    print(
        json.dumps(
            dict(peak_mb=round(peak_mb(), 1), extra_mb=round(peak_mb() - before, 1))
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
