"""`lifelong review`, `extract`, `fade` and `rescan`."""

import pytest

from lifelong.conformance import said

NUTS = "Lea is allergic to nuts"
NO_NUTS = "Lea is not allergic to nuts"


@pytest.fixture
def conflict(run):
    old = run("remember", NUTS, "--json").json["id"]
    new = run("remember", NO_NUTS, "--json").json["id"]
    return old, new


def waiting(run):
    return [item["what"] for item in run("review", "--json").json["items"]]


def test_a_conflict_is_shown_and_settled_by_supersession(run, ana, conflict):
    shown = run("review")
    assert shown.code == 0
    assert f"against {conflict[0]}: {NUTS}" in shown.out

    done = run("review", "supersede", *conflict)

    assert done.out.split() == ["superseded", conflict[0], "by", conflict[1]]
    assert waiting(run) == []
    assert ana.latest(conflict[0]).text == NO_NUTS


def test_a_conflict_is_settled_by_keeping_both(run, ana, conflict):
    assert run("review", "keep-both", *conflict).out == "kept both\n"
    assert waiting(run) == []
    assert len(ana.memories()) == 2
    assert run("review", "keep-both", *conflict).code == 1


def test_memories_are_merged(run, ana, conflict):
    done = run("review", "merge", *conflict, "--text", "Lea was allergic to nuts as a child")
    assert done.code == 0
    assert {f"replaces {each}" for each in conflict} <= {
        line.strip() for line in done.out.splitlines()
    }
    assert [memory.text for memory in ana.memories()] == ["Lea was allergic to nuts as a child"]


def test_proposals_are_accepted_or_rejected_and_found_once(run, ana):
    ana.session("s").append(said("My name is Ana Lima. Please never call me on Sundays."))

    found = run("extract", "--json").json
    texts = [each["memory"]["text"] for each in found["remembered"]]
    assert len(texts) == 2
    assert waiting(run) == ["proposed", "proposed"]
    first, second = (each["memory"]["id"] for each in found["remembered"])

    assert run("review", "accept", first).code == 0
    rejected = run("review", "reject", second)

    assert rejected.out.startswith(f"rejected {second}, receipt rcp_")
    assert [memory.text for memory in ana.memories()] == texts[:1]
    assert waiting(run) == []
    assert run("extract", "--json").json["messages"] == 0
    assert run("review", "accept", first).code == 1


def test_what_is_extracted_may_be_kept_at_once(run, ana):
    ana.session("s").append(said("My name is Ana Lima."))
    assert run("extract", "s", "--accept").out.splitlines()[-1] == "1 proposal in 1 message"
    assert len(ana.memories()) == 1


def test_a_model_without_a_key_is_said(run, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    ran = run("extract", "--model", "openai:some")
    assert ran.code == 2
    assert "OPENAI_API_KEY" in ran.err


def test_an_origin_is_revoked_and_what_came_from_it_released(run, ana):
    memory_id = run("remember", "The office closes at six", "--channel", "document", "--json").json[
        "id"
    ]
    tried = run("review", "revoke", "--channel", "document", "--dry-run")
    assert tried.out.splitlines() == ["would hold back 1 memory", f"  {memory_id}"]
    assert len(ana.memories()) == 1

    assert run("review", "revoke", "--channel", "document", "--json").json["memories"] == [
        memory_id
    ]
    assert ana.memories() == []
    assert run("review", "accept", memory_id).code == 2
    assert run("review", "release", memory_id).out == f"stored {memory_id}\n"
    assert len(ana.memories()) == 1
    assert run("review", "revoke").code == 2


def test_a_person_vouches_for_a_memory(run, ana):
    memory_id = run("remember", "Closes at six", "--channel", "tool", "--json").json["id"]

    assert run("review", "confirm", memory_id).code == 2  # nobody is there to be asked
    told = run("review", "confirm", memory_id, "--yes", "--json").json

    assert told["memory"]["trust"] == "user"
    assert ana.memory(memory_id).confirmed_at is not None


def test_a_secret_is_taken_out_and_said(run, ana):
    password = "plum-" + "Tiger-88"
    done = run("remember", f"For staging the db password is {password}")
    assert done.code == 0
    assert "found: " in done.out
    assert password not in "".join(ana.export())


def test_a_secret_alone_is_refused_with_the_remedy(run, ana):
    done = run("remember", "sk-" + "ant-api03-" + "aB3dE6gH9jK2mN5pQ8sT" * 4 + "aBcDeFgHiJkLmAA")
    assert (done.code, done.out.split()[0]) == (1, "refused")
    assert "without the secret" in done.out
    assert ana.memories() == []


def test_nothing_fades_and_nothing_is_screened_anew(run):
    run("remember", "Likes tea")
    assert run("fade", "--dry-run").err.strip().endswith("nothing fades")
    looked = run("rescan")
    assert looked.out == "looked at 0 memories, 0 messages; redacted 0, held back 0\n"
    assert run("rescan", "--json").json["held"] == []


def test_what_is_weak_and_unused_goes_after_asking(run, ana):
    run("remember", "A scrap", "--importance", "1")
    assert run("fade", "--below", "0.2", "--unused-days", "0").code == 2  # nobody answers
    shown = run("fade", "--below", "0.2", "--unused-days", "0", "--dry-run")
    assert shown.out == "would go  note  A scrap\n"
    assert run("fade", "--below", "0.2", "--unused-days", "0", "--yes").out == (
        "gone  note  A scrap\n"
    )
    assert ana.memories() == []
