"""What a table asks for, as `kmodes-study cluster` decides it: kinds of columns, gaps, number of clusters, clusterer."""

import warnings
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..cluster.estimator import KModes
from ..core.checks import check_option, check_sample_weight, steps
from ..core.columns import ColumnKind, TableWarning, as_numbers, as_table
from ..core.columns import kind_of_column, number_mask
from ..core.saved import write_whole
from ..data.questionnaires import sure_answers, tick_columns, yes_and_no
from ..family.kprototypes import KPrototypes
from ..family.latent_classes import LatentClasses
from .choice_of_k import KScan, k_scan
from .learnt_weights import learnt_weights, mixed_bits
from .profiles import cluster_profiles
from .stability import cluster_stability
from .texts import name_text
from .words import describe_clusters

__all__ = ["cluster_table", "plan_table", "fit_plan", "scan_plan"]


class Decision(NamedTuple):
    """What was decided, and the arguments that decide otherwise.

    Attributes
    ----------
    text : str
        what, and why
    instead : dict
        arguments of this module with values that decide otherwise
    """

    text: str
    instead: dict = {}

    def told(self, argument_text="{}={!r}".format):
        "The decision in a line; `argument_text(name, value)` writes an argument."
        others = " or ".join(argument_text(*pair) for pair in self.instead.items())
        return f"{self.text}; else {others}" if others else self.text

    __str__ = told


_MOST_STEPS = 10**7  # cells of scales whose steps k-prototypes holds


class TablePlan(NamedTuple):
    """The columns of a table that take part, as they are counted.

    Attributes
    ----------
    cells : pd.DataFrame
        floats where a column holds numbers, ordered categories where it is a scale
    kinds : list
        the `ColumnKind` of each column, those that are left out too
    missing : str
        what an empty cell is: "ignore", "category" or "error"
    decisions : list
        a `Decision` on each kind of columns, and on gaps
    """

    cells: pd.DataFrame
    kinds: list = []
    missing: str = "category"
    decisions: list = []

    def of_kind(self, what):
        "The names of the columns of a kind."
        return [kind.column for kind in self.kinds if kind.kind == what]

    @property
    def numbers(self):
        "The names of the columns of numbers."
        return self.of_kind("number")

    @property
    def scales(self):
        "The names of the columns whose values have an order."
        return self.of_kind("ordered")

    @property
    def steps(self):
        "The scales that k-prototypes counts by their steps."
        scales = self.cells[self.scales]
        if self.missing == "category" and scales.isna().to_numpy().any():
            return []  # a missing answer has no place among the levels
        return self.scales if scales.size <= _MOST_STEPS else []

    @property
    def filled(self):
        "Which rows are clustered: those with a value, or all if a gap is an answer."
        return self.cells.notna().to_numpy().any(axis=1) | (self.missing != "ignore")

    def clustered(self, sample_weight):
        "The plan of the rows that are clustered, and their weights."
        kept = self.filled
        weights = None if sample_weight is None else np.asarray(sample_weight)[kept]
        return self._replace(cells=self.cells[kept].reset_index(drop=True)), weights


_TAKEN = dict(numeric="number", ordinal="ordered", categorical="category")
_NAMED = dict(date="number", identifier="category", text="category")  # if asked for


def plan_table(
    X,
    columns=None,
    *,
    drop=(),
    numeric=(),
    ordinal=(),
    categorical=(),
    missing: str | None = None,
    look: bool = True,
) -> TablePlan:
    """What the columns of a table are, which take part, and what a gap is.

    Parameters
    ----------
    X
        a table, shape (n, m): a frame, best of strings as they were read
    columns : default=None
        names of the columns that take part; None for all
    drop : default=()
        names of columns that take no part
    numeric, ordinal, categorical : default=()
        names of columns that are numbers, scales or categories, whatever they look like
    missing : str, default=None
        "ignore" leaves gaps out of account, "category" makes them an answer, "error"
        refuses them; None ignores them
    look : bool, default=True
        whether columns are looked at; else all are categories as they stand, and gaps
        are refused

    Returns
    -------
    TablePlan
        for `fit_plan` and `scan_plan`

    Raises
    ------
    ValueError
        For a column that is not there or is no number, and where none is left.
    """
    table = pd.DataFrame(as_table(X))
    if not table.columns.is_unique:
        raise ValueError("X must have columns of different names")
    names = dict.fromkeys(table if columns is None else columns)
    table = table[[name for name in names if name not in drop]]
    said = {}
    for (argument, kind), names in zip(_TAKEN.items(), (numeric, ordinal, categorical)):
        for name in [names] if isinstance(names, str) else names:
            if name not in table or said.setdefault(name, kind) != kind:
                raise ValueError(f"{argument} {name!r}: no column, or of two kinds")
    kinds, several = [], []
    for name, column in list(table.items()):
        kind = ColumnKind(name, "category", "")
        if look:
            kind = kind_of_column(name, column, said.get(name) == "number")
        is_text = kind.kind in ("category", "identifier", "text") and name not in said
        if name in said:
            kind = kind._replace(kind=said[name], why="as you say")
        elif columns is not None:
            kind = kind._replace(kind=_NAMED.get(kind.kind, kind.kind))
        if kind.kind == "category":
            kind = kind._replace(
                gaps=[x for x in kind.gaps if x not in kind.odd], odd=[]
            )
        found = sure_answers(column) if look and is_text else None
        if found:
            ticks = yes_and_no(tick_columns(column, *found))
            table = pd.concat([table, ticks], axis=1)
            kinds += [ColumnKind(one, "category", "yes or no") for one in ticks]
            what = f"several answers in a cell: {name_text(name)} ({found[0]!r} between"
            what += f" them, so {ticks.shape[1]} columns of yes and no)"
            several.append(Decision(what, {"categorical": [name]}))
        else:
            kinds.append(kind)
    taken, firsts = [], {}
    for place, kind in enumerate(kinds):
        if kind.kind in _COUNTED:
            texts = table[kind.column].astype("str")
            says = pd.util.hash_pandas_object(texts, index=False).to_numpy().tobytes()
            first = firsts.setdefault(says, kind.column)
            if look and columns is None and kind.column not in {first, *said}:
                why = f"says in each row what {name_text(first)} says"
                kinds[place] = kind._replace(kind="copy", why=why)
            else:
                taken.append(kind)
    if not taken:
        told = "; ".join(f"{kind.column} ({kind.kind}, {kind.why})" for kind in kinds)
        raise ValueError(f"no column is left, of {told}: categorical takes one in")
    keeps_words = missing in ("category", "error")
    counted = {
        kind.column: _counted(kind, table[kind.column], keeps_words) for kind in taken
    }
    cells = pd.DataFrame(counted, index=table.index)
    gaps = cells.isna().sum()
    gaps = gaps[gaps > 0]
    missing = missing or ("ignore" if look and len(gaps) else "error")
    words = (str(gap) for kind in taken for gap in kind.gaps if gap not in kind.odd)
    words = [*map(repr, dict.fromkeys(words))]
    on_gaps = f"gaps: {gaps.sum():,} cells"
    if words and not keeps_words:
        on_gaps += f", {', '.join(words[:5])} among them,"
    on_gaps += f" in {some_names(gaps.index)}"
    if missing == "error" and len(gaps):
        raise ValueError(f"{on_gaps}: missing='ignore' or 'category' takes them")
    decisions = []
    if look:
        decisions += [*_on_kinds(kinds), *several, *_on_odd(taken, table)]
        if len(gaps):
            told, other = "left out of account", "category"
            if missing == "category":
                told, other = "an answer of their own", "ignore"
            decisions.append(Decision(f"{on_gaps} ({told})", {"missing": other}))
    return TablePlan(cells, kinds, missing, decisions)


def _counted(kind, column, keeps_words):
    "A column as it is counted; words for gaps are kept where a gap is an answer."
    if kind.kind == "number":
        return as_numbers(kind.column, column, kind.gaps)
    if kind.kind == "ticked":
        return column.astype(object).where(column.notna(), NOT_TICKED)
    if kind.order or not keeps_words:
        column = column.mask(column.isin(kind.gaps))
    if kind.kind == "category" or getattr(column.dtype, "ordered", False):
        return column
    by_text = {str(value): value for value in column.dropna().unique()}
    order = [by_text[text] for text in map(str, kind.order) if text in by_text]
    if not order:  # by their numbers, then by their texts
        numbers = pd.to_numeric(pd.Series([*by_text]), errors="coerce")
        order = [[*by_text.values()][i] for i in np.lexsort(([*by_text], numbers))]
    return pd.Series(pd.Categorical(column, order, ordered=True), column.index)


def some_names(names):
    "The first three of some names, and how many more there are."
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(name_text, names[:3])) + more


_SAID_OF_KINDS = {  # what becomes of a column, why, and the argument against it
    "identifier": ("left out", "; it tells rows apart and not clusters", "categorical"),
    "text": ("left out", "; too many differ to be categories", "categorical"),
    "copy": ("left out", "", "categorical"),
    "date": ("left out", "; a point in time", "numeric"),
    "constant": ("left out", "; it tells nothing", None),
    "empty": ("left out", "; it tells nothing", None),
    "number": ("numbers", "", "categorical"),
    "ordered": ("scales", "", "categorical"),
    "ticked": ("check boxes", "; empty is not ticked", "drop"),
    "category": ("categories", "", "drop"),
}


_COUNTED = *_TAKEN.values(), "ticked"
NOT_TICKED = "not ticked"


def _on_kinds(kinds):
    "A decision on each kind of column."
    for what, (head, end, argument) in _SAID_OF_KINDS.items():
        those = [kind for kind in kinds if kind.kind == what]
        if those:
            names, why = [kind.column for kind in those], those[0].why
            label = names[0] if what in _COUNTED else what
            instead = {argument: names[:1]} if argument else {}
            text = f"{head}: {some_names(names)} ({label}: {why}{end})"
            yield Decision(text, instead)


_SAID_OF_CELLS = {  # what cells are not, and the argument that keeps them
    "ordered": ("no step of the scale", "categorical"),
    "number": ("no number", "categorical"),
    "far": ("far off all others", "numeric"),
}


def _on_odd(kinds, table):
    "A decision on the cells that are not what the others of their column are."
    found = defaultdict(dict)
    for column, kind, _, _, _, odd in kinds:
        if odd:
            numbers = pd.to_numeric(pd.Series(odd, dtype=object), errors="coerce")
            is_far = kind == "number" and numbers.notna().all()
            found["far" if is_far else kind][column] = odd
    for what, odd in found.items():
        head, argument = _SAID_OF_CELLS[what]
        cells = _number_of(table[[*odd]].isin(odd).to_numpy().sum(), "cell")
        such = ", ".join([*dict.fromkeys(map(repr, chain(*odd.values())))][:3])
        text = f"{head}: {cells} in {some_names([*odd])}, such as {such} (gaps)"
        yield Decision(text, {argument: [*odd][:1]})


@dataclass(frozen=True)
class TableClusters:
    """The clusters of a table, and what was decided.

    Attributes
    ----------
    plan : TablePlan
        the rows that are clustered, and what their columns are
    labels : array-like
        the cluster of each row, shape (n,); missing for a row without any value
    model : estimator or None
        what was fitted; None where groups are given
    weights : np.ndarray or None
        of the rows that are clustered
    decisions : list
        those of the plan and those on clusterer and number of clusters; `str` of each
        is a line
    scan : KScan or None
        what the number of clusters was chosen from
    names : list or None
        names of the clusters for words, profiles and page
    min_share : float or None
        the part of a cluster that must have a category for it to be named
    """

    plan: TablePlan
    labels: object
    model: object = None
    weights: object = None
    decisions: tuple = ()
    scan: object = None
    names: list = None
    min_share: float | None = None

    @property
    def cells(self):
        "The rows that are clustered."
        return self.plan.cells

    @cached_property
    def named_labels(self):
        "The labels of all rows, under the names of the clusters where there are some."
        if self.names is None:
            return self.labels
        known = range(self.model.n_clusters) if self.model else sorted({*self.labels})
        if len(self.names) != len(known):
            raise ValueError(f"names must be {len(known)}, got {len(self.names)}")
        return pd.Series(self.labels).map(dict(zip(known, map(str, self.names))))

    @cached_property
    def clusters(self):
        "The cluster of each row that is clustered, under its name."
        labels = pd.Series(self.named_labels).dropna().to_numpy()
        if self.names is None:
            return labels
        return pd.Categorical(labels, [str(name) for name in self.names])

    @cached_property
    def is_number(self):
        "Which columns are numbers."
        return number_mask(self.cells, "auto", self.model)

    @cached_property
    def profiles(self):
        "The mode of each cluster in each column, as `cluster_profiles` gives it."
        given = self.cells, self.clusters, self.weights
        return cluster_profiles(*given, categorical_features=list(~self.is_number))

    @cached_property
    def words(self):
        "A line on each cluster: what sets it apart."
        return describe_clusters(
            self.cells,
            self.clusters,
            min_share=self.min_share,
            sample_weight=self.weights,
            categorical_features=list(~self.is_number),
        )

    @property
    def summary(self):
        "How many clusters of how many rows, and what they cost."
        n, m = self.cells.shape
        if self.model is None:
            k = len(pd.unique(self.clusters))
            return f"{k} groups of {n:,} rows, described by {m} columns"
        cost, k = self.model.cost_, len(self.model.modes_)
        table = f"{_number_of(k, 'cluster')} of {n:,} rows in {_number_of(m, 'column')}"
        if isinstance(self.model, LatentClasses):
            sure = self.model.memberships_.max(axis=1).mean()
            return (
                f"{table}; log-likelihood {-cost:,.2f}: the cluster of a row has a "
                f"probability of {sure:.0%} on average"
            )
        # a row with gaps counts its differences as a share
        done = f"{table}; cost {cost:,.{0 if cost % 1 == 0 else 2}f}"
        if self.is_number.any():
            return done
        each = f"{cost / n:.2f} columns on average"
        return f"{done}: a row differs from the mode of its cluster in {each}"

    def page(self, title: str = "the table", **facts) -> str:
        """A page to show to others, as HTML in one file.

        Parameters
        ----------
        title : str, default="the table"
            what the table is called
        **facts
            decisions, command and seed: lines that the page tells, too

        Returns
        -------
        str
            the page
        """
        from .page import clusters_page

        return clusters_page(self, title=title, **facts)

    def report(self, path, **facts):
        "Write the `page` into a file."
        write_whole(path, self.page(**facts))


def _number_of(number, word):
    "A number of things, in words."
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def cluster_table(X, n_clusters="auto", *, columns=None, **options) -> TableClusters:
    """The clusters of a table, with all that is to be decided decided.

    Parameters
    ----------
    X
        a table, shape (n, m): a frame, best of strings as they were read
    n_clusters : int or "auto", default="auto"
        the number of clusters
    columns : default=None
        names of the columns that take part; None for all
    **options
        those of `plan_table` and `fit_plan`

    Returns
    -------
    TableClusters
        labels, plan, decisions, words, profiles, and `report(path)`

    Examples
    --------
    >>> import pandas as pd
    >>> from kmodes_study.describe import cluster_table
    >>> table = pd.DataFrame({"way": ["car", "bus"] * 9, "pays": ["yes", "no"] * 9})
    >>> cluster_table(table, 2).summary
    '2 clusters of 18 rows in 2 columns; cost 0: a row differs from the mode of its cluster in 0.00 columns on average'
    """
    known = plan_table.__kwdefaults__
    planned = {name: options.pop(name) for name in known if name in options}
    return fit_plan(plan_table(X, columns, **planned), n_clusters, **options)


_LATENT = "latent"


def fit_plan(
    plan: TablePlan,
    n_clusters="auto",
    *,
    algorithm: str = "auto",
    init: str | None = None,
    n_init: int | None = None,
    sample_weight=None,
    random_state: int = 0,
    names=None,
    min_share: float | None = None,
) -> TableClusters:
    """The clusters of a table that `plan_table` has planned.

    k-modes clusters categories. k-prototypes clusters tables with numbers, with weights
    that are learnt from the table, and scales with gaps, by their steps.

    Parameters
    ----------
    plan : TablePlan
        of `plan_table`
    n_clusters : int or "auto", default="auto"
        the number of clusters; "auto" takes the smaller of those that code length and
        stability choose, for latent classes that of the least BIC
    algorithm : str, default="auto"
        an algorithm of `KModes`, or "latent" for latent classes
    init : str, default=None
        a start of the clusterer; None for the one that suits it
    n_init : int, default=None
        number of starts
    sample_weight : default=None
        weight of each row, shape (n,)
    random_state : int, default=0
        seed of all that is drawn
    names : default=None
        names of the clusters, for words, profiles and page
    min_share : float, default=None
        as for `describe_clusters`

    Returns
    -------
    TableClusters
        labels, plan, decisions, words, profiles, and `report(path)`

    Raises
    ------
    ValueError
        For options that do not suit the table, and for more clusters than rows.
    """
    filled = plan.filled
    plan, weights = plan.clustered(sample_weight)
    model, why = _clusterer(plan, algorithm, init, n_init, random_state)
    decisions = [*plan.decisions, why]
    if not filled.all():
        text = f"left out: {_number_of((~filled).sum(), 'row')} without any value"
        decisions.insert(-1, Decision(text))
    scan = None
    with warnings.catch_warnings():
        # the command has warnings of its own
        warnings.simplefilter("ignore", TableWarning)
        if n_clusters == "auto":
            n_clusters, why, scan = _chosen_k(plan, model, weights, random_state)
            decisions.append(why)
        model.set_params(n_clusters=n_clusters)
        if plan.numbers:
            drawn = _drawn(plan.cells, _ROWS_FOR_MIXED, 0, weights)
            quick, _ = _learnt(plan, model, drawn, min(n_clusters, len(drawn)))
            model.set_params(feature_weight=quick.feature_weight)
        model.fit(plan.cells, sample_weight=weights)
    labels = model.labels_
    if not filled.all():
        labels = pd.Series(labels, np.flatnonzero(filled), dtype="Int64")
        labels = labels.reindex(range(len(filled)))
    return TableClusters(
        plan, labels, model, weights, decisions, scan, names, min_share
    )


_MANY_ROWS = 50_000  # from which scales have fewer starts


def _clusterer(plan, algorithm, init, n_init, seed):
    "The clusterer that a table asks for, for one cluster, and why it is this one."
    if plan.numbers and algorithm != "auto":
        raise ValueError(f"algorithm {algorithm!r} takes no numbers: {plan.numbers}")
    options = dict(missing=plan.missing, random_state=seed, n_init=n_init or "auto")
    starts = None, "k-means++", "cao", "huang", "random"
    by_steps = plan.missing == "ignore" and algorithm == "auto" and init in starts
    counts = bool(plan.scales) and plan.missing != "ignore"
    instead = {"algorithm": _LATENT}
    if algorithm == _LATENT:
        model = LatentClasses(1, init=init or "random", n_jobs=-1, **options)
        counts, instead = False, {}
        text = "latent classes, which learn how common each category is in each cluster"
    elif plan.numbers or by_steps and plan.steps:
        counts, text = bool(plan.steps), "k-prototypes"
        if plan.numbers:
            instead = {}
            text = (
                "k-prototypes, as there are numbers; a column counts more the better "
                "the clusters tell it"
            )
        model = KPrototypes(
            1,
            gamma=1.0,
            init=init or "k-means++",
            categorical_features=[x for x in plan.cells if x not in plan.numbers],
            n_jobs=-1,
            **options,
        )
    else:
        text = "k-modes"
        if counts and init is None and n_init is None:
            options["n_init"] = 20 if len(plan.cells) <= _MANY_ROWS else 5
        start = init or ("random" if counts else "cao")
        model = KModes(1, init=start, algorithm=algorithm, **options)
    if counts:
        model.set_params(dissimilarity="ordinal")
        text += ", and scales count by their steps"
        instead = {"categorical": plan.scales[:1], **instead}
    elif plan.scales:
        text += "; the values of scales are equal or not"
    return model, Decision(f"algorithm: {text}", instead)


_ROWS_FOR_K, _ROWS_FOR_MIXED = 5000, 2000  # from which a number of clusters is chosen
_MOST_CLUSTERS = 10
_IN_VAIN = 3  # numbers of clusters without a better one, after which the search ends
_ROWS_RESAMPLED = 1000
_LEAST_STABILITY = 0.75  # of each cluster, as in `choose_k`


def _drawn(cells, n, seed, weights=None):
    """A table, or so many rows of it as are drawn at random; rows with weights are there
    as often as these say.
    """
    if len(cells) < 2:
        raise ValueError(f"clusters need two rows with a value, there are {len(cells)}")
    if weights is not None:
        weights = check_sample_weight(weights, len(cells)).astype(float)
        total = weights.sum()
        n = min(n, max(len(cells), round(total)))
        places = np.searchsorted(weights.cumsum(), (np.arange(n) + 0.5) / n * total)
        return cells.iloc[places].reset_index(drop=True)
    if len(cells) <= n:
        return cells
    return cells.sample(n, random_state=seed).reset_index(drop=True)


def _learnt(plan, model, cells, k):
    """A model for k clusters with few starts, and the bits that rows take within them;
    where there are numbers, it has learnt how much each column counts.
    """
    n_init = 4 if model.n_init == "auto" else model.n_init
    quick = clone(model).set_params(n_clusters=k, n_init=n_init)
    if plan.numbers:
        weights, bits = learnt_weights(quick, cells, plan.numbers, plan.steps)
        return quick.set_params(feature_weight=weights), bits
    return quick, mixed_bits(cells, [], plan.steps, quick.fit(cells).labels_)


_WORTH = (
    "the smaller of code length and stability found the number in 82% of 720 planted "
    "tables, and in 90% of 320 that follow no simple model"
)
_WORTH_CLASSES = (
    "on five kinds of planted tables of 400 rows it found the number in 22% to 31%, "
    "and too many in up to 16%"
)


def _chosen_k(plan, model, weights, seed):
    "The number of clusters, the decision, and the scan that it was taken from."
    n = _ROWS_FOR_MIXED if plan.numbers or plan.scales else _ROWS_FOR_K
    cells = _drawn(plan.cells, n, 0, weights)
    most = min(_MOST_CLUSTERS, len(cells.drop_duplicates()))
    worth = ""
    if isinstance(model, LatentClasses):
        scan = _scan_of_classes(model, cells, most, _IN_VAIN)
        k, worth = int(scan.choices["bic"]), f" ({_WORTH_CLASSES})"
        why = "as no division lowers the BIC" if k == 1 else "by the least BIC"
    else:
        bits = "code_length"
        if plan.numbers:
            scan = _searched(plan, model, cells, most, seed)
        else:
            few = dict(n_references=0, n_splits=0, n_resamples=10)
            scan = _scan(plan, cells, most, seed, indices=False, max_swaps=0, **few)
            if plan.steps:
                told = []
                for fit in scan.fits:
                    told.append(mixed_bits(cells, [], plan.steps, fit.labels))
                    if len(told) - np.argmin(told) > _IN_VAIN:
                        break
                scan.table[bits] = pd.Series(told)
                scan.choices[bits] = 1 + np.argmin(told)
            else:
                bits, worth = "code_length_by_attribute", f" ({_WORTH})"
        shortest, stable = scan.choices[[bits, "stability"]]
        k = int(min(shortest, stable))
        is_mixed = plan.numbers or plan.steps
        if is_mixed and _comes_by_chance(plan, model, cells, scan, k, seed):
            k, why = 1, "as columns that are drawn apart are divided as well"
        elif shortest > stable:
            none = "no division comes" if k == 1 else "more do not come"
            why = f"by stability, as {none} again in other rows"
        elif k == 1:
            why = "as no division shortens the code length, in bits"
        else:
            why = "by the shortest code length, the bits that write the table down"
    if len(cells) < len(plan.cells):
        why += f", from {len(cells):,} rows drawn at random"
    instead = {"n_clusters": 2 if k == 1 else k + 1}
    return k, Decision(f"clusters: {k}, {why}{worth}", instead), scan


def _searched(plan, model, cells, most, seed):
    """The scan of a mixed table: the number of clusters in which it takes the fewest bits,
    and the largest number whose clusters come again.
    """
    rows, clusters, some = [], [], cells[:_ROWS_RESAMPLED]
    for k in steps(range(1, most + 1), "how many clusters?"):
        quick, bits = _learnt(plan, model, cells, k)
        again = cluster_stability(
            quick.fit(some), some, n_resamples=10, random_state=seed
        )
        clusters.append(again.clusters.assign(n_clusters=k))
        lowest = again.clusters.stability.min() if len(again.clusters) == k else 0
        rows.append(dict(n_clusters=k, code_length=bits, stability=lowest))
        table = pd.DataFrame(rows).set_index("n_clusters")
        shortest = table.code_length.idxmin()
        if k - shortest >= _IN_VAIN:
            break
    stable = table.index[table.stability >= _LEAST_STABILITY].max()
    choices = dict(code_length=shortest, stability=stable)
    choices = pd.Series(choices, dtype="Int64", name="n_clusters")
    return KScan(table.reset_index(), pd.concat(clusters), choices, [])


_DRAWN_APART = 9


def _comes_by_chance(plan, model, cells, scan, k, seed):
    """Whether the k clusters of a scan are not clearly better than those of tables whose
    columns are drawn apart, so that none tells of another.
    """
    if k == 1 or cells.shape[1] == 1:
        return False
    bits = scan.table.set_index("n_clusters").code_length[k]
    draws, others = np.random.RandomState(seed), []
    for _ in range(_DRAWN_APART):
        columns = cells.items()
        apart = {x: y.sample(frac=1, random_state=draws).array for x, y in columns}
        cells = pd.DataFrame(apart)
        others.append(_learnt(plan, model, cells, k)[1])
        if others[-1] < bits:
            return True
    return bits > min(others) - np.std(others)


def _scan_of_classes(model, cells, most, in_vain=np.inf):
    """The scan of a table for latent classes; it ends after `in_vain` numbers without a
    better one.
    """
    rows, fits = [], []
    for k in range(1, most + 1):
        fits.append(clone(model).set_params(n_clusters=k).fit(cells))
        rows.append(dict(n_clusters=k, cost=fits[-1].cost_, bic=fits[-1].bic(cells)))
        table = pd.DataFrame(rows).set_index("n_clusters")
        if k - table.bic.idxmin() >= in_vain:
            break
    choices = table[["bic"]].idxmin().astype("Int64")
    return KScan(table.reset_index(), pd.DataFrame(), choices, fits)


def _scan(plan, cells, most, seed, **options):
    "The scan of some rows of a plan by k-modes or k-prototypes."
    return k_scan(
        cells,
        range(1, most + 1),
        missing=plan.missing,
        random_state=seed,
        categorical_features=[name for name in cells if name not in plan.numbers],
        dissimilarity="ordinal" if plan.steps else "matching",
        **options,
    )


def scan_plan(
    plan: TablePlan,
    most: int = 10,
    *,
    algorithm: str = "auto",
    sample_weight=None,
    n_resamples: int = 10,
    max_rows: int = 5000,
    random_state: int = 0,
) -> KScan:
    """All criteria for each number of clusters of a table that `plan_table` has planned.

    Parameters
    ----------
    plan : TablePlan
        of `plan_table`
    most : int, default=10
        the largest number of clusters
    algorithm : str, default="auto"
        "auto", or "latent" for latent classes
    sample_weight : default=None
        weight of each row, shape (n,)
    n_resamples : int, default=10
        tables that are drawn for each criterion; none for latent classes
    max_rows : int, default=5000
        rows that are drawn of a larger table
    random_state : int, default=0
        seed of all that is drawn

    Returns
    -------
    KScan
        as of `k_scan`
    """
    algorithm = check_option("algorithm", algorithm, ("auto", _LATENT))
    plan, weights = plan.clustered(sample_weight)
    cells = _drawn(plan.cells, max_rows, random_state, weights)
    most = min(most, len(cells.drop_duplicates()))
    if algorithm == _LATENT:
        model, _ = _clusterer(plan, _LATENT, None, None, random_state)
        return _scan_of_classes(model, cells, most)
    n, halves = n_resamples, (n_resamples + 1) // 2
    counts = dict(n_references=n, n_splits=halves, n_resamples=n)
    return _scan(plan, cells, most, random_state, **counts)
