"What `kmodes-study reproduce` does: rerun result notebooks, file results, report."

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

from ..core.checks import extra
from ..core.saved import write_whole
from ..study.parameters import parameters_of, seed_range, settings_of, with_settings
from ..study.protocols import notebooks_folder

__all__ = []


def _notebook(text):
    "The path of a notebook, and the name of its results, from a path or a name."
    own = {path.stem: path for path in sorted(notebooks_folder().glob("*.ipynb"))}
    path = Path(text).expanduser()
    if not path.exists() and text in own:
        return own[text], text
    if path.suffix != ".ipynb" or not path.is_file():
        raise ValueError(
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
    numbers = zip(("n_seeds", "first_seed"), seed_range(seeds))
    needed = [key for key, value in numbers if value is not None]
    asked = {}
    for path, name in map(_notebook, notebooks):
        if name in asked and asked[name][0] != path:
            raise ValueError(f"two notebooks are called {name}: rename one")
        book = nbformat.read(path, as_version=4)
        known = parameters_of(book)
        settings = settings_of(name, known, parameters, seeds, only_tables)
        if absent := [key for key in needed if key not in known]:
            print(f"{name} has no {' and no '.join(absent)} to set", file=sys.stderr)
        with_settings(book, settings)
        asked[name] = path, name, book, settings
    return list(asked.values())


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
    with extra("study"):
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
        texts = {key: repr(value) for key, value in values.items()}
        seconds = time.perf_counter() - began
        note = provenance(seconds=seconds, notebook=path, parameters=texts, **note)
        named = [name] if len(made) == 1 else [f"{name}.{each.name}" for each in made]
        for folder, its_name in zip(made, named):
            write_whole(folder / "run.json", json.dumps(note, indent=1))
            place = output / "results" / its_name
            place.parent.mkdir(exist_ok=True)
            shutil.rmtree(place, ignore_errors=True)
            shutil.move(folder, place)
    return named, ""


def _run_all(asked, output, environment, jobs, note):
    "Execute notebooks, two at once where there are threads for two; as `_run`, by name."
    from ..core.jit import count_threads

    n_threads = count_threads(jobs or -1)
    at_once = min(2, len(asked), n_threads)
    if jobs or at_once > 1:
        share = str(n_threads // at_once)
        threads = os.environ.get("OMP_NUM_THREADS", share)
        environment = environment | dict(
            KMODES_STUDY_JOBS=share, OMP_NUM_THREADS=threads
        )
    kernels = _Kernels()
    with ThreadPoolExecutor(at_once) as pool:
        futures = {
            one[1]: pool.submit(_run, kernels, one, output, environment, **note)
            for one in asked
        }
        try:
            left = futures.values()
            while left:  # an interrupt is heard between two waits
                left = wait(left, 1, FIRST_EXCEPTION).not_done
        except BaseException:
            kernels.stop()
            while wait(futures.values(), 0.5).not_done:  # a kernel may just be starting
                kernels.stop()
            raise
    return {name: future.result() for name, future in futures.items()}


def _renew(asked, output, errors):
    "Put the rows that were made anew in the place of those that are kept."
    for path, name, *_ in asked:
        files = (output / "results" / name).glob("kept/*")
        files = [file for file in files if (path.parent / file.name).exists()]
        if name not in errors and not files:
            errors[name] = "nothing renewed: it keeps no rows, or makes none anew"
        for file in [] if name in errors else files:
            write_whole(path.parent / file.name, file.read_bytes())
            print(f"renewed    {path.parent / file.name}")


def _conclude(output, made, errors, began):
    "Write the report, and say how the results of these names went; the exit status."
    from ..study import report

    page = report.write_report(output)
    everything = report.read_records(output)
    total = report.summary([one for one in everything if one["name"] in made])
    exact, other = (
        report.counts_in_words(total[kind]) or "nothing"
        for kind in ("must_be_exact", "statistical")
    )
    lines = [
        "",
        f"must be exact          {exact}",
        f"compared otherwise     {other}",
        *(f"DIFFERS    {one}" for one in total["reasons"]),
        *(f"FEWER RUNS {one}: {report.QUICK_LOOK}" for one in total["fewer_runs"]),
        *(
            f"NOT EXACT  {item['notebook']}, {item['name']}: {item['failed']}"
            for item in total["failures"]
        ),
        *(f"STOPPED    {name}: {error}" for name, error in errors.items()),
        "",
        f"report     {page}",
        f"figures and CSV files in {output / 'results'}, executed notebooks in "
        f"{output / 'notebooks'}",
        f"time       {time.perf_counter() - began:.0f} s",
        "",
        report.conclusion(total),
    ]
    if waits := report.what_waits(total):
        lines.append(waits)
    if others := [one["name"] for one in everything if one["name"] not in made]:
        lines.append(
            f"\nThe report also has what was in this folder before: {', '.join(others)}. "
            f"With that: {report.conclusion(report.summary(everything))}"
        )
    print("\n".join(lines))
    return int(bool(errors or total["failures"]))


def reproduce(
    notebooks, parameters, seeds, only_table, renew, jobs, offline, output, data_home
):
    "Rerun notebooks and write a report; the exit status."
    began = time.perf_counter()
    if renew and (not notebooks or parameters or seeds or only_table):
        raise ValueError(
            "--renew takes names of notebooks, and no -p, --seeds or --only-table: the "
            "rows that are kept are those of a notebook as it stands"
        )
    asked = _asked(notebooks, parameters, seeds, only_table)
    output = output.resolve()
    texts = [f"seeds-{seeds}"] if seeds else []
    texts += [f"tables-{'-'.join(only_table)}"] if only_table else []
    # what is set has a folder of its own
    place = output / re.sub(r"[^\w.-]+", "-", "_".join([*texts, *parameters]))[:120]
    place.mkdir(parents=True, exist_ok=True)
    n_seeds, first_seed = seed_range(seeds)
    values = dict(
        SEEDS=n_seeds,
        FIRST_SEED=first_seed,
        DATA=data_home and data_home.resolve(),
        STORE=output / "runs.sqlite",
        RECOMPUTE=int(renew) or None,
        OFFLINE=int(offline) or None,
        PROGRESS=0,
    )
    told = {key: str(value) for key, value in values.items() if value is not None}
    environment = {f"KMODES_STUDY_{key}": value for key, value in told.items()}
    note = dict(command=shlex.join(["kmodes-study", *sys.argv[1:]]), seeds=seeds)
    ended = _run_all(asked, place, environment, jobs, note)
    errors = {name: error for name, (_, error) in ended.items() if error}
    if renew:
        _renew(asked, place, errors)
    made = [name for named, _ in ended.values() for name in named]
    return _conclude(place, made, errors, began)
