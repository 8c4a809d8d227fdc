"""Data sets as conversations with questions whose evidence is known.

They are read from a folder that the user has; none is part of lifelong. What data sets call a
"turn" is one message here. What a question's evidence is (messages or sessions) is the data set's
`unit`; a question without usable evidence is left out and counted.

Files, each ``.jsonl`` or ``.jsonl.gz``, in the data set's folder or right in the given one:

locomo       turns, questions
beam         turns_100K, questions_100K
beam-500k    turns_500K, questions_500K
longmemeval  three_full_haystacks_sessions, three_full_haystacks_questions,
             twenty_questions_truncated_sessions
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from lifelong.bench.lines import Line, read_lines
from lifelong.errors import InvalidValue
from lifelong.messages import USER, Message

TURN, SESSION = "turn", "session"

FIVE_FACT_ABILITIES = frozenset(
    [
        "contradiction_resolution",
        "information_extraction",
        "knowledge_update",
        "multi_session_reasoning",
        "temporal_reasoning",
    ]
)
"""What BEAM asks of facts. The others (summaries, order of events, instructions, preferences) ask
for a sweep over everything, which no ranking answers."""

_LOCOMO_CATEGORY_MAX = 4
_LME_EVIDENCE_PREFIX = "answer_"
_LME_TIME = re.compile(r"(\d{4}/\d{2}/\d{2}) \(\w+\) (\d{2}:\d{2})")
_LME_WRITTEN_LATER = "written by a third party"
_LME_TRUNCATED = "truncated sessions"


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one owner said and was told: messages by session, both in order."""

    id: str
    sessions: Mapping[str, tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one conversation, and the ids of the messages or sessions that answer it."""

    conversation: str
    category: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dataset:
    """Conversations with questions.

    Attributes:
        name: one of `DATASETS`.
        unit: ``turn`` when gold ids are messages, ``session`` when they are sessions.
        conversations: in the order of the files.
        questions: those with usable evidence.
        excluded: how many questions were left out, by reason.
        groups: names of sets of categories that are also reported together.
    """

    name: str
    unit: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]
    excluded: Mapping[str, int]
    groups: Mapping[str, frozenset[str]] = field(default_factory=dict)


def load(name: str, data: Path) -> Dataset:
    """Return the data set of that name, read from the folder `data`.

    Raises:
        InvalidValue: there is no such data set.
        InputError: a file is not there, or a line of it cannot be read.
    """
    if name not in _LOADERS:
        raise InvalidValue(f"data set {name!r} is none of {', '.join(DATASETS)}")
    folder, loader = _LOADERS[name]
    return loader(data / folder if (data / folder).is_dir() else data)


class _Collected:
    """Conversations, session by session, as lines bring them, with every id that gold may name."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._sessions: dict[str, dict[str, list[Message]]] = {}
        self._known: dict[str, set[str]] = {}
        self.questions: list[Question] = []
        self.excluded: Counter[str] = Counter()

    def add(self, line: Line, conversation: str, session: str, messages: list[Message]) -> None:
        known = self._known.setdefault(conversation, set())
        ids = [message.id or "" for message in messages]
        for each in [session] if self._unit == SESSION else ids:
            if each in known:
                raise line.error(f"{self._unit} {each!r} is there twice in {conversation!r}")
            known.add(each)
        sessions = self._sessions.setdefault(conversation, {})
        sessions.setdefault(session, []).extend(messages)

    def ask(self, line: Line, question: Question) -> None:
        lost = question.gold - self._known.get(question.conversation, set())
        if lost:
            raise line.error(f"evidence {sorted(lost)} is not in {question.conversation!r}")
        self.questions.append(question)

    def dataset(self, name: str, groups: Mapping[str, frozenset[str]] | None = None) -> Dataset:
        conversations = tuple(
            Conversation(key, {name: tuple(said) for name, said in sessions.items()})
            for key, sessions in self._sessions.items()
        )
        return Dataset(
            name,
            self._unit,
            conversations,
            tuple(self.questions),
            dict(self.excluded),
            groups or {},
        )


def _locomo(folder: Path) -> Dataset:
    found = _Collected(TURN)
    for line in read_lines(folder, "turns"):
        text = line.text("text")
        caption = line.optional_text("image_caption")
        message = Message.of(
            USER,
            f"{text}\n[image: {caption}]" if caption else text,
            id=line.text("turn_id"),
            speaker=line.text("speaker"),
            sent_at=_time(line, "session_time", datetime.fromisoformat),
        )
        found.add(line, line.text("conv_id"), str(line.whole("session")), [message])
    for line in read_lines(folder, "questions"):
        gold = line.ids("evidence_fixed")
        if line.whole("category") > _LOCOMO_CATEGORY_MAX:
            found.excluded["adversarial: nothing answers it"] += 1
        elif not line.flag("ok_retrieval") or not gold:
            found.excluded["its evidence is not usable"] += 1
        else:
            category = line.text("category_name")
            question = Question(line.text("conv_id"), category, line.text("question"), gold)
            found.ask(line, question)
    return found.dataset("locomo")


def _beam(folder: Path, name: str, size: str) -> Dataset:
    found = _Collected(TURN)
    for line in read_lines(folder, f"turns_{size}"):
        message = Message.of(
            line.text("role"),
            line.text("content"),
            id=str(line.whole("msg_id")),
            sent_at=_time(line, "time_anchor", _month_day_year),
        )
        found.add(line, line.text("chat"), str(line.whole("batch")), [message])
    for line in read_lines(folder, f"questions_{size}"):
        gold = line.ids("evidence_msg_ids")
        if not gold:
            found.excluded["no evidence is named"] += 1
            continue
        found.ask(
            line, Question(line.text("chat"), line.text("category"), line.text("question"), gold)
        )
    return found.dataset(name, {"five_fact_abilities": FIVE_FACT_ABILITIES})


def _longmemeval(folder: Path) -> Dataset:
    """Whole haystacks, and haystacks of which only the first 500 characters of each session are.

    Only six sessions say which of their messages hold the answer, so the unit is the session.
    """
    found = _Collected(SESSION)
    for line in read_lines(folder, "three_full_haystacks_sessions"):
        at = _time(line, "date", _lme_time)
        messages = [
            Message.of(said.text("role"), said.text("content"), sent_at=at)
            for said in line.objects("turns")
        ]
        found.add(line, line.text("haystack"), line.text("session_id"), messages)
    for line in read_lines(folder, "three_full_haystacks_questions"):
        is_original = line.flag("original_longmemeval_question")
        category = line.text("question_type") if is_original else _LME_WRITTEN_LATER
        gold = line.ids("answer_session_ids")
        found.ask(line, Question(line.text("haystack"), category, line.text("question"), gold))
    for line in read_lines(folder, "twenty_questions_truncated_sessions"):
        conversation = line.text("question_id")
        gold = _add_cut_sessions(found, line, conversation)
        category = f"{line.text('question_type')}, {_LME_TRUNCATED}"
        if not gold:
            found.excluded["no session is named as its evidence"] += 1
            continue
        found.ask(line, Question(conversation, category, line.text("question"), gold))
    return found.dataset("longmemeval")


def _add_cut_sessions(found: _Collected, line: Line, conversation: str) -> frozenset[str]:
    """Add the sessions of a truncated haystack; return those that hold the evidence by name."""
    gold = set()
    for session in line.objects("sessions"):
        session_id = session.text("session_id")
        at = _time(session, "timestamp", _lme_time)
        message = Message.of(USER, session.text("user_text_first_500_chars"), sent_at=at)
        found.add(session, conversation, session_id, [message])
        if session_id.startswith(_LME_EVIDENCE_PREFIX):
            gold.add(session_id)
    return frozenset(gold)


def _time(line: Line, name: str, parse: Callable[[str], datetime]) -> datetime | None:
    """Return a time, or None where the data set names none; those without a zone are UTC."""
    text = line.optional_text(name)
    if text is None:
        return None
    try:
        found = parse(text)
    except ValueError as error:
        raise line.error(f"{name!r} is no time ({error})") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _month_day_year(text: str) -> datetime:
    return datetime.strptime(text, "%B-%d-%Y").replace(tzinfo=UTC)


def _lme_time(text: str) -> datetime:
    found = _LME_TIME.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return datetime.strptime(" ".join(found.groups()), "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


_LOADERS: Mapping[str, tuple[str, Callable[[Path], Dataset]]] = {
    "locomo": ("locomo", _locomo),
    "beam": ("beam", lambda folder: _beam(folder, "beam", "100K")),
    "beam-500k": ("beam", lambda folder: _beam(folder, "beam-500k", "500K")),
    "longmemeval": ("longmemeval_partial", _longmemeval),
}

DATASETS = tuple(_LOADERS)
"""The names of the data sets that `load` knows."""


def spoken_line(message: Message) -> str:
    """Return a message as the floor indexes it: speaker, if there is a name, and text."""
    return f"{message.speaker}: {message.text}" if message.speaker else message.text
