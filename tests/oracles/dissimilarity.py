"Plain forms for the tests of dissimilarity."

from fractions import Fraction


def plain_partial(x, z):
    """The partial matching dissimilarity of a row, in which None is a missing value, to
    a mode.
    """
    observed = [j for j, value in enumerate(x) if value is not None]
    return Fraction(len(x), len(observed)) * sum(x[j] != z[j] for j in observed)


def plain_distance(x, y, weights, ranges, share):
    """Gower's distance if `share`, else Hamming's; None is a missing value, or the
    range of a column of categories.
    """

    def part(j):
        if ranges[j] is None:
            return int(x[j] != y[j])
        return (
            abs(Fraction(x[j]) - Fraction(y[j])) / Fraction(ranges[j])
            if ranges[j]
            else 0
        )

    both = [j for j in range(len(x)) if x[j] is not None and y[j] is not None]
    common = sum(Fraction(weights[j]) for j in both)
    if not common:
        return None
    total = sum(Fraction(weights[j]) * part(j) for j in both) / common
    return total if share else total * sum(Fraction(w) for w in weights)


def plain_ordinal(x, y, sizes):
    """The distance of two rows: steps as a share of the scale, and 1 for two names that
    differ.
    """
    return sum(
        int(a != b) if size is None else Fraction(abs(a - b), max(size - 1, 1))
        for a, b, size in zip(x, y, sizes, strict=True)
    )
