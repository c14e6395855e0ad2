"""Clusters named after classes: the best naming against all namings, and what renaming must not change."""
import numpy as np
from hypothesis import given, settings, strategies as st

from kmodes_study.measures.assignment import match_clusters, optimal_classification_error, purity_score
from oracles import plain

plain_occe = plain("1_measures/07_assignment", "plain_occe")
labellings = st.integers(1, 25).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, 4), min_size=n, max_size=n)]*2))


@settings(max_examples=60)
@given(labellings)
def test_the_best_of_all_namings(pair):
    u, v = pair
    error = optimal_classification_error(u, v)
    assert np.isclose(error, plain_occe(u, v))
    assert np.isclose(error, optimal_classification_error(v, u))
    assert 1 - purity_score(u, v) <= error + 1e-12 and 0 <= error < 1


@settings(max_examples=30)
@given(labellings, st.permutations(range(5)))
def test_names_do_not_matter(pair, names):
    u, v = pair
    renamed = [f"cluster {names[label]}" for label in v]
    assert np.isclose(optimal_classification_error(u, v), optimal_classification_error(u, renamed))
    assert np.isclose(purity_score(u, v), purity_score(u, renamed))


def test_the_naming_itself():
    classes, clusters, table = match_clusters(list("aabbcc"), [2, 2, 0, 0, 1, 1])
    assert table[classes, clusters].tolist() == [2, 2, 2] and clusters.tolist() == [2, 0, 1]
