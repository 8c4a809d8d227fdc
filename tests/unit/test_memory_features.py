"""What the index notes of a message."""

from datetime import UTC, datetime

import pytest

from lifelong import Message, TextPart, ToolCallPart, ToolResultPart, Trust
from lifelong.memory.features import index_entry, message_trust, question_share, speaking_role
from lifelong.rows import FLAG_FIRST_PERSON, FLAG_TEMPORAL, OTHER_ROLE, ROLE_CODES

RESULT = ToolResultPart("c1", "wet")


@pytest.mark.parametrize(
    ("role", "parts", "speaking", "trust"),
    [
        ("user", (TextPart("x"),), "user", Trust.USER),
        ("assistant", (TextPart("x"),), "assistant", Trust.MODEL),
        ("assistant", (ToolCallPart("c1", "f", {}),), "assistant", Trust.MODEL),
        ("tool", (RESULT,), "tool", Trust.UNTRUSTED),
        ("user", (RESULT,), "tool", Trust.UNTRUSTED),
        ("user", (RESULT, TextPart("x")), "user", Trust.UNTRUSTED),
        ("system", (TextPart("x"),), "system", Trust.SYSTEM),
        ("developer", (TextPart("x"),), "system", Trust.SYSTEM),
        ("narrator", (TextPart("x"),), "narrator", Trust.UNTRUSTED),
        ("user", (), "user", Trust.USER),
    ],
)
def test_whose_words_they_are_and_how_far_they_may_be_relied_on(role, parts, speaking, trust):
    message = Message(role, parts)
    assert speaking_role(message) == speaking
    assert message_trust(message) == trust
    assert index_entry(message, None).role == ROLE_CODES.get(speaking, OTHER_ROLE)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("Where is it?", 1.0),
        ("It rains. Where is it?", 0.5),
        ("Where is it? It rains.", 0.0),
        ("", 0.0),
        ("  Why?  ", 1.0),
        ("Really?!", 0.0),
        ("one word " * 14 + "or two?", 0.3),
    ],
)
def test_the_share_of_questions(text, share):
    assert question_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["?", "??", " ?", "!?", "...?", "\n?"])
def test_a_question_mark_alone_asks(text):
    assert question_share(text) in (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "flags", "question"),
    [
        ("The tram is late", 0, 0.0),
        ("I met her yesterday", FLAG_FIRST_PERSON | FLAG_TEMPORAL, 0.0),
        ("My tram?", FLAG_FIRST_PERSON, 0.0),
        ("Is it late?", 0, 1.0),
        ("Was it in 2023?", FLAG_TEMPORAL, 1.0),
        ("I'm here", FLAG_FIRST_PERSON, 0.0),
        ("mining is hard", 0, 0.0),
    ],
)
def test_flags_and_questions(text, flags, question):
    entry = index_entry(Message.of("user", text), None)
    assert (entry.flags, entry.question) == (flags, question)


def test_the_whole_entry():
    at = datetime(2026, 3, 9, 15, 30, tzinfo=UTC)
    entry = index_entry(Message.of("user", "The tram is late", speaker="Ida"), at)
    assert (entry.speaker, entry.sent_at, entry.words) == ("Ida", at, 4)
    assert [(each.text, each.words) for each in entry.passages] == [("ida: the tram is late", 5)]


def test_a_message_without_words_has_no_passage():
    for message in (Message("user", ()), Message.of("user", "  "), Message.of("user", "")):
        entry = index_entry(message, None)
        assert (entry.passages, entry.words) == ((), 0)
