"""`lifelong replay`: recorded sessions through memory policies, before one is shipped."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from shutil import get_terminal_size
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lifelong.apps.cli.edge import DONE, INTERRUPTED, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, note, one_line, print_json
from lifelong.apps.cli.progress import progress
from lifelong.apps.cli.sessions import session_id_of
from lifelong.errors import InvalidValue

if TYPE_CHECKING:
    from lifelong.replay.lab import Question
    from lifelong.replay.lengths import Lengths
    from lifelong.replay.report import Report
    from lifelong.replay.suggest import Suggestion
    from lifelong.replay.tables import Table

_TROUBLES_MAX = 8
_NAMES = 2
"""The first columns of a table: policy and window."""


class ReplayOptions(NamedTuple):
    """What `lifelong replay` takes."""

    cases: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[CASES]...",
            help="Files or folders of recorded sessions; without any, the sessions of the store.",
        ),
    ] = None
    policy: Annotated[
        list[str],
        typer.Option(
            metavar="POLICY",
            help="A name, a TOML file or module:object; may be given again.",
        ),
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    window: Annotated[
        list[str],
        typer.Option(metavar="TOKENS", help="Such as 16384 or 16k; may be given again."),
    ] = []  # noqa: RUF012 - as above
    prices: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What tokens cost, for the cost.")
    ] = None
    counter: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Also count exactly: tiktoken, tiktoken:ENCODING or tokenizers:FILE.",
        ),
    ] = None
    recall: Annotated[
        bool,
        typer.Option("--recall/--no-recall", help="Whether what is gone is also recalled."),
    ] = True
    session: Annotated[
        list[str],
        typer.Option(metavar="ID", help="Of the store, only this session; may be given again."),
    ] = []  # noqa: RUF012 - as above
    source: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="What the files are; found out, if not said."),
    ] = None
    required: Annotated[
        list[str],
        typer.Option(
            "--assert", metavar="EXPR", help="Such as 'survival>=0.97'; may be given again."
        ),
    ] = []  # noqa: RUF012 - as above
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="Try a small grid, and name the cheapest that will do."),
    ] = False
    cassette: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Summaries that were recorded, in place of a model."),
    ] = None
    record: Annotated[
        bool,
        typer.Option("--record", help="Ask for summaries that are not there, and add them."),
    ] = False
    html: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write a page of its own, with plots; it quotes."),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep finished cases there, and go on from it."),
    ] = None
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Processes; as many as cores, if not said."),
    ] = None
    as_json: AsJson = False


@command(ReplayOptions)
def replay(given: ReplayOptions, place: Place) -> int:
    """Put recorded sessions through memory policies: what would each cost, and what would be lost?

    No model is called; the policies are the code that runs live.
    """
    lab = import_module("lifelong.replay.lab")  # late: the help of no command needs it
    _require_sound(given)
    question = _question(given, lab)
    conditions = lab.conditions_of(given.required)
    try:
        with progress(as_json=given.as_json) as step:
            report = question.asked_of(_cases(given, place, lab), on_progress=step)
    except KeyboardInterrupt:
        note(_stopped(given.resume))
        return INTERRUPTED
    if not report.cases:
        note("there is no session to replay")
    failures = lab.failures(report, conditions)
    if given.html is not None:
        lab.write_page(report, given.html)
    suggestion = question.suggestion(report)
    if given.as_json:
        print_json({**lab.fields_of(report), "suggestion": suggestion, "failures": failures})
    else:
        _show(report, suggestion)
        _note_troubles(report, question.troubles(report))
        for failure in failures:
            note(f"failed: {one_line(failure)}")
    return DONE if report.cases and not failures and not _is_troubled(report) else NOTHING


def _is_troubled(report: Report) -> bool:
    """Tell whether a case could not be replayed, or a policy raised."""
    has_problem = any(case.problem for case in report.cases)
    return has_problem or any(each.failed for each in report.totals)


def _require_sound(given: ReplayOptions) -> None:
    """Refuse what contradicts itself before anything is read."""
    if given.cases and given.session:
        raise InvalidValue("--session is of the store: pass no files with it")
    read = [*(given.cases or ()), *filter(None, (given.prices, given.cassette))]
    if given.html is not None:
        _require_writable("--html", given.html, read)
        if given.html.is_dir():
            raise InvalidValue(f"--html {given.html} is a folder; name a file in it")
    if given.resume is not None:
        _require_writable("--resume", given.resume, [*read, *filter(None, [given.html])])


def _require_writable(option: str, file: Path, read: Sequence[Path]) -> None:
    """Refuse a file that cannot be there, or is in the place of what is read."""
    folder = file.absolute().parent
    if not folder.is_dir():
        raise InvalidValue(f"{option} {file}: its folder is not there")
    if not os.access(folder, os.W_OK):
        raise InvalidValue(f"{option} {file}: its folder cannot be written")
    place = file.resolve()
    for other in map(Path.resolve, read):
        if place == other:
            raise InvalidValue(f"{option} {file} would write into what is read")
        if place.is_relative_to(other):
            raise InvalidValue(f"{option} {file} is in a folder that is read; put it elsewhere")


def _question(given: ReplayOptions, lab: ModuleType) -> Question:
    question: Question = lab.Question(
        policies=tuple(given.policy) or None,
        windows=tuple(lab.window_of(each) for each in given.window) or lab.WINDOWS,
        prices=given.prices,
        has_recall=given.recall,
        counter=given.counter,
        cassette=given.cassette,
        is_recording=given.record,
        is_suggesting=given.suggest,
        resume=given.resume,
        jobs=given.jobs,
    )
    return question


def _cases(given: ReplayOptions, place: Place, lab: ModuleType) -> list[Any]:
    if given.cases:
        return list(lab.cases_of(given.cases, source=given.source))
    with place.opened() as owner:
        known = owner.sessions()
        names = [session_id_of(known, each) for each in given.session]
        return list(lab.read_cases([], owner, sessions=names))


def _stopped(resume: Path | None) -> str:
    if resume is None:
        return "stopped, and nothing is kept; with --resume FILE the same command would go on"
    return f"stopped: what was done is in {resume}; run the same command again to go on"


def _show(report: Report, suggestion: Suggestion | None) -> None:
    tables, findings = map(import_module, ("lifelong.replay.tables", "lifelong.replay.findings"))
    screen = Screen()
    replayed = [case for case in report.cases if not case.problem]
    turns = sum(case.turns for case in replayed)
    messages = sum(case.messages for case in replayed)
    screen.line(
        f"{counted(len(replayed), 'session')}, {counted(turns, 'turn')}, "
        f"{counted(messages, 'message')}"
    )
    screen.line()
    _show_table(screen, tables.totals_table(report))
    for sentence in findings.sentences(report):
        screen.line(one_line(sentence))
    if report.lengths is not None:
        _show_lengths(screen, report.lengths)
    if suggestion is not None:
        price = findings.price_words(report, suggestion.way) if suggestion.way else ""
        _show_suggestion(screen, suggestion, price)


def _note_troubles(report: Report, troubles: Sequence[str]) -> None:
    for case in report.cases:
        if case.problem:
            note(f"not replayed: {one_line(case.id)}: {one_line(case.problem)}")
        for told in case.notes:
            note(f"note: {one_line(case.id)}: {one_line(told)}")
    for told in troubles[:_TROUBLES_MAX]:
        note(f"trouble: {one_line(told)}")
    if len(troubles) > _TROUBLES_MAX:
        note(f"trouble: and {len(troubles) - _TROUBLES_MAX:,} more; --json has all")


def _show_lengths(screen: Screen, lengths: Lengths) -> None:
    """Print how many turns still follow, and when summing up has paid for itself."""
    still_open = f", of which {lengths.still_open:,} may still go on" if lengths.still_open else ""
    screen.line()
    screen.line(
        (f"Turns that follow, by {counted(lengths.sessions, 'session')}{still_open}", "bold")
    )
    for each in lengths.expected:
        guess = "" if each.is_known else f"; a guess, by {counted(each.sessions, 'session')} alone"
        so_far = counted(each.turns_so_far, "turn")
        screen.line(f"after {so_far}: {each.mean:,.1f} more, median {each.median:,}{guess}")
    for way in lengths.break_even:
        name = f"{one_line(way.policy)} at {way.window_tokens:,}"
        if way.turns is None:
            screen.line(f"{name}: what it sums up never pays for itself")
            continue
        verdict = "it pays" if way.pays else "it does not pay"
        screen.line(
            f"{name}: what it sums up has paid for itself after {way.turns:,.1f} turns; "
            f"{way.expected_turns:,.1f} are expected to follow, so {verdict}"
        )


def _show_suggestion(screen: Screen, found: Suggestion, price: str) -> None:
    screen.line()
    if found.way is None:
        screen.line(("No policy that was tried served every request", "bold red"))
        return
    way = found.way
    screen.line((f"Suggested: {one_line(way.policy)} at {way.window_tokens:,}", "bold green"))
    survival = "" if way.survival is None else f", showing {way.survival:.1%} of what was needed"
    screen.line(f"{price} for {counted(way.requests, 'request')}{survival}")
    if not found.is_enough:
        told = f"none of {counted(found.tried, 'way')} shows {found.survival_min:.0%}"
        screen.line((f"{told}; this one shows the most", "yellow"))
    if found.toml:
        screen.line("As a file for --policy:")
        screen.line(found.toml.rstrip(), indent=2)


def _show_table(screen: Screen, table: Table) -> None:
    """Print a table; on a terminal that is too narrow, in parts that each begin with its names."""
    screen.line((one_line(table.title), "bold"))
    if not table.rows:
        screen.line("nothing", indent=2)
        return
    columns = [
        [one_line(cell) for cell in column] for column in zip(table.heads, *table.rows, strict=True)
    ]
    widths = [max(map(len, column)) for column in columns]
    room = get_terminal_size().columns - 1 if sys.stdout.isatty() else sum(widths) * 3
    for part in _parts(widths, room):
        for row in range(len(table.rows) + 1):
            cells = [
                _aligned(columns[place][row], widths[place], table.alignment[place])
                for place in part
            ]
            screen.line(("  ".join(cells), "" if row else "bold"))


def _aligned(text: str, width: int, side: str) -> str:
    return text.rjust(width) if side == "right" else text.ljust(width)


def _parts(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Yield which columns stand beside one another; the first two name a row."""
    names = list(range(min(_NAMES, len(widths))))
    part = list(names)
    for place in range(len(names), len(widths)):
        if len(part) > len(names) and sum(widths[each] + 2 for each in [*part, place]) > room + 2:
            yield part
            part = list(names)
        part.append(place)
    yield part
