"""Weights of the columns of a mixed table that are learnt with its clusters, and the bits that it takes within them."""

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import entr

from ..core.columns import median_places
from ..family.prototypes import column_spreads
from .choice_of_k import code_length

__all__ = []

_LEAST_WITHIN = 1 / 100  # of the variance of a column
_LEAST_SLIPS = 1 / 50
_NO_WEIGHT = 1e-6  # of a column that the clusters do not tell
_TURNS = 8


def learnt_weights(model, cells, numbers, steps):
    """Weights by which the clusters of a model are likeliest, and their bits.

    `numbers` and `steps` are the columns of numbers, and of scales that count their
    steps.
    """
    weigh = dict.fromkeys(cells, _weight_of_category)
    weigh |= dict.fromkeys(numbers, _weight_of_number)
    weigh |= dict.fromkeys(steps, _weight_of_scale)
    weights, before, tried = equal_weights(cells, numbers, steps), None, []
    for _ in range(_TURNS):
        labels = model.set_params(feature_weight=weights).fit(cells).labels_
        tried.append((weights, mixed_bits(cells, numbers, steps, labels)))
        if np.array_equal(labels, before):
            break
        before = labels
        weights = {name: weigh[name](cells[name], labels) for name in cells}
    return min(tried, key=lambda one: one[1])


def equal_weights(cells, numbers, steps):
    "Weights with which each column counts alike."
    names = [name for name in cells if name not in numbers]
    spreads = column_spreads(cells, categorical_features=names)
    for name in steps:
        counts = cells[name].value_counts(normalize=True, sort=False).to_numpy()
        above = 1 - counts.cumsum()[:-1]
        spreads[name] = (2 * above * (1 - above)).sum() / max(len(above), 1)
    return (1 / spreads.where(spreads > 0, 1)).to_dict()


def _weight_of_number(x, labels):
    "The weight of normal deviations within clusters."
    total = x.var(ddof=0)
    within = ((x - x.groupby(labels).transform("mean")) ** 2).mean()
    return 0.5 / max(within, _LEAST_WITHIN * total) if total > 0 else 1.0


def _counts(codes, labels, n_levels):
    "How often each level occurs in each cluster; a code of -1 is missing."
    there = codes >= 0
    counts = np.zeros((labels.max() + 1, n_levels))
    np.add.at(counts, (labels[there], codes[there]), 1)
    return counts


def _weight_of_category(column, labels):
    "The weight of slips from the mode that hit each other category alike."
    codes, levels = pd.factorize(column)
    counts, n = _counts(codes, labels, len(levels)), len(levels)
    slips = max(1 - counts.max(axis=1).sum() / counts.sum(), _LEAST_SLIPS)
    if n == 1 or slips >= 1 - 1 / n:
        return _NO_WEIGHT
    return float(np.log((1 - slips) * (n - 1) / slips))


def _weight_of_scale(scale, labels):
    "The weight of steps from the median that become rarer by the same factor."
    levels = np.arange(len(scale.cat.categories))
    counts = _counts(scale.cat.codes.to_numpy(), labels, len(levels))
    counts = counts[counts.sum(axis=1) > 0]
    steps = np.abs(levels - median_places(counts)[:, None])
    sizes = counts.sum(axis=1)
    seen = max((counts * steps).sum() / sizes.sum(), _LEAST_SLIPS)

    def surplus(beta):
        "How many steps more than were seen the model expects."
        likely = np.exp(-beta * steps)
        expected = (likely * steps).sum(axis=1) / likely.sum(axis=1)
        return sizes @ expected / sizes.sum() - seen

    if len(levels) < 2 or surplus(0) <= 0:
        return _NO_WEIGHT
    return float(brentq(surplus, 0, 50) * (len(levels) - 1))


_NARROWEST = 1 / 20  # of the deviation of a column, for a cluster


_WITHIN_A_STEP = 1 / 12  # the variance of what one step stands for


def mixed_bits(cells, numbers, steps, labels):
    "The bits that a mixed table takes, written down within clusters."
    names = cells.drop(columns=[*numbers, *steps])
    if not names.shape[1]:
        names = pd.DataFrame({"all": "x"}, index=cells.index)
    names = names.loc[:, names.notna().any()].astype(object)
    bits = code_length(names, labels, by_attribute=True, missing="category").total
    for name in [*numbers, *steps]:
        column, is_scale = cells[name], name in steps
        here = column.notna().to_numpy()
        x = column.cat.codes if is_scale else column
        x, own = x.to_numpy(float)[here], labels[here]
        sizes = np.bincount(own)
        means = np.bincount(own, x) / np.maximum(sizes, 1)
        within = np.bincount(own, (x - means[own]) ** 2)
        within, sizes = within[sizes > 0], sizes[sizes > 0]
        least = _WITHIN_A_STEP if is_scale else (_NARROWEST * x.std()) ** 2 or 1.0
        variances = np.maximum(within / sizes, least)
        entropy = (sizes * np.log(2 * np.pi * np.e * variances)).sum() / 2
        parameter = len(sizes) * np.log(len(x)) / 2
        told = entropy + 2 * parameter
        if is_scale:  # by its steps, or by how common each level is
            counts = _counts(x.astype(int), own, len(column.cat.categories))
            entropy = entr(counts).sum() - entr(counts.sum(axis=1)).sum()
            told = min(told, entropy + (counts.shape[1] - 1) * parameter)
        bits += told / np.log(2)
    return bits
