"""The proof of `make erase-proof` with fewer words, and that it would tell of what is left."""

import importlib.util
import sys
from pathlib import Path

import pytest

from lifelong.owner import Owner


@pytest.fixture
def erase_proof():
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location(
        "erase_proof", Path(__file__).with_name("erase_proof.py")
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["erase_proof"] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["erase_proof"]


@pytest.mark.parametrize("is_encrypted", [True, False], ids=["encrypted", "plain"])
def test_nothing_is_left(erase_proof, tmp_path, is_encrypted):
    proof = erase_proof.prove(tmp_path, 92, is_encrypted=is_encrypted)
    assert not proof.has_failed, "\n".join(erase_proof.tables(proof))
    assert len(proof.seen) == len(proof.words) >= 92
    assert {each.how for each in proof.words} >= {"id", "session", "match", "before", "everything"}


@pytest.mark.parametrize("is_encrypted", [True, False], ids=["encrypted", "plain"])
def test_what_is_left_fails_the_proof(erase_proof, tmp_path, monkeypatch, is_encrypted):
    forget = Owner.forget

    def forgetful(owner, id=None, **fields):
        if "state" in fields:
            fields["dry_run"] = True
        return forget(owner, id, **fields)

    monkeypatch.setattr(Owner, "forget", forgetful)
    proof = erase_proof.prove(tmp_path, 69, is_encrypted=is_encrypted)
    assert proof.has_failed
    assert proof.left == {each.word for each in proof.words if each.how == "state"} != set()
    assert proof.after["UTF-8"] > 0
    assert any("(named value, by state)" in line for line in erase_proof.tables(proof))
