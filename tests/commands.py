"""How tests call the command `kmodes-study`."""

from kmodes_study.command.cli import main


def run(capsys, *argv):
    "Status, standard output and standard error of a command."
    return main([str(part) for part in argv]), *capsys.readouterr()


def refused(capsys, contains, *argv, decided=False):
    "The one line of a command that cannot work, after the decisions on its table or not."
    status, out, err = run(capsys, *argv)
    assert (status, bool(out)) == (2, decided), err
    assert " rows in " not in out
    assert contains in err, err
    assert len(err.splitlines()) == 1, err
