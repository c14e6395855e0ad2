"""Makes the five tables of the package from the R packages mlbench and cba:
`python nbs/data/make_tables.py`.
"""

import hashlib
import lzma
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

from kmodes_study.data.files import TABLES
from kmodes_study.data.sets import DATASETS

EXPORT = """
library(mlbench)
library(cba)
data(Zoo, HouseVotes84, Soybean, BreastCancer, Mushroom)
Zoo <- cbind(animal = rownames(Zoo), Zoo)
for (name in c("Zoo", "HouseVotes84", "Soybean", "BreastCancer", "Mushroom"))
  write.csv(get(name), name, row.names = FALSE, na = "?")
"""
ZOO = ["mammal", "bird", "reptile", "fish", "amphibian", "insect", "mollusc.et.al"]
MUSHROOM = {"ibrous": "fibrous", "bruises": "yes"}  # what cba spells otherwise


def zoo(table):
    "Numbers for no and yes and for the classes; R does not allow a name twice."
    numbers = {"TRUE": "1", "FALSE": "0", "frog.1": "frog", "frog.2": "frog"}
    numbers |= {name: str(number) for number, name in enumerate(ZOO, 1)}
    return table.replace(numbers)


def mushroom(table):
    "The archive's letters for the words of its documentation."
    columns = DATASETS["mushroom"].columns
    letters = [
        {word: letter for letter, word in each.names.items()} for each in columns
    ]
    words = table.replace(MUSHROOM).set_axis([each.name for each in columns], axis=1)
    return words.replace({each.name: names for each, names in zip(columns, letters)})


def make_tables(folder):
    "Write each table, compressed, when its bytes are those of the archive."
    with tempfile.TemporaryDirectory() as made:
        subprocess.run(["Rscript", "-e", EXPORT], cwd=made, check=True)
        tables = {
            path.name: pd.read_csv(path, dtype=str, keep_default_na=False)
            for path in Path(made).iterdir()
        }
    soybean = tables["Soybean"]
    cancer = tables["BreastCancer"].replace({"benign": "2", "malignant": "4"})
    for name, subset, table in [
        ("zoo", "train", zoo(tables["Zoo"])),
        ("voting-records", "train", tables["HouseVotes84"]),
        ("soybean-large", "train", soybean[:307]),
        ("soybean-large", "test", soybean[307:]),
        ("breast-cancer-wisconsin", "train", cancer),
        ("mushroom", "train", mushroom(tables["Mushroom"])),
    ]:
        file = DATASETS[name].files[subset]
        contents = table.to_csv(header=False, index=False).encode("ascii")
        if hashlib.sha256(contents).hexdigest() != file.sha256:
            raise ValueError(f"{file.name} does not come out as the archive has it")
        path = folder / name / f"{file.name}.xz"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lzma.compress(contents, preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    make_tables(TABLES)
