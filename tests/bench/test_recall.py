import json

import pytest

from lifelong.bench import recall
from lifelong.bench.datasets import Conversation
from lifelong.bench.report import recall_table
from lifelong.clock import ManualClock
from lifelong.engine import open as open_engine
from lifelong.errors import InputError
from lifelong.messages import Message

FIGURES = {
    *(f"{kind}@{depth}" for kind in ("any", "all", "fraction") for depth in (5, 10, 20, 50)),
    "ndcg@10",
}


def write(folder, name, lines):
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def turn(conversation: str, session: int, number: int, text: str, speaker: str = "Ana"):
    return {
        "conv_id": conversation,
        "session": session,
        "session_time": "2023-05-08T13:56:00",
        "turn_id": f"D{session}:{number}",
        "speaker": speaker,
        "text": text,
    }


def asked(conversation: str, question: str, gold: list[str], category: str = "single_hop"):
    return {
        "conv_id": conversation,
        "category": 4,
        "category_name": category,
        "question": question,
        "evidence_fixed": gold,
        "ok_retrieval": True,
    }


@pytest.fixture
def locomo(tmp_path):
    """Two conversations; the same ids stand in both, and only the words tell them apart."""
    fillers = ["Hello there", "Good morning", "See you", "Take care"]
    turns = [turn("c1", 1, n, text, "Ben") for n, text in enumerate(fillers)]
    turns.append(turn("c1", 2, 0, "My bicycle is green"))
    turns += [turn("c2", 1, n, text, "Eva") for n, text in enumerate(fillers)]
    turns.append(turn("c2", 2, 0, "I play the oboe"))
    write(tmp_path, "turns", turns)
    questions = [
        asked("c1", "Which colour has the bicycle?", ["D2:0"]),
        asked("c1", "Who plays the oboe?", ["D2:0"], "multi_hop"),
        asked("c2", "Who plays the oboe?", ["D2:0"], "multi_hop"),
        asked("c2", "What oboe, morning?", ["D1:1", "D2:0"], "multi_hop"),
        asked("c2", "oboe?", ["D1:0", "D2:0"], "temporal"),
    ]
    write(tmp_path, "questions", questions)
    return tmp_path


def test_a_locomo_run_knows_the_right_answers(locomo):
    result = recall.run("locomo", locomo, tiers=["words"])
    assert (result["dataset"], result["unit"]) == ("locomo", "turn")
    assert (result["questions"], result["conversations"], result["messages"]) == (5, 2, 10)
    assert result["questions_by_category"] == {"multi_hop": 3, "single_hop": 1, "temporal": 1}
    for found in (result["floor"], result["tiers"]["words"]):
        # The bicycle is found first. The oboe is found in the second conversation only
        assert set(found["by_category"]["single_hop"].values()) == {1.0}
        assert found["by_category"]["multi_hop"]["all@5"] == pytest.approx(2 / 3, abs=1e-4)
        assert found["by_category"]["multi_hop"]["ndcg@10"] == pytest.approx(2 / 3, abs=1e-4)
        # A greeting in another session has neither the word nor a neighbour that has it
        assert found["by_category"]["temporal"]["any@50"] == 1.0
        assert found["by_category"]["temporal"]["fraction@50"] == 0.5
        # (1 + 2 + .5) of 5
        assert found["overall"]["fraction@10"] == pytest.approx(0.7)
        assert set(found["overall"]) == FIGURES


def test_latencies_of_both_sides_are_given(locomo):
    result = recall.run("locomo", locomo, tiers=["words"])
    for latency in (result["floor"]["latency_ms"], result["tiers"]["words"]["latency_ms"]):
        assert 0 < latency["p50"] <= latency["p95"]


def test_progress_goes_through_all_conversations(locomo):
    told = []
    recall.run("locomo", locomo, on_progress=lambda *step: told.append(step), tiers=["words"])
    assert told == [(0, 2, "c1, words"), (1, 2, "c2, words"), (2, 2, "done")]


def test_a_beam_run_reports_the_five_fact_abilities_together(tmp_path):
    said = {"chat": "1", "batch": 1, "role": "user", "time_anchor": None}
    write(
        tmp_path,
        "turns_100K",
        [
            said | {"msg_id": 0, "content": "I live in Lisbon."},
            said | {"msg_id": 1, "content": "My cat is Tom."},
        ],
    )
    question = {"chat": "1", "question": "Who is Tom?", "evidence_msg_ids": [1]}
    lost = {"chat": "1", "question": "Which car?", "evidence_msg_ids": [0]}
    write(
        tmp_path,
        "questions_100K",
        [
            question | {"category": "information_extraction"},
            lost | {"category": "knowledge_update"},
            lost | {"category": "summarization"},
            {**question, "evidence_msg_ids": [], "category": "abstention"},
        ],
    )
    result = recall.run("beam", tmp_path, tiers=["words"])
    assert result["excluded"] == {"no evidence is named": 1}
    assert result["questions_by_group"] == {"five_fact_abilities": 2}
    for found in (result["floor"], result["tiers"]["words"]):
        assert found["groups"]["five_fact_abilities"]["all@5"] == 0.5
        assert found["overall"]["all@5"] == 0.3333


def test_a_session_stands_at_the_rank_of_its_best_message(tmp_path):
    date = "2023/07/12 (Wed) 10:14"
    many = [{"role": "user", "content": "tea tea"} for _ in range(6)]
    sessions = [
        {"haystack": "h", "session_id": "often", "date": date, "turns": many},
        {
            "haystack": "h",
            "session_id": "once",
            "date": date,
            "turns": [{"role": "user", "content": "a cup of tea for me and for you in the garden"}],
        },
    ]
    question = {
        "haystack": "h",
        "question_type": "multi-session",
        "original_longmemeval_question": True,
        "question": "tea?",
        "answer_session_ids": ["once"],
    }
    write(tmp_path, "three_full_haystacks_sessions", sessions)
    write(tmp_path, "three_full_haystacks_questions", [question])
    write(tmp_path, "twenty_questions_truncated_sessions", [])
    result = recall.run("longmemeval", tmp_path, tiers=["words"])
    assert result["unit"] == "session"
    # Six messages of the other session are above it: it is seventh
    for found in (result["floor"], result["tiers"]["words"]):
        assert found["overall"]["any@5"] == 0.0
        assert found["overall"]["any@10"] == 1.0
        assert found["overall"]["ndcg@10"] == pytest.approx(1 / 3, abs=1e-4)


def test_a_data_set_without_questions_is_refused(tmp_path):
    write(tmp_path, "turns", [turn("c1", 1, 1, "Hello")])
    write(tmp_path, "questions", [])
    with pytest.raises(InputError, match="no question"):
        recall.run("locomo", tmp_path, tiers=["words"])


def test_what_has_no_time_is_not_dated_as_said_now():
    clock = ManualClock()
    conversation = Conversation("c", {"1": (Message.of("user", "Hello", id="m"),)})
    with open_engine("memory:", clock=clock) as engine:
        owner = recall._filled(engine, clock, conversation)
        (message,) = owner.session("1").messages().messages
    assert message.sent_at is None


def test_the_table_shows_floor_and_engine_of_every_category(locomo):
    table = recall_table(recall.run("locomo", locomo, tiers=["words"]))
    lines = table.splitlines()
    assert lines[0].startswith("locomo: 2 conversations, 10 messages")
    assert lines[2].split()[-4:] == ["all@10", "fraction@10", "fraction@50", "ndcg@10"]
    at = next(at for at, line in enumerate(lines) if line.startswith("single_hop"))
    assert lines[at].split() == "single_hop 1 floor 100.0 100.0 100.0 100.0".split()
    assert lines[at + 1].split() == "words 100.0 100.0 100.0 100.0".split()
    assert max(map(len, lines)) <= 100
