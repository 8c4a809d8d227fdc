"""`lifelong retention`, `hold`, `sweep`, `receipts` and `verify-receipt`."""

import json

import pytest


def receipt_of(run, *scope):
    return run("forget", *scope, "--yes", "--json").json


class TestRetention:
    def test_without_a_rule_everything_is_kept(self, run):
        assert (
            run("retention").err
            == "everything is saved, and kept until it is forgotten or expires\n"
        )
        assert run("retention", "list", "--json").json == {"rules": []}

    def test_rules_are_kept_listed_and_dropped(self, run):
        kept = run("retention", "keep", "recent", "--newest", "5", "--days", "30")
        run("retention", "keep", "--days", "7", "--kind", "event")
        run("retention", "keep", "nothing", "--session", "secret")
        run("retention", "keep", "--files", "--days", "90")

        assert kept.out == "owner: saves recent, of each session the newest 5, for 30 days\n"
        assert run("retention").out.splitlines() == [
            "files: saves everything, for 90 days",
            "kind event: saves everything, for 7 days",
            "owner: saves recent, of each session the newest 5, for 30 days",
            "session secret: saves nothing",
        ]
        assert run("retention", "drop", "--kind", "event").code == 0
        assert run("retention", "drop", "--kind", "event").code == 1
        assert len(run("retention", "--json").json["rules"]) == 3

    @pytest.mark.parametrize(
        "rule", [["most"], ["--days", "0"], ["recent", "--kind", "note"], ["--kind", "opinion"]]
    )
    def test_what_cannot_be_a_rule_is_refused(self, run, rule):
        ran = run("retention", "keep", *rule)

        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("lifelong: error: ")

    def test_a_sweep_says_what_it_would_do_and_does_it(self, run, said):
        run("retention", "keep", "recent", "--newest", "1")
        dry = run("sweep", "--dry-run")
        done = run("sweep", "--all-owners", "--json")

        assert dry.out == "ana: would remove 0 memories, 1 message and 0 files\n"
        assert done.json["owners"][0]["aged"] == 1
        assert [session.messages for session in said.sessions()] == [1, 1]
        assert run("sweep").out == "ana: removed 0 memories, 0 messages and 0 files\n"


class TestHold:
    @pytest.mark.usefixtures("said")
    def test_nothing_goes_while_it_lasts(self, run):
        held = run("hold", "place", "Case 7", "--json").json
        refused = run("forget", "--everything", "--yes")

        assert refused.code == 2
        assert "Case 7" in refused.err
        assert "Case 7" in run("hold").out
        assert run("hold", "release", held["id"]).code == 0
        assert run("hold", "release", held["id"]).code == 1
        assert run("hold").err == "nothing is on hold\n"
        assert run("forget", "--everything", "--yes").code == 0

    @pytest.mark.usefixtures("said")
    def test_of_a_session(self, run):
        run("hold", "place", "Case 7", "--session", "support-42")

        assert run("forget", "--session", "support-42").code == 2
        assert run("forget", "--session", "support-43").code == 0


class TestReceipts:
    def test_nothing_was_forgotten(self, run):
        assert run("receipts").err == "nothing was forgotten\n"
        assert run("receipts", "rcp_0").code == 1

    @pytest.mark.usefixtures("said")
    def test_they_are_listed_and_one_can_be_taken_out(self, run):
        first = receipt_of(run, "--match", "depot")
        second = receipt_of(run, "--everything")

        listed = run("receipts", "--json").json["receipts"]
        assert [each["id"] for each in listed] == [first["id"], second["id"]]
        assert run("receipts", first["id"], "--json").json == first
        assert first["id"] in run("receipts").out

    @pytest.mark.usefixtures("said")
    def test_one_is_verified_from_its_file(self, run, tmp_path):
        file = tmp_path / "receipt.json"
        file.write_text(json.dumps(receipt_of(run, "--match", "depot")))

        ran = run("verify-receipt", str(file), "--of-owner", "ana")
        assert (ran.code, "the signature is right" in ran.err) == (0, True)
        told = run("verify-receipt", "-", "--json", stdin=file.read_text()).json
        assert (told["is_valid"], told["is_key_known"]) == (True, True)
        assert run("verify-receipt", str(file), "--of-owner", "bo").code == 2
        assert run("verify-receipt", str(file), "--signed-by", "0" * 64).code == 2

    @pytest.mark.usefixtures("said")
    def test_an_altered_one_is_refused(self, run, tmp_path):
        file = tmp_path / "receipt.json"
        file.write_text(json.dumps({**receipt_of(run, "--match", "depot"), "scope": "everything"}))

        ran = run("verify-receipt", str(file), "--json")
        assert (ran.code, ran.json["error"]["type"]) == (2, "ReceiptInvalid")
        assert run("verify-receipt", str(tmp_path / "none.json")).code == 3

    @pytest.mark.usefixtures("said")
    def test_without_a_store_it_says_that_the_key_is_nobodys(self, run, tmp_path, monkeypatch):
        file = tmp_path / "receipt.json"
        file.write_text(json.dumps(receipt_of(run, "--match", "depot")))
        monkeypatch.setenv("LIFELONG_STORE", str(tmp_path / "elsewhere"))

        ran = run("verify-receipt", str(file))
        assert ran.code == 0
        assert "nobody here knows" in ran.err
        assert not (tmp_path / "elsewhere").exists()


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(
    ("scope", "forgotten"),
    [
        (["--kind", "preference"], 1),
        (["--channel", "assistant"], 1),
        (["--before", "2099-01-01T00:00:00Z"], 6),
        (["--older-than-days", "0"], 6),
        (["--older-than-days", "1000"], 0),
        (["--source", "nowhere"], 0),
    ],
)
def test_each_scope_of_forget_has_its_option(run, scope, forgotten):
    assert receipt_of(run, *scope)["forgotten"] == forgotten


@pytest.mark.usefixtures("said")
def test_two_ages_and_odd_ones_are_refused(run):
    both = run("forget", "--before", "2026-01-01T00:00:00Z", "--older-than-days", "3", "--yes")
    odd = run("forget", "--older-than-days", "nan", "--yes")

    assert (both.code, odd.code) == (2, 2)
