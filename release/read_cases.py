"""Which cases do programs answer as the definitions do? Add yours to the list.

`kmodes` moves rows one by one in its passes, so it may end elsewhere than batch passes;
`kluster-fudge` takes no first modes.
"""

import json
from pathlib import Path

import numpy as np
from kluster_fudge.init import InitMethod, init_centroids
from kmodes.kmodes import KModes, init_cao, matching_dissim
from sklearn.metrics import adjusted_rand_score

import kmodes_study.cluster as ours


def online(rows, first_modes):
    return KModes(len(first_modes), init=first_modes, n_init=1).fit_predict(rows)


# program, kind of case, what is expected, and how the program answers what is given
ASKED = [
    ("kmodes", "batch", "labels", online),
    ("kmodes", "cao", "modes", lambda rows, k: init_cao(rows, k, matching_dissim)),
    ("kluster-fudge", "cao", "modes", lambda rows, k: init_centroids(rows, k, CAO)),
    ("scikit-learn", "agreement", "adjusted_rand", adjusted_rand_score),
    ("kmodes_study", "batch", "labels", lambda *given: ours.lloyd(*given).labels),
    ("kmodes_study", "cao", "modes", lambda rows, k: ours.init_cao(rows, int(k))),
]
CAO = InitMethod.CAO
cases = json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))["cases"]
for program, kind, wanted, answer in ASKED:
    those = [case for case in cases if case["kind"] == kind]
    found = [answer(*map(np.array, case["given"].values())) for case in those]
    same = [np.allclose(f, c["expected"][wanted]) for f, c in zip(found, those)]
    print(f"{program}: {sum(same)} of {len(same)} cases of {kind} agree")
