"""A replay: every case through every policy at every window, in several processes if need be.

The order in which cases are done follows from their sizes, so that all processes end together; the
order of what is returned is that of the cases. What happens inside one case, and what is made of
the figures, is left to others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lifelong.errors import InvalidValue
from lifelong.messages import Message
from lifelong.providers.counters import tiktoken_counter, tokenizers_counter
from lifelong.replay.cases import Case, Unreadable
from lifelong.replay.figures import CaseFigures
from lifelong.replay.finished import Finished, key_of
from lifelong.replay.policies import NamedPolicy
from lifelong.replay.processes import Failure, work_through
from lifelong.replay.run_case import replay_case
from lifelong.replay.ways import ways_of
from lifelong.working.carried import argument_text
from lifelong.working.tokens import TokenCounter

OnProgress = Callable[[int, int, str], None]
"""Called with cases done, cases in all, and which was done last."""

WINDOWS = (8_192, 16_384, 32_768)

TIKTOKEN, TOKENIZERS = "tiktoken", "tokenizers"
"""The counters that there are, by name; after a colon the encoding, or the file."""

_CHARACTERS_A_PROCESS = 400_000
"""With less to read in all, a second process would take longer to begin than to help."""


@dataclass(frozen=True)
class Grid:
    """What each case is put through.

    Attributes:
        policies: each at each window.
        windows: in tokens.
        has_recall: whether what is gone is also looked for as `recall` would; it takes time.
        counter: for exact counts beside the estimate: ``tiktoken``, ``tiktoken:ENCODING`` or
            ``tokenizers:FILE``; None for the estimate alone.

    Raises:
        InvalidValue: there is no policy or no window, one twice, or no such counter.
    """

    policies: tuple[NamedPolicy, ...]
    windows: tuple[int, ...] = WINDOWS
    has_recall: bool = True
    counter: str | None = None

    def __post_init__(self) -> None:
        _require_distinct("policy", [policy.name for policy in self.policies])
        _require_distinct("window", self.windows)
        for window in self.windows:
            if not isinstance(window, int) or isinstance(window, bool) or window < 1:
                raise InvalidValue(f"a window of {window!r} tokens")
        if self.counter is not None:
            _named_counter(self.counter)


def replay(
    cases: Iterable[Case | Unreadable],
    grid: Grid,
    *,
    jobs: int | None = 1,
    resume: Path | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[CaseFigures, ...]:
    """Put every case through the grid; return the figures in the order of the cases.

    A case that cannot be read or replayed has its reason in `problem`, and the rest goes on. Two
    runs give the same figures, whatever `jobs` is.

    Args:
        cases: all of them are held in memory.
        grid: the policies and windows.
        jobs: processes; None for as many as there are cores, and for one where there is little to
            do. Of a script, with more than one, the main module must be importable.
        resume: a file in which each case is kept when it is done, and from which it is taken if it
            is there. It quotes what was said, and only you can read it (mode 0600).
        on_progress: told of each case that is done.

    Raises:
        InvalidValue: `jobs` is below one; a window leaves no room; `resume` is no file of a
            replay's, or in use.
        MissingExtra: the counter's package is not installed.
        OSError: the file to resume cannot be read or written.
    """
    if jobs is not None and jobs < 1:
        raise InvalidValue(f"{jobs} jobs")
    given = list(cases)
    CaseWork(grid)  # before anything is done: what is wrong with the grid is no case's problem
    with Finished.opened(resume) as finished:
        return _Replay(given, grid, finished).through(jobs, on_progress)


def counter_of(name: str | None) -> TokenCounter | None:
    """Return the counter with this name, or None for None.

    Raises:
        InvalidValue: there is no such counter, encoding or file.
        MissingExtra: its package is not installed.
    """
    return None if name is None else _named_counter(name)()


def _named_counter(name: str) -> Callable[[], TokenCounter]:
    kind, _, detail = name.partition(":")
    if kind == TIKTOKEN:
        return partial(tiktoken_counter, detail) if detail else tiktoken_counter
    if kind == TOKENIZERS and detail:
        return partial(tokenizers_counter, detail)
    raise InvalidValue(f"counter {name!r}: {TIKTOKEN}, {TIKTOKEN}:ENCODING or {TOKENIZERS}:FILE")


def _require_distinct(what: str, names: Sequence[object]) -> None:
    if not names:
        raise InvalidValue(f"no {what}: pass one or more")
    for name in names:
        if names.count(name) > 1:
            raise InvalidValue(f"{what} {name!r} twice")


class _Replay:
    """One replay: what is left to do, and what is done."""

    def __init__(
        self, cases: Sequence[Case | Unreadable], grid: Grid, finished: Finished | None
    ) -> None:
        self._cases = cases
        self._grid = grid
        self._finished = finished
        self._done: dict[int, CaseFigures] = {}
        self._keys: dict[int, str | None] = {}

    def through(self, jobs: int | None, on_progress: OnProgress | None) -> tuple[CaseFigures, ...]:
        """Do what is left, the longest case first, and return the figures of all."""
        self._take_what_is_done()
        sizes = {
            place: _size(case.messages)
            for place, case in enumerate(self._cases)
            if place not in self._done and isinstance(case, Case)
        }
        places = sorted(sizes, key=lambda place: (-sizes[place], place))
        left = [case for place in places if isinstance(case := self._cases[place], Case)]
        work = work_through(
            left, partial(CaseWork, self._grid), jobs=jobs or _worth_while(sum(sizes.values()))
        )
        if on_progress:
            on_progress(len(self._done), len(self._cases), left[0].id if left else "done")
        with closing(work):
            for number, result in work:
                self._keep(places[number], left[number], result)
                if on_progress:
                    on_progress(len(self._done), len(self._cases), left[number].id)
        return tuple(self._done[place] for place in range(len(self._cases)))

    def _take_what_is_done(self) -> None:
        how = None
        if self._finished:
            kind, _, detail = (self._grid.counter or "").partition(":")
            file = Path(detail) if kind == TOKENIZERS else None
            how = key_of(_version(), self._grid, file)
        for place, case in enumerate(self._cases):
            if isinstance(case, Unreadable):
                self._done[place] = CaseFigures(case.id, case.source, problem=case.problem)
            elif self._finished and how:
                self._keys[place] = key_of(how, case)
                known = self._finished.get(self._keys[place])
                if known is not None:
                    self._done[place] = known

    def _keep(self, place: int, case: Case, result: CaseFigures | Failure) -> None:
        if isinstance(result, Failure):
            # Not kept in the file: what failed for want of memory, say, is tried again.
            self._done[place] = _unreplayed(case, result.reason)
            return
        self._done[place] = result
        if self._finished:
            self._finished.add(self._keys.get(place), result)


class CaseWork:
    """Replays one case after another, in whatever process it is made.

    Raises:
        InvalidValue: a window leaves no room, or there is no such encoding or file to count by.
        MissingExtra: the counter's package is not installed.
    """

    def __init__(self, grid: Grid) -> None:
        self._ways = ways_of(grid.policies, grid.windows)
        self._has_recall = grid.has_recall
        self._count_exact = counter_of(grid.counter)

    def __call__(self, case: Case) -> CaseFigures:
        """Return the figures of one case."""
        return replay_case(case, self._ways, recall=self._has_recall, count_exact=self._count_exact)


def _unreplayed(case: Case, problem: str) -> CaseFigures:
    return CaseFigures(
        id=case.id,
        source=case.source,
        format=case.format,
        messages=len(case.messages),
        is_ended=case.is_ended,
        problem=problem,
        notes=case.notes,
    )


def _size(messages: Iterable[Message]) -> int:
    """Return about how much there is to read; work grows with it."""
    return sum(
        len(getattr(part, "text", "") or "") + len(argument_text(getattr(part, "arguments", "")))
        for message in messages
        for part in message.parts
    )


def _worth_while(characters: int) -> int:
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(cores, 1 + characters // _CHARACTERS_A_PROCESS)


def _version() -> str:
    try:
        return version("lifelong")
    except PackageNotFoundError:
        return "unknown"
