"""`lifelong recall`."""

import pytest


@pytest.mark.usefixtures("said")
def test_hits_come_in_the_order_of_their_dates_with_their_source(run):
    ran = run("recall", "where", "is", "the", "depot", "--in", "log")

    heads = [line.split() for line in ran.out.splitlines() if not line.startswith(" ")]
    assert ran.code == 0
    assert [head[0] for head in heads] == ["2026-03-01", "2026-03-01", "2026-03-02"]
    assert [head[2] for head in heads] == ["user", "assistant", "user"]
    assert [head[5] for head in heads] == ["support-42", "support-42", "support-43"]
    assert "\n  It is in the depot at Gate 4.\n" in ran.out


@pytest.mark.usefixtures("said")
def test_a_hit_for_a_program_tells_all_of_itself(run):
    told = run("recall", "where is the depot", "--json").json

    best = max(told["hits"], key=lambda hit: hit["score"])
    assert told["query"] == "where is the depot"
    assert told["nothing_relevant"] is False
    assert told["tokens"] > 0
    assert told["hits"][0] == best
    assert {hit["id"] for hit in told["hits"]} >= {"m1", "m2"}
    hit = next(hit for hit in told["hits"] if hit["id"] == "m2")
    assert (hit["source"], hit["session"], hit["role"]) == ("log", "support-42", "assistant")
    assert hit["at"] == "2026-03-01T10:05:00+00:00"
    assert hit["text"] == "It is in the depot at Gate 4."
    for part in hit["parts"]:
        assert part["amount"] == pytest.approx(part["value"] * part["weight"])


@pytest.mark.usefixtures("said")
def test_a_memory_tells_its_kind_and_namespace(run):
    told = run("recall", "Lisbon", "--in", "memory", "--json").json

    (hit,) = told["hits"]
    assert (hit["kind"], hit["namespace"], hit["trust"]) == ("event", ["home", "moves"], "user")
    assert (hit["session"], hit["role"], hit["key"]) == (None, None, None)


@pytest.mark.usefixtures("said")
def test_an_explanation_adds_up_the_parts(run):
    hit = run("recall", "depot", "--limit", "1", "--json").json["hits"][0]
    shown = run("recall", "depot", "--limit", "1", "--explain").out

    assert "feature" in shown
    for part in hit["parts"]:
        row = next(line for line in shown.splitlines() if line.split()[:1] == [part["feature"]])
        assert row.split()[1:] == [
            f"{part[name]:.3f}" for name in ("value", "weight", "amount", "share")
        ]


@pytest.mark.parametrize(
    ("arguments", "ids"),
    [
        (["depot gate", "--in", "log", "--limit", "1"], 1),
        (["gate", "--in", "memory"], 1),
        (["gate", "--in", "log", "--in", "memory"], 2),
        (["gate", "--kind", "event"], 0),
        (["gate", "--kind", "note", "--kind", "event"], 1),
        (["Lisbon", "--namespace", "home/moves"], 1),
        (["Lisbon", "--namespace", "home"], 0),
        (["depot", "--tokens", "0"], 0),
        (["depot", "--min-score", "1"], 0),
    ],
)
@pytest.mark.usefixtures("said")
def test_an_option_narrows(run, arguments: list[str], ids: int):
    ran = run("recall", *arguments, "--json")

    found = {(hit["session"], hit["id"]) for hit in ran.json["hits"]}
    if arguments[0] == "gate" and ids:
        assert any("gate" in hit["text"].casefold() for hit in ran.json["hits"])
    assert ran.code == (0 if ids else 1)
    assert len(found) >= ids if ids else found == set()


@pytest.mark.usefixtures("said")
def test_what_was_replaced_is_found_when_asked_for(run):
    run("remember", "The gate code is 9020", "--key", "gate")

    now = run("recall", "code 4471", "--in", "memory").out
    ever = run("recall", "code 4471", "--in", "memory", "--superseded").out

    assert "4471" not in now
    assert "4471" in ever


@pytest.mark.usefixtures("said")
def test_nothing_relevant_is_an_answer(run):
    shown = run("recall", "submarine")
    told = run("recall", "submarine", "--json")

    assert (shown.code, shown.out) == (1, "")
    assert shown.err.startswith("nothing relevant: ")
    assert told.code == 1
    assert told.json["nothing_relevant"] is True
    assert told.json["reasons"]


@pytest.mark.parametrize("question", ["", " ", '"', "NEAR(", "a AND", "*", "'; DROP TABLE x", "%_"])
@pytest.mark.usefixtures("said")
def test_a_question_is_never_a_query_language(run, question: str):
    assert run("recall", "--json", "--", question).code in (0, 1)


@pytest.mark.parametrize(
    "arguments", [["--in", "diary"], ["--kind", "x"], ["--limit", "-1"], ["--tokens", "-1"]]
)
@pytest.mark.usefixtures("said")
def test_what_cannot_be_used_is_refused(run, arguments: list[str]):
    assert run("recall", "depot", *arguments).code == 2


@pytest.mark.usefixtures("said")
def test_what_did_not_fit_is_said(run):
    ran = run("recall", "depot gate code", "--tokens", "45")

    assert ran.code == 0
    assert "did not fit into 45 tokens" in ran.err


@pytest.mark.usefixtures("said")
def test_owners_do_not_see_each_other(run):
    assert run("recall", "depot", owner="bob").code == 1
