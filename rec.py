import numpy as np, pandas as pd, time, warnings
from kmodes_study import KModes
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.measures.pair_counting import adjusted_rand_score
def recovered(share, way, seed, n=600, **kw):
    truth = make_planted_clusters(n, 10, n_levels=4, n_clusters=4, noise=.3, random_state=seed)
    hidden = np.random.RandomState(seed).random_sample(truth.codes.shape) < share
    hidden[hidden.all(axis=1), 0] = False
    model = KModes(4, missing=way, init="huang", n_init=2, random_state=0, **kw).fit(np.where(hidden, np.nan, truth.codes))
    return adjusted_rand_score(truth.labels, model.labels_)
shares = [0, .1, .2, .3, .4, .5, .6, .7]
for n, kw in (600, {}), (600, dict(max_swaps=30)), (300, {}),(300, dict(max_swaps=30)):
    t = time.process_time()
    found = pd.DataFrame({way: [np.mean([recovered(share, way, seed, n, **kw) for seed in range(5)]) for share in shares] for way in ("ignore", "category")}, index=shares)
    print(n, kw, time.process_time()-t, (found.ignore >= found.category - .02).all(), found.round(2).T.to_numpy().tolist())
