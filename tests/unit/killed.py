"""Ending a process at its n-th step: a write of SQLite, or a file that Python touches."""

import multiprocessing
import os
import signal
import sys

FORK = multiprocessing.get_context("fork")
SECONDS_MAX = 60
FAR = 10**9
FILE_EVENTS = {
    "os.chmod",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "shutil.copyfile",
    "shutil.rmtree",
}


class Steps:
    """Counts steps, and ends the process at one of them.

    Its `touch` is for the disk beneath SQLite; `listen` adds what Python does with files.
    """

    def __init__(self):
        self.count = 0
        self.ends_at = 0

    def touch(self):
        if self.ends_at:
            self.count += 1
            if self.count == self.ends_at:
                os.kill(os.getpid(), signal.SIGKILL)

    def listen(self):
        """Count what Python does with files, too; it cannot be undone in this process."""

        def hear(event, arguments):
            if event in FILE_EVENTS or (event == "open" and arguments[2] & os.O_CREAT):
                self.touch()

        sys.addaudithook(hear)


def telling(count):
    """Return which of `count` steps to break off at: all where pages are not just copied."""
    return [n for n in range(1, count + 1) if n <= 6 or n > count - 32 or n % 43 == 0]


def killed_at_each_step(steps, prepare, work, check):
    """Run `work(where)` in processes that end at step 1, 2, …, and check what is left each time.

    Args:
        steps: beneath SQLite.
        prepare: returns a fresh place to work on.
        work: what is to be broken off.
        check: called with the place and whether the process came to its end.
    """
    where = prepare()
    count = _run(steps, work, where, FAR)
    assert count is not None
    check(where, True)
    was_killed = 0
    for ends_at in telling(count):
        where = prepare()
        is_done = _run(steps, work, where, ends_at) is not None
        check(where, is_done)
        was_killed += not is_done
    assert was_killed > len(telling(count)) - 5  # the count may differ by a few


def _run(steps, work, where, ends_at):
    """Return how many steps it took; None when it was killed."""
    receiver, sender = FORK.Pipe(duplex=False)

    def run():
        steps.listen()
        steps.count, steps.ends_at = 0, ends_at
        work(where)
        steps.ends_at = 0
        sender.send(steps.count)

    process = FORK.Process(target=run, daemon=True)
    process.start()
    sender.close()
    process.join(SECONDS_MAX)
    assert process.exitcode in (0, -signal.SIGKILL)
    return receiver.recv() if process.exitcode == 0 else None
