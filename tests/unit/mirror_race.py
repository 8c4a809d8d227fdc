"""Somebody who moves, links and replaces things in a mirror while it is being written.

The short form is a test; `race` with more runs is the long one.
"""

import os
import random
import shutil
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

from lifelong.clock import SystemClock
from lifelong.errors import MirrorError
from lifelong.file_mirror import mirror

PATHS = ("/memories/a.md", "/memories/box/a.md", "/memories/box/in/b.md", "/memories/c.md")
OUTSIDE = "the outside's own"


@dataclass
class Raced:
    """What came of a race."""

    operations: int = 0
    skipped: int = 0
    refused: int = 0
    swaps: int = 0


def make_outside(directory):
    """Make a directory that has files and directories with the names of those in the mirror."""
    for path in PATHS:
        for base in ("memories", "box", "in", ""):
            inside = path.split(f"/{base}/", 1)[-1] if base else path.rsplit("/", 1)[-1]
            file = directory / base / inside
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(OUTSIDE, encoding="utf-8")


def state_of(directory):
    """Return all that is in a directory: names, kinds and texts."""
    return {
        str(each.relative_to(directory)): each.read_text(encoding="utf-8") if each.is_file() else ""
        for each in directory.rglob("*")
    }


def swap(root, outside, source):
    """Put something else in the place of a file or directory of the mirror, and only there."""
    path = source.choice(["memories", "memories/box", "memories/box/in", *PATHS]).lstrip("/")
    place, aside = root / path, root.parent / f"aside-{source.randrange(1 << 60)}"
    for above in place.parents:
        if above.is_symlink():  # of an earlier swap: what follows would be done to the outside
            with suppress(OSError):
                above.unlink()
    with suppress(OSError):
        place.rename(aside)
    with suppress(OSError):
        match source.randrange(6):
            case 0:
                place.symlink_to(outside / source.choice(["", "memories", "box", "in"]))
            case 1:
                place.symlink_to(outside / "a.md")
            case 2:
                os.link(outside / source.choice(["a.md", "b.md", "c.md"]), place)
            case 3:
                place.mkdir()
            case 4:
                os.mkfifo(place)
            case _:
                aside.rename(place)
    if aside.is_dir() and not aside.is_symlink():
        shutil.rmtree(aside, ignore_errors=True)
    else:
        aside.unlink(missing_ok=True)


def race(directory, *, runs, seed=0):
    """Mirror so often while others swap; the outside must not change, and nothing is left open."""
    root, outside = directory / "mirror", directory / "outside"
    root.mkdir()
    make_outside(outside)
    before, clock, raced, is_over = state_of(outside), SystemClock(), Raced(), threading.Event()
    mirror(root, dict.fromkeys(PATHS, "at first"), lambda: clock.new_id("tmp"))

    def attack():
        source = random.Random(seed)
        while not is_over.is_set():
            swap(root, outside, source)
            raced.swaps += 1

    attacker, interval = threading.Thread(target=attack), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # so that they take turns within one mirror
    attacker.start()
    try:
        for run in range(runs):
            texts = dict.fromkeys(PATHS[run % 2 :], f"text of run {run}")
            raced.operations += len(texts)
            try:
                done = mirror(root, texts, lambda: clock.new_id("tmp"))
                raced.skipped += len(done.skipped)
            except MirrorError:  # what it stood on was taken away whole
                raced.refused += len(texts)
    finally:
        is_over.set()
        attacker.join()
        sys.setswitchinterval(interval)
    assert state_of(outside) == before
    return raced
