"""The command `kmodes-study`: its commands and their options; what they do is imported when it is done."""

import os
import re
import signal
import sys
import warnings
from functools import reduce
from pathlib import Path

import click

__all__ = ["main"]


class Names(click.Option):
    "An option that takes all words up to the next option, and may come several times."

    def __init__(self, *words, **options):
        super().__init__(*words, **{"metavar": "NAME...", "multiple": True} | options)


class Command(click.Command):
    "A command whose `Names` take several words."

    def parse_args(self, ctx, args):
        "Each word after such an option gets the option before it."
        many = {
            word for one in self.params if isinstance(one, Names) for word in one.opts
        }
        spread, option = [], None
        for word in args:
            is_option = re.match("-.", word) and not re.match(r"-\d", word)
            if option and spread[-1] != option and not is_option:
                spread.append(option)
            elif is_option:
                option = word if word in many else None
            spread.append(word)
        return super().parse_args(ctx, spread)


class Commands(click.Group):
    "All commands; those that run notebooks are imported when they are called."

    def list_commands(self, ctx):
        "Their names."
        return [*self.commands, "reproduce", "runs"]

    def get_command(self, ctx, name):
        "A command by its name."
        if name in ("reproduce", "runs"):
            from . import reproduce

            return getattr(reproduce, name)
        return super().get_command(ctx, name)


class Output(click.Path):
    "A file that is written, with one of some endings or none, in a folder that is there."

    def __init__(self, *endings):
        super().__init__(allow_dash=True)
        self.endings = endings

    def convert(self, value, param, ctx):
        "The path as it was given."
        ending = Path(value).suffix.lower()
        if ending and ending not in self.endings:
            self.fail(f"{value} must end in {' or '.join(self.endings)}", param, ctx)
        if value == "-" and ".csv" not in self.endings:
            self.fail("only a table goes to standard output", param, ctx)
        if not Path(value).absolute().parent.is_dir() or Path(value).is_dir():
            self.fail(f"{value} must be a file in a folder that is there", param, ctx)
        return value


TABLE = Output(".csv", ".tsv", ".xlsx")
PAGE = Output(".html", ".htm")


class NumberOrAuto(click.ParamType):
    "A number of clusters, or auto."

    name = "number or auto"

    def convert(self, value, param, ctx):
        "The number, or auto."
        return (
            value if value == "auto" else click.IntRange(1).convert(value, param, ctx)
        )


def _all(*decorators):
    "Several decorators as one."
    return lambda function: reduce(
        lambda f, one: one(f), reversed(decorators), function
    )


def names(*words, **options):
    "A decorator for an option with names."
    return click.option(*words, cls=Names, **options)


reading = _all(
    click.argument("table"),
    click.option(
        "--id-column",
        multiple=True,
        metavar="NAME",
        help="a column that says who a row is; it takes no part, and stands beside the "
        "labels; may come several times",
    ),
    names(
        "--na",
        metavar="TEXT...",
        help="texts that stand for a missing value, such as '?'; empty cells do",
    ),
    names(
        "--several",
        help="columns whose cells hold several answers, such as bus;train: each answer "
        "becomes a column of yes and no",
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="whether the first line holds the names of the columns; else they are "
        "called c1, c2, ... (default: seen from its cells)",
    ),
    click.option("--encoding", metavar="NAME", help="of a text (default: seen)"),
    click.option(
        "--sheet", metavar="NAME", help="of a workbook (default: the first with cells)"
    ),
)
columns = _all(
    names("--columns", help="the columns that take part (default: all)"),
    names("--drop", help="columns that take no part"),
)
kinds = _all(
    names(
        "--numeric",
        help="columns that are numbers; dates become days, and scales of words their "
        "ranks (default: seen from their values)",
    ),
    names("--ordinal", help="columns that are scales, whose values have an order"),
    names("--categorical", help="columns that are categories, whatever they look like"),
    click.option(
        "--missing",
        type=click.Choice(["error", "category", "ignore"]),
        help="what an empty cell is: an error, a category, or left out of account "
        "(default: left out, and said)",
    ),
    click.option(
        "--no-diagnosis",
        "diagnosis",
        flag_value=False,
        default=True,
        type=bool,
        help="look at no column: all are categories as they stand, an empty cell is an "
        "error, and nothing is warned of",
    ),
)
seed = click.option(
    "--seed", type=click.IntRange(0), default=0, help="of the random numbers"
)
report = click.option(
    "--report",
    type=PAGE,
    metavar="FILE",
    help="write one page to show to others, as HTML",
)
cluster_names = names(
    "--names", help="names for the clusters, in the order of their numbers"
)
words = _all(
    click.option(
        "--profiles",
        type=TABLE,
        metavar="FILE",
        help="write the profiles of the clusters as CSV, TSV or XLSX; - for standard "
        "output",
    ),
    click.option(
        "--tables",
        type=TABLE,
        metavar="FILE",
        help="write how common each category is in each cluster, as CSV, TSV or XLSX",
    ),
    report,
    click.option(
        "--min-share",
        type=click.FloatRange(0, 1),
        metavar="S",
        help="the part of a cluster, 0 to 1, that must have a category for it to be "
        "named (default: a half, or less)",
    ),
    cluster_names,
)


def output(what, **options):
    "A decorator for the option with the file of labels, or of another table."
    return click.option(
        "-o", "--output", type=TABLE, metavar="FILE", help=what, **options
    )


@click.group(cls=Commands, context_settings=dict(help_option_names=["-h", "--help"]))
@click.version_option(package_name="kmodes_study", message="%(version)s")
def commands():
    """k-modes clustering of your own table, and the published tables.

    \b
    kmodes-study cluster guests.csv -k 3 -o labels.csv --report page.html
    kmodes-study choose guests.csv
    kmodes-study reproduce wilde2020
    kmodes-study data list

    A TABLE is a CSV, TSV, XLSX, XLS, ODS or Parquet file, - for standard input, or the
    name of a set of this package, such as mushroom.
    """


@commands.command(cls=Command)
@reading
@columns
@click.option(
    "-k",
    "--n-clusters",
    type=NumberOrAuto(),
    default="auto",
    metavar="K",
    help="the number of clusters, or auto (default: auto, by code length and stability)",
)
@kinds
@click.option("--weight", metavar="NAME", help="a column: how much each row counts")
@click.option(
    "--init",
    help="how the start is chosen: cao, huang, matching, random, ... (default: cao; "
    "k-means++ where there are numbers)",
)
@click.option(
    "--n-init",
    type=click.IntRange(1),
    metavar="N",
    help="starts, of which the best is kept (default: 10 where they are drawn)",
)
@click.option(
    "--algorithm",
    default="auto",
    help="auto, otqt, swap, lloyd or huang, or latent for latent classes",
)
@seed
@output("write the cluster of each row as CSV, TSV or XLSX; - for standard output")
@click.option(
    "--save",
    type=Output(".json"),
    metavar="FILE",
    help="write the model as JSON, for predict",
)
@words
def cluster(**options):
    """Cluster the rows of a TABLE.

    \b
    kmodes-study cluster guests.csv
    kmodes-study cluster survey.xlsx --report page.html
    kmodes-study cluster guests.csv -k 3 --id-column guest -o labels.csv
    kmodes-study cluster - -k 3 -o - < guests.csv > labels.csv
    """
    from .own_table import cluster

    cluster(**options)


@commands.command(cls=Command)
@reading
@columns
@kinds
@click.option(
    "--most",
    type=click.IntRange(2),
    default=10,
    metavar="K",
    help="the largest number of clusters (default: 10)",
)
@click.option(
    "--resamples",
    type=click.IntRange(0),
    default=10,
    metavar="N",
    help="tables that are drawn for each criterion; 0 is fast",
)
@click.option(
    "--rows",
    type=click.IntRange(2),
    default=5000,
    metavar="N",
    help="rows that are drawn of a larger table (default: 5000)",
)
@click.option(
    "--algorithm",
    type=click.Choice(["auto", "latent"]),
    default="auto",
    help="auto, or latent for latent classes",
)
@seed
@output("write all criteria as CSV, TSV or XLSX; - for standard output")
@click.option(
    "--picture",
    type=Output(".png", ".svg", ".pdf"),
    metavar="FILE",
    help="draw all criteria, as PNG, SVG or PDF",
)
@report
def choose(**options):
    """Try several numbers of clusters for a TABLE.

    \b
    kmodes-study choose guests.csv
    kmodes-study choose guests.csv --most 15 -o scan.csv --picture scan.png
    """
    from .own_table import choose

    choose(**options)


@commands.command(cls=Command)
@reading
@columns
@click.option("--by", metavar="NAME", help="the column with the groups")
@click.option(
    "--labels", metavar="FILE", help="a file of labels, as cluster -o writes it"
)
@words
def profile(**options):
    """Describe the groups of a TABLE, which --by or --labels names.

    \b
    kmodes-study profile guests.csv --by season
    kmodes-study profile guests.csv --labels labels.csv --id-column guest
    """
    if (options["by"] is None) == (options["labels"] is None):
        raise click.UsageError("one of --by and --labels must be given")
    from .own_table import profile

    profile(**options)


@commands.command(cls=Command)
@click.argument("model")
@reading
@click.option(
    "--unknown",
    type=click.Choice(["error", "ignore"]),
    default="error",
    help="what a category that the model does not know is: an error, or unlike every "
    "mode (default: error)",
)
@output("where the labels go (default: standard output)", default="-")
@cluster_names
def predict(**options):
    """Label the rows of a TABLE with a MODEL that cluster --save has written.

    \b
    kmodes-study predict model.json new.csv -o labels.csv
    """
    from .own_table import predict

    predict(**options)


@commands.command(cls=Command)
@click.argument("first")
@click.argument("second")
@click.option(
    "--column",
    metavar="NAME",
    help="the column with the labels (default: cluster, else the last one)",
)
@click.option("--encoding", metavar="NAME", help="of a text (default: seen)")
@output("write the rows that moved as CSV, TSV or XLSX; - for standard output")
def compare(**options):
    "Compare two files of labels: which clusters became which, which rows moved."
    from .compare import compare

    compare(**options)


@commands.command(cls=Command)
@click.argument("action", type=click.Choice(["list", "fetch", "where"]))
@click.argument("names", nargs=-1, metavar="[DATASET]...")
@click.option(
    "--data-home",
    metavar="DIR",
    help="folder of the raw files (default: $KMODES_STUDY_DATA, then the cache)",
)
@click.pass_context
def data(ctx, action, names, data_home):
    "List the data sets, fetch their files, or say where they are (all, or some by name)."
    from .. import data as sets

    table = sets.list_datasets(data_home=data_home)
    if unknown := set(names) - set(table.name):
        raise ValueError(
            f"no data set {min(unknown)}: there are {', '.join(table.name)}"
        )
    table = table[table.name.isin(names)] if names else table
    if action == "list":
        is_elsewhere = table["where"].isin(["computed", "absent"])
        table = table.assign(where=table["where"].where(is_elsewhere, "at hand"))
        print(table.to_string(index=False))
        return
    if action == "where":
        print(table[["name", "where"]].to_string(index=False))
        return
    failed = 0
    for name in table.name.unique():
        try:
            for file, place in sets.fetch(name, data_home=data_home).items():
                print(f"{name:26}{file}  {place}")
        except (OSError, ValueError) as error:
            failed += 1
            print(f"{name:26}{error}", file=sys.stderr)
    ctx.exit(int(failed > 0))


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
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            status = commands.main(argv, "kmodes-study", standalone_mode=False) or 0
            sys.stdout.flush()
            return status
        except BrokenPipeError:
            _leave_standard_output()
            return 141
        except (KeyboardInterrupt, click.Abort):
            print("\nkmodes-study: interrupted", file=sys.stderr)
            return 130
        except click.ClickException as error:
            return _refused(error.format_message())
        except MemoryError:
            return _refused("there is not enough memory for this table")
        except (ValueError, TypeError, OSError, ModuleNotFoundError) as error:
            return _refused(error)
        finally:
            signal.signal(signal.SIGTERM, before)


def _refused(error):
    "Print an error in one line; the exit status."
    print("kmodes-study:", " ".join(str(error).split()), file=sys.stderr)
    try:
        sys.stdout.flush()
    except OSError:
        _leave_standard_output()
    return 2


def _leave_standard_output():
    "Let nothing more be written, else Python complains at its end."
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message, *others):
    "A warning in one line."
    print("kmodes-study: warning:", " ".join(str(message).split()), file=sys.stderr)
