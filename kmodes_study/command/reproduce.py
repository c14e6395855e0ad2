"What `kmodes-study reproduce` does: rerun result notebooks, file results, report."

import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from ..core.checks import extra
from ..core.saved import write_whole
from ..study.parameters import parameters_of, settings_of, with_settings
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
    name = re.sub(r"[^\w.-]+", "_", path.stem)
    is_copy = name in own and path != own[name].resolve()
    return path, f"{name}-copy" if is_copy else name


def _asked(notebooks, parameters, seeds, only_tables):
    "The path, the name, the content and the settings of each notebook that is asked for."
    with extra("study"):
        import nbformat
    if not notebooks:
        notebooks = [path.stem for path in sorted(notebooks_folder().glob("*.ipynb"))]
    asked = {}
    for path, name in map(_notebook, notebooks):
        if name in asked and asked[name][0] != path:
            raise ValueError(f"two notebooks are called {name}: rename one")
        book = nbformat.read(path, as_version=4)
        settings = settings_of(
            name, parameters_of(book), parameters, seeds, only_tables
        )
        with_settings(book, settings)
        asked[name] = path, name, book, settings
    return list(asked.values())


def _executed(book, name, folder, environment, running):
    "Execute a notebook in a kernel of its own; the last line of the error that stopped it."
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
    running.add(client)
    try:
        client.execute(env=environment)
    except Exception as error:  # of a cell, or of a kernel that died
        text = str(error).strip() or type(error).__name__
        return re.sub(r"\x1b\[[0-9;]*m", "", text.splitlines()[-1])
    finally:
        running.discard(client)
        bar.close()
    return ""


def _run(running, one, output, environment, note):
    "Execute a notebook and file its results; what stopped it, or nothing."
    with extra("study"):
        import nbformat

    from ..study.report import provenance

    path, name, book, settings = one
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as work:
        own = environment | dict(KMODES_STUDY_OUTPUT=work)
        error = _executed(book, name, path.parent, own, running)
        executed = output / "notebooks" / f"{name}.ipynb"
        executed.parent.mkdir(parents=True, exist_ok=True)
        write_whole(executed, nbformat.writes(book))
        made = sorted(file.parent for file in Path(work).glob("results/*/record.json"))
        if error:
            return f"{error} ({executed} shows where; earlier results stay)"
        if len(made) != 1:
            return f"it has recorded {len(made)} kmodes_study.study.report.Results"
        values = parameters_of(book, own) | settings
        texts = {key: repr(value) for key, value in values.items()}
        seconds = time.perf_counter() - began
        note = provenance(seconds=seconds, notebook=path, parameters=texts, **note)
        write_whole(made[0] / "run.json", json.dumps(note, indent=1))
        place = output / "results" / name
        place.parent.mkdir(exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        shutil.move(made[0], place)
    return ""


_SHARED = "KMODES_STUDY_JOBS", "OMP_NUM_THREADS"


def _run_all(asked, output, environment, note):
    "Execute notebooks, two at once where there are threads for two; as `_run`, by name."
    from ..core.jit import count_threads

    n_threads = count_threads(-1)
    at_once = min(2, len(asked), n_threads)
    share = dict.fromkeys(_SHARED, str(n_threads // at_once))
    environment = share | os.environ | environment
    running = set()
    with ThreadPoolExecutor(at_once) as pool:
        run = partial(_run, running, output=output, environment=environment, note=note)
        futures = {one[1]: pool.submit(run, one) for one in asked}
        try:
            return {name: future.result() for name, future in futures.items()}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            while running:  # a kernel may just be starting
                for client in list(running):
                    provisioner = getattr(client.km, "provisioner", None)
                    if getattr(provisioner, "process", None):
                        provisioner.process.kill()
                time.sleep(0.5)
            raise


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


def _conclude(output, made, errors):
    "Write the report, and say how the results of these names went; the exit status."
    from ..study import report

    page = report.write_report(output)
    records = [one for one in report.read_records(output) if one["name"] in made]
    total = report.summary(records)
    lines = [
        "",
        *(f"DIFFERS    {one}" for one in total["reasons"]),
        *(f"FEWER RUNS {one}: {report.QUICK_LOOK}" for one in total["fewer_runs"]),
        *(
            f"NOT EXACT  {item['notebook']}, {item['name']}: {item['failed']}"
            for item in total["failures"]
        ),
        *(f"STOPPED    {name}: {error}" for name, error in errors.items()),
        f"report     {page}, with figures and tables in results, executed notebooks in "
        "notebooks",
        "",
        report.conclusion(total),
        report.what_waits(total),
    ]
    print("\n".join(lines).rstrip())
    return int(bool(errors or total["failures"]))


def reproduce(notebooks, parameters, seeds, only_table, renew, output):
    "Rerun notebooks and write a report; the exit status."
    if renew and (not notebooks or parameters or seeds or only_table):
        raise ValueError(
            "--renew takes names of notebooks, and no -p, --seeds or --only-table: the "
            "rows that are kept are those of a notebook as it stands"
        )
    parameters = ["recompute=True"] if renew else parameters
    asked = _asked(notebooks, parameters, seeds, only_table)
    output = output.resolve()
    texts = [f"seeds-{seeds}"] if seeds else []
    texts += [f"tables-{'-'.join(only_table)}"] if only_table else []
    # what is set has a folder of its own
    place = output / re.sub(r"[^\w.-]+", "-", "_".join([*texts, *parameters]))[:120]
    place.mkdir(parents=True, exist_ok=True)
    environment = dict(KMODES_STUDY_STORE=str(output / "runs.sqlite"))
    environment["KMODES_STUDY_PROGRESS"] = "0"
    note = dict(command=shlex.join(["kmodes-study", *sys.argv[1:]]), seeds=seeds)
    ended = _run_all(asked, place, environment, note)
    errors = {name: error for name, error in ended.items() if error}
    if renew:
        _renew(asked, place, errors)
    return _conclude(place, ended.keys() - errors.keys(), errors)
