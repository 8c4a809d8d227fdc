"""The long form in pieces, each some seconds of work; a process that is free takes the next one."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import clock_jumps
import crowd
import forget_killed
import io_sites
import kills
import power_fail

JUMPS, JUMPS_A_RUN = 20, 30
RAISED_EVERY = 5
"""A kill at every call; an error, which SQLite takes back as a kill does, at one of so many."""
SITES_SHARED = 4
"""The calls of a work that makes hundreds are failed by so many processes, in turn."""


@dataclass(slots=True)
class Result:
    """What one piece of work found."""

    part: str
    cases: int
    faults: list[str]
    counts: Counter[str] = field(default_factory=Counter)


Piece = tuple[str, tuple[Any, ...]]
"""A part, and what its function takes."""


def _power_fail(seed: int, images: int, image: int | None) -> Result:
    tally = power_fail.torture(seed, images, image)
    return Result("power-fail", tally.images, tally.faults, tally.counts)


def _io_sites(work: str, every: int, first: int, only: tuple[int, str] | None) -> Result:
    tally = io_sites.torture(work, every=every, first=first, only=only)
    counts = Counter({"sites": tally.sites, **tally.errors})
    return Result("io-sites", tally.cases, tally.faults, counts)


def _kills(seed: int, cycles: int) -> Result:
    tally = kills.torture(seed, cycles)
    counts = Counter({"acknowledged": tally.acknowledged, **tally.outcomes})
    return Result("kills", tally.cycles, tally.faults, counts)


def _forget_killed(kind: str, encryption: str, site: str, way: str, only: int | None) -> Result:
    every = 1 if way == forget_killed.KILLED else RAISED_EVERY
    tally = forget_killed.torture(kind, encryption, site=site, way=way, every=every, only=only)
    return Result("forget-killed", tally.cases, tally.faults, tally.outcomes)


def _clock_jumps(seed: int) -> Result:
    return Result("clock-jumps", JUMPS_A_RUN, clock_jumps.torture(seed, JUMPS_A_RUN))


def _crowd(seconds: float) -> Result:
    done, faults = crowd.torture(seconds)
    counts = Counter(reads=sum(each.reads for each in done))
    if done:
        counts.update(sweeps=done[crowd.SWEEPER].rounds, backups=done[crowd.BACKER].rounds)
    return Result("crowd", sum(each.rounds for each in done[: crowd.WRITERS]), faults, counts)


_DO: dict[str, Callable[..., Result]] = {
    "power-fail": _power_fail,
    "io-sites": _io_sites,
    "kills": _kills,
    "forget-killed": _forget_killed,
    "clock-jumps": _clock_jumps,
    "crowd": _crowd,
}


def pieces(asked: argparse.Namespace) -> Iterator[Piece]:
    """Yield all that is asked for, but for the crowd, which needs the machine for itself."""
    for part in asked.parts:
        if part in _PIECES:
            yield from _PIECES[part](asked)


def _images(asked: argparse.Namespace) -> Iterator[Piece]:
    size = power_fail.IMAGES_PER_RECORDING
    if asked.image is not None:
        yield "power-fail", (asked.seed, size, asked.image)
        return
    for at, images in enumerate(_batches(asked.images, size)):
        yield "power-fail", (asked.seed + at, images, None)


def _sites(asked: argparse.Namespace) -> Iterator[Piece]:
    only = (asked.site, asked.fault) if asked.site else None
    for work in io_sites.workload():
        if asked.work in (None, work.name):
            every = SITES_SHARED if work.is_long and not only else 1
            for first in range(every):
                yield "io-sites", (work.name, every, first, only)


def _cycles(asked: argparse.Namespace) -> Iterator[Piece]:
    for at, cycles in enumerate(_batches(asked.cycles, kills.CYCLES_PER_STORE)):
        yield "kills", (asked.seed + at, cycles)


def _jumps(asked: argparse.Namespace) -> Iterator[Piece]:
    for at in range(JUMPS):
        yield "clock-jumps", (asked.seed + at,)


def _batches(count: int, size: int) -> list[int]:
    return [min(size, count - done) for done in range(0, count, size)]


def _forgets(asked: argparse.Namespace) -> Iterator[Piece]:
    for kind in forget_killed.KINDS:
        for site in forget_killed.SITES:
            for way in forget_killed.WAYS:
                is_asked = (
                    asked.kind in (None, kind)
                    and asked.at in (None, site)
                    and asked.way in (None, way)
                )
                if is_asked:
                    yield "forget-killed", (kind, asked.encryption, site, way, asked.site)


_PIECES: dict[str, Callable[[argparse.Namespace], Iterator[Piece]]] = {
    "power-fail": _images,
    "io-sites": _sites,
    "kills": _cycles,
    "forget-killed": _forgets,
    "clock-jumps": _jumps,
}


def do(piece: Piece) -> tuple[Result, float]:
    """Do one piece, and say how long it took."""
    began = time.perf_counter()
    part, given = piece
    return _DO[part](*given), time.perf_counter() - began
