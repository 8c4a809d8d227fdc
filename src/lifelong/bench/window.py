"""What the default pipeline makes of recorded sessions at several windows.

Each session is replayed, as `lifelong replay` does: at every point where the model was really
asked, the request that lifelong would have sent is made and held against the validator of its
format. Then, of the identifiers that the model really wrote next and that came from earlier in the
session, the share is counted that the request still shows; trimming alone stands beside it. No
model is called.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from lifelong.errors import TranscriptError
from lifelong.messages import ASSISTANT, Message, ToolCallPart, ToolResultPart
from lifelong.replay.cases import Case, read_cases
from lifelong.replay.figures import INVALID, SENT, Asked
from lifelong.replay.moments import Moment
from lifelong.replay.policies import NamedPolicy
from lifelong.replay.run_case import replay_case
from lifelong.replay.ways import Answer, Run, Way
from lifelong.request import Target, default_policies, target_of
from lifelong.working.budget import Budget
from lifelong.working.compact import Compact
from lifelong.working.history import STEP, History

OnProgress = Callable[[int, int, str], None]
"""Called with sessions done, sessions in all, and what is done now."""

WINDOWS = (4_096, 8_192, 16_384, 32_768, 131_072)
SURVIVAL_GOAL = 0.97
"""At least so much of what is needed later is still shown."""

_WHOLE_TOKENS = 1 << 40
"""A window into which any session fits, to tell what there is without any edit."""


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

    Raises:
        InvalidValue: there is no such source.
        TranscriptError: nothing can be read at the paths.
    """
    cases = _cases(source, paths)
    counts = {window: Counter[str]() for window in windows}
    for done, case in enumerate(cases):
        if on_progress:
            on_progress(done, len(cases), case.id)
        for window, counted in _replayed(case, windows).items():
            counts[window].update(counted)
    if on_progress:
        on_progress(len(cases), len(cases), "done")
    return {
        "source": source,
        "sessions": len(cases),
        "windows": [{"window": window, **_figures(counts[window])} for window in windows],
        "survival_goal": SURVIVAL_GOAL,
    }


def _cases(source: str, paths: Sequence[str | PathLike[str]]) -> list[Case]:
    found = list(read_cases([Path(path) for path in paths], source=source))
    cases = [case for case in found if isinstance(case, Case)]
    unread = [case for case in found if not isinstance(case, Case)]
    if unread and not cases:
        raise TranscriptError(f"{unread[0].source}: {unread[0].problem}")
    return cases


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
    return _replayed(Case("replay", "bench", format, tuple(messages)), [window])[window]


def _replayed(case: Case, windows: Sequence[int]) -> dict[int, Counter[str]]:
    policies = default_policies(target_of(case.format, {}))
    trimming = NamedPolicy("trimming", policies=policies)
    compacting = NamedPolicy("compacting", policies=(*policies, Compact()))
    watched = [
        _Watched(policy, Budget(window)) for window in windows for policy in (trimming, compacting)
    ]
    ways: list[Way] = [*watched, Way(trimming, Budget(_WHOLE_TOKENS))]
    *figures, whole = replay_case(case, ways, recall=False, used_by=(ASSISTANT,)).ways
    counts: dict[int, Counter[str]] = {}
    for place, window in enumerate(windows):
        at = slice(2 * place, 2 * place + 2)
        counts[window] = Counter(split=sum(way.splits.total() for way in watched[at]))
        room = Budget(window).available_tokens
        trimmed, compacted = figures[at]
        for asked in zip(trimmed.asked, compacted.asked, whole.asked, strict=True):
            _count(counts[window], *asked, is_cut=asked[-1].tokens > room)
    return counts


def _count(
    counts: Counter[str], trimmed: Asked, compacted: Asked, whole: Asked, *, is_cut: bool
) -> None:
    counts["cut"] += is_cut
    counts["invalid"] += (trimmed.outcome == INVALID) + (compacted.outcome == INVALID)
    if trimmed.outcome in (SENT, INVALID):
        counts["requests"] += 1
        counts["before"] += whole.tokens
        counts["after"] += trimmed.tokens
    else:
        counts["not_fit"] += 1
    for suffix in ("", "_cut") if is_cut else ("",):
        counts[f"needed{suffix}"] += trimmed.needed
        counts[f"kept{suffix}"] += compacted.in_history + compacted.in_summary
        counts[f"kept{suffix}_trimmed"] += trimmed.in_history


@dataclass(frozen=True)
class _Watched(Way):
    """A way whose requests are also looked over for steps that are split."""

    splits: Counter[int] = field(default_factory=Counter, compare=False)
    """By the number of the request."""

    def begin(self, target: Target) -> Run:
        return _WatchedRun(self.splits, super().begin(target))


@dataclass(frozen=True)
class _WatchedRun:
    splits: Counter[int]
    run: Run

    def answer(self, moment: Moment) -> Answer:
        answer = self.run.answer(moment)
        if answer.outcome == SENT:
            self.splits[moment.number] += _split_steps(answer.messages, moment.history)
        return answer

    def states(self, moment: Moment) -> list[str]:
        return self.run.states(moment)


def _split_steps(messages: Sequence[Message], history: History) -> int:
    """Return how many recorded steps are shown with some of their calls or results only."""
    shown = Counter(_ids(messages))
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
