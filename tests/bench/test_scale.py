import json

import pytest

from lifelong.bench import scale
from lifelong.bench.clustered import ClusteredEmbedder
from lifelong.bench.corpus import MIXED
from lifelong.errors import InvalidValue

FIGURES = {
    "messages",
    "p50_ms",
    "p95_ms",
    "encode_ms",
    "goal_ms",
    "is_met",
    "appended_per_second",
    "file_bytes",
    "open_ms",
    "first_recall_ms",
    "memory_bytes",
}


def cosine(one, other):
    return sum(a * b for a, b in zip(one.vector, other.vector, strict=True))


def test_each_size_is_measured_by_a_process_of_its_own():
    told = []
    result = scale.run((30, 90), questions=3, on_progress=lambda *step: told.append(step))
    small, large = result["sizes"]
    assert set(small) == set(large) == FIGURES
    # Whole sessions of at most 32 short messages are written
    assert 30 <= small["messages"] < 62
    assert 90 <= large["messages"] < 122
    assert small["file_bytes"] < large["file_bytes"]
    assert 0 < small["p50_ms"] <= small["p95_ms"]
    assert small["encode_ms"] is None
    assert result["kind"] == "short"
    assert result["machine"]["embedder"] == "none"
    assert json.loads(json.dumps(result)) == result
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1] == (90, 90, "done")


def test_a_later_run_goes_on_with_a_kept_store(tmp_path):
    first = scale.run((30, 200), kind=MIXED, place=tmp_path / "kept", questions=1)
    again = scale.run((30, 200, 300), kind=MIXED, place=tmp_path / "kept", questions=1)
    # The log has grown beyond 30 messages, nothing is written for 200, and 300 need some more
    assert first["sizes"][1]["messages"] == again["sizes"][0]["messages"]
    assert [found["appended_per_second"] is None for found in again["sizes"]] == [True, False]
    assert again["sizes"][1]["messages"] >= 300


def test_with_an_embedder_the_encoding_of_questions_is_told_apart():
    embedder = ClusteredEmbedder(dimensions=16, clusters=5)
    result = scale.run((30,), questions=2, embedder=embedder)
    assert result["machine"]["embedder"] == embedder.name
    assert result["sizes"][0]["encode_ms"] > 0


def test_an_unknown_kind_is_refused():
    with pytest.raises(InvalidValue, match="none of mixed, short"):
        scale.run((10,), kind="tall")


def test_the_table_has_a_line_for_each_size_and_a_curve():
    found = {
        "messages": 10_000,
        "p50_ms": 1.0,
        "p95_ms": 10.0,
        "encode_ms": None,
        "goal_ms": 10.0,
        "is_met": False,
        "appended_per_second": 5_000.0,
        "file_bytes": 9_500_000,
        "open_ms": 4.0,
        "first_recall_ms": 60.0,
        "memory_bytes": 40_000_000,
    }
    large = found | {"messages": 1_000_000, "p50_ms": 10.0, "p95_ms": 100.0, "goal_ms": None}
    large |= {"is_met": None, "appended_per_second": None, "memory_bytes": None}
    lines = scale.table(
        {"kind": "short", "machine": {"sqlite": "3"}, "seconds": 1.5, "sizes": [found, large]}
    ).splitlines()
    words = [line.split() for line in lines]
    assert words[0] == ["short", "messages,", "1.5", "s"]
    assert words[1] == ["sqlite", "3"]
    assert words[4] == "10,000 1.0 10.0 10 no - 4 60 5,000 9.5 40".split()
    assert words[5] == "1,000,000 10.0 100.0 - - - 4 60 - 9.5 -".split()
    # Two decades are 60 columns: 1 ms at the beginning, 10 in the middle, 100 at the end
    assert lines[7] == f"{'10,000':>12} |o{'-' * 29}x"
    assert lines[8] == f"{'1,000,000':>12} |{' ' * 30}o{'-' * 29}x"
    assert lines[9] == f"{'ms':>12} |1{' ' * 29}10{' ' * 28}100"


def test_no_size_no_curve():
    result = scale.run(())
    assert result["sizes"] == []
    assert scale.table(result).splitlines()[0].startswith("short messages")


def test_made_up_vectors_lie_in_clusters():
    embedder = ClusteredEmbedder(dimensions=64, clusters=1_000)
    one, same, other, again = embedder.embed(
        ["the strawberry is ripe", "a strawberry grows", "an umbrella dries", "a strawberry grows"]
    )
    assert same == again
    assert cosine(one, one) == pytest.approx(1, abs=1e-5)
    assert cosine(one, same) > 0.5 > cosine(one, other)
    # A question is near what shares its longest word
    assert cosine(embedder.embed_query("Strawberry?"), one) > 0.5
