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


# ---------------------------------------------------------------- plain

place(
    "plain/pair_counting.py",
    "test_measures.py",
    ("for j in range(i)]", "for j in range(i + 1)]"),
    ("Fraction(A + B, 2)", "Fraction(A + B)"),
)
place(
    "plain/exact.py",
    "test_optima.py",
    ("w * max(0, price", "max(0, price"),
    ("paid - k * max(", "paid - max("),
)
place(
    "plain/kmodes.py",
    "test_lloyd.py test_huang.py",
    ("len(x) - x.count(None)", "len(x)"),
    (
        "sum(w * plain_mismatches(x, modes[l]) for",
        "sum(plain_mismatches(x, modes[l]) for",
    ),
    ("takes[value] > takes[modes", "takes[value] >= takes[modes"),
    ("if total < epoch_costs[-1]:", "if total <= epoch_costs[-1]:"),
    ("if len(rows) > 1 else -1", "if len(rows) > 0 else -1"),
)
place(
    "plain/modes.py",
    "test_lloyd.py test_huang.py",
    ("(-totals[c], c), default=0)", "(-totals[c], -c), default=0)"),
    ("totals[category] += weight", "totals[category] += 1"),
    ("a not in (None, b)", "a != b"),
)
place(
    "plain/starts.py",
    "test_starts.py test_seeding.py",
    ("if list(x) not in modes]", "]"),
    ("w * d for w, d", "d for w, d"),
)
place(
    "plain/swaps.py",
    "test_swaps.py",
    ("gain - min(losses) > best[0]", "gain - min(losses) >= best[0]"),
    ("if total > u * sum(costs)", "if total >= u * sum(costs)"),
)
place(
    "plain/transfers.py",
    "test_transfers.py",
    (
        "value is not None and best != {value}",
        "value is not None and value not in best",
    ),
    ("Counter({code: 0.5})", "Counter({code: 1})"),
    (" < plain_saving(X", " <= plain_saving(X"),
)

# ---------------------------------------------------------------- core

place(
    "core/checks.py",
    "test_checks.py test_modes.py",
    ("strict and number == least", "strict and number < least"),
    ("least <= value <= most", "least < value <= most"),
    ("weights >= 0).all()", "weights > -1).all()"),
    ("weights.sum(dtype=float) * m", "weights.sum(dtype=float)"),
)
place(
    "core/codes.py",
    "test_codes.py test_frames.py",
    ("max(n_levels - 1, 0)", "max(n_levels, 0)"),
    ("return codes.copy() if codes is table", "return codes if codes is table"),
    ('(missing == "ignore") + spare', "spare"),
    (
        'unknown = len(known) + (missing == "ignore")',
        "unknown = len(known)",
    ),
    ("len(known) - int(pd.isna(known[-1:])[0])", "len(known)"),
    (
        'hole is not None and missing == "category"',
        'hole is not None and missing != "ignore"',
    ),
    ("codes[row : row + len(part)], first)", "codes[: len(part)], first)"),
    ("if top >= n:", "if top > n:"),
)
place(
    "core/diagnosis.py",
    "test_diagnosis.py",
    (
        "len(values) <= _MOST_DIFFERENT * n_cells",
        "len(values) < _MOST_DIFFERENT * n_cells",
    ),
    ("value.strip().lower() in", "value.lower() in"),
    ("len(small) == len(texts) and small", "small"),
    ("or texts != list(map(str.strip, texts))", ""),
    ("alike[written(value)]", "alike[value]"),
)
place(
    "core/features.py",
    "test_kprototypes.py",
    ("int(item) % m if", "int(item) if"),
    ("np.abs(numbers) >= 1e150 if", "np.abs(numbers) > 1e300 if"),
    ("feature_weight.get(name, 1)", "feature_weight.get(name, 0)"),
)
place(
    "core/kernels.py",
    "test_lloyd.py test_modes.py test_matching.py",
    ("np.uint8(y[i] != b)", "np.uint8(y[i] != a)"),
    ("label = one if new < old else label", "label = one if new <= old else label"),
    (
        "        for i in range(a.shape[0]):\n            a[i] += np.uint8(x",
        "        for i in range(1, a.shape[0]):\n            a[i] += np.uint8(x",
    ),
    ("min(r + 1, end)]", "min(r + 1, end - 1)]"),
    ("which[distances.argmin(axis=0)]", "distances.argmin(axis=0)"),
    ("range(4 * words.shape[1], rows", "range(4 * words.shape[1] + 1, rows"),
    ("np.uint32(8 * c)", "np.uint32(4 * c)"),
    ("modes.max() <= np.iinfo(codes.dtype).max", "True"),
    (
        "nearest[start:],\n                found[start:]",
        "nearest,\n                found",
    ),
    ("np.tile(weights, len(places))", "np.repeat(weights, len(places))"),
    (
        "[cells.sum(axis=2), cells.sum(axis=1)]",
        "[cells.sum(axis=1), cells.sum(axis=2)]",
    ),
    ("np.uint16(x[i])) * w", "np.uint16(x[i])) * v"),
    ("counts[l, c] > counts[l, best]", "counts[l, c] >= counts[l, best]"),
    (
        "weight = 1 if weights is None else weights[i]\n            labels",
        "weight = 1\n            labels",
    ),
    ("moved += weight > 0", "moved += 1"),
    ("touched[old] = True", "touched[new] = True"),
    ("(exact or _equal_rows(codes, first, i))", "True"),
    ("np.add.at(totals, places, weights)", "np.add.at(totals, places, 1)"),
)
place(
    "core/labels.py",
    "test_measures.py",
    ("if missing is not None:", "if missing:"),
    ("block.lows[0], dtype=np.int64", "0, dtype=np.int64"),
)
place(
    "core/levels.py",
    "test_codes.py test_measures.py test_frames.py",
    (
        "places = np.full(len(levels), -1, np.int64)",
        "places = np.zeros(len(levels), np.int64)",
    ),
    ("// 64 * 64", "// 64 * 32"),
    ("numbers * len(distinct) + found", "numbers + found"),
    ("if first == 0 and seen.all()", "if seen.any()"),
    ("-1 if found.min() < 0 else 0", "0"),
    ("found[row + i, j] = numbers", "found[i, j] = numbers"),
    ("np.cumsum(seen[1:]) - 1, 0)", "np.arange(len(seen) - 1), 0)"),
    ("return first + int(places.argmin())", "return int(places.argmin())"),
    ("lows.append(int(values[:, j].min()))", "lows.append(0)"),
)
place(
    "core/rows.py",
    "test_rows.py test_modes.py test_lloyd.py test_starts.py test_wholes.py",
    ("some -= column == gap", "some -= column != gap"),
    ("    gaps = np.any(modes ==", "    gaps = np.all(modes =="),
    ("np.maximum(whole, weights > 0)", "whole"),
    ("np.ldexp(1.0, -shift)", "np.ldexp(1.0, shift)"),
    ("_scale(observed[weights > 0], max", "_scale(observed, max"),
    ("scale // observed * m, scale", "scale // observed, scale"),
    ("weights * np.rint(shares).astype", "weights * shares.astype"),
    ("return places[places < offsets[1:]]", "return places[places < offsets[-1]]"),
    ("np.where(first < 0, first - NEVER, first)", "np.maximum(first, 0)"),
    ("np.equal(self.missing_codes, 0) + 1", "1"),
    ("int((self.hidden * self.weights).sum())", "int(self.hidden.sum())"),
    ('vars(rows).pop("filled", None)', 'vars(rows).pop("offsets", None)'),
    (
        "        rows.missing_codes = self.missing_codes\n        rows.unit",
        "        rows.unit",
    ),
    ("weights[there])\n            column", "1)\n            column"),
    ("column[~there] = totals", "column[:] = totals"),
    ("self.codes.copy()\n        weights", "self.codes\n        weights"),
    ("else (self.weights > 0).sum()", "else len(self)"),
    ("self.weights[part]\n", "self.weights[:size]\n"),
    ("            differing -= self.hidden\n", "            pass\n"),
    ("differing = differing * self.weights", "differing = differing"),
    ("int(cost) * self.unit for cost", "int(cost) for cost"),
)
place(
    "core/rows.py",
    "test_swaps.py",
    ("self.weighed(2 * weights, self.unit)", "self.weighed(2 * weights)"),
)
place(
    "core/stored.py",
    "test_saved.py test_code_files.py",
    ("sort_keys=True", "sort_keys=False"),
    ("if distinct and len(set", "if len(set"),
)
place(
    "core/stored.py", "test_damage.py", ("beside.replace(place)", "beside.rename(path)")
)

# ---------------------------------------------------------------- storage

place(
    "storage/code_files.py",
    "test_code_files.py",
    ("file.seek((j * n + first) * width)", "file.seek((j * n + first))"),
    ("if code >= n_codes:", "if code > n_codes:"),
    ("rows[place] - first].T", "rows[place]].T"),
    ("column[column == len(levels)] = -1", "column[column >= len(levels) - 1] = -1"),
    ("zlib.crc32(codes.data, self.checksum)", "zlib.crc32(codes.data)"),
    ("row + int(found[0]) if len", "int(found[0]) if len"),
    ("source.parts[spool.done :]", "source.parts"),
    ("np.append(levels.astype(object), None) if hole else levels", "levels"),
)
place(
    "storage/parts.py",
    "test_code_files.py",
    ("None if value != value else value for", "value for"),
    ("indices.fill_null(len(values))", "indices.fill_null(0)"),
    ("n_rows += file.metadata.num_rows", "n_rows = file.metadata.num_rows"),
    (
        "if len(self.numbers) > _MOST_LEVELS:",
        "if len(self.numbers) > _MOST_LEVELS + 1:",
    ),
    ("table[used] = levels", "table[: len(used)] = levels"),
)

# ---------------------------------------------------------------- data

place(
    "data/computed.py",
    "test_data.py",
    ('if lines == {"o"} and lead == 0', 'if lines == {"o"}'),
    ("comfort + safety - 1 if", "comfort + safety if"),
)
place(
    "data/synthetic.py",
    "test_data.py",
    ("random_sample(n_samples) < noise", "random_sample(n_samples) > noise"),
    ("np.diff(ends, prepend=0)", "np.diff(ends, prepend=1)"),
)

# ---------------------------------------------------------------- cluster

place(
    "cluster/algorithms/huang.py",
    "test_huang.py",
    ("time = clusters.clock[0] - 1", "time = clusters.clock[0]"),
    ("small = max(weight, offsets", "small = max(1, offsets"),
    (
        "doubt |= same & (top[source, j] <= bound",
        "doubt |= same & (top[source, j] < bound",
    ),
    ("(not same) & (count > top[to, j])", "(not same) & (count > top[to, j] + weight)"),
    ("best = mode if joined else 0", "best = mode"),
    ("first = max(first, start) if moving", "first = first if moving"),
    ("sizes[l] += sign", "sizes[l] += 1 if sign > 0 else -1"),
    ("if costs[-1] < costs[-2]:", "if costs[-1] <= costs[-2]:"),
    ("converged = moves == 0 or costs[-1] >= costs[-2]", "converged = moves == 0"),
    ("np.where(several, sizes, -1)", "sizes"),
    ("column[column != missing[j]]", "column"),
    ("distances[:, k:] = m", "distances[:, k:] = 0"),
)
place(
    "cluster/algorithms/lloyd.py",
    "test_lloyd.py",
    (
        "rescaled(far.astype(np.int64), rows.observed, rows.shape[1])",
        "far.astype(np.int64)",
    ),
    ("may_leave &= rows.weights > 0", "pass"),
    ("(new < d) | ((new == d) & (b <= a))", "new < d"),
    (
        "modes_of_counts(counts[which], offsets",
        "modes_of_counts(counts[: len(which)], offsets",
    ),
    ("still[i] |= own[i] == number", "still[i] = own[i] == number"),
    ("left = share.first + np", "left = np"),
    ("changed = np.ones(len(fresh), bool)", "pass"),
    ("len(costs) > 1 and not moved", "not moved"),
    (
        "len(costs) > max_iter:\n            break\n        moved = 0",
        "len(costs) >= max_iter:\n            break\n        moved = 0",
    ),
    ("share.counts[old, cells] -= weight", "share.counts[old, cells] -= 1"),
    ("modes[gained]).sum()", "modes[lost]).sum()"),
    ("where.distances[left] = ", "where.distances[alike] = 0\n            _ = "),
)
place(
    "cluster/algorithms/swaps.py",
    "test_swaps.py",
    ("if sums[middle] > u * sums[-1]:", "if sums[middle] >= u * sums[-1]:"),
    ("distance if distance < others[i] else others[i]", "distance"),
    ("losses[other] < losses[l]", "losses[other] <= losses[l]"),
    ("promise > most", "promise >= most"),
    ("elif near[i] < costs[i]:", "elif near[i] <= costs[i]:"),
    ("distance < lowest:", "distance <= lowest:"),
    (
        "failures = 0 if agreeing > agreements[t]",
        "failures = 0 if agreeing >= agreements[t]",
    ),
    ("changed = agreeing >= agreements[t]", "changed = agreeing > agreements[t]"),
    ("whole = t % 2 == 0", "whole = t % 2 == 1"),
    ("costs[i] - place.gaps[i]", "costs[i]"),
    ("row[j] if known else mode[j]", "row[j]"),
    ("limits.n_swaps + 1 - len(found)", "limits.n_swaps - len(found)"),
)
place(
    "cluster/algorithms/transfers.py",
    "test_transfers.py",
    ("if m < 2 ** (bits - 1):", "if m < 2**bits:"),
    ("tied = count == top", "tied = False"),
    ("count <= bound if alone", "count < bound if alone"),
    ("saving == 0:", "saving <= 1:"),
    ("expense < best and l != a", "expense <= best and l != a"),
    ("stamp[own] >= t - n", "stamp[own] > t"),
    ("limit if alone or limit > count else count", "limit if alone else count"),
    ("tables.counts[guests] -= 1", "pass"),
    ("(savings - rows.hidden) / rows.observed", "savings - rows.hidden"),
    ("found.objectives[-1] <= start_cost(rows, modes)", "True"),
    ("costs = [value // 2 for", "costs = [value for"),
    ("counts * weight if alike", "counts if alike"),
    ("        labels[places] = found.labels\n", ""),
)
place(
    "cluster/base.py",
    "test_base.py test_wholes.py test_dissimilarity_tables.py test_estimator.py",
    ("return -total.item() * self._unit", "return -total.item()"),
    (
        "return -in_feature_units(self._nearest(X)[1], self._unit)",
        "return -self._nearest(X)[1]",
    ),
    ("result.cost < best.cost:", "result.cost <= best.cost:"),
    ("[cost * unit for cost in best.epoch_costs]", "list(best.epoch_costs)"),
    ("best._replace(labels=best.labels[place])", "best._replace(labels=best.labels)"),
    ("lcm(*[w.denominator", "max(*[w.denominator"),
    ("return 10 if n_init", "return 1 if n_init"),
    ("weights.astype(np.int64)\n    return weights", "weights\n    return weights"),
    ("now[order] = np.arange(len(order))", "now[:] = order"),
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
    "cluster/dissimilarity.py",
    "test_modes.py",
    ("distances[first + i, l] = block[i]", "distances[i, l] = block[i]"),
)
place(
    "cluster/dissimilarity_tables.py",
    "test_wholes.py test_dissimilarity_tables.py",
    ("np.count_nonzero(f)\n    )", "len(f)\n    )"),
    ('(0, 1), mode="maximum")', '(0, 1), mode="constant")'),
    ("found[first : first + _LOOKED_UP, l] =", "found[:_LOOKED_UP, l] ="),
    ("Rows(codes, weights).counts(labels, 1", "Rows(codes).counts(labels, 1"),
    ("1 - 2 * both /", "1 - both /"),
    ("if sizes[source] == 1:", "if sizes[source] == 0:"),
    ("if rise + _SLACK < least:", "if rise < least:"),
    (
        "leaving_rows(far, differs, labels, codes)",
        "leaving_rows(far, far > 0, labels, codes)",
    ),
)
place(
    "cluster/estimator.py",
    "test_wholes.py test_large.py test_estimator.py",
    ("return in_feature_units(distances, self._unit)", "return distances"),
    (
        "Rows(file.take(places), weights, missing_codes)",
        "Rows(file.take(places), None, missing_codes)",
    ),
    ("[tables[j] for j in self._wide(np.arange(len(tables)))]", "list(tables)"),
    ("        labels[places] = best.labels\n", ""),
    ("own = own.weighed(rows.partial().weights)", "pass"),
    ("known = set(levels.tolist())", "known = set(map(str, levels.tolist()))"),
    (
        "cost = -self.score(table, sample_weight=sample_weight)",
        "cost = -self.score(table)",
    ),
    (
        "        return clusters._replace(labels=None)",
        "        return clusters._replace(labels=None, units=clusters.units * 0 + 1)",
    ),
)
place(
    "cluster/gaps.py",
    "test_modes.py test_starts.py test_lloyd.py test_wholes.py",
    ("* m / observed", "/ observed"),
    ("mismatches - (m - observed)", "mismatches - m"),
    ("rows.n_values, rows.shape[1])", "rows.n_values, 1)"),
    ("return rows.codes.copy() if", "return rows.codes if"),
)
place(
    "cluster/modes.py",
    "test_modes.py test_wholes.py",
    ("counts[offsets[:-1][totals == 0]] = 1", "pass"),
    ("weights * observed[:, j])", "weights)"),
    ("labels.max() >= n_clusters", "labels.max() > n_clusters"),
    (
        "np.maximum.reduceat(counts, offsets[:-1], axis=1)",
        "np.maximum.reduceat(counts, offsets[:-1], axis=1)[:, :1]",
    ),
    ("rel_tol=1e-9, abs_tol=1e-9", "rel_tol=1e-2, abs_tol=1e-9"),
    ("missing_codes=missing_codes).weighed(weights)", "missing_codes=missing_codes)"),
)
place(
    "cluster/profiles.py",
    "test_profiles.py",
    (
        "np.minimum(len(tally.clusters), np.diff(tally.offsets)) - 1",
        "len(tally.clusters) - 1 + 0 * np.diff(tally.offsets)",
    ),
    ('frame["size"] / _shares(tally)[0].sum()', 'frame["size"] / len(X)'),
    ("(sizes / sizes.sum()) @ (overall", "(0 * sizes + 1 / len(sizes)) @ (overall"),
    ("k - k**2 / n", "k"),
)
place(
    "cluster/sampled.py",
    "test_sampled.py",
    (
        "descend(rows.taken(places), modes",
        "descend(rows.taken(places).unweighted(), modes",
    ),
    ("if found.cost <= start_cost(rows, modes, n_jobs):", "if True:"),
    ("max(size, size * len(modes) // 64)", "size"),
    ("rows.forbid(counts, offsets)", "pass"),
    (
        "labels=ends.labels, modes=ends.modes, cost=ends.cost",
        "labels=ends.labels, modes=ends.modes",
    ),
    ("first, axis=1) > 1).any()", "first, axis=1) > 2).any()"),
    ("numbers ^ numbers >> np.uint64(31)", "numbers ^ numbers"),
    ("modes = moved.modes", "pass"),
)
place(
    "cluster/base.py",
    "test_saved.py test_estimator.py",
    (
        "np.repeat(codes, self._repeats, axis=-1)",
        "np.repeat(codes, self._repeats, axis=0)",
    ),
    ('self.cost_ = written["cost"]', "self.cost_ = self.n_iter_"),
    ('<= len(written["modes"]) <= most', '<= len(written["modes"]) <= most + 1'),
)
place(
    "core/model_files.py",
    "test_saved.py",
    ("encoder.categories_ = categories", "pass"),
    ("levels_from_json(start, distinct=False)", "levels_from_json(start)"),
    ('.reshape(start["shape"])', '.reshape(start["shape"], order="F")'),
)
place(
    "cluster/starts/different.py",
    "test_bisecting_start.py test_partition.py",
    ("(free != modes[l]).sum(axis=1).argmin()", "0"),
    ("for l in range(1, len(modes))", "for l in range(2, len(modes))"),
)
place(
    "cluster/starts/partition.py",
    "test_partition.py",
    ("1 / (n_clusters - part)", "1 / n_clusters"),
    ("counts[empty] = counts.sum(axis=0)", "pass"),
)
place(
    "cluster/empty.py",
    "test_empty.py test_lloyd.py test_transfers.py test_prototypes.py",
    ("far[places].argmax()", "far[places].argmin()"),
    ("& (labels == labels[row])", ""),
    ("codes != codes[first[place]]", "codes != codes[first[0]]"),
)
place(
    "cluster/starts/basic.py",
    "test_starts.py",
    ("squares = rows.observed**2", "squares = rows.observed"),
    (
        "standard_exponential(len(codes)) / rows.weights",
        "standard_exponential(len(codes)) * rows.weights",
    ),
    ("agreements.max() * rows.shape[1] < 2**31", "True"),
    ("distance = differing / rows.observed", "distance = differing"),
    ("counts * (unit // totals), unit", "counts, unit"),
    ("differing = differing - self.gaps", "pass"),
    ("scores[equal] = -1", "pass"),
    ('side="right"', 'side="left"'),
    ("mark(equal, -1)", "pass"),
    ("            nearest = equal[0]", "            nearest = equal[-1]"),
)
place(
    "cluster/starts/bisecting.py",
    "test_bisecting_start.py test_bisecting.py",
    ("counted.taken(members)", "rows.taken(members)"),
    ("each.sum().item() * counted.unit", "each.sum().item()"),
    ("np.bincount(labels, weights)", "np.bincount(labels)"),
    ("modes[old] = cut.modes[stays]", "pass"),
    ("start = rows.unweighted().filled[:1]", "start = rows.unweighted().filled[-1:]"),
)
place(
    "cluster/starts/matching.py",
    "test_matching.py",
    ("grade < other or (grade == other and r < s)", "grade <= other"),
    ("range(codes.shape[0] - 1, -1, -1)", "range(codes.shape[0])"),
    ("places[distances[i] + 1] += 1", "places[distances[i]] += 1"),
    ("counter - candidates.hidden", "counter"),
    ("counts[a:b][order] > 0", "counts[a:b][order] > 1"),
    ("occurring[:, None]) * m / occ", "occurring[:, None]) / occ"),
    ("-np.asarray(distances)", "np.asarray(distances)[::-1]"),
)
place(
    "cluster/starts/prominent.py",
    "test_prominent.py",
    ("(levels <= k)", "(levels < k)"),
    ("max(ceil(len(codes) ** 0.5), 1)", "max(int(len(codes) ** 0.5), 1)"),
    ("kept = place < len(strings)", "kept = place >= 0"),
)
place(
    "cluster/starts/refined.py",
    "test_refined.py",
    ("max(len(rows) // 10, 5 * n_clusters)", "max(len(rows) // 10, n_clusters)"),
    ("sample.whole(), sample.codes", "sample.unweighted(), sample.codes"),
    (
        "multinomial(size, rows.weights / rows.weights.sum())",
        "multinomial(size, np.full(len(rows), 1 / len(rows)))",
    ),
    ("size *= 2", "size += 1"),
    ("min(runs, key=lambda run: run.cost)", "runs[0]"),
)
place(
    "cluster/starts/seeding.py",
    "test_seeding.py",
    ("draw_by_share(weights * distances", "draw_by_share(distances"),
    (
        "if not chosen:\n            row = draw_by_share(weights,",
        "if not chosen:\n            row = draw_by_share(np.ones_like(weights),",
    ),
    ("nearest = np.minimum(nearest, _dist", "nearest = np.maximum(0, _dist"),
    ("weights * free, random", "free.astype(int), random"),
    ("np.where(free, nearest, 0)", "nearest"),
)
place(
    "cluster/stream.py",
    "test_stream.py test_wholes.py test_large.py",
    ("modes[seen] = updated[seen]", "modes[:] = updated"),
    ("rows = Rows.of(codes, sample_weight).whole()", "rows = Rows.of(codes)"),
    ("counts = stream.counts.copy()", "counts = stream.counts"),
    ("stream.counts[:, old[j] : old[j] + n]", "stream.counts[:, new[j] : new[j] + n]"),
)

# ---------------------------------------------------------------- exact

place(
    "exact/bounds.py",
    "test_optima.py",
    ("margins.mean() / np", "margins.max() / np"),
    (
        "always = min(own, hunt.losses[i] * n_open)",
        "always = hunt.losses[i] * n_open",
    ),
    ("if hunt.codes[i, j] != c:", "if hunt.codes[i, j] == c:"),
    ("        if left <= 0:\n            continue\n", ""),
    ("if value < hunt.state[0]:", "if value <= hunt.state[0]:"),
    ("hunt.state[0] = value + 1", "hunt.state[0] = value"),
    ("if bounds[c] < hunt.state[0]:", "if bounds[c] <= hunt.state[0]:"),
    ("hunt.state[5] < 0) and found <= most", "hunt.state[5] < 0)"),
    ("return -(-coins // scale), coins", "return coins // scale, coins"),
    ("min(left - loss + kept[c], (left", "max(left - loss + kept[c], (left"),
)
place(
    "exact/optima.py",
    "test_optima.py",
    ("cost > choice.state[1] or", "cost >= choice.state[1] or"),
    ("< choice.wanted[depth]", "<= choice.wanted[depth]"),
    ("prover.cost - 1, prover", "prover.cost, prover"),
    (
        "self.offer.bound > _SCALE * (self.cost - 1)",
        "self.offer.bound > _SCALE * (self.cost - 2)",
    ),
    ("served = prices[:, None] > _SCALE", "served = prices[:, None] >= _SCALE"),
    ("prover.offer.prices[place], _SCALE", "prover.offer.prices, _SCALE"),
    ("range(t + 1, n_left)", "range(t, n_left - 1)"),
    ("np.flatnonzero(row == row.min())", "np.flatnonzero(row == row.min())[:1]"),
    ("len(set(labels)) == distances.shape[1]", "True"),
    ("if len(found) > most:", "if len(found) >= most:"),
    ("labels[place].astype(np.int32)", "labels.astype(np.int32)"),
    ("offer.value - slack,", "offer.value,"),
)

# ---------------------------------------------------------------- measures

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
    "measures/cohesion.py",
    "test_cohesion.py",
    ('"mode_shift": sizes\n            * sum', '"mode_shift": sum'),
    ("(sizes * (sizes + 1) // 2)", "(sizes * (sizes - 1) // 2)"),
    ("** 2).sum(axis=1) / 2,", "** 2).sum(axis=1),"),
    ("np.lexsort([own, numbers])", "np.lexsort([-own, numbers])"),
)
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
    "measures/distances.py",
    "test_distances.py",
    ("scale = sums.dtype.type(rows.total) / whole", "scale = sums.dtype.type(1)"),
    (
        "part = slice(first, min(first + size, len(rows.codes)))",
        "part = slice(first, first + size)",
    ),
    ("condensed and Y is not None", "condensed and Y is None"),
    ("low = max(begin, lows[i])", "low = begin"),
    ("high - low, 1) * weights", "high - low, 1)"),
)
place(
    "measures/expected_information.py",
    "test_measures.py",
    ("weight > 1e-24", "weight > 1e-6"),
    (
        "np.log1p(deviation / mu) - deviation",
        "np.log1p(deviation / mu)",
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
    "measures/pair_counting.py",
    "test_measures.py",
    ("(sizes * (sizes - 1) // 2)", "(sizes * sizes // 2)"),
    (
        "[[2 * f00, 2 * f01], [2 * f10, 2 * f11]]",
        "[[2 * f00, 2 * f10], [2 * f01, 2 * f11]]",
    ),
)
place(
    "measures/silhouette.py",
    "test_silhouette.py",
    (
        "labels[part], weights, offsets, counts, share",
        "labels[part], None, offsets, counts, share",
    ),
    ("exists = (sizes > 1)", "exists = (sizes > 0)"),
    ("np.average(samples, weights=sample_weight)", "np.average(samples)"),
    ("part = places[part]", "part = places[:_SHARE]"),
    ("if l != own and totals[l]:", "if l != own:"),
)
place(
    "measures/silhouette_gaps.py",
    "test_silhouette.py",
    ("np.where(common > 0, sizes, 0)", "sizes"),
    ("counts += sp.csr_matrix(cells", "counts = sp.csr_matrix(cells"),
    ("groups, 1 if rows.weights is None else rows.weights)", "groups, 1)"),
)
place(
    "measures/validity.py",
    "test_how_many.py",
    (
        "2 * discordant / (n * (n - 1)),\n        _ratio(\n",
        "2 * discordant / (n * n),\n        _ratio(\n",
    ),
    (
        "2 * discordant / (n * (n - 1)),\n        _ratio(sum",
        "2 * discordant / (n * n),\n        _ratio(sum",
    ),
    (
        "distances = np.empty(n, np.min_scalar_type(m))",
        "distances = np.empty(n, np.uint8)",
    ),
    ("/ (n * (n - 1))) ** 0.5", "/ (n * n)) ** 0.5"),
    ("sum(between[d + 1 :])", "sum(between[d:])"),
    ("both[::-1]", "both"),
)

# ---------------------------------------------------------------- family

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
    "family/fuzzy.py",
    "test_fuzzy.py",
    ("weights = weights * (rows.shape[1] / rows.observed)", "pass"),
    ("scores @ weights", "scores.sum()"),
    ("* (1 - _ROUNDING)", ""),
    ("float(weights @ costs)", "float(costs.sum())"),
    (
        "fuzzy_memberships(self.transform(X), self.alpha)",
        "fuzzy_memberships(self.transform(X), 1.1)",
    ),
)
place(
    "family/kmeans.py",
    "test_partitional.py test_coursework.py",
    (
        "leaving_row(distances, several)",
        "leaving_row(distances, distances > 0)",
    ),
    ("len(costs) > max_iter", "len(costs) >= max_iter"),
)
place(
    "family/kprototypes.py",
    "test_kprototypes.py",
    (
        "weights = np.bincount(groups, weights=weights[here])",
        "weights = np.bincount(groups)",
    ),
    ("codes[:, ~taken], labels, weights, k", "codes[:, ~taken], labels, None, k"),
    ("self.gamma_)[0][groups]", "self.gamma_)[0][: len(groups)]"),
)
place(
    "family/latent_classes.py",
    "test_latent_classes.py",
    ("least = tol * weights.sum()", "least = tol"),
    ("(k - 1 + k * own)", "(k + k * own)"),
    (
        "weighted.sum(axis=0) / weighted.sum(), new",
        "weighted.sum(axis=0) / len(weighted), new",
    ),
    (
        "return float(scores.sum() if weights is None else scores @ weights)",
        "return float(scores.sum())",
    ),
    (
        "np.exp(distances.min(axis=1, keepdims=True) - distances)",
        "np.exp((distances.min(axis=1, keepdims=True) - distances) / 2)",
    ),
    ("weights[:, None] * memberships", "memberships"),
)
place(
    "family/mixed.py",
    "test_mixed.py test_prototypes.py test_kprototypes.py",
    ("return [_pulls(observed, whole, self.weights)", "return [self.weights"),
    ("rows.whole / rows.observed[start + i]", "rows.whole / rows.observed[i]"),
    ("np.bincount(place, weights=self.weights)", "np.bincount(place)"),
    ("[part[places] for part in self.pulls]", "rows.pulls"),
    ("rows.shares[start + i]", "rows.shares[i]"),
    ("np.bincount(column, weights)[:hole]", "np.bincount(column)[:hole]"),
    ("cost += rows.weights[i] * distances[i]", "cost += distances[i]"),
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
    "family/prototypes.py",
    "test_prototypes.py test_mixed.py test_kprototypes.py",
    (
        "- means_of(numeric, weights)) ** 2, weights))",
        "- means_of(numeric, weights)) ** 2, weights * 0 + 1))",
    ),
    ("np.average(deviations, weights=of_numbers))", "np.average(deviations))"),
    ("weights=weights)) / 2\n    first", "weights=weights))\n    first"),
    ("return shares / own", "return shares / own.max()"),
    ("data.weights * (D > 0), rng", "1.0 * (D > 0), rng"),
    ("left = [(weights * np.minimum", "left = [(np.minimum"),
    ("costs = data.weights * distances", "costs = 1 * distances"),
    ('rising, x + reach, "right")', 'rising, x + reach, "left")'),
)
place(
    "family/rock_clustering.py",
    "test_rock.py",
    ("(member.sum(axis=0) + 1)", "np.maximum(member.sum(axis=0), 1)"),
    ("** (1 - _exponent(check_theta(theta)))", "** -_exponent(check_theta(theta))"),
    (" or goodness == best[h] and i < partner[h]", ""),
    ("(sizes >= min_cluster_size)", "(sizes > min_cluster_size)"),
    ("            self.labels_[places] = self._labels\n", ""),
    ("1 + 2 * (1 - theta) / (1 + theta)", "1 + (1 - theta) / (1 + theta)"),
    ("if goodness > best[i]:", "if goodness >= best[i]:"),
    ("    common[i, i] = 0", "    pass  # the diagonal"),
    ("if left <= n_clusters:", "if left < n_clusters:"),
    (" & (size > 0))", ")"),
    ("size + sizes - common, 1", "size + sizes, 1"),
    ("    common.setdiag(0)\n", ""),
    ("common / union >= theta", "common / union > theta"),
)
place(
    "family/segmentation.py",
    "test_partitional.py test_coursework.py",
    ("centred = X - X.mean(axis=0)", "centred = X"),
    ("counts[:], most[:] = 0, 0", "counts[:] = 0"),
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
    "describe/choice_of_k.py",
    "test_how_many.py",
    (" * np.sqrt(1 + 1 / n_references)", ""),
    ("together = (table * (table - 1))", "together = (table * table)"),
    ("gaps[i + 1] - errors[i + 1]", "gaps[i + 1] - errors[i]"),
    ("fit.modes) * counted.unit", "fit.modes)"),
    (
        "in_callers_units(counted, fit._replace(labels=labels))",
        "fit._replace(labels=labels)",
    ),
    (
        "np.bincount(fit.labels, silhouettes) / sizes",
        "np.bincount(fit.labels, silhouettes) / sizes.mean()",
    ),
    ("logs.mean(axis=0) - np", "np.log(references.mean(axis=0)) - np"),
    ("total / n_resamples for", "total for"),
    ("_predicted(halves[a], train)", "_predicted(halves[1 - a], train)"),
    ("if value >= least]", "if value > least]"),
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
place(
    "describe/description_length.py",
    "test_how_many.py",
    ("(k - 1 + n_penalties) / 2", "(k + n_penalties) / 2"),
    ("k * np.log(levels).sum()", "np.log(levels).sum()"),
    ("(differs & there).sum(axis=0), there", "differs.sum(axis=0), there"),
)
place(
    "describe/embedding.py",
    "test_embedding.py",
    ("n_axes / m**2)", "n_axes / m)"),
    ("standard[:, s] * inertias[s] ** 0.5", "standard[:, s] * inertias[s]"),
    ("s=14 * counts**0.5", "s=14"),
)
place(
    "describe/words.py",
    "test_words.py test_profiles.py",
    ("more = part[part.lift > 1 + 1e-9]", "more = part[part.lift > 0]"),
    ("found = found[~found.attribute.duplicated()]", "pass"),
)

# ---------------------------------------------------------------- study

place(
    "study/compare.py",
    "test_compare.py",
    ("    if n < n_own:\n        sd = np.maximum(sd, own_sd)\n", ""),
    ("np.minimum(1.0, 2 * chances", "np.minimum(1.0, chances"),
    ("min(values.shape[-1], n) < _LEAST_RUNS", "values.shape[-1] < _LEAST_RUNS"),
    (
        "(_kurtosis(squares) - 1) * (1 / n_own + 1 / n)",
        "(_kurtosis(squares) - 1) / n_own",
    ),
    ("np.sum(~np.isnan(flat))", "len(flat)"),
    ("sd**2 * (n - 1) / n,", "sd**2,"),
    ("np.ceil(n * gap / whole - 1e-9)", "np.floor(n * gap / whole)"),
    (
        "_p_value_of_counts(at_least, n, n_own)",
        "_p_value_of_counts(at_least, n_own, n)",
    ),
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
    ("where(searched, -1)", "where(searched, 0)"),
    (
        "len(np.unique(codes, axis=0)) / len(codes)",
        "1 - len(np.unique(codes, axis=0)) / len(codes)",
    ),
)
place(
    "study/experiments2018.py",
    "test_draft2018.py",
    ("stratify=numbers", "stratify=None"),
    ("min(runs, key=lambda run: run.cost)", "runs[0]"),
    ('average_method="max"', 'average_method="min"'),
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
    "study/paired.py",
    "test_paired.py test_draft2018.py",
    ("stats.t.ppf(0.975, len(first) - 1)", "stats.t.ppf(0.975, len(first))"),
    ("np.mean(differences == 0) / 2", "np.mean(differences == 0)"),
    ("np.round(first - second, 12)", "first - second"),
    ("adjusted_p=holm(table.p_value)", "adjusted_p=table.p_value"),
    ("{0 - row['difference']:+", "{row['difference']:+"),
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
    (
        "failed = _not_exact(comparison) if must_be_exact else",
        "failed = _not_exact(comparison) if not must_be_exact else",
    ),
    ('if item["must_be_exact"] == strict\n            )', "if True\n            )"),
)
place(
    "study/experiments.py",
    "test_run_store.py test_runs.py",
    ("[dict(row, seed=key.seed) for", "[dict(row) for"),
    ("            if not draws:\n", "            if True:\n"),
    ("-(-len(cell) // _ONE_IN)", "len(cell) // _ONE_IN"),
)

# ---------------------------------------------------------------- command

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

EQUIVALENT = "changes no result"

# Why a fault is not noticed: by its module and its new text.
REASONS = {
    ("core/rows.py", "self.weighed(2 * weights)"): (
        f"{EQUIVALENT}: nobody asks doubled rows for their unit"
    ),
    ("core/rows.py", "_scale(observed, max"): (
        f"{EQUIVALENT}: rows without weight could only make the unit finer"
    ),
    ("core/codes.py", 'hole is not None and missing != "ignore"'): (
        f"{EQUIVALENT}: a hole under missing='error' has been refused before"
    ),
    ("cluster/starts/seeding.py", "nearest"): (
        f"{EQUIVALENT}: a row that is not free is at distance 0 already"
    ),
    ("cluster/starts/bisecting.py", "start = rows.unweighted().filled[-1:]"): (
        f"{EQUIVALENT}: one cluster has the same mode from any start"
    ),
    ("exact/optima.py", "served = prices[:, None] >= _SCALE"): (
        f"{EQUIVALENT}: at a price that is just its distance a row earns nothing, so "
        "that both cuts touch the same function from below"
    ),
    ("exact/optima.py", "True"): (
        f"{EQUIVALENT}: with a mode less every clustering costs more, so that none of "
        "the lowest cost leaves a mode without rows"
    ),
}
