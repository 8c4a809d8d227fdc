"""lifelong among its peers: in a process of its own, measured by the same stopwatch.

Run as ``python -m lifelong.bench.peers.own TIER FOLDER``, with one of `memory.weights.TIERS`. It is
asked as a user asks it, on disk and encrypted. Only the log is filled as `bench.recall` fills it,
so that an unknown time stays unknown and both say the same of what is found. Vectors come from the
folder; storing them counts as writing.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lifelong import log
from lifelong.bench.peers.known import Known
from lifelong.bench.peers.runners.run import Question, Turn, measure, refuse_network
from lifelong.clock import ManualClock
from lifelong.engine import IN_MEMORY, OFF, Engine
from lifelong.engine import open as open_engine
from lifelong.memory.weights import TOKENS, WORDS
from lifelong.messages import Message
from lifelong.ports import Embedder

_CLOCK = ManualClock()
_KEY = bytes(range(32))
"""Of files that are gone when the run ends."""
_NO_TOKEN_LIMIT = 1 << 40


class Owners:
    """One engine, and an owner for each conversation."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._names: dict[str, None] = {}

    def write(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Append the turns of a session in one call."""
        self._names[conversation] = None
        messages = tuple(_message(turn.id, turn.said) for turn in turns)
        log.append(
            self._engine.owner(conversation)._store.log,  # noqa: SLF001 - see the module
            _CLOCK,
            session_id=turns[0].session,
            cleaned=log.Cleaned(messages),
        )

    def finish(self) -> None:
        """Give every message its vector, where there is a model."""
        for name in self._names:
            self._engine.owner(name).reindex(words=False)

    def ask(self, conversation: str, question: Question, limit: int) -> list[str]:
        """Return what is recalled from the log."""
        found = self._engine.owner(conversation).recall(
            question.text, limit=limit, tokens_max=_NO_TOKEN_LIMIT, sources=["log"]
        )
        return [hit.id for hit in found.hits]

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()


def _message(message_id: str, said: Mapping[str, Any]) -> Message:
    at = said["sent_at"]
    return Message.of(
        said["role"],
        said["text"],
        id=message_id,
        speaker=said["speaker"],
        sent_at=datetime.fromisoformat(at) if at else None,
    )


def main(tier: str, folder: str) -> None:
    """Measure lifelong at one tier."""
    refuse_network()

    def opening(place: Path, vectors: Mapping[str, array[float]]) -> Owners:
        embedder: Embedder | str = OFF
        if tier != WORDS:
            embedder = Known(Path(folder), vectors, has_tokens=tier == TOKENS)
        return Owners(open_engine(place, key=_KEY, clock=_CLOCK, embedder=embedder))

    measure(opening, _versions(), Path(folder))


def _versions() -> dict[str, str]:
    with open_engine(IN_MEMORY, embedder=OFF) as engine:
        return {"lifelong": version("lifelong"), "SQLite": str(engine.describe()["sqlite"])}


if __name__ == "__main__":
    main(*sys.argv[1:])
