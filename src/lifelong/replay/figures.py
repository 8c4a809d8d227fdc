"""Figures of a replay: what each way did at each request of each case. Values, to JSON and back.

Nothing is weighed here: prices, totals and reports are made of these by others, so that a replay
that took minutes can be looked at again under other prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SENT, NOT_FIT, INVALID, FAILED = "sent", "not_fit", "invalid", "failed"
"""What became of a request: sent and valid; it could not be made to fit; the provider would refuse
it; the policy raised."""

KEPT, CLEARED, SUMMARISED, DROPPED = "kept", "cleared", "summarised", "dropped"
"""What became of a message at a request: shown as it was said; shown, and something in it blanked
or shortened; not shown, and stood for by a summary; not shown."""

HISTORY, SUMMARY, RECALL, NOWHERE = "history", "summary", "recall", "nowhere"
"""Where a needed token still is: in messages that are shown; in a summary or its appendix; in what
one `recall` brings back; in none of these. Each is counted at the first that has it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request of one way.

    Attributes:
        turn: of the session: messages of the user so far, from 1.
        outcome: ``sent``, ``not_fit``, ``invalid`` or ``failed``.
        tokens: sent, as estimated; 0 when nothing was.
        exact_tokens: the same by an exact counter, or None without one.
        kept_tokens: of `tokens`, those of the beginning that is what the request before sent, byte
            for byte: the most that a cache can give.
        output_tokens: what the recorded model wrote then, as estimated.
        edits: that this request has and the one before had not.
        edited_tokens: that those took away.
        needed: rare tokens that were used next and came from earlier in the session.
        in_history, in_summary, by_recall: how many of them were there, each at the first place.
        summaries: segments that were summed up before this request.
        summary_input_tokens, summary_output_tokens: what their summariser read and wrote.
        summed_tokens: of the messages that those segments stand for.
        summary_tokens: of their summaries.
    """

    turn: int
    outcome: str
    tokens: int = 0
    exact_tokens: int | None = None
    kept_tokens: int = 0
    output_tokens: int = 0
    edits: int = 0
    edited_tokens: int = 0
    needed: int = 0
    in_history: int = 0
    in_summary: int = 0
    by_recall: int = 0
    summaries: int = 0
    summary_input_tokens: int = 0
    summary_output_tokens: int = 0
    summed_tokens: int = 0
    summary_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Loss:
    """A rare token that was used next and that the request did not show in its history.

    Attributes:
        request: the number of the request in its case, from 1.
        turn: of the session.
        token: what was needed.
        found_in: ``summary``, ``recall`` or ``nowhere``.
        turns_ago: how many turns before it was last said.
        said_by: the role of the message that said it last.
        said: that message's text around it, at most some hundred characters.
        used: the text around its use.
    """

    request: int
    turn: int
    token: str
    found_in: str
    turns_ago: int
    said_by: str
    said: str
    used: str


@dataclass(frozen=True, slots=True)
class Shown:
    """What became of each message at one request: one column of a session's strip.

    Attributes:
        request: its number, from 1.
        states: runs of messages, oldest first, each a state and how many messages have it.
    """

    request: int
    states: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class WayFigures:
    """What one way, a policy at a window, did in one case.

    Attributes:
        policy: the name of the policy.
        window_tokens: of the model.
        asked: each request, in order.
        losses: the worst, what is nowhere first and then what was said longest ago.
        loss_turns: for each number of turns ago, how many tokens were lost, `losses` or not.
        shown: for some of the requests, evenly over the case.
        problems: what went wrong, each once, in words.
    """

    policy: str
    window_tokens: int
    asked: tuple[Asked, ...] = ()
    losses: tuple[Loss, ...] = ()
    loss_turns: tuple[tuple[int, int], ...] = ()
    shown: tuple[Shown, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseFigures:
    """What all ways did in one case.

    Attributes:
        id: of the case, unique in a replay.
        source: where it is from: a file's name, or ``store``.
        format: of its requests.
        messages: how many it has.
        turns: how many messages the user wrote.
        is_ended: whether it is over; one that may still go on is right-censored.
        problem: why it could not be replayed, or nothing.
        notes: what was left out or mended on reading it.
        ways: in the order of the policies, and of the windows within them.
    """

    id: str
    source: str
    format: str = "chat"
    messages: int = 0
    turns: int = 0
    is_ended: bool = True
    problem: str = ""
    notes: tuple[str, ...] = ()
    ways: tuple[WayFigures, ...] = ()


def as_json(case: CaseFigures) -> dict[str, Any]:
    """Return the figures as JSON has them."""
    return asdict(case)


def from_json(fields: Mapping[str, Any]) -> CaseFigures:
    """Return the figures that `as_json` gave.

    Raises:
        KeyError, TypeError: they are of another shape.
    """
    ways = tuple(_way(each) for each in fields["ways"])
    return CaseFigures(**{**fields, "notes": tuple(fields["notes"]), "ways": ways})


def _way(fields: Mapping[str, Any]) -> WayFigures:
    return WayFigures(
        policy=fields["policy"],
        window_tokens=fields["window_tokens"],
        asked=tuple(Asked(**each) for each in fields["asked"]),
        losses=tuple(Loss(**each) for each in fields["losses"]),
        loss_turns=tuple((turns, count) for turns, count in fields["loss_turns"]),
        shown=tuple(
            Shown(each["request"], tuple((state, count) for state, count in each["states"]))
            for each in fields["shown"]
        ),
        problems=tuple(fields["problems"]),
    )
