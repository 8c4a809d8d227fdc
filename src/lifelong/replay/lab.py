"""One replay, from names and files to a report: what the command line and pytest's fixture share.

What can be wrong with the question is found before the first case is begun. Each part is done
elsewhere; here they are only put together.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from lifelong.errors import InvalidValue, TranscriptError
from lifelong.export_files import write_export
from lifelong.replay import suggest
from lifelong.replay.assertions import Assertion, failed, parse
from lifelong.replay.cases import Case, Unreadable, read_cases
from lifelong.replay.cassettes import Cassette, begin
from lifelong.replay.figures import FAILED, CaseFigures
from lifelong.replay.html import page_of
from lifelong.replay.policies import PIPELINE, NamedPolicy, named_policies
from lifelong.replay.prices import PriceTable, read_prices
from lifelong.replay.report import Report, report_of
from lifelong.replay.run import WINDOWS, Grid, OnProgress
from lifelong.replay.run import replay as run
from lifelong.replay.suggest import Suggestion
from lifelong.replay.totals import frontier, totals_of
from lifelong.replay.windows import window_of
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.summary import Summariser

POLICIES = ("none", "last-10", "trim", "clear", "clear+trim", "clear+compact")
"""What is compared when nobody says what: nothing, what documentation shows, and ours."""

_IN_A_CASE = ("asked", "shown")
"""Of each request: too much for who wants the figures of a case."""


@dataclass(frozen=True)
class Question:
    """What is asked of recorded sessions.

    Attributes:
        policies: names, TOML files, ``module:object``, or values; None for the usual ones.
        windows: in tokens, or as `window_of` reads them.
        prices: what tokens cost, or the file that says so; None for no costs.
        has_recall: whether what is gone is also looked for as `recall` would.
        counter: as of a `Grid`.
        cassette: summaries that were recorded, in place of a model.
        is_recording: ask for summaries that are not in the cassette, and add them.
        is_suggesting: also try a small grid of policies; in place of the usual ones.
        resume, jobs: as of `lifelong.replay.run.replay`.
    """

    policies: tuple[str | os.PathLike[str] | NamedPolicy, ...] | None = None
    windows: tuple[int | str, ...] = WINDOWS
    prices: PriceTable | Path | None = None
    has_recall: bool = True
    counter: str | None = None
    cassette: Path | None = None
    is_recording: bool = False
    is_suggesting: bool = False
    resume: Path | None = None
    jobs: int | None = None

    def asked_of(
        self, cases: Iterable[Case | Unreadable], *, on_progress: OnProgress | None = None
    ) -> Report:
        """Return the report of a replay.

        Raises:
            InputError: something in the question cannot be used; one of its kinds.
            MissingExtra: the counter's package is not installed.
            OSError: a file cannot be read or written.
        """
        prices = read_prices(self.prices) if isinstance(self.prices, Path) else self.prices
        windows = tuple(window_of(w) if isinstance(w, str) else w for w in self.windows)
        policies = tuple(map(self._on_cassette, self.named))
        grid = Grid(policies, windows, self.has_recall, self.counter)
        done = run(cases, grid, jobs=self.jobs, resume=self.resume, on_progress=on_progress)
        return report_of(done, prices)

    @cached_property
    def named(self) -> tuple[NamedPolicy, ...]:
        """The policies that are compared.

        Raises:
            InvalidValue: one is none.
        """
        usual = () if self.is_suggesting else POLICIES
        named: list[NamedPolicy] = []
        for given in usual if self.policies is None else self.policies:
            if isinstance(given, NamedPolicy):
                named.append(given)
            elif isinstance(given, str | os.PathLike):
                named += named_policies([os.fspath(given)])
            else:
                raise InvalidValue(f"policy {given!r}: give it a name, as NamedPolicy does")
        if self.is_suggesting:
            names = {policy.name for policy in named}
            named += [policy for policy in suggest.grid() if policy.name not in names]
        return tuple(named)

    def suggestion(self, report: Report) -> Suggestion | None:
        """Return what is suggested after the replay; None when nobody asked."""
        return suggest.suggest(report.totals, self.named) if self.is_suggesting else None

    def troubles(self, report: Report) -> tuple[str, ...]:
        """Return what went wrong inside cases, in words, what raised first.

        That all of a session, or its last items, do not fit or are refused is no trouble.
        """
        foreign = {policy.name for policy in self.named if policy.kind != PIPELINE}
        ways = [(case, way) for case in report.cases for way in case.ways]
        ways.sort(key=lambda each: all(asked.outcome != FAILED for asked in each[1].asked))
        return tuple(
            f"{case.id}: {way.policy} at {way.window_tokens:,}: {problem}"
            for case, way in ways
            if way.policy not in foreign
            for problem in way.problems
        )

    def _on_cassette(self, policy: NamedPolicy) -> NamedPolicy:
        """Return a policy whose summaries are played, or recorded: those that a model makes."""
        if self.cassette is None:
            if self.is_recording:
                raise InvalidValue("there is nothing to record to: name a cassette too")
            return policy
        if not self.is_recording and not self.cassette.is_file():
            raise InvalidValue(f"the cassette {self.cassette} is not there; record it first")
        if self.is_recording:
            begin(self.cassette)
        policies = tuple(
            replace(each, summariser=self._played(self.cassette, each.summariser))
            if isinstance(each, Compact)
            else each
            for each in policy.policies
        )
        summariser = self._played(self.cassette, policy.summariser)
        return replace(policy, policies=policies, summariser=summariser)

    def _played(self, cassette: Path, summariser: Summariser | None) -> Summariser | None:
        if summariser in (None, extractive_summary):
            return summariser
        return Cassette(cassette, summariser if self.is_recording else None)


def cases_of(paths: Sequence[Path], *, source: str | None = None) -> list[Case | Unreadable]:
    """Return the recorded sessions in files and folders.

    Raises:
        TranscriptError: a path is not there.
        InvalidValue: there is no such source.
    """
    for path in paths:
        if not path.exists():
            raise TranscriptError(f"{path} is not there")
    return list(read_cases(paths, source=source))


def conditions_of(texts: Iterable[str]) -> tuple[Assertion, ...]:
    """Return conditions such as ``survival>=0.97`` or ``invalid==0``.

    Raises:
        InvalidValue: one is none.
    """
    return tuple(parse(each) for each in texts)


def failures(report: Report, conditions: Sequence[Assertion]) -> tuple[str, ...]:
    """Return what breaks conditions, in words with the figures; nothing when all hold.

    A case that could not be replayed breaks any condition: its figures are not in the sums.

    Args:
        report: of a replay.
        conditions: each for every policy at every window.
    """
    if not conditions:
        return ()
    unread = [f"{case.id}: {case.problem}" for case in report.cases if case.problem]
    none = [] if report.cases else ["there is no session to replay"]
    return (*none, *unread, *failed(conditions, report.totals))


def fields_of(report: Report) -> dict[str, Any]:
    """Return the sums of a report, of all cases and of each, as JSON has them."""
    return {
        "policies": report.policies,
        "windows": report.windows,
        "prices": report.prices,
        "totals": report.totals,
        "frontier": [(way.policy, way.window_tokens) for way in frontier(report.totals)],
        "lengths": report.lengths,
        "cases": [_fields_of_case(case, report.prices) for case in report.cases],
    }


def write_page(report: Report, file: Path) -> None:
    """Write a report as one page, whole or not at all, that only you can read (mode 0600).

    Raises:
        OSError: it cannot be written; what was there before still is.
    """
    write_export(file, page_of(report).split("\n"))


def _fields_of_case(case: CaseFigures, prices: PriceTable | None) -> dict[str, Any]:
    fields = asdict(case)
    totals = totals_of([case], prices)
    for way, total in zip(fields["ways"], totals, strict=True):
        for name in _IN_A_CASE:
            del way[name]
        way["totals"] = total
    return fields
