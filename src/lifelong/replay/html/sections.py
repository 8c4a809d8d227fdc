"""Pieces of the page that are words: tables, legends, losses, sessions and what the words mean."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lifelong.replay.figures import NOWHERE, CaseFigures
from lifelong.replay.findings import Worst, best_way, losses_of, worst_losses
from lifelong.replay.html.colours import look, swatch
from lifelong.replay.html.markup import Markup, joined, tag, theirs
from lifelong.replay.html.series import requests_of
from lifelong.replay.report import Report
from lifelong.replay.tables import LEFT, RIGHT, Table, edits_table, problems_table, totals_table
from lifelong.replay.wording import counted, named, number, told, visible

LOSSES_MAX, ALL_LOSSES_MAX = 8, 400
"""Of one policy, and of all of them, at most."""

SESSIONS_MAX, PROBLEMS_MAX = 500, 200
_COUNTS_OF_WRONG = ("invalid", "not fit", "failed")
_IN_WORDS = ("notes", "problem")

_WORDS = {
    "request": "One call of the model in the recorded session, made again by each policy.",
    "turn": "A message of the user and everything up to the next one.",
    "needed": "A rare word (an identifier, number, path or name) that the recorded agent or user "
    "used next and that came from earlier in the session.",
    "shown, + summary, + recall": "Which share of what was needed is in the messages that are "
    "sent; in these or in a summary; in these, in a summary or in what one recall brings back.",
    "invalid": "Requests that a provider would refuse, such as a tool result without its call.",
    "not fit": "Requests that could not be made small enough; nothing is sent then.",
    "failed": "Requests that were not made because the policy raised an error.",
    "cached": "Which share of the tokens is the unchanged beginning of the request before.",
    "turns ago": "How many turns before what was no longer in the history had been said: the "
    "middle one of all that was lost.",
    "edits, tokens taken": "What a request has changed that the one before had not, and the tokens "
    "that this took away.",
    "summaries, tokens read, written": "Segments that were summed up, and what the model that sums "
    "up read and wrote for them; nothing, where no model is asked.",
    "kept, cleared, summarised, dropped": "What became of a message: sent as it was said; sent "
    "with something in it blanked or shortened; stood for by a summary; not sent.",
}


def table(shown: Table, *, marked: int | None = None, groups: bool = False) -> Markup:
    """Return a table in a frame that scrolls, and that the keyboard reaches.

    Args:
        shown: the table.
        marked: the number of a row that stands out, from 0.
        groups: whether a rule stands where the first cell changes.
    """
    heads = [
        tag("th", head, scope="col", class_=_class_of(side))
        for head, side in zip(shown.heads, shown.alignment, strict=True)
    ]
    firsts = [n for n, (a, b) in enumerate(pairwise(shown.rows), 1) if groups and a[0] != b[0]]
    classes: dict[int | None, str] = {**dict.fromkeys(firsts, "first"), marked: "best"}
    rows = [
        tag("tr", _cells(shown, cells), class_=classes.get(place))
        for place, cells in enumerate(shown.rows)
    ]
    whole = tag(
        "table",
        tag("caption", shown.title),
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
    )
    return tag("div", whole, class_="scroll", tabindex=0, role="region", aria_label=shown.title)


def totals(report: Report) -> Markup:
    """Return the table of all ways, with the cheapest that reaches the goal marked."""
    best = best_way(report)
    marked = next((n for n, each in enumerate(report.totals) if each is best), None)
    said = "The marked row is the cheapest that reaches the goal." if marked is not None else None
    return joined(
        table(totals_table(report), marked=marked, groups=True),
        tag("p", said, class_="quiet") if said else None,
        tag(
            "details",
            tag("summary", "Edits and summaries"),
            table(edits_table(report), groups=True),
        ),
    )


def legend(report: Report) -> Markup:
    """Return how each policy is drawn."""
    items = [
        tag("li", swatch(look(number)), theirs(named(policy)))
        for number, policy in enumerate(report.policies)
    ]
    return tag("ul", *items, class_="legend")


def losses(report: Report) -> Markup:
    """Return the worst losses of each policy, folded but for the cheapest that reaches the goal."""
    best = best_way(report)
    parts = []
    for policy in report.policies[:ALL_LOSSES_MAX]:
        most = max(1, min(LOSSES_MAX, ALL_LOSSES_MAX // len(report.policies)))
        worst = worst_losses(report, policy, most)
        if worst:
            is_open = "" if best is not None and best.policy == policy else None
            words = f"{len(worst)} of the worst losses"
            items = [_loss(each) for each in worst]
            parts.append(
                tag(
                    "details",
                    tag("summary", theirs(named(policy)), f": {words}"),
                    tag("ol", *items, class_="losses"),
                    open=is_open,
                )
            )
    return joined(parts) if parts else tag("p", "Nothing that was needed was lost.", class_="empty")


def sessions(report: Report) -> Markup:
    """Return what was replayed, and what went wrong."""
    problems = problems_table(report.cases)
    listed = [_session(case) for case in report.cases[:SESSIONS_MAX]]
    heads = ("session", "source", "format", "messages", "turns", "requests", "lost", "notes")
    sides = (*(LEFT,) * 3, *(RIGHT,) * 4, LEFT)
    title = "Sessions as they were read; lost: by all ways together"
    shown = Table(title, heads, sides, tuple(listed))
    count = counted(len(report.cases), "session")
    more = len(report.cases) - len(listed)
    return joined(
        _problems(problems) if problems.rows else tag("p", "Nothing went wrong."),
        tag(
            "details",
            tag("summary", f"All {count}" if not more else f"{len(listed):,} of {count}"),
            table(shown),
        )
        if listed
        else None,
    )


def meanings() -> Markup:
    """Return what the words of the page mean."""
    return tag(
        "dl",
        [joined(tag("dt", word), tag("dd", meaning)) for word, meaning in _WORDS.items()],
        class_="words",
    )


def _problems(shown: Table) -> Markup:
    few = Table(shown.title, shown.heads, shown.alignment, shown.rows[:PROBLEMS_MAX])
    return tag(
        "details",
        tag("summary", counted(len(shown.rows), "problem")),
        table(few),
        open="" if len(shown.rows) <= 10 else None,
    )


def _session(case: CaseFigures) -> tuple[str, ...]:
    ended = () if case.is_ended else ("may still go on",)
    return (
        named(case.id),
        named(case.source),
        named(case.format),
        number(case.messages),
        number(case.turns),
        number(requests_of(case)),
        number(losses_of(case)),
        told("; ".join((*ended, *case.notes)), 200),
    )


def _cells(shown: Table, cells: Sequence[str]) -> list[Markup]:
    sides = [_class_of(side) for side in shown.alignment]
    name, *others = zip(shown.heads, cells, sides, strict=True)
    return [
        tag("th", theirs(name[1]), scope="row", class_=name[2]),
        *(_cell(head, cell, side) for head, cell, side in others),
    ]


def _cell(head: str, cell: str, side: str | None) -> Markup:
    if head in _COUNTS_OF_WRONG and cell != "0":
        return tag("td", cell, class_=f"{side} bad")
    in_words = "words" if head in _IN_WORDS else None
    return tag("td", cell if side else theirs(cell), class_=side or in_words)


def _class_of(side: str) -> str | None:
    return side if side == RIGHT else None


def _loss(worst: Worst) -> Markup:
    loss = worst.loss
    where = "nowhere" if loss.found_in == NOWHERE else f"only in {named(loss.found_in)}"
    windows = ", ".join(f"{each:,}" for each in worst.windows)
    meta = f" {counted(loss.turns_ago, 'turn')} ago, found {where}; request {loss.request:,} of "
    speaker = tag("span", " (", theirs(named(loss.said_by)), ")", class_="quiet")
    return tag(
        "li",
        tag(
            "p",
            tag("code", theirs(named(loss.token, 120))),
            meta,
            theirs(named(worst.case_id)),
            tag("span", f" (windows: {windows})", class_="quiet"),
        ),
        tag(
            "dl",
            tag("dt", "said"),
            tag("dd", _quoted(loss.said, loss.token), speaker),
            tag("dt", "used"),
            tag("dd", _quoted(loss.used, loss.token)),
        ),
    )


def _quoted(text: str, token: str) -> Markup:
    """Return a quotation with the first place of the token marked."""
    shown, sought = told(text), visible(token)
    before, found, after = shown.partition(sought) if sought else (shown, "", "")
    marked = tag("mark", found) if found else None
    return tag("bdi", before, marked, after)
