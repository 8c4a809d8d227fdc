"""`lifelong bench window`: replaying recorded sessions counts what it says it counts."""

import json

from lifelong.bench.report import window_table
from lifelong.bench.window import replay, run
from lifelong.formats import parse


def talk():
    items = [{"role": "system", "content": "Help."}]
    for number in range(12):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "look", "arguments": json.dumps({"order": f"ZX-{4000 + number}"})},
        }
        items += [
            {"role": "user", "content": f"What of order ZX-{4000 + number}? " + "please " * 30},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "in the depot " * 30},
            {"role": "assistant", "content": f"ZX-{4000 + number} is in the depot."},
        ]
    items.append({"role": "user", "content": "Which was the first?"})
    items.append({"role": "assistant", "content": "The first was ZX-4000."})
    return items


def test_every_request_of_a_session_is_replayed():
    counts = replay(parse(talk(), "chat"), 100_000, "chat")
    assert counts["requests"] == 25
    assert counts["cut"] == counts["invalid"] == counts["split"] == counts["not_fit"] == 0
    assert counts["kept"] == counts["kept_trimmed"] == counts["needed"] == 25


def test_what_trimming_loses_the_summary_carries():
    counts = replay(parse(talk(), "chat"), 3_000, "chat")
    assert counts["cut"] > 0
    assert counts["invalid"] == counts["split"] == 0
    assert counts["kept_trimmed"] == counts["needed"] - 1  # ZX-4000, which the last answer names
    assert counts["kept"] == counts["needed"]


def test_a_window_that_holds_nothing_is_counted_as_such():
    counts = replay(parse(talk(), "chat"), 1_540, "chat")
    assert counts["not_fit"] > 0
    assert counts["requests"] + counts["not_fit"] == 25


def test_a_run_over_files(tmp_path):
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(map(json.dumps, talk())), encoding="utf-8")
    told = []
    result = run("chat", [file], windows=[3_000], on_progress=lambda *step: told.append(step))
    assert result["sessions"] == 1
    [found] = result["windows"]
    assert found["window"] == 3_000
    assert found["survival"] == 1.0
    assert found["survival_trimmed"] < 1
    assert told[-1] == (1, 1, "done")
    table = window_table(result)
    assert "3,000" in table
    assert "100.0%" in table
