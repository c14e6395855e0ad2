"""The store of runs: a row that is there stays as it is, and each is kept under the mark of its own data."""
import numpy as np

from kmodes_study.study.runs import RunStore, fingerprint, run_grid, run_keys


def test_a_row_that_is_there_already_stays(tmp_path):
    key, = run_keys([("toy", 3)], inits=["cao"], seeds=[0])
    first, second = (dict(key._asdict(), fingerprint="a", initial_cost=9, final_cost=cost, best_cost=cost, n_iter=1,
                          seconds=.1) for cost in (5, 6))
    other = dict(second, seed=1)
    store = RunStore(tmp_path/"runs.sqlite")
    store.add([first])
    store.add([second, other])
    assert store.rows("toy", "a") == [first, other]
    store.close()
    again = RunStore(tmp_path/"runs.sqlite")
    again.add([second])
    assert again.rows("toy", "a") == [first, other]
    again.close()


def test_rows_of_two_sets_in_one_batch_have_each_its_own_mark(tmp_path):
    data = {name: np.random.RandomState(seed).randint(3, size=(20, 3)).astype(np.uint8)
            for seed, name in enumerate(("first", "second"))}
    keys = run_keys([(name, 2) for name in data], inits=["random"], seeds=range(3))
    run_grid(keys, data, tmp_path/"runs.sqlite", n_jobs=1, progress=False)
    store = RunStore(tmp_path/"runs.sqlite")
    for name, codes in data.items(): assert len(store.rows(name, fingerprint(codes))) == 3
    store.close()
