"""A descent that begins on a sample: what the algorithm is given, what is settled
afterwards, and that nothing is lost.
"""

import numpy as np
import pytest

from kmodes_study.cluster.algorithms.swaps import swap_search
from kmodes_study.cluster.algorithms.transfers import otqt, otqt_rows
from kmodes_study.cluster.modes import ClusteringResult, check_clustering
from kmodes_study.cluster.sampled import ALGORITHMS, has_ties, sample_places, settled
from kmodes_study.core.kernels import nearest_modes
from kmodes_study.core.rows import Rows
from kmodes_study.data.synthetic import make_planted_clusters

pytestmark = pytest.mark.usefixtures("small_tables")

CODES = make_planted_clusters(
    500, 6, n_levels=5, n_clusters=3, noise=0.4, random_state=0
).codes
TIMES = np.random.RandomState(1).randint(1, 50, 500)


class Onlooker:
    """An algorithm that notes what it is given, and returns the modes that it is given,
    or others.
    """

    def __init__(self, modes=None):
        self.modes, self.seen = modes, []

    def __call__(self, rows, modes, *, max_iter, **options):
        self.seen.append((rows.codes, rows.weights))
        modes = modes if self.modes is None else self.modes
        labels, distances = rows.nearest(modes)
        return ClusteringResult(
            labels, modes, int(distances.sum()), 0, [int(distances.sum())], True
        )


def test_the_sample_has_the_weights_of_its_rows():
    look = Onlooker()
    settled(look, 100)(Rows.of(CODES, TIMES), CODES[:3])
    ((rows, weights),) = look.seen
    places = sample_places(CODES, 100)
    assert len(set(places.tolist())) == 100
    assert (rows == CODES[places]).all()
    assert (weights == TIMES[places]).all()


def test_a_weighted_sample_is_that_of_the_rows_that_are_seen():
    """The rows that the sample does not have weigh nothing in it: the result is that of
    the algorithm on the sample.
    """
    found = settled(otqt_rows, 100)(Rows.of(CODES, TIMES), CODES[:3])
    check_clustering(CODES, found.labels, found.modes, found.cost, sample_weight=TIMES)
    places = sample_places(CODES, 100)
    began = otqt(CODES[places], CODES[:3], sample_weight=TIMES[places])
    ends = settled(Onlooker(began.modes), 100)(Rows.of(CODES, TIMES), CODES[:3])
    assert (found.modes == ends.modes).all()
    assert found.cost == ends.cost


def test_many_clusters_have_a_larger_sample():
    look = Onlooker()
    start = np.unique(CODES, axis=0)[:128]
    settled(look, 100)(Rows.of(CODES), start)
    assert len(look.seen[0][0]) == 200


def test_a_sample_that_leads_astray_is_not_followed():
    """The cost is never above that of the start, whatever the algorithm makes of the
    sample.
    """
    planted = make_planted_clusters(
        500, 8, n_levels=4, n_clusters=6, noise=0.15, random_state=0
    )
    codes, start = planted.codes, planted.modes
    lost = np.repeat(start[:1], 6, axis=0)
    # all beside the first mode
    lost[np.arange(1, 6), np.arange(5)] = (lost[np.arange(1, 6), np.arange(5)] + 1) % 4
    best = nearest_modes(codes, start)[1].sum()
    # it does lead astray
    assert settled(Onlooker(lost), 100)(Rows.of(codes), lost).cost > best
    assert settled(Onlooker(lost), 100)(Rows.of(codes), start).cost <= best


@pytest.mark.parametrize(
    "weights, expected", [(None, True), ([1, 1], True), ([2, 1], False)]
)
def test_ties_are_ties_of_weights(weights, expected):
    rows = Rows.of(np.array([[0, 1], [1, 1]], np.uint8), weights)
    assert has_ties(rows, np.zeros(2, np.int32), 1) is expected


def test_a_removal_by_its_name_is_the_one_that_is_asked_for():
    found = ALGORITHMS["swap"](
        CODES, CODES[:3], random_state=0, removal="LEAST", max_swaps=20
    )
    alone = swap_search(CODES, CODES[:3], random_state=0, removal="least", max_swaps=20)
    assert found.epoch_costs == alone.epoch_costs


def test_a_sample_has_the_same_rows_in_whatever_order_they_come():
    random = np.random.RandomState(0)
    codes = np.unique(random.randint(4, size=(2000, 8)).astype(np.uint8), axis=0)
    order = random.permutation(len(codes))
    drawn = codes[sample_places(codes, 50)]
    assert np.array_equal(drawn, codes[order][sample_places(codes[order], 50)])
    # and they are spread: sorted rows would all begin alike
    assert len(np.unique(drawn[:, 0])) == 4
