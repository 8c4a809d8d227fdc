"""What goes to a peer's process and what comes back: files in a folder, read with suspicion.

A peer is another project's code: it may crash, hang, or write what nobody asked for. All of that is
`PeerFailed` here, with what it said last, and never a figure.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lifelong.bench.datasets import Conversation, Dataset, spoken_line
from lifelong.bench.peers.runners.run import (
    ANSWERS,
    LIMIT,
    QUESTION_VECTORS,
    QUESTIONS,
    TURN_VECTORS,
    TURNS,
)
from lifelong.bench.plain import plain_match
from lifelong.messages import Message

_WORDS_MAX = 300
_PRIVATE = re.compile(
    "KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|^LANGSMITH_|^LANGCHAIN_|^XDG_", re.IGNORECASE
)
_PLACES = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "MEM0_DIR")
_QUIET = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "MEM0_TELEMETRY": "False",
}


class PeerFailed(Exception):
    """A peer cannot be measured; the text says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a peer found for one question.

    Attributes:
        ranked: ids of turns, best first.
        seconds: how long that took.
        cpu_seconds: how long processors worked on it, all threads together.
    """

    ranked: tuple[str, ...]
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Answers:
    """All that a peer's process told.

    Attributes:
        answers: one for each question, in order.
        write_seconds: how long it wrote.
        disk_bytes: what it keeps on the disk.
        peak_bytes: the most memory that it held, where the system tells.
        versions: of what was installed.
    """

    answers: tuple[Answer, ...]
    write_seconds: float
    disk_bytes: int
    peak_bytes: int | None
    versions: Mapping[str, str]


def plain_name(number: int) -> str:
    """Return what conversation `number` is called: letters and digits, which every peer takes."""
    return f"conversation{number}"


def write_job(folder: Path, found: Dataset) -> None:
    """Write turns and questions, for every peer the same."""
    names = {each.id: plain_name(at) for at, each in enumerate(found.conversations)}
    turns = (
        {
            "conversation": names[conversation.id],
            "session": session_id,
            "id": message.id,
            "line": spoken_line(message),
            "said": _said(message),
        }
        for conversation in found.conversations
        for session_id, messages in conversation.sessions.items()
        for message in messages
    )
    questions = (
        {
            "conversation": names[question.conversation],
            "text": question.text,
            "match": plain_match(question.text),
        }
        for question in found.questions
    )
    _write_lines(folder / TURNS, turns)
    _write_lines(folder / QUESTIONS, questions)


def _said(message: Message) -> dict[str, Any]:
    sent_at = message.sent_at.isoformat() if message.sent_at else None
    return {
        "role": message.role,
        "text": message.text,
        "speaker": message.speaker,
        "sent_at": sent_at,
    }


def _write_lines(path: Path, objects: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(each) + "\n" for each in objects)


def write_vectors(
    folder: Path, turns: Sequence[Sequence[float]], questions: Sequence[Sequence[float]]
) -> None:
    """Write the vectors of turns and questions, in their order."""
    for name, vectors in ((TURN_VECTORS, turns), (QUESTION_VECTORS, questions)):
        with (folder / name).open("wb") as file:
            for vector in vectors:
                array("f", vector).tofile(file)


def ask_peer(
    command: Sequence[str], folder: Path, *, found: Dataset, seconds_max: float
) -> Answers:
    """Run a peer's process in the folder of its job, and return what it answered.

    Raises:
        PeerFailed: it did not start, did not end in time, ended with an error, or told something
            else than what it was asked for.
    """
    said = folder / "said.txt"
    try:
        with said.open("wb") as file:
            # A file, no pipe: what a killed process has started may hold a pipe open for ever.
            done = subprocess.run(  # noqa: S603 - commands are made in this package
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=_surroundings(folder),
                check=False,
                timeout=seconds_max,
            )
    except subprocess.TimeoutExpired as error:
        raise PeerFailed(f"did not end within {seconds_max:g} s") from error
    except OSError as error:
        raise PeerFailed(f"did not start ({error})") from error
    if done.returncode:
        raise PeerFailed(f"ended with {done.returncode}: {last_words(said.read_bytes())}")
    return _read_answers(folder / ANSWERS, found)


def _surroundings(folder: Path) -> dict[str, str]:
    """Return a process's variables: nobody's secrets and home, and every telemetry off."""
    kept = {name: value for name, value in os.environ.items() if not _PRIVATE.search(name)}
    home = dict.fromkeys(_PLACES, str(folder))
    return {**kept, **home, **_QUIET}


def last_words(output: bytes) -> str:
    """Return the last line of what a process wrote that is not empty."""
    lines = [line.strip() for line in output.decode(errors="replace").splitlines()]
    return next((line for line in reversed(lines) if line), "it said nothing")[:_WORDS_MAX]


def _read_answers(path: Path, found: Dataset) -> Answers:
    try:
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        first, *middle, last = lines
        turns = sum(_turns(conversation) for conversation in found.conversations)
        if first["written"] != turns or len(middle) != len(found.questions):
            raise PeerFailed(
                f"wrote {first['written']} of {turns} turns, answered {len(middle)}"
                f" of {len(found.questions)} questions"
            )
        write_seconds = _seconds(first, "seconds")
        if not write_seconds:
            raise PeerFailed("says that it wrote in no time")
        return Answers(
            _checked(middle, found),
            write_seconds,
            int(last["disk_bytes"]),
            None if last["peak_bytes"] is None else int(last["peak_bytes"]),
            {str(name): str(version) for name, version in last["versions"].items()},
        )
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise PeerFailed(f"its answers cannot be read ({type(error).__name__}: {error})") from error


def _turns(conversation: Conversation) -> int:
    return sum(len(messages) for messages in conversation.sessions.values())


def _checked(given: Sequence[Mapping[str, Any]], found: Dataset) -> tuple[Answer, ...]:
    known = {
        conversation.id: {m.id for said in conversation.sessions.values() for m in said}
        for conversation in found.conversations
    }
    answers = []
    for question, answer in zip(found.questions, given, strict=True):
        ranked = tuple(answer["ranked"])
        strange = [each for each in ranked if each not in known[question.conversation]]
        if strange or len(ranked) > LIMIT:
            raise PeerFailed(f"answered {ranked!r} to {question.text!r}"[:_WORDS_MAX])
        answers.append(
            Answer(ranked, *(_seconds(answer, name) for name in ("seconds", "cpu_seconds")))
        )
    return tuple(answers)


def _seconds(given: Mapping[str, Any], name: str) -> float:
    seconds = float(given[name])
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{seconds} seconds")
    return seconds
