"""Edits of file memory as they went wrong elsewhere: lines, missing texts, places, last lines."""

import pytest

from lifelong.errors import EditRefused, FileError

NOTES = "/memories/n.md"
CALLS = "# Calls\n- nobody\n"


@pytest.fixture
def files(place):
    return place.owner.files


def test_a_text_over_two_lines_is_found(files):
    files.create(NOTES, CALLS)
    reply = files.str_replace(NOTES, "# Calls\n- nobody", new_str="# Calls\n- call Ida")
    assert files.read(NOTES) == "# Calls\n- call Ida\n"
    assert reply == (
        "The memory file has been edited. Here is the snippet showing the change "
        "(with line numbers):\n     1\t# Calls\n     2\t- call Ida\n     3\t"
    )


@pytest.mark.parametrize("missing", [{}, {"new_str": None}, {"new_str": ""}])
def test_a_missing_new_text_takes_the_old_one_out(files, missing):
    files.create(NOTES, "# Calls\n- call Ida\n")
    files.str_replace(NOTES, "- call Ida", **missing)
    assert files.read(NOTES) == "# Calls\n\n"


def test_a_text_in_two_places_is_refused_with_their_lines(files):
    text = "- call Ida\n- call Bo\n- call Ida\n"
    files.create(NOTES, text)
    with pytest.raises(EditRefused, match="in lines: 1, 3"):
        files.str_replace(NOTES, "- call Ida", new_str="- done")
    assert files.read(NOTES) == text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (0, "X\none\ntwo\nthree\n"),
        (1, "one\nX\ntwo\nthree\n"),
        (3, "one\ntwo\nthree\nX\n"),
        (4, None),
        (-1, None),
    ],
)
def test_a_line_is_inserted_after_the_one_that_is_named(files, line, expected):
    files.create(NOTES, "one\ntwo\nthree\n")
    if expected is None:
        with pytest.raises(EditRefused, match=r"\[0, 3\]"):
            files.insert(NOTES, line, insert_text="X")
    else:
        files.insert(NOTES, line, insert_text="X")
    assert files.read(NOTES) == expected or "one\ntwo\nthree\n"


@pytest.mark.parametrize("value", [None, 0, 7, False, b"text", [], ["text"], {"text": 1}, object()])
def test_what_is_no_text_is_never_written_as_one(files, value):
    files.create(NOTES, CALLS)
    for call in (
        lambda: files.create("/memories/other.md", value),
        lambda: files.str_replace(NOTES, value, new_str="x"),
        lambda: files.insert(NOTES, 0, insert_text=value),
        lambda: files.write(NOTES, value),
    ):
        with pytest.raises(FileError):
            call()
    if value is not None:
        with pytest.raises(FileError):
            files.str_replace(NOTES, "nobody", new_str=value)
    assert [files.read(info.path) for info in files.list()] == [CALLS]


def test_what_no_store_can_hold_is_replaced_in_all_texts_alike(files):
    files.create(NOTES, "a\x00b \udc80 c")
    assert files.read(NOTES) == "a\ufffdb \ufffd c"
    files.str_replace(NOTES, "a\x00b", new_str="ab")
    files.insert(NOTES, 1, insert_text="\ud800")
    assert files.read(NOTES) == "ab \ufffd c\n\ufffd\n"


def test_an_edit_that_fails_leaves_no_version(files):
    files.create(NOTES, CALLS)
    for call in (
        lambda: files.str_replace(NOTES, "nothing", new_str="x"),
        lambda: files.insert(NOTES, 9, insert_text="x"),
        lambda: files.create(NOTES, "x"),
    ):
        with pytest.raises(FileError):
            call()
    assert len(files.versions(NOTES)) == 1


def test_a_long_text_is_edited_as_a_whole(files):
    lines = [f"line {number}" for number in range(20_000)]
    files.create(NOTES, "\n".join(lines))
    files.str_replace(NOTES, "line 9999\nline 10000\n", new_str="")
    files.insert(NOTES, 9_999, insert_text="here")
    lines[9_999:10_001] = ["here"]
    assert files.read(NOTES) == "\n".join(lines) + "\n"
