import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.working.identifiers import KINDS, LENGTH_MAX, identifiers


def found(text):
    return [(one.kind, one.text) for one in identifiers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Order ZX-40417 left.", [("id", "ZX-40417")]),
        ("at commit 9f3c1ab now", [("id", "9f3c1ab")]),
        (
            "id 550e8400-e29b-41d4-a716-446655440000",
            [("id", "550e8400-e29b-41d4-a716-446655440000")],
        ),
        ("It costs 1,249.50 EUR.", [("number", "1,249.50 EUR")]),
        ("listens on port 8443,", [("number", "port 8443")]),
        ("since v2.31.0 only", [("number", "v2.31.0")]),
        ("about 7% less, $30 more", [("number", "7%"), ("number", "$30")]),
        ("is issue #45 or line: 12", [("number", "#45"), ("number", "line: 12")]),
        ('{"port":8443,"at":[1, 2]}', [("number", "8443")]),
        ("port:8443 at 12:30", [("number", "port:8443"), ("time", "12:30")]),
        ("it took 5 minutes", [("number", "5 minutes")]),
        ("see /proj/wt-88/api/map.py.", [("path", "/proj/wt-88/api/map.py")]),
        ("in src/a.py:120 it", [("path", "src/a.py:120")]),
        (r"open C:\Users\ana\x.txt now", [("path", r"C:\Users\ana\x.txt")]),
        ("(https://x.org/a?b=c&d=1).", [("url", "https://x.org/a?b=c&d=1")]),
        ("write to ana@x.org or @bob", [("email", "ana@x.org"), ("email", "@bob")]),
        ("use --dry-run and $HOME", [("name", "--dry-run"), ("name", "$HOME")]),
        (
            "call os.path.join, fooBar, snake_case",
            [("name", "os.path.join"), ("name", "fooBar"), ("name", "snake_case")],
        ),
        ("user_id:mia_li_3668", [("name", "user_id"), ("name", "mia_li_3668")]),
        ("on 2024-05-20 at 10:30am", [("date", "2024-05-20"), ("time", "10:30am")]),
        ("run `npm run build` first", [("quote", "npm run build")]),
    ],
)
def test_each_shape_is_found_exactly(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("by May 20th, 2024 please", "May 20th, 2024"),
        ("am 3. März 2025 um", "3. März 2025"),
        ("le 12 février 2026.", "12 février 2026"),
        ("el 4 de mayo de 2026", "4 de mayo de 2026"),
        ("訂單在2024年5月20日發貨", "2024年5月20日"),
    ],
)
def test_written_dates_are_found_in_several_languages(text, date):
    assert ("date", date) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox, and/or the he/she of it; e.g. this one.Next sentence.",
        "IMPORTANT: a one-way trip is NOT a state-of-the-art idea, 3rd or 1st.",
        "I have 12 apples and 5 pears.",
        "<b>bold</b> and <div>more</div>",
        "",
        " \n\t ",
    ],
)
def test_prose_has_no_identifiers(text):
    assert found(text) == []


def test_line_numbers_in_front_of_lines_do_not_count():
    assert found("  117\tfoo_bar\n  118→baz_qux\n119:x_y") == [
        ("name", "foo_bar"),
        ("name", "baz_qux"),
        ("name", "x_y"),
    ]


def test_each_comes_once_in_order_of_appearance():
    text = "b_c then a_b then b_c again, ZX-1234 and port 80"
    assert [one.text for one in identifiers(text)] == ["b_c", "a_b", "ZX-1234", "port 80"]


def test_scripts_without_spaces_end_an_identifier():
    assert found("訂單ZX-40417已發貨") == [("id", "ZX-40417")]


def test_an_escaped_line_end_is_not_glued_to_the_next_word():
    # Given a JSON text that was kept as text
    assert found(r'{"out": "a_b\nnew_c\tthe_d"}') == [
        ("name", "a_b"),
        ("name", "new_c"),
        ("name", "the_d"),
    ]


def test_a_blob_is_no_identifier():
    assert found("x1" * LENGTH_MAX) == []


@given(st.text(max_size=300))
def test_every_identifier_is_a_piece_of_its_text(text):
    some = identifiers(text)
    assert all(one.text and one.text in text and one.kind in KINDS for one in some)
    assert len({one.text for one in some}) == len(some)


@given(
    st.lists(st.sampled_from('/proj/a.py ZX-40417 a_b 12% v1.2.3 訂單 \\n = : . ` " ~ @x'.split()))
)
def test_nasty_neighbours_do_not_break_it(pieces):
    text = "".join(pieces)
    assert all(one.text in text for one in identifiers(text))
