"""`lifelong export`, `check`, `reindex` and `bench`."""

import json
import stat
from pathlib import Path

import pytest

import lifelong
from lifelong.bench.datasets import DATASETS
from lifelong.conformance import WordsModel


def without_time(text: str) -> list[dict]:
    lines = [json.loads(line) for line in text.splitlines()]
    lines[0].pop("at")
    return lines


def test_everything_is_exported_as_the_library_does(run, said: lifelong.Owner):
    ran = run("export")

    assert ran.code == 0
    assert without_time(ran.out) == without_time("\n".join(said.export()))
    assert {line["what"] for line in without_time(ran.out)} == {
        "lifelong",
        "session",
        "message",
        "memory",
    }


def test_a_file_is_the_owners_alone_and_replaces_an_older_one(run, said, tmp_path: Path):
    file = tmp_path / "backup.jsonl"
    file.write_text("older")
    file.chmod(0o644)

    shown = run("export", "--output", str(file))
    told = run("export", "--output", str(file), "--json").json

    lines = len(list(said.export()))
    assert shown.out == f"{lines} lines in {file}\n"
    assert told == {"file": str(file), "lines": lines, "bytes": file.stat().st_size}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert without_time(file.read_text()) == without_time("\n".join(said.export()))
    assert [path.name for path in tmp_path.iterdir()] == ["backup.jsonl"]


def test_an_export_that_fails_leaves_the_older_file(run, said, tmp_path: Path, monkeypatch):
    file = tmp_path / "backup.jsonl"
    file.write_text("older")

    def broken(_):
        yield "{}"
        raise lifelong.errors.StoreCorrupt("owner file")

    monkeypatch.setattr(type(said), "export", broken)
    ran = run("export", "--output", str(file))

    assert ran.code == 3
    assert file.read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == ["backup.jsonl"]


@pytest.mark.usefixtures("said")
def test_a_place_that_cannot_be_written_is_one_line(run, tmp_path: Path):
    ran = run("export", "--output", str(tmp_path / "no-such-folder" / "file"))
    told = run("export", "--output", str(tmp_path), "--json")

    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("lifelong: error: ")
    assert ran.err.count("\n") == 1
    assert told.code == 3
    assert set(told.json["error"]) == {"type", "message"}


def test_a_store_without_fault_is_clean(run, said: lifelong.Owner):
    shown = run("check")
    told = run("check", "--json").json

    assert shown.code == 0
    assert shown.out.endswith("nothing disagrees\n")
    assert told == {"is_clean": True, "counts": said.check().counts, "problems": []}


def test_a_lost_index_row_is_found_and_made_again(run, said: lifelong.Owner):
    with said._store.upkeep._access.write() as connection:
        connection.execute("DELETE FROM message_index")

    found = run("check")
    told = run("check", "--json")
    mended = run("reindex")

    assert found.code == told.code == 1
    assert "problem: " in found.out
    assert len(told.json["problems"]) >= 3
    assert mended.code == 0
    assert mended.out == "indexed 6 rows\n"
    assert run("check").code == 0
    assert run("reindex", "--json").json == {"rows": 6, "vectors": 0}


def test_reindex_makes_vectors_when_there_is_a_model(run, said, monkeypatch):
    monkeypatch.setattr("lifelong.providers.embedders.by_name", lambda _name: WordsModel())
    monkeypatch.setenv("LIFELONG_EMBEDDER", "words")
    assert run("reindex").out == "indexed 6 rows, 6 vectors\n"
    assert run("reindex", "--json").json == {"rows": 6, "vectors": 6}
    assert said.stats()["vector"] == 6


def test_reindex_tells_of_a_model_that_fails(run, said, monkeypatch):
    model = WordsModel()
    model.embed = lambda _texts: []
    monkeypatch.setattr("lifelong.providers.embedders.by_name", lambda _name: model)
    monkeypatch.setenv("LIFELONG_EMBEDDER", "words")
    failed = run("reindex")
    assert failed.code == 3
    assert failed.err.startswith("lifelong: error: words/1 gave 0 vectors for 1 texts")
    assert said.check().is_clean


def locomo(folder: Path) -> Path:
    turns = [("t1", "Ana", "I moved to Lisbon in May"), ("t2", "Bob", "I bought a red bicycle")]
    question = {
        "conv_id": "c1",
        "category": 4,
        "category_name": "single_hop",
        "question": "What did Bob buy?",
        "ok_retrieval": True,
        "evidence_fixed": ["t2"],
    }
    said = [
        {
            "conv_id": "c1",
            "session": 1,
            "turn_id": turn,
            "speaker": speaker,
            "text": text,
            "image_caption": None,
            "session_time": "2023-05-01T10:00:00",
        }
        for turn, speaker, text in turns
    ]
    (folder / "turns.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in said))
    (folder / "questions.jsonl").write_text(f"{json.dumps(question)}\n")
    return folder


def test_recall_is_measured_beside_the_floor(run, tmp_path: Path):
    data = str(locomo(tmp_path))

    told = run("bench", "recall", "--dataset", "locomo", "--data", data, "--json").json
    shown = run("bench", "recall", "--dataset", "locomo", "--data", data)

    assert (told["dataset"], told["unit"], told["questions"]) == ("locomo", "turn", 1)
    assert told["tiers"]["words"]["overall"]["any@10"] == 1.0
    assert told["floor"]["by_category"]["single_hop"]["fraction@10"] == 1.0
    assert set(told["tiers"]["words"]["latency_ms"]) >= {"p50", "p95"}
    assert shown.code == 0
    assert "single_hop" in shown.out


@pytest.mark.parametrize("dataset", ["locomo", "diary"])
def test_data_that_is_not_there_is_refused(run, tmp_path: Path, dataset: str):
    ran = run("bench", "recall", "--dataset", dataset, "--data", str(tmp_path))

    assert ran.code == 2
    assert ran.err.startswith("lifelong: error: ")


def test_speed_is_measured_as_it_was_asked_for(run, monkeypatch):
    def measured(quick, on_progress):
        on_progress(1, 2, "writing")
        return {"quick": quick}

    monkeypatch.setattr("lifelong.bench.speed.run", measured)
    monkeypatch.setattr("lifelong.bench.report.speed_table", lambda result: f"table of {result}")

    assert run("bench", "speed", "--quick", "--json").json == {"quick": True}
    assert run("bench", "speed").out == "table of {'quick': False}\n"


def test_the_help_names_every_data_set(run):
    shown = " ".join(run("bench", "recall", "--help").out.split())

    assert [name for name in DATASETS if name not in shown] == []
