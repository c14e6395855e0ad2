"""The faults: for each module the tests of its place, and pairs of a text and what a
slip would have made of it.

A text stands once in its module; where the module changes, the fault is mended here
with it, or left out for a reason. Faults that change nothing but speed, or a rounding
that no result shows, do not belong here.
"""

from mutants.copies import Fault

PLACES = []


def place(module, tests, *changes):
    "Note the faults of a module."
    PLACES.append((module, tuple(tests.split()), changes))


# ---------------------------------------------------------------- measures

place(
    "measures/contingency.py",
    "test_measures.py",
    (
        "np.add.at(ordered, np.maximum(order, 0), table)",
        "ordered[np.maximum(order, 0)] += table",
    ),
    ("    counts.eliminate_zeros()\n", ""),
    (
        "counts = sp.csr_matrix(counts)\n    counts.sum_duplicates()",
        "counts = sp.csr_matrix(counts)",
    ),
    ("_cells_of_sparse(counts.copy())", "_cells_of_sparse(counts)"),
)
place(
    "measures/pair_counting.py",
    "test_measures.py",
    ("(sizes * (sizes - 1) // 2)", "(sizes * sizes // 2)"),
    (
        "[[2 * f00, 2 * f01], [2 * f10, 2 * f11]]",
        "[[2 * f00, 2 * f10], [2 * f01, 2 * f11]]",
    ),
)
place(
    "measures/information.py",
    "test_measures.py",
    ("_entropy(b, n)) - expected\n    )", "_entropy(b, n))\n    )"),
    (
        "both = beta * homogeneity + completeness",
        "both = homogeneity + beta * completeness",
    ),
    ("& {1, n}:\n        return 0.0", "& {1}:\n        return 0.0"),
    ("lost = (total + term) - total - term", "lost = 0.0"),
)
place(
    "measures/expected_information.py",
    "test_measures.py",
    ("weight > 1e-24", "weight > 1e-6"),
    (
        "return x * np.log1p(deviation / mu) - deviation\n",
        "return x * np.log1p(deviation / mu)\n",
    ),
)
place(
    "measures/silhouette.py",
    "test_silhouette.py",
    ("None if weights is None else weights[part]", "weights"),
    ("exists = (sizes > 1)", "exists = (sizes > 0)"),
    ("n_jobs), weights=sample_weight))", "n_jobs)))"),
    ("else rows[first:first + _SHARE]", "else rows[:_SHARE]"),
)
place(
    "measures/silhouette_gaps.py",
    "test_silhouette.py",
    ("np.where(common > 0, sizes, 0)", "sizes"),
    ("counts += sp.csr_matrix((amounts,", "counts = sp.csr_matrix((amounts,"),
    ("np.add.at(sizes, groups, weights)", "np.add.at(sizes, groups, 1)"),
)
place(
    "measures/distances.py",
    "test_distances.py",
    ("scale = sums.dtype.type(rows.total) / whole", "scale = sums.dtype.type(1)"),
    (
        "part = slice(first, min(first + size, len(rows.codes)))",
        "part = slice(first, first + size)",
    ),
    ("condensed and Y is not None", "condensed and Y is None"),
    ("lows[i]", "begin"),
    ("high - low, 1) * weights", "high - low, 1)"),
)
place(
    "measures/cohesion.py",
    "test_cohesion.py",
    ('"mode_shift": sizes\n            * sum', '"mode_shift": sum'),
    ("(sizes * (sizes + 1) // 2)", "(sizes * (sizes - 1) // 2)"),
    ("** 2).sum(axis=1) / 2,", "** 2).sum(axis=1),"),
    ("np.lexsort([own, numbers])", "np.lexsort([-own, numbers])"),
)
place(
    "measures/assignment.py",
    "test_assignment.py",
    ("precisions.sum() / table.shape[1]", "precisions.sum() / len(precisions)"),
    ('table.shape[naming == "majority"]', "table.shape[1]"),
    ("right / table.sum(axis=1)[classes]", "right / table.sum(axis=1)[: len(classes)]"),
)
place(
    "measures/clusterability.py",
    "test_how_many.py",
    (
        "(1 + (null >= statistic).sum()) / (1 + n_permutations)",
        "(null >= statistic).mean()",
    ),
    ("(null >= statistic)", "(null > statistic)"),
    ("(w / largest) ** X.shape[1])", "(w / largest) ** 2)"),
    ("max(1, n // 10)", "max(1, n // 5)"),
    ("            distances[i] = codes.shape[1]\n", ""),
)
place(
    "measures/validity_indices.py",
    "test_how_many.py",
    ("2*discordant/(n*(n - 1))", "2*discordant/(n*n)"),
    ("np.empty(n, np.min_scalar_type(m))", "np.empty(n, np.uint8)"),
    ("/(n*(n - 1)))**.5", "/(n*n))**.5"),
)

# ---------------------------------------------------------------- cluster

place(
    "cluster/dissimilarity.py",
    "test_modes.py",
    ("distances[first + i, l] = block[i]", "distances[i, l] = block[i]"),
)
place(
    "cluster/modes.py",
    "test_modes.py test_wholes.py",
    (
        "np.add.at(costs, labels, differing*weights)",
        "np.add.at(costs, labels, differing)",
    ),
    ("own = None if weights is None else weights[rows]", "own = weights"),
    (
        "if gaps is not None: counts[offsets[:-1][np.add.reduceat(counts, "
        "offsets[:-1]) == 0]] = 1",
        "pass",
    ),
    ("weights * observed[:, j])", "weights)"),
    ("    counts[:, places[places < offsets[1:]]] = 0\n", ""),
)
place(
    "cluster/gaps.py",
    "test_wholes.py test_modes.py test_starts.py test_lloyd.py",
    (
        "np.add.at(totals, column[observed], weights[observed])",
        "np.add.at(totals, column[observed], 1)",
    ),
    ("* m / observed\n", "\n"),
    ("return weights, math.ldexp(1/scale, -shift)", "return weights, 1/scale"),
    ("np.rint(shares).astype(np.int64) if whole", "shares.astype(np.int64) if whole"),
)
place(
    "cluster/starts/basic.py",
    "test_starts.py",
    (
        "agreements/table.observed, table.observed**2",
        "agreements/table.observed, table.observed",
    ),
    (
        "standard_exponential(len(codes))/weights",
        "standard_exponential(len(codes))*weights",
    ),
    ("agreements.max()*len(table.columns) < 2**31", "True"),
    ("else differing/table.observed", "else differing"),
    ("return counts * (unit // totals), unit", "return counts, unit"),
)
place(
    "cluster/starts/seeding.py",
    "test_seeding.py",
    (
        "_draw_by_share(weights*distances, random_state)",
        "_draw_by_share(distances, random_state)",
    ),
    (
        "if not chosen: row = _draw_by_share(weights, random_state)",
        "if not chosen: row = _draw_by_share(np.ones(len(codes)), random_state)",
    ),
)
place(
    "cluster/starts/refined.py",
    "test_refined.py",
    ("max(len(codes)//10, 5*n_clusters)", "max(len(codes)//10, n_clusters)"),
    ("lloyd(rows, start, sample_weight=times)", "lloyd(rows, start)"),
    (
        "random_state.multinomial(size, weights/weights.sum())",
        "random_state.multinomial(size, np.full(len(codes), 1/len(codes)))",
    ),
)
place(
    "cluster/starts/bisecting.py",
    "test_bisecting_start.py test_bisecting.py",
    (
        "counts[members], weights[members], missing",
        "counts[members], counts[members], missing",
    ),
    (
        "[each.sum().item()*unit for each in costs]",
        "[each.sum().item() for each in costs]",
    ),
    ("np.bincount(labels, weights), 0)", "np.bincount(labels), 0)"),
    ("labels, counts, split)", "labels, weights, split)"),
)
place(
    "cluster/starts/prominent.py",
    "test_prominent.py",
    ("(levels <= k)", "(levels < k)"),
    ("max(ceil(len(codes) ** 0.5), 1)", "max(int(len(codes) ** 0.5), 1)"),
    ("kept = place < len(strings)", "kept = place >= 0"),
)
place(
    "cluster/algorithms/lloyd.py",
    "test_lloyd.py",
    ("fit.hidden*fit.weights).sum())", "fit.hidden).sum())"),
    (
        "far = rescaled(far.astype(np.int64), m - fit.hidden, m)",
        "far = far.astype(np.int64)",
    ),
    ("if fit.weights is not None: far = np.where(fit.weights > 0, far, 0)", "pass"),
    ("np.where(first < 0, first - _NEVER, first)", "np.maximum(first, 0)"),
    ("wins = (new < d) | ((new == d) & (b <= a))", "wins = new < d"),
    (
        "most_frequent(counts[which], offsets, fresh)",
        "most_frequent(counts[:len(which)], offsets, fresh)",
    ),
)
place(
    "cluster/blocks.py",
    "test_blocks.py test_large.py",
    (
        "best = min(\n            best,\n            (\n                "
        "-int(distances[i]),\n                first + int(i),",
        "best = min(best, (-int(distances[i]), int(i),",
    ),
    (
        "best = min(\n            best, (-int(scores[i]), first + int(i),",
        "best = min(best, (-int(scores[i]), int(i),",
    ),
    ("counts[label, cells] -= n_equal", "counts[label, cells] -= 1"),
    ("for row, label in moved:", "for row, label in moved[:1]:"),
)
place(
    "cluster/stream.py",
    "test_wholes.py test_large.py",
    ("modes[seen] = updated[seen]", "modes[:] = updated"),
    (
        "count_categories(in_columns(codes).T, labels, 0, len(codes), weights,",
        "count_categories(in_columns(codes).T, labels, 0, len(codes), None,",
    ),
)
place(
    "cluster/dissimilarity_tables.py",
    "test_wholes.py test_dissimilarity_tables.py",
    ("np.count_nonzero(f)\n    )", "len(f)\n    )"),
    ('(0, 1), mode="maximum")', '(0, 1), mode="constant")'),
    (
        "first : first + _LOOKED_UP, l] = (\n                "
        "amounts[places].sum(axis=1) / clusters.units[l]\n            )",
        ":_LOOKED_UP, l] = amounts[places].sum(axis=1) / clusters.units[l]",
    ),
    ("1, weights, offsets)[0]", "1, None, offsets)[0]"),
    ("1 - 2 * both /", "1 - both /"),
    (
        "sizes[source] == 1:\n            continue",
        "sizes[source] == 0:\n            continue",
    ),
)
place(
    "cluster/sampled.py",
    "test_sampled.py",
    (
        "own = data if sample_weight is None else data | "
        "dict(sample_weight=np.asarray(sample_weight)[places])",
        "own = dict(data, sample_weight=None)",
    ),
    (
        "if found.cost <= start_cost(codes, modes, sample_weight, observed, n_jobs): "
        "return found",
        "return found",
    ),
    ("max(size, size * len(modes) // 64)", "size"),
    (
        "0, len(labels), weights, offsets, counts)",
        "0, len(labels), None, offsets, counts)",
    ),
    (
        "labels=ends.labels, modes=ends.modes, cost=ends.cost",
        "labels=ends.labels, modes=ends.modes",
    ),
    ("    if missing_codes is not None: forbid(counts, offsets, missing_codes)\n", ""),
)
place(
    "cluster/base.py",
    "test_wholes.py test_dissimilarity_tables.py test_estimator.py",
    ("return -total.item() * self._unit", "return -total.item()"),
    (
        "return -_in_units(self._nearest(X)[1], self._unit)",
        "return -self._nearest(X)[1]",
    ),
    (
        "result.cost < best.cost: best = result",
        "result.cost <= best.cost: best = result",
    ),
    ("[cost * unit for cost in best.epoch_costs]", "list(best.epoch_costs)"),
    ("    labels[taken] = best.labels\n", ""),
)
place(
    "cluster/estimator.py",
    "test_wholes.py test_large.py test_estimator.py",
    (
        "return _in_units(table_distances(codes, self._tables, self._clusters), "
        "self._unit)",
        "return table_distances(codes, self._tables, self._clusters)",
    ),
    ("return _in_units(distances, self._unit)", "return distances"),
    ("return file.take(rows), weights[rows]", "return file.take(rows), None"),
    (
        "return labels, rescaled(distances, n_observed(codes, missing), "
        "codes.shape[1])",
        "return labels, distances",
    ),
    (
        "[tables[j] for j in wide(np.arange(len(tables)))]",
        "list(tables)[:len(codes.T)]",
    ),
)

# ---------------------------------------------------------------- family

place(
    "family/fuzzy.py",
    "test_fuzzy.py",
    ("m/n_observed(codes, self.missing)", "np.ones(n)"),
    ("scores @ weights", "scores.sum()"),
    ("(self.weights*scale)[row]", "scale[row]"),
    (
        "return fuzzy_memberships(self.transform(X), self.alpha)",
        "return fuzzy_memberships(self.transform(X), 1.1)",
    ),
)
place(
    "family/latent_classes.py",
    "test_latent_classes.py",
    ("< tol*total", "< tol"),
    ("(k - 1 + k * own)", "(k + k * own)"),
    (
        "weighted.sum(axis=0) / weighted.sum(), new",
        "weighted.sum(axis=0) / len(weighted), new",
    ),
    ("scores @ weights", "scores.sum()"),
    (
        "np.exp(distances.min(axis=1, keepdims=True) - distances)",
        "np.exp((distances.min(axis=1, keepdims=True) - distances)/2)",
    ),
    ("rows.weights[:, None]*memberships", "memberships"),
)
place(
    "family/rock.py",
    "test_rock.py",
    ("(member.sum(axis=0) + 1)", "np.maximum(member.sum(axis=0), 1)"),
    ("**(1 - _exponent(check_theta(theta)))", "**-_exponent(check_theta(theta))"),
    (" or goodness == best[h] and i < partner[h]", ""),
    ("(sizes >= min_cluster_size)", "(sizes > min_cluster_size)"),
    ("        self.labels_[rows] = self._labels\n", ""),
    ("1 + 2*(1 - theta)/(1 + theta)", "1 + (1 - theta)/(1 + theta)"),
)
place(
    "family/links.py",
    "test_rock.py",
    (" & (size > 0))", ")"),
    ("size + sizes - common", "size + sizes"),
    ("    common.setdiag(0)\n", ""),
)
place(
    "family/mixed.py",
    "test_mixed.py test_prototypes.py test_kprototypes.py",
    ("number_pulls=_pulls(numbers, full, weights)", "number_pulls=weights"),
    ("columns.whole / rows.observed[start + i]", "columns.whole / rows.observed[i]"),
    ("rows.shares[start + i]", "rows.shares[i]"),
    ("np.bincount(column, weights)[:hole]", "np.bincount(column)[:hole]"),
    ("cost += rows.weights[i] * distances[i]", "cost += distances[i]"),
)
place(
    "family/prototypes.py",
    "test_prototypes.py test_mixed.py test_kprototypes.py",
    (
        "- means_of(numeric, weights)) ** 2, weights))",
        "- means_of(numeric, weights))**2, np.ones(len(weights))))",
    ),
    ("data.rows.weights), weights=weights))/2", "data.rows.weights)))/2"),
    ("weights=weights))/2\n    first, last", "weights=weights))\n    first, last"),
    ("return shares / own", "return shares / own.max()"),
    ("data.rows.weights*(D > 0))[0]", "(D > 0))[0]"),
    ("left = [(weights * np.minimum", "left = [(np.minimum"),
)
place(
    "family/kprototypes.py",
    "test_kprototypes.py",
    (
        "weights = np.bincount(groups, weights=weights)\n",
        "weights = np.bincount(groups)\n",
    ),
    (
        "mixed_rows(*(part[first] for part in counted), np.bincount(groups, "
        "weights=weights)",
        "mixed_rows(*(part[first] for part in counted), np.bincount(groups)",
    ),
)
place(
    "family/kmeans.py",
    "test_partitional.py test_coursework.py",
    (
        "        distances[np.bincount(labels, minlength=n_clusters)[labels] == 1] = "
        "-1\n",
        "",
    ),
    ("len(costs) > max_iter", "len(costs) >= max_iter"),
)
place(
    "family/pkmeans.py",
    "test_partitional.py test_coursework.py",
    ("min(runs, key=lambda run: run.cost)", "runs[0]"),
    (
        "return -float(self.transform(X).min(axis=1).sum())",
        "return -float(self.transform(X).min(axis=1).mean())",
    ),
)
place(
    "family/segmentation.py",
    "test_partitional.py test_coursework.py",
    ("centred = X - X.mean(axis=0)", "centred = X"),
    ("counts[:], most[:] = 0, 0", "counts[:] = 0"),
)
place(
    "family/bisecting.py",
    "test_bisecting.py",
    ("split=split, n_trials=n_trials", "split=split, n_trials=1"),
    (
        "sample_weight=weights\n    )\n    labels, modes",
        "sample_weight=None\n    )\n    labels, modes",
    ),
)
place(
    "family/trees.py",
    "test_trees.py",
    ("np.maximum.accumulate(Z[:, 2])", "Z[:, 2]"),
    (
        'side="right",\n            )\n        )',
        'side="left",\n            )\n        )',
    ),
    ("(place[left] + place[right]) / 2", "place[left]"),
)

# ---------------------------------------------------------------- describe

place(
    "describe/profiles.py",
    "test_profiles.py",
    (
        "np.minimum(len(sizes), np.diff(tally.offsets)) - 1",
        "len(sizes) - 1 + 0*np.diff(tally.offsets)",
    ),
    ('frame["size"] / _shares(tally)[0].sum()', 'frame["size"] / len(X)'),
    ("part.lift > 1 + 1e-9", "part.lift > 0"),
    ("(sizes / sizes.sum()) @ (overall", "(0*sizes + 1/len(sizes)) @ (overall"),
)
place(
    "describe/code_length.py",
    "test_how_many.py",
    ("(k - 1 + n_penalties)/2", "(k + n_penalties)/2"),
    ("k*np.log(levels).sum()", "np.log(levels).sum()"),
)
place(
    "describe/k_scan.py",
    "test_how_many.py",
    ("*np.sqrt(1 + 1/n_references)", ""),
    ("table*(table - 1)", "table*table"),
    ("errors[i + 1]: return", "errors[i]: return"),
    ("cost=costs*unit,", "cost=costs,"),
    ("[cost*unit for cost in fit.epoch_costs]", "list(fit.epoch_costs)"),
    (
        "np.bincount(fit.labels, silhouettes)/sizes",
        "np.bincount(fit.labels, silhouettes)/sizes.mean()",
    ),
    ("np.log(references).mean(axis=0)", "np.log(references.mean(axis=0))"),
    ("total/n_resamples if n_resamples", "total if n_resamples"),
)
place(
    "describe/embedding.py",
    "test_embedding.py",
    ("n_axes / m**2)", "n_axes / m)"),
    ("standard[:, s] * inertias[s] ** 0.5", "standard[:, s] * inertias[s]"),
    ("s=14 * counts**0.5", "s=14"),
)
place(
    "describe/saved.py",
    "test_wholes.py test_saved.py",
    (
        "model._repeats, model._unit = _feature_repeats(",
        "model._repeats, _ = _feature_repeats(",
    ),
    ("model.cost_, model.n_iter_ = written", "model.cost_, model._n_iter_ = written"),
)
place(
    "describe/cluster_plots.py",
    "test_wholes.py test_cluster_plots.py",
    ('profiles["size"] * (profiles["share"]', '(profiles["share"]'),
    (
        "(groups[-1][0] * groups[-1][1] + mean * size) / (groups[-1][1] + size)",
        "(groups[-1][0] + mean)/2",
    ),
    ("np.lexsort([errors, costs])", "np.lexsort([costs])"),
)

# ---------------------------------------------------------------- study

place(
    "study/compare.py",
    "test_compare.py",
    ("    if n < n_own:\n        sd = max(sd, own_sd)\n", ""),
    ("return min(1.0, 2 * comb(n_1, j)", "return min(1.0, comb(n_1, j)"),
    ("min(len(values), n) < _LEAST_RUNS", "len(values) < _LEAST_RUNS"),
    ("np.sqrt(spread * (1 / len(values) + 1 / n))", "np.sqrt(spread/len(values))"),
    ("np.sum(~np.isnan(flat))", "len(flat)"),
    ("sd**2 * (n - 1) / n)", "sd**2)"),
    ("ceil(n * share - 1e-9)", "int(n * share)"),
    (" else (n, len(values))", " else (len(values), n)"),
)
place(
    "study/runs.py",
    "test_run_store.py test_runs.py",
    ("INSERT OR IGNORE", "INSERT OR REPLACE"),
    (
        '[dict(row, fingerprint=prints[row["dataset"]])',
        "[dict(row, fingerprint=prints[runs[0].dataset])",
    ),
    ("seed=run.seed)", "seed=0)"),
)
place(
    "study/paired.py",
    "test_paired.py test_draft2018.py",
    ("stats.t.ppf(0.975, len(first) - 1)", "stats.t.ppf(0.975, len(first))"),
    ("np.mean(differences == 0) / 2", "np.mean(differences == 0)"),
    ("np.round(first - second, 12)", "first - second"),
    ("adjusted_p=holm(table.p_value)", "adjusted_p=table.p_value"),
    ("{0 - row['difference']:+", "{row['difference']:+"),
)
place(
    "study/classifier.py",
    "test_draft2018.py",
    ("stratify=numbers", "stratify=None"),
    ("min(runs, key=lambda run: run.cost)", "runs[0]"),
    ('average_method="max"', 'average_method="min"'),
)
place(
    "study/contest.py",
    "test_contest.py",
    ("np.minimum(numbers, n)[:, None]", "np.array(numbers)[:, None]"),
    (
        'np.minimum(\n        transfers["run_us"][places], search["run_us"]\n    )',
        'transfers["run_us"][places]',
    ),
    ('(own["start_us"] + own["run_us"]).mean()', 'own["run_us"].mean()'),
    ("-1 for swaps in SWAPS\n    ]", "0 for swaps in SWAPS\n    ]"),
    (
        "len(np.unique(codes, axis=0)) / len(codes)",
        "1 - len(np.unique(codes, axis=0)) / len(codes)",
    ),
)
place(
    "study/evolution.py",
    "test_evolution.py",
    ("ceil(best * size)", "int(best * size)"),
    ("n < limits.rows[1]", "n <= limits.rows[1]"),
    ("m > limits.columns[0]", "m >= limits.columns[0]"),
    ("rng.randint(limits.highest + 1, size=2)", "rng.randint(limits.highest, size=2)"),
    ('kind="stable")[:count]', 'kind="stable")[::-1][:count]'),
)
place(
    "study/published.py",
    "test_published.py",
    ("        squares += (squares - total) % 2\n", ""),
    ("(n - 1) * max(s, 0) ** 2", "n*max(s, 0)**2"),
)
place(
    "study/report.py",
    "test_report.py test_compare.py",
    ("[:len(comparison)*must_be_exact]", ""),
    ('if item["must_be_exact"] == strict\n            )', "if True)"),
)
place(
    "command/cli.py",
    "test_data_command.py",
    ('states.isin(["ok", "absent"]).all()', 'states.isin(["ok", "absent"]).any()'),
    ("return max(_one_set(", "return min(_one_set("),
)

FAULTS = [
    Fault(module, *change, tests)
    for module, tests, changes in PLACES
    for change in changes
]
