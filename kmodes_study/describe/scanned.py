"""What a scan over k asks of a table: of categories by k-modes, of numbers and scales by k-prototypes."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..cluster.algorithms.swaps import swap_rows
from ..cluster.algorithms.transfers import otqt_rows
from ..cluster.doors import in_callers_units
from ..cluster.starts.basic import START_CORES
from ..core.checks import steps
from ..core.codes import encode
from ..core.columns import as_table, number_mask
from ..core.kernels import distinct_places
from ..core.rows import Rows, draw_by_share
from ..family.kprototypes import KPrototypes, Steps
from ..family.prototypes import MixedRows, assigned, choose_rows, descend
from ..measures.cohesion import permute_attributes
from ..measures.silhouette import coefficients_of, coefficients_of_sums
from ..measures.silhouette import gower_coefficients, pair_distances
from ..measures.silhouette import repetitions, sums_to_clusters
from ..measures.validity import histograms_of, indices_of
from ..measures.validity import indices_of_pairs, sorted_pairs

__all__ = []

_STARTS = "cao", "matching", "huang", "random"  # taken in turn
_STARTS_OF_MIXED = 4  # fresh starts where categories have one: there are no swaps


@dataclass
class ScannedTable:
    """A table that is clustered into more and more clusters; `n_init` and `max_swaps`
    say how hard each clustering is searched, and `rng` draws.
    """

    rows: object
    n_init: int
    max_swaps: int
    rng: np.random.RandomState

    def __len__(self):
        return len(self.rows)

    @property
    def has_gaps(self):
        "Whether values are missing."
        return self.rows.observed is not None

    def fits(self, ks):
        "A clustering for each k, cheaper and cheaper; None where there is none."
        found = [None]
        for k in steps(ks, f"clusters of {len(self):,} rows"):
            found.append(self._fit(k, found[-1]))
            if found[-1] is None:
                break
        return found[1:] + [None] * (len(ks) + 1 - len(found))

    def told(self, fit):
        "A clustering as a user knows it."
        return fit


@dataclass
class CategoryTable(ScannedTable):
    "`Rows` of categories, their numbers of `levels`, and what a scan asks of them."

    levels: list

    most_compared = 10_000  # rows of which the scan compares all pairs by itself

    def taken(self, places, times=None):
        "Some of the rows, each so many times."
        return replace(self, rows=self.rows.taken(places).weighed(times))

    def permuted(self):
        "Each attribute in another order; gaps stay in place."
        rows = self.rows
        codes = permute_attributes(rows.codes, self.rng, rows.missing)
        return replace(self, rows=Rows(codes, None, rows.missing, rows.observed))

    @cached_property
    def _distinct(self):
        """The different rows with their weights, as an array; the same with partial
        weights where there are gaps; the place of each row; and how many rows differ
        with their gaps filled, as the starts do.
        """
        distinct, place = self.rows.distinct()
        if distinct.weights is None:  # a start draws in another way without any
            distinct = distinct.weighed(np.ones(len(distinct), np.int64))
        most = len(distinct_places(distinct.filled)[0])
        return distinct, distinct.partial(), place, most

    def _fit(self, k, previous):
        """The best of a warm start and fresh ones, after swaps; None where the warm start
        finds nothing to mend.
        """
        distinct, counted, place, most = self._distinct
        if k > most:
            return None
        names = [_STARTS[i % len(_STARTS)] for i in range(self.n_init)]
        starts = [START_CORES[name](distinct, k, self.rng) for name in names]
        if previous is not None:
            starts.append(self._warm_start(counted, previous.modes, k))
        if len(starts[-1]) < k:
            return None
        fits = [otqt_rows(counted, modes) for modes in starts]
        best = min(fits, key=lambda fit: fit.cost)
        if k > 1 and self.max_swaps:
            asked = 100, self.rng
            best = swap_rows(counted, best.modes, *asked, max_swaps=self.max_swaps)
        return in_callers_units(counted, best._replace(labels=best.labels[place]))

    def _warm_start(self, rows, modes, k):
        """Modes and, up to k, rows that differ much from theirs.

        Far rows are drawn more often. A row takes the values that it lacks from its mode.
        """
        while len(modes) < k:
            labels, distances = rows.nearest(modes)
            if rows.hidden is not None:
                distances = distances - rows.hidden
            row = draw_by_share(distances * rows.weights, self.rng)
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

    def silhouettes(self, labels):
        "The coefficient of each row."
        return coefficients_of(self.rows, labels, None)

    def indices(self, labels):
        "The seven indices."
        return indices_of(*histograms_of(self.rows.columns, labels.astype(np.int64)))


@dataclass
class MixedTable(ScannedTable):
    """Rows of numbers of weight one over their variance and of categories, and what a
    scan asks of them.

    `gamma` is the price of a mismatch; `steps` are the `Steps` of scales.
    """

    gamma: float
    steps: Steps

    levels = None
    most_compared = 2000  # rows of which the scan compares all pairs by itself

    def taken(self, places, times=None):
        "Some of the rows, each so many times."
        times = None if times is None else times.astype(float)
        return replace(self, rows=self.rows.taken(places, times))

    def permuted(self):
        "Each column in another order; gaps stay in place, the steps of a scale together."
        rows = self.rows
        numeric, codes = rows.numeric.copy(), rows.codes.copy()
        for values in numeric.T:
            here = ~np.isnan(values)
            values[here] = self.rng.permutation(values[here])
        for column in np.unique(self.steps.column):
            steps = np.flatnonzero(self.steps.column == column)
            here = np.flatnonzero(rows.present[1][:, steps[0]])
            others = self.rng.permutation(here)
            codes[np.ix_(here, steps)] = codes[np.ix_(others, steps)]
        columns = rows.column_weights, rows.missing_codes
        return replace(self, rows=MixedRows(numeric, codes, rows.weights, *columns))

    def _completed(self, places):
        "Rows as prototypes, their holes filled."
        return self.rows.complete(self.rows.numeric[places], self.rows.codes[places])

    def _fit(self, k, previous):
        "The best of fresh starts and of one that goes on from fewer clusters."
        starts = []
        for _ in range(1 if k == 1 else _STARTS_OF_MIXED * self.n_init):
            rows = choose_rows(self.rows, k, "k-means++", self.gamma, self.rng)
            if len(rows) < k:
                return None
            starts.append(self._completed(rows))
        if previous is not None:
            starts.append(self._warm_start(previous.centres, previous.modes, k))
        fits = [descend(self.rows, *start, self.gamma, 100) for start in starts]
        best = min(fits, key=lambda fit: fit.cost)
        return best if np.bincount(best.labels, minlength=k).all() else None

    def _warm_start(self, centres, modes, k):
        "The prototypes of fewer clusters, and rows that differ much from theirs."
        while len(centres) < k:
            distances = assigned(self.rows, centres, modes, self.gamma)[1]
            weights = distances * self.rows.weights
            row = draw_by_share(weights, self.rng) if weights.any() else 0
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
        rows, ones = self.rows, np.ones(len(self))
        if not self.has_gaps:
            numbers, codes, prices = self._parts
            options = dict(squared=True, prices=prices)
            sums = sums_to_clusters(numbers, codes, labels, ones, **options)
            return coefficients_of_sums(sums, labels, ones)
        none = np.full(len(self), np.nan)
        if self.steps.sizes.any() or len(self) > 5 * self.most_compared:
            return none
        codes = np.where(rows.present[1], rows.codes, np.nan)
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
        return fit._replace(modes=self.steps.together(fit.modes))


def scanned_table(X, missing, sample_weight, categorical_features, kind, search):
    """The table that a scan works on, its rows as often as their weights say, side by
    side; and where each row of X stands first.
    """
    is_number = number_mask(X, categorical_features)
    table, first = as_table(X), slice(None)
    repeats = repetitions(sample_weight, *table.shape)
    if repeats is not None:
        places = np.repeat(np.arange(len(table)), repeats)
        table = pd.DataFrame(table).iloc[places]
        first = repeats.cumsum() - repeats
    if kind == "matching" and not is_number.any():
        codes, categories = encode(table, missing)
        levels = [len(values) for values in categories]
        rows = Rows.of(codes, missing_codes=levels)
        return CategoryTable(rows, *search, levels), first
    model = KPrototypes(
        gamma="variance",
        categorical_features=(~is_number).tolist(),
        dissimilarity=kind,
        missing=missing,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the columns are as they are asked for
        numeric, codes = model._learn(table)
    spreads = np.nanvar(numeric, axis=0)
    model._weights[: len(spreads)] = 1 / np.where(spreads > 0, spreads, 1)
    rows = model._rows(numeric, codes, np.ones(len(codes)))
    gamma = model._price(rows, slice(None)) if is_number.any() else 1.0
    return MixedTable(rows, *search, gamma, model._steps), first
