"""A second opinion: packages of R on the same tables, in a process of its own.

`apt-get install --no-install-recommends r-base-core r-cran-mlbench r-cran-cba
r-cran-cluster r-cran-flexmix r-cran-clue r-cran-fpc r-cran-mvtnorm`
"""

import functools
import runpy
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kmodes_study.data.files import TABLES
from kmodes_study.data.synthetic import make_planted_clusters
from kmodes_study.family.latent_classes import LatentClasses
from kmodes_study.family.rock_clustering import ROCK
from kmodes_study.measures.distances import gower_distances, hamming_distances
from kmodes_study.measures.information import mutual_info_score
from kmodes_study.measures.pair_counting import adjusted_rand_score, rand_score
from kmodes_study.study.protocols.clusterers import cluster_qualities

HOW = "apt-get install --no-install-recommends r-base-core r-cran-"


@functools.cache
def has_package(name):
    "Whether R is there, with a package."
    program = shutil.which("Rscript")
    ask = f'quit(status = !requireNamespace("{name}", quietly = TRUE))'
    call = [program, "--vanilla", "-e", ask]
    return bool(program) and subprocess.run(call, capture_output=True).returncode == 0


@pytest.fixture
def in_r(tmp_path):
    """A function (package, program, table) that runs a program of R on a table, and
    gives the numbers that it writes into the file `out`.

    The program finds the table as the frame `x`.
    """

    def run(package, program, table):
        if not has_package(package):
            pytest.skip(f"no R with {package} on this machine: {HOW}{package}")
        table.to_csv(tmp_path / "table.csv", index=False, na_rep="NA")
        lines = [
            f"suppressMessages(library({package}))",
            'x <- read.csv("table.csv", check.names = FALSE)',
            program,
            'write(format(out, digits = 17), "out", ncolumns = 1)',
        ]
        (tmp_path / "program.R").write_text("\n".join(lines), encoding="utf-8")
        done = subprocess.run(
            [shutil.which("Rscript"), "--vanilla", "program.R"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return np.loadtxt(tmp_path / "out")

    return run


def alone_apart(labels):
    "Labels in which each row of no cluster, -1, is a cluster of its own."
    labels = np.array(labels)
    alone = labels < 0
    labels[alone] = labels.max() + 1 + np.arange(alone.sum())
    return labels


def test_rock_of_the_votes_by_cba(in_r, load_or_skip):
    votes = load_or_skip("voting-records", as_frame=True, missing="keep").data
    items = pd.get_dummies(votes).astype(int)
    program = "out <- as.integer(rockCluster(as.matrix(x) == 1, 2, theta = 0.73)$cl)"
    theirs = in_r("cba", program, items).astype(int)
    ours = ROCK(2, theta=0.73, missing="ignore").fit_predict(votes)
    assert sorted(np.bincount(ours[ours >= 0])) == [3, 166, 206]
    assert (ours < 0).sum() == 60
    assert adjusted_rand_score(alone_apart(ours), theirs) == 1


GOWER = """
text <- sapply(x, is.character)
x[text] <- lapply(x[text], factor)
out <- as.vector(daisy(x, metric = "gower"))
"""


@pytest.mark.parametrize("name", ["heart-disease", "crx"])
def test_gower_by_daisy(in_r, load_or_skip, name):
    frame = load_or_skip(name, as_frame=True, missing="keep").data
    text = frame.select_dtypes(exclude="number").columns
    written = frame.copy()
    # a category that looks like a number stays a category
    written[text] = "c" + frame[text].astype("string")
    theirs = in_r("cluster", GOWER, written)
    ours = gower_distances(frame, condensed=True, missing="ignore", dtype="float64")
    assert frame.isna().any(axis=None)
    assert len(ours) == len(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


FLEXMIX = """
labels <- x$labels
answers <- as.matrix(x[names(x) != "labels"])
control <- list(minprior = 0, tolerance = 1e-12, iter.max = 5000)
fit <- flexmix(answers ~ 1, k = 3, cluster = labels, model = FLXMCmvbinary(),
               control = control)
out <- c(as.numeric(logLik(fit)), posterior(fit)[, 1])
"""


def test_latent_classes_by_flexmix(in_r):
    "From the clusters that ours end with, EM of R climbs to the same likelihood."
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.1, 0.9, (3, 8))
    table = (rng.random((300, 8)) < shares[rng.integers(3, size=300)]).astype(int)
    model = LatentClasses(3, random_state=0, tol=1e-12, max_iter=5000).fit(table)
    frame = pd.DataFrame(table, columns=list("abcdefgh"))
    theirs = in_r("flexmix", FLEXMIX, frame.assign(labels=model.labels_ + 1))
    assert abs(model.score_samples(table).sum() - theirs[0]) < 1e-4
    ours = model.predict_proba(table)[:, 0]
    np.testing.assert_allclose(ours, theirs[1:], rtol=0, atol=1e-3)


CLUE = """
one <- as.cl_partition(x$one)
other <- as.cl_partition(x$other)
out <- sapply(c("Rand", "cRand", "NMI"), function(m) cl_agreement(one, other, m))
"""


def test_agreements_by_clue(in_r):
    rng = np.random.default_rng(0)
    one = rng.integers(6, size=500)
    other = np.where(rng.random(500) < 0.6, one, rng.integers(4, size=500))
    theirs = in_r("clue", CLUE, pd.DataFrame({"one": one + 1, "other": other + 1}))
    own = mutual_info_score(one, one) * mutual_info_score(other, other)
    shared = mutual_info_score(one, other) / np.sqrt(own)
    ours = [rand_score(one, other), adjusted_rand_score(one, other), shared]
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


FPC = """
codes <- as.matrix(x[names(x) != "labels"])
apart <- as.dist(apply(codes, 1, function(row) colSums(t(codes) != row)))
found <- cqcluster.stats(apart, x$labels, standardisation = "none")
out <- c(found$avewithin, found$sindex, found$asw)
"""


def test_qualities_by_fpc(in_r):
    "Hennig's own program gives the three numbers, with a row that is alone as well."
    codes, labels, _ = make_planted_clusters(200, 10, 3, 4, 0.4, random_state=0)
    labels[0] = 4
    frame = pd.DataFrame(codes).add_prefix("v").assign(labels=labels + 1)
    theirs = in_r("fpc", FPC, frame)
    ours = cluster_qualities(hamming_distances(codes), labels)
    np.testing.assert_allclose([*ours.values()], theirs, rtol=0, atol=1e-9)


def test_the_tables_of_the_package_are_those_of_mlbench_and_cba(tmp_path):
    for package in "mlbench", "cba":
        if not has_package(package):
            pytest.skip(f"no R with {package} on this machine: {HOW}{package}")
    script = Path(__file__).parents[1] / "nbs" / "data" / "make_tables.py"
    runpy.run_path(script)["make_tables"](tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.xz"))
    assert made == sorted(path.relative_to(TABLES) for path in TABLES.rglob("*.xz"))
