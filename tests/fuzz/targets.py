"""The public functions that are called, with the arguments that each takes."""

import importlib
import inspect
import json
import pkgutil
from pathlib import Path
from typing import NamedTuple

import numpy as np

import kmodes_study
from kmodes_study.core.codes import encode

from fuzz.draw import ARGUMENTS, Problem, mixed, one_of, whole

# Modules of the plain forms, of what all others check first, and of commands and files,
# which have tests of their own.
NOT_CALLED = set(
    """__main__ _modidx _old_paths base checks cli code_files computed extras features files jit
kernels levels loaders mixed own_table page parts reading report runs saved sets stored tables blocks stream
bounds expected_information rows silhouette_gaps scales questionnaires""".split()
)

# What other modules call with arrays that they have checked, and what has no arguments
# that a user writes.
LEFT_OUT = set(
    """
absolute_distances add_row alternate attribute_strings BadArgument category_offsets CategoryTables cells_of_matrix
Certificate check_certificate check_clustering check_complete check_contingency check_prototypes check_runs
check_theta checked_limits choose_k claims clusters_of ClusterTables codes_2018 compare compare_pair could_be_integers
decode_centroids different_modes distance_blocks distance_table draw_by_share encode_features euclidean_dissim
expected_nats fill_empty_clusters get_max_value_key get_unique_rows has_converged indices_of jaccard_dissim_binary
jaccard_dissim_label k_modes labels_cost labels_cost_prototypes labels_of learn learn_from_file learn_tables
look_through matching matching_dissim mode_distances nearest_by_tables ng_dissim NoCategories NotExact NotFitted
number_labels number_pair optimal_partitions p_value_of_constancy p_value_of_means p_value_of_sds p_values pair_matrix
pair_matrix_of pair_table pandas_to_numpy passes_2018 places plot_dendrogram plot_embedding plot_k_scan png
points_and_centres policies power_centre power_divergences printed_cell Proof published require_exact rescaled
runs_note settle settled Share side_by_side smallest_unsigned spread_apart squared_distances start_name style
table_cost table_distances equal_runs by_method league validity_of_distances difference_table
in_words method_table table_kmodes TableClusters tables_by_name takes_gaps too_few_rows toy_vehicles
transfer_pass tree_layout tsne UnknownInit verdict_counts wilde2020_codes
""".split()
)

# What has arguments that a small clustering problem does not hold, with the reason why
# it is left out.
NOT_DRAWN = {
    "it takes codes, gaps and preferences that its caller has checked": """
        partial_distances fill_missing resident_optimal""",
    "it takes what another function of its chapter has made, or a function of the user": """
        labels_at fit_classes run_contest expected_lowest costs_in_time evolve""",
    "it takes a store, a file or a function, and has tests of its own": """
        add_runs_command cluster_stability column_importance experiment export_rows
        import_rows latex list_rows prune_rows save_figure save_table store_place stored_rows""",
    "it takes what the package kmodes passes around inside": (
        "compat.init_cao compat.init_huang compat.k_prototypes"
    ),
}

NUMBERS = (
    "hopkins PKMeans init_rows squared_distances k_means power_divergences "
    "absolute_distances k_medians segment"
)
OWN = {f"{name}.X": Problem.numbers for name in NUMBERS.split()}
OWN |= {
    f"{name}.X": mixed
    for name in ("KPrototypes", "gower_distances", "diagnose", "compat.KPrototypes")
}
OWN |= {
    f"{name}.n_clusters": lambda p: int(p.labels.max()) + 1
    for name in ("modes_of", "category_counts")
}
OWN |= {
    "k_scan.n_clusters": lambda p: list(range(1, p.k + 2)),
    "KPrototypes.feature_weight": None,
    "k_prototypes.feature_weight": lambda p: p.rng.randint(1, 4, 2 * p.m).tolist(),
    "KPrototypes.init": one_of("cao", "random"),
    "gower_distances.feature_weight": None,
    "FuzzyKModes.init": one_of("cao", "huang", "random"),
    "rock.theta": one_of(0.3),
    "LatentClasses.init": one_of("random"),
    "PKMeans.p": one_of(2.0, 1.5),
    "initial_rows.init": one_of("cao", "random"),
    "cost.modes": lambda p: p.rows(p.codes, p.n_distinct)[
        np.arange(p.labels.max() + 1) % p.n_distinct
    ],
    "cluster_costs.modes": lambda p: OWN["cost.modes"](p),
    "labels_at.bisection": None,
    "train_modes.algorithm": one_of("huang"),
    "classify.algorithm": one_of("huang", "lloyd"),
    "classify.init": one_of("cao", "huang"),
    "run_2018.init": one_of("huang"),
    "run_legacy.init": one_of("cao", "huang", "matching"),
    "prove_optimum.missing": one_of("error"),
    "prove_optimum.max_time": one_of(0.2),
    "plot_knee.n_clusters": lambda p: [1, 2, 3],
    "plot_knee.costs": lambda p: [9, 4, 2],
    "plot_error_by_rank.costs": lambda p: p.weights,
    "plot_error_by_rank.errors": lambda p: p.labels / 9,
    "decode.missing": one_of("error", "ignore"),
    "tree_labels.n_clusters": whole(1, 2),
    "tree_labels.height": None,
    "mutual_info_score.contingency": None,
    "expected_mutual_information.n_samples": None,
    "k_scan.indices": one_of(False),
    "k_scan.dissimilarity": one_of("matching"),
    "compat.KModes.init": one_of("Cao", "Huang", "random"),
    "matching_distances.Y": lambda p: p.rows(p.codes),
    "holm.p_values": lambda p: p.rng.rand(p.n),
    "k_scan.n_resamples": whole(1, 2),
    "k_scan.n_references": whole(1, 2),
    "k_scan.n_splits": whole(2, 3),
    "hamming_distances.Y": lambda p: p.rows(p.codes),
    "rank_biserial.differences": lambda p: p.weights - 2,
    "legacy_argsort.a": lambda p: p.weights,
    "legacy_argsort.head": None,
    "stratified_split.test_size": one_of(0.25, 0.5),
    "initial_rows.feature_weight": None,
    "compat.KPrototypes.categorical": lambda p: list(range(p.m)),
    "grow_tree.options": None,
    "summarise.by": None,
    "compare_pairs.by": None,
    "compare_pairs.method": None,
}
SLOW = {
    "k_scan": 20,
    "prove_optimum": 5,
    "plot_modes": 5,
    "plot_profile": 5,
    "plot_silhouette": 5,
    "plot_figure": 9,
    "plot_distances": 5,
    "plot_costs": 5,
    "plot_cdf": 5,
    "plot_knee": 5,
    "plot_error_by_rank": 5,
    "tsne": 9,
}


# else a call draws anew, or has nothing to work on
ALWAYS = "random_state", "labels_true", "labels_pred"


class Target(NamedTuple):
    """A function of keyword arguments, and for each argument what draws it and whether
    it must be there.
    """

    name: str
    call: object
    draws: dict
    parameters: dict

    def arguments(self, problem):
        "The arguments of a call; those that may be left out, often are."
        known = {
            name: draw(problem)
            for name, (draw, needed) in self.draws.items()
            if needed or problem.rng.rand() < 0.35 or name in ALWAYS
        }
        if problem.rng.rand() < 0.25 and problem.m > 1:
            table = problem.holes()
            if known.get("missing", "error") != "error" and "X" in known:
                known["X"] = table
            if "missing_codes" in self.parameters:
                known["codes"], known["missing_codes"] = coded(table)
        return known


def coded(table):
    "Codes of a table with gaps, and the codes of the gaps."
    codes, categories = encode(table, "ignore")
    return codes, np.array([len(levels) for levels in categories])


def fitter(kind):
    "A function that fits an estimator of this kind, with the parameters of both."
    own = inspect.signature(kind).parameters
    fitted = {
        name: one
        for name, one in inspect.signature(kind.fit).parameters.items()
        if name not in ("self", "y")
    }

    def fit(**options):
        return kind(**{name: options[name] for name in options if name in own}).fit(
            **{name: options[name] for name in options if name in fitted}
        )

    return fit, {**fitted, **own}


def target_of(name, value):
    "A target, or nothing where a needed argument is not known here."
    call, parameters = (
        fitter(value)
        if inspect.isclass(value)
        else (value, inspect.signature(value).parameters)
    )
    draws = {}
    for one in parameters.values():
        needed, own = one.default is one.empty, f"{name}.{one.name}"
        draw = OWN[own] if own in OWN else ARGUMENTS.get(one.name)
        if draw is None and needed and one.kind is not one.VAR_KEYWORD:
            return None
        if draw is not None:
            draws[one.name] = draw, needed
    return Target(name, call, draws, parameters) if draws else None


def is_public_call(value):
    "Whether it is an estimator or a function, but no kernel."
    if inspect.isclass(value):
        return hasattr(value, "fit")
    return callable(value) and not hasattr(value, "py_func")


def is_core(value):
    """Whether a function of the algorithms takes `Rows`, which are checked where they
    are made.
    """
    of_algorithms = getattr(value, "__module__", "").startswith("kmodes_study.cluster.")
    return (
        of_algorithms
        and inspect.isfunction(value)
        and next(iter(inspect.signature(value).parameters), "") == "rows"
    )


def modules():
    "The modules whose functions are called, by their names in the package."
    names = sorted(
        one.name
        for one in pkgutil.walk_packages(kmodes_study.__path__, "kmodes_study.")
        if not one.ispkg
    )
    return {
        name.removeprefix("kmodes_study."): importlib.import_module(name)
        for name in names
        if name.rpartition(".")[2] not in NOT_CALLED and ".plain." not in name
    }


# the names that version 0.1 listed
OLD_NAMES = Path(__file__).resolve().parent.parent / "old_names.json"
OLD = {
    name
    for names in json.loads(OLD_NAMES.read_text(encoding="utf-8")).values()
    for name in names.split()
}


def targets():
    "All targets, and the names of the public functions that have none."
    found, without = {}, []
    for module, home in modules().items():
        # what version 0.1 listed is called as before
        own = [
            name
            for name, value in vars(home).items()
            if name in OLD and getattr(value, "__module__", "") == home.__name__
        ]
        for name in dict.fromkeys([*home.__all__, *own]):
            value = getattr(home, name)
            label = f"compat.{name}" if module == "compat" else name
            if name in LEFT_OUT or not is_public_call(value) or is_core(value):
                continue
            target = target_of(label, value)
            if target:
                found[label] = target
            elif name in home.__all__:
                without.append(label)
    return list(found.values()), without
