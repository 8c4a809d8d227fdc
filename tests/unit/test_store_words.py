"""Which postings are read of terms that are common, and what is kept in memory of a log."""

import pytest

import lifelong
from lifelong.rows import SEQ_SHIFT
from lifelong.stores.sqlite import columns as columns_module
from lifelong.stores.sqlite import words
from lifelong.stores.sqlite.columns import ColumnsCache, CommonTerms
from lifelong.stores.sqlite.log import _SQL
from lifelong.stores.sqlite.words import match_terms


@pytest.fixture
def owner(monkeypatch):
    """An owner with more passages than are read whole."""
    monkeypatch.setattr(words, "POSTINGS_MAX", 2)
    with lifelong.open("memory:") as engine:
        yield engine.owner("ana")


def append(owner, *texts, session="s"):
    owner.session(session).append([{"role": "user", "content": text} for text in texts])


def matched(owner, *asked, first_max=3):
    """Return of each term the numbers of the messages that are read, and whether they are all."""
    with owner._store.log._access.read() as (connection, cache):
        passages = cache.refresh(connection).passages
        found = match_terms(
            connection,
            _SQL,
            words=asked,
            prefixes=(),
            passages=passages,
            first_max=first_max,
        )
    return {one.term: ([p >> SEQ_SHIFT for p in one.postings], one.is_whole) for one in found}


def test_a_common_term_adds_only_to_what_a_rarer_one_found(owner):
    append(owner, "tram", "tram bell", "bell", "tram", *["rain"] * 16)
    # "bell" takes the budget of two postings; "tram" is in three of twenty
    assert matched(owner, "tram", "bell") == {"bell": ([2, 3], True), "tram": ([2], False)}


def test_a_term_in_a_fifth_of_all_is_not_read_beside_a_rarer_one(owner):
    append(owner, *["tram rain"] * 5, "bell tram", *["snow"] * 14)
    found = matched(owner, "tram", "bell")
    assert found == {"bell": ([6], True), "tram": ([], False)}


def test_of_common_terms_alone_the_newest_are_read_and_first_those_with_both(owner):
    append(owner, "tram bell", "tram bell", "tram", "tram bell", "bell", "bell", "tram", "tram")
    # "bell" is rarer: five times. Three may be read, and three have "tram" too
    found = matched(owner, "tram", "bell")
    assert found["bell"] == ([1, 2, 4], False)
    # Four: those three, and the newest without it
    assert matched(owner, "tram", "bell", first_max=4)["bell"] == ([1, 2, 4, 6], False)
    # Two: the newest of those with both
    assert matched(owner, "tram", "bell", first_max=2)["bell"] == ([2, 4], False)


def test_a_common_term_adds_nothing_older_than_what_was_read(owner, monkeypatch):
    monkeypatch.setattr(words, "SKIPPED_SHARE", 1.0)
    append(owner, *["tram bell"] * 4, "tram")
    found = matched(owner, "tram", "bell", first_max=2)
    assert found == {"bell": ([3, 4], False), "tram": ([3, 4], False)}


def test_one_common_term_alone_finds_its_newest(owner):
    append(owner, *["tram"] * 6)
    assert matched(owner, "tram") == {"tram": ([4, 5, 6], False)}
    assert matched(owner, "tram", "bell")["tram"] == ([4, 5, 6], False)


def test_memories_are_read_whole_since_their_filter_comes_later(owner, monkeypatch):
    monkeypatch.setattr(words, "FIRST_MAX", 1)
    for number in range(5):
        owner.remember(f"tram number {number}", namespace=[str(number)])
    assert [hit.text for hit in owner.recall("tram", namespace=["0"]).hits] == ["tram number 0"]


def test_counts_of_common_terms_are_kept_until_the_index_has_grown(owner, monkeypatch):
    monkeypatch.setattr(columns_module, "_COMMON_MIN", 3)
    common = CommonTerms()

    def frequency(term, passages):
        with owner._store.log._access.read() as (connection, _):
            return common.counter(connection, _SQL, passages)(term)

    append(owner, "tram", "tram bell", "tram", *["rain"] * 17)
    assert frequency("tram", 20) == 3
    assert frequency("bell", 20) == 1
    append(owner, "tram bell", "tram")
    assert frequency("bell", 22) == 2  # rare: counted each time
    assert frequency("tram", 22) == 3  # 3 / 20 of 22, as it was counted
    append(owner, "rain")
    assert frequency("tram", 23) == 5  # a tenth more since: counted anew


def test_forgetting_drops_what_is_held_of_the_words(owner, monkeypatch):
    monkeypatch.setattr(columns_module, "_COMMON_MIN", 1)
    append(owner, "tram", "tram", "rain", session="a")
    append(owner, "tram", "rain", session="b")
    matched(owner, "tram", "rain")
    owner.forget(session="a")
    with owner._store.log._access.read() as (connection, cache):
        cache.refresh(connection)
        assert cache.common.counter(connection, _SQL, 2)("tram") == 1


def test_columns_are_the_same_in_pages_and_across_gaps(monkeypatch):
    with lifelong.open("memory:") as engine:
        owner = engine.owner("ana")
        append(owner, "one", "two", "three", session="a")
        append(owner, "four", "five", session="b")
        append(owner, "six", "seven", session="a")
        owner.forget(session="b")
        with owner._store.log._access.read() as (connection, _):
            whole = ColumnsCache().refresh(connection)
            monkeypatch.setattr(columns_module, "_PAGE_ROWS", 2)
            assert ColumnsCache().refresh(connection) == whole
    assert list(whole.previous) == [0, 0, 1, 2, 0, 0, 3, 6]
    assert list(whole.following) == [0, 2, 3, 6, 0, 0, 7, 0]
    assert whole.passages == 5


def test_many_appends_leave_few_pieces_of_the_index():
    with lifelong.open("memory:") as engine:
        owner = engine.owner("ana")
        for number in range(15):
            append(owner, f"word{number}", session=f"s{number}")
        with owner._store.log._access.read() as (connection, _):
            pieces = connection.execute("SELECT count(DISTINCT segid) FROM passage_text_idx").get
        # One for each append would be 15; they are merged four by four
        assert pieces <= 8
