"""The command `kmodes-study`: its commands and their options; what they do is imported when it is done."""

import os
import re
import signal
import sys
import warnings
from functools import partial, reduce
from pathlib import Path

import click

__all__ = ["main"]


NAMES = "NAME..."  # of an option that takes all words up to the next option


class Command(click.Command):
    "A command whose `NAMES` take several words, and that writes over none of its files."

    def parse_args(self, ctx, args):
        "Each word after such an option gets the option before it."
        many = {each.opts[0] for each in self.params if each.metavar == NAMES}
        spread, option = [], None
        for word in args:
            is_option = re.match("-.", word) and not re.match(r"-\d", word)
            if option and spread[-1] != option and not is_option:
                spread.append(option)
            elif is_option:
                option = word if word in many else None
            spread.append(word)
        return super().parse_args(ctx, spread)

    def invoke(self, ctx):
        "Refuse to write a file in the place of another one, then go on."
        given = [(one.type, ctx.params[one.name]) for one in self.params]
        taken = [
            Path(path).resolve() for kind, path in given if path and kind is SOURCE
        ]
        for kind, path in given:
            if path and isinstance(kind, Output):
                place = path if path == "-" else Path(path).resolve()
                if place in taken:
                    raise ValueError(f"{path} would be overwritten: name another file")
                taken.append(place)
        return super().invoke(ctx)


class Output(click.Path):
    "A file that is written, with one of some endings or none, in a folder that is there."

    def __init__(self, *endings):
        super().__init__(allow_dash=True)
        self.name, self.endings = "file", endings

    def convert(self, value, param, ctx):
        "The path as it was given."
        path = Path(value)
        is_place = path.absolute().parent.is_dir() and not path.is_dir()
        is_kind = path.suffix.lower() in ("", *self.endings)
        if value == "-" and ".csv" not in self.endings or not (is_place and is_kind):
            kinds = " or ".join(self.endings)
            self.fail(f"{value} must be a file {kinds} in a folder that is there")
        return value


SOURCE = click.Path()
TABLE = Output(".csv", ".tsv", ".xlsx")
PAGE = Output(".html", ".htm")
UNKNOWN = click.Choice(["error", "ignore"])
FOLDER = click.Path(file_okay=False, path_type=Path)
SEED = click.IntRange(0)
SHARE = click.FloatRange(0, 1)
MISSING = click.Choice(["error", "category", "ignore"])


def number_or_auto(ctx, param, value):
    "A number of clusters, or auto."
    return value if value == "auto" else click.IntRange(1).convert(value, param, ctx)


def option(words, text, **options):
    "A decorator for an option."
    return click.option(*words.split(), help=text, **options)


def together(*decorators):
    "Several decorators as one."
    return lambda function: reduce(lambda f, one: one(f), decorators[::-1], function)


names = partial(option, metavar=NAMES, multiple=True)
reading = together(
    click.argument("table", type=SOURCE),
    option("--id-column", "a column that names the rows", multiple=True),
    names("--na", "texts that stand for a missing value, such as '?'"),
    names("--several", "columns of cells such as bus;train: a column for each answer"),
    option("--header/--no-header", "whether the first line holds names", default=None),
    option("--header-rows", "lines that hold names together", type=click.IntRange(1)),
    option("--encoding", "of a text, such as cp1252 (default: UTF-8, or seen)"),
    option("--sheet", "of a workbook (default: the first with cells)"),
)
columns = together(
    names("--columns", "the columns that take part (default: all)"),
    names("--drop", "columns that take no part"),
)
kinds = together(
    names("--numeric", "columns that are numbers; dates become days, scales ranks"),
    names("--ordinal", "columns that are scales, whose values have an order"),
    names("--categorical", "columns that are categories, whatever they look like"),
    option("--missing", "what an empty cell is (default: ignore)", type=MISSING),
    option("--diagnosis/--no-diagnosis look", "see what columns are", default=True),
    option("--weight", "a column that says how much each row counts"),
)
seed = option("--seed random_state", "of the random numbers", type=SEED, default=0)
report = option("--report", "write one page to show to others, as HTML", type=PAGE)
cluster_names = names("--names", "names for the clusters, by their numbers")
words = together(
    option("--profiles", "write the profiles of the clusters", type=TABLE),
    option("--tables", "write the share of each category in each cluster", type=TABLE),
    report,
    option("--min-share", "from which share a category is named", type=SHARE),
    cluster_names,
)


def output(text, **options):
    "A decorator for the option with the file of labels, or of another table."
    return option("-o --output", f"write {text}", type=TABLE, **options)


CONTEXT = dict(help_option_names=["-h", "--help"], show_default=True)


@click.group(context_settings=CONTEXT)
@click.version_option(package_name="kmodes_study", message="%(version)s")
def commands():
    """k-modes clustering of your own table, and the published tables.

    \b
    kmodes-study cluster guests.csv -k 3 -o labels.csv --report page.html
    kmodes-study choose guests.csv
    kmodes-study reproduce wilde2020
    kmodes-study data list

    A TABLE is a CSV, TSV, XLSX, XLS, ODS or Parquet file, - for standard input, or the
    name of a set of this package, such as mushroom. Tables are written as CSV, TSV or
    XLSX, as their names say, or to the standard output as -. Options for several names
    take all words up to the next option.
    """


commands.command_class = Command


@commands.command
@reading
@columns
@option("-k --n-clusters", "clusters", default="auto", callback=number_or_auto)
@kinds
@option("--init", "how the start is chosen: cao, huang, matching, random, ...")
@option("--n-init", "starts, of which the best is kept", type=click.IntRange(1))
@option("--algorithm", "auto, otqt, swap, lloyd, huang or latent", default="auto")
@seed
@output("the cluster of each row")
@option("--save", "write the model as JSON, for predict", type=Output(".json"))
@words
def cluster(**asked):
    """Cluster the rows of a TABLE.

    Kinds of columns, gaps and the number of clusters are seen from the table where no
    option says them. Each decision is printed, with the option that decides otherwise.

    \b
    kmodes-study cluster guests.csv
    kmodes-study cluster survey.xlsx --report page.html
    kmodes-study cluster guests.csv -k 3 --id-column guest -o labels.csv
    kmodes-study cluster - -k 3 -o - < guests.csv > labels.csv
    """
    from .own_table import cluster

    cluster(**asked)


@commands.command
@reading
@columns
@kinds
@option("--most", "clusters at most", type=click.IntRange(2), default=10)
@option("--resamples n_resamples", "tables drawn for each criterion", default=10)
@option("--rows max_rows", "rows drawn of a larger table", default=5000)
@option("--algorithm", "auto, or latent for latent classes", default="auto")
@seed
@output("all criteria")
@option("--picture", "draw all criteria", type=Output(".png", ".svg", ".pdf"))
@report
def choose(**asked):
    """Try several numbers of clusters for a TABLE.

    \b
    kmodes-study choose guests.csv
    kmodes-study choose guests.csv --most 15 -o scan.csv --picture scan.png
    """
    from .own_table import choose

    choose(**asked)


@commands.command
@reading
@columns
@option("--by", "the column with the groups")
@option("--labels", "a file of labels, as cluster -o writes it", type=SOURCE)
@words
def profile(**asked):
    """Describe the groups of a TABLE, which --by or --labels names.

    \b
    kmodes-study profile guests.csv --by season
    kmodes-study profile guests.csv --labels labels.csv --id-column guest
    """
    from .own_table import profile

    if (asked["by"] is None) == (asked["labels"] is None):
        raise click.UsageError("one of --by and --labels must be given")
    profile(**asked)


@commands.command
@click.argument("model", type=SOURCE)
@reading
@option("--unknown", "what becomes of a new category", type=UNKNOWN)
@output("the cluster of each row", default="-")
@cluster_names
def predict(**asked):
    """Label the rows of a TABLE with a MODEL that cluster --save has written.

    \b
    kmodes-study predict model.json new.csv -o labels.csv
    """
    from .own_table import predict

    predict(**asked)


@commands.command
@click.argument("first", type=SOURCE)
@click.argument("second", type=SOURCE)
@option("--column", "the column with the labels (default: cluster, else the last one)")
@output("the rows that moved")
def compare(**asked):
    "Compare two files of labels: which clusters became which, which rows moved."
    from .compare import compare

    compare(**asked)


@commands.command
@click.argument("action", type=click.Choice(["list", "fetch"]))
@click.argument("names", nargs=-1, metavar="[DATASET]...")
def data(action, names):
    """List the data sets and where their files are, or fetch these (all, or some by name).

    Files lie in the folder that $KMODES_STUDY_DATA names, or in the user's cache.
    """
    from .. import data as sets

    table = sets.list_datasets()
    if unknown := set(names) - set(table.name):
        raise ValueError(f"no set {min(unknown)}: there are {', '.join(table.name)}")
    table = table[table.name.isin(names)] if names else table
    if action == "list":
        print(table.to_string())
    failed = False
    for name in table.name.unique() if action == "fetch" else ():
        try:
            for file, place in sets.fetch(name).items():
                print(f"{name:26}{file}  {place}")
        except (OSError, ValueError) as error:
            failed = True
            print(f"{name:26}{error}", file=sys.stderr)
    return int(failed)


@commands.command
@click.argument("notebooks", nargs=-1)
@option("-p --parameter parameters", "a setting, as in -p n_seeds=50", multiple=True)
@option("--seeds", "runs for each cell, or the seeds A to B - 1", metavar="N|A:B")
@names("--only-table", "compute these tables only, where the notebook allows it")
@option("--renew", "make the rows anew that are kept beside notebooks", is_flag=True)
@option("--output", "a folder; what is set has one in it", default="build", type=FOLDER)
def reproduce(**asked):
    """Rerun published tables and write a report.

    NOTEBOOKS are paths, such as a changed copy, or names of result notebooks, such as
    wilde2020; all result notebooks if unsaid. The exit status is 1 when a notebook
    stopped, or a cell that must be exact is not.

    \b
    kmodes-study reproduce wilde2020 --seeds 50 --only-table 3 4
    """
    from .reproduce import reproduce

    return reproduce(**asked)


@commands.group()
def runs():
    "Look after the rows that experiments have kept."


kept = together(
    option("--store", "the file (default: $KMODES_STUDY_STORE, or in the user's data)"),
    option(
        "--where",
        "only these rows, as in --where n_clusters=2",
        multiple=True,
        callback=lambda ctx, param, pairs: dict(each.split("=", 1) for each in pairs),
    ),
)


@runs.command("list")
@kept
def list_kept(store, where):
    "Show what is kept: a line for each table and method."
    from ..study.store import list_rows

    print(list_rows(store, **where).to_string(index=False))


@runs.command("export")
@click.argument("file")
@kept
def export_kept(file, store, where):
    "Write rows into a CSV file."
    from ..study.store import export_rows

    print(f"{export_rows(file, store, **where)} rows written to {file}")


def main(argv=None) -> int:
    """The command `kmodes-study`.

    Parameters
    ----------
    argv : default=None
        arguments; None for those of the command line

    Returns
    -------
    int
        exit status: 0 well, 1 not, 2 unusable arguments, 130 interrupted
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if argv is None:  # a pipe of Windows has no sign for many a letter otherwise
        sys.stdout.reconfigure(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            status = commands.main(argv, "kmodes-study", standalone_mode=False) or 0
            sys.stdout.flush()
            return status
        except click.Abort:  # what click makes of an interrupt, after a new line
            print("kmodes-study: interrupted", file=sys.stderr)
            return 130
        except BrokenPipeError:
            return 141
        except Exception as error:
            said = getattr(error, "format_message", error.__str__)()
            if isinstance(error, OSError) and error.filename:
                said = f"{error.filename}: {error.strerror}"
            elif not isinstance(error, _TOLD):
                said = f"{type(error).__name__} {said}"
            said = " ".join(said.split()) or "there is not enough memory"
            print("kmodes-study:", said, file=sys.stderr)
            return 2
        finally:
            try:
                sys.stdout.flush()
            except OSError:  # nothing more is written, else Python complains at its end
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# errors whose text is for the user
_TOLD = ValueError, TypeError, OSError, ImportError, MemoryError, click.ClickException


def _show_warning(message, *others):
    "A warning in one line."
    print("kmodes-study: warning:", " ".join(str(message).split()), file=sys.stderr)
