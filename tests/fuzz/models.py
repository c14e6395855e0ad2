"""Saved models: they come back as they were; what is damaged is refused, or is at least
of use.
"""

import json
import os
import re
import threading
from pathlib import Path

import numpy as np

from kmodes_study import KModes
from kmodes_study.cluster.saved import load_model, save_model
from kmodes_study.core.stored import json_checksum
from kmodes_study.family import FuzzyKModes, LatentClasses

from fuzz.damage import as_json, damaged, tampered
from fuzz.draw import Problem
from fuzz.spell import ANYTHING, TABLES
from fuzz.trial import Trial


def drawn_model(rng):
    "A fitted model and its table."
    problem = Problem(rng.randint(2**31))
    table = (
        problem.holes()
        if (gaps := rng.rand() < 0.3)
        else TABLES[rng.choice(list(TABLES))](problem.codes)
    )
    options = dict(
        init=rng.choice(["cao", "huang", "random"]),
        random_state=int(rng.randint(9)),
        missing="ignore" if gaps else "error",
        handle_unknown=rng.choice(["error", "ignore"]),
    )
    kind = [KModes, KModes, FuzzyKModes, LatentClasses][rng.randint(4)]
    if kind is KModes:
        options["algorithm"] = rng.choice(["auto", "lloyd", "huang"])
    if kind is not LatentClasses and rng.rand() < 0.3:
        options["feature_weight"] = rng.choice([1, 2, 0.5], problem.m).tolist()
    return kind(problem.k if not gaps else 1, **options).fit(table), table


def alike(model, table):
    "What checks that another model does the same."

    def check(back):
        for work in "predict", "transform", "score":
            one, other = (getattr(which, work)(table) for which in (model, back))
            assert np.array_equal(one, other), f"{work} gives {other}, expected {one}"
        assert repr(back.get_params()["n_clusters"]) == repr(
            model.get_params()["n_clusters"]
        )
        save_model(back, "again.json")
        assert Path("model.json").read_bytes() == Path("again.json").read_bytes(), (
            "saved again it is another file"
        )

    return check


def there_and_back(model, table):
    "A model is saved and loaded."

    def run():
        save_model(model, "model.json")
        return type(model).load("model.json")

    return Trial("there and back", run, alike(model, table), ("categories must be",))


def of_use(table):
    "What checks that a model works, or says what it cannot do."

    def check(model):
        k, m = model.modes_.shape
        assert model.cluster_centroids_.shape == (k, m)
        assert model.n_features_in_ == m
        try:
            labels, distances = model.predict(table), model.transform(table)
        except (ValueError, TypeError) as error:
            assert re.search("X |feature names|categories", str(error)), (
                f"predict: {error}"
            )
            return
        assert distances.shape == (len(labels), k)
        assert set(labels.tolist()) <= set(range(k))
        save_model(model, "again.json")
        type(model).load("again.json")

    return check


def broken(rng, kind, table):
    "The bytes of a saved model have changed."
    file = Path("model.json")
    content = file.read_bytes()
    changed, how = damaged(content, rng)
    file.write_bytes(changed)
    try:
        same = json.loads(changed) == json.loads(content)
    except ValueError:
        same = False
    return Trial(
        f"{how} {file}",
        lambda: kind.load(file),
        of_use(table),
        ("model.json",),
        refused=not same,
    )


def rewritten(rng, kind, table):
    "A part of a saved model is another, and its checksum is right."
    file = Path("model.json")
    changed, how = tampered(json.loads(file.read_text(encoding="utf-8")), rng)
    if "checksum" in changed:
        changed["checksum"] = json_checksum(changed)
    file.write_bytes(as_json(changed))
    return Trial(
        f"{file}, {how}", lambda: kind.load(str(file)), of_use(table), ("model.json",)
    )


ODD_PLACES = (
    "",
    ".",
    "no/such/folder/m.json",
    "model.json/m.json",
    "\0",
    "x" * 300,
    "/proc/nowhere",
)


def misplaced(rng, model):
    "A model is saved or loaded where that cannot be, or what is saved is no model."
    path = ODD_PLACES[rng.randint(len(ODD_PLACES))]
    what = model
    save = rng.rand() < 0.7
    if rng.rand() < 0.5:
        path = ANYTHING[rng.randint(len(ANYTHING))]
    if save and rng.rand() < 0.2:
        what, path = ANYTHING[rng.randint(len(ANYTHING))], "other.json"
    words = (
        f"save_model({'model' if what is model else repr(what)}, {path!r})"
        if save
        else f"load_model({path!r})"
    )
    names = (
        ("path", "model", repr(path)[1:-1] or "path")
        if isinstance(path, str)
        else ("path", repr(path))
    )
    return Trial(
        words, lambda: save_model(what, path) if save else load_model(path), names=names
    )


def no_ordinary_file(rng, model):
    """A model is saved to a pipe, a device, or a link to one, or to a link to a file,
    which stays a link.
    """
    os.mkfifo("pipe")
    os.symlink("pipe", "link to pipe")
    os.symlink("model.json", "link")
    os.symlink("nothing yet.json", "new link")
    path = str(rng.choice(["pipe", "link to pipe", "/dev/null", "link", "new link"]))

    def run():
        save_model(model, path)
        return type(model).load(path)

    def check(back):
        assert os.path.islink(path)
        assert os.path.isfile(path)
        assert back.cost_ == model.cost_

    return Trial(
        f"save_model to {path}", run, check, (path,), refused="link" != path[-4:]
    )


def raced(rng, model, table):
    "Two save different models under one name, again and again; a third loads."
    kind = type(model)
    other = kind(1, missing=model.missing, random_state=0).fit(table)
    sought = {repr(one.modes_.tolist()) for one in (model, other)}

    def saving(one):
        for _ in range(5):
            save_model(one, "model.json")

    def run():
        threads = [
            threading.Thread(target=saving, args=(one,)) for one in (model, other)
        ]
        for thread in threads:
            thread.start()
        found = [kind.load("model.json") for _ in range(5)]
        for thread in threads:
            thread.join()
        return [*found, kind.load("model.json")]

    def check(found):
        assert {repr(one.modes_.tolist()) for one in found} <= sought, (
            "a model that nobody has saved"
        )
        assert os.listdir() == ["model.json"], os.listdir()

    return Trial("two save under one name", run, check, good=True)


def draw(rng, folder):
    "A trial with a saved model."
    model, table = drawn_model(rng)
    kind = rng.choice(
        ["whole", "bytes", "json", "place", "pipe", "race"],
        p=[0.2, 0.25, 0.35, 0.1, 0.05, 0.05],
    )
    if kind == "whole":
        return there_and_back(model, table)
    try:
        save_model(model, "model.json")
    except (TypeError, ValueError):
        return there_and_back(model, table)
    if kind == "place":
        return misplaced(rng, model)
    if kind == "pipe":
        return no_ordinary_file(rng, model)
    if kind == "race":
        return raced(rng, model, table)
    if kind == "bytes":
        return broken(rng, type(model), table)
    return rewritten(rng, type(model), table)
