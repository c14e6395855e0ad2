"""How tests call the command `kmodes-study`."""

from kmodes_study.command.cli import main


def run(capsys, *argv):
    "Status, standard output and standard error of a command."
    return main([str(part) for part in argv]), *capsys.readouterr()


def refused(capsys, contains, *argv):
    "The one line of a command that cannot work."
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, ""), err
    assert contains in err, err
    assert len(err.splitlines()) == 1, err
