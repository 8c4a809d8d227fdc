"""The grammar of paths: one form for each file, and a named refusal for all the rest."""

import unicodedata

import pytest

from lifelong.errors import FileExists, InvalidPath
from lifelong.file_paths import (
    LEVELS_MAX,
    ROOT,
    canonical,
    canonical_file,
    folded,
    is_below,
    require_free,
    shown,
)

GOOD = {
    "/memories": ROOT,
    "/memories/": ROOT,
    "/memories/a.md": "/memories/a.md",
    "/memories/box/": "/memories/box",
    "/memories/.hidden": "/memories/.hidden",
    "/memories/with space.md": "/memories/with space.md",
    "/memories/cafe\u0301.md": "/memories/caf\u00e9.md",
    "/memories/\u212b": "/memories/\u00c5",
    "/memories/~": "/memories/~",
    "/memories/$HOME": "/memories/$HOME",
    "/memories/100%.md": "/memories/100%.md",
    "/memories/con-tacts.md": "/memories/con-tacts.md",
    "/memories/auxiliary": "/memories/auxiliary",
    "/memories/com10": "/memories/com10",
    "/memories/\u65e5\u8a18/\u0434\u043d\u0435\u0432\u043d\u0438\u043a": (
        "/memories/\u65e5\u8a18/\u0434\u043d\u0435\u0432\u043d\u0438\u043a"
    ),
    "/memories/" + "x" * 255: "/memories/" + "x" * 255,
    "/memories" + "/a" * LEVELS_MAX: "/memories" + "/a" * LEVELS_MAX,
}

BAD = [
    *("", "/", "memories", "memories/a", "a.md", "/memoriesX", "/memories-old/a.md"),
    *("/Memories/a", "//memories/a", "\\memories\\a", "/etc/passwd", "file:///memories/a"),
    *("C:\\memories", "\\\\host\\share", "~/a", "$HOME/a", " /memories/a", "/memories\x00/a"),
    *("/memories/..", "/memories/../x", "/memories/a/../b", "/memories/.", "/memories/./a"),
    *("/memories//", "/memories//a", "/memories/a//b", "/memories/a//", "/memories/....//a"),
    *("/memories/...", "/memories/..;/a", "/memories/..%00", "/memories/..\x00"),
    *("/memories/%2e%2e/x", "/memories/%252e%252e/x", "/memories/a%2Fb", "/memories/%c0%ae"),
    *("/memories/a\x00b", "/memories/a\nb", "/memories/a\tb", "/memories/a\x7fb", "/memories/\x85"),
    *("/memories/a\udc80b", "/memories/\ud800", "/memories/a\\b", "/memories/..\\x"),
    *("/memories/a:stream", "/memories/c:", "/memories/a::$DATA", "/memories/a\ua789b"),
    *("/memories/a.", "/memories/a ", "/memories/a. ", "/memories/ a", "/memories/ "),
    *("/memories/a./b", "/memories/a /b", "/memories/a\u2026", "/memories/a\u00a0"),
    *("/memories/CON", "/memories/con.txt", "/memories/Nul", "/memories/aux.tar.gz"),
    *("/memories/COM1", "/memories/lpt9.md", "/memories/com\u00b9", "/memories/prn .x"),
    *("/memories/conin$", "/memories/\uff23\uff2f\uff2e", "/memories/box/nul/a.md"),
    *("/memories/a\u202eb", "/memories/a\u200bb", "/memories/a\u200db", "/memories/\ufeffa"),
    *("/memories/a\u2066b", "/memories/a\u00adb", "/memories/\u2028", "/memories/\u3164"),
    *("/memories/\u115f", "/memories/\ufe0f", "/memories/a\ue000", "/memories/a\uffff"),
    *("/memories/\u2025/x", "/memories/\uff0e\uff0e/x", "/memories/\u2024\u2024/x"),
    *("/memories/..\uff0fx", "/memories/a\u2044b", "/memories/a\u2215b", "/memories/a\u29f8b"),
    *("/memories/a\uff3cb", "/memories/a\uff1ab", "/memories/\u2100", "/memories/a\ufe68b"),
    *("/memories/" + "x" * 256, "/memories/" + "\u00e9" * 128, "/memories" + "/abc" * 300),
    *("/memories" + "/a" * (LEVELS_MAX + 1), "/memories/" + "../" * 2_000, "/" * 100_000),
    *(None, 7, b"/memories/a", ["/memories/a"], True),
]


@pytest.mark.parametrize(("path", "form"), GOOD.items())
def test_a_good_path_has_one_form(path, form):
    assert canonical(path) == form
    assert canonical(form) == form


@pytest.mark.parametrize("path", BAD, ids=lambda path: ascii(path)[:60])
def test_a_bad_path_is_refused_by_name(path):
    with pytest.raises(InvalidPath) as raised:
        canonical(path)
    assert raised.value.reply.isprintable()
    assert len(raised.value.reply) < 400


FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def has_forms(letter):
    is_same = all(unicodedata.is_normalized(form, letter) for form in FORMS)
    return not is_same or letter.casefold() != letter


def test_no_letter_becomes_something_else_on_the_way():
    """Whatever one character a name has beside an a: refused, or the same path in every form."""
    for code in [code for code in range(0x110000) if has_forms(chr(code))]:
        path = f"/memories/a{chr(code)}a"
        try:
            form = canonical(path)
        except InvalidPath:
            continue
        for kind in FORMS:
            other = unicodedata.normalize(kind, form)
            assert other.count("/") == form.count("/") == path.count("/"), hex(code)
            assert "\\" not in other, hex(code)
            assert ":" not in other, hex(code)
            assert folded(other) == folded(form), hex(code)
        assert canonical(unicodedata.normalize("NFD", form)) == form, hex(code)


def test_a_refusal_tells_what_the_reference_tells():
    with pytest.raises(InvalidPath) as raised:
        canonical("/etc/passwd")
    assert raised.value.reply == "Path must start with /memories, got: /etc/passwd"
    with pytest.raises(InvalidPath) as raised:
        canonical("/memories/../etc")
    assert raised.value.reply == "Path /memories/../etc would escape /memories directory"


def test_the_root_is_no_file():
    for path in ("/memories", "/memories/"):
        with pytest.raises(InvalidPath):
            canonical_file(path)


TWINS = [
    ("/memories/a.md", "/memories/A.md"),
    ("/memories/stra\u00dfe", "/memories/STRASSE"),
    ("/memories/\ufb01le", "/memories/file"),
    ("/memories/\uff41", "/memories/a"),
    ("/memories/x\u00b2", "/memories/x2"),
    ("/memories/a b", "/memories/a\u00a0b"),
    ("/memories/\u2764", "/memories/\u2764\ufe0f"),
    ("/memories/\u03c3", "/memories/\u03c2"),
    ("/memories/box/a", "/memories/Box/b"),
    ("/memories/box/a", "/memories/BOX"),
    ("/memories/Box", "/memories/box/a/b"),
]


@pytest.mark.parametrize(("one", "other"), TWINS)
def test_names_that_fold_together_are_taken(one, other):
    assert canonical(one) == one
    assert canonical(other) == other
    for path, taken in ((one, other), (other, one)):
        with pytest.raises((FileExists, InvalidPath)):
            require_free(path, [taken])


def test_a_file_is_no_directory_and_a_directory_no_file():
    with pytest.raises(InvalidPath, match="not a directory"):
        require_free("/memories/a/b", ["/memories/a"])
    with pytest.raises(FileExists, match="already exists"):
        require_free("/memories/a", ["/memories/a/b"])


def test_what_is_beside_is_free():
    require_free("/memories/a/b", ["/memories/a/c", "/memories/ab", "/memories/b/a/b"])
    require_free("/memories/a", [])


def test_below_is_by_whole_names():
    assert is_below("/memories/a/b", "/memories/a")
    assert not is_below("/memories/ab", "/memories/a")
    assert not is_below("/memories/a", "/memories/a")


def test_what_is_shown_is_short_and_printable():
    assert shown("/memories/a\x00\u202e\udc80") == "/memories/a\\x00\\u202e\\udc80"
    assert shown("x" * 500) == "x" * 200 + "…"
