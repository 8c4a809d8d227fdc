"""Fills one store with conversations, asks it questions, and notes how long each took.

Run as ``python -I run.py MODULE:FUNCTION FOLDER`` in the peer's own environment. It needs the
standard library alone; MODULE is a file beside it, FUNCTION an `Opening` in there. FOLDER holds
`TURNS` and `QUESTIONS`, one JSON object a line, and `TURN_VECTORS` and `QUESTION_VECTORS`, one row
of 32-bit floats for each of their lines. What was found goes to `ANSWERS`, in this order:

    {"written": TURNS, "seconds": S}
    {"ranked": [ID, ...], "seconds": S, "cpu_seconds": C}      one for each question, in order
    {"disk_bytes": B, "peak_bytes": B, "versions": {...}}

A peer that fails is not rescued: its traceback goes to standard error, and there is no last line.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol

TURNS, QUESTIONS = "turns.jsonl", "questions.jsonl"
TURN_VECTORS, QUESTION_VECTORS = "turns.f32", "questions.f32"
ANSWERS = "answers.jsonl"
STORE = "store"
LIMIT = 10

_FLOAT_BYTES = 4
_LOOPBACK = {"127.0.0.1", "::1", "localhost", None}


@dataclass(frozen=True)
class Turn:
    """One message.

    Attributes:
        id: unique in its conversation.
        session: of its conversation.
        line: what a peer indexes: the speaker, if there is a name, and the text.
        vector: of `line`; empty when there is no model.
        said: the message as it was given, for who keeps more than a line.
    """

    id: str
    session: str
    line: str
    vector: array[float]
    said: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """One question to one conversation.

    Attributes:
        text: as it was asked.
        match: its words without stop words, as an expression of SQLite's full text.
        vector: of `text`; empty when there is no model.
    """

    text: str
    match: str
    vector: array[float]


class Peer(Protocol):
    """A store, empty when it is made; conversations have plain names of letters and digits."""

    def write(self, conversation: str, turns: Sequence[Turn]) -> None:
        """Keep the turns of one session."""
        ...

    def finish(self) -> None:
        """Make indexes of what was written; counted as writing."""
        ...

    def ask(self, conversation: str, question: Question, limit: int) -> list[str]:
        """Return the ids of up to `limit` turns of the conversation, best first."""
        ...

    def close(self) -> None:
        """Leave everything that is kept on the disk there."""
        ...


Opening = Callable[[Path, Mapping[str, "array[float]"]], Peer]
"""Makes an empty store from a folder for all that it keeps, and the vectors of every line and
question, for a store that asks a model itself."""


@dataclass(frozen=True)
class Job:
    """What is in the folder.

    Attributes:
        sessions: the name of the conversation and the turns of each session, in order.
        questions: the name of the conversation and the question.
    """

    sessions: Sequence[tuple[str, Sequence[Turn]]]
    questions: Sequence[tuple[str, Question]]

    def vectors(self) -> dict[str, array[float]]:
        """Return the vector of every line and every question."""
        lines = {turn.line: turn.vector for _, turns in self.sessions for turn in turns}
        return lines | {question.text: question.vector for _, question in self.questions}


def read_job(folder: Path) -> Job:
    """Return the job that lies in the folder."""
    turns = [
        (f["conversation"], Turn(f["id"], f["session"], f["line"], vector, f["said"]))
        for f, vector in _rows(folder / TURNS, folder / TURN_VECTORS)
    ]
    questions = [
        (f["conversation"], Question(f["text"], f["match"], vector))
        for f, vector in _rows(folder / QUESTIONS, folder / QUESTION_VECTORS)
    ]
    by_session = groupby(turns, key=lambda pair: (pair[0], pair[1].session))
    return Job([(key[0], [turn for _, turn in group]) for key, group in by_session], questions)


def _rows(lines: Path, vectors: Path) -> Iterator[tuple[dict[str, Any], array[float]]]:
    with lines.open(encoding="utf-8") as file:
        objects = [json.loads(line) for line in file]
    numbers = array("f")
    if vectors.exists():
        with vectors.open("rb") as packed:
            numbers.fromfile(packed, vectors.stat().st_size // _FLOAT_BYTES)
    width = len(numbers) // len(objects) if objects else 0
    for at, found in enumerate(objects):
        yield found, numbers[at * width : (at + 1) * width]


def measure(opening: Opening, versions: Mapping[str, str], folder: Path) -> None:
    """Do the job in the folder and write what was found there."""
    job = read_job(folder)
    place = folder / STORE
    place.mkdir()
    with (folder / ANSWERS).open("w", encoding="utf-8") as answers:

        def say(**fields: Any) -> None:
            answers.write(json.dumps(fields) + "\n")

        peer = opening(place, job.vectors())
        start = perf_counter()
        for conversation, turns in job.sessions:
            peer.write(conversation, turns)
        peer.finish()
        seconds = perf_counter() - start
        say(written=sum(len(turns) for _, turns in job.sessions), seconds=seconds)
        for conversation, question in job.questions:
            start, cpu_start = perf_counter(), process_time()
            ranked = peer.ask(conversation, question, LIMIT)
            seconds, cpu_seconds = perf_counter() - start, process_time() - cpu_start
            say(ranked=ranked, seconds=seconds, cpu_seconds=cpu_seconds)
        peak = peak_bytes()
        peer.close()
        say(disk_bytes=disk_bytes(place), peak_bytes=peak, versions=dict(versions))


def disk_bytes(place: Path) -> int:
    """Return the size of all files in a folder."""
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def peak_bytes() -> int | None:
    """Return the most memory that this process ever held; None where nothing tells."""
    # On Linux, what `resource` tells begins with the memory of the process that started this one.
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def refuse_network() -> None:
    """Let nothing in this process reach another machine; what Python cannot see is not stopped."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
        elif event == "socket.getaddrinfo":
            host = arguments[0]
        else:
            return
        if host not in _LOOPBACK:
            raise OSError(f"no network: {host}")

    sys.addaudithook(hook)


def load(name: str) -> Any:
    """Return the module of a peer: by its path, since it may be called as the package it uses."""
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"runner_{name}", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(peer: str, folder: str) -> None:
    """Measure one peer."""
    refuse_network()
    name, function = peer.split(":")
    module = load(name)
    measure(getattr(module, function), module.VERSIONS, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
