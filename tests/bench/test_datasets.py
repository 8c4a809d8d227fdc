import gzip
import json
from datetime import UTC, datetime

import pytest

from lifelong.bench.datasets import DATASETS, load, spoken_line
from lifelong.errors import InputError, InvalidValue
from lifelong.messages import Message

LOCOMO_TURN = {
    "conv_id": "c1",
    "session": 1,
    "session_time": "2023-05-08T13:56:00",
    "turn_id": "D1:1",
    "speaker": "Ana",
    "text": "Look at this!",
    "image_caption": "a red kite",
    "image_search_query_NOT_SPOKEN": "kite festival",
}
LOCOMO_QUESTION = {
    "conv_id": "c1",
    "category": 4,
    "category_name": "single_hop",
    "question": "What does Ana show?",
    "evidence_fixed": ["D1:1"],
    "ok_retrieval": True,
}
BEAM_TURN = {
    "chat": "100K/1",
    "batch": 2,
    "msg_id": 7,
    "role": "user",
    "time_anchor": "March-15-2024",
    "content": "I moved to Lisbon.",
}
BEAM_QUESTION = {
    "chat": "100K/1",
    "category": "knowledge_update",
    "question": "Where do I live?",
    "evidence_msg_ids": [7],
}
LME_SESSION = {
    "haystack": "h1",
    "session_id": "s1",
    "date": "2023/07/12 (Wed) 10:14",
    "turns": [
        {"role": "user", "content": "I like tea."},
        {"role": "assistant", "content": "Nice."},
    ],
}
LME_QUESTION = {
    "haystack": "h1",
    "question_type": "multi-session",
    "original_longmemeval_question": True,
    "question": "What do I like?",
    "answer_session_ids": ["s1"],
}
LME_TRUNCATED = {
    "question_id": "q9",
    "question_type": "single-session-user",
    "question": "What do I drive?",
    "sessions": [
        {
            "session_id": "answer_1",
            "timestamp": "2023/05/30 (Tue) 11:27",
            "user_text_first_500_chars": "I drive a van.",
        },
        {
            "session_id": "other",
            "timestamp": "2023/05/30 (Tue) 09:50",
            "user_text_first_500_chars": "I bake bread.",
        },
    ],
}


def write(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def locomo(folder, turns=(LOCOMO_TURN,), questions=(LOCOMO_QUESTION,)):
    return write(folder, turns=turns, questions=questions)


def longmemeval(folder, **changed):
    files = {
        "three_full_haystacks_sessions": [LME_SESSION],
        "three_full_haystacks_questions": [LME_QUESTION],
        "twenty_questions_truncated_sessions": [LME_TRUNCATED],
    }
    return write(folder, **files | changed)


def test_a_locomo_message_has_its_speaker_its_time_and_the_caption_but_no_unspoken_search(tmp_path):
    found = load("locomo", locomo(tmp_path))
    assert found.unit == "turn"
    (conversation,) = found.conversations
    assert conversation.id == "c1"
    assert conversation.sessions == {
        "1": (
            Message.of(
                "user",
                "Look at this!\n[image: a red kite]",
                id="D1:1",
                speaker="Ana",
                sent_at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC),
            ),
        )
    }


def test_locomo_leaves_out_adversarial_questions_and_unusable_evidence(tmp_path):
    questions = [
        LOCOMO_QUESTION,
        LOCOMO_QUESTION | {"category": 5},
        LOCOMO_QUESTION | {"ok_retrieval": False},
        LOCOMO_QUESTION | {"evidence_fixed": []},
    ]
    found = load("locomo", locomo(tmp_path, questions=questions))
    (question,) = found.questions
    assert question.category == "single_hop"
    assert question.gold == {"D1:1"}
    assert found.excluded == {
        "adversarial: nothing answers it": 1,
        "its evidence is not usable": 2,
    }


def test_a_beam_batch_is_a_session_and_a_missing_time_stays_unknown(tmp_path):
    turns = [BEAM_TURN, BEAM_TURN | {"msg_id": 8, "role": "assistant", "time_anchor": None}]
    questions = [BEAM_QUESTION, BEAM_QUESTION | {"evidence_msg_ids": []}]
    found = load("beam", write(tmp_path, turns_100K=turns, questions_100K=questions))
    (conversation,) = found.conversations
    assert [message.sent_at for message in conversation.sessions["2"]] == [
        datetime(2024, 3, 15, tzinfo=UTC),
        None,
    ]
    assert [message.id for message in conversation.sessions["2"]] == ["7", "8"]
    assert [question.gold for question in found.questions] == [{"7"}]
    assert found.excluded == {"no evidence is named": 1}
    assert "knowledge_update" in found.groups["five_fact_abilities"]
    assert len(found.groups["five_fact_abilities"]) == 5


def test_the_larger_beam_is_read_from_its_own_files(tmp_path):
    found = load("beam-500k", write(tmp_path, turns_500K=[BEAM_TURN], questions_500K=[]))
    assert found.name == "beam-500k"
    assert found.conversations[0].id == "100K/1"


def test_longmemeval_names_sessions_as_evidence_and_says_which_were_cut(tmp_path):
    questions = [LME_QUESTION, LME_QUESTION | {"original_longmemeval_question": False}]
    found = load("longmemeval", longmemeval(tmp_path, three_full_haystacks_questions=questions))
    assert found.unit == "session"
    assert [(question.category, question.gold) for question in found.questions] == [
        ("multi-session", {"s1"}),
        ("written by a third party", {"s1"}),
        ("single-session-user, truncated sessions", {"answer_1"}),
    ]
    assert [list(conversation.sessions) for conversation in found.conversations] == [
        ["s1"],
        ["answer_1", "other"],
    ]
    assert found.conversations[0].sessions["s1"][1] == Message.of(
        "assistant", "Nice.", sent_at=datetime(2023, 7, 12, 10, 14, tzinfo=UTC)
    )


def test_a_truncated_haystack_without_named_evidence_is_left_out(tmp_path):
    unnamed = LME_TRUNCATED | {"sessions": LME_TRUNCATED["sessions"][1:]}
    folder = longmemeval(tmp_path, twenty_questions_truncated_sessions=[unnamed])
    assert load("longmemeval", folder).excluded == {"no session is named as its evidence": 1}


def test_files_may_lie_in_the_data_sets_own_folder_and_be_packed(tmp_path):
    folder = locomo(tmp_path / "locomo")
    plain = folder / "turns.jsonl"
    (folder / "turns.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert len(load("locomo", tmp_path).questions) == 1


def test_empty_lines_are_passed_over(tmp_path):
    assert load("locomo", locomo(tmp_path, turns=["", LOCOMO_TURN, "  "])).conversations


def test_an_unknown_data_set_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(InvalidValue, match="locomo, beam, beam-500k, longmemeval"):
        load("squad", tmp_path)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("locomo", "turns.jsonl"),
        ("beam", "turns_100K.jsonl"),
        ("beam-500k", "turns_500K.jsonl"),
        ("longmemeval", "three_full_haystacks_sessions.jsonl"),
    ],
)
def test_a_missing_file_is_named_with_its_place(tmp_path, name: str, file: str):
    with pytest.raises(InputError) as raised:
        load(name, tmp_path)
    assert str(tmp_path / file) in str(raised.value)
    assert name in DATASETS


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{not json", "no JSON"),
        ("[1, 2]", "no JSON object"),
        ("[" * 200_000, "no JSON"),
        (LOCOMO_TURN | {"text": None}, "'text' is not text"),
        (LOCOMO_TURN | {"session": "1"}, "'session' is not a whole number"),
        (LOCOMO_TURN | {"session": True}, "'session' is not a whole number"),
        (LOCOMO_TURN | {"session_time": "May"}, "'session_time' is no time"),
        (LOCOMO_TURN | {"image_caption": 3}, "'image_caption' is not text"),
        ({"conv_id": "c1"}, "'text' is not text"),
        (LOCOMO_TURN, "turn 'D1:1' is there twice in 'c1'"),
    ],
)
def test_a_bad_turn_is_named_by_file_and_line(tmp_path, line, problem: str):
    with pytest.raises(InputError) as raised:
        load("locomo", locomo(tmp_path, turns=[LOCOMO_TURN, line]))
    assert f"{tmp_path / 'turns.jsonl'}, line 2: {problem}" in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"evidence_fixed": "D1:1"}, "'evidence_fixed' is not a list"),
        ({"evidence_fixed": [1.5]}, "'evidence_fixed' is no list of ids"),
        ({"evidence_fixed": ["D9:9"]}, "evidence ['D9:9'] is not in 'c1'"),
        ({"conv_id": "c2"}, "evidence ['D1:1'] is not in 'c2'"),
        ({"ok_retrieval": "yes"}, "'ok_retrieval' is not true or false"),
    ],
)
def test_a_bad_question_is_named_by_file_and_line(tmp_path, changed, problem: str):
    with pytest.raises(InputError) as raised:
        load("locomo", locomo(tmp_path, questions=[LOCOMO_QUESTION | changed]))
    assert f"{tmp_path / 'questions.jsonl'}, line 1: {problem}" in str(raised.value)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"turns": ["hello"]}, "'turns' is no list of objects"),
        ({"turns": [{"role": "user"}]}, "'content' is not text"),
        ({"date": "2023-07-12"}, "'date' is no time"),
        ({"date": "2023/17/12 (Wed) 10:14"}, "'date' is no time"),
    ],
)
def test_a_bad_session_is_named_by_file_and_line(tmp_path, changed, problem: str):
    folder = longmemeval(tmp_path, three_full_haystacks_sessions=[LME_SESSION | changed])
    with pytest.raises(InputError) as raised:
        load("longmemeval", folder)
    assert f"sessions.jsonl, line 1: {problem}" in str(raised.value)


@pytest.mark.parametrize("content", [gzip.compress(b'{"a": 1}\n' * 999, mtime=0)[:40], b"no gzip"])
def test_a_damaged_packed_file_is_named(tmp_path, content: bytes):
    (tmp_path / "turns.jsonl.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"turns\.jsonl\.gz"):
        load("locomo", tmp_path)


def test_text_that_is_no_utf8_is_named(tmp_path):
    (tmp_path / "turns.jsonl").write_bytes(b'{"text": "\xff"}')
    with pytest.raises(InputError, match=r"turns\.jsonl"):
        load("locomo", tmp_path)


def test_the_floor_reads_the_name_of_a_speaker_and_no_role():
    assert spoken_line(Message.of("user", "Hello", speaker="Ana")) == "Ana: Hello"
    assert spoken_line(Message.of("user", "Hello")) == "Hello"
