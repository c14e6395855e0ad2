"""What a scan over k asks of a table: of categories by k-modes, of numbers and scales by k-prototypes."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..cluster.algorithms.swaps import swap_rows
from ..cluster.algorithms.transfers import otqt_rows
from ..cluster.doors import in_callers_units
from ..cluster.modes import rows_modes
from ..cluster.starts.basic import START_CORES
from ..core.codes import CategoryEncoder, encode
from ..core.columns import as_floats, as_table, n_scale_levels, number_mask, on_scales
from ..core.columns import refuse_gaps_of_scales, scales_of, without_gap
from ..core.kernels import distinct_places
from ..core.rows import Rows, draw_by_share
from ..family.kprototypes import Steps
from ..family.prototypes import MixedRows, assigned, choose_rows, descend
from ..family.prototypes import distinct_mixed, resolved_gamma
from ..measures.cohesion import permute_attributes
from ..measures.silhouette import coefficients_of, coefficients_of_sums
from ..measures.silhouette import gower_coefficients, pair_distances
from ..measures.silhouette import repetitions, sums_to_clusters
from ..measures.validity import histograms_of, indices_of
from ..measures.validity import indices_of_pairs, sorted_pairs

__all__ = []

_STARTS = "cao", "matching", "huang", "random"  # taken in turn
_STARTS_OF_MIXED = 4  # fresh starts where categories have one: there are no swaps


class Search(NamedTuple):
    "How hard each clustering is searched, and what is drawn from."

    n_init: int
    max_swaps: int
    random_state: np.random.RandomState


class ScannedTable:
    "A table that is clustered into more and more clusters."

    def fits(self, ks, search):
        "A clustering for each k, cheaper and cheaper; None where there is none."
        found = []
        fit = None
        for k in ks:
            fit = self._fit(k, fit, search)
            if fit is None:
                break
            found.append(fit)
        return found + [None] * (len(ks) - len(found))


class CategoryTable(ScannedTable):
    "`Rows` of categories, their numbers of `levels`, and what a scan asks of them."

    most_compared = 10_000  # rows of which the scan compares all pairs by itself

    def __init__(self, rows, levels):
        self.rows = rows
        self.levels = np.array(levels)

    def __len__(self):
        return len(self.rows)

    @property
    def has_gaps(self):
        "Whether values are missing."
        return self.rows.missing is not None

    def taken(self, places, times=None):
        "Some of the rows, each so many times."
        rows = self.rows.taken(places)
        return CategoryTable(
            rows if times is None else rows.weighed(times), self.levels
        )

    def permuted(self, rng):
        "Each attribute in another order; gaps stay in place."
        rows = self.rows
        codes = permute_attributes(rows.codes, rng, rows.missing)
        permuted = Rows(codes, None, rows.missing, rows.observed)
        return CategoryTable(permuted, self.levels)

    @cached_property
    def _distinct(self):
        "The different rows with their weights, as an array, and the place of each row."
        distinct, place = self.rows.distinct()
        if distinct.weights is None:  # a start draws in another way without any
            distinct = distinct.weighed(np.ones(len(distinct), np.int64))
        return distinct, place

    @cached_property
    def _counted(self):
        "The different rows with partial weights where there are gaps."
        return self._distinct[0].partial()

    @cached_property
    def n_different(self):
        "How many different rows there are, gaps filled as the starts do."
        return len(distinct_places(self._distinct[0].filled)[0])

    def _fit(self, k, previous, search):
        """The best of a warm start and fresh ones, after swaps; None where the warm start
        finds nothing to mend.
        """
        if k > self.n_different:
            return None
        rng = search.random_state
        distinct, place = self._distinct
        names = [_STARTS[i % len(_STARTS)] for i in range(search.n_init)]
        starts = [START_CORES[name](distinct, k, rng) for name in names]
        if previous is not None:
            starts.append(self._warm_start(previous.modes, k, rng))
        if len(starts[-1]) < k:
            return None
        fits = [otqt_rows(self._counted, modes) for modes in starts]
        best = min(fits, key=lambda fit: fit.cost)
        if k > 1 and search.max_swaps:
            best = swap_rows(
                self._counted, best.modes, 100, rng, max_swaps=search.max_swaps
            )
        best = best._replace(labels=best.labels[place])
        return in_callers_units(self._counted, best)

    def _warm_start(self, modes, k, rng):
        """Modes and, up to k, rows that differ much from theirs.

        Far rows are drawn more often. A row takes the values that it lacks from its mode.
        """
        rows = self._counted
        while len(modes) < k:
            labels, distances = rows.nearest(modes)
            if rows.hidden is not None:
                distances = distances - rows.hidden
            row = draw_by_share(distances * rows.weights, rng)
            if not distances[row]:
                break  # all rows agree with their modes
            new = rows.codes[row]
            if rows.missing is not None:
                new = np.where(new == rows.missing, modes[labels[row]], new)
            modes = np.vstack([modes, new])
        return modes

    def predicted(self, fit):
        "The nearest mode of each row."
        return self.rows.nearest(fit.modes)[0]

    def cluster_costs(self, fit):
        "What each cluster costs."
        counted = self.rows.partial()
        return counted.costs(fit.labels, fit.modes) * counted.unit

    def mismatches(self, labels):
        """How many values of each attribute differ from the most frequent one of their
        cluster, and how many there are, two of (m,).
        """
        rows = self.rows
        modes = rows_modes(rows, labels, labels.max() + 1)
        there = np.ones(rows.shape, bool)
        if rows.missing is not None:
            there = rows.codes != rows.missing
        differs = (rows.codes != modes[labels]) & there
        return differs.sum(axis=0), there.sum(axis=0)

    def silhouettes(self, labels):
        "The coefficient of each row."
        return coefficients_of(self.rows, labels, None)

    def indices(self, labels):
        "The seven indices."
        return indices_of(*histograms_of(self.rows.columns, labels.astype(np.int64)))

    def told(self, fit):
        "A clustering as a user knows it."
        return fit


class MixedTable(ScannedTable):
    """Rows of numbers of weight one over their variance and of categories, and what a
    scan asks of them.

    `gamma` is the price of a mismatch; `steps` are the `Steps` of scales, or None.
    """

    levels = None
    most_compared = 2000  # rows of which the scan compares all pairs by itself

    def __init__(self, rows, gamma, steps):
        self.rows = rows
        self.gamma = gamma
        self.steps = steps

    def __len__(self):
        return len(self.rows)

    @property
    def has_gaps(self):
        "Whether values are missing."
        return self.rows.missing_codes is not None

    def taken(self, places, times=None):
        "Some of the rows, each so many times."
        times = np.ones(len(places)) if times is None else times.astype(float)
        return MixedTable(self.rows.taken(places, times), self.gamma, self.steps)

    def permuted(self, rng):
        "Each column in another order; gaps stay in place, the steps of a scale together."
        rows = self.rows
        numeric, codes = rows.numeric.copy(), rows.codes.copy()
        for values in numeric.T:
            here = ~np.isnan(values)
            values[here] = rng.permutation(values[here])
        groups = np.arange(codes.shape[1])
        if self.steps is not None:
            groups = self.steps.column
        for group in np.unique(groups):
            columns = np.flatnonzero(groups == group)
            here = np.ones(len(codes), bool)
            if self.has_gaps:
                here = codes[:, columns[0]] != rows.missing_codes[columns[0]]
            here = np.flatnonzero(here)
            codes[np.ix_(here, columns)] = codes[np.ix_(rng.permutation(here), columns)]
        ones, *columns = np.ones(len(codes)), rows.column_weights, rows.missing_codes
        permuted = MixedRows(numeric, codes, ones, *columns)
        return MixedTable(permuted, self.gamma, self.steps)

    @cached_property
    def n_different(self):
        "How many different rows there are, gaps filled."
        return len(distinct_mixed(*self._completed(slice(None)))[0])

    def _completed(self, places):
        "Rows as prototypes, their holes filled."
        return self.rows.complete(self.rows.numeric[places], self.rows.codes[places])

    def _fit(self, k, previous, search):
        "The best of fresh starts and of one that goes on from fewer clusters."
        rng = search.random_state
        starts = []
        for _ in range(1 if k == 1 else _STARTS_OF_MIXED * search.n_init):
            rows = choose_rows(self.rows, k, "k-means++", self.gamma, rng)
            if len(rows) < k:
                return None
            starts.append(self._completed(rows))
        if previous is not None:
            starts.append(self._warm_start(previous.centres, previous.modes, k, rng))
        fits = [descend(self.rows, *start, self.gamma, 100) for start in starts]
        best = min(fits, key=lambda fit: fit.cost)
        return best if np.bincount(best.labels, minlength=k).all() else None

    def _warm_start(self, centres, modes, k, rng):
        "The prototypes of fewer clusters, and rows that differ much from theirs."
        while len(centres) < k:
            distances = assigned(self.rows, centres, modes, self.gamma)[1]
            weights = distances * self.rows.weights
            row = draw_by_share(weights, rng) if weights.any() else 0
            new = self._completed(row)
            centres, modes = np.vstack([centres, new[0]]), np.vstack([modes, new[1]])
        return centres, modes

    def predicted(self, fit):
        "The nearest prototype of each row."
        return assigned(self.rows, fit.centres, fit.modes, self.gamma)[0]

    def cluster_costs(self, fit):
        "What each cluster costs."
        distances = assigned(self.rows, fit.centres, fit.modes, self.gamma)[1]
        return np.bincount(fit.labels, distances, len(fit.centres))

    @property
    def _parts(self):
        "Numbers of variance one, codes, and the price of a mismatch in each column."
        of_numbers, of_codes = self.rows.part_weights
        scaled = self.rows.numeric * np.sqrt(of_numbers)
        return scaled, self.rows.codes, self.gamma * of_codes

    def silhouettes(self, labels):
        """The coefficient of each row under the dissimilarity of k-prototypes; with gaps
        under Gower's, as long as its pairs can be compared; none for scales with gaps.
        """
        ones = np.ones(len(self))
        if not self.has_gaps:
            numbers, codes, prices = self._parts
            options = dict(squared=True, prices=prices)
            sums = sums_to_clusters(numbers, codes, labels, ones, **options)
            return coefficients_of_sums(sums, labels, ones)
        none = np.full(len(self), np.nan)
        if self.steps is not None or len(self) > 5 * self.most_compared:
            return none
        rows = self.rows
        codes = np.where(rows.codes == rows.missing_codes, np.nan, rows.codes)
        table = pd.DataFrame(np.column_stack([rows.numeric, codes]))
        mask = np.arange(table.shape[1]) < rows.n_numbers
        try:
            return gower_coefficients(table, mask, labels, "ignore", ones)
        except ValueError:  # some rows have no column in common
            return none

    @cached_property
    def _pairs(self):
        return sorted_pairs(pair_distances(*self._parts), len(self))

    def indices(self, labels):
        "The seven indices under the dissimilarity of k-prototypes."
        return indices_of_pairs(self._pairs, labels)

    def told(self, fit):
        "A clustering with the modes as a user knows them: a scale is one column."
        if self.steps is None:
            return fit
        return fit._replace(modes=self.steps.together(fit.modes))


def scanned_table(X, missing, sample_weight, categorical_features, counts_steps):
    """The table that a scan works on, its rows as often as their weights say, side by
    side; and where each row of X stands first.
    """
    mask = number_mask(X, categorical_features)
    if not mask.any() and not counts_steps:
        codes, categories = encode(X, missing)
        levels = [len(values) for values in categories]
        repeats = repetitions(sample_weight, *codes.shape)
        codes, first = _repeated(codes, repeats)
        return CategoryTable(Rows.of(codes, missing_codes=levels), levels), first
    table = pd.DataFrame(as_table(X))
    numeric = [np.empty((len(table), 0))]
    numeric += [as_floats(table, j, missing) for j in np.flatnonzero(mask)]
    numeric = np.column_stack(numeric)
    for name, values in zip(table.columns[mask], numeric.T):
        if np.isnan(values).all():
            raise ValueError(f"X must have a number in column {name!r}, got none")
    codes, levels, steps = _codes(table.loc[:, ~mask], missing, counts_steps)
    repeats = repetitions(sample_weight, *table.shape)
    numeric, first = _repeated(numeric, repeats)
    codes, _ = _repeated(codes, repeats)
    gappy = np.isnan(numeric).any() or bool((codes == levels).any())
    spreads = np.nanvar(numeric, axis=0)
    of_numbers = 1 / np.where(spreads > 0, spreads, 1)
    of_codes = np.ones(codes.shape[1])
    if steps is not None:
        of_codes = steps.weights(np.ones(len(steps.sizes)))
    weights = np.append(of_numbers, of_codes)
    holes = levels if gappy else None
    rows = MixedRows(numeric, codes, np.ones(len(codes)), weights, holes)
    gamma = resolved_gamma("variance", rows)
    if steps is not None and mask.any():
        # a scale is one column, however many steps it has
        gamma *= len(steps.sizes) / len(steps.column)
    return MixedTable(rows, gamma, steps), first


def _repeated(values, repeats):
    "Rows as often as is said, side by side, and where each row stands first."
    if repeats is None:
        return values, slice(None)
    return np.repeat(values, repeats, axis=0), repeats.cumsum() - repeats


def _codes(table, missing, counts_steps):
    "Codes of the categories, the codes of their missing values, and `Steps` or None."
    if not table.shape[1]:
        return np.empty((len(table), 0), np.uint8), np.empty(0, np.int64), None
    encoder = CategoryEncoder(missing=missing)
    codes = encoder.fit_transform(table)
    if counts_steps:
        known = [without_gap(values) for values in encoder.categories_]
        scales = scales_of("ordinal", table, known)
        refuse_gaps_of_scales(scales, encoder.categories_, table)
        codes = on_scales(encoder, codes, scales)
    levels = np.array([len(values) for values in encoder.categories_])
    # a type that also holds the code of a missing value
    most = np.min_scalar_type(levels.max())
    codes = codes.astype(np.promote_types(codes.dtype, most))
    if not counts_steps:
        return codes, levels, None
    steps = Steps(n_scale_levels(scales))
    return steps.apart(codes), steps.holes(levels), steps
