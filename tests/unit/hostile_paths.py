"""Paths that reached what they should not somewhere, and more of their kind from a seed."""

import random
from collections.abc import Iterator

HOSTILE = [
    *("/memories/../../etc/passwd", "/memories/..", "/memories/../memories-old/a", "../../evil"),
    *("/memories/%2e%2e/x", "/memories/%2e%2e%2fx", "/memories/%252e%252e%252fx", "/%6demories/a"),
    *("/memories/....//x", "/memories/..;/x", "/memories/.\u2026/x", "/memories/.. /x"),
    *(
        "/memories/\u00c0\u00ae\u00c0\u00ae/x",
        "/memories/%c0%ae%c0%ae/x",
        "/memories/\udcc0\udcae/x",
    ),
    *("/memories/\uff0e\uff0e/x", "/memories/\u2024\u2024/x", "/memories/\u2025/x"),
    *("/memories/..\uff0fx", "/memories/..\u2044x", "/memories/..\u2215x", "/memories/..\u29f8x"),
    *("/memories\\..\\x", "/memories/..\\x", "/memories/a\\..\\..\\x", "C:\\Windows\\x", "C:/x"),
    *("/memories/C:/x", "\\\\host\\share\\x", "//host/share/x", "/memories/\\\\?\\C:\\x"),
    *("file:///etc/passwd", "/memories/file:///etc/passwd", "file:///memories/a.md", "data:,x"),
    *("/memories/a\x00.md", "/memories/\x00", "/memories\x00/../x", "/memories/a\n.md"),
    *("~", "~/x", "/memories/~/x", "/memories/~root/x", "$HOME/x", "/memories/$HOME/x"),
    *("/memories/$(id)", "/memories/`id`", "/memories/a;id", "/memories/{a,b}", "/memories/*"),
    *("/memories/" + "x" * 300, "/memories" + "/x" * 2_000, "/memories/" + "../" * 400 + "x"),
    *("/memories/CON", "/memories/nul.txt", "/memories/COM1", "/memories/lpt1.md", "/memories/AUX"),
    *("/memories/a.md::$DATA", "/memories/a:b", "/memories/a.md.", "/memories/a.md "),
    *("/memories/A.MD", "/memories/\u0430.md", "/memories/\ufb01.md", "/memories/e\u0301.md"),
    *(
        "/memories/a\u202edm.exe",
        "/memories/a\u200b.md",
        "/memories/a\u2066.md",
        "/memories/\ufeff",
    ),
    *("/memoriesX", "/memories-old/a.md", "/memoriesbox", "/memories/a.md/b", "/memories/box"),
    *("/memories", "/memories/", "/memories//", "/memories/.", "/memories/box/..", "/MEMORIES/a"),
    *("/proc/self/environ", "/memories/proc/self/mem", "/dev/stdin", "/memories/dev/null", "/", ""),
    *("/memories/.git/config", "/memories/.env", "/memories/-rf", "/memories/--help"),
    *("/memories/lifelong.json", "/memories/catalogue.db", "/memories/'; DROP TABLE file; --"),
]

_PIECES = [
    *("/", "//", "..", ".", "../", "/memories", "memories", "%2e", "%2f", "%5c", "%00", "\\", ":"),
    *("\x00", "\n", " ", "\u202e", "\u200b", "\u0301", "\ufe0f", "\udc80", "\uff0e", "\uff0f"),
    *(
        "\u2044",
        "\u2215",
        "\u2024",
        "\ufb01",
        "\u0130",
        "\U0001f35c",
        "\ue000",
        "a",
        "A",
        "x",
        "box",
    ),
    *("a.md", "CON", "nul", "com1", "~", "$HOME", "*", "?", "'", '"', "<", "|", "x" * 260),
]


def hostile_paths(count: int, seed: int = 0) -> Iterator[str]:
    """Yield so many paths: the known ones first, then known ones cut, joined and sprinkled."""
    source = random.Random(seed)
    yield from HOSTILE[:count]
    for _ in range(count - len(HOSTILE)):
        path = source.choice(HOSTILE) if source.random() < 0.7 else "/memories/"
        for _ in range(source.randrange(1, 5)):
            at = source.randrange(len(path) + 1)
            piece = source.choice(_PIECES)
            match source.randrange(4):
                case 0:
                    path = path[:at] + path[at + source.randrange(1, 4) :]
                case 1:
                    path = path[:at] + source.choice(HOSTILE)[at:]
                case 2:
                    path = f"{path}/{piece}"
                case _:
                    path = path[:at] + piece + path[at:]
        yield path
