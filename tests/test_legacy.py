"""The legacy orders against their oracles, and the 2020 paper's tables against the printed figures."""
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from kmodes_study.study.legacy import (_naive_legacy_argsort, _naive_set_order, _naive_tuple_hash, _tuple_hashes, legacy_argsort,
                                       set_order)


class Adversary:
    "McIlroy's opponent of quicksort: a value is settled, as low as possible, only when a comparison forces it."
    settled, candidate = 0, None

    def __init__(self): self.value = None

    def settle(self):
        self.value = Adversary.settled
        Adversary.settled += 1

    def __lt__(self, other):
        if self.value is None and other.value is None: (self if self is Adversary.candidate else other).settle()
        if self.value is None: Adversary.candidate = self
        elif other.value is None: Adversary.candidate = other
        return self.value is not None and (other.value is None or self.value < other.value)


def lopsided(n):
    "Integers on which the quicksort takes off two values a parting, so that the budget runs out; many ties among what is left then."
    Adversary.settled, Adversary.candidate = 0, None
    values = [Adversary() for _ in range(n)]
    _naive_legacy_argsort(values)
    a = np.array([n if v.value is None else v.value for v in values])
    late = a > 100
    a[late] = np.random.default_rng(0).integers(101, 106, late.sum())
    return a


@pytest.fixture(scope="module")
def argsort_without_simd(tmp_path_factory):
    "`np.argsort` in a process whose numpy uses no optional processor features: the algorithm of numpy 1.16."
    def argsort(arrays):
        folder = tmp_path_factory.mktemp("argsort")
        np.savez(folder/"before.npz", *arrays)
        code = "import sys, numpy as np; z = np.load(sys.argv[1]); np.savez(sys.argv[2], *[np.argsort(z[k]) for k in z])"
        found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
        subprocess.run([sys.executable, "-c", code, folder/"before.npz", folder/"after.npz"], check=True,
                       env=os.environ | {"NPY_DISABLE_CPU_FEATURES": " ".join(found)})
        with np.load(folder/"after.npz") as z: return [z[name] for name in z]
    return argsort


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_argsort_is_the_fallback_of_this_numpy(argsort_without_simd, dtype):
    rng = np.random.default_rng(1)
    sizes = [*range(0, 70), 128, 266, 683, 1000, 5644]
    arrays = [rng.integers(0, rng.integers(1, 60), n).astype(np.int64) for n in sizes]
    for a, expected in zip(arrays, argsort_without_simd(arrays)): np.testing.assert_array_equal(legacy_argsort(a.astype(dtype)), expected)


@pytest.mark.parametrize("n", [500, 600])
def test_lopsided_parts_are_finished_by_heapsort(argsort_without_simd, n):
    killer = lopsided(n)
    assert legacy_argsort(killer).tolist() != _naive_legacy_argsort(killer.tolist())  # the naive form has no heapsort
    np.testing.assert_array_equal(legacy_argsort(killer), argsort_without_simd([killer])[0])


@given(st.lists(st.integers(0, 6), max_size=300), st.integers(0, 320))
@settings(max_examples=100, deadline=None)
def test_head_is_the_beginning_of_a_sorted_permutation(values, head):
    whole = legacy_argsort(np.array(values, int))
    assert sorted(whole.tolist()) == list(range(len(values)))
    assert np.array(values, int)[whole].tolist() == sorted(values)
    assert legacy_argsort(np.array(values, int), head=head).tolist() == whole[:head].tolist()


def test_argsort_leaves_its_argument_alone():
    a = np.array([3, 1, 2]*20)
    before = a.copy()
    legacy_argsort(a)
    np.testing.assert_array_equal(a, before)


class OldTuple(tuple):
    "A tuple with the hash of CPython 3.7, for the sets of the Python that runs the test."
    def __hash__(self):
        h = _naive_tuple_hash(self)
        return h - 2**64 if h >= 2**63 else h


@given(st.lists(st.tuples(*[st.integers(0, 12)]*4), max_size=400, unique=True))
@settings(max_examples=100, deadline=None)
def test_set_order_is_the_walk_of_a_set(rows):
    walked = set()
    for row in rows: walked.add(OldTuple(row))
    got = set_order(np.array(rows, np.uint8).reshape(len(rows), 4))
    assert [rows[i] for i in got] == [tuple(row) for row in walked] == _naive_set_order(rows)


def test_set_order_of_many_rows():
    rows = list(itertools.product(range(3), range(5), range(4), range(4), range(3), range(2), range(3)))
    walked = set()
    for row in rows: walked.add(OldTuple(row))
    assert [rows[i] for i in set_order(rows)] == [tuple(row) for row in walked]


# Printed by CPython 3.7.16: the walk of a set to which the products of range(3) x range(2) x range(2) were added in order.
CPYTHON37 = [(0, 1, 1), (1, 1, 0), (1, 1, 1), (2, 1, 0), (1, 0, 0), (2, 1, 1), (0, 0, 1), (1, 0, 1), (0, 0, 0), (2, 0, 1), (0, 1, 0), (2, 0, 0)]


def test_set_order_as_cpython_37_printed_it():
    rows = list(itertools.product(range(3), range(2), range(2)))
    assert [rows[i] for i in set_order(rows)] == CPYTHON37


def test_tuple_hashes_wrap_as_unsigned_64_bits():
    rows = np.random.default_rng(2).integers(0, 700, (200, 40))
    assert _tuple_hashes(rows).tolist() == [_naive_tuple_hash(row) for row in rows.tolist()]
