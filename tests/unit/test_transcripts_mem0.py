"""mem0's stores: two that it wrote itself, and what else it may leave on a disk."""

import json
import pickle
import sys
from contextlib import suppress
from datetime import timedelta

import pytest
from foreign_stores import MEM0, Point, execute, qdrant

import lifelong
from lifelong.errors import FormatError, InvalidValue, ManyUsers
from lifelong.transcripts.events import BrokenLine, Ignored, KeptMemory
from lifelong.transcripts.files import transcript_files
from lifelong.transcripts.mem0 import read
from lifelong.transcripts.plain_pickle import Object, unpickled

TEA = {"data": "Lea likes tea", "user_id": "lea", "created_at": "2026-01-02T03:04:05+00:00"}
HISTORY = (
    "CREATE TABLE history (id TEXT PRIMARY KEY, memory_id TEXT, old_memory TEXT, new_memory TEXT, "
    "event TEXT, created_at DATETIME, updated_at DATETIME, is_deleted INTEGER, actor_id TEXT, "
    "role TEXT)"
)


@pytest.fixture
def ana():
    with lifelong.open("memory:", embedder="off") as engine:
        yield engine.owner("ana")


@pytest.fixture
def listed(tmp_path):
    def write(value, name="all.json"):
        file = tmp_path / name
        file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return file

    return write


def memories(events):
    return [each.memory for each in events if isinstance(each, KeptMemory)]


def broken(events):
    return [each.reason for each in events if isinstance(each, BrokenLine)]


def test_a_store_that_mem0_wrote_is_read(ana):
    before = (MEM0 / "storage.sqlite").read_bytes()
    report = ana.import_transcripts("mem0", MEM0 / "storage.sqlite")
    assert (report.memories.added, report.memories.untrusted, report.broken) == (4, 4, ())
    found = {memory.text: memory for memory in ana.memories()}
    assert sorted(found) == [
        "I am allergic to walnuts",
        "Lea lives in Bergen",
        "Lea plays the cello on Thursdays",
        "Noted: no walnuts.",
    ]
    memory = found["I am allergic to walnuts"]
    assert memory.metadata == {
        "topic": "food",
        "mem0": {
            "id": "975342ee-46fb-47a0-8ae6-aa8bd68fa5d1",
            "user_id": "lea",
            "actor_id": "lea",
            "role": "user",
        },
    }
    assert (memory.kind, memory.origin.channel, memory.origin.source) == (
        "fact",
        "document",
        "mem0",
    )
    moved = found["Lea lives in Bergen"]
    assert moved.recorded_at.isoformat() == "2026-11-30T21:32:46.536520+00:00"
    assert moved.updated_at > moved.recorded_at
    assert (MEM0 / "storage.sqlite").read_bytes() == before
    assert sorted(each.name for each in MEM0.iterdir()) == ["history.db", "storage.sqlite"]


def test_its_history_alone_tells_what_lives_and_what_was_said_before(ana):
    report = ana.import_transcripts("mem0", MEM0 / "history.db")
    assert (report.memories.added, report.broken) == (4, ())
    assert "drum" not in "".join(ana.export())
    [moved] = [memory for memory in ana.memories() if "Bergen" in memory.text]
    assert [version.text for version in ana.history(moved.id)] == [
        "Lea lives in Kiel",
        "Lea lives in Bergen",
    ]


def test_one_memory_is_the_same_in_each_of_its_stores(ana, listed):
    """And of a folder with both, the history is left alone."""
    assert transcript_files("mem0", MEM0) == [MEM0 / "storage.sqlite"]
    rows = [
        {"id": "975342ee-46fb-47a0-8ae6-aa8bd68fa5d1", "memory": "I am allergic to walnuts"},
        {"id": "new", "memory": "Lea likes tea"},
    ]
    for added, path in ((4, MEM0), (0, MEM0 / "history.db"), (1, listed({"results": rows}))):
        assert ana.import_transcripts("mem0", path).memories.added == added


def test_who_vouches_makes_it_the_users_word_but_not_an_assistants(ana):
    report = ana.review.restore(MEM0 / "storage.sqlite", source="mem0")
    assert report.memories.untrusted == 0
    trusts = {memory.text: memory.trust.name for memory in ana.memories()}
    assert trusts["I am allergic to walnuts"] == "USER"
    assert trusts["Noted: no walnuts."] == "MODEL"


def test_a_second_time_nothing_is_added_and_what_was_forgotten_stays_so(ana):
    ana.import_transcripts("mem0", MEM0 / "storage.sqlite")
    again = ana.import_transcripts("mem0", MEM0 / "storage.sqlite")
    assert (again.memories.added, again.memories.duplicates) == (0, 4)
    ana.forget(match="walnuts")
    again = ana.import_transcripts("mem0", MEM0 / "history.db")
    assert (again.memories.added, again.memories.forgotten) == (0, 2)
    assert "walnut" not in "".join(ana.export())


def test_two_users_are_never_mixed(tmp_path, ana):
    file = qdrant(
        tmp_path / "storage.sqlite",
        TEA,
        {"data": "Bo likes mud", "user_id": "bo"},
        {"data": "It is late", "agent_id": "clock"},
    )
    with pytest.raises(ManyUsers, match=r"memories of bo, lea: .*--user"):
        ana.import_transcripts("mem0", file)
    assert ana.memories() == []
    for user, texts in (("bo", ["Bo likes mud"]), ("clock", ["It is late"]), ("cy", [])):
        with lifelong.open("memory:", embedder="off") as engine:
            owner = engine.owner("x")
            owner.import_transcripts("mem0", file, user=user)
            assert [memory.text for memory in owner.memories()] == texts
    with pytest.raises(InvalidValue, match="only mem0 knows users"):
        ana.import_transcripts("chat", file, user="bo")


def test_entities_are_no_memories(tmp_path):
    file = qdrant(
        tmp_path / "storage.sqlite",
        {"data": "Lea", "entity_type": "person", "user_id": "lea", "linked_memory_ids": ["x"]},
        TEA,
    )
    events = list(read(file))
    assert [type(event) for event in events] == [Ignored, KeptMemory]


def test_of_two_rows_of_one_point_the_last_counts(tmp_path):
    file = qdrant(
        tmp_path / "storage.sqlite", TEA, {**TEA, "data": "Lea likes mate"}, ids=["a", "a"]
    )
    assert [memory.text for memory in memories(read(file))] == ["Lea likes mate"]


def test_chroma_is_read(tmp_path):
    file = execute(
        tmp_path / "chroma.sqlite3",
        "CREATE TABLE embeddings (id INTEGER PRIMARY KEY, segment_id, embedding_id, seq_id)",
        "CREATE TABLE embedding_metadata (id INTEGER, key TEXT, string_value TEXT, "
        "int_value INTEGER, float_value REAL, bool_value INTEGER, PRIMARY KEY (id, key))",
        "INSERT INTO embeddings VALUES (1, 's', 'uuid-1', 1), (2, 's', 'uuid-2', 2)",
        "INSERT INTO embedding_metadata VALUES "
        "(1, 'data', 'Lea likes tea', NULL, NULL, NULL), (1, 'user_id', 'lea', NULL, NULL, NULL), "
        "(1, 'level', NULL, 3, NULL, NULL), (2, 'data', 'Lea owns a drum', NULL, NULL, NULL)",
    )
    one, two = memories(read(file))
    assert (one.text, two.text) == ("Lea likes tea", "Lea owns a drum")
    assert one.metadata == {"level": 3, "mem0": {"id": "uuid-1", "user_id": "lea"}}


def test_the_docstore_of_faiss_is_read(tmp_path, listed):
    (tmp_path / "mem0.faiss").write_bytes(b"index")
    file = listed({"docstore": {"uuid-1": TEA}, "index_to_id": {"0": "uuid-1"}}, "mem0.json")
    listed({"docstore": {}}, "package.json")
    assert transcript_files("mem0", tmp_path) == [file]
    [memory] = memories(read(file))
    assert memory.text == "Lea likes tea"


@pytest.mark.parametrize("wrap", [lambda rows: {"results": rows}, lambda rows: rows])
def test_what_get_all_returned_is_read(listed, wrap):
    row = {
        "id": "uuid-1",
        "memory": "Lea likes tea",
        "hash": "x",
        "metadata": {"topic": "food"},
        "created_at": "2026-01-02T03:04:05-08:00",
        "updated_at": None,
        "user_id": "lea",
        "expiration_date": "2026-02-01",
    }
    [memory] = memories(read(listed(wrap([row]))))
    assert (memory.text, memory.metadata["topic"]) == ("Lea likes tea", "food")
    assert memory.recorded_at.isoformat() == "2026-01-02T11:04:05+00:00"
    assert memory.expires_at.isoformat() == "2026-02-02T00:00:00+00:00"


@pytest.mark.parametrize("last_day", ["9999-12-31", "soon", 7, None])
def test_a_day_without_a_morrow_ends_nothing(listed, last_day):
    [memory] = memories(read(listed([{**TEA, "id": "x", "expiration_date": last_day}])))
    assert memory.expires_at is None


def test_what_has_no_time_is_as_of_today(listed, ana):
    ana.import_transcripts("mem0", listed([{"id": "x", "memory": "Lea likes tea"}]))
    [memory] = ana.memories()
    assert memory.recorded_at == memory.updated_at
    assert abs(memory.recorded_at - ana._clock.now()) < timedelta(hours=1)


@pytest.mark.parametrize(
    ("element", "reason"),
    [
        (3, "element 2 is no object"),
        ({"memory": "x"}, "memory : its id cannot be one"),
        ({"id": "\x1b[2J", "memory": "x"}, "memory \ufffd[2J: its id cannot be one"),
        ({"id": "a"}, "memory a: text is NoneType"),
        ({"id": "a", "memory": "  "}, "memory a: text"),
        ({"id": "a", "memory": ["x"]}, "memory a: text is list"),
    ],
)
def test_an_element_that_is_no_memory_is_reported(listed, element, reason):
    events = list(read(listed([{**TEA, "id": "x"}, element])))
    assert len(memories(events)) == 1
    [told] = broken(events)
    assert told.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{}", "there are no memories in it"),
        ('{"results": 3}', "there are no memories in it"),
        ("7", "there are no memories in it"),
        ("[", "not JSON"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_a_file_without_memories_is_reported(listed, text, reason):
    [told] = broken(read(listed(text)))
    assert told.startswith(reason)


def test_a_history_without_dates_or_in_disorder_is_read(tmp_path):
    insert = "INSERT INTO history VALUES (?, ?, NULL, ?, ?, ?, ?, 0, NULL, ?)"
    file = execute(
        tmp_path / "history.db",
        HISTORY,
        (insert, ("1", "a", "Lea likes tea", "ADD", None, None, None)),
        (insert, ("2", "b", "Lea owns a drum", "ADD", "soon", 7, "user")),
        (insert, ("3", "b", None, "DELETE", None, None, None)),
        (insert, ("4", "b", "Lea owns a bell", "ADD", None, None, "assistant")),
        (insert, ("5", "c", None, "DELETE", None, None, None)),
        (insert, ("6", None, "nobody's", "ADD", None, None, None)),
    )
    events = list(read(file))
    assert {m.text: m.origin.channel for m in memories(events)} == {
        "Lea likes tea": "user",
        "Lea owns a bell": "assistant",
    }
    assert len(broken(events)) == 1


RAN = []


class Runs:
    """Would run when it is unpickled."""

    def __reduce__(self):
        return RAN.append, ("unpickled",)


class RunsLater:
    """Would run when its state is set."""

    def __init__(self):
        self.payload = Runs()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_read_and_never_run(protocol):
    found = unpickled(pickle.dumps(Point("a", TEA), protocol=protocol))
    assert isinstance(found, Object)
    assert found.fields["payload"] == TEA
    found = unpickled(
        pickle.dumps([RunsLater(), Runs(), {"a": (1, 2.5, None, True)}, {1}], protocol)
    )
    assert isinstance(found[1], Object)
    assert found[2] == {"a": (1, 2.5, None, True)}
    assert RAN == []


HUGE = (
    b"\x80\x04\x96" + (1 << 40).to_bytes(8, "little") + b"x.",  # a byte array of a tebibyte
    b"\x80\x04\x8d" + (1 << 60).to_bytes(8, "little") + b"x.",
    b"\x80\x04Nr\xff\xff\xff\x7f.",  # a place for it among two thousand million
    b"\x80\x04\x8b\xff\xff\xff\x7f1.",
)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b".",
        b"garbage",
        b"\x80\x04]\x94h\x00a.x"[:-3],
        b"\x80\x04K\x01e.",
        b"\x80\x04u.",
        b"\x80\x04(u.",
        b"\x80\x04}(K\x01u.",
        b"\x80\x04}(]K\x01u.",
        b"\x80\x04h\x07.",
        b"\x80\x04b.",
        b"\x80\x04NNb.",
        b"\x80\x04NR.",
        b"\x80\x04\x82\x01.",  # what a program registered
        b"\x80\x04\x97.",  # a buffer that comes from elsewhere
        b"Pid\n.",
        *HUGE[:2],
        HUGE[3],
    ],
)
def test_a_pickle_that_does_more_or_is_damaged_is_refused(data):
    with pytest.raises(FormatError):
        unpickled(data)


def test_a_pickle_that_claims_much_costs_little():
    assert unpickled(HUGE[2]) is None


def test_a_pickle_cut_or_changed_anywhere_is_read_or_refused():
    whole = pickle.dumps(Point("a", TEA))
    for end in range(len(whole)):
        with pytest.raises(FormatError):
            unpickled(whole[:end])
    for at in range(len(whole)):
        for byte in (0, 0x80, 0xFF, ord("R"), ord("c"), ord("("), ord("e")):
            with suppress(FormatError):
                unpickled(whole[:at] + bytes([byte]) + whole[at + 1 :])


def test_a_pickle_that_holds_itself_many_times_is_refused(tmp_path):
    """A few bytes that would be printed for ever."""
    bomb = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    ring = {}
    ring["payload"] = ring
    file = qdrant(tmp_path / "storage.sqlite", {**TEA, "bomb": bomb}, {**TEA, "ring": ring}, TEA)
    events = list(read(file))
    assert len(memories(events)) == 1
    assert [told.partition(": ")[0] for told in broken(events)] == ["point 0", "point 1"]


def test_too_many_steps_end_the_reading(monkeypatch):
    monkeypatch.setattr("lifelong.transcripts.plain_pickle.STEPS_MAX", 100)
    with pytest.raises(FormatError, match="more than 100 steps"):
        unpickled(pickle.dumps(list(range(1000))))


@pytest.mark.parametrize("point", [b"", pickle.dumps([1]), pickle.dumps(Point("a", [1])), b"x"])
def test_a_point_of_another_shape_is_reported(tmp_path, point):
    events = list(read(qdrant(tmp_path / "storage.sqlite", TEA, point)))
    assert len(memories(events)) == 1
    assert len(broken(events)) == 1


def test_no_module_of_theirs_is_imported():
    sys.modules.pop("qdrant_client", None)
    list(read(MEM0 / "storage.sqlite"))
    assert "qdrant_client" not in sys.modules


def test_another_database_is_none_of_mem0s(tmp_path):
    file = execute(tmp_path / "storage.sqlite", "CREATE TABLE notes (id)")
    assert broken(read(file)) == ["there is no table of mem0's in it"]
