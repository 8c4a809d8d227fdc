"""`lifelong forget`."""

import pytest


def remembered(owner) -> list[str]:
    return [memory.text for memory in owner.memories()]


def test_a_memory_goes_with_a_receipt(run, said):
    memory_id = said.memories()[0].id

    told = run("forget", memory_id, "--json")

    assert told.code == 0
    assert told.json["forgotten"] == 1
    assert told.json["counts"]["memory"] == 1
    assert told.json["scope"] == f"id {memory_id}"
    assert told.json["is_dry_run"] is False
    assert "Prefers short answers" not in remembered(said)


def test_a_receipt_counts_by_table_and_holds_no_content(run, said):
    ran = run("forget", "--session", "support-42")

    assert ran.code == 0
    assert ran.out.startswith("forgot 0 memories and 2 messages\n")
    assert "message                2\n" in ran.out
    assert "receipt rcp_" in ran.out
    assert "A-7781" not in ran.out + ran.err
    assert [session.id for session in said.sessions()] == ["support-43"]


def test_an_id_of_several_messages_needs_the_session(run, said):
    unclear = run("forget", "m1", "--json")
    clear = run("forget", "m1", "--session", "support-43")

    assert (unclear.code, unclear.json["error"]["type"]) == (2, "AmbiguousId")
    assert clear.code == 0
    assert len(said.session("support-42").messages()) == 2


@pytest.mark.parametrize(
    "scope", [["no-such"], [f"mem_{0:032x}"], ["--session", "no-such"], ["--match", "xyzzy"]]
)
@pytest.mark.usefixtures("said")
def test_nothing_forgotten_is_told_by_the_code(run, scope: list[str]):
    ran = run("forget", *scope, "--yes")

    assert ran.code == 1
    assert ran.out.startswith("forgot 0 memories and 0 messages\n")


def test_a_dry_run_changes_nothing(run, said):
    ran = run("forget", "--match", "depot", "--dry-run")

    assert ran.code == 0
    assert ran.out.startswith("would forget 0 memories and 2 messages\n")
    assert "receipt" not in ran.out
    assert len(said.sessions()) == 2


@pytest.mark.parametrize("scope", [["--match", "depot"], ["--everything"]])
@pytest.mark.usefixtures("said")
def test_without_a_terminal_it_must_be_confirmed_by_an_option(run, said, scope: list[str]):
    refused = run("forget", *scope)
    told = run("forget", *scope, "--json")

    assert (refused.code, refused.out) == (2, "")
    assert "--yes" in refused.err
    assert told.json["error"]["type"] == "InputError"
    assert len(said.sessions()) == 2
    assert run("forget", *scope, "--yes").code == 0
    assert run("recall", "depot").code == 1


@pytest.mark.usefixtures("said")
def test_on_a_terminal_it_asks(terminal):
    no = terminal("forget", "--match", "depot", typed=b"n\n")
    yes = terminal("forget", "--match", "depot", typed=b"y\n")

    assert "Forget 0 memories and 2 messages? [y/N]: " in no.out
    assert no.code == 1
    assert "nothing was forgotten" in no.out
    assert yes.code == 0
    assert "forgot 0 memories and 2 messages" in yes.out


@pytest.mark.usefixtures("said")
def test_on_a_terminal_nothing_to_forget_is_not_asked_about(terminal):
    ran = terminal("forget", "--match", "xyzzy")

    assert ran.code == 1
    assert "[y/N]" not in ran.out


@pytest.mark.usefixtures("said")
def test_everything_goes_and_the_owner_can_begin_anew(run):
    ran = run("forget", "--everything", "--yes")

    assert ran.out.startswith("forgot 3 memories and 3 messages\n")
    assert run("recall", "depot").code == 1
    assert run("remember", "A new start").code == 0


@pytest.mark.parametrize(
    "scope", [[], ["--yes"], ["m1", "--everything", "--yes"], ["--match", " ", "--yes"]]
)
def test_a_scope_that_says_nothing_is_refused(run, said, scope: list[str]):
    ran = run("forget", *scope)

    assert ran.code == 2
    assert ran.err.startswith("lifelong: error: ")
    assert len(said.memories()) == 3
