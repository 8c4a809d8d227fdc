"""Claude Code's transcripts: which session, whose words, which title, and what is left out."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lifelong.messages import Message, TextPart
from lifelong.transcripts import claude_code
from lifelong.transcripts.claude_code import read
from lifelong.transcripts.events import BrokenLine, Ignored, SaidMessage, SessionStart

SAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"


def line(uuid, role="user", text="hello", **fields):
    """Return a line as Claude Code writes it; fields given as None are left out."""
    whole = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ana/shop",
        "sessionId": "s1",
        "version": "2.1.38",
        "gitBranch": "main",
        "type": role,
        "message": {"role": role, "content": text},
        "uuid": uuid,
        "timestamp": "2026-02-10T21:11:56.846Z",
    } | fields
    return {key: value for key, value in whole.items() if value is not None}


@pytest.fixture
def events(tmp_path):
    """Return a function that writes lines into one file and reads them."""

    def written(*lines, name="s1.jsonl"):
        file = tmp_path / name
        file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return list(read(file))

    return written


def said(found):
    return [event.message for event in found if isinstance(event, SaidMessage)]


def starts(found):
    return [(event.session_id, event.title) for event in found if isinstance(event, SessionStart)]


def placed(found):
    return [
        (event.session_id, event.message.id) for event in found if isinstance(event, SaidMessage)
    ]


def test_a_line_becomes_a_message_with_its_item_untouched(events):
    item = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}],
        "usage": {"input_tokens": 3},
    }

    start, message = events(line("u1", "assistant", message=item))

    assert start == SessionStart(
        "s1",
        "",
        "claude-code",
        {"cwd": "/home/ana/shop", "git_branch": "main", "version": "2.1.38"},
    )
    assert message.session_id == "s1"
    assert message.message.id == "u1"
    assert message.message.role == "assistant"
    assert message.message.format == "anthropic"
    assert message.message.raw == item
    assert message.message.sent_at == datetime(2026, 2, 10, 21, 11, 56, 846000, tzinfo=UTC)


def test_white_space_of_an_assistant_is_still_a_message(events):
    item = {"role": "assistant", "content": [{"type": "text", "text": "\n\n"}]}

    [message] = said(events(line("u1", "assistant", message=item)))

    assert message.raw == item
    assert message.text == "\n\n"


def test_the_order_is_that_of_the_lines_whatever_the_times_say(events):
    found = events(
        line("a", timestamp="2026-02-10T10:00:00Z"),
        line("b", timestamp="2026-02-10T09:00:00+01:00"),
        line("c", timestamp="2999-01-01T00:00:00Z"),
        line("d", timestamp="2026-02-10T10:00:00Z"),
        line("e", timestamp="yesterday"),
        line("f", timestamp=None),
        line("g", timestamp="2026-02-10T10:00:00"),
    )

    assert [message.id for message in said(found)] == list("abcdefg")
    assert [message.sent_at for message in said(found)] == [
        datetime(2026, 2, 10, 10, tzinfo=UTC),
        datetime(2026, 2, 10, 8, tzinfo=UTC),
        datetime(2999, 1, 1, tzinfo=UTC),
        datetime(2026, 2, 10, 10, tzinfo=UTC),
        None,
        None,
        None,
    ]


def test_what_the_tool_put_in_is_no_word_of_the_user(events):
    found = events(
        line("a", text="Caveat: local commands", isMeta=True),
        line("b", text="This session is being continued", isCompactSummary=True),
        line("c", text="fix the till"),
    )

    assert [(message.role, message.speaker) for message in said(found)] == [
        ("injected", None),
        ("injected", None),
        ("user", None),
    ]
    assert said(found)[0].raw == {"role": "user", "content": "Caveat: local commands"}
    assert starts(found) == [("s1", ""), ("s1", "fix the till")]


def test_a_compaction_becomes_a_message_that_says_so(events):
    boundary = line(
        "b",
        "system",
        message=None,
        subtype="compact_boundary",
        content="Conversation compacted",
        compactMetadata={"trigger": "auto", "preTokens": 167094},
    )

    found = events(boundary, {**boundary, "uuid": "c", "compactMetadata": None})

    text = "The conversation was compacted here (trigger: auto, tokens before: 167094)."
    assert said(found)[0] == Message(
        "injected",
        (TextPart(text),),
        id="b",
        sent_at=datetime(2026, 2, 10, 21, 11, 56, 846000, tzinfo=UTC),
    )
    assert said(found)[0].raw is None
    assert said(found)[1].text == "The conversation was compacted here."


def test_other_lines_are_counted_by_their_kind(events):
    found = events(
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        line("p", "progress", message=None, data={}),
        line("t", "system", message=None, subtype="turn_duration"),
        line("x", "system", message=None),
        {"type": "from\x1b[31m a later\nversion"},
    )

    assert found == [
        Ignored("file-history-snapshot"),
        Ignored("progress"),
        Ignored("system/turn_duration"),
        Ignored("system"),
        Ignored("from\ufffd[31m a later version"),
    ]


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("  fix\n the\ttill ", "fix the till"),
        ("x" * 90, "x" * 80),
        ("<system-reminder>be brief</system-reminder>\nfix it", "fix it"),
        (
            "<command-name>/review</command-name>\n<command-args>the till</command-args>",
            "/review the till",
        ),
        ("<command-name>/clear</command-name>\n<command-args></command-args>", ""),
        ("<local-command-stdout>done</local-command-stdout>", ""),
        ("[Request interrupted by user]", ""),
        ("", ""),
    ],
)
def test_the_title_is_what_the_person_said_first(events, first, title):
    assert starts(events(line("a", text=first))) == [("s1", title)]


def test_a_tool_result_is_no_title(events):
    result = {"type": "tool_result", "tool_use_id": "t", "content": "total 4"}

    found = events(line("a", text=[result]), line("b", text="fix it"), line("c", text="and test"))

    assert starts(found) == [("s1", ""), ("s1", "fix it")]


def test_a_summary_titles_the_session_of_its_leaf_before_or_after_it(events):
    early = {"type": "summary", "summary": "Mend  the till", "leafUuid": "b"}
    late = {"type": "summary", "summary": "Mend the door", "leafUuid": "d"}

    found = events(
        early,
        line("a", text="fix it"),
        line("b", "assistant"),
        line("c", text="the door", sessionId="s2"),
        line("d", "assistant", sessionId="s2"),
        late,
        late,
    )

    assert starts(found) == [
        ("s1", "fix it"),
        ("s1", "Mend the till"),
        ("s2", "the door"),
        ("s2", "Mend the door"),
    ]
    metadata = [event.metadata for event in found if isinstance(event, SessionStart)]
    assert all(each == metadata[0] for each in metadata)


def test_a_summary_of_a_leaf_that_is_no_message_waits_for_the_session(events):
    found = events(
        line("p", "progress", message=None),
        {"type": "summary", "summary": "Mend the till", "leafUuid": "p"},
        line("a", text="fix it"),
    )

    assert starts(found) == [("s1", "Mend the till")]


def test_a_summary_of_another_file_titles_nothing_here(events):
    found = events(
        {"type": "summary", "summary": "Of another session", "leafUuid": "elsewhere"},
        {"type": "summary", "summary": "Of nothing"},
        line("a", text="fix it"),
    )

    assert starts(found) == [("s1", "fix it")]
    assert [event for event in found if isinstance(event, Ignored)] == [Ignored("summary")] * 2


def test_a_sidechain_of_an_agent_is_a_session_that_names_its_parent(events):
    found = events(line("a", isSidechain=True, agentId="a881", text="look around"))

    assert starts(found) == [("s1/agent-a881", "look around")]
    assert found[0].metadata == {
        "cwd": "/home/ana/shop",
        "git_branch": "main",
        "version": "2.1.38",
        "parent_session": "s1",
        "agent_id": "a881",
    }


def test_a_sidechain_without_an_agent_is_found_by_its_root(events):
    side = {"isSidechain": True}
    found = events(
        line("m1"),
        line("r1", **side),
        line("r2", parentUuid="m1", **side),
        line("p1", "progress", message=None, parentUuid="r1", **side),
        line("x", "assistant", parentUuid="r2", **side),
        line("y", "assistant", parentUuid="p1", **side),
        line("m2", "assistant", parentUuid="m1"),
    )

    assert placed(found) == [
        ("s1", "m1"),
        ("s1/sidechain-r1", "r1"),
        ("s1/sidechain-r2", "r2"),
        ("s1/sidechain-r2", "x"),
        ("s1/sidechain-r1", "y"),
        ("s1", "m2"),
    ]


def test_only_so_many_lines_are_remembered(events, monkeypatch):
    monkeypatch.setattr(claude_code, "KNOWN_LINES", 2)
    side = {"isSidechain": True}

    found = events(
        line("r", **side),
        line("a", parentUuid="r", **side),
        line("b", parentUuid="a", **side),
        line("c", parentUuid="r", **side),
    )

    assert [session for session, _ in placed(found)] == [
        "s1/sidechain-r",
        "s1/sidechain-r",
        "s1/sidechain-r",
        "s1/sidechain-c",
    ]


def test_a_copied_line_is_a_message_of_the_session_that_resumed(events):
    found = events(line("a"), line("a", sessionId="s2"))

    assert placed(found) == [("s1", "a"), ("s2", "a")]


def test_lines_without_a_session_belong_to_the_one_the_file_is_named_after(events):
    assert placed(events(line("a", sessionId=None), name="55604662.jsonl")) == [("55604662", "a")]


def test_a_session_id_that_cannot_be_a_name_breaks_the_line_only(events):
    found = events(
        line("a", sessionId="s\x00"), line("b", sessionId="x" * 513), line("c", sessionId=[])
    )

    reasons = [event.reason for event in found if isinstance(event, BrokenLine)]
    assert reasons == ["its session id cannot be a name"] * 3
    assert len(found) == 3


def test_lines_without_an_id_get_the_same_ones_in_every_run(events):
    lines = [line(None, text="yes"), line(None, text="no"), line(None, text="yes"), line("u")]

    first = [message.id for message in said(events(*lines))]
    again = [message.id for message in said(events(*lines))]
    longer = [message.id for message in said(events(line("v"), *lines, line(None, text="yes")))]

    assert first == again
    assert len(set(first)) == 4
    assert longer[1:5] == first
    assert longer[5] not in first
    assert all(each.startswith("derived-") and len(each) == 40 for each in first[:3])


def test_a_line_that_is_no_message_is_reported_where_it_stands(events, tmp_path):
    found = events(
        line("a", message=None),
        line("b", message="hello"),
        line("c", message={"content": "hello"}),
        line("d", text=7),
        {"role": "user", "content": "hello"},
        line("e"),
    )

    broken = [event for event in found if isinstance(event, BrokenLine)]
    assert [event.line for event in broken] == [1, 2, 3, 4, 5]
    assert broken[0].reason == broken[1].reason == "a line of type user without a message"
    assert broken[2].reason.startswith("the message ")
    assert broken[3].reason.startswith("the message.content ")
    assert broken[4].reason == "it has no type; is this a transcript of Claude Code?"
    assert broken[0].file == str(tmp_path / "s1.jsonl")
    assert placed(found) == [("s1", "e")]


def test_the_sample_short():
    found = list(read(SAMPLES / "short.jsonl"))

    assert starts(found) == [
        ("55604662-cf2a-4331-851a-ec234028f8ca", "mix phx.server doesnt seem to start")
    ]
    assert [message.role for message in said(found)] == ["user"] + ["assistant"] * 5 + ["user"] * 3
    assert said(found)[0].id == "7d48cbd2-6615-4dd8-87f6-38f12b8167d6"
    assert [event for event in found if isinstance(event, Ignored)] == (
        [Ignored("system/local_command")] * 2
    )


@pytest.mark.parametrize(
    ("name", "title", "count", "metas"),
    [
        ("tool_heavy", "start phoenix in background", 22, 1),
        (
            "subagent",
            "/handgemacht:create-beads websearch to learn how to fastest setup credo, dialyze",
            48,
            1,
        ),
    ],
)
def test_the_other_samples(name, title, count, metas):
    found = list(read(SAMPLES / f"{name}.jsonl"))

    assert [each for _, each in starts(found)] == [title]
    assert len(said(found)) == count
    assert len({message.id for message in said(found)}) == count
    assert sum(message.role == "injected" for message in said(found)) == metas
    assert not [event for event in found if isinstance(event, BrokenLine)]
