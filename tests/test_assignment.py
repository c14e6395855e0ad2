"""Clusters named after classes: the best naming against all namings, and what renaming
must not change.
"""

from itertools import permutations

import numpy as np
from hypothesis import given, settings, strategies as st

from kmodes_study.measures.contingency import (
    NAMINGS,
    classification_scores,
    match_clusters,
    optimal_classification_error,
    purity_score,
)
from oracles.contingency import plain_occe

labellings = st.integers(1, 25).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)] * 2)
)


@settings(max_examples=60)
@given(labellings)
def test_the_best_of_all_namings(pair):
    u, v = pair
    error = optimal_classification_error(u, v)
    assert np.isclose(error, plain_occe(u, v))
    assert np.isclose(error, optimal_classification_error(v, u))
    assert 1 - purity_score(u, v) <= error + 1e-12
    assert 0 <= error < 1


@settings(max_examples=30)
@given(labellings, st.permutations(range(5)))
def test_names_do_not_matter(pair, names):
    u, v = pair
    renamed = [f"cluster {names[label]}" for label in v]
    assert np.isclose(
        optimal_classification_error(u, v), optimal_classification_error(u, renamed)
    )
    assert np.isclose(purity_score(u, v), purity_score(u, renamed))


def test_the_naming_itself():
    classes, clusters, table = match_clusters(list("aabbcc"), [2, 2, 0, 0, 1, 1])
    assert table[classes, clusters].tolist() == [2, 2, 2]
    assert clusters.tolist() == [2, 0, 1]


def plain_scores(labels_true, labels_pred):
    "Accuracy, precision and recall by majority, point by point."
    clusters = sorted(set(labels_pred))
    right, precisions, recalls = 0, [], []
    for cluster in clusters:
        members = [u for u, v in zip(labels_true, labels_pred) if v == cluster]
        name = max(sorted(set(members)), key=members.count)
        right += members.count(name)
        precisions.append(members.count(name) / len(members))
        recalls.append(members.count(name) / list(labels_true).count(name))
    return right / len(labels_true), np.mean(precisions), np.mean(recalls)


def plain_best_scores(labels_true, labels_pred):
    """Accuracy, precision and recall of every one-to-one naming with the fewest errors,
    from all namings.
    """
    classes = sorted(set(labels_true))
    clusters = sorted(set(labels_pred))
    pairs = list(zip(labels_true, labels_pred))
    names = classes + [None] * max(len(clusters) - len(classes), 0)
    found = []
    for chosen in permutations(names, len(clusters)):
        right = [pairs.count(pair) for pair in zip(chosen, clusters)]
        precisions = [a / labels_pred.count(l) for a, l in zip(right, clusters)]
        named = [(a, name) for a, name in zip(right, chosen) if name is not None]
        recalls = sum(a / labels_true.count(name) for a, name in named)
        accuracy = sum(right) / len(pairs)
        found.append((accuracy, np.mean(precisions), recalls / len(classes)))
    return [scores for scores in found if np.isclose(scores[0], max(found)[0])]


@settings(max_examples=60)
@given(labellings)
def test_scores_of_named_clusters(pair):
    u, v = pair
    majority, best = (classification_scores(u, v, naming) for naming in NAMINGS)
    assert np.allclose(majority, plain_scores(u, v))
    assert np.isclose(majority.accuracy, purity_score(u, v))
    assert np.isclose(best.accuracy, 1 - optimal_classification_error(u, v))
    assert any(np.allclose(best, scores) for scores in plain_best_scores(u, v))
