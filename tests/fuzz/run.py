"""Cases in processes of their own, each within bounds of time and memory."""

import multiprocessing
import resource
import threading
from queue import Queue

LIMIT_SECONDS, LIMIT_BYTES = 90, 12 * 2**30


def work(pipe, family, seed, numbers):
    "In a process of its own: judge the cases, and say before each which it is."
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    from fuzz.families import FAMILIES

    for number in numbers:
        pipe.send(number)
        pipe.send(tuple(FAMILIES[family](seed, number)))


def heard(pipe, numbers):
    """The verdicts that come through a pipe, and a last one for a case that hangs or
    ends its process.
    """
    number, limit = numbers[0], 600  # the first waits for the imports
    while numbers:
        outcome, said = "hang", None
        try:
            said = pipe.recv() if pipe.poll(limit) else None
        except EOFError:
            outcome = "crash"
        limit = LIMIT_SECONDS
        if isinstance(said, int):
            number = said
        else:
            numbers.remove(number)
            yield said or (
                number,
                "",
                outcome,
                f"no answer within {LIMIT_SECONDS} seconds, or no process any more",
            )
            if said is None:
                return


def watched(family, seed, numbers, verdicts):
    """Put the verdicts on some cases into a queue; one process after the other works on
    them.
    """
    numbers, context = list(numbers), multiprocessing.get_context("spawn")
    while numbers:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=work, args=(theirs, family, seed, list(numbers)), daemon=True
        )
        process.start()
        theirs.close()
        for verdict in heard(ours, numbers):
            verdicts.put(verdict)
        if not numbers:
            process.join(9)  # it ends by itself
        process.kill()
        process.join()


def run(family, seed, numbers, n_processes):
    "The verdicts on all cases of a family, as they come."
    verdicts = Queue()
    for place in range(n_processes):
        arguments = family, seed, numbers[place::n_processes], verdicts
        threading.Thread(target=watched, args=arguments, daemon=True).start()
    for _ in numbers:
        yield verdicts.get()
