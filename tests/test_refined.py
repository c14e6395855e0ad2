"""Refined starts: what the notebook does not show by hand."""

import numpy as np
from numpy.testing import assert_array_equal

from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.starts.groups import init_refined
from kmodes_study.data.synthetic import make_planted_clusters
from oracles.starts import plain_refined

PLANTED = make_planted_clusters(
    200, 8, n_levels=3, n_clusters=4, noise=0.4, random_state=0
).codes


def test_is_the_plain_form_on_rows_that_repeat():
    for seed in range(40):
        rng = np.random.RandomState(seed)
        codes = rng.randint(3, size=(30, 3))
        codes[rng.random_sample(30) < 0.7] = 0  # so that samples are drawn again
        ours = np.random.RandomState(seed)
        samples = []
        starts = []
        for _ in range(3):
            size = 6
            # a sample with too few different rows is drawn again, twice as large
            while True:
                rows = list(map(tuple, codes[ours.permutation(30)[:size]].tolist()))
                different = list(dict.fromkeys(rows))[:3]
                if len(different) == 3:
                    break
                size *= 2
            samples.append([list(row) for row in rows])
            starts.append([list(row) for row in different])
        found = init_refined(codes, 3, random_state=seed, n_samples=3, sample_size=6)
        assert_array_equal(found, plain_refined(samples, starts))


def test_many_samples_of_all_rows_are_one_run_from_their_best_start():
    """With samples of all rows the votes are clusterings of the data, and modes of
    modes are near to them.
    """
    found = init_refined(
        PLANTED, 4, random_state=0, n_samples=20, sample_size=len(PLANTED)
    )
    best = min(
        lloyd(PLANTED, PLANTED[rows]).cost
        for rows in np.random.RandomState(1).randint(len(PLANTED), size=(200, 4))
        if len(np.unique(PLANTED[rows], axis=0)) == 4
    )
    assert lloyd(PLANTED, found).cost <= best * 1.02


def test_a_sample_has_five_rows_for_each_cluster_and_a_tenth_of_many():
    for n, k, size in (40, 4, 20), (300, 2, 30):
        codes = make_planted_clusters(
            n, 6, n_levels=4, n_clusters=k, noise=0.5, random_state=1
        ).codes
        for seed in range(3):
            assert_array_equal(
                init_refined(codes, k, random_state=seed),
                init_refined(codes, k, random_state=seed, sample_size=size),
            )
