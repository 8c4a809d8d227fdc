"""One case through all ways, moment by moment: the figures of each.

All ways go through the session side by side, so that it is read once, and what several of them
would send alike is judged once. What is done at each moment is the way's own; what is added up from
the figures is left to others.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache

from lifelong.errors import InputError
from lifelong.messages import ASSISTANT, USER, Message
from lifelong.replay.cases import Case
from lifelong.replay.figures import CaseFigures
from lifelong.replay.judging import Cards, Judge
from lifelong.replay.ledger import Ledger
from lifelong.replay.moments import cuts_of, moments_of, turns_of
from lifelong.replay.needed import Needs
from lifelong.replay.recalling import Recaller
from lifelong.replay.ways import Way
from lifelong.request import Target, target_of
from lifelong.working.counts import message_tokens
from lifelong.working.repair import HistoryBuilder
from lifelong.working.tokens import TokenCounter, estimate_tokens

SHOWN_MAX = 120
"""For so many requests of a case, at most, it is told what became of each message."""

_TEXTS_MAX, _SHORT_CHARACTERS = 50_000, 400
"""What an appendix lists is counted again for every plan; long texts are counted once or twice."""


def replay_case(
    case: Case,
    ways: Sequence[Way],
    *,
    recall: bool = True,
    count_exact: TokenCounter | None = None,
    used_by: Collection[str] = (ASSISTANT, USER),
) -> CaseFigures:
    """Return what each way did at every request of a recorded session.

    A request that does not fit, or whose policy raised, shows nothing of what was needed, and its
    losses are not listed: they are no choice of the policy. One that a provider would refuse has
    the figures of what it would have shown; the next one finds nothing of it in a cache.

    Args:
        case: the session.
        ways: in the order in which their figures come.
        recall: look also for what is gone as one `recall` would; it takes time.
        count_exact: from text to tokens, for exact counts beside the estimate.
        used_by: whose uses make a token needed: ``assistant``, ``user`` or both.
    """
    figures = CaseFigures(
        case.id,
        case.source,
        case.format,
        messages=len(case.messages),
        turns=turns_of(case.messages),
        is_ended=case.is_ended,
        notes=case.notes,
    )
    try:
        target = _target(case.format)
    except InputError as error:
        return replace(figures, problem=error.detail)
    cards = Cards(target, count_exact)
    needs = Needs(case.messages, used_by)
    ledgers = [Ledger(way, way.begin(target)) for way in ways]
    builder = HistoryBuilder(
        target.format, target.count, takes_late_system=target.takes_late_system
    )
    cuts = cuts_of(case.messages)
    stride = -(-len(cuts) // SHOWN_MAX)
    with Recaller() if recall else nullcontext() as recaller:
        for cut, moment in moments_of(case.messages, cuts, builder):
            needed = needs.at(cut)
            judge = Judge(moment, needed, cards=cards, recaller=recaller)
            written = sum(cards.tokens(case.messages[place]) for place in cut.replies)
            for ledger in ledgers:
                ledger.ask(moment, needed, judge=judge, cards=cards, output_tokens=written)
                if (moment.number - 1) % stride == 0:
                    ledger.show(moment)
            cards.turn_page()
    return replace(figures, ways=tuple(ledger.figures(case.messages) for ledger in ledgers))


def _target(format: str) -> Target:
    """Return the target of a case, whose count of short texts stays at hand.

    Raises:
        UnknownFormat: there is no such format.
    """
    count_short = lru_cache(maxsize=_TEXTS_MAX)(estimate_tokens)

    def count(text: str) -> int:
        return count_short(text) if len(text) <= _SHORT_CHARACTERS else estimate_tokens(text)

    def count_message(message: Message) -> int:
        return message_tokens(message, count)

    return replace(target_of(format, {}), count=count_message)
