"""How long it takes to plan a request of a long session: cold, and after one more message."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from statistics import median
from time import perf_counter
from typing import Any

from lifelong.bench.corpus import Corpus
from lifelong.messages import Raw
from lifelong.owner import Owner
from lifelong.working.budget import Budget
from lifelong.working.tokens import estimate_tokens

SESSION_TOKENS = 200_000
WINDOW_TOKENS = 128_000
COLD_GOAL_MS = 150.0
"""The median of a first plan is to be below this."""
RATIO_GOAL = 20.0
"""A plan after one new message takes at most one part in so many of a cold one."""

_SESSION = "long"
_RESULT_WORDS = 400
_DIGITS = 3


def measure(owner: Owner, corpus: Corpus, *, tokens: int, rounds: int) -> dict[str, Any]:
    """Measure planning in a session of so many tokens.

    Args:
        owner: whose log gets the session.
        corpus: what is said in it.
        tokens: how long the session is.
        rounds: how often each is measured.

    Returns:
        Medians in milliseconds, their ratio, the goals and whether they are met.
    """
    owner.session(_SESSION).append(list(_items(corpus, tokens)))
    budget = Budget(WINDOW_TOKENS)
    cold, warm = [], []
    for number in range(rounds):
        # A new handle has read nothing yet.
        session = owner.session(_SESSION)
        begun = perf_counter()
        session.request(budget)
        cold.append(perf_counter() - begun)
        session.append([{"role": "user", "content": f"And what about number {number}?"}])
        begun = perf_counter()
        session.request(budget)
        warm.append(perf_counter() - begun)
    cold_ms, warm_ms = median(cold) * 1_000, median(warm) * 1_000
    ratio = cold_ms / warm_ms
    return {
        "tokens": tokens,
        "cold_ms": round(cold_ms, _DIGITS),
        "warm_ms": round(warm_ms, _DIGITS),
        "ratio": round(ratio, 1),
        "cold_goal_ms": COLD_GOAL_MS,
        "ratio_goal": RATIO_GOAL,
        "is_met": cold_ms < COLD_GOAL_MS and ratio >= RATIO_GOAL,
    }


def _items(corpus: Corpus, tokens: int) -> Iterator[Raw]:
    """Yield the items of an agent's session: each reply but the last of a turn calls a tool."""
    left = tokens
    for item in _endless(corpus):
        yield item
        left -= estimate_tokens(str(item))
        if left <= 0:
            return


def _endless(corpus: Corpus) -> Iterator[Raw]:
    numbers = count()
    for _, messages in corpus.sessions():
        for message in messages:
            yield {"role": message.role, "content": message.text}
            if message.role != "user":
                continue
            call_id = f"call_{next(numbers)}"
            function = {"name": "search", "arguments": '{"query": "' + message.text[:40] + '"}'}
            call = {"id": call_id, "type": "function", "function": function}
            yield {"role": "assistant", "content": None, "tool_calls": [call]}
            words = islice((word for each in messages for word in each.text.split()), _RESULT_WORDS)
            yield {"role": "tool", "tool_call_id": call_id, "content": " ".join(words)}
