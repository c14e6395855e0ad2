"""What a scan over k asks of a table: of categories by k-modes, of numbers and scales by k-prototypes."""

import warnings
from dataclasses import dataclass, replace
from functools import cached_property, partial

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
from ..family.prototypes import standard_weights
from ..measures.cohesion import permute_attributes
from ..measures.silhouette import repetitions, silhouette_samples
from ..measures.validity import histograms_of, indices_of

__all__ = []

_STARTS = "cao", "matching", "huang", "random"  # taken in turn
_STARTS_OF_MIXED = 8  # where categories have one: there are no swaps and warm starts


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

    def fits(self, ks):
        "A clustering for each k, cheaper and cheaper; None where there is none."
        found = [None]
        for k in steps(ks, f"clusters of {len(self):,} rows"):
            found.append(self._fit(k, found[-1]))
            if found[-1] is None:
                break
        return found[1:] + [None] * (len(ks) + 1 - len(found))


@dataclass
class CategoryTable(ScannedTable):
    "`Rows` of categories, their numbers of `levels`, and what a scan asks of them."

    levels: list

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

    def taken(self, places, times=None):
        "Some of the rows, each so many times."
        times = None if times is None else times.astype(float)
        return replace(self, rows=self.rows.taken(places, times))

    def permuted(self):
        "Each column in another order, with its gaps; the steps of a scale together."
        rows = self.rows
        numeric, codes = rows.numeric.copy(), rows.codes.copy()
        for values in numeric.T:
            self.rng.shuffle(values)
        for column in np.unique(self.steps.column):
            steps = self.steps.column == column
            codes[:, steps] = self.rng.permutation(codes[:, steps])
        columns = rows.column_weights, rows.missing_codes
        return replace(self, rows=MixedRows(numeric, codes, rows.weights, *columns))

    def _fit(self, k, previous):
        "The best of fresh starts."
        starts = []
        for _ in range(_STARTS_OF_MIXED * self.n_init):
            places = choose_rows(self.rows, k, "k-means++", self.gamma, self.rng)
            if len(places) < k:
                return None
            numeric, codes = self.rows.numeric[places], self.rows.codes[places]
            starts.append(self.rows.complete(numeric, codes))
        fits = [descend(self.rows, *start, self.gamma, 100) for start in starts]
        best = min(fits, key=lambda fit: fit.cost)
        if np.bincount(best.labels, minlength=k).all():
            return best._replace(modes=self.steps.together(best.modes))

    def _assigned(self, fit):
        "The nearest prototype of each row, and how far it is."
        modes = self.steps.apart(fit.modes)
        return assigned(self.rows, fit.centres, modes, self.gamma)

    def predicted(self, fit):
        "The nearest prototype of each row."
        return self._assigned(fit)[0]

    def cluster_costs(self, fit):
        "What each cluster costs."
        distances = self._assigned(fit)[1]
        return np.bincount(fit.labels, distances, len(fit.centres))


def scanned_table(X, missing, sample_weight, categorical_features, kind, search):
    """The table that a scan works on, its rows as often as their weights say, side by
    side; where each row of X stands first; and what gives silhouettes of labels.
    """
    is_number = number_mask(X, categorical_features)
    table, first = as_table(X), slice(None)
    repeats = repetitions(sample_weight, *table.shape)
    if repeats is not None:
        places = np.repeat(np.arange(len(table)), repeats)
        table = pd.DataFrame(table).iloc[places]
        first = repeats.cumsum() - repeats
    categorical = (~is_number).tolist()
    options = dict(missing=missing, categorical_features=categorical)
    judge = partial(silhouette_samples, table, **options)
    if kind == "matching" and not is_number.any():
        codes, categories = encode(table, missing)
        levels = [len(values) for values in categories]
        rows = Rows.of(codes, missing_codes=levels)
        return CategoryTable(rows, *search, levels), first, judge
    model = KPrototypes(
        1,
        gamma="variance" if is_number.any() else 1.0,
        feature_weight=standard_weights(table, categorical_features=categorical),
        dissimilarity=kind,
        n_init=1,
        **options,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the columns are as they are asked for
        model.fit(table)
    rows = model._later(table)[0]
    return MixedTable(rows, *search, model.gamma_, model._steps), first, judge
