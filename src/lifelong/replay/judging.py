"""What is found of a request: whether a provider takes it, what a cache keeps, what it shows.

Messages mostly stay from one request to the next, and at one moment many ways send the same. So
what is known of a message is kept for the whole case, and what is found of a request for a moment.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from lifelong.formats import render
from lifelong.formats.validation import problems
from lifelong.messages import Message
from lifelong.replay.figures import HISTORY, NOWHERE, RECALL, SUMMARY
from lifelong.replay.foreign import Met, words_of
from lifelong.replay.moments import Moment
from lifelong.replay.needed import Need, shown_text
from lifelong.replay.recalling import Recaller
from lifelong.replay.ways import Answer
from lifelong.request import Target
from lifelong.working.counts import message_tokens
from lifelong.working.tokens import TokenCounter

_DIGEST_BYTES = 16
_CARDS_MIN = 500


@dataclass(slots=True)
class _Card:
    message: Message
    page: int
    tokens: int | None = None
    exact: int | None = None
    digest: bytes | None = None
    text: str | None = None


class Cards:
    """What is known of each message of a case and of its requests, by the message itself.

    Args:
        target: of the requests.
        count_exact: from text to tokens, or None.
    """

    def __init__(self, target: Target, count_exact: TokenCounter | None) -> None:
        self.target = target
        self._count_exact = count_exact
        self._cards: dict[int, _Card] = {}
        self._page = 0
        self._cards_max = _CARDS_MIN

    def turn_page(self) -> None:
        """Let go of what was not looked at since this was last called, if there is much of it."""
        if len(self._cards) > self._cards_max:
            kept = {key: card for key, card in self._cards.items() if card.page == self._page}
            self._cards, self._cards_max = kept, max(2 * len(kept), _CARDS_MIN)
        self._page += 1

    def tokens(self, message: Message) -> int:
        """Return what a message costs, as estimated."""
        card = self._card(message)
        if card.tokens is None:
            card.tokens = self.target.count(message)
        return card.tokens

    def exact_tokens(self, messages: Sequence[Message]) -> int | None:
        """Return what messages cost by the exact counter, or None without one."""
        if self._count_exact is None:
            return None
        return sum(self._exact(message, self._count_exact) for message in messages)

    def text(self, message: Message) -> str:
        """Return what a message shows."""
        card = self._card(message)
        if card.text is None:
            card.text = shown_text(message)
        return card.text

    def prefix_tokens(self, before: Sequence[Message], now: Sequence[Message]) -> int:
        """Return what the messages cost with which both requests begin, byte for byte."""
        tokens = 0
        for old, new in zip(before, now, strict=False):
            if old is not new and self._digest(old) != self._digest(new):
                break
            tokens += self.tokens(new)
        return tokens

    def _card(self, message: Message) -> _Card:
        card = self._cards.get(id(message))
        if card is None:
            # It holds the message, so that no other gets its number.
            card = self._cards[id(message)] = _Card(message, self._page)
        card.page = self._page
        return card

    def _exact(self, message: Message, count: TokenCounter) -> int:
        card = self._card(message)
        if card.exact is None:
            card.exact = message_tokens(message, count)
        return card.exact

    def _digest(self, message: Message) -> bytes:
        card = self._card(message)
        if card.digest is None:
            rendered = render([message], self.target.format)
            sent = json.dumps([rendered.system, rendered.items], ensure_ascii=True, default=str)
            card.digest = blake2b(sent.encode(), digest_size=_DIGEST_BYTES).digest()
        return card.digest


class Judge:
    """Judges what the ways would send at one moment.

    Args:
        moment: at which all was sent.
        needs: what was needed then.
        cards: of the case.
        recaller: finds what is gone; None when nobody looks.
    """

    def __init__(
        self, moment: Moment, needs: Sequence[Need], *, cards: Cards, recaller: Recaller | None
    ) -> None:
        self._moment = moment
        self._needs = needs
        self._cards = cards
        self._recaller = recaller
        self._recalled: list[tuple[int, str]] | None = None
        self._problems: dict[tuple[bool, tuple[int, ...]], tuple[str, ...]] = {}
        self._places: dict[tuple[int, ...], list[str]] = {}
        # While a message is held, no other gets its number.
        self._held: list[tuple[Message, ...]] = []

    def problems(self, answer: Answer) -> tuple[str, ...]:
        """Return why a provider would refuse a request; empty if it would not."""
        key = (answer.request is None, tuple(map(id, answer.messages)))
        if key not in self._problems:
            met = Met()
            found: tuple[str, ...] = ()
            with met:
                found = _problems(answer, self._cards.target)
            self._problems[key] = found if met.error is None else (words_of(met.error),)
            self._held.append(answer.messages)
        return self._problems[key]

    def places(self, answer: Answer) -> list[str]:
        """Return where each of the needs is: the first place that has it."""
        key = tuple(map(id, answer.messages))
        if key not in self._places:
            self._places[key] = [self._place(need, answer) for need in self._needs]
            self._held.append(answer.messages)
        return self._places[key]

    def _place(self, need: Need, answer: Answer) -> str:
        own = self._moment.items[need.used_at]
        for message in reversed(answer.messages):
            # What is newest is likeliest to show it.
            is_other = message is not own and not _is_one_of(message, answer.blocks)
            if is_other and need.token in self._cards.text(message):
                return HISTORY
        if any(need.token in self._cards.text(block) for block in answer.blocks):
            return SUMMARY
        return RECALL if self._is_recalled(need) else NOWHERE

    def _is_recalled(self, need: Need) -> bool:
        if self._recaller is None:
            return False
        if self._recalled is None:
            self._recalled = self._recaller.recalled(self._moment)
        return any(
            need.token in text for position, text in self._recalled if position != need.used_at
        )


def _is_one_of(message: Message, blocks: Sequence[Message]) -> bool:
    return any(message is block for block in blocks)


def _problems(answer: Answer, target: Target) -> tuple[str, ...]:
    if answer.request is not None:
        return answer.request.problems
    rendered = render(answer.messages, target.format)
    payload: Any = rendered.items
    if target.format == "anthropic":
        payload = {"messages": rendered.items, "system": rendered.system}
    elif target.format == "gemini":
        config = {"system_instruction": rendered.system} if rendered.system is not None else {}
        payload = {"contents": rendered.items, "config": config}
    return tuple(problems(payload, target.format, target.profile))
