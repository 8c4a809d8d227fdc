"""What the index notes of a message when it is appended, for ranking to use later.

Pure functions of the message; `index_entry` is the one that the engine and `reindex` call.
"""

from __future__ import annotations

import re
import string
from datetime import datetime

from lifelong.memory.languages import FIRST_PERSON, UNSPACED_FIRST_PERSON
from lifelong.memory.passages import as_passage, cut, searchable_text
from lifelong.memory.timephrase import has_temporal_word
from lifelong.messages import DEVELOPER, SYSTEM, TOOL, USER, Message, TextPart, ToolResultPart
from lifelong.records import Trust, trust_of_channel
from lifelong.rows import FLAG_FIRST_PERSON, FLAG_TEMPORAL, OTHER_ROLE, ROLE_CODES, IndexEntry

_MARKS_TO_SPACES = {ord(mark): " " for mark in string.punctuation}
_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_LONG_QUESTION_WORDS = 30
_LONG_QUESTION_SHARE = 0.3


def speaking_role(message: Message) -> str:
    """Return whose words a message holds: a user item made of tool results is the tool's."""
    has_result = any(isinstance(part, ToolResultPart) for part in message.parts)
    has_text = any(isinstance(part, TextPart) for part in message.parts)
    if message.role == USER and has_result and not has_text:
        return TOOL
    return SYSTEM if message.role == DEVELOPER else message.role


def message_trust(message: Message) -> Trust:
    """Return how far a message may be relied on: that of its role, and none with a tool's words."""
    if any(isinstance(part, ToolResultPart) for part in message.parts):
        return Trust.UNTRUSTED
    return trust_of_channel(SYSTEM if message.role == DEVELOPER else message.role)


def index_entry(message: Message, sent_at: datetime | None) -> IndexEntry:
    """Return what the index holds of `message`, said at `sent_at`."""
    text = searchable_text(message)
    said = message.text
    folded = said.lower()
    words = frozenset(folded.translate(_MARKS_TO_SPACES).split())
    is_first_person = not FIRST_PERSON.isdisjoint(words) or not (
        folded.isascii() or UNSPACED_FIRST_PERSON.isdisjoint(folded)
    )
    flags = FLAG_TEMPORAL if has_temporal_word(folded, words) else 0
    if is_first_person:
        flags |= FLAG_FIRST_PERSON
    speaker = message.speaker or ""
    return IndexEntry(
        role=ROLE_CODES.get(speaking_role(message), OTHER_ROLE),
        speaker=speaker,
        sent_at=sent_at,
        words=len(text.split()),
        flags=flags,
        question=0.0 if is_first_person else question_share(said),
        passages=tuple(as_passage(piece, speaker) for piece in cut(text)),
    )


def question_share(text: str) -> float:
    """Return the share of sentences that are questions, if the text ends in a question mark.

    From 30 words on a question also tells something, so its share counts only .3.
    """
    if not text.rstrip().endswith("?"):
        return 0.0
    sentences = [s for s in _SENTENCE.findall(text) if s.strip()]
    if not sentences:
        return 1.0
    asked = sum(1 for s in sentences if s.rstrip().endswith("?"))
    share = asked / len(sentences)
    return share * _LONG_QUESTION_SHARE if len(text.split()) >= _LONG_QUESTION_WORDS else share
