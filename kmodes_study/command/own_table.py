"""What the commands for one's own table do: read, plan, fit, describe, write."""

import io
import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..cluster.profiles import category_profiles
from ..core.extras import extra
from ..core.stored import write_whole
from ..describe.auto import TableClusters, TablePlan, fit_plan, plan_table, scan_plan
from ..describe.kinds_of_columns import as_numbers, is_gap, kind_of_column
from ..describe.plots import name_text, picture_texts, short_texts
from ..measures import adjusted_rand_score
from .reading import as_list, read_own_table, refuse_unknown_columns

__all__ = []


def cluster(
    table,
    *,
    columns,
    drop,
    weight,
    numeric,
    ordinal,
    categorical,
    missing,
    diagnosis,
    n_clusters,
    algorithm,
    init,
    n_init,
    seed,
    names,
    min_share,
    output,
    save,
    profiles,
    tables,
    report,
    **reading,
):
    "Cluster the rows of a table."
    refuse_overwriting([table], output, save, profiles, tables, report)
    weighing = as_list(weight)
    reading |= dict(columns=[*columns, *weighing] if columns else None, drop=drop)
    needed = [*numeric, *ordinal, *categorical, *weighing]
    cells, ids, classes = read_own_table(table, needed=needed, **reading)
    if output and "cluster" in ids:
        raise ValueError("the clusters are written as cluster: --id-column is another")
    cells, weights = _split_off_weights(cells, weight)
    planned = dict(
        numeric=numeric,
        ordinal=ordinal,
        categorical=categorical,
        missing=missing,
        look=diagnosis,
    )
    plan = plan_table(cells, list(cells) if columns else None, **planned)
    _warn_of(plan.findings)
    fitted = dict(algorithm=algorithm, init=init, n_init=n_init, random_state=seed)
    told = dict(names=names or None, min_share=min_share)
    found = fit_plan(plan, n_clusters, sample_weight=weights, **fitted, **told)
    lines = [decision.told(option_text) for decision in found.decisions]
    if plan.of_kind("identifier") and not reading["id_column"]:
        name = option_text("id_column", plan.of_kind("identifier")[0])
        lines.append(f"rows: numbered from 1; else {name}")
    if classes is not None:
        score = adjusted_rand_score(classes, found.labels)
        lines.append(
            "agreement with the known classes, which took no part: adjusted Rand index "
            f"{score:.2f} (1 is the same, 0 is chance)"
        )
    files = _described(found, profiles, tables)
    if output:
        labels = ids.reset_index(drop=True).assign(cluster=found.named_labels)
        files[output] = table_content(output, labels)
    if report:
        files[report] = found.page(
            title=_title(table),
            decisions=lines,
            command=_command_line(),
            seed=seed,
            python=_python(table, reading, n_clusters, planned | fitted | told, weight),
        )
    if save:
        found.model.save(save)
    write(files, [*lines, found.summary, found.words])
    made = dict(labels=output, profiles=profiles, model=save, page=report)
    made["tables of categories"] = tables
    made = [
        f"{what} in {path}" for what, path in made.items() if path not in (None, "-")
    ]
    say(
        f"written: {', '.join(made)}"
        if made
        else "no file was written: -o labels.csv, --report page.html and --save "
        "model.json write them",
        to_error="-" in files,
    )


def choose(
    table,
    *,
    columns,
    drop,
    numeric,
    ordinal,
    categorical,
    missing,
    diagnosis,
    most,
    resamples,
    rows,
    algorithm,
    seed,
    output,
    picture,
    report,
    **reading,
):
    "Try several numbers of clusters."
    refuse_overwriting([table], output, picture, report)
    cells = read_own_table(
        table,
        columns or None,
        drop=drop,
        needed=[*numeric, *ordinal, *categorical],
        **reading,
    ).cells
    plan = plan_table(
        cells,
        list(cells) if columns else None,
        numeric=numeric,
        ordinal=ordinal,
        categorical=categorical,
        missing=missing,
        look=diagnosis,
    )
    _warn_of(plan.findings)
    scan = scan_plan(
        plan,
        most,
        algorithm=algorithm,
        n_resamples=resamples,
        max_rows=rows,
        random_state=seed,
    )
    from ..describe.page import scan_page, shown_criteria, votes

    lines = [decision.told(option_text) for decision in plan.decisions]
    clusterer = "k-prototypes" if plan.numbers or plan.steps else "k-modes"
    clusterer = clusterer if algorithm == "auto" else "latent classes"
    lines.append(f"each number of clusters is tried by {clusterer}")
    if plan.filled.sum() > rows:
        lines.append(f"{rows:,} of the {plan.filled.sum():,} rows, drawn at random")
    shown = scan.table[shown_criteria(scan)].round(3).to_string(index=False, na_rep="")
    chosen = [f"  {vote}" for vote in votes(scan)]
    files = {output: table_content(output, scan.table)} if output else {}
    if picture:
        files[picture] = _picture_of_scan(scan, table, Path(picture).suffix[1:])
    if report:
        files[report] = scan_page(
            scan,
            plan,
            title=_title(table),
            decisions=lines,
            command=_command_line(),
            seed=seed,
        )
    write(files, [*lines, shown, "", "chosen, most often first:", *chosen])


def profile(
    table,
    *,
    columns,
    drop,
    by,
    labels,
    names,
    min_share,
    profiles,
    tables,
    report,
    **reading,
):
    "Describe the groups of a table."
    refuse_overwriting([table, labels], profiles, tables, report)
    groups = as_list(by)
    cells = read_own_table(
        table,
        list(dict.fromkeys([*columns, *groups])) if columns else None,
        drop=drop,
        needed=groups,
        **reading,
    ).cells
    if by is not None:
        refuse_unknown_columns(groups, cells)
        given, cells = cells[by], cells.drop(columns=by)
    else:
        given = _read_labels(labels)
    if len(given) != len(cells):
        raise ValueError(f"{len(given)} labels for the {len(cells)} rows of {table}")
    if not cells.shape[1]:
        raise ValueError("no column is left to describe the groups by")
    given = given.astype(object).where(given.notna(), "missing").to_numpy()
    plan = TablePlan(cells, [], "category", [], None)
    found = TableClusters(plan, given, names=names or None, min_share=min_share)
    files = _described(found, profiles, tables)
    if report:
        files[report] = found.page(title=_title(table), command=_command_line())
    write(files, [found.summary, found.words])


def predict(model, table, *, unknown, output, names, **reading):
    "Label new rows with a model that was saved."
    refuse_overwriting([model, table], output)
    fitted = _loaded(model)
    columns = getattr(fitted, "feature_names_in_", None)
    asked = None if columns is None else list(columns)
    cells, ids, _ = read_own_table(table, asked, **reading)
    if unknown == "ignore":
        fitted.handle_unknown = fitted.encoder_.handle_unknown = "ignore"
    if columns is None:
        cells = cells.to_numpy(object)
    else:
        cells = _as_the_model_reads(fitted, cells)
    labels = fitted.predict(cells)
    if names:
        if len(names) != fitted.n_clusters:
            raise ValueError(f"--names must be {fitted.n_clusters}, got {len(names)}")
        labels = [names[label] for label in labels]
    labels = ids.reset_index(drop=True).assign(cluster=labels)
    write({output: table_content(output, labels)}, [])


def _split_off_weights(cells, weight):
    "The cells without the column of the weights, and the weights or None."
    if weight is None:
        return cells, None
    refuse_unknown_columns([weight], cells)
    try:
        weights = as_numbers(weight, cells[weight])
    except ValueError as error:
        raise ValueError(f"--weight {weight}: {error}") from error
    if not (weights >= 0).all() or not weights.any():
        raise ValueError(f"--weight {weight}: weights are numbers from 0, without gaps")
    return cells.drop(columns=weight), weights


def _read_labels(path):
    "The last column of a file of labels; its first line is a name."
    is_named = Path(path).suffix.lower() in (".parquet", ".pq")
    lines = read_own_table(path, header=is_named).cells.iloc[:, -1]
    return lines if is_named else lines[1:].reset_index(drop=True)


def _loaded(path):
    "The model in a file, of whatever class."
    from ..cluster.estimator import KModes
    from ..core.model_files import kind_of_model
    from ..family import FuzzyKModes, KPrototypes, LatentClasses

    others = {kind.__name__: kind for kind in (FuzzyKModes, KPrototypes, LatentClasses)}
    return others.get(kind_of_model(path), KModes).load(path)


def _as_the_model_reads(model, cells):
    "The cells of new rows, read as the model has learnt its columns."
    categorical = getattr(model, "is_categorical_", [True] * cells.shape[1])
    known = iter(getattr(model.encoder_, "categories_", ()))
    read = cells.copy()
    for name, is_category in zip(cells.columns, categorical):
        column = cells[name]
        words = set(map(str, next(known, ()))) if is_category else set()
        if not is_category:
            read[name] = as_numbers(name, column, kind_of_column(name, column).gaps)
        elif model.missing == "ignore":
            is_word = [is_gap(value) and str(value) not in words for value in column]
            read[name] = column.mask(is_word)
    return read


_MENDED_BY = dict(
    identifier="it tells rows apart and not clusters (--drop)",
    constant="it tells nothing (--drop)",
    empty="it tells nothing (--drop)",
    placeholder="make it missing (--na)",
    blanks="take them away in the file",
    types="write them in one way in the file",
    capitals="write them in one way in the file",
)


def _warn_of(findings):
    "Print what may spoil the clusters, a line for each kind of finding."
    for what, rows in findings.groupby("finding", sort=False):
        if what in _MENDED_BY:
            names = ", ".join(map(name_text, rows.column[:3]))
            more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
            print(
                f"kmodes-study: warning: {names}{more}: {what}, "
                f"{rows.example.iloc[0]}: {_MENDED_BY[what]}",
                file=sys.stderr,
            )


def option_text(name, value):
    "An argument of Python as an option of the command."
    option = "-k" if name == "n_clusters" else f"--{name.replace('_', '-')}"
    words = value if isinstance(value, list) else [value]
    if any(str(word).startswith("-") for word in words):
        return " ".join(shlex.quote(f"{option}={word}") for word in words)
    return f"{option} {shlex.join(map(str, words))}"


def _described(found, profiles, tables):
    "The files of the profiles, and of how common each category is in each cluster."
    files = {}
    if profiles:
        files[profiles] = table_content(profiles, found.profiles)
    if tables:
        frame = category_profiles(found.cells, found.clusters, found.weights)
        place = pd.factorize(frame.attribute)[0]
        frame = frame.assign(place=place)
        order = ["place", "count"]
        parts = {
            f"cluster {name}": part.sort_values(
                order, ascending=[True, False], kind="stable"
            )
            for name, part in frame.groupby("cluster", sort=False)
        }
        parts = {name: part.drop(columns="place") for name, part in parts.items()}
        files[tables] = table_content(tables, parts)
    return files


def table_content(path, frame):
    "A table as CSV, TSV or a workbook, as its name says; of several, a sheet for each."
    frames = frame if isinstance(frame, dict) else {"table": frame}
    ending = Path(path).suffix.lower()
    if ending == ".xlsx":
        with extra("excel"):
            import openpyxl  # noqa: F401
        content = io.BytesIO()
        with pd.ExcelWriter(content, engine="openpyxl") as book:
            for number, (name, part) in enumerate(frames.items()):
                title = re.sub(r"[\[\]:*?/\\]", " ", name)
                if len({one[:31].lower() for one in frames}) < len(frames):
                    title = f"{number} {title}"
                part.to_excel(book, sheet_name=title[:31], index=False)
        return content.getvalue()
    separator = "\t" if ending == ".tsv" else ","
    whole = pd.concat(list(frames.values()), ignore_index=True)
    return whole.to_csv(index=False, sep=separator, lineterminator="\n")


def refuse_overwriting(sources, *outputs):
    "ValueError where a file would take the place of another one of the command."
    taken = {Path(path).resolve() for path in sources if path not in (None, "-")}
    for path in outputs:
        if path not in (None, "-") and Path(path).resolve() in taken:
            raise ValueError(f"{path} would be overwritten: name another file")
        taken.add(Path(path or "-").resolve())


def write(files, lines):
    "Write files whole, print lines, and then a table that is for standard output."
    for path, content in files.items():
        if path != "-":
            if isinstance(content, str):
                content = content.encode("utf-8", "replace")
            write_whole(path, content)
    say(*lines, to_error="-" in files)
    if "-" in files:
        print(files["-"], end="", flush=True)


def say(*lines, to_error=False):
    "Print lines; to the standard error where a table goes to the standard output."
    for line in lines:
        print(line, file=sys.stderr if to_error else sys.stdout, flush=True)


def _title(table):
    "The name of a table for a page."
    if table == "-":
        return "the table"
    return short_texts([name_text(Path(table).name)], 80)[0]


def _picture_of_scan(scan, table, kind):
    "The picture of a scan, with the name of the table."
    from ..describe.choice_of_k import plot_k_scan
    from ..describe.page import picture

    name = "the table" if table == "-" else picture_texts([table], 60)[0]
    title = f"How many clusters in {name}?"
    return picture(lambda: plot_k_scan(scan, title)[0].figure, kind.lower() or "png")


def _command_line():
    "The command as it was given, or nothing where it was called from Python."
    program = Path(sys.argv[0]).name.removesuffix(".exe")
    if program == "__main__.py":
        return shlex.join(["python", "-m", "kmodes_study", *sys.argv[1:]])
    return shlex.join([program, *sys.argv[1:]]) if program == "kmodes-study" else ""


def _python(table, reading, n_clusters, options, weight):
    "Lines of Python that do what the command did."

    def given(arguments):
        return "".join(
            f", {name}={list(value) if isinstance(value, tuple) else value!r}"
            for name, value in arguments.items()
            if value is False or value not in (None, (), "auto", True, 0)
        )

    columns = ", columns=list(X)" if reading["columns"] else ""
    weights = ", sample_weight=weights" if weight else ""
    lines = [
        "from kmodes_study.command.reading import read_own_table",
        "from kmodes_study.describe import cluster_table",
        "",
        f"X = read_own_table({str(table)!r}{given(reading)}).cells",
        f"weights = X.pop({weight!r}).astype(float)",
        f"found = cluster_table(X, {n_clusters!r}{columns}{weights}{given(options)})",
        "labels = found.labels",
        "print(found.words)",
    ]
    return "\n".join(line for line in lines if weight or "X.pop" not in line)
