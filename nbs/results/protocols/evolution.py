"""Tables of codes are bred, generation by generation, until one method does much better on them than another."""

from math import ceil
from typing import NamedTuple

import numpy as np

from kmodes_study.core.checks import check_random_state


class Limits(NamedTuple):
    """What tables may be bred: the fewest and the most rows and columns, and the
    highest code.
    """

    rows: tuple = (50, 500)
    columns: tuple = (2, 50)
    highest: int = 10


class Table(NamedTuple):
    "A table of codes, and the lowest and highest code of each column."

    codes: np.ndarray
    ranges: np.ndarray


def _random_range(limits, rng):
    "A random lowest and highest code."
    return np.sort(rng.randint(limits.highest + 1, size=2))


def random_table(limits: Limits, random_state=None) -> Table:
    "A table of the first generation."
    rng = check_random_state(random_state)
    n = rng.randint(limits.rows[0], limits.rows[1] + 1)
    m = rng.randint(limits.columns[0], limits.columns[1] + 1)
    ranges = np.stack([_random_range(limits, rng) for _ in range(m)])
    codes = rng.randint(ranges[:, 0], ranges[:, 1] + 1, size=(n, m))
    return Table(codes.astype(np.uint8), ranges)


def cross(first: Table, second: Table, random_state=None) -> Table:
    "A table whose size and columns come from two others."
    rng = check_random_state(random_state)
    parents = (first, second)
    n, m = (parents[rng.randint(2)].codes.shape[axis] for axis in (0, 1))
    columns = [*first.codes.T, *second.codes.T]
    ranges = np.concatenate([first.ranges, second.ranges])
    chosen = rng.permutation(len(columns))[:m]
    codes = np.empty((n, m), np.uint8)
    for place, j in enumerate(chosen):
        # where a column is too short, the rest is drawn from its range
        missing = max(n - len(columns[j]), 0)
        drawn = rng.randint(ranges[j, 0], ranges[j, 1] + 1, size=missing)
        codes[:, place] = np.concatenate([columns[j][:n], drawn])
    return Table(codes, ranges[chosen])


def _resized(table, limits, rate, rng):
    "The table with, now and then, a row or a column more or less."
    codes, ranges = table
    n, m = codes.shape
    gain, loss = rng.random_sample((2, 2)) < rate
    if loss[0] and n > limits.rows[0]:
        codes = np.delete(codes, rng.randint(n), axis=0)
    if gain[0] and n < limits.rows[1]:
        codes = np.vstack([codes, rng.randint(ranges[:, 0], ranges[:, 1] + 1)])
    if loss[1] and m > limits.columns[0]:
        kept = np.arange(m) != rng.randint(m)
        codes, ranges = codes[:, kept], ranges[kept]
    if gain[1] and m < limits.columns[1]:
        ranges = np.vstack([ranges, _random_range(limits, rng)])
        codes = np.column_stack(
            [codes, rng.randint(ranges[-1, 0], ranges[-1, 1] + 1, size=len(codes))]
        )
    return Table(codes.astype(np.uint8), ranges)


def mutate(table: Table, limits: Limits, rate: float, random_state=None) -> Table:
    """A table with random changes of its size, of the ranges of its columns, and of its
    values.
    """
    rng = check_random_state(random_state)
    codes, ranges = (part.copy() for part in _resized(table, limits, rate, rng))
    anew = rng.random_sample(codes.shape) < rate
    for j in np.flatnonzero(rng.random_sample(len(ranges)) < rate):
        ranges[j] = _random_range(limits, rng)
        anew[:, j] = True
    drawn = rng.randint(ranges[:, 0], ranges[:, 1] + 1, size=codes.shape)
    return Table(np.where(anew, drawn, codes).astype(np.uint8), ranges)


class Evolution(NamedTuple):
    """What a search found: every table that ever lived, in order of birth, and the
    generations.
    """

    tables: list
    fitness: np.ndarray
    births: np.ndarray
    generations: np.ndarray

    def best(self, count: int = 1) -> list:
        "The best tables, the older one on ties."
        return np.argsort(self.fitness, kind="stable")[:count].tolist()


def evolve(
    fitness,
    *,
    limits: Limits = Limits(),
    size: int = 100,
    n_generations: int = 50,
    best: float = 0.2,
    mutation: float = 0.01,
    random_state=None,
) -> Evolution:
    """Breed tables of low fitness (after Wilde, Knight & Gillard 2020): `fitness` gives
    a number for codes, the lower the better.
    """
    rng = check_random_state(random_state)
    n_parents = min(ceil(best * size), size)
    tables, values, births = [], [], []

    def add(table, generation):
        "A table lives; where its fitness is not a number, it is the last of all."
        value = float(fitness(table.codes))
        tables.append(table)
        values.append(np.inf if np.isnan(value) else value)
        births.append(generation)

    def fittest(numbers):
        return sorted(numbers, key=lambda number: (values[number], number))

    for table in [random_table(limits, rng) for _ in range(size)]:
        add(table, 0)
    living = fittest(range(size))
    generations = [[values[number] for number in living]]
    for generation in range(1, n_generations + 1):
        parents = living[:n_parents]
        children = []
        for _ in range(size - n_parents):
            # the two may be the same
            first, second = (parents[place] for place in rng.randint(n_parents, size=2))
            child = cross(tables[first], tables[second], rng)
            children.append(mutate(child, limits, mutation, rng))
        for child in children:
            add(child, generation)
        living = fittest([*parents, *range(len(tables) - len(children), len(tables))])
        generations.append([values[number] for number in living])
    return Evolution(tables, np.array(values), np.array(births), np.array(generations))
