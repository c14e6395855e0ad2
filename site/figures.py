"""`python site/figures.py NOTEBOOK ...` draws the figures of notebooks anew, as SVG; no
other output changes. Without arguments all notebooks are executed that have figures
made of pixels.
"""

import re
import sys
from base64 import b64decode, b64encode
from inspect import getsource
from io import BytesIO
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

from reference import ROOT

NOTEBOOKS = ROOT / "nbs"
LARGEST = 150_000  # bytes; a figure with more stays an image
MANY, CLOUD = 300, 20  # marks of a figure, and of what becomes pixels within it
DRAWN = [
    '--InlineBackend.figure_formats={"svg"}',
    "--InlineBackend.print_figure_kwargs="
    '{"bbox_inches": "tight", "dpi": 144, "metadata": {"Date": None, "Creator": None}}',
    '--InlineBackend.rc={"svg.hashsalt": "kmodes_study"}',
]


def draw_clouds_as_pixels(most, cloud):
    """In the kernel of a notebook: where a figure has more than so many marks, those of
    a cloud are an image within the SVG, and axes and letters stay lines. An image has a
    pixel for each of its values.
    """
    from functools import wraps

    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.collections import Collection
    from matplotlib.image import AxesImage
    from matplotlib.lines import Line2D

    def n_marks(artist):
        if isinstance(artist, Collection):
            cells = artist.get_array()
            return max(len(artist.get_offsets()), 0 if cells is None else cells.size)
        has_marks = artist.get_marker() not in ("None", "none", "", " ", None)
        return len(artist.get_xdata()) if has_marks else 0

    drawn = FigureCanvasSVG.print_svg

    @wraps(drawn)  # print_figure looks at the names of the arguments
    def with_clouds(canvas, *args, **options):
        figure = canvas.figure
        artists = [*figure.findobj(Collection), *figure.findobj(Line2D)]
        marks = {artist: n_marks(artist) for artist in artists}
        if sum(marks.values()) > most:
            for artist, number in marks.items():
                artist.set_rasterized(artist.get_rasterized() or number > cloud)
        for image in figure.findobj(AxesImage):
            image.set_interpolation("none")
        return drawn(canvas, *args, **options)

    FigureCanvasSVG.print_svg = with_clouds


FIRST = f"""
{getsource(draw_clouds_as_pixels)}
draw_clouds_as_pixels({MANY}, {CLOUD})
del draw_clouds_as_pixels
"""


def pixels(cell):
    "The outputs of a cell that are figures made of pixels."
    return [
        output
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", {})
    ]


def figures(cell):
    "The outputs of a cell that are figures."
    return [
        output
        for output in cell.get("outputs", ())
        if {"image/png", "image/svg+xml"} & set(output.get("data", ()))
    ]


# coordinates; a scale keeps its digits, since letters are some hundredths as large as
# their outlines
PLACES = re.compile(r' (?:d|x|y|points)="[^"]*"|translate\([^)]*\)')
STEP = re.compile(r"([MLHVQCz])([^MLHVQCz]*)")
SIZE = dict(M=2, L=2, H=1, V=1, Q=4, C=6)  # numbers of a step by its letter
SHIFT = re.compile(r'(<use [^>]*) transform="translate\(([^ )]+) 0\)"')  # of a letter
GROUP = re.compile(r"(<g(?: [^>]*)?>|</g>)")


def two_digits(number):
    "A number to a hundredth, without zeros at its end."
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")


def steps(outline):
    "The steps of an outline, each a letter and its numbers."
    for letter, text in STEP.findall(outline):
        numbers = re.findall(r"-?[\d.]+", text)
        if letter == "z":
            yield letter, []
        for first in range(0, len(numbers), SIZE.get(letter, 1)):
            yield letter, numbers[first : first + SIZE[letter]]
            letter = "L" if letter == "M" else letter


def shorter(outline):
    """The same outline in fewer letters: a level or an upright line says one number,
    and steps of one kind say their letter once.
    """
    text, before = "", ""
    x, y = "", ""
    for letter, numbers in steps(outline):
        if letter == "L" and numbers[1] == y:
            letter, numbers = "H", numbers[:1]
        elif letter == "L" and numbers[0] == x:
            letter, numbers = "V", numbers[1:]
        # a place after M is the end of a line
        text += " " if letter == before != "M" else letter
        text += " ".join(numbers)
        before = letter
        if letter == "H":
            (x,) = numbers
        elif letter == "V":
            (y,) = numbers
        elif letter == "z":
            x, y = "", ""  # a line after it names both
        else:
            x, y = numbers[-2:]
    return text


def rounded(places):
    "Coordinates to a hundredth of a point, outlines in few letters."
    text = re.sub(r"\s*\n\s*", " ", places[0])
    text = re.sub(r"-?\d+\.\d+", two_digits, text)
    if text.startswith(' d="'):
        text = f' d="{shorter(text[4:-1])}"'
    return text


def ungrouped(vector):
    "The SVG without groups that say nothing."
    bare, kept = [], []
    for piece in GROUP.split(vector):
        if piece.startswith("<g"):
            bare.append(piece == "<g>")
            says_nothing = bare[-1]
        else:
            says_nothing = piece == "</g>" and bare.pop()
        if not says_nothing:
            kept.append(piece)
    return "".join(kept)


def smaller(image):
    "An image within, with a list of at most 256 colours."
    kind, _, text = re.sub(r"\s", "", image).partition(",")
    picture = Image.open(BytesIO(b64decode(text))).convert("RGBA")
    colours = picture.getcolors(256)
    options = dict(colors=256, method=Image.Quantize.FASTOCTREE)
    if colours and picture.getextrema()[3] == (255, 255):
        picture = picture.convert("RGB")  # so no colour changes
        options = dict(colors=len(colours))
    file = BytesIO()
    listed = picture.quantize(dither=Image.Dither.NONE, **options)
    listed.save(file, "PNG", optimize=True)
    return f"{kind},{b64encode(file.getvalue()).decode()}"


def compact(vector):
    """An SVG file on one line: no comments, no description, no names to which nothing
    refers, places to a hundredth of a point.
    """
    vector = vector[vector.index("<svg") :]
    vector = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", vector, flags=re.DOTALL)
    used = set(re.findall(r"[\"(]#([^\")]+)", vector))
    vector = re.sub(
        r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", vector
    )
    images = re.split(r"(data:[^\"]*)", ungrouped(vector))
    # every second piece is an image within
    images[::2] = [PLACES.sub(rounded, piece) for piece in images[::2]]
    images[1::2] = map(smaller, images[1::2])
    vector = SHIFT.sub(r'\1 x="\2"', "".join(images))
    return re.sub(r"\s*\n\s*", " ", vector).replace("> <", "><")


def redraw(file):
    "How many figures of a notebook became SVG, and how many did not."
    stored = nbformat.read(file, as_version=4)
    executed = nbformat.read(file, as_version=4)
    # what comes after the last figure has no say in it
    last = max(i for i, cell in enumerate(stored.cells) if figures(cell))
    executed.cells = [nbformat.v4.new_code_cell(FIRST), *executed.cells[: last + 1]]
    client = NotebookClient(
        executed,
        timeout=1800,
        kernel_name="python3",
        resources={"metadata": {"path": str(file.parent)}},
        extra_arguments=DRAWN,
    )
    client.execute()
    drawn, left = 0, 0
    for cell, again in zip(stored.cells, executed.cells[1:]):
        before, after = figures(cell), figures(again)
        for output, new in zip(before, after):
            vector = compact(new.data.get("image/svg+xml", "<svg"))
            if "</svg>" not in vector or len(vector) > LARGEST:
                print(f"  {cell.id}: {len(vector):,} bytes as SVG")
                left += 1
                continue
            output.data = {**new.data, "image/svg+xml": vector}
            drawn += 1
        left += abs(len(before) - len(after))
    nbformat.write(stored, file)
    return drawn, left


def with_pixels():
    "The notebooks that have figures made of pixels."
    for file in sorted(NOTEBOOKS.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in file.parts:
            continue
        if any(map(pixels, nbformat.read(file, as_version=4).cells)):
            yield file


if __name__ == "__main__":
    files = [Path(name).resolve() for name in sys.argv[1:]]
    for file in files or with_pixels():
        drawn, left = redraw(file)
        print(f"{file.name}: {drawn} as SVG, {left} left", flush=True)
