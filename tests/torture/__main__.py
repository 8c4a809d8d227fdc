"""The long form: ``make torture``, or one part or one failure of it alone.

    python tests/torture                                  all of it
    python tests/torture power-fail --seed 7 --image 38   one image again

It says how far it is, prints one table at the end, and each failure with the command that replays
it. It ends with 1 if there was one.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

import forget_killed
import io_sites
from pieces import Result, do, pieces

IMAGES, CYCLES, SECONDS = 10_000, 1_000, 60.0
QUIET_SECONDS = 30.0
PARTS = ("power-fail", "io-sites", "kills", "forget-killed", "clock-jumps", "crowd")
WHAT = {
    "power-fail": "power-fail images",
    "io-sites": "failed calls to the disk",
    "kills": "SIGKILL cycles",
    "forget-killed": "forgets broken off",
    "clock-jumps": "clock jumps",
    "crowd": "rounds of 8 writers beside a sweep and a backup",
}


class Report:
    """What was found so far, on one line; and the table at the end."""

    def __init__(self, todo: int) -> None:
        self._todo, self._done = todo, 0
        self._began = time.perf_counter()
        self._shown = 0.0
        self._cases: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}
        self._counts: dict[str, Counter[str]] = {}
        self.faults: dict[str, list[str]] = {}

    def add(self, result: Result, seconds: float) -> None:
        """Take in a result and show the line."""
        part = result.part
        self._done += 1
        self._cases[part] += result.cases
        self._seconds[part] = self._seconds.get(part, 0.0) + seconds
        self._counts.setdefault(part, Counter()).update(result.counts)
        self.faults.setdefault(part, []).extend(result.faults)
        for fault in result.faults:
            print(f"\nFAULT in {part}: {fault}", flush=True)
        self._show_progress()

    def _show_progress(self) -> None:
        """Say how far it is: all the time at a terminal, now and then elsewhere."""
        failed, cases = sum(map(len, self.faults.values())), sum(self._cases.values())
        line = f"{self._done}/{self._todo} pieces, {cases:,} cases, {failed} faults"
        line = f"{line}, {self._elapsed():.0f} s"
        if sys.stderr.isatty():
            print(f"\r{line} ", end="", file=sys.stderr, flush=True)
        elif self._elapsed() >= self._shown + QUIET_SECONDS:
            self._shown = self._elapsed()
            print(line, file=sys.stderr, flush=True)

    def _elapsed(self) -> float:
        return time.perf_counter() - self._began

    def table(self) -> str:
        """Return the closing table."""
        rows = [("", "cases", "faults", "seconds of one core", "a second")]
        for part in PARTS:
            if part in self._seconds:
                cases, seconds = self._cases[part], self._seconds[part]
                rate = f"{cases / seconds:.1f}" if seconds else ""
                faults = len(self.faults[part])
                rows.append((WHAT[part], f"{cases:,}", str(faults), f"{seconds:.0f}", rate))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = [
            "  ".join(
                cell.rjust(width) if column else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        for part, counts in self._counts.items():
            said = ", ".join(f"{count:,} {name or 'no error'}" for name, count in counts.items())
            lines.append(f"{part}: {said}")
        return "\n".join(["", *lines, f"{self._elapsed():.0f} seconds in all"])


def arguments(given: list[str]) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python tests/torture", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--images", type=int, default=IMAGES, help="of power failures")
    parser.add_argument("--cycles", type=int, default=CYCLES, help="of kills")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for the crowd")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--image", type=int, help="replay: of this number, of the seed")
    parser.add_argument("--work", help="replay: of io-sites, by name")
    parser.add_argument("--site", type=int, help="replay: the number of the call")
    parser.add_argument("--fault", default=io_sites.EIO, help="replay: how the call fails")
    parser.add_argument("--kind", choices=[*forget_killed.KINDS], help="replay: of forget")
    parser.add_argument("--encryption", choices=["on", "off"], default="off", help="replay")
    parser.add_argument("--at", choices=forget_killed.SITES, help="replay: calls of what")
    parser.add_argument("--way", choices=forget_killed.WAYS, help="replay: broken off how")
    asked = parser.parse_args(given)
    unknown = {*asked.parts} - {*PARTS}
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    asked.parts = asked.parts or list(PARTS)
    return asked


def main(given: list[str]) -> int:
    """Do what is asked for; return the exit code."""
    asked = arguments(given)
    todo = list(pieces(asked))
    has_crowd = "crowd" in asked.parts
    report = Report(len(todo) + has_crowd)
    if has_crowd:
        report.add(*do(("crowd", (asked.seconds,))))
    with ProcessPoolExecutor(asked.jobs, multiprocessing.get_context("spawn")) as pool:
        waiting = {pool.submit(do, piece): piece for piece in todo}
        for done in as_completed(waiting):
            try:
                report.add(*done.result())
            except BrokenProcessPool:  # it was killed, or SQLite crashed
                part, given = waiting[done]
                report.add(Result(part, 0, [f"a process died; not done: {part} {given}"]), 0.0)
    print(report.table(), flush=True)
    return 1 if any(report.faults.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
