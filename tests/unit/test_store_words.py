"""Which postings are read of terms that are common, and what is kept in memory of a log."""

import pytest

import lifelong
from lifelong.rows import SEQ_SHIFT
from lifelong.stores.sqlite import columns as columns_module
from lifelong.stores.sqlite import held_terms, words
from lifelong.stores.sqlite.columns import ColumnsCache
from lifelong.stores.sqlite.held_terms import HeldTerms
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
    monkeypatch.setattr(held_terms, "COMMON_MIN", 3)
    held = HeldTerms()

    def frequency(term, passages):
        with owner._store.log._access.read() as (connection, _):
            reader = held.now(connection, _SQL, passages)
            kept = reader.kept_count(term)
            return reader.count(term) if kept is None else kept

    append(owner, "tram", "tram bell", "tram", *["rain"] * 17)
    assert frequency("tram", 20) == 3
    assert frequency("bell", 20) == 1
    append(owner, "tram bell", "tram")
    assert frequency("bell", 22) == 2  # rare: counted each time
    assert frequency("tram", 22) == 3  # 3 / 20 of 22, as it was counted
    append(owner, "rain")
    assert frequency("tram", 23) == 5  # a tenth more since: counted anew


def test_forgetting_drops_what_is_held_of_the_words(owner, monkeypatch):
    for module in (held_terms, words):
        monkeypatch.setattr(module, "COMMON_MIN", 1)
    append(owner, "tram", "tram", "rain", session="a")
    append(owner, "tram", "rain", "snow", session="b")
    assert recalled(owner, "tram") == [1, 2, 4]
    before = held_of(owner)
    assert (before.count("tram", 6), before.size_bytes > 0) == (3, True)
    owner.forget(session="a")
    after = held_of(owner)
    assert (after.count("tram", 3), after.size_bytes) == (None, 0)
    assert recalled(owner, "tram") == [4]
    assert held_of(owner).count("tram", 3) == 1


def recalled(owner, word):
    """Return the numbers of the messages that the log finds, with what is held of its terms."""
    terms = owner._store.log.match([word], ()).terms
    return [posting >> SEQ_SHIFT for term in terms for posting in term.postings]


def held_of(owner):
    with owner._store.log._access.read() as (connection, cache):
        cache.refresh(connection)
        return cache.common


@pytest.fixture
def reads(monkeypatch):
    """The terms whose postings were read from the file, in order."""
    seen = []
    read_numbers = held_terms.read_numbers

    def noted(connection, sql, bound):
        if sql == _SQL["term_postings"]:
            seen.append(bound[0])
        return read_numbers(connection, sql, bound)

    monkeypatch.setattr(held_terms, "read_numbers", noted)
    return seen


@pytest.fixture
def holding(monkeypatch, owner):
    """An owner that holds terms, of more passages than are read without counting."""
    monkeypatch.setattr(words, "POSTINGS_MAX", 4)
    append(owner, "tram", "tram bell", "bell", "rain", "rain", "rain")
    return owner


def test_postings_are_read_once_until_the_term_is_said_again(holding, reads):
    assert [recalled(holding, "tram") for _ in range(2)] == [[1, 2]] * 2
    assert reads == ["tram"]
    append(holding, "snow")
    assert recalled(holding, "tram") == [1, 2]
    assert reads == ["tram"]  # nothing that came since has it
    append(holding, "a tram, a tram")
    assert recalled(holding, "tram") == [1, 2, 8, 8]
    assert recalled(holding, "tram") == [1, 2, 8, 8]
    assert reads == ["tram", "tram"]


def test_a_term_that_was_nowhere_is_found_once_it_was_said(holding):
    assert recalled(holding, "zebra") == []
    append(holding, "a zebra")
    assert recalled(holding, "zebra") == [7]


def test_what_another_handle_writes_and_forgets_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "POSTINGS_MAX", 4)
    with lifelong.open(tmp_path, embedder="off") as one, lifelong.open(tmp_path) as other:
        mine, theirs = one.owner("ana"), other.owner("ana")
        append(mine, "tram", "tram bell", "bell", "rain", "rain", "rain", session="a")
        assert recalled(mine, "tram") == [1, 2]
        append(theirs, "tram", session="b")
        assert recalled(mine, "tram") == [1, 2, 7]
        theirs.forget(session="a")
        append(theirs, *["rain"] * 5, session="b")
        assert recalled(mine, "tram") == [7]
        assert "bell" not in mine.recall("tram").text


def test_a_reader_of_an_older_moment_neither_uses_nor_spoils_what_is_held(tmp_path):
    with lifelong.open(tmp_path, embedder="off") as engine:
        owner = engine.owner("ana")
        append(owner, "tram", "rain")
        access, held = owner._store.log._access, held_of(owner)

        def read(connection):
            return len(held.now(connection, _SQL, 2).read("tram", '"tram"').postings)

        with access.read() as (old, _):
            assert read(old) == 1
            append(owner, "tram")
            with access.read() as (new, _):
                assert [read(new), read(old), read(new)] == [2, 1, 2]


def test_after_a_forgetting_an_older_reader_holds_nothing_for_the_newer(holding):
    newer = HeldTerms(generation=held_of(holding).generation + 1)
    with holding._store.log._access.read() as (connection, _):
        assert newer.now(connection, _SQL, 6).read("tram", '"tram"').frequency == 2
    assert newer.size_bytes == 0


def test_a_word_of_several_terms_is_not_held(holding):
    append(holding, "night-bell")
    for _ in range(2):
        holding._store.log.match(["night-bell"], ())
    assert recalled(holding, "bell") == [2, 3, 7]
    assert held_of(holding).size_bytes == held_terms._ENTRY_BYTES + 3 * 8


def test_what_is_held_stays_within_its_bytes(holding, monkeypatch):
    held = HeldTerms(held_of(holding).generation, bytes_max=2 * held_terms._ENTRY_BYTES + 100)
    with holding._store.log._access.read() as (connection, _):
        reader = held.now(connection, _SQL, 6)
        for term in ("tram", "bell", "tram", "rain"):
            reader.read(term, f'"{term}"')
        # "bell" was used longest ago
        assert [held.get(term) is None for term in ("tram", "bell", "rain")] == [False, True, False]
        assert held.size_bytes == 2 * held_terms._ENTRY_BYTES + 8 * (2 + 3)
        monkeypatch.setattr(held_terms, "HELD_ROWS_MAX", 1)
        assert reader.read("bell", '"bell"').frequency == 2
    assert held.get("bell") is None  # too common to be held


def places(owner, *asked):
    found = owner._store.log.match(asked, ()).terms
    return {one.term: ([p >> SEQ_SHIFT for p in one.postings], one.is_whole) for one in found}


@pytest.mark.parametrize("rare_up_to", [0, 1_000])
def test_common_terms_add_the_same_from_what_is_held_and_from_the_file(
    owner, monkeypatch, rare_up_to
):
    monkeypatch.setattr(words, "SKIPPED_SHARE", 1.0)
    monkeypatch.setattr(words, "RARE_UP_TO", rare_up_to)
    monkeypatch.setattr(words, "COMMON_MIN", 4)
    monkeypatch.setattr(held_terms, "COMMON_MIN", 4)
    append(owner, "tram", "tram bell", "bell", "tram bell", "tram", "rain", "rain")
    expected = {"bell": ([2, 3, 4], True), "tram": ([2, 4], False)}
    # From the file, read to be held, and from what is held.
    assert [places(owner, "tram", "bell") for _ in range(3)] == [expected] * 3
    assert held_of(owner).get(f"{held_terms._PASSAGES_OF}tram").frequency == 4
    append(owner, "tram bell tram")
    expected = {"bell": ([2, 3, 4, 8], True), "tram": ([2, 4, 8], False)}
    assert [places(owner, "tram", "bell") for _ in range(2)] == [expected] * 2


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
