"""What one `recall` would bring back at a moment of a replayed session.

A store in memory holds what had been said by then, without vectors, so that a replay is the same
wherever it runs. The question is what the program has at that moment: never the reply.
"""

from __future__ import annotations

from dataclasses import replace
from types import TracebackType
from typing import Self

from lifelong.clock import ManualClock
from lifelong.engine import open as open_engine
from lifelong.errors import InputError
from lifelong.messages import Message
from lifelong.replay.moments import Moment, is_asked
from lifelong.replay.needed import shown_text

RECALL_TOKENS_MAX = 2_000
"""What is brought back at most."""

LOOP_MESSAGES = 8
"""In a loop of tools the user's message may be long past; after so many the newest one asks."""

QUESTION_CHARACTERS = 600
_OWNER, _SESSION = "replay", "case"


class Recaller:
    """Recalls from what had been said; a context manager."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._engine = open_engine("memory:", embedder="off", clock=self._clock)
        owner = self._engine.owner(_OWNER)
        self._owner, self._session = owner, owner.session(_SESSION)
        self._read = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._engine.close()

    def recalled(self, moment: Moment) -> list[tuple[int, str]]:
        """Return what is brought back: the position of each message, and its passage."""
        self._append(moment)
        question = question_at(moment)
        if not question:
            return []
        found = self._owner.recall(question, tokens_max=RECALL_TOKENS_MAX)
        return [(int(hit.id), hit.text) for hit in found.hits]

    def _append(self, moment: Moment) -> None:
        start, self._read = self._read, max(self._read, moment.position)
        named = [
            replace(moment.items[place], id=str(place)) for place in range(start, moment.position)
        ]
        if not named:
            return
        try:
            self._session.append(named)
        except InputError:
            for message in named:
                self._append_alone(message)

    def _append_alone(self, message: Message) -> None:
        try:
            self._session.append([message])
        except InputError:
            return  # too large for a store, which then has nothing of it to bring back


def question_at(moment: Moment) -> str:
    """Return what is asked: the user's last message, or in a long loop the newest message."""
    newest = moment.position - 1
    lately = [moment.items[place] for place in range(newest, max(newest - LOOP_MESSAGES, -1), -1)]
    asked = [message for message in lately if is_asked(message)]
    return next(filter(None, map(_beginning, [*asked[:1], *lately])), "")


def _beginning(message: Message) -> str:
    return " ".join(shown_text(message)[:QUESTION_CHARACTERS].split())
