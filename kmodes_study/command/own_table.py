"""What the commands for one's own table do: read, plan, fit, describe, write."""

import io
import shlex
import sys
from inspect import signature
from pathlib import Path

from ..describe.profiles import category_profiles
from ..core.checks import extra
from ..core.saved import guarded, load_model, write_whole
from ..describe.auto import NOT_TICKED, TableClusters, TablePlan
from ..describe.auto import fit_plan, plan_table, scan_plan, some_names
from ..describe.choice_of_k import plot_k_scan
from ..core.columns import as_numbers, diagnose, is_gap, kind_of_column
from ..describe.texts import picture_texts, shown_table, votes
from ..measures import adjusted_rand_score
from .reading import as_list, note, read_own_table, refuse_unknown_columns

__all__ = []


def cluster(table, *, columns, weight, output, save, profiles, tables, report, **asked):
    "Cluster the rows of a table."
    read, plan, weights = _planned(table, columns, as_list(weight), asked)
    aside = "-" in (output, profiles, tables)
    lines = _told(plan, aside)
    n_said = len(lines)
    found = fit_plan(plan, sample_weight=weights, **_for(fit_plan, asked))
    lines += [each.told(option_text) for each in found.decisions[n_said:]]
    if plan.of_kind("identifier") and "row" in read.ids:
        name = option_text("id_column", plan.of_kind("identifier")[0])
        lines.append(f"rows: numbered from 1; else {name}")
    if read.classes is not None:
        score = adjusted_rand_score(read.classes, found.labels)
        agree = "agreement with the known classes"
        lines.append(f"{agree}: adjusted Rand index {score:.2f}")
    files = {}
    if save:
        found.model.save(save)
    if output:
        labels = read.ids.reset_index(drop=True).assign(cluster=found.named_labels)
        files[output] = table_content(output, labels)
    if output != "-":  # what can no longer be lost is there first
        write(files, [])
    write({}, [*lines[n_said:], found.summary, found.words], aside)
    files |= _described(found, profiles, tables)
    if report:
        facts = dict(seed=asked["random_state"], decisions=lines)
        files[report] = found.page(**_facts(table), **facts)
    made = [path for path in (*files, save) if path not in (None, "-")]
    hint = "none; -o labels.csv, --report page.html and --save model.json write them"
    write(files, [f"files: {', '.join(made) or hint}"], aside)


def choose(table, *, columns, weight, output, picture, report, **asked):
    "Try several numbers of clusters."
    _, plan, weights = _planned(table, columns, as_list(weight), asked)
    lines = _told(plan, output == "-")
    scan = scan_plan(plan, sample_weight=weights, **_for(scan_plan, asked))
    found = fit_plan(plan, sample_weight=weights, **_for(fit_plan, asked))
    taken = f"cluster takes {found.decisions[-1].text.removeprefix('clusters: ')}"
    if plan.filled.sum() > asked["max_rows"]:
        taken += f"; the others are of {asked['max_rows']:,} rows drawn at random"
    files = {output: table_content(output, scan.table)} if output else {}
    if picture:
        from ..describe.page import picture_of

        title = f"How many clusters in {picture_texts([Path(table).name], 60)[0]}?"
        kind = Path(picture).suffix[1:].lower() or "png"
        files[picture] = picture_of(lambda: plot_k_scan(scan, title)[0].figure, kind)
    if report:
        from ..describe.page import scan_page

        facts = dict(seed=asked["random_state"], decisions=lines, chosen=taken)
        files[report] = scan_page(scan, plan, **_facts(table), **facts)
    shown = shown_table(scan).round(3).to_string(index=False, na_rep="")
    chosen = [f"  {vote}" for vote in votes(scan)]
    write(files, [shown, "", "chosen, most often first:", *chosen, taken])


def profile(table, *, columns, by, labels, profiles, tables, report, **asked):
    "Describe the groups of a table."
    read, groups = _read(table, columns, as_list(by), asked)
    cells, given = read.cells, groups.get(by)
    if by is None:
        given = read_own_table(labels, header=True).cells.iloc[:, -1]
    if len(given) != len(cells):
        raise ValueError(f"{len(given)} labels for the {len(cells)} rows of {table}")
    given = given.astype(object).where(given.notna(), "missing").to_numpy()
    found = TableClusters(TablePlan(cells), given, **_for(TableClusters, asked))
    files = _described(found, profiles, tables)
    if report:
        files[report] = found.page(**_facts(table))
    write(files, [found.summary, found.words])


def predict(model, table, *, unknown, output, names, **asked):
    "Label new rows with a model that was saved."
    fitted = load_model(model)
    named = list(getattr(fitted, "feature_names_in_", []))
    read, _ = _read(table, named, [], asked)
    if unknown:
        fitted.handle_unknown = fitted.encoder_.handle_unknown = unknown
    cells = _as_the_model_reads(fitted, read.cells)
    labels = fitted.predict(cells if named else cells.to_numpy(object))
    if names:
        if len(names) != fitted.n_clusters:
            raise ValueError(f"names must be {fitted.n_clusters}, got {len(names)}")
        labels = [names[label] for label in labels]
    labels = read.ids.reset_index(drop=True).assign(cluster=labels)
    write({output: table_content(output, labels)}, [])


def _for(function, asked):
    "Those of the options of a command that are said and that a function takes."
    taken = [name for name in signature(function).parameters if name in asked]
    return {name: asked[name] for name in taken if asked[name] not in (None, ())}


def _read(table, columns, aside, asked):
    "The table that a command asks for, and columns of it that are set aside."
    kinds = "numeric", "ordinal", "categorical"
    needed = [*aside, *(name for kind in kinds for name in asked.get(kind, ()))]
    names = [*columns, *aside] if columns else None
    read = read_own_table(table, names, needed=needed, **_for(read_own_table, asked))
    refuse_unknown_columns(aside, read.cells)
    if "cluster" in read.ids:
        raise ValueError("--id-column cluster: this is how the clusters are called")
    return read._replace(cells=read.cells.drop(columns=aside)), read.cells[aside]


def _planned(table, columns, weight, asked):
    "The table that a command asks for, the plan for it, and the weights of its rows."
    read, weights = _read(table, columns, weight, asked)
    named = list(read.cells) if columns else None
    plan = plan_table(read.cells, named, **_for(plan_table, asked))
    findings = diagnose(plan.cells)
    is_told = asked["look"] & findings.column.isin(plan.of_kind("category"))
    findings = findings[is_told & findings.finding.isin(_WARNED)]
    for what, rows in findings.groupby("finding", sort=False):
        names = some_names(rows.column)
        note(f"warning: {names}: {what}, {rows.example.iloc[0]}")
    return read, plan, as_numbers(*weight, weights[weight[0]]) if weight else None


def _told(plan, aside):
    "The lines of what was decided on the columns, which are printed at once."
    lines = [decision.told(option_text) for decision in plan.decisions]
    write({}, lines, aside)
    return lines


# findings that spoil clusters where the user has said that the column takes part
_WARNED = "identifier constant empty placeholder spelling".split()


def _as_the_model_reads(model, cells):
    "The cells of new rows, read as the model has learnt its columns."
    categorical = getattr(model, "is_categorical_", [True] * cells.shape[1])
    known = iter(getattr(model.encoder_, "categories_", ()))
    read = cells.copy()
    for name, is_category in zip(cells.columns, categorical):
        column = cells[name]
        words = set(map(str, next(known, ()))) if is_category else set()
        if not is_category:
            gaps = kind_of_column(name, column, as_numbers=True).gaps
            read[name] = as_numbers(name, column, gaps)
        elif model.missing == "ignore":
            is_word = [is_gap(value) and str(value) not in words for value in column]
            read[name] = column.mask(is_word)
        if NOT_TICKED in words:
            read[name] = read[name].astype(object).where(column.notna(), NOT_TICKED)
    return read


def option_text(name, value):
    "An argument of Python as an option of the command."
    option = "-k" if name == "n_clusters" else f"--{name.replace('_', '-')}"
    words = list(map(str, as_list(value) if isinstance(value, list | str) else [value]))
    if words[0].startswith("-"):
        return " ".join(shlex.quote(f"{option}={word}") for word in words)
    return f"{option} {shlex.join(words)}"


def _described(found, profiles, tables):
    "The files of the profiles, and of how common each category is in each cluster."
    files = {}
    if profiles:
        files[profiles] = table_content(profiles, found.profiles)
    if tables:
        shares = category_profiles(found.cells, found.clusters, found.weights)
        files[tables] = table_content(tables, shares)
    return files


def table_content(path, frame):
    "A table as CSV, TSV or a workbook, as its name says."
    frame = guarded(frame)
    ending = Path(path).suffix.lower()
    if ending != ".xlsx":
        separator = "\t" if ending == ".tsv" else ","
        return frame.to_csv(index=False, sep=separator, lineterminator="\n")
    with extra("excel"):
        import openpyxl  # noqa: F401
    content = io.BytesIO()
    frame.to_excel(content, index=False, engine="openpyxl")
    return content.getvalue()


def write(files, lines, aside=False):
    """Write files whole and print lines; to the standard error where a table goes to the
    standard output, now or at another time.
    """
    for path, content in files.items():
        if path != "-":
            write_whole(path, content)
    for line in lines:
        print(line, file=sys.stderr if aside or "-" in files else sys.stdout)
    print(files.get("-", ""), end="", flush=True)


def _facts(table):
    "What a page tells of the command."
    command = shlex.join(["kmodes-study", *sys.argv[1:]])
    return dict(title=Path(table).name, command=command)
