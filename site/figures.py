"""`python site/figures.py NOTEBOOK ...` draws the figures of notebooks anew, as SVG, in
the place of their pixels; no other output changes. Without arguments all notebooks are
executed that have figures made of pixels.
"""

import re
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from reference import ROOT

NOTEBOOKS = ROOT / "nbs"
LARGEST = 300_000  # bytes; a figure with more marks stays an image
DRAWN = [
    '--InlineBackend.figure_formats={"svg"}',
    "--InlineBackend.print_figure_kwargs="
    '{"bbox_inches": "tight", "metadata": {"Date": None, "Creator": None}}',
    '--InlineBackend.rc={"svg.hashsalt": "kmodes_study"}',
]


def pixels(cell):
    "The outputs of a cell that are figures made of pixels."
    return [
        output
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]


def vectors(cell):
    "The figures of a cell as SVG."
    return [
        compact(output.data["image/svg+xml"])
        for output in cell.get("outputs", ())
        if "image/svg+xml" in output.get("data", {})
    ]


def compact(vector):
    "An SVG file on one line: no comments, no description, a hundredth of a point."
    vector = vector[vector.index("<svg") :]
    vector = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", vector, flags=re.DOTALL)
    images = re.split(r"(data:[^\"]*)", vector)
    # every second piece is an image within
    images[::2] = [re.sub(r"(\.\d\d)\d+", r"\1", piece) for piece in images[::2]]
    return re.sub(r"\s*\n\s*", " ", "".join(images)).replace("> <", "><")


def redraw(file):
    "How many figures of a notebook became SVG, and how many did not."
    stored = nbformat.read(file, as_version=4)
    executed = nbformat.read(file, as_version=4)
    client = NotebookClient(
        executed,
        timeout=1800,
        kernel_name="python3",
        resources={"metadata": {"path": str(file.parent)}},
        extra_arguments=DRAWN,
    )
    client.execute()
    drawn, left = 0, 0
    for cell, again in zip(stored.cells, executed.cells, strict=True):
        before, after = pixels(cell), vectors(again)
        for output, vector in zip(before, after):
            if len(vector) > LARGEST:
                left += 1
                continue
            del output.data["image/png"]
            output.data["image/svg+xml"] = vector
            drawn += 1
        left += abs(len(before) - len(after))
    nbformat.write(stored, file)
    return drawn, left


if __name__ == "__main__":
    files = [Path(name).resolve() for name in sys.argv[1:]]
    for file in files or sorted(NOTEBOOKS.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in file.parts:
            continue
        if any(map(pixels, nbformat.read(file, as_version=4).cells)):
            drawn, left = redraw(file)
            print(f"{file.name}: {drawn} as SVG, {left} left", flush=True)
