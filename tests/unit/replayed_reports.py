"""Reports of made-up replays: tests of tables and page share them."""

from dataclasses import replace

from lifelong.replay.figures import Asked, CaseFigures, Loss, Shown, WayFigures
from lifelong.replay.report import report_of

POLICIES = ("none", "last-10", "clear+trim")
WINDOWS = (8_192, 16_384)

LOSS = Loss(
    request=3,
    turn=2,
    token="ticket-4711",
    found_in="nowhere",
    turns_ago=2,
    said_by="user",
    said="please look at ticket-4711 again",
    used="closing ticket-4711 now",
)


def asked(turn, tokens, **fields):
    """Return one request: half of what it sends is kept, and one thing in ten needed is gone."""
    found = {"needed": 10, "in_history": 7, "in_summary": 1, "by_recall": 1, **fields}
    outcome = found.pop("outcome", "sent")
    return Asked(turn=turn, outcome=outcome, tokens=tokens, kept_tokens=tokens // 2, **found)


def a_way(policy, window, requests=4, **fields):
    """Return a way: `last-10` is refused at each second request, `none` does not fit at last."""
    made = []
    for number in range(1, requests + 1):
        outcome = "sent"
        if policy == "last-10" and number % 2 == 0:
            outcome = "invalid"
        if policy == "none" and number == requests:
            outcome = "not_fit"
        tokens = 0 if outcome == "not_fit" else 1_000 * number
        gone = {"in_history": 0, "in_summary": 0, "by_recall": 0} if not tokens else {}
        made.append(asked((number + 1) // 2, tokens, outcome=outcome, **gone))
    shown = tuple(
        Shown(number, (("dropped", number - 1), ("summarised", 1), ("cleared", 1), ("kept", 2)))
        for number in range(1, requests + 1)
    )
    known = {"losses": (LOSS,), "loss_turns": ((2, 3),), "shown": shown, **fields}
    return WayFigures(policy, window, tuple(made), **known)


def a_case(id="case-1", requests=4, **fields):
    """Return a case that went through every policy at every window."""
    ways = tuple(a_way(policy, window, requests) for policy in POLICIES for window in WINDOWS)
    known = {"messages": 2 * requests + 3, "turns": requests, "ways": ways, **fields}
    return CaseFigures(id, "made-up.jsonl", **known)


def with_ways(case, **fields):
    """Return the case with fields of all its ways replaced."""
    return replace(case, ways=tuple(replace(way, **fields) for way in case.ways))


def a_report(*cases, **fields):
    """Return the report of these cases, or of two made-up ones."""
    return report_of(cases or (a_case(), a_case("case-2", requests=7)), **fields)
