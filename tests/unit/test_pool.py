"""The pool: which connections are used again, and which never."""

import apsw
import pytest

from lifelong.errors import StoreError
from lifelong.stores.sqlite.pool import Pool


@pytest.fixture
def pool(tmp_path):
    made = Pool("here", lambda: apsw.Connection(str(tmp_path / "a.db")))
    yield made
    made.close()


def used_by(pool, error=None):
    with pool.lend() as connection:
        if error:
            raise error
        return connection


def test_a_connection_is_used_again(pool):
    assert used_by(pool) is used_by(pool)


@pytest.mark.parametrize("error", [apsw.BusyError("busy"), ValueError("not the disk's")])
def test_what_leaves_a_connection_sound_leaves_it_in_use(pool, error):
    first = used_by(pool)
    with pytest.raises((StoreError, ValueError)):
        used_by(pool, error)
    assert used_by(pool) is first


@pytest.mark.parametrize("error", [apsw.IOError, apsw.FullError, apsw.CorruptError, apsw.SQLError])
def test_a_connection_that_met_an_error_is_closed_and_used_no_more(pool, error):
    first = used_by(pool)
    with pytest.raises(StoreError):
        used_by(pool, error("the disk said no"))
    assert used_by(pool) is not first
    with pytest.raises(apsw.ConnectionClosedError):
        first.execute("SELECT 1")


def test_the_one_connection_to_a_database_in_memory_stays():
    first = apsw.Connection(":memory:")
    pool = Pool("memory", lambda: pytest.fail("one more"), first=first, is_shared=False)
    with pytest.raises(StoreError):
        used_by(pool, apsw.SQLError("no such table"))
    assert used_by(pool) is first
