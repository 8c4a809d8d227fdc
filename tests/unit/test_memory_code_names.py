"""Names in code: the words inside them, and several words as one name."""

import time

import pytest

from lifelong.memory.code_names import inner_words, is_hash, wholes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("UserService.getName(userId)", ["user", "service", "get", "name", "id"]),
        ("HTTPServer", ["http", "server"]),
        ("parseHTML", ["parse", "html"]),
        ("XMLHttpRequest2", ["xml", "http", "request2"]),
        ("utf8Decode", ["utf8", "decode"]),
        ("iPhone", ["phone"]),
        ("The Tram is LATE", []),
        ("snake_case and SCREAMING_CASE", []),
        ("", []),
    ],
)
def test_words_inside_a_name(text, words):
    assert inner_words(text) == words


def test_base64_has_no_words():
    assert inner_words("aGVsbG8gd29ybGQ" * 10) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("what does get_user_name do?", ["get_user_name"]),
        ("see src/app/main.py.", ["src/app/main.py", "main.py"]),
        ("C:\\tools\\run.bat", ["C:\\tools\\run.bat", "run.bat"]),
        ("ERR_CONN_RESET", ["ERR_CONN_RESET"]),
        ("python 3.11.7", ["3.11.7", "v3.11.7"]),
        ("since v2.8.1-rc1", ["v2.8.1-rc1", "2.8.1-rc1"]),
        ("--dry-run", ["dry-run"]),
        ("HTTP 503", ["HTTP 503"]),
        ("KTX-207", ["KTX-207"]),
        ("ana@example.org", ["ana@example.org"]),
        ("db:5433", ["db:5433"]),
        ("a well-known, well-kept secret", []),
        ("don't", []),
        ("b/\u00e9t\u00e9", []),
        ("\u00e9a/b c/d\u00e9", []),
        ("tram. And bus", []),
        ("one two", []),
        ("/".join("abcdefghijklm"), []),
    ],
)
def test_names_of_several_words(text, names):
    assert wholes(text) == names


@pytest.mark.parametrize(
    ("word", "is_one"),
    [
        ("9f3c2ab", True),
        ("9f3c2ab17de4f00d", True),
        ("9f3c2a", False),
        ("1234567", False),
        ("defaced", False),
        ("9f3c2ag", False),
    ],
)
def test_hashes(word, is_one):
    assert is_hash(word) == is_one


@pytest.mark.parametrize(
    "text", ["a" * 200_000 + "Bc", "aB" * 100_000, "a." * 10_000, "-" * 20_000]
)
def test_a_long_text_takes_no_time(text):
    start = time.process_time()
    inner_words(text)
    wholes(text[:20_000])
    assert time.process_time() - start < 2
