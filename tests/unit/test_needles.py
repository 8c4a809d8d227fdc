"""Needles: each form of a text as bytes that were made here by hand, and the search for them."""

import random

import pytest

from lifelong.needles import Needle, Search, needles, vector_needle, word_needles
from lifelong.rows.raw import Layout

TEXT = "Zoë's gate/code 4471"

FORMS = {
    "as it is": "Zoë's gate/code 4471".encode(),
    "upper case": "ZOË'S GATE/CODE 4471".encode(),
    "lower case": "zoë's gate/code 4471".encode(),
    "UTF-16 LE": "Zoë's gate/code 4471".encode("utf-16-le"),
    "UTF-16 BE": "Zoë's gate/code 4471".encode("utf-16-be"),
    "UTF-32 LE": "Zoë's gate/code 4471".encode("utf-32-le"),
    "UTF-32 BE": "Zoë's gate/code 4471".encode("utf-32-be"),
    "hex": b"5a6fc3ab277320676174652f636f64652034343731",
    "hex in upper case": b"5A6FC3AB277320676174652F636F64652034343731",
    "base64": b"Wm/DqydzIGdhdGUvY29kZSA0NDcx",
    "base64 behind one byte": b"eFpvw6sncyBnYXRlL2NvZGUgNDQ3MXg=",
    "base64 behind two bytes": b"eHhab8OrJ3MgZ2F0ZS9jb2RlIDQ0NzF4",
    "base64 for an address": b"Wm_DqydzIGdhdGUvY29kZSA0NDcx",
    "JSON": b'"Zo\\u00eb\'s gate/code 4471"',
    "JSON in upper case": b'"Zo\\u00EB\'s gate/code 4471"',
    "JSON in JSON": b'"\\"Zo\\\\u00eb\'s gate/code 4471\\""',
    "percent": b"Zo%C3%AB%27s%20gate%2Fcode%204471",
    "percent in lower case": b"zo%c3%ab%27s%20gate%2fcode%204471",
    "a query": b"?q=Zo%C3%AB's+gate/code+4471",
    "quoted-printable": b"Zo=C3=AB's gate/code 4471",
    "HTML": b"Zo&#235;&#x27;s gate/code 4471",
    "SQL": "'Zoë''s gate/code 4471'".encode(),
    "backslashes": b"Zo\\xeb's gate/code 4471",
    "latin-1": "Zoë's gate/code 4471".encode("latin-1"),
    "UTF-8 twice": "Zoë's gate/code 4471".encode().decode("latin-1").encode(),
    "NFD": "Zoe\u0308's gate/code 4471".encode(),
    "no accent": b"Zoe's gate/code 4471",
    "reversed": "1744 edoc/etag s'ëoZ".encode(),
    "words reversed": "4471 gate/code Zoë's".encode(),
    "spaces joined": "Zoë's gate/code 4471".encode(),
}


def found(forms, data, layout=None, *, step=0):
    search = Search(forms, layout)
    for start in range(0, len(data), step or max(1, len(data))):
        search.feed(data[start : start + step] if step else data)
    return search.finish()


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_is_found_inside_other_bytes(form):
    assert found(needles(TEXT), b"\x01noise " + form + b" more\xff")


def test_a_text_with_line_ends_is_found_where_they_became_spaces():
    forms = needles("first line\n  second line")
    assert found(forms, b"... first line second line ...")
    assert found(forms, b'{"a": "first line\\n  second line"}')


def test_wide_letters_are_found_as_narrow_ones():
    assert found(needles("Ｈａｌｄｅｎ"), b"at Halden Labs")
    assert found(needles("Ｈａｌｄｅｎ"), b"at HALDEN LABS")


@pytest.mark.parametrize("other", ["Zoë's gate/code 4571", "Zoe gate code 4471", "4471", "Zoë's"])
def test_other_texts_are_not_found(other):
    data = b"".join(each.data for each in needles(other))
    assert not found(needles(TEXT), data)


def test_no_form_is_found_in_random_bytes():
    data = random.Random(1).randbytes(4_000_000)
    assert not found(needles("4471"), data)
    assert not found([*needles(TEXT), *word_needles(["gate"])], data, Layout(0, 0, 4096, 4064))


def test_each_form_is_there_once_and_none_is_shorter_than_four_bytes():
    forms = needles("soup")
    assert len({(each.data, each.is_exact) for each in forms}) == len(forms)
    assert min(len(each.data) for each in forms) >= 4
    assert needles("abc") == tuple(each for each in needles("abc") if len(each.data) >= 4)
    assert not [each for each in needles("abc") if each.encoding == "UTF-8"]


def test_a_needle_says_which_form_it_is():
    (match,) = found(needles("Halden Labs"), "Halden Labs".encode("utf-16-le"))
    assert (match.needle.encoding, match.count, match.offset) == ("UTF-16-LE", 1, 0)


@pytest.mark.parametrize("step", [1, 2, 3, 7, 11, 12, 64])
def test_what_stands_across_the_border_of_two_pieces_is_found_once(step):
    data = b"x" * 5 + b"Halden Labs" + b"y" * 40 + b"Halden Labs" + b"z" * 3
    (match,) = found(needles("halden labs"), data, step=step)
    assert (match.count, match.offset) == (2, 5)


@pytest.mark.parametrize("step", [1, 13, 4096, 10_000])
def test_counts_are_the_same_however_the_bytes_come(step):
    dice = random.Random(step)
    data = b"".join(
        dice.choice([b"Halden", b"halden labs", b"h", b"ha", b"\0" * 9, b"48616c64656e"])
        for _ in range(3_000)
    )
    forms = needles("halden")
    whole = {each.needle.data: (each.count, each.offset) for each in found(forms, data)}
    pieces = {each.needle.data: (each.count, each.offset) for each in found(forms, data, step=step)}
    assert pieces == whole
    assert whole[b"halden"][0] == data.lower().count(b"halden")


def test_repeats_do_not_count_twice():
    (match,) = found([Needle("x", b"aaaa")], b"a" * 10)
    assert match.count == 2


LAYOUT = Layout(0, 0, 512, 480)
SECRET = b"mira works at halden labs"


def pages(*contents):
    return b"".join(content.ljust(512, b"\0") for content in contents)


def test_what_the_end_of_a_page_cuts_in_two_is_found_by_its_first_part():
    # In a full page that goes on, the content ends where the usable bytes end.
    data = pages(b"\0\0\0\3" + b"x" * (476 - 14) + SECRET[:14], b"", b"\0\0\0\0" + SECRET[14:])
    (match,) = found([Needle("UTF-8", SECRET)], data, LAYOUT)
    assert (match.is_cut, match.offset) == (True, 466)


def test_what_goes_on_in_an_overflow_page_is_found_by_its_first_part():
    # A cell's own bytes are followed by the number of the page where they go on.
    cell = b"x" * 100 + SECRET[:14] + (7).to_bytes(4, "big") + b"the next cell"
    (match,) = found([Needle("UTF-8", SECRET)], pages(b"\x0d" + cell), LAYOUT)
    assert match.is_cut


def test_what_began_elsewhere_is_found_by_the_rest():
    data = pages(b"nothing", b"\0\0\0\0" + SECRET[10:] + b" and more")
    (match,) = found([Needle("UTF-8", SECRET)], data, LAYOUT)
    assert (match.is_cut, match.offset) == (True, 512 + 4)
    wal = b"h" * 32 + b"f" * 24 + pages(b"nothing") + b"f" * 24 + data[512:]
    (match,) = found([Needle("UTF-8", SECRET)], wal, Layout(32, 24, 512, 480), step=100)
    assert match.offset == 32 + 24 + 512 + 24 + 4


@pytest.mark.parametrize(
    "content",
    [
        b"x" * 50 + SECRET[:14] + b" kiel",  # it goes on otherwise, in the middle of a page
        b"\0\0\0\0x" + SECRET[10:],  # not at the beginning of a page
        b"\0\0\0\0" + SECRET[20:],  # too little of it
        b"x" * (480 - 5) + SECRET[:5],
    ],
)
def test_a_part_that_no_page_cuts_is_another_text(content):
    assert not found([Needle("UTF-8", SECRET)], pages(content), LAYOUT)


def test_words_are_found_as_the_index_keeps_them():
    # The first term of a page is whole, behind its length; of others, what the one before shares
    # is left out. The mark "0" of the main index counts as a shared byte.
    forms = word_needles(["halden"])
    assert found(forms, b"\x07" + b"0halden" + b"\x02\x01")
    assert found(forms, b"\x01\x06halden")
    assert found(forms, b"\x03\x04lden")
    assert not found(forms, b"lden halden")
    assert all(each.is_whole for each in forms)
    assert not any(each.is_whole for each in word_needles(["halden", "labs"]))


def test_of_a_long_text_parts_are_looked_for():
    words = [f"word{number}" for number in range(2_000)]
    text = " ".join(words)
    forms = needles(text)
    assert max(len(each.data) for each in forms) < 1_000
    assert found(forms, text.encode())
    assert not found(forms, " ".join(reversed(words[5:])).encode().replace(b"word", b"work"))


def test_a_vector_is_looked_for_byte_by_byte():
    vector = bytes(range(60, 100))
    assert found([vector_needle(vector, "float16")], b"..." + vector)
    assert not found([vector_needle(vector, "float16")], b"..." + vector.lower())


def test_a_layout_tells_pages_and_frames():
    wal = Layout(32, 24, 4096, 4096)
    assert wal.place(32 + 24) == (1, 0)
    assert wal.place(32 + 24 + 4096 + 24 + 5) == (2, 5)
    assert (wal.place(0), wal.place(40)) == (None, None)
    assert [wal.first_from(at) for at in (0, 56, 57)] == [56, 56, 56 + 4120]
    assert LAYOUT.place(513) == (2, 1)
