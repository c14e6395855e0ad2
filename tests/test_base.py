"What the clusterers share: the weights of their rows."

import numpy as np
import pytest

from kmodes_study.cluster.base import clusterer_weights


@pytest.mark.parametrize(
    "given, kind",
    [([2.0, 1.0, 0.0], "i"), ([2, 1, 0], "i"), ([2.5, 1.0, 0.0], "f"), (3.0, "i")],
)
def test_whole_weights_are_whole_numbers(given, kind):
    weights = clusterer_weights(given, 3)
    assert weights.dtype.kind == kind
    assert weights.tolist() == np.broadcast_to(given, 3).tolist()


def test_weights_of_one_are_none():
    assert clusterer_weights([1.0, 1.0], 2) is None
