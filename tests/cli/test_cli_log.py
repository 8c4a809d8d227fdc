"""`lifelong log`."""

import pytest

import lifelong

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}


@pytest.fixture
def worked(ana):
    """A session with a call of a tool, its long result, and reasoning."""
    ana.session("work-1").append(
        [
            {"role": "user", "content": "Find order 7", "name": "Ana"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "x" * 1_000},
        ],
        sent_at="2026-03-01T10:00:00+00:00",
    )
    ana.session("work-1").append(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "It must be there", "signature": "s"},
                    {"type": "text", "text": "Found it."},
                ],
            }
        ],
        format="anthropic",
        sent_at="2026-03-01T10:01:00+00:00",
    )
    return ana


def test_sessions_are_listed_newest_first(run, said):
    said.session("support-42").describe(title="The lost order")

    rows = run("log").out.splitlines()

    assert [row.split()[0] for row in rows] == ["support-43", "support-42"]
    assert rows[0].split()[1:5] == ["2026-03-02", "10:00Z", "1", "message"]
    assert rows[1].endswith("2 messages  -  The lost order")


@pytest.mark.usefixtures("said")
def test_sessions_for_a_program(run):
    told = run("log", "--json", "--limit", "1").json

    (session,) = told["sessions"]
    assert session["id"] == "support-43"
    assert session["messages"] == 1
    assert session["last_at"].endswith("+00:00")


def test_an_empty_log_is_no_error(run):
    assert run("log").code == 0
    assert run("log").err == "the log is empty\n"
    assert run("log", "--json").json == {"sessions": []}


@pytest.mark.usefixtures("said")
def test_messages_are_shown_in_order(run):
    ran = run("log", "support-42")

    assert ran.out == (
        "user  2026-03-01 10:00Z  m1\n"
        "  My order A-7781 has not arrived.\n"
        "assistant  2026-03-01 10:05Z  m2\n"
        "  It is in the depot at Gate 4.\n"
    )


@pytest.mark.usefixtures("said")
def test_a_limit_keeps_the_newest(run):
    assert "m1" not in run("log", "support-42", "--limit", "1").out
    assert run("log", "support-42", "--limit", "0").code == 1
    assert run("log", "--limit", "-1").code == 2


@pytest.mark.usefixtures("worked")
def test_long_results_are_shortened_unless_asked_for(run):
    short = run("log", "work-1").out
    full = run("log", "work-1", "--full").out

    assert "user (Ana)" in short
    assert 'calls find {"id": 7}' in short
    assert "result: xxx" in short
    assert "608 more characters (--full)" in short
    assert "x" * 1_000 not in short
    assert "x" * 1_000 in full
    assert "reasoning: 4 words (--full)" in short
    assert "It must be there" not in short
    assert "reasoning: It must be there" in full


@pytest.mark.usefixtures("worked")
def test_messages_for_a_program_have_every_part(run):
    told = run("log", "work-1", "--json").json

    call, result = told["messages"][1]["parts"][0], told["messages"][2]["parts"][0]
    reasoning, text = told["messages"][3]["parts"]
    assert told["session"] == "work-1"
    assert told["skipped"] == []
    assert told["messages"][0]["speaker"] == "Ana"
    assert call == {"type": "toolcall", "id": "c1", "name": "find", "arguments": '{"id": 7}'}
    assert (result["type"], result["call_id"], len(result["text"])) == ("toolresult", "c1", 1_000)
    assert (reasoning["type"], text) == ("reasoning", {"type": "text", "text": "Found it."})


def test_the_beginning_of_an_id_is_enough(run, said):
    said.session("other-1").append([{"role": "user", "content": "hello"}])

    assert "hello" in run("log", "othe").out
    assert run("log", "oth").code == 1
    unclear = run("log", "supp")
    assert unclear.code == 2
    assert "support-42" in unclear.err
    assert "support-43" in unclear.err


def test_a_whole_id_wins_over_longer_ones(run, ana):
    for name in ("main", "main/agent-1", "main/agent-2"):
        ana.session(name).append([{"role": "user", "content": f"said in {name}"}])

    assert run("log", "main").out.endswith("  said in main\n")
    ana.forget(session="main")
    assert run("log", "main").code == 2


def test_a_session_is_meant_before_what_its_agents_said(run, ana):
    for name in ("0c5f-main", "0c5f-main/agent-1"):
        ana.session(name).append([{"role": "user", "content": f"said in {name}"}])

    assert run("log", "0c5f").out.endswith("  said in 0c5f-main\n")


@pytest.mark.usefixtures("said")
def test_an_unknown_session_is_not_found(run):
    assert run("log", "no-such-session").code == 1
    assert run("log", "no-such-session", "--json").json["error"]["type"] == "NotFound"


def test_a_row_that_cannot_be_read_hides_no_other(run, said: lifelong.Owner):
    with said._store.upkeep._access.write() as connection:
        connection.execute("UPDATE message SET payload = '{' WHERE id = 'm2'")

    ran = run("log", "support-42")
    told = run("log", "support-42", "--json").json

    assert ran.code == 0
    assert "A-7781" in ran.out
    assert ran.err.startswith("cannot be read: message m2: ")
    assert [row["message_id"] for row in told["skipped"]] == ["m2"]
