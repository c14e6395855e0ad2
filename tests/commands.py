"""How tests call the command `kmodes-study`."""

from kmodes_study.command.cli import main


def run(capsys, *argv):
    "Status, standard output and standard error of a command."
    try:
        status = main([str(part) for part in argv])
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()
