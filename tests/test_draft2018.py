"The runs of 2018 and k-modes as a classifier: against plain forms."

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st
from sklearn import metrics

from kmodes_study.study.compare import compare, inexact, summarise
from kmodes_study.study.protocols.experiments2018 import (
    CLASSES_2018,
    SCORES,
    STARTS_2018,
    classify,
    codes_2018,
    prediction_scores,
    run_2018,
    stratified_split,
)
from kmodes_study.study.published import published


def test_rows_of_zoo_to_the_last_digit(load_or_skip):
    load_or_skip("zoo")
    codes, _ = codes_2018("zoo")
    fields = ["initial_cost", "final_cost", "n_iter"]
    runs = [
        dict(
            dataset="zoo",
            n_clusters=7,
            init=init,
            **run_2018(codes, CLASSES_2018["zoo"], init, seed)._asdict(),
        )
        for init in STARTS_2018
        for seed in range(25)
    ]
    comparison = compare(
        summarise(pd.DataFrame(runs), quantities=fields),
        published("wilde2018-06"),
        same_seeds=True,
    )
    assert len(comparison) == 9
    assert inexact(comparison) == ""


@given(st.lists(st.integers(2, 12), min_size=2, max_size=4), st.integers(0, 100))
def test_split_is_stratified_and_complete(sizes, seed):
    labels = np.repeat(list("abcd")[: len(sizes)], sizes)
    n_test = -(-len(labels) // 3)
    assume(n_test >= len(sizes))
    train, test = stratified_split(labels, seed=seed)
    assert sorted([*train, *test]) == list(range(len(labels)))
    assert len(test) == n_test
    for name, size in zip("abcd", sizes):
        assert abs((labels[test] == name).sum() - size * n_test / len(labels)) < 1


def test_names_of_classes_do_not_matter_and_pure_clusters_score_1():
    labels = np.repeat([5, 2, 9], 12)
    codes = np.repeat(np.eye(3, dtype=np.uint8), 12, axis=0)
    scores = classify(codes, labels)
    assert [scores[name] for name in SCORES] == pytest.approx([1] * 4)
    assert scores["cost"] == 0
    assert classify(codes, labels.astype(str)) == scores


def test_scores_of_predictions_are_scikit_learns():
    true, found = np.random.RandomState(0).randint(3, size=(2, 60))
    found[:25] = 4  # clusters and classes of other entropies
    scores = prediction_scores(true, found)
    assert scores["adjusted_mutual_info"] == pytest.approx(
        metrics.adjusted_mutual_info_score(true, found, average_method="max")
    )
    assert scores["adjusted_rand"] == pytest.approx(
        metrics.adjusted_rand_score(true, found)
    )
    assert scores["homogeneity"] == pytest.approx(
        metrics.homogeneity_score(true, found)
    )
    assert scores["completeness"] == pytest.approx(
        metrics.completeness_score(true, found)
    )


def test_the_cheapest_of_several_trainings_predicts():
    codes = np.random.RandomState(0).randint(3, size=(60, 5)).astype(np.uint8)
    labels = np.arange(60) % 4
    costs = np.array(
        [
            [
                classify(codes, labels, "random", n_init=n, seed=seed)["cost"]
                for n in (1, 2, 4, 8)
            ]
            for seed in range(4)
        ]
    )
    assert (np.diff(costs, axis=1) <= 0).all()
    assert (costs[:, 0] > costs[:, -1]).any()  # the first run is the same
