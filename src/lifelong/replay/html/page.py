"""The page: one file with everything in it, that may be opened, printed and mailed.

It has no script and asks no network, and a reader's browser is told to allow neither. What was said
in the sessions is quoted in it, so it is as secret as they are.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from lifelong.replay.findings import sentences
from lifelong.replay.html import panels, sections
from lifelong.replay.html.lengths import lengths_section
from lifelong.replay.html.markup import Markup, tag, theirs
from lifelong.replay.html.series import requests_of
from lifelong.replay.report import Report
from lifelong.replay.wording import counted, told

_FOOT = (
    "Made by lifelong replay from recorded sessions; no model was asked and nothing was judged. "
    "This page loads nothing and runs nothing. It quotes what was said in the sessions."
)


def page_of(report: Report) -> str:
    """Return a report as one HTML page.

    Args:
        report: of a replay.
    """
    parts = [
        ("meaning", "In short", _findings(report)),
        ("totals", "Policies and windows", sections.totals(report)),
        ("frontier", "Survival against cost", panels.frontier_section(report)),
        ("tokens", "Tokens, request by request", panels.tokens_section(report)),
        (
            "cost",
            "Running " + ("cost" if report.prices else "tokens"),
            panels.running_section(report),
        ),
        ("strips", "What became of each message", panels.strips_section(report)),
        ("losses", "The worst losses", sections.losses(report)),
        ("lengths", "How long sessions go on", lengths_section(report.lengths)),
        ("sessions", "Sessions", sections.sessions(report)),
        ("words", "Words", sections.meanings()),
    ]
    links = [tag("a", title, href=f"#{id}") for id, title, _ in parts]
    body = tag(
        "body",
        tag("a", "Skip to the figures", href="#totals", class_="skip"),
        panels.patterns(),
        tag(
            "header",
            tag("h1", theirs(told(report.title, 200))),
            tag("p", _subject(report), class_="quiet"),
            tag("nav", *links, aria_label="Sections"),
        ),
        tag("main", [_section(*part) for part in parts]),
        tag("footer", tag("p", _FOOT, class_="quiet")),
    )
    return f"<!doctype html>\n{tag('html', _head(report), body, lang='en')}\n"


def _head(report: Report) -> Markup:
    css = _style()
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", told(report.title, 200)),
        tag("style", Markup(css)),
    )


@cache
def _style() -> str:
    return files(__package__).joinpath("style.css").read_text(encoding="utf-8")


def _section(id: str, title: str, content: Markup) -> Markup:
    return tag("section", tag("h2", title, id=f"{id}-h"), content, id=id, aria_labelledby=f"{id}-h")


def _findings(report: Report) -> Markup:
    return tag("ul", [tag("li", each) for each in sentences(report)], class_="findings")


def _subject(report: Report) -> str:
    requests = sum(requests_of(case) for case in report.cases)
    ways = counted(len(report.policies) * len(report.windows), "way")
    policies = counted(len(report.policies), "policy", "policies")
    replayed = sum(1 for case in report.cases if not case.problem)
    size = f"{counted(replayed, 'session')} with {counted(requests, 'request')}"
    unread = len(report.cases) - replayed
    more = f" {counted(unread, 'more', 'more')} could not be replayed." if unread else ""
    windows = counted(len(report.windows), "window")
    return f"{size}, replayed in {ways}: {policies} at {windows}.{more}"
