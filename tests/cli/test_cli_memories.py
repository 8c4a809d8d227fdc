"""`lifelong remember` and `lifelong known`."""

import pytest

import lifelong
from lifelong.records import CHANNELS, KINDS


def test_a_statement_is_kept_once(run, ana):
    first = run("remember", "Prefers", "short", "answers")
    again = run("remember", "prefers SHORT  answers")

    assert (first.code, again.code) == (0, 0)
    word, memory_id = first.out.split()
    assert word == "stored"
    assert again.out.split() == ["duplicate_of", memory_id]
    assert ana.memory(memory_id).text == "Prefers short answers"


def test_every_option_reaches_the_memory(run, ana):
    ran = run(
        "remember", "Gate 4 is closed", "--kind", "constraint", "--namespace", "home/doors",
        "--importance", "9", "--key", "gate", "--expires", "2100-01-01T00:00:00+00:00",
        "--valid-from", "2026-01-01T00:00:00+01:00", "--valid-to", "2099-01-01T00:00:00Z",
        "--metadata", '{"floor": 2}', "--channel", "document", "--json",
    )  # fmt: skip

    told = ran.json
    kept = ana.memory(told["id"])
    assert told["outcome"] == "stored"
    assert told["supersedes"] == []
    assert (kept.kind, kept.namespace, kept.importance) == ("constraint", ("home", "doors"), 9)
    assert (kept.key, kept.metadata, kept.origin.channel) == ("gate", {"floor": 2}, "document")
    assert kept.trust == lifelong.Trust.UNTRUSTED
    assert kept.expires_at.isoformat() == "2100-01-01T00:00:00+00:00"
    assert kept.valid_from.isoformat() == "2025-12-31T23:00:00+00:00"
    assert kept.valid_to.isoformat() == "2099-01-01T00:00:00+00:00"
    assert told["memory"]["text"] == "Gate 4 is closed"
    assert told["memory"]["trust"] == "untrusted"
    assert told["memory"]["namespace"] == ["home", "doors"]


def test_a_newer_memory_of_the_same_key_names_what_it_replaces(run):
    old = run("remember", "The gate code is 4471", "--key", "gate", "--json").json
    new = run("remember", "The gate code is 9020", "--key", "gate", "--json").json
    shown = run("remember", "The gate code is 1111", "--key", "gate")

    assert (new["outcome"], new["supersedes"]) == ("supersedes", [old["id"]])
    assert shown.out.startswith("supersedes mem_")
    assert f"replaces {new['id']}" in shown.out


@pytest.mark.parametrize("text", ["-", "--", "-x"])
def test_text_that_looks_like_an_option_can_be_said(run, ana, text: str):
    ran = run("remember", "--json", "--", text, stdin="")

    if text == "-":
        assert ran.code == 2  # it reads standard input, which is empty
    else:
        assert ana.memory(ran.json["id"]).text == text


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (b"Ana drinks tea\n", "Ana drinks tea"),
        (b"Ana drinks tea\r\n", "Ana drinks tea"),
        (b"two\nlines", "two\nlines"),
        ("café ☕".encode(), "café ☕"),
        (b"caf\xe9", "caf\ufffd"),
    ],
)
def test_standard_input_is_read(run, ana, typed: bytes, kept: str):
    ran = run("remember", "-", "--json", stdin=typed)

    assert ana.memory(ran.json["id"]).text == kept


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([" "], "EmptyText"),
        (["tea", "--kind", "opinion"], "InvalidValue"),
        (["tea", "--channel", "rumour"], "InvalidValue"),
        (["tea", "--importance", "11"], "InvalidValue"),
        (["tea", "--expires", "tomorrow"], "InvalidTime"),
        (["tea", "--expires", "2100-01-01T00:00:00"], "InvalidTime"),
        (["tea", "--namespace", "a//b"], "InvalidName"),
        (["tea", "--metadata", "{"], "InvalidValue"),
        (["tea", "--metadata", "[" * 100_000], "InvalidValue"),
        (["tea", "--metadata", "[1]"], "InvalidValue"),
        (["tea", "--metadata", '{"a": NaN}'], "InvalidValue"),
    ],
)
def test_what_cannot_be_used_is_refused(run, ana, arguments: list[str], error: str):
    told = run("remember", *arguments, "--json")
    shown = run("remember", *arguments)

    assert (told.code, shown.code) == (2, 2)
    assert told.json["error"]["type"] == error
    assert told.err == ""
    assert shown.out == ""
    assert shown.err.startswith("lifelong: error: ")
    assert shown.err.count("\n") == 1
    assert ana.memories() == []


def test_known_is_ready_to_paste(run, said):
    ran = run("known")

    assert ran.code == 0
    assert ran.out == f"{said.known().text}\n"
    assert "] Prefers short answers" in ran.out


@pytest.mark.usefixtures("said")
def test_known_says_what_did_not_fit(run):
    ran = run("known", "--tokens", "50")

    assert ran.code == 0
    assert "Prefers short answers" in ran.out
    assert ran.err == "left out: 1 more memory\n"


def test_known_for_a_program(run, said):
    told = run("known", "--json").json

    assert told["text"] == said.known().text
    assert [memory["kind"] for memory in told["memories"]] == ["preference", "event"]
    assert told["left_out"] == 0


def test_nothing_known_is_an_empty_block(run):
    ran = run("known")

    assert (ran.code, ran.out, ran.err) == (0, "", "nothing is known yet\n")
    assert run("known", "--json").json["text"] == ""


def test_a_negative_budget_is_refused(run):
    assert run("known", "--tokens", "-1").code == 2


def test_the_help_names_every_kind_and_channel(run):
    shown = run("remember", "--help").out

    assert [word for word in (*KINDS, *CHANNELS) if word not in shown] == []
