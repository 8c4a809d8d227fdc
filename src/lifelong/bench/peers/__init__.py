"""The same turns and questions through other stores, side by side in one run.

Each store is filled and asked in a process of its own, with vectors that were made before, so that
what is measured is the store and not a model: what it finds, how long a question takes, how many
turns it writes in a second, and what it keeps on disk and in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lifelong.bench.datasets import TURN, Dataset, load, spoken_line
from lifelong.bench.metrics import latency_ms, mean_figures, question_figures
from lifelong.bench.peers.environment import default_environment, interpreter
from lifelong.bench.peers.exchange import (
    Answers,
    PeerFailed,
    ask_peer,
    write_job,
    write_vectors,
)
from lifelong.bench.peers.known import write_known
from lifelong.bench.peers.listing import NAMES, Peer, chosen
from lifelong.bench.peers.runners import run as runner
from lifelong.bench.peers.table import table
from lifelong.embedding import TEXT_CHARACTERS_MAX
from lifelong.engine import bundled_embedder
from lifelong.errors import EmbedderFailed, InputError, InvalidValue
from lifelong.ports import Embedder

__all__ = ["NAMES", "run", "table"]

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

SECONDS_MAX = 3_600.0
"""A peer that takes longer for all of it is given up."""

_FIGURES = ("any@10", "all@10", "fraction@10", "ndcg@10")
_OWN = "lifelong.bench.peers.own"
_RATE_DIGITS = 1


def run(
    dataset: str,
    data: Path,
    *,
    embedder: Embedder | None = None,
    peers: Sequence[str] = (),
    environment: Path | None = None,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Measure peers, and lifelong among them, on a data set.

    Args:
        dataset: one of `datasets.DATASETS` whose evidence is messages.
        data: the folder that holds it.
        embedder: makes the vectors; the bundled one if not said. Where that is not installed, only
            what needs no vectors is measured.
        peers: names of `NAMES`; all of them if there is none.
        environment: the folder of the virtual environments; in the user's cache if not said.
        on_progress: told of each step.

    Returns:
        ``peers``: for each its name, title and configuration (``how``), and either why it
        ``failed``, or figures from 0 to 1 ``overall`` and in ``groups``, ``latency_ms`` and
        ``cpu_ms`` (all threads together) of a question, ``turns_per_second`` written,
        ``disk_bytes``, ``peak_bytes`` of memory, and ``versions``. Beside them the data set, how
        much there was of it, and the embedder's name.

    Raises:
        InvalidValue: there is no such data set or peer, or its evidence is sessions.
        InputError: a file is not there, a line cannot be read, or there is no question.
        EmbedderError: the embedder makes no vectors.
    """
    wanted = chosen(peers)
    found = load(dataset, data)
    if found.unit != TURN:
        raise InvalidValue(f"data set {dataset!r} names sessions, and peers are asked for messages")
    if not found.questions:
        raise InputError(f"data set {dataset!r} in {data} has no question with evidence")
    steps = _Steps(2 + 2 * len(wanted), on_progress)
    with TemporaryDirectory(prefix="lifelong-peers-", ignore_cleanup_errors=True) as name:
        job = Path(name) / "job"
        job.mkdir()
        write_job(job, found)
        if any(peer.needs_vectors for peer in wanted):
            embedder = embedder or bundled_embedder()
            if embedder:
                _embed(job, found, embedder, steps)
        rows = [
            _row(peer, found, job, environment or default_environment(), steps) for peer in wanted
        ]
    steps.finish()
    return {
        "dataset": found.name,
        "conversations": len(found.conversations),
        "messages": len(list(_lines(found))),
        "questions": len(found.questions),
        "excluded": dict(found.excluded),
        "embedder": embedder.name if embedder else None,
        "peers": rows,
    }


class _Steps:
    """Says what is done now; what was said before is done."""

    def __init__(self, total: int, tell: OnProgress | None) -> None:
        self._total = total
        self._tell = tell
        self._done = 0

    def step(self, label: str) -> None:
        if self._tell:
            self._tell(self._done, self._total, label)
        self._done += 1

    def finish(self) -> None:
        if self._tell:
            self._tell(self._total, self._total, "done")


def _lines(found: Dataset) -> Iterator[str]:
    """Yield what a peer indexes of each message, in order."""
    for conversation in found.conversations:
        for messages in conversation.sessions.values():
            yield from map(spoken_line, messages)


def _embed(job: Path, found: Dataset, embedder: Embedder, steps: _Steps) -> None:
    """Make the vectors that every peer gets."""
    steps.step("embed turns")
    texts = [line[:TEXT_CHARACTERS_MAX] for line in _lines(found)]
    turns = embedder.embed(texts)
    if len(turns) != len(texts):
        raise EmbedderFailed(f"{embedder.name} gave {len(turns)} vectors for {len(texts)} texts")
    steps.step("embed questions")
    asked = [question.text for question in found.questions]
    questions = [embedder.embed_query(text) for text in asked]
    write_vectors(job, [each.vector for each in turns], [each.vector for each in questions])
    languages = getattr(embedder, "languages", ())
    write_known(job, languages, zip([*texts, *asked], [*turns, *questions], strict=True))


def _row(peer: Peer, found: Dataset, job: Path, environment: Path, steps: _Steps) -> dict[str, Any]:
    """Return what one peer did, or why it could not."""
    named = {"name": peer.name, "title": peer.title, "how": peer.how}
    try:
        steps.step(f"install {peer.title}")
        python = _interpreter(peer, job, environment)
        steps.step(f"ask {peer.title}")
        answers = _answers(peer, python, job, found)
    except PeerFailed as failed:
        return {**named, "failed": str(failed)}
    return {**named, "failed": None, **_figures(found, answers)}


def _interpreter(peer: Peer, job: Path, environment: Path) -> Path:
    if peer.needs_vectors and not (job / runner.TURN_VECTORS).exists():
        raise PeerFailed(
            "it goes by vectors, and no model is there: pip install 'lifelong[models]'"
        )
    return interpreter(peer, environment)


def _answers(peer: Peer, python: Path, job: Path, found: Dataset) -> Answers:
    folder = job.with_name(peer.name)
    shutil.copytree(job, folder)
    try:
        command = _command(peer, python, folder)
        return ask_peer(command, folder, found=found, seconds_max=SECONDS_MAX)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(peer: Peer, python: Path, folder: Path) -> list[str]:
    if peer.is_own:
        return [str(python), "-m", _OWN, peer.runner, str(folder)]
    # Isolated: neither the user's packages nor the folder of the runners are on its path.
    return [str(python), "-I", runner.__file__, peer.runner, str(folder)]


def _figures(found: Dataset, answers: Answers) -> dict[str, Any]:
    turns = len(list(_lines(found)))
    return {
        **_quality(found, answers),
        "latency_ms": latency_ms([answer.seconds for answer in answers.answers]),
        "cpu_ms": latency_ms([answer.cpu_seconds for answer in answers.answers]),
        "turns_per_second": round(turns / answers.write_seconds, _RATE_DIGITS),
        "disk_bytes": answers.disk_bytes,
        "peak_bytes": answers.peak_bytes,
        "versions": dict(answers.versions),
    }


def _quality(found: Dataset, answers: Answers) -> dict[str, Any]:
    """Return the figures of all questions, and of each group that has any."""
    pairs = []
    for question, answer in zip(found.questions, answers.answers, strict=True):
        figures = question_figures(question.gold, answer.ranked)
        pairs.append((question.category, {name: figures[name] for name in _FIGURES}))
    groups = {
        name: [figures for category, figures in pairs if category in categories]
        for name, categories in found.groups.items()
    }
    return {
        "overall": mean_figures([figures for _, figures in pairs]),
        "groups": {name: mean_figures(some) for name, some in groups.items() if some},
    }
