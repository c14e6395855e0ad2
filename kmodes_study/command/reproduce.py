"`kmodes-study reproduce` reruns result notebooks and reports; `runs` shows kept rows."

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path

import click

from ..core.checks import extra
from ..core.saved import write_whole
from ..study.parameters import parameters_of, seed_range, settings_of, with_settings
from ..study.protocols import notebooks_folder


def _notebook(text):
    "The path of a notebook, and the name of its results, from a path or a name."
    own = {path.stem: path for path in sorted(notebooks_folder().glob("*.ipynb"))}
    path = Path(text).expanduser()
    if not path.exists() and text in own:
        return own[text], text
    if path.suffix != ".ipynb" or not path.is_file():
        raise click.UsageError(
            f"{text}: there is no such notebook; give the path of a file .ipynb, or one "
            f"of {', '.join(own)}"
        )
    path = path.resolve()
    name = re.sub(r"[^\w.-]+", "_", path.stem).lstrip(".") or "notebook"
    is_copy = name in own and path != own[name].resolve()
    return path, f"{name}-copy" if is_copy else name


def _asked(notebooks, parameters, seeds, only_tables):
    "The path, the name, the content and the settings of each notebook that is asked for."
    with extra("study"):
        import nbformat
    if not notebooks:
        notebooks = [path.stem for path in sorted(notebooks_folder().glob("*.ipynb"))]
    n_seeds, first_seed = seed_range(seeds)
    needed = [] if n_seeds is None else ["n_seeds"]
    needed += [] if first_seed is None else ["first_seed"]
    asked = {}
    for text in notebooks:
        path, name = _notebook(text)
        if name in asked and asked[name][0] != path:
            raise click.UsageError(f"two notebooks are called {name}: rename one")
        book = nbformat.read(path, as_version=4)
        known = parameters_of(book)
        settings = settings_of(name, known, parameters, seeds, only_tables)
        if absent := [each for each in needed if each not in known]:
            click.echo(f"{name} has no {' and no '.join(absent)} to set", err=True)
        with_settings(book, settings)
        asked[name] = path, name, book, settings
    return list(asked.values())


def _folder_of(settings):
    "What is set, as the name of a folder; empty where nothing is."
    texts = [f"{name}-{value}".replace(":", "-") for name, value in settings]
    return re.sub(r"[^\w.-]+", "-", "_".join(texts)).strip("-")[:120]


class _Kernels:
    "Executes notebooks in kernels of their own, which can be stopped all at once."

    def __init__(self):
        self.running = set()
        self.stopped = False

    def execute(self, book, name, folder, environment):
        "Execute a notebook in a folder; the last line of the error that stopped it."
        with extra("study"):
            from nbclient import NotebookClient
            from tqdm import tqdm
        n_code = sum(cell.cell_type == "code" for cell in book.cells)
        bar = tqdm(total=n_code, unit="cell", desc=name, mininterval=1)
        client = NotebookClient(
            book,
            timeout=None,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            shutdown_kernel="immediate",
            resources=dict(metadata=dict(path=str(folder))),
            on_cell_executed=lambda **_: bar.update(),
        )
        self.running.add(client)
        try:
            client.execute(env=os.environ | environment)
        except Exception as error:  # of a cell, or of a kernel that died
            text = str(error).strip() or type(error).__name__
            return re.sub(r"\x1b\[[0-9;]*m", "", text.splitlines()[-1])
        finally:
            self.running.discard(client)
            bar.close()
        return ""

    def stop(self):
        "Kill what runs; nothing new begins."
        self.stopped = True
        for client in list(self.running):
            provisioner = getattr(client.km, "provisioner", None)
            if getattr(provisioner, "process", None):
                provisioner.process.kill()


def _run(kernels, one, output, environment, **note):
    "Execute a notebook and file its results; their names, and what stopped it."
    import nbformat

    from ..study.report import provenance

    path, name, book, settings = one
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        own = environment | dict(KMODES_STUDY_OUTPUT=work)
        error = kernels.stopped or kernels.execute(book, name, path.parent, own)
        if kernels.stopped:
            return [], "interrupted"
        executed = output / "notebooks" / f"{name}.ipynb"
        executed.parent.mkdir(parents=True, exist_ok=True)
        write_whole(executed, nbformat.writes(book))
        made = sorted(file.parent for file in Path(work).glob("results/*/record.json"))
        if error:
            return [], f"{error} ({executed} shows where; earlier results stay)"
        if not made:
            return [], "it has recorded nothing: kmodes_study.study.report.Results does"
        values = parameters_of(book, own) | settings
        note |= dict(notebook=path, seconds=time.perf_counter() - began)
        note = provenance(**note, parameters={n: repr(v) for n, v in values.items()})
        names = [name] if len(made) == 1 else [f"{name}.{each.name}" for each in made]
        for folder, its_name in zip(made, names):
            write_whole(folder / "run.json", json.dumps(note, indent=1))
            place = output / "results" / its_name
            place.parent.mkdir(exist_ok=True)
            shutil.rmtree(place, ignore_errors=True)
            shutil.move(folder, place)
    return names, ""


def _run_all(asked, output, environment, jobs, note):
    "Execute notebooks, two at once where there are threads for two; as `_run`, by name."
    from ..core.jit import count_threads

    n_threads = count_threads(jobs or -1)
    at_once = min(2, len(asked), n_threads)
    if jobs or at_once > 1:
        share = str(n_threads // at_once)
        environment = environment | dict(KMODES_STUDY_JOBS=share)
        environment.setdefault(
            "OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS", share)
        )
    kernels = _Kernels()
    with ThreadPoolExecutor(at_once) as pool:
        futures = {
            one[1]: pool.submit(_run, kernels, one, output, environment, **note)
            for one in reversed(asked)
        }
        try:
            left = set(futures.values())
            while left:  # an interrupt is heard between two waits
                done, left = wait(left, 1, FIRST_EXCEPTION)
                for future in done:
                    future.result()
        except BaseException:
            kernels.stop()
            while wait(futures.values(), 0.5).not_done:  # a kernel may just be starting
                kernels.stop()
            raise
    return {one[1]: futures[one[1]].result() for one in asked}


def _renew(asked, output, errors):
    "Put the rows that were made anew in the place of those that are kept."
    for path, name, *_ in asked:
        files = (output / "results" / name).glob("kept/*")
        files = [file for file in files if (path.parent / file.name).exists()]
        if name not in errors and not files:
            errors[name] = "nothing renewed: it keeps no rows, or makes none anew"
        for file in [] if name in errors else files:
            write_whole(path.parent / file.name, file.read_bytes())
            click.echo(f"renewed    {path.parent / file.name}")


def _conclude(output, made, errors, began):
    "Write the report, and say how the results of these names went; the exit status."
    from ..study.report import conclusion, counts_in_words, what_waits, write_report
    from ..study.report import read_records, summary

    report = write_report(output)
    everything = read_records(output)
    records = [record for record in everything if record["name"] in made]
    total = summary(records)
    exact = counts_in_words(total["must_be_exact"]) or "nothing"
    other = counts_in_words(total["statistical"]) or "nothing"
    lines = [f"must be exact          {exact}", f"compared otherwise     {other}"]
    reasons = {}
    for record in records:
        for item in record["items"]:
            for reason, number in item.get("reasons", {}).items():
                key = record["name"], reason
                reasons[key] = reasons.get(key, 0) + number
    for (name, reason), number in reasons.items():
        lines.append(f"DIFFERS    {name}: {number} of the cells ({reason})")
    for fewer in total["fewer_runs"]:
        lines.append(
            f"FEWER RUNS {fewer}: a quick look: no cell must be exact, and what only all "
            "runs can show is not judged"
        )
    for item in total["failures"]:
        lines.append(f"NOT EXACT  {item['notebook']}, {item['name']}: {item['failed']}")
    lines += [f"STOPPED    {name}: {error}" for name, error in errors.items()]
    lines += [
        f"\nreport     {report}",
        f"figures and CSV files in {output / 'results'}, executed notebooks in "
        f"{output / 'notebooks'}",
        f"time       {time.perf_counter() - began:.0f} s\n",
        conclusion(total),
    ]
    if waits := what_waits(total):
        lines.append(
            f"{waits}: `kmodes-study data fetch` fetches what is missing, and the next "
            "run uses each file that came."
        )
    if others := [each["name"] for each in everything if each["name"] not in made]:
        lines.append(
            f"\nThe report also has what was in this folder before: {', '.join(others)}. "
            f"With that: {conclusion(summary(everything))}"
        )
    click.echo("\n".join(["", *lines]))
    return int(bool(errors or total["failures"]))


@click.command()
@click.argument("notebooks", nargs=-1)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a parameter of the notebooks, as in -p n_seeds=50.",
)
@click.option(
    "--seeds",
    metavar="N|A:B",
    help="Runs for each cell, or the seeds A to B - 1; fewer runs than published are a "
    "quick look.",
)
@click.option(
    "--only-table",
    multiple=True,
    metavar="TABLE",
    help="Compute this table only, such as 3 (where the notebook allows it).",
)
@click.option(
    "--renew", is_flag=True, help="Make the rows anew that are kept beside notebooks."
)
@click.option(
    "--jobs", type=click.IntRange(1), help="Threads; one a processor if unsaid."
)
@click.option(
    "--offline",
    is_flag=True,
    help="Download nothing; what lacks its file is listed as waiting.",
)
@click.option(
    "--output",
    default="build",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    show_default=True,
    help="Where report, tables and notebooks go; what is set has a folder in it, such "
    "as DIR/seeds-50.",
)
@click.option(
    "--data-home",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the raw files; $KMODES_STUDY_DATA, then the cache, if unsaid.",
)
def reproduce(
    notebooks, parameters, seeds, only_table, renew, jobs, offline, output, data_home
):
    """Rerun published tables and write a report.

    NOTEBOOKS are paths, such as a changed copy, or names of result notebooks, such as
    wilde2020; all result notebooks if unsaid. The exit status is 1 when a notebook
    stopped, or a cell that must be exact is not.
    """
    began = time.perf_counter()
    if renew and (not notebooks or parameters or seeds or only_table):
        raise click.UsageError(
            "--renew takes names of notebooks, and no -p, --seeds or --only-table: the "
            "rows that are kept are those of a notebook as it stands"
        )
    try:
        asked = _asked(notebooks, parameters, seeds, only_table)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    settings = [("seeds", seeds)] if seeds else []
    settings += [("tables", "-".join(only_table))] if only_table else []
    settings += [text.partition("=")[::2] for text in parameters]
    output = output.resolve()
    place = output / _folder_of(settings)
    place.mkdir(parents=True, exist_ok=True)
    n_seeds, first_seed = seed_range(seeds)
    values = dict(
        SEEDS=n_seeds,
        FIRST_SEED=first_seed,
        DATA=None if data_home is None else data_home.resolve(),
        STORE=output / "runs.sqlite",
        RECOMPUTE=1 if renew else None,
        OFFLINE=1 if offline else None,
        PROGRESS=0,
    )
    environment = {
        f"KMODES_STUDY_{name}": str(value)
        for name, value in values.items()
        if value is not None
    }
    note = dict(command=shlex.join(["kmodes-study", *sys.argv[1:]]), seeds=seeds)
    ended = _run_all(asked, place, environment, jobs, note)
    errors = {name: error for name, (_, error) in ended.items() if error}
    if renew:
        _renew(asked, place, errors)
    made = [name for names, _ in ended.values() for name in names]
    click.get_current_context().exit(_conclude(place, made, errors, began))


# ----------------------------------------------------------------------------- kept rows


@click.group()
def runs():
    "Look after the rows that experiments have kept."


_STORE = click.option(
    "--store",
    metavar="FILE",
    help="The file; if unsaid the one of experiments without store=: "
    "$KMODES_STUDY_STORE, or kmodes_study/runs.sqlite in the user's folder for data.",
)
_WHERE = click.option(
    "--where",
    multiple=True,
    metavar="NAME=VALUE",
    help="Only rows with this value.",
    callback=lambda context, option, texts: dict(t.partition("=")[::2] for t in texts),
)


@runs.command("list")
@_STORE
@_WHERE
def list_kept(store, where):
    "Show what is kept: a line for each table and method."
    from ..study.store import list_rows

    frame = list_rows(store, **where)
    click.echo(frame.to_string(index=False) if len(frame) else "no rows")


@runs.command("export")
@click.argument("file")
@_STORE
@_WHERE
def export_kept(file, store, where):
    "Write rows into a CSV file."
    from ..study.store import export_rows

    click.echo(f"{export_rows(file, store, **where)} rows written to {file}")
