"""A new directory, and new owners in it, made by many at once: one wins, and all see its work."""

from pathlib import Path

import pytest

import lifelong
from lifelong.conformance import in_processes, said, texts

OWNERS = ("ana", "bo", "cy", "dee")


def test_new_owners_are_made_by_many_at_once(tmp_path):
    for attempt in range(3):
        where = tmp_path / str(attempt)

        def work(number, where=where):
            with lifelong.open(where) as engine:
                for at in range(len(OWNERS)):
                    owner = engine.owner(OWNERS[(number + at) % len(OWNERS)])
                    owner.session("s").append(said(f"{number}"))
                    owner.remember(f"a fact of {number}")

        in_processes(8, work)
        with lifelong.open(where) as engine:
            assert engine.owners() == sorted(OWNERS)
            for owner_id in OWNERS:
                owner = engine.owner(owner_id)
                found = sorted(texts(owner.session("s").messages()))
                assert found == [str(number) for number in range(8)]
                assert len(owner.memories()) == 8
                assert owner.check().is_clean
        # Whoever lost the race took away what it had made.
        assert len(list((where / "owners").glob("*.db"))) == len(OWNERS)
        assert not list(where.glob(".draft-*"))


def test_different_keys_at_once_leave_one_store(tmp_path):
    def work(number):
        try:
            with lifelong.open(tmp_path / "data", key=bytes([number]) * 32) as engine:
                engine.owner("ana").remember(f"of {number}")
        except lifelong.errors.WrongKey:
            return None
        return number

    (winner,) = [number for number in in_processes(6, work) if number is not None]
    with lifelong.open(tmp_path / "data", key=bytes([winner]) * 32) as engine:
        assert texts(engine.owner("ana").memories()) == [f"of {winner}"]


def test_the_key_file_is_made_once(tmp_path):
    key_file = tmp_path / "keys" / "master.key"

    def work(number):
        with lifelong.open(tmp_path / f"{number}", key=f"file:{key_file}") as engine:
            engine.owner("ana").remember("one")

    in_processes(8, work)
    assert [path.name for path in key_file.parent.iterdir()] == ["master.key"]
    for number in range(8):
        with lifelong.open(tmp_path / f"{number}", key=f"file:{key_file}") as engine:
            assert texts(engine.owner("ana").memories()) == ["one"]


@pytest.mark.parametrize("reading", ["read_text", "read_bytes"])
def test_a_directory_that_another_makes_between_two_looks(tmp_path, monkeypatch, reading):
    # One process finds no marker; before it looks further, another has made everything.
    where, read, waiting = tmp_path / "data", getattr(Path, reading), [True]

    def read_then(self, *args, **options):
        try:
            return read(self, *args, **options)
        except FileNotFoundError:
            if self.name == "lifelong.json" and waiting:
                waiting.clear()
                with lifelong.open(where) as engine:
                    engine.owner("bo").remember("bo's")
            raise

    monkeypatch.setattr(Path, reading, read_then)
    with lifelong.open(where) as engine:
        engine.owner("ana").remember("one")
        assert engine.owners() == (["ana"] if waiting else ["ana", "bo"])


def test_an_owner_that_another_makes_between_two_looks(tmp_path, monkeypatch):
    # One process finds no catalogue; before it looks for owners, another has made both.
    where, exists, waiting = tmp_path / "data", Path.exists, [True]

    def other():
        with lifelong.open(where) as engine:
            engine.owner("bo").remember("bo's")

    def exists_then(self, *args, **options):
        found = exists(self, *args, **options)
        is_first_look = self.name == "catalogue.db" and exists(where / "lifelong.json")
        if is_first_look and not found and waiting:
            waiting.clear()
            other()
        return found

    monkeypatch.setattr(Path, "exists", exists_then)
    with lifelong.open(where) as engine:
        engine.owner("ana").remember("one")
        assert engine.owners() == ["ana", "bo"]
    assert not waiting


@pytest.mark.parametrize("options", [{}, {"encryption": "off"}])
def test_many_may_open_what_is_there(tmp_path, options):
    with lifelong.open(tmp_path / "data", **options) as engine:
        engine.owner("ana").remember("one")

    def work(_):
        with lifelong.open(tmp_path / "data") as engine:
            return texts(engine.owner("ana").memories())

    assert in_processes(8, work) == [["one"]] * 8
