"""The functions for users, made out of cores: an algorithm takes codes and modes, a
start codes and a number of clusters.
"""

from functools import update_wrapper
from inspect import Parameter, cleandoc, signature

from ..core.checks import check_random_state, check_whole
from ..core.rows import Rows, too_few_rows

__all__ = []


def _door(core, door):
    """The `door` with the name of its `core`, and with the text of both; what the core
    says below `Parameters` are options of its own, which must be named.
    """
    about, _, options = cleandoc(core.__doc__ or "").partition(
        "\n\nParameters\n----------\n"
    )
    options = options and options + "\n"
    door.__doc__ = cleandoc(door.__doc__ or "").format(about=about, options=options)
    shared = list(signature(door).parameters.values())[:-1]
    known = {"rows", *(parameter.name for parameter in shared)}
    own = [
        parameter.replace(kind=Parameter.KEYWORD_ONLY)
        for parameter in signature(core).parameters.values()
        if parameter.name not in known
    ]
    door.__signature__ = signature(door).replace(parameters=shared + own)
    door.core = core
    return update_wrapper(door, core, ("__name__", "__qualname__", "__module__"), ())


def in_callers_units(rows, result):
    "The result of a core, whose costs are whole, with costs in the caller's weights."
    cost, *costs = rows.in_units([result.cost, *result.epoch_costs])
    return result._replace(cost=cost, epoch_costs=costs)


def algorithm(core):
    "The function of codes for a core `(rows, modes, ...)`: rows of whole weights."

    def run(
        codes,
        modes,
        *,
        max_iter=100,
        sample_weight=None,
        missing_codes=None,
        n_jobs=None,
        random_state=None,
        **options,
    ):
        """{about}

        Parameters
        ----------
        codes : array-like of shape (n, m)
            Points as codes, integers not below 0; not copied if they lie column after
            column in memory.
        modes : array-like of shape (k, m)
            Initial modes as codes of the same kind, none missing.
        max_iter : int, default=100
            Largest number of passes after the first; in a swap search, at its end.
        sample_weight : array-like of shape (n,), default=None
            How much each row counts, not negative; None for once.
        missing_codes : array-like of shape (m,), default=None
            The code of a missing value in each column; None if no value is missing.
        n_jobs : int, default=None
            Number of threads, where the algorithm uses any; None for one, -1 for all
            processors. The result does not depend on it.
        random_state : int or RandomState, default=None
            Draws what is drawn: `lloyd` and `otqt` draw nothing.
        {options}
        Returns
        -------
        ClusteringResult
            Labels, modes, cost, and the way there; fewer modes where rows with gaps
            agree with fewer.

        Raises
        ------
        ValueError
            For what does not fit, and for fewer distinct rows than modes.
        """
        max_iter = check_whole("max_iter", max_iter, least=0)
        options |= dict(n_jobs=n_jobs, random_state=check_random_state(random_state))
        rows = Rows.of(codes, sample_weight, missing_codes).whole()
        found = core(rows, rows.start(modes), max_iter, **options)
        return in_callers_units(rows, found)

    return _door(core, run)


def start(core):
    "The function of codes for a core `(rows, n_clusters, random_state, ...)`."

    def run(
        codes,
        n_clusters,
        *,
        random_state=None,
        sample_weight=None,
        missing_codes=None,
        **options,
    ):
        """{about}

        Parameters
        ----------
        codes : array-like of shape (n, m)
            Rows as codes, integers not below 0.
        n_clusters : int
            Number of modes, k.
        random_state : int or RandomState, default=None
            Draws what is drawn: `init_cao` draws nothing.
        sample_weight : array-like of shape (n,), default=None
            How many times each row counts, not negative; None for once.
        missing_codes : array-like of shape (m,), default=None
            The code of a missing value in each column; None if no value is missing.
        {options}
        Returns
        -------
        ndarray of shape (k, m), dtype of the codes
            Initial modes, different from each other.

        Raises
        ------
        ValueError
            For what does not fit, and for fewer distinct rows than clusters.
        """
        rows = Rows.of_start(codes, sample_weight, missing_codes)
        random_state = check_random_state(random_state)
        n_clusters = check_whole("n_clusters", n_clusters)
        if n_clusters > len(rows):
            raise too_few_rows(n_clusters, len(rows.distinct()[0]))
        return core(rows, n_clusters, random_state, **options)

    return _door(core, run)
