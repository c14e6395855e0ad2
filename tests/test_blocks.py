"""Counting blocks: what `lloyd` finds on the whole table, for any blocks, workers, and
deaths of workers.
"""

import os
import shutil
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pandas as pd
import pytest

from kmodes_study.cluster.algorithms import lloyd as batch
from kmodes_study.cluster import blocks
from kmodes_study.cluster.algorithms.lloyd import lloyd
from kmodes_study.cluster.blocks import (
    cao_blocks,
    count_block,
    lloyd_blocks,
    make_blocks,
    sample_rows,
)
from kmodes_study.cluster.starts.basic import init_cao
from kmodes_study.data import make_planted_clusters

pytest.importorskip("pyarrow", reason="pyarrow, the extra big, is not installed")
from kmodes_study.storage import code_files  # noqa: E402
from kmodes_study.storage.code_files import write_codes  # noqa: E402


def file_of(codes, path):
    return write_codes(
        pd.DataFrame(codes, columns=[f"x{j}" for j in range(codes.shape[1])]), path
    )


def same(result, expected):
    for name in ("labels", "modes"):
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))
    assert (result.cost, result.converged) == (expected.cost, expected.converged)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    return file_of(
        make_planted_clusters(
            5000, 6, [3, 9, 4, 2, 7, 300], n_clusters=6, noise=0.5, random_state=1
        ).codes,
        tmp_path_factory.mktemp("planted") / "x.codes",
    )


@pytest.mark.parametrize("n_blocks", [1, 3, 50])
@pytest.mark.parametrize("max_iter", [0, 2, 100])
def test_blocks_find_what_lloyd_finds(planted, tmp_path, n_blocks, max_iter):
    start = np.array(planted.codes[10:16])
    expected = lloyd(np.array(planted.codes), start, max_iter=max_iter)
    result = lloyd_blocks(
        make_blocks(planted, n_blocks),
        start,
        max_iter=max_iter,
        labels=tmp_path / "labels.npy",
    )
    same(result, expected)
    assert (result.n_iter, result.epoch_costs) == (
        expected.n_iter,
        expected.epoch_costs,
    )


def test_labels_that_are_half_written_are_never_taken_for_whole(planted, tmp_path):
    old, path = np.arange(3), tmp_path / "labels.npy"
    np.save(path, old)

    def run(task, blocks):
        if task.func.__name__ != "_label_block":
            return map(task, blocks)
        task(blocks[0])
        raise InterruptedError("the second worker is gone")

    with pytest.raises(InterruptedError):
        lloyd_blocks(
            make_blocks(planted, 2),
            np.array(planted.codes[10:16]),
            run=run,
            labels=path,
        )
    np.testing.assert_array_equal(np.load(path), old)
    assert [*tmp_path.glob("labels*")] == [path]


@pytest.mark.parametrize("noticed", [True, False])
def test_a_file_shortened_between_two_pieces_is_an_error_and_not_the_end_of_the_process(
    tmp_path, monkeypatch, noticed
):
    file = file_of(
        np.random.RandomState(0).randint(3, size=(60_000, 4)).astype(np.uint8),
        tmp_path / "x.codes",
    )
    monkeypatch.setattr("kmodes_study.storage.code_files.part_rows", lambda m: 20_000)
    pieces = blocks._block_columns(make_blocks(file, 1)[0])
    np.testing.assert_array_equal(next(pieces)[1], file.codes[:20_000].T)
    if noticed:
        monkeypatch.setattr(
            code_files, "_read_into", lambda columns, opened, first: opened.check()
        )
    (tmp_path / "x.codes" / "codes.bin").chmod(0o644)
    os.truncate(tmp_path / "x.codes" / "codes.bin", 30_000)
    with pytest.raises(
        ValueError,
        match="codes.bin has changed since"
        if noticed
        else "codes.bin has become shorter",
    ):
        list(pieces)


def test_clusters_that_fall_empty_are_filled_alike(tmp_path, monkeypatch):
    filled = 0
    for module in (batch, code_files):
        monkeypatch.setattr(module, "part_rows", lambda m: 9)
    for seed in range(25):
        rng = np.random.RandomState(seed)
        codes = rng.randint(0, rng.randint(2, 4, 4), (rng.randint(12, 40), 4)).astype(
            np.uint8
        )
        file = file_of(codes, tmp_path / f"{seed}.codes")
        start = rng.randint(0, 2, (5, 4)).astype(np.uint8)
        start[1:3] = start[0]  # equal modes: only the first is ever nearest
        filled += len(np.unique(start, axis=0)) < 5
        for max_iter in (0, 1, 50):
            expected = lloyd(np.array(file.codes), start, max_iter=max_iter)
            same(lloyd(file, start, max_iter=max_iter), expected)
            same(
                lloyd_blocks(
                    make_blocks(file, 4),
                    start,
                    max_iter=max_iter,
                    labels=tmp_path / "labels.npy",
                ),
                expected,
            )
    assert filled == 25


def test_fewer_distinct_rows_than_modes(tmp_path):
    file = file_of(np.repeat([[0, 1], [1, 0]], 5, axis=0), tmp_path / "x.codes")
    with pytest.raises(ValueError, match="at least as many distinct rows"):
        lloyd_blocks(make_blocks(file, 2), np.array([[0, 1], [1, 0], [1, 1]]))


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors(planted, tmp_path, pool):
    start = np.array(planted.codes[:4])
    with pool(2) as executor:
        result = lloyd_blocks(
            make_blocks(planted, 5),
            start,
            run=executor.map,
            labels=tmp_path / "labels.npy",
        )
    same(result, lloyd(np.array(planted.codes), start))


def die_once(block, flag, **arguments):
    """Count a block; but whoever is asked for the second block first, ends at once, as
    if its machine had failed.
    """
    if block.first > 0 and not os.path.exists(flag):
        open(flag, "w").close()
        os._exit(1)
    return count_block(block, **arguments)


def test_a_dask_cluster_whose_worker_dies(planted, tmp_path, monkeypatch):
    pytest.importorskip(
        "distributed", reason="dask, the extra of that name, is not installed"
    )
    from dask.distributed import Client, LocalCluster

    start, blocks = np.array(planted.codes[:4]), make_blocks(planted, 3)
    expected = lloyd(np.array(planted.codes), start)
    options = dict(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        run = client.get_executor().map
        monkeypatch.setattr(
            "kmodes_study.cluster.blocks.count_block",
            partial(die_once, flag=str(tmp_path / "died")),
        )
        same(
            lloyd_blocks(blocks, start, run=run, labels=tmp_path / "labels.npy"),
            expected,
        )
        assert (tmp_path / "died").exists()


@pytest.mark.parametrize("n_blocks", [1, 7])
def test_a_start_from_all_rows_is_caos(planted, n_blocks):
    expected = init_cao(np.array(planted.codes), 20)
    np.testing.assert_array_equal(
        cao_blocks(make_blocks(planted, n_blocks), 20), expected
    )


def test_of_equally_good_rows_the_first_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(code_files, "part_rows", lambda m: 3)
    for seed in range(20):
        codes = np.random.RandomState(seed).permutation(
            np.repeat(np.eye(4, dtype=np.uint8), 4, axis=0)
        )
        file = file_of(codes, tmp_path / f"{seed}.codes")
        np.testing.assert_array_equal(
            cao_blocks(make_blocks(file, 3), 3), init_cao(codes, 3)
        )


def test_a_start_needs_enough_distinct_rows(tmp_path):
    file = file_of(np.repeat([[0, 1], [1, 0]], 5, axis=0), tmp_path / "x.codes")
    with pytest.raises(ValueError, match="at least as many distinct rows"):
        cao_blocks(make_blocks(file, 2), 3)


def test_blocks_of_a_file_that_was_written_anew(tmp_path):
    blocks = make_blocks(file_of(np.eye(6, dtype=int), tmp_path / "x.codes"), 2)
    shutil.rmtree(tmp_path / "x.codes")
    file_of(np.eye(6, dtype=int)[::-1], tmp_path / "x.codes")
    with pytest.raises(ValueError, match="was written anew: call make_blocks again"):
        lloyd_blocks(blocks, np.eye(6, dtype=int)[:2])


def test_blocks_must_be_all_rows_once(planted, tmp_path):
    blocks, start = make_blocks(planted, 4), np.array(planted.codes[:3])
    other = make_blocks(file_of(np.eye(6, dtype=int), tmp_path / "x.codes"), 1)
    expected = lloyd_blocks(blocks, start)
    same(lloyd_blocks(blocks[::-1], start), expected)  # in any order
    for some in (
        blocks[1:],
        blocks[:-1],
        blocks[:1] + blocks[2:],
        blocks + blocks[:1],
        blocks[:3] + other,
    ):
        for work in (
            lambda: lloyd_blocks(some, start, labels=tmp_path / "labels.npy"),
            lambda: cao_blocks(some, 2),
        ):
            with pytest.raises(
                ValueError, match="blocks must be all 5,000 rows of one file, each once"
            ):
                work()
    assert not (tmp_path / "labels.npy").exists()


def test_what_blocks_cannot(planted):
    blocks, start = make_blocks(planted, 2), np.array(planted.codes[:2])
    with pytest.raises(TypeError, match="labels must be a string or a path"):
        lloyd_blocks(blocks, start, labels=5)
    with pytest.raises(
        ValueError,
        match="modes must hold codes of the type of the file, uint16, got 65536",
    ):
        lloyd_blocks(blocks, np.array([[65_536, 0, 0, 0, 0, 0]]))
    with pytest.raises(ValueError, match="modes must have one column"):
        lloyd_blocks(blocks, [[0]])


def test_a_sample_is_uniform_and_repeatable(planted):
    rows = sample_rows(planted, 500, 7)
    np.testing.assert_array_equal(rows, sample_rows(planted, 500, 7))
    assert rows.shape == (500, 6)
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(sample_rows(planted, 10**6), planted.codes)
    firsts = np.concatenate(
        [sample_rows(planted, 500, seed)[:, 0] for seed in range(40)]
    )
    share = (planted.codes[:, 0] == 0).mean()
    assert abs((firsts == 0).mean() - share) < 5 * np.sqrt(
        share * (1 - share) / len(firsts)
    )
