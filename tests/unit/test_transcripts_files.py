"""Finding transcripts, and reading files that are packed, cut off, too long or no transcripts."""

import gzip
import io
import json
import os
import stat
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from lifelong.errors import InvalidValue, TranscriptError
from lifelong.transcripts import exports, files, lines
from lifelong.transcripts.events import BrokenLine, Ignored, SaidMessage, SessionStart
from lifelong.transcripts.files import SOURCES, read_transcript, total_bytes, transcript_files

HELLO = b'{"role": "user", "content": "hello"}'
GPT = {
    "id": "c1",
    "mapping": {
        "a": {
            "message": {
                "id": "a",
                "author": {"role": "user"},
                "content": {"content_type": "text", "parts": ["hello"]},
            }
        }
    },
    "current_node": "a",
}
CLAUDE = {"uuid": "c1", "chat_messages": [{"uuid": "a", "sender": "human", "text": "hello"}]}
EXPORTS = [("chatgpt", GPT), ("claude", CLAUDE)]


@pytest.fixture
def written(tmp_path):
    """Return a function that writes bytes under a name, with its folders."""

    def write(data, name="shop.jsonl"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return file

    return write


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def texts(events):
    return [event.message.text for event in events if isinstance(event, SaidMessage)]


def broken(events):
    return [(event.line, event.reason) for event in events if isinstance(event, BrokenLine)]


def test_an_unknown_source_is_refused_with_the_known_ones(tmp_path):
    assert (
        *("claude-code", "chatgpt", "claude", "chat", "lifelong"),
        *("openai-agents", "langgraph", "mem0"),
    ) == SOURCES
    for call in (
        lambda: transcript_files("slack", tmp_path),
        lambda: read_transcript("slack", tmp_path / "x"),
    ):
        with pytest.raises(InvalidValue, match="'slack' is not one of claude-code, chatgpt, cl"):
            call()


@pytest.mark.parametrize("name", ["gone", "gone/deeper", "x" * 300, "nul\x00"])
def test_a_path_that_is_not_there_is_refused(tmp_path, name):
    with pytest.raises(TranscriptError):
        transcript_files("chat", tmp_path / name)


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_is_taken_whatever_it_is_called(written, source):
    file = written(b"", "notes.txt")

    assert transcript_files(source, file) == [file]
    assert transcript_files(source, str(file)) == [file]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("claude-code", ["a/one.jsonl", "a/sub/two.jsonl.gz", "b.jsonl"]),
        ("chat", ["a/one.jsonl", "a/sub/two.jsonl.gz", "b.jsonl"]),
        (
            "chatgpt",
            ["a/conversations-001.json", "broken.zip", "conversations.json.gz", "e/export.ZIP"],
        ),
        (
            "claude",
            ["a/conversations-001.json", "broken.zip", "conversations.json.gz", "e/export.ZIP"],
        ),
    ],
)
def test_a_folder_is_searched_for_what_the_tool_writes(written, tmp_path, source, expected):
    for name in ("b.jsonl", "a/one.jsonl", "a/sub/two.jsonl.gz", "one.json", "jsonl"):
        written(HELLO, name)
    for name in ("a/conversations-001.json", "shared_conversations.json", "conversations.json.gz"):
        written(b"[]", name)
    written(zipped({"in/conversations.json": "[]"}), "e/export.ZIP")
    written(zipped({"photo.jpg": "x"}), "photos.zip")
    written(b"PK\x03\x04 cut off", "broken.zip")
    (tmp_path / "folder.jsonl").mkdir()

    assert transcript_files(source, tmp_path) == [tmp_path / name for name in expected]


def test_a_folder_without_transcripts_gives_none(tmp_path):
    assert transcript_files("claude-code", tmp_path) == []


def test_the_size_counts_what_is_there(written, tmp_path):
    found = [written(b"12345", "a.jsonl"), tmp_path / "gone", written(b"123", "b.jsonl")]

    assert total_bytes(found) == 8
    assert total_bytes([]) == 0


def test_bytes_are_counted_up_to_the_size_of_the_file(written):
    data = b"\n".join([HELLO] * 5_000)
    for source, file in (
        ("chat", written(data, "plain.jsonl")),
        ("chat", written(gzip.compress(data), "packed.jsonl.gz")),
        ("chat", written(gzip.compress(data)[:-9], "cut.jsonl.gz")),
        ("chatgpt", written(json.dumps([GPT]).encode(), "conversations.json")),
        ("chatgpt", written(zipped({"conversations.json": json.dumps([GPT])}), "export.zip")),
    ):
        counts = []
        list(read_transcript(source, file, counts.append))
        assert counts == sorted(counts)
        assert counts[-1] == total_bytes([file])


def test_lines_are_read_one_by_one(written):
    counts = []
    file = written(b"\n".join([HELLO] * 50_000))

    events = read_transcript("chat", file, counts.append)
    assert [next(events), next(events)][0] == SessionStart("shop", "hello", "chat")

    assert 0 < counts[-1] < total_bytes([file]) / 10


def test_memory_does_not_grow_with_the_file(written):
    file = written((HELLO.replace(b"hello", b"x" * 1_000) + b"\n") * 4_000)

    tracemalloc.start()
    try:
        count = sum(isinstance(event, SaidMessage) for event in read_transcript("chat", file))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 4_000
    assert peak < total_bytes([file]) / 10


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\n\n \n"])
def test_marks_and_line_ends_do_not_matter(written, packed, ending):
    data = b"\xef\xbb\xbf" + HELLO + ending + HELLO

    events = list(read_transcript("chat", written(gzip.compress(data) if packed else data)))

    assert texts(events) == ["hello", "hello"]
    assert broken(events) == []


def test_a_broken_line_is_set_aside_by_its_number(written):
    deep = b'{"role": "user", "content": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    rather_deep = b'{"role": "user", "content": ' + b"[" * 150 + b"]" * 150 + b"}"
    broken_ones = [b"{", b"\xff\xfe", b"[1]", b'"text"', deep, rather_deep, b"null"]

    data = b"\n".join([HELLO, *broken_ones, HELLO, b"\x00"])
    events = list(read_transcript("chat", written(data)))

    assert texts(events) == ["hello", "hello"]
    assert [line for line, _ in broken(events)] == [2, 3, 4, 5, 6, 7, 8, 10]
    reasons = dict(broken(events))
    assert reasons[2].startswith("not JSON: ")
    assert reasons[3] == "byte 1 is not UTF-8"
    assert reasons[4] == reasons[5] == reasons[8] == "not a JSON object"
    assert reasons[6] == "nested too deep to be read"
    assert "nested" in reasons[7]


def test_a_number_of_too_many_digits_breaks_its_line_only(written):
    number = b'{"role": "user", "content": ' + b"1" * 5_000 + b"}"

    events = list(read_transcript("chat", written(number + b"\n" + HELLO)))

    assert texts(events) == ["hello"]
    assert [line for line, _ in broken(events)] == [1]


@pytest.mark.parametrize("packed", [False, True])
def test_a_line_that_is_too_long_is_skipped(written, monkeypatch, packed):
    monkeypatch.setattr(lines, "MAX_LINE_BYTES", len(HELLO))
    monkeypatch.setattr(lines, "_SKIP_BYTES", 16)
    long = b"x" * 1_000
    data = b"\n".join([HELLO, long, HELLO, long])

    events = list(read_transcript("chat", written(gzip.compress(data) if packed else data)))

    assert texts(events) == ["hello", "hello"]
    assert [line for line, _ in broken(events)] == [2, 4]
    assert broken(events)[0][1].startswith("longer than ")


def test_a_packed_file_that_ends_early_keeps_what_came_before(written):
    data = b"\n".join(HELLO.replace(b"hello", b"%06d" % each) for each in range(20_000))
    packed = gzip.compress(data)

    events = list(read_transcript("chat", written(packed[: len(packed) // 2])))

    found = texts(events)
    assert 1_000 < len(found) < 20_000
    assert found == [f"{each:06d}" for each in range(len(found))]
    assert broken(events) == [(len(found) + 1, "the compressed data ends early")]


def test_a_packed_file_that_is_damaged_is_reported(written):
    packed = bytearray(gzip.compress((HELLO + b"\n") * 100))
    packed[-8] ^= 1
    events = list(read_transcript("chat", written(bytes(packed))))
    assert len(texts(events)) == 100
    assert [line for line, _ in broken(events)] == [101]

    packed[10:20] = b"\xff" * 10
    [(line, reason)] = broken(read_transcript("chat", written(bytes(packed))))
    assert (line, reason) == (1, "the compressed data is damaged")


@pytest.mark.parametrize("source", SOURCES)
def test_a_file_in_which_nothing_can_be_read_gives_one_report(written, tmp_path, source):
    assert broken(read_transcript(source, tmp_path / "gone")) == [(0, "No such file or directory")]
    assert broken(read_transcript(source, tmp_path)) == [(0, "Is a directory")]
    for data in (b"", b"\x89PNG\r\n\x1a\n\x00\n\xff" * 20, b"PK\x05\x06", b"[[[\n" * 50):
        events = list(read_transcript(source, written(data)))
        assert len(broken(events)) == len(events) == 1


def test_one_report_tells_how_much_and_the_first_reason(written, monkeypatch):
    file = written(b"{\n" * 30)
    whole = "none of its 30 lines or elements can be read; the first: line 1, not JSON: "

    [(line, reason)] = broken(read_transcript("chat", file))
    assert line == 0
    assert reason.startswith(whole)

    monkeypatch.setattr(files, "HELD_LINES", 2)
    [(line, reason)] = broken(read_transcript("chat", file))
    assert reason.startswith(whole)

    assert broken(read_transcript("chat", written(b""))) == [(0, "there is nothing in it")]
    [(line, reason)] = broken(read_transcript("chat", written(b"\n\n{")))
    assert line == 3
    [(line, reason)] = broken(read_transcript("claude", written(json.dumps([GPT] * 2).encode())))
    assert reason.startswith("none of its 2 lines or elements can be read; the first: conv")


def test_broken_lines_before_the_first_readable_one_are_all_counted(written, monkeypatch):
    monkeypatch.setattr(files, "HELD_LINES", 2)

    events = list(read_transcript("chat", written(b"{\n" * 5 + HELLO + b"\n{")))

    assert texts(events) == ["hello"]
    assert [line for line, _ in broken(events)] == [1, 2, 2, 7]
    assert broken(events)[2][1] == "and 3 more after it cannot be read"


def test_an_ignored_line_is_readable(written):
    line = b'{"type": "progress"}'

    events = list(read_transcript("claude-code", written(b"{\n" + line)))

    assert [line for line, _ in broken(events)] == [1]
    assert events[1] == Ignored("progress")


@pytest.mark.parametrize(("source", "whole"), EXPORTS)
def test_an_export_is_read_plain_packed_and_from_a_zip(written, source, whole):
    text = json.dumps([whole])
    for data in (
        text.encode(),
        b"\xef\xbb\xbf" + text.encode(),
        json.dumps(whole).encode(),
        gzip.compress(text.encode()),
        zipped({"user.json": "{}", "conversations.json": text}),
        zipped({"in/conversations-000.json": text}, zipfile.ZIP_STORED),
    ):
        events = list(read_transcript(source, written(data, "export")))
        assert texts(events) == ["hello"]
        assert events[0] == SessionStart("c1", "hello", source)


@pytest.mark.parametrize(("source", "whole"), EXPORTS)
def test_a_zip_is_read_member_by_member(written, source, whole):
    data = zipped(
        {
            "conversations-001.json": json.dumps([whole]),
            "conversations-000.json": "[",
            "shared_conversations.json": json.dumps([whole]),
            "conversations-002.json": json.dumps([7, whole]),
        }
    )

    events = list(read_transcript(source, written(data, "export.zip")))

    assert texts(events) == ["hello", "hello"]
    assert broken(events)[0][1].startswith("conversations-000.json: not JSON: ")
    assert broken(events)[1:] == [(0, "conversations-002.json: conversation 1: not a JSON object")]


def test_a_zip_that_cannot_be_read_is_reported(written):
    whole = zipped({"conversations.json": json.dumps([GPT])}, zipfile.ZIP_STORED)
    encrypted, damaged, strange = bytearray(whole), bytearray(whole), bytearray(whole)
    directory = whole.index(b"PK\x01\x02")
    encrypted[directory + 8] |= 1
    damaged[whole.index(b"hello")] ^= 1
    strange[directory + 10] = strange[8] = 99

    named = zipped({"é": "x"}).replace("é".encode(), b"\xff\xff")
    [(line, reason)] = broken(read_transcript("chatgpt", written(named, "e.zip")))
    assert (line, reason[:7]) == (0, "'utf-8'")

    for data, reason in (
        (b"PK\x03\x04", "File is not a zip file"),
        (zipped({"photo.jpg": "x"}), "there is no conversations.json in it"),
        (bytes(encrypted), "conversations.json: it is encrypted"),
        (bytes(damaged), "conversations.json: Bad CRC-32 for file 'conversations.json'"),
        (bytes(strange), "conversations.json: That compression method is not supported"),
    ):
        assert broken(read_transcript("chatgpt", written(data, "e.zip"))) == [(0, reason)]


def test_an_export_that_is_too_large_is_refused(written, monkeypatch):
    text = json.dumps([GPT])
    monkeypatch.setattr(exports, "MAX_EXPORT_BYTES", len(text))
    assert texts(read_transcript("chatgpt", written(text.encode()))) == ["hello"]

    monkeypatch.setattr(exports, "MAX_EXPORT_BYTES", len(text) - 1)
    for data in (text.encode(), gzip.compress(text.encode())):
        [(line, reason)] = broken(read_transcript("chatgpt", written(data)))
        assert (line, reason) == (0, f"larger than {len(text) - 1} bytes")


def test_a_file_whose_state_cannot_be_asked_is_left_to_the_reader(written, monkeypatch):
    file = written(HELLO)
    look = Path.stat

    def refused(self, *, follow_symlinks=True):
        if self == file:
            raise PermissionError(13, "Permission denied")
        return look(self, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)

    assert transcript_files("chat", file.parent) == [file]
    assert total_bytes([file]) == 0
    with pytest.raises(TranscriptError, match="Permission denied"):
        transcript_files("chat", file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_is_no_file_is_left_out_of_a_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")

    assert stat.S_ISFIFO((tmp_path / "pipe.jsonl").stat().st_mode)
    assert transcript_files("chat", tmp_path) == []


def test_names_of_files_become_names_of_sessions_that_can_be_stored(written):
    for name, session in (
        ("a\nb.jsonl", "a\ufffdb"),
        ("x" * 240 + ".jsonl.gz", "x" * 200),
        (".jsonl", ".jsonl"),
        ("ünï 🙂.jsonl", "ünï 🙂"),
    ):
        [start, _] = read_transcript("chat", written(HELLO, name))
        assert start.session_id == session
