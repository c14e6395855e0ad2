"Plain forms for the tests of profiles."

from kmodes_study.plain.profiles import cramers_v, profile

import numpy as np


def plain_mca(Z, m):
    """Coordinates of rows and categories, and the inertias, by the singular value
    decomposition itself.
    """
    n = len(Z)
    f = Z.sum(axis=0) / Z.sum()
    S = (Z / (n * m) - f / n) / np.sqrt(f / n)
    U, sigma, Vt = np.linalg.svd(S, full_matrices=False)
    return n**0.5 * U * sigma, (Vt.T * sigma) / np.sqrt(f)[:, None], sigma**2


def plain_corrected_v(values, labels):
    "Cramér's V of two lists of the same points, corrected for chance as Bergsma does."
    n, r, k = len(labels), len(set(values)), len(set(labels))
    if min(r, k) == 1:
        return 0.0
    squared = cramers_v(values, labels) ** 2 * (min(r, k) - 1)
    above = squared - (r - 1) * (k - 1) / (n - 1)
    rest = min(r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)) - 1
    return (above / rest) ** 0.5 if min(above, rest) > 1e-9 else 0.0


def plain_profiles(columns, labels):
    """One row for each cluster and attribute, by the definitions; the columns are lists
    by name, without missing values.
    """
    rows, labels = [], list(labels)
    for cluster in sorted(set(labels)):
        size = labels.count(cluster)
        for name, column in columns.items():
            found = {
                v: x for (l, v), x in profile(column, labels).items() if l == cluster
            }
            mode = max(found, key=lambda value: found[value][0])
            count, share, lift = found[mode]
            rows.append(
                dict(
                    cluster=cluster,
                    size=size,
                    share_of_rows=size / len(labels),
                    attribute=name,
                    mode=mode,
                    count=count,
                    share=float(share),
                    overall_share=float(share / lift),
                    lift=float(lift),
                    cramers_v=cramers_v(column, labels),
                    corrected_v=plain_corrected_v(column, labels),
                )
            )
    return rows
