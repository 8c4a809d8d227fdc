"""Places that may not be written: seen as an unprivileged user, since root may write everywhere."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

import lifelong
from lifelong.conformance import in_processes, said, texts
from lifelong.errors import LifelongError, StoreReadOnly

NOBODY = 65_534
KEY = bytes(range(32))


@pytest.fixture(params=["on", "off"])
def shared(request):
    """A store that an unprivileged user owns, in a folder that this user can reach."""
    above = Path(tempfile.mkdtemp())
    above.chmod(0o755)
    where = above / "data"
    with lifelong.open(where, key=KEY, encryption=request.param) as engine:
        engine.owner("ana").session("s").append(said("tram", "soup"))
        engine.owner("ana").remember("Likes tea")
    hand_over(where)
    yield where
    for path in [above, *above.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)
    shutil.rmtree(above)


def hand_over(where):
    if os.geteuid() == 0:
        for path in [where, *where.rglob("*")]:
            os.chown(path, NOBODY, NOBODY)


def forbid(where, *, files=True, folders=True):
    """Take the right to write away, from below upwards."""
    for path in sorted([where, *where.rglob("*")], reverse=True):
        if path.is_dir():
            path.chmod(0o555 if folders else 0o755)
        else:
            path.chmod(0o444 if files else 0o644)


def as_nobody(work):
    """Return what `work` returns, or the name and text of lifelong's error, as that user."""

    def run(_):
        if os.geteuid() == 0:
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        try:
            return work()
        except LifelongError as error:
            return type(error).__name__, str(error)

    (answer,) = in_processes(1, run)
    return answer


def is_unharmed(where):
    for path in [where, *where.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)

    def look():
        with lifelong.open(where, key=KEY) as engine:
            owner = engine.owner("ana")
            owner.remember("new")
            return texts(owner.memories()), owner.check().problems

    assert as_nobody(look) == (["Likes tea", "new"], ())
    return True


def remember(where, owner_id="ana"):
    with lifelong.open(where, key=KEY) as engine:
        engine.owner(owner_id).remember("new")


@pytest.mark.parametrize(
    ("files", "folders"), [(True, True), (True, False), (False, True)], ids=["all", "files", "dirs"]
)
@pytest.mark.parametrize("owner_id", ["ana", "somebody new"])
def test_what_may_not_be_written_is_named(shared, files, folders, owner_id):
    forbid(shared, files=files, folders=folders)
    answer = as_nobody(lambda: remember(shared, owner_id))
    if answer is not None:  # in a folder that may not be written, a file may still be
        assert answer[0] == "StoreReadOnly"
        assert "permission to write" in answer[1]
        assert str(shared) in answer[1]
    else:
        assert not files
    if owner_id == "ana" and answer is None:
        return
    assert is_unharmed(shared)


def test_it_becomes_read_only_while_it_is_open(shared):
    def work():
        with lifelong.open(shared, key=KEY) as engine:
            owner = engine.owner("ana")
            owner.memories()
            forbid(shared)
            seen = texts(owner.memories())
            with pytest.raises(StoreReadOnly):
                engine.owner("somebody new").remember("new")
            return seen

    assert as_nobody(work) == ["Likes tea"]
    assert is_unharmed(shared)


def test_forgetting_everything_where_no_file_may_be_removed(shared):
    (shared / "owners").chmod(0o555)

    def work():
        with lifelong.open(shared, key=KEY) as engine:
            engine.owner("ana").forget(everything=True)

    answer = as_nobody(work)
    assert answer is None or answer[0] == "StoreReadOnly"

    def look():
        with lifelong.open(shared, key=KEY) as engine:
            return texts(engine.owner("ana").memories())

    (shared / "owners").chmod(0o755)
    assert as_nobody(look) == ([] if answer is None else ["Likes tea"])


def test_files_that_may_not_be_read_are_named(shared):
    for path in (shared / "owners").iterdir():
        path.chmod(0)
    answer = as_nobody(lambda: remember(shared))
    assert answer[0] == "StoreReadOnly"
    (shared / "owners").chmod(0)
    answer = as_nobody(lambda: remember(shared))
    assert answer[0] == "StoreReadOnly"
    shared.chmod(0)
    answer = as_nobody(lambda: remember(shared))
    assert answer[0] == "StoreReadOnly"


def test_a_new_store_where_nothing_may_be_made(shared):
    above = shared.parent
    above.chmod(0o555)
    answer = as_nobody(lambda: remember(above / "other" / "data"))
    assert answer[0] == "StoreReadOnly"
    assert not (above / "other").exists()


def test_a_key_file_that_may_not_be_read_is_named(shared):
    file = shared.parent / "master.key"
    file.write_text(KEY.hex())
    file.chmod(0)
    answer = as_nobody(lambda: lifelong.open(shared, key=f"file:{file}").close())
    is_encrypted = b'"on"' in (shared / "lifelong.json").read_bytes()
    assert (answer[0] if is_encrypted else answer) == ("MasterKeyError" if is_encrypted else None)
