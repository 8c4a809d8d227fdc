"""What the default pipeline makes of recorded sessions at several windows.

Each session is replayed: at every point where the model was really asked, the request that lifelong
would have sent is made and held against the validator of its format. Then, of the identifiers that
the model really wrote next and that came from earlier in the session, the share is counted that the
request still shows; trimming alone stands beside it. No model is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from lifelong.engine import open as open_engine
from lifelong.errors import BudgetTooSmall
from lifelong.messages import ASSISTANT, Message, TextPart, ToolCallPart, ToolResultPart
from lifelong.request import Request, Target, default_policies, plan_request, target_of
from lifelong.working.assemble import Extras
from lifelong.working.budget import Budget
from lifelong.working.carried import argument_text
from lifelong.working.compact import Compact
from lifelong.working.history import STEP, SYSTEM_TEXT, History
from lifelong.working.identifiers import QUOTE, identifiers
from lifelong.working.pipeline import Settled
from lifelong.working.plan import Policy
from lifelong.working.repair import HistoryBuilder

OnProgress = Callable[[int, int, str], None]
"""Called with sessions done, sessions in all, and what is done now."""

WINDOWS = (4_096, 8_192, 16_384, 32_768, 131_072)
SURVIVAL_GOAL = 0.97
"""At least so much of what is needed later is still shown."""

_OWNER = "bench"
_CODE = "claude-code"


def run(
    source: str,
    paths: Sequence[str | PathLike[str]],
    *,
    windows: Sequence[int] = WINDOWS,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Replay recorded sessions.

    Args:
        source: one of `lifelong.SOURCES`.
        paths: files or folders of that source.
        windows: in tokens.
        on_progress: told of each session.

    Returns:
        ``windows``: for each window the requests, how many were ``invalid``, how many steps were
        ``split``, how many did ``not_fit`` at all, the tokens before and after, and the survival of
        identifiers with trimming alone and with a summary, over all requests and over those that
        did not fit uncut.
    """
    with open_engine("memory:") as engine:
        owner = engine.owner(_OWNER)
        for path in paths:
            owner.import_transcripts(source, path)
        names = [session.id for session in owner.sessions()]
        counts = {window: Counter[str]() for window in windows}
        for done, name in enumerate(names):
            if on_progress:
                on_progress(done, len(names), name)
            messages = owner.session(name).messages().messages
            for window in windows:
                counts[window].update(replay(messages, window, _format_of(source)))
        if on_progress:
            on_progress(len(names), len(names), "done")
    return {
        "source": source,
        "sessions": len(names),
        "windows": [{"window": window, **_figures(counts[window])} for window in windows],
        "survival_goal": SURVIVAL_GOAL,
    }


def _format_of(source: str) -> str:
    return "anthropic" if source == _CODE else "chat"


def _figures(found: Counter[str]) -> dict[str, Any]:
    def share(part: str, whole: str) -> float | None:
        return round(found[part] / found[whole], 4) if found[whole] else None

    return {
        "requests": found["requests"],
        "cut": found["cut"],
        "not_fit": found["not_fit"],
        "invalid": found["invalid"],
        "split": found["split"],
        "tokens_before": found["before"],
        "tokens_after": found["after"],
        "identifiers": found["needed"],
        "survival": share("kept", "needed"),
        "survival_trimmed": share("kept_trimmed", "needed"),
        "identifiers_cut": found["needed_cut"],
        "survival_cut": share("kept_cut", "needed_cut"),
        "survival_cut_trimmed": share("kept_cut_trimmed", "needed_cut"),
    }


def replay(messages: Sequence[Message], window: int, format: str) -> Counter[str]:
    """Return counts over every request of one recorded session."""
    target = target_of(format, {})
    replayed = _Replay(target, Budget(window))
    builder = HistoryBuilder(format, target.count, takes_late_system=target.takes_late_system)
    for said in _groups(messages):
        if said[0].role == ASSISTANT:
            replayed.ask(builder.history(), said)
        builder.extend(said)
        replayed.remember(said)
    return replayed.counts


def _groups(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield what the model said at one request as one, and all else message by message."""
    group: list[Message] = []
    for message in messages:
        if group and (message.role != ASSISTANT or group[0].role != ASSISTANT):
            yield group
            group = []
        group.append(message)
    if group:
        yield group


@dataclass
class _Way:
    """One way to make requests fit, and what it decided last."""

    policies: tuple[Policy, ...]
    settled: Settled | None = None

    def request(self, history: History, budget: Budget, target: Target) -> Request:
        planned = plan_request(
            history,
            budget,
            target=target,
            fields={"policies": self.policies},
            extras=Extras(),
            settled=self.settled,
        )
        self.settled = planned.fitted.settled
        return planned.request(Extras())


class _Replay:
    """Asks again what was asked, and counts."""

    def __init__(self, target: Target, budget: Budget) -> None:
        self.counts: Counter[str] = Counter()
        self._target = target
        self._budget = budget
        policies = default_policies(target)
        self._trimming = _Way(policies)
        self._compacting = _Way((*policies, Compact()))
        self._seen: set[str] = set()

    def remember(self, said: Iterable[Message]) -> None:
        """Note what has been said."""
        for message in said:
            for part in message.parts:
                held = getattr(part, "text", None)
                text = argument_text(part.arguments) if isinstance(part, ToolCallPart) else held
                self._seen.update(each.text for each in identifiers(text or ""))

    def ask(self, history: History, said: Sequence[Message]) -> None:
        """Make the request that the model answered with `said`."""
        if not any(unit.messages for unit in history.units if unit.kind != SYSTEM_TEXT):
            return
        needed = _needed(said) & self._seen
        shown = []
        for way in (self._trimming, self._compacting):
            try:
                request = way.request(history, self._budget, self._target)
            except BudgetTooSmall:
                shown.append("")
                self.counts["not_fit"] += way is self._trimming
                continue
            shown.append(_shown(request))
            self._judge(request, history, is_first=way is self._trimming)
        self._count(needed, shown, is_cut=history.tokens > self._budget.available_tokens)

    def _judge(self, request: Request, history: History, *, is_first: bool) -> None:
        self.counts["invalid"] += bool(request.problems)
        self.counts["split"] += _split_steps(request, history)
        if is_first:
            self.counts["requests"] += 1
            self.counts["before"] += request.plan.tokens_before
            self.counts["after"] += request.plan.tokens_after

    def _count(self, needed: set[str], shown: Sequence[str], *, is_cut: bool) -> None:
        trimmed, compacted = shown
        self.counts["cut"] += is_cut
        kept_trimmed = sum(text in trimmed for text in needed)
        kept = sum(text in compacted for text in needed)
        suffixes = ("", "_cut") if is_cut else ("",)
        for suffix in suffixes:
            self.counts[f"needed{suffix}"] += len(needed)
            self.counts[f"kept{suffix}"] += kept
            self.counts[f"kept{suffix}_trimmed"] += kept_trimmed


def _needed(said: Sequence[Message]) -> set[str]:
    """Return the identifiers in what the model wrote: its text, and the arguments of its calls."""
    found: set[str] = set()
    for message in said:
        for part in message.parts:
            if isinstance(part, TextPart):
                found.update(each.text for each in identifiers(part.text))
            elif isinstance(part, ToolCallPart):
                # A quoted string in an argument is code, and not the name of anything.
                inside = identifiers(argument_text(part.arguments))
                found.update(each.text for each in inside if each.kind != QUOTE)
    return found


def _shown(request: Request) -> str:
    texts: list[str] = []
    for message in request.messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                texts.append(argument_text(part.arguments))
            elif isinstance(part, TextPart | ToolResultPart):
                texts.append(part.text)
    return "\n".join(texts)


def _split_steps(request: Request, history: History) -> int:
    """Return how many recorded steps are shown with some of their calls or results only."""
    shown = Counter(_ids(request.messages))
    split = 0
    for unit in history.units:
        if unit.kind == STEP:
            pairs = Counter(_ids(unit.messages))
            there = sum(min(count, shown[pair]) for pair, count in pairs.items())
            split += 0 < there < pairs.total()
    return split


def _ids(messages: Iterable[Message]) -> Iterator[tuple[str, str]]:
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                yield "call", part.id
            elif isinstance(part, ToolResultPart):
                yield "result", part.call_id
