"Missing values: the weights that rows have because of them, and the mode of a cluster."

from fractions import Fraction

from kmodes_study.cluster.modes import distances_of_rows
from kmodes_study.core.codes import as_codes
from kmodes_study.core.rows import Rows, in_partial_units


def partial_weights(codes, missing_codes, sample_weight=None):
    "The weights m/m(x) times those of the sample as whole numbers, and their unit."
    rows = Rows.of(codes, sample_weight, missing_codes)
    return in_partial_units(rows.weights, rows.n_values, rows.shape[1])


def plain_partial_mode(rows, weights, n_categories):
    "For each attribute the observed category of greatest summed u, the lowest on ties."
    u = [w * Fraction(len(x), len(x) - x.count(None)) for x, w in zip(rows, weights)]

    def total(j, c):
        return sum(share for x, share in zip(rows, u) if x[j] == c)

    return [
        max(range(n_categories), key=lambda c: total(j, c)) for j in range(len(rows[0]))
    ]


def partial_distances(codes, modes, missing_codes):
    "The partial dissimilarities of all rows to all modes, shape (n, k)."
    rows = Rows.of(codes, missing_codes=missing_codes)
    return distances_of_rows(rows, as_codes(modes, "modes"))
