"""Cases from files of every kind and from a store: read, or named with a reason; never an error."""

import gzip
import json
import os
import pickle
from pathlib import Path

import pytest

import lifelong
from lifelong.errors import InvalidValue
from lifelong.messages import ASSISTANT, SYSTEM, USER
from lifelong.replay.cases import Case, Unreadable, read_cases

TALK = [
    {"role": "system", "content": "Help."},
    {"role": "user", "content": "Where is ZX-1?"},
    {"role": "assistant", "content": "In the depot."},
]
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "In the depot."}
ROLES = [SYSTEM, USER, ASSISTANT]


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values)


def written(tmp_path, text, name="file.jsonl", *, is_packed=False):
    file = tmp_path / (f"{name}.gz" if is_packed else name)
    data = text if isinstance(text, bytes) else text.encode()
    file.write_bytes(gzip.compress(data) if is_packed else data)
    return file


def read(*files, **fields):
    return list(read_cases(files, **fields))


def roles(case):
    return [message.role for message in case.messages]


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        (
            "a.jsonl",
            lines({"id": "one", "messages": TALK}, {"id": 2, "messages": TALK}),
            ["one", "2"],
        ),
        ("a.jsonl", lines({"messages": TALK}, {"id": "x", "messages": TALK}), ["a:1", "x"]),
        ("a.jsonl", lines(*TALK), ["a"]),
        ("a.json", json.dumps(TALK), ["a"]),
        ("a.json", json.dumps(TALK, indent=1), ["a"]),
        ("a.json", json.dumps({"id": "one", "messages": TALK}, indent=1), ["one"]),
        ("a.json", json.dumps([{"messages": TALK}, {"id": "b", "messages": TALK}]), ["a:1", "b"]),
        ("a.traj", json.dumps({"history": TALK, "trajectory": [], "info": {}}, indent=2), ["a"]),
        (
            "results.json",
            json.dumps([{"task_id": 3, "trial": 1, "reward": 1.0, "traj": TALK}]),
            ["3/trial1"],
        ),
    ],
)
def test_every_shape_of_a_chat_is_read(tmp_path, name, text, ids, is_packed):
    file = written(tmp_path, text, name, is_packed=is_packed)
    cases = read(file)
    assert [case.id for case in cases] == ids
    for case in cases:
        assert (case.format, case.source, case.is_ended) == ("chat", file.name, True)
        assert roles(case) == ROLES
        assert case.notes == ()


@pytest.mark.parametrize(
    ("value", "format"),
    [
        (
            {
                "system": "Help.",
                "messages": [
                    {"role": "user", "content": "Where?"},
                    {"role": "assistant", "content": [{"type": "text", "text": "There."}]},
                ],
            },
            "anthropic",
        ),
        (
            {
                "messages": [
                    {"role": "user", "content": "Where?"},
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}],
                    },
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": "c1", "content": "Here."}
                        ],
                    },
                ]
            },
            "anthropic",
        ),
        (
            {
                "contents": [
                    {"role": "user", "parts": [{"text": "Where?"}]},
                    {"role": "model", "parts": [{"text": "There."}]},
                ],
                "config": {"system_instruction": "Help."},
            },
            "gemini",
        ),
        (
            {
                "instructions": "Help.",
                "input": [
                    {"role": "user", "content": "Where?"},
                    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
                    {"type": "function_call_output", "call_id": "c1", "output": "There."},
                ],
            },
            "responses",
        ),
        ({"messages": [*TALK, {**TALK[2], "tool_calls": [CALL]}, RESULT]}, "chat"),
    ],
)
def test_the_format_of_a_payload_is_told_by_what_is_in_it(tmp_path, value, format):
    for text in (json.dumps(value), json.dumps(value, indent=1), json.dumps([value])):
        [case] = read(written(tmp_path, text))
        assert case.format == format
        assert {message.format for message in case.messages} == {format}
        has_system = any(key in value for key in ("system", "config", "instructions"))
        assert (roles(case)[0] == SYSTEM) == (has_system or format == "chat")


def test_an_input_that_is_a_text_is_the_users_message(tmp_path):
    [case] = read(written(tmp_path, lines({"input": "Where?", "model": "any"})))
    assert (case.format, roles(case)) == ("responses", [USER])


def test_items_of_several_formats_are_each_read_in_their_own(tmp_path):
    block = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    items = [*TALK, {**TALK[2], "tool_calls": [CALL]}, RESULT]
    items.append({"role": "assistant", "content": [block]})
    [case] = read(written(tmp_path, lines(*items)))
    assert case.format == "chat"
    assert [message.format for message in case.messages] == ["chat"] * 5 + ["anthropic"]
    assert "items of several formats: anthropic, chat" in case.notes


def test_the_results_of_swe_agent_find_their_calls(tmp_path):
    result = {"role": "tool", "tool_call_ids": ["c1"], "content": "In the depot."}
    items = [*TALK[:2], {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}, result]
    [case] = read(written(tmp_path, lines({"id": "x", "messages": items})))
    [part] = case.messages[3].parts
    assert part.call_id == "c1"
    assert case.notes == ("1 result(s) name their call as SWE-agent does; read as chat's",)


def test_broken_lines_among_sessions_are_each_named(tmp_path):
    good = json.dumps({"id": "one", "messages": TALK})
    text = f'{good}\n{{"id": "two", "mess\n[1]\n{{"a": 1}}\n\n{good}\n'
    found = read(written(tmp_path, text))
    assert [each.id for each in found] == ["one", "file:2", "file:3", "file:4", "one#2"]
    assert [type(each) for each in found] == [Case, Unreadable, Unreadable, Unreadable, Case]
    assert found[1].problem.startswith("line 2: not JSON")
    assert found[3].problem.startswith("line 4: there is no session in it")


def test_broken_lines_among_items_are_notes_and_a_cut_end_is_no_end(tmp_path):
    middle = f"{json.dumps(TALK[0])}\nno JSON\n{json.dumps(TALK[1])}\n{json.dumps(TALK[2])}\n"
    [case] = read(written(tmp_path, middle))
    assert roles(case) == ROLES
    assert case.is_ended
    assert case.notes == ("line 2: not JSON: Expecting value at character 1",)
    [cut] = read(written(tmp_path, lines(*TALK) + '{"role": "user", "con'))
    assert roles(cut) == ROLES
    assert not cut.is_ended


def test_a_packed_file_that_ends_early_gives_what_is_there(tmp_path):
    text = lines(*TALK, *({"role": "user", "content": str(n) * 99} for n in range(3_000)))
    data = gzip.compress(text.encode())
    [case] = read(written(tmp_path, data[: len(data) // 2], "file.jsonl.gz"))
    assert roles(case)[:3] == ROLES
    assert not case.is_ended
    assert case.notes[0].endswith("the compressed data ends early")


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n \n",
        b"no JSON at all",
        b"\xff\xfe\x00",
        b'{"id": "x", "messages": [',
        b"[]",
        b"{}",
        b"3",
        b"null",
        b'"text"',
        b"[1, 2]",
        b'{"messages": "none"}',
        b'{"messages": []}',
        b'{"messages": [1, null, "x"]}',
        b'{"messages": [{"role": 3}]}',
        b'{"type": "user"}',
        b'{"type": "user", "uuid": 3, "sessionId": [1]}',
        b'{"type": "user", "sessionId": "s"}',
        b"[" * 100_000,
        b'{"a": ' * 100_000,
        b"\x1f\x8b broken",
        b'[{"id": "x"}, {"role": null}]',
    ],
)
def test_what_is_no_session_is_unreadable_with_a_reason(tmp_path, text):
    for name in ("file.jsonl", "file.json", "file.bin"):
        found = read(written(tmp_path, text, name))
        assert [type(each) for each in found] == [Unreadable]
        assert found[0].source == name
        assert found[0].problem
        assert str(tmp_path) not in found[0].problem


def test_what_can_be_read_of_a_session_is(tmp_path):
    items = [*TALK, {"role": "user"}, 7, {"role": "user", "content": 3}, {"content": "nobody"}]
    [case] = read(written(tmp_path, lines({"id": "x", "messages": items})))
    assert roles(case) == [*ROLES, USER]
    assert [note for note in case.notes if note.startswith("item")] == [
        "item 5: it is int, not a mapping",
        "item 6: it.content is int, which cannot be used there",
        "item 7: it has no role that is text",
    ]


def test_a_session_of_one_message_is_a_case_with_a_note(tmp_path):
    [case] = read(written(tmp_path, lines({"role": "user", "content": "Hello?"})))
    assert case.notes == ("the model never answered, so nothing is replayed",)


def test_missing_results_are_noted(tmp_path):
    items = [TALK[1], {"role": "assistant", "content": None, "tool_calls": [CALL]}, TALK[2]]
    [case] = read(written(tmp_path, lines(*items)))
    assert case.notes == ("mended where it is sent, 1 x: its call has no result",)
    [lost] = read(written(tmp_path, lines(TALK[1], RESULT, TALK[2])))
    assert lost.notes == ("mended where it is sent, 1 x: it answers no call",)


def test_text_that_no_store_can_hold_is_mended(tmp_path):
    text = '{"id": "a\\u0000b", "messages": [{"role": "user", "content": "\\ud800 \\u0000"}]}'
    [case] = read(written(tmp_path, text))
    assert case.id == "file:1"
    assert case.messages[0].text == "\ufffd \ufffd"


def test_numbers_that_are_no_json_are_left_out(tmp_path):
    [case] = read(written(tmp_path, lines(*TALK) + '{"role": "user", "content": "x", "n": NaN}\n'))
    assert roles(case) == ROLES
    assert len(case.notes) == 1


CODE = [
    {"type": "summary", "summary": "A title", "leafUuid": "u9"},
    {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s1",
        "message": {"role": "user", "content": "Look."},
    },
    {
        "type": "assistant",
        "uuid": "u2",
        "sessionId": "s1",
        "message": {
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "thinking", "thinking": "Hm.", "signature": "sig"}],
        },
    },
    {
        "type": "assistant",
        "uuid": "u3",
        "sessionId": "s1",
        "message": {
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}],
        },
    },
    {
        "type": "user",
        "uuid": "u4",
        "sessionId": "s1",
        "message": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "Depot 17."}],
        },
    },
    {
        "type": "assistant",
        "uuid": "u5",
        "sessionId": "s1",
        "message": {
            "role": "assistant",
            "id": "msg_1",
            "content": [{"type": "tool_use", "id": "c2", "name": "look", "input": {}}],
        },
    },
    {
        "type": "user",
        "uuid": "u6",
        "sessionId": "s1",
        "message": {"role": "user", "content": [{"type": "text", "text": " "}]},
    },
]


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_transcript_of_claude_code_has_each_reply_whole(tmp_path, is_packed):
    [case] = read(written(tmp_path, lines(*CODE), is_packed=is_packed))
    assert (case.id, case.format) == ("s1", "anthropic")
    assert roles(case) == [USER, ASSISTANT, USER]
    kinds = [block["type"] for block in case.messages[1].raw["content"]]
    assert kinds == ["thinking", "tool_use", "tool_use"]
    assert [part.id for part in case.messages[1].parts[1:]] == ["c1", "c2"]


def test_a_transcript_that_was_cut_is_not_over(tmp_path):
    [case] = read(written(tmp_path, lines(*CODE) + '{"type": "user", "uu'))
    assert not case.is_ended
    assert case.notes[0].startswith("line 8: not JSON")


def test_a_source_can_be_named(tmp_path):
    file = written(tmp_path, lines({"session_id": "s", "messages": TALK}))
    assert [case.id for case in read(file, source="chat")] == ["s"]
    [found] = read(file, source="claude-code")
    assert isinstance(found, Unreadable)
    with pytest.raises(InvalidValue, match="gossip"):
        read_cases([file], source="gossip")


def test_folders_are_read_in_order_and_hidden_files_are_not(tmp_path):
    (tmp_path / "b" / ".git").mkdir(parents=True)
    for name in ("z.jsonl", "b/a.json", "b/.git/x.jsonl", ".y.jsonl", "notes.txt"):
        (tmp_path / name).write_text(lines({"id": name, "messages": TALK}))
    assert [case.id for case in read(tmp_path)] == ["b/a.json", "z.jsonl"]


def test_an_empty_folder_and_a_missing_file_are_named(tmp_path):
    (tmp_path / "empty").mkdir()
    found = read(tmp_path / "empty", tmp_path / "gone.jsonl", tmp_path / ("x" * 5_000))
    assert [type(each) for each in found] == [Unreadable] * 3
    assert found[1].problem == "it cannot be read: No such file or directory; check the path"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_can_be_read_only_once_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    [found] = read(tmp_path / "pipe.jsonl")
    assert "neither a file nor a folder" in found.problem
    [nul] = read(Path("a\x00b"))
    assert isinstance(nul, Unreadable)


def test_ids_are_told_apart_whatever_they_are(tmp_path):
    names = ["a", "a", "a#2", "a"]
    text = lines(*({"id": name, "messages": TALK} for name in names))
    assert [case.id for case in read(written(tmp_path, text))] == ["a", "a#2", "a#2#2", "a#3"]


def test_cases_travel_to_other_processes(tmp_path):
    cases = read(written(tmp_path, lines(*CODE)), written(tmp_path, lines(*TALK), "b.jsonl"))
    assert pickle.loads(pickle.dumps(cases)) == cases


class TestStore:
    @pytest.fixture
    def owner(self):
        clock = lifelong.ManualClock()
        with lifelong.open("memory:", clock=clock) as engine:
            owner = engine.owner("ana")
            owner.session("old").append(TALK)
            clock.advance(hours=13)
            owner.session("new").append(
                [{"role": "user", "content": [{"type": "text", "text": "Hello?"}]}], "anthropic"
            )
            yield owner

    def test_all_sessions_are_cases_the_oldest_first(self, owner):
        old, new = read(owner=owner)
        assert (old.id, old.source, old.format) == ("old", "store", "chat")
        assert (new.id, new.source, new.format) == ("new", "store", "anthropic")
        assert roles(old) == ROLES

    def test_a_session_that_was_silent_for_long_is_over(self, owner):
        assert [case.is_ended for case in read(owner=owner)] == [True, False]

    def test_sessions_can_be_named(self, owner):
        new, gone = read(owner=owner, sessions=["new", "gone"])
        assert new.id == "new"
        assert isinstance(gone, Unreadable)
        assert "no such session" in gone.problem

    def test_files_go_without_the_store_unless_sessions_are_named(self, owner, tmp_path):
        file = written(tmp_path, lines(*TALK))
        assert [case.id for case in read(file, owner=owner)] == ["file"]
        assert [case.id for case in read(file, owner=owner, sessions=["old"])] == ["old", "file"]

    def test_sessions_without_an_owner_are_refused(self):
        with pytest.raises(InvalidValue, match="owner"):
            read_cases([], sessions=["old"])

    def test_a_store_without_sessions_has_no_cases(self):
        with lifelong.open("memory:") as engine:
            assert read(owner=engine.owner("ben")) == []
