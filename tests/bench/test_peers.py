import json
import subprocess
import sys
from array import array
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lifelong.bench import peers, recall
from lifelong.bench.datasets import load
from lifelong.bench.peers import exchange, own
from lifelong.bench.peers.exchange import PeerFailed, ask_peer, last_words, write_job
from lifelong.bench.peers.known import Known, write_known
from lifelong.bench.peers.listing import PEERS
from lifelong.bench.peers.runners import fts5
from lifelong.bench.peers.runners import run as runner
from lifelong.errors import EmbedderFailed, InputError, InvalidValue
from lifelong.rows import Embedding

SAID = {
    "c1": ["Good morning", "My bicycle is green", "See you", "Take care"],
    "c2": ["Good evening", "I play the oboe", "Hello there"],
}
ASKED = [
    ("c1", "Which colour has the bicycle?", ["D1:1"]),
    ("c2", "Who plays the oboe?", ["D1:1"]),
    ("c2", "What oboe, evening?", ["D1:0", "D1:1"]),
    ("c1", "Who plays the oboe?", ["D1:0"]),
]


def write(folder, name, lines):
    text = "\n".join(json.dumps(line) for line in lines)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def locomo(tmp_path):
    """Two conversations of one session each; the same ids stand in both."""
    folder = tmp_path / "locomo"
    folder.mkdir()
    turns = [
        {
            "conv_id": conversation,
            "session": 1,
            "session_time": "2023-05-08T13:56:00",
            "turn_id": f"D1:{number}",
            "speaker": "Ana",
            "text": text,
        }
        for conversation, texts in SAID.items()
        for number, text in enumerate(texts)
    ]
    questions = [
        {
            "conv_id": conversation,
            "category": 4,
            "category_name": "single_hop",
            "question": text,
            "evidence_fixed": gold,
            "ok_retrieval": True,
        }
        for conversation, text, gold in ASKED
    ]
    write(folder, "turns", turns)
    write(folder, "questions", questions)
    return folder


class Letters:
    """An embedder without a model: how often each of four letters stands in a text."""

    name = "letters"

    def embed(self, texts):
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text):
        vector = [1.0 + text.lower().count(letter) for letter in "bgor"]
        return Embedding(vector, [[1.0, 0.0], [0.0, 1.0]])


@pytest.fixture
def job(locomo, tmp_path):
    """The folder of a job, as a peer's process finds it, and its data set."""
    folder = tmp_path / "job"
    folder.mkdir()
    found = load("locomo", locomo)
    write_job(folder, found)
    return folder, found


def answers(**changed):
    """Right answers for the data set above, line by line, some of them changed or left out."""
    lines = {
        "first": {"written": 7, "seconds": 0.5},
        "q0": {"ranked": ["D1:1"], "seconds": 0.25, "cpu_seconds": 0.125},
        "q1": {"ranked": ["D1:2", "D1:1"], "seconds": 0.5, "cpu_seconds": 0.25},
        "q2": {"ranked": ["D1:0"], "seconds": 0.25, "cpu_seconds": 0.125},
        "q3": {"ranked": [], "seconds": 0.25, "cpu_seconds": 0.125},
        "last": {"disk_bytes": 2_500_000, "peak_bytes": 30_000_000, "versions": {"peer": "1.0"}},
    }
    lines |= changed
    return [line for line in lines.values() if line is not None]


def ask_script(job, code: str, seconds_max: float = 60.0):
    """Run `code` as the process of a peer."""
    folder, found = job
    script = folder / "peer.py"
    script.write_text(code, encoding="utf-8")
    return ask_peer([sys.executable, str(script)], folder, found=found, seconds_max=seconds_max)


def ask_saying(job, lines):
    """Run a peer that writes these lines, whatever it was asked."""
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return ask_script(job, f"open('answers.jsonl', 'w').write({text!r})")


def test_answers_of_a_peer_are_read(job):
    found = ask_saying(job, answers())
    ranked = [answer.ranked for answer in found.answers]
    assert ranked == [("D1:1",), ("D1:2", "D1:1"), ("D1:0",), ()]
    assert (found.answers[1].seconds, found.answers[1].cpu_seconds) == (0.5, 0.25)
    assert (found.write_seconds, found.disk_bytes, found.peak_bytes) == (0.5, 2_500_000, 30_000_000)
    assert found.versions == {"peer": "1.0"}


def test_figures_come_from_the_ranks(job):
    _, found = job
    figures = peers._figures(found, ask_saying(job, answers()))
    # Evidence at ranks 1 and 2, one of two at rank 1, and none; by hand
    assert figures["overall"] == {
        "any@10": 0.75,
        "all@10": 0.5,
        "fraction@10": 0.625,
        # 1, .6309 at rank 2, 1 of 1.6309, and nothing, over 4
        "ndcg@10": pytest.approx(0.5610, abs=1e-4),
    }
    assert figures["latency_ms"] == {"p50": 250.0, "p95": 500.0}
    assert figures["cpu_ms"] == {"p50": 125.0, "p95": 250.0}
    assert figures["turns_per_second"] == 14.0


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ([], "cannot be read"),
        (["what?"], "cannot be read"),
        (answers()[:-1], "answered 3 of 4 questions"),
        (answers(q1=None), "answered 3 of 4 questions"),
        (answers(first={"written": 6, "seconds": 1.0}), "wrote 6 of 7 turns"),
        (answers(first={"written": 7, "seconds": 0}), "in no time"),
        (answers(first=["written"]), "cannot be read"),
        (answers(q0="[" * 100_000), "cannot be read"),
        (answers(q0={"ranked": ["D9:9"], "seconds": 1, "cpu_seconds": 1}), "D9:9"),
        # An id of the other conversation is nonsense too
        (answers(q1={"ranked": ["D1:3"], "seconds": 1, "cpu_seconds": 1}), "D1:3"),
        (answers(q0={"ranked": ["D1:1"] * 11, "seconds": 1, "cpu_seconds": 1}), "D1:1"),
        (answers(q0={"ranked": [["D1:1"]], "seconds": 1, "cpu_seconds": 1}), "cannot be read"),
        (answers(q0={"ranked": None, "seconds": 1, "cpu_seconds": 1}), "cannot be read"),
        (answers(q0={"ranked": ["D1:1"], "seconds": -1, "cpu_seconds": 1}), "cannot be read"),
        (answers(q0='{"ranked": [], "seconds": NaN, "cpu_seconds": 1}'), "cannot be read"),
        (answers(q0={"ranked": ["D1:1"]}), "cannot be read"),
        (answers(last={"disk_bytes": None, "peak_bytes": 1, "versions": {}}), "cannot be read"),
        (answers(last={"disk_bytes": 1, "peak_bytes": 1, "versions": 1}), "cannot be read"),
    ],
)
def test_a_peer_that_answers_nonsense_has_failed(job, lines, problem: str):
    with pytest.raises(PeerFailed) as raised:
        ask_saying(job, lines)
    assert problem in str(raised.value)


def test_a_peer_that_crashes_says_what_it_said_last(job):
    code = "import sys\nprint('loading')\nraise RuntimeError('no such index')"
    with pytest.raises(PeerFailed, match=r"ended with 1: RuntimeError: no such index"):
        ask_script(job, code)


def test_a_peer_that_crashes_after_some_answers_has_no_figures(job):
    lines = "\n".join(json.dumps(line) for line in answers())
    with pytest.raises(PeerFailed, match="ended with 3: it said nothing"):
        ask_script(job, f"open('answers.jsonl', 'w').write({lines!r})\nraise SystemExit(3)")


def test_a_peer_that_writes_no_answers_has_failed(job):
    with pytest.raises(PeerFailed, match=r"FileNotFoundError.*answers\.jsonl"):
        ask_script(job, "print('done')")


def test_a_peer_that_hangs_is_ended(job):
    with pytest.raises(PeerFailed, match=r"did not end within 0\.2 s"):
        ask_script(job, "import time\nwhile True:\n    time.sleep(1)", seconds_max=0.2)


def test_a_peer_that_is_not_there_has_failed(job):
    folder, found = job
    with pytest.raises(PeerFailed, match="did not start"):
        ask_peer([str(folder / "none")], folder, found=found, seconds_max=1.0)


def test_what_a_peer_said_may_be_any_bytes_and_is_cut():
    assert last_words(b"one\n\xff two \n\n") == "\N{REPLACEMENT CHARACTER} two"
    assert last_words(b" \n") == "it said nothing"
    assert len(last_words(b"x" * 9_000)) == 300


def test_a_peer_gets_no_secret_no_home_and_no_telemetry(job, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    monkeypatch.setenv("GIT_TOKEN", "t")
    monkeypatch.setenv("XDG_CACHE_HOME", "elsewhere")
    monkeypatch.setenv("LANGSMITH_PROJECT", "mine")
    monkeypatch.setenv("KEPT", "1")
    folder, _ = job
    with pytest.raises(PeerFailed):
        ask_script(job, "import json, os\njson.dump(dict(os.environ), open('seen.json', 'w'))")
    seen = json.loads((folder / "seen.json").read_text(encoding="utf-8"))
    assert not {"OPENAI_API_KEY", "GIT_TOKEN", "XDG_CACHE_HOME", "LANGSMITH_PROJECT"} & seen.keys()
    assert (seen["KEPT"], seen["HOME"], seen["TMPDIR"]) == ("1", str(folder), str(folder))
    assert (seen["MEM0_TELEMETRY"], seen["ANONYMIZED_TELEMETRY"]) == ("False", "False")


def test_a_process_of_a_peer_reaches_no_other_machine():
    # 192.0.2.1 belongs to nobody; the hook is asked before any packet is sent
    code = (
        "import importlib.util, socket\n"
        f"spec = importlib.util.spec_from_file_location('run', {runner.__file__!r})\n"
        "import sys\n"
        "run = sys.modules['run'] = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(run)\n"
        "run.refuse_network()\n"
        "for ask in (lambda: socket.socket().connect(('192.0.2.1', 9)),\n"
        "            lambda: socket.getaddrinfo('example.invalid', 9)):\n"
        "    try:\n"
        "        ask()\n"
        "    except OSError as error:\n"
        "        print(error)\n"
        "with socket.create_server(('127.0.0.1', 0)) as here:\n"
        "    socket.create_connection(here.getsockname()).close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["no network: 192.0.2.1", "no network: example.invalid"]


class Recorder:
    """A store that keeps what it was given, and finds every turn of the conversation."""

    def __init__(self, place: Path, vectors) -> None:
        self.vectors = dict(vectors)
        self.written: list = []
        self.asked: list = []
        self.place = place
        self.is_finished = False

    def write(self, conversation, turns):
        assert not self.is_finished
        self.written.append((conversation, list(turns)))
        (self.place / "kept").write_bytes(b"12345")

    def finish(self):
        self.is_finished = True

    def ask(self, conversation, question, limit):
        assert self.is_finished
        assert limit == 10
        self.asked.append((conversation, question))
        return [turn.id for name, turns in self.written for turn in turns if name == conversation]

    def close(self):
        (self.place / "more").write_bytes(b"678")


def measured(folder, found) -> tuple[Recorder, exchange.Answers]:
    made: list[Recorder] = []

    def opening(place, vectors):
        made.append(Recorder(place, vectors))
        return made[0]

    runner.measure(opening, {"recorder": "2"}, folder)
    return made[0], exchange._read_answers(folder / runner.ANSWERS, found)


@pytest.fixture
def filled(job):
    """What a store was given with vectors, and what was read of its answers."""
    folder, found = job
    turns = Letters().embed(list(peers._lines(found)))
    questions = Letters().embed([text for _, text, _ in ASKED])
    exchange.write_vectors(folder, *([each.vector for each in s] for s in (turns, questions)))
    return measured(folder, found)


def test_every_turn_reaches_a_peer_with_its_vector(filled):
    store, answered = filled
    # One session each, in order, under a plain name
    assert [name for name, _ in store.written] == ["conversation0", "conversation1"]
    turns = [turn for _, turns in store.written for turn in turns]
    assert [turn.line for turn in turns] == [f"Ana: {text}" for s in SAID.values() for text in s]
    assert [turn.id for turn in turns] == ["D1:0", "D1:1", "D1:2", "D1:3", "D1:0", "D1:1", "D1:2"]
    # "Ana: My bicycle is green" has one b, one g, no o and one r
    assert turns[1].vector == array("f", [2, 2, 1, 2])
    # What was kept is counted after the store was closed
    assert (answered.disk_bytes, answered.versions) == (8, {"recorder": "2"})


def test_every_question_reaches_a_peer_with_its_vector_and_its_words(filled):
    store, answered = filled
    assert [question.text for _, question in store.asked] == [text for _, text, _ in ASKED]
    # "Who plays the oboe?" has one b, no g, three o and no r
    assert store.asked[1][1].vector == array("f", [2, 1, 4, 1])
    assert store.asked[1][1].match == '"plays" OR "oboe"'
    assert [len(answer.ranked) for answer in answered.answers] == [4, 3, 3, 4]


def test_a_store_that_asks_a_model_itself_gets_the_same_vectors(filled):
    store, _ = filled
    assert store.vectors["Ana: My bicycle is green"] == array("f", [2, 2, 1, 2])
    assert store.vectors["Who plays the oboe?"] == array("f", [2, 1, 4, 1])


def test_a_conversation_of_two_sessions_is_written_session_by_session(tmp_path):
    turn = {"chat": "9", "role": "user", "content": "Hello", "time_anchor": "March-15-2024"}
    write(
        tmp_path,
        "turns_100K",
        [
            turn | {"batch": 1, "msg_id": 1},
            turn | {"batch": 2, "msg_id": 2, "role": "assistant", "time_anchor": None},
            turn | {"batch": 2, "msg_id": 3},
        ],
    )
    question = {"chat": "9", "category": "event_ordering", "question": "Hello?"}
    write(tmp_path, "questions_100K", [question | {"evidence_msg_ids": [1]}])
    found = load("beam", tmp_path)
    write_job(tmp_path, found)
    store, _ = measured(tmp_path, found)
    assert [[turn.id for turn in turns] for _, turns in store.written] == [["1"], ["2", "3"]]
    # lifelong gets the messages as they were: role, and a time only where one is known
    messages = [own._message(turn.id, turn.said) for _, turns in store.written for turn in turns]
    said = [m for each in found.conversations[0].sessions.values() for m in each]
    assert messages == said
    assert messages[0].sent_at == datetime(2024, 3, 15, tzinfo=UTC)
    assert (messages[1].role, messages[1].sent_at) == ("assistant", None)


def test_memory_and_disk_are_those_of_the_process_and_the_folder(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one").write_bytes(b"123")
    (tmp_path / "two").write_bytes(b"45")
    assert runner.disk_bytes(tmp_path) == 5
    # An interpreter with pytest in it takes more than 10 MB, and this machine has less than 1 TB
    assert 10_000_000 < runner.peak_bytes() < 1_000_000_000_000


def test_lifelong_and_plain_full_text_run_beside_each_other(locomo):
    told = []
    result = peers.run(
        "locomo",
        locomo,
        peers=["lifelong-words", "fts5"],
        environment=locomo / "unused",
        on_progress=lambda *step: told.append(step),
    )
    assert [each["name"] for each in result["peers"]] == ["fts5", "lifelong-words"]
    assert (result["conversations"], result["messages"], result["questions"]) == (2, 7, 4)
    for each in result["peers"]:
        assert each["failed"] is None
        assert each["disk_bytes"] > 0
        assert each["turns_per_second"] > 0
        assert 0 < each["latency_ms"]["p50"] <= each["latency_ms"]["p95"]
    # The floor is that of `bench recall`, and so is the engine
    other = recall.run("locomo", locomo, tiers=["words"])
    sides = other["floor"], other["tiers"]["words"]
    for each, side in zip(result["peers"], sides, strict=True):
        assert each["overall"] == {name: side["overall"][name] for name in each["overall"]}
    assert told[0] == (0, 6, "install plain FTS5")
    assert told[-1] == (6, 6, "done")
    # Nothing was installed for them
    assert not (locomo / "unused").exists()


def test_lifelong_is_measured_with_vectors_and_with_those_of_tokens(locomo):
    pytest.importorskip("numpy")
    result = peers.run(
        "locomo", locomo, embedder=Letters(), peers=["lifelong-mean", "lifelong-tokens"]
    )
    assert result["embedder"] == "letters"
    vectors, tokens = result["peers"]
    assert vectors["failed"] is tokens["failed"] is None
    # The oboe of the other conversation is now answered too: by the nearest there are
    assert vectors["overall"]["any@10"] == 1.0


def test_without_an_embedder_what_goes_by_vectors_is_not_measured(locomo, monkeypatch):
    monkeypatch.setattr(peers, "bundled_embedder", lambda: None)
    names = [peer.name for peer in PEERS if peer.needs_vectors]
    assert {"chroma", "lancedb", "mem0", "langgraph-memory", "lifelong-tokens"} < set(names)
    result = peers.run("locomo", locomo, peers=names, environment=locomo / "unused")
    assert {each["failed"] for each in result["peers"]} == {
        "it goes by vectors, and no model is there: pip install 'lifelong[models]'"
    }
    assert not (locomo / "unused").exists()
    assert "not measured: Chroma: it goes by vectors" in peers.table(result)


def test_an_embedder_that_leaves_texts_out_is_refused(locomo):
    class Lazy(Letters):
        def embed(self, texts):
            return super().embed(texts[1:])

    with pytest.raises(EmbedderFailed, match="gave 6 vectors for 7 texts"):
        peers.run("locomo", locomo, embedder=Lazy(), peers=["lifelong-mean"])


def test_a_peer_that_fails_leaves_the_others_alone(locomo, monkeypatch):
    def broken(peer, _environment):
        if peer.name == "fts5":
            raise PeerFailed("cannot be installed: no space")
        return Path(sys.executable)

    monkeypatch.setattr(peers, "interpreter", broken)
    result = peers.run("locomo", locomo, peers=["fts5", "lifelong-words"])
    assert [each["failed"] for each in result["peers"]] == ["cannot be installed: no space", None]
    assert "overall" not in result["peers"][0]


def test_what_cannot_be_asked_is_refused(locomo, tmp_path):
    with pytest.raises(InvalidValue, match="peer 'redis' is none of fts5, sqlite-vec, "):
        peers.run("locomo", locomo, peers=["redis"])
    write(locomo, "questions", [])
    with pytest.raises(InputError, match="no question"):
        peers.run("locomo", locomo)
    for name in ("three_full_haystacks_sessions", "three_full_haystacks_questions"):
        write(tmp_path, name, [])
    write(tmp_path, "twenty_questions_truncated_sessions", [])
    with pytest.raises(InvalidValue, match="names sessions"):
        peers.run("longmemeval", tmp_path)


def test_every_peer_has_a_runner_and_pinned_versions():
    for peer in PEERS:
        assert all("==" in package for package in peer.packages)
        if not peer.is_own:
            name, function = peer.runner.split(":")
            code = Path(runner.__file__).with_name(f"{name}.py").read_text(encoding="utf-8")
            assert f"def {function}(" in code
            assert "VERSIONS = " in code
            # It runs where lifelong is not installed
            assert "import lifelong" not in code
            assert "from lifelong" not in code
    # It is found by its path, whatever packages are called
    assert runner.load("fts5").__file__ == fts5.__file__


def test_a_question_without_a_word_finds_nothing_in_plain_full_text(tmp_path):
    store = fts5.open_peer(tmp_path, {})
    turn = runner.Turn("m", "1", "Hello", array("f"), {})
    store.write("c", [turn])
    assert store.ask("c", runner.Question("?!", "", array("f")), 10) == []
    assert store.ask("c", runner.Question("hello", '"hello"', array("f")), 10) == ["m"]
    store.close()


@pytest.fixture
def known(tmp_path):
    """An embedder that knows two texts, with and without vectors of tokens."""
    texts = {"one": [1.0, 2.0], "two": [3.0, 4.0]}
    tokens = {"one": [[1.0, 2.0], [3.0, 4.0]], "two": []}
    pairs = [(text, Embedding(vector, tokens[text])) for text, vector in texts.items()]
    write_known(tmp_path, ("en",), pairs)
    vectors = {text: array("f", vector) for text, vector in texts.items()}
    made = [Known(tmp_path, vectors, has_tokens=has_tokens) for has_tokens in (False, True)]
    yield made
    for each in made:
        each.close()


def test_what_was_embedded_is_told_text_by_text(known):
    plain, with_tokens = known
    for each in known:
        assert [list(found.vector) for found in each.embed(["two", "one"])] == [[3, 4], [1, 2]]
        assert each.languages == ["en"]
    assert plain.embed_query("one").tokens == ()
    one, two = with_tokens.embed(["one", "two"])
    assert [list(row) for row in one.tokens] == [[1, 2], [3, 4]]
    assert list(two.tokens) == []
    assert plain.name != with_tokens.name


def test_one_strange_text_is_put_up_with_and_no_second(known):
    # The engine asks for a text of its own, as often as it likes
    assert known[0].embed_query("Anybody?") == known[0].embed_query("Anybody?")
    with pytest.raises(EmbedderFailed):
        known[0].embed_query("a text that got lost")


def test_the_table_fits_a_terminal_and_names_what_is_missing(job):
    _, found = job
    figures = peers._figures(found, ask_saying(job, answers()))
    figures["groups"] = {"five_fact_abilities": figures["overall"]}
    rows = [
        {"name": p.name, "title": p.title, "how": p.how, "failed": None, **figures} for p in PEERS
    ]
    rows[1] = rows[1] | {"disk_bytes": 0, "peak_bytes": None}
    rows[2] = {k: rows[2][k] for k in ("name", "title", "how")} | {"failed": "why " * 60}
    result = {
        "dataset": "locomo",
        "conversations": 2,
        "messages": 7_000,
        "questions": 4,
        "embedder": "a name of a model",
        "peers": rows,
    }
    lines = peers.table(result).splitlines()
    assert max(map(len, lines)) <= 100
    assert lines[:2] == [
        "locomo: 2 conversations, 7,000 turns, 4 questions",
        "vectors: a name of a model",
    ]
    (row,) = [line for line in lines if line.startswith("plain FTS5  ")]
    assert row.split()[2:] == "62.5 50.0 75.0 56.1 250.0 500.0 125.0 14 2.5 30.0".split()
    (row,) = [line for line in lines if line.startswith("sqlite-vec  ")]
    assert row.split()[-2:] == ["-", "-"]
    assert "  plain FTS5" in [line[:12] for line in lines[lines.index("five_fact_abilities") :]]
    assert any(line.startswith("not measured: sqlite-vec + FTS5: why why") for line in lines)
    assert any(line.startswith("plain FTS5: SQLite full text") for line in lines)
