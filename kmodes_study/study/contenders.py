"What the contest of starts runs: the algorithms with batch passes after them."

import sys

from ..cluster.algorithms.huang import huang
from ..cluster.algorithms.lloyd import lloyd
from ..cluster.algorithms.swaps import swap_search
from ..cluster.algorithms.transfers import otqt

_MOST_SWAPS, _CELLS = 400, 40_000_000


def _short_search(codes, modes, **options):
    "The search with a bound on its swaps."
    most = min(_MOST_SWAPS, _CELLS // codes.size)
    return swap_search(codes, modes, max_swaps=most, **options)


def _then_batch(descend):
    "An algorithm, and batch passes after it."

    def algorithm(codes, modes, **options):
        moved = descend(codes, modes, **options)
        ends = lloyd(codes, moved.modes, max_iter=sys.maxsize)
        return moved._replace(labels=ends.labels, modes=ends.modes, cost=ends.cost)

    return algorithm


CONTENDERS = dict(
    otqt=_then_batch(otqt), lloyd=lloyd, huang=huang, swap=_then_batch(_short_search)
)


class DrawsApart:
    "A start after which an algorithm draws as if the start had drawn nothing."

    def __init__(self, start):
        self.start = start

    def __call__(self, codes, n_clusters, random_state):
        before = random_state.get_state()
        found = self.start(codes, n_clusters, random_state=random_state)
        random_state.set_state(before)
        return found
