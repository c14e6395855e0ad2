"""The protocols of single result pages.

Each page's functions lie beside it, in `nbs/results/protocols` of a clone, or in
`notebooks/protocols` of an installed package. They can be imported from here, whatever
the working folder is: `from kmodes_study.study.protocols.contest import run_contest`.
"""

from pathlib import Path

__all__ = []


def notebooks_folder() -> Path:
    "The folder of the result notebooks: that of the clone, else of the package."
    package = Path(__file__).resolve().parent.parent
    places = package.parent / "nbs" / "results", package / "notebooks"
    for folder in places:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(
        f"no result notebooks in {places[0]} nor in {places[1]}: install the package "
        "anew"
    )


# a module with a path is a package: its modules are found there
__path__ = [str(notebooks_folder() / "protocols")]
