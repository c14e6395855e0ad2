"""A process that forks writers of files of codes, so that a hundred of them can race
and be killed within seconds.

It reads a line of JSON, does what it says, and answers with a line.
`["race", [source, path], ...]` forks a writer for each, which begin all at once.
`["kill", [source, path], n]` forks one that is killed before the n-th line of the two
modules that write. Both answer with what came of each writer.
`["count", [source, path]]` answers with how many lines a writer runs through.
"""

import json
import os
import signal
import sys

from kmodes_study.core import stored
from kmodes_study.storage import code_files

CAME = {0: "written", 3: "told", 4: "wrong"}  # and minus the signal that has ended it


def note_always():
    """Work is noted after each part; nothing waits for a disk, whose power does not
    fail here.
    """
    code_files._SECONDS, code_files._SHARE_OF_NOTES = -1, float("inf")
    os.fsync = lambda number: None


def write(source, path):
    """The status of a writer: whether it has written the codes, or was told that it
    cannot.
    """
    try:
        code_files.write_codes(source, path)
    except (BlockingIOError, FileExistsError):
        return 3
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        return 4
    return 0


class Lines:
    """Counts the lines that run in the modules that write; before the n-th the process
    is killed, as by the system.
    """

    def __init__(self, n=None):
        self.left, self.seen = n, 0

    def __call__(self, frame, event, argument):
        if frame.f_code.co_filename not in (code_files.__file__, stored.__file__):
            return None
        if event == "line":
            self.seen += 1
        if self.seen == self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return self


def race(*jobs):
    "What came of writers that begin at the same moment."
    begin, end = os.pipe()
    numbers = []
    for job in jobs:
        number = os.fork()
        if not number:
            os.close(end)
            os.read(begin, 1)  # until nobody holds the other end
            os._exit(write(*job))
        numbers.append(number)
    os.close(begin)
    os.close(end)
    return [came_of(number) for number in numbers]


def came_of(number):
    "What came of a writer."
    status = os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
    return CAME.get(status, status)


def kill(job, n):
    "What came of a writer that is killed before the n-th line."
    number = os.fork()
    if number:
        return [came_of(number)]
    sys.settrace(Lines(n))
    os._exit(write(*job))


def count(job):
    "How many lines a writer runs through."
    lines = Lines()
    sys.settrace(lines)
    try:
        write(*job)
    finally:
        sys.settrace(None)
    return lines.seen


if __name__ == "__main__":
    import pyarrow.dataset  # noqa: F401, once for all
    import pyarrow.parquet  # noqa: F401
    import tqdm  # noqa: F401

    note_always()
    for line in sys.stdin:
        what, *given = json.loads(line)
        print(
            json.dumps(dict(race=race, kill=kill, count=count)[what](*given)),
            flush=True,
        )
