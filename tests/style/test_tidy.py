"""Style that executes: sizes, names, documentation, errors and SQL, each as a rule over `ast`.

What cannot keep a rule yet stands in ratchet.toml, which may only get shorter.
"""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FILE_LINES_MAX = 400
TEST_FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70
COMPLEXITY_MAX = 12
PARAMETERS_MAX = 7
PLAIN_PARAMETERS_MAX = 3
POSITIONAL_MAX = 2
METHODS_MAX = 20

BANNED_WORDS = {"util", "utils", "helper", "helpers", "manager", "managers", "service", "services"}
VERSION_WORD = re.compile(r"v[2-9]\d*")
MARKS = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X])\b")
BROAD = {"Exception", "BaseException"}
EDGE = "src/lifelong/apps/"
PRINTERS = (EDGE, "src/lifelong/bench/")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One Python file, by its path from the root of the project."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def is_test(self) -> bool:
        return self.path.startswith("tests/")

    @cached_property
    def definitions(self) -> tuple["Definition", ...]:
        return tuple(definitions(self.tree, self.path))


@dataclass(frozen=True)
class Definition:
    """A function or class: `where` it is, who encloses it, and whether all of that is public."""

    node: Function | ast.ClassDef
    where: str
    parent: ast.AST
    is_public: bool

    @property
    def is_method(self) -> bool:
        return isinstance(self.parent, ast.ClassDef) and isinstance(self.node, Function)


Finding = tuple[str, int]
"""Where something is, and how much of it: only lists of equal length may get shorter."""
Rule = Callable[[Source], Iterator[Finding]]


def definitions(
    node: ast.AST, where: str, *, parent: ast.AST | None = None, is_public: bool = True
) -> Iterator[Definition]:
    parent = parent or node
    separator = "::" if isinstance(parent, ast.Module) else "."
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function | ast.ClassDef):
            found = Definition(
                child,
                f"{where}{separator}{child.name}",
                parent,
                is_public and not isinstance(parent, Function) and not is_private(child.name),
            )
            yield found
            yield from definitions(child, found.where, parent=child, is_public=found.is_public)
        else:
            yield from definitions(child, where, parent=parent, is_public=is_public)


def is_private(name: str) -> bool:
    return name.startswith("_") and not is_dunder(name)


def is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def functions(source: Source) -> Iterator[tuple[Definition, Function]]:
    for found in source.definitions:
        if isinstance(found.node, Function):
            yield found, found.node


def classes(source: Source) -> Iterator[tuple[Definition, ast.ClassDef]]:
    for found in source.definitions:
        if isinstance(found.node, ast.ClassDef):
            yield found, found.node


def too_long_file(source: Source) -> Iterator[Finding]:
    lines = len(source.text.splitlines())
    if lines > (TEST_FILE_LINES_MAX if source.is_test else FILE_LINES_MAX):
        yield source.path, lines


def too_long_function(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        lines = node.end_lineno - node.lineno + 1
        if ast.get_docstring(node) is not None:
            docstring = node.body[0]
            lines -= docstring.end_lineno - docstring.lineno + 1
        if lines > FUNCTION_LINES_MAX:
            yield found.where, lines


def complexity(function: ast.AST) -> int:
    """Count the ways through: McCabe's number, with each condition of a boolean counted."""
    return 1 + sum(branches(node) for node in ast.walk(function))


def branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp(values=values):
            return len(values) - 1
        case ast.comprehension(ifs=conditions):
            return 1 + len(conditions)
        case ast.match_case(pattern=ast.MatchAs(pattern=None), guard=None):
            return 0
        case ast.If() | ast.IfExp() | ast.For() | ast.AsyncFor() | ast.While():
            return 1
        case ast.ExceptHandler() | ast.match_case() | ast.Assert():
            return 1
    return 0


def too_complex(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        # A test is a list of assertions, one after another: they are no branches to follow.
        asserts = sum(isinstance(part, ast.Assert) for part in ast.walk(node))
        measured = complexity(node) - (asserts if source.is_test else 0)
        if measured > COMPLEXITY_MAX:
            yield found.where, measured


def parameters(found: Definition, node: Function) -> tuple[int, int]:
    """Return how many parameters there are, and how many may be given by position."""
    positional = len(node.args.posonlyargs) + len(node.args.args)
    decorators = {ast.unparse(each) for each in node.decorator_list}
    if found.is_method and "staticmethod" not in decorators:
        positional -= 1
    return positional + len(node.args.kwonlyargs), positional


def too_many_parameters(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        count, _ = parameters(found, node)
        if count > PARAMETERS_MAX:
            yield found.where, count


def too_many_by_position(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        count, positional = parameters(found, node)
        if found.is_public and count > PLAIN_PARAMETERS_MAX and positional > POSITIONAL_MAX:
            yield found.where, positional


def too_many_methods(source: Source) -> Iterator[Finding]:
    for found, node in classes(source):
        methods = sum(isinstance(each, Function) for each in node.body)
        if found.is_public and methods > METHODS_MAX:
            yield found.where, methods


def broad_except(source: Source) -> Iterator[Finding]:
    if source.path.startswith(EDGE):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            named = ast.walk(node.type) if node.type else ()
            if not node.type or any(isinstance(n, ast.Name) and n.id in BROAD for n in named):
                yield source.path, 1


def words(name: str) -> set[str]:
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return set(re.split(r"[^a-z0-9]+", apart.lower()))


def banned_name(source: Source) -> Iterator[Finding]:
    names = [(source.path, source.path)]
    names += [(found.where, found.node.name) for found in source.definitions]
    for where, name in names:
        if any(word in BANNED_WORDS or VERSION_WORD.fullmatch(word) for word in words(name)):
            yield where, 1


def left_over_mark(source: Source) -> Iterator[Finding]:
    for _ in MARKS.finditer(source.text):
        yield source.path, 1


def undocumented(source: Source) -> Iterator[Finding]:
    if not ast.get_docstring(source.tree):
        yield source.path, 1
    for found in source.definitions:
        if found.is_public and not is_dunder(found.node.name) and not ast.get_docstring(found.node):
            yield found.where, 1


def unannotated(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        if found.is_public and node.returns is None:
            yield found.where, 1


def is_constant(node: ast.AST) -> bool:
    """Tell whether a piece of SQL is fixed: a literal, or a constant named like one."""
    if isinstance(node, ast.Name | ast.Attribute):
        return ast.unparse(node).split(".")[-1].isupper()
    if isinstance(node, ast.BinOp):
        return is_constant(node.left) and is_constant(node.right)
    if isinstance(node, ast.JoinedStr):
        return all(is_constant(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return is_constant(node.value)
    return isinstance(node, ast.Constant)


def is_built(node: ast.AST, assigned: Mapping[str, list[ast.AST]]) -> bool:
    """Tell whether `node` puts a text together from parts that vary."""
    if isinstance(node, ast.Name):
        return any(is_built(value, {}) for value in assigned.get(node.id, ()))
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in {"format", "join"}
    return isinstance(node, ast.JoinedStr | ast.BinOp) and not is_constant(node)


def assigned_in(function: ast.AST) -> dict[str, list[ast.AST]]:
    values: dict[str, list[ast.AST]] = {}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[target], value=value):
                values.setdefault(ast.unparse(target), []).append(value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                values.setdefault(ast.unparse(target), []).append(value)
            case ast.AugAssign(target=target, op=op, value=value):
                grown = ast.BinOp(target, op, value)
                values.setdefault(ast.unparse(target), []).append(grown)
    return values


def statements(function: ast.AST) -> Iterator[ast.AST]:
    """Yield what `function` gives to a database to execute."""
    for node in ast.walk(function):
        match node:
            case ast.Call(func=ast.Attribute(attr="execute" | "executemany"), args=[sql, *_]):
                yield sql


def built_sql(source: Source) -> Iterator[Finding]:
    for found, node in functions(source):
        assigned = assigned_in(node)
        for sql in statements(node):
            if is_built(sql, assigned):
                yield found.where, 1


def printing(source: Source) -> Iterator[Finding]:
    if source.path.startswith(PRINTERS):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            yield source.path, 1


EVERYWHERE: tuple[Rule, ...] = (
    too_long_file,
    too_long_function,
    too_complex,
    broad_except,
    banned_name,
    left_over_mark,
)
IN_THE_PACKAGE: tuple[Rule, ...] = (
    too_many_parameters,
    too_many_by_position,
    too_many_methods,
    undocumented,
    unannotated,
    built_sql,
    printing,
)


def python_files(*folders: str) -> list[Source]:
    return [
        Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def measure(rule: Rule) -> Counter[str]:
    folders = ("src", "tests", "examples") if rule in EVERYWHERE else ("src",)
    measured: Counter[str] = Counter()
    for source in python_files(*folders):
        for where, amount in rule(source):
            measured[where] += amount
    return measured


def judge(measured: Mapping[str, int], allowed: Mapping[str, int]) -> list[str]:
    """Return what is new, has grown, or is allowed without need."""
    problems = []
    for where in sorted({*measured, *allowed}):
        found, limit = measured.get(where, 0), allowed.get(where, 0)
        if found > limit:
            problems.append(f"{where} is {found}")
        elif found < limit:
            problems.append(f"ratchet.toml allows {limit} for {where}, which is {found}")
    return problems


def ratchet() -> list[dict[str, str | int]]:
    text = (ROOT / "tests/style/ratchet.toml").read_text(encoding="utf-8")
    return tomllib.loads(text).get("allowed", [])


@pytest.mark.parametrize("rule", EVERYWHERE + IN_THE_PACKAGE)
def test_the_project_keeps_the_rule(rule: Rule):
    allowed = {e["where"]: e["at_most"] for e in ratchet() if e["rule"] == rule.__name__}
    problems = judge(measure(rule), allowed)
    assert not problems, "\n".join(problems)


def test_the_ratchet_names_rules_and_reasons():
    names = {rule.__name__ for rule in EVERYWHERE + IN_THE_PACKAGE}
    for entry in ratchet():
        assert entry["rule"] in names
        assert entry["why"]


def test_a_new_a_grown_and_a_needless_exception_fail():
    assert judge({"a.py": 14}, {}) == ["a.py is 14"]
    assert judge({"a.py": 14}, {"a.py": 13}) == ["a.py is 14"]
    assert judge({"a.py": 14}, {"a.py": 15}) == ["ratchet.toml allows 15 for a.py, which is 14"]
    assert judge({}, {"a.py": 1}) == ["ratchet.toml allows 1 for a.py, which is 0"]
    assert judge({"a.py": 14}, {"a.py": 14}) == []


def lines_of(count: int, line: str = "x = 1") -> str:
    return f"{line}\n" * count


def in_function(body: str, head: str = "def f():") -> str:
    return head + "\n" + "".join(f"    {line}\n" for line in body.splitlines())


BROKEN = [
    (too_long_file, lines_of(401)),
    (too_long_function, in_function(lines_of(70))),
    (too_long_function, in_function('"""Say.\n\n    More.\n    """\n' + lines_of(70))),
    (too_long_function, "class A:\n" + in_function(in_function(lines_of(69)), "  def f():")),
    (too_complex, in_function("if a: b\n" * 12)),
    (too_complex, in_function("return a and b or c and d or e\n" * 3)),
    (too_complex, in_function("[x for x in y if x if z]\n" * 4)),
    (too_complex, in_function("try:\n    a\n" + "except B:\n    c\n" * 12)),
    (too_complex, in_function("match a:\n" + "".join(f"    case {n}: b\n" for n in range(12)))),
    (too_complex, in_function("def g():\n" + "    while a: b\n" * 6 + "for a in b: c\n" * 6)),
    (too_many_parameters, "def f(a, b, *, c, d, e, f, g, h): ..."),
    (too_many_parameters, "class A:\n    def f(self, a, b, *, c, d, e, f, g, h): ..."),
    (too_many_by_position, "def f(a, b, c, d): ..."),
    (too_many_by_position, "class A:\n    def f(self, a, b, c, *, d): ..."),
    (too_many_methods, "class A:\n" + "".join(f"    def f{n}(self): ...\n" for n in range(21))),
    (broad_except, "try:\n    a\nexcept Exception:\n    b"),
    (broad_except, "try:\n    a\nexcept (KeyError, BaseException) as e:\n    b"),
    (broad_except, "try:\n    a\nexcept:\n    b"),
    (banned_name, "class KeyManager: ..."),
    (banned_name, "def read_helper(): ..."),
    (banned_name, "def rank_v2(): ..."),
    (banned_name, "class HTTPService: ..."),
    (left_over_mark, "x = 1  # XX" + "X: two"),
    (undocumented, "x = 1"),
    (undocumented, '"""Module."""\ndef f(): ...'),
    (undocumented, '"""Module."""\nclass A: ...'),
    (undocumented, '"""Module."""\nclass A:\n    """A."""\n    def f(self): ...'),
    (unannotated, "def f(a: int): ..."),
    (unannotated, "class A:\n    def __enter__(self): ..."),
    (built_sql, "def f(c, t):\n    c.execute(f'delete from {t}')"),
    (built_sql, "def f(c, t):\n    c.execute('delete from %s' % t)"),
    (built_sql, "def f(c, t):\n    c.executemany('delete from ' + t, [])"),
    (built_sql, "def f(c, t):\n    c.execute('delete from {}'.format(t))"),
    (built_sql, "def f(c, t):\n    q = f'delete from {t}'\n    c.execute(q)"),
    (built_sql, "def f(c, t):\n    q = 'delete from '\n    q += t\n    c.execute(q)"),
    (printing, "print('here')"),
]


@pytest.mark.parametrize(("rule", "text"), BROKEN)
def test_a_broken_file_is_found(rule: Rule, text: str):
    assert list(rule(Source("src/lifelong/engine.py", text)))


SOUND = [
    (too_long_file, lines_of(400)),
    (too_long_function, in_function('"""Say.\n\n    More.\n    """\n' + lines_of(69))),
    (too_complex, in_function("if a: b\n" * 11)),
    (too_many_parameters, "class A:\n    def f(self, a, b, *, c, d, e, f, g): ..."),
    (
        too_many_by_position,
        "def f(a, b, c): ...\ndef g(a, b, *, c, d): ...\ndef _h(a, b, c, d): ...",
    ),
    (too_many_methods, "class A:\n" + "".join(f"    def f{n}(self): ...\n" for n in range(20))),
    (broad_except, "try:\n    a\nexcept (KeyError, OSError):\n    b"),
    (banned_name, "def help_text(): ...\nclass Managed: ...\ndef serve(): ...\ndef ipv4(): ..."),
    (left_over_mark, "x = 'to do'"),
    (undocumented, '"""M."""\ndef _f(): ...\nclass _A:\n    def f(self): ...'),
    (undocumented, '"""M."""\ndef f():\n    """Do."""\n    def g(): ...'),
    (unannotated, "def f() -> int: ...\ndef _g(): ..."),
    (built_sql, "def f(c):\n    c.execute('delete from a where b = ?', (1,))"),
    (built_sql, "def f(c):\n    c.execute(f'PRAGMA cache_size = {_CACHE_KIB}')"),
    (built_sql, "def f(c, q):\n    c.execute(q.delete_memory)"),
    (printing, "log.info('here')"),
]


@pytest.mark.parametrize(("rule", "text"), SOUND)
def test_a_sound_file_passes(rule: Rule, text: str):
    assert list(rule(Source("src/lifelong/engine.py", text))) == []


def test_each_rule_is_shown_both_a_broken_and_a_sound_file():
    rules = set(EVERYWHERE + IN_THE_PACKAGE)
    assert {rule for rule, _ in BROKEN} == rules
    assert {rule for rule, _ in SOUND} == rules


def test_the_edges_may_catch_all_and_print():
    text = "try:\n    a\nexcept Exception:\n    print(1)"
    edge = Source("src/lifelong/apps/cli.py", text)
    assert not [*broad_except(edge), *printing(edge)]


def test_a_file_is_named_after_what_it_does():
    assert list(banned_name(Source("src/lifelong/memory/utils.py", ""))) == [
        ("src/lifelong/memory/utils.py", 1)
    ]


HERE = re.compile(r"/wor[k]/|/roo[t]/|/tm[p]/[a-z]/|[.]{2}/share[d]/|[.]librar[y]")
"""Places of the machines this was written on; the brackets keep the pattern from finding itself."""

TEXT_SUFFIXES = {".py", ".md", ".toml", ".sql", ".lock", ".txt", ".json", ".jsonl", ""}
NOT_OURS = {".git", ".venv", ".tools", "dist", "build", ".hypothesis", "__pycache__"}


def own_files() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and path.suffix in TEXT_SUFFIXES and not NOT_OURS & {*parts}:
            yield path


def test_nothing_names_the_machine_it_was_written_on():
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in own_files()
        if "_cache" not in str(path)
        for match in HERE.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_place_on_the_machine_is_recognised():
    assert HERE.search("open('/wor" + "k/main/x')")
    assert not HERE.search("open('/home/ana/work')")


def test_the_lock_names_no_host_and_hashes_everything():
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9][^\n]*==", lock, re.MULTILINE)
    hashed = re.findall(r"^[a-z0-9][^\n]*==[^\n]*\\\n    --hash=sha256:", lock, re.MULTILINE)
    assert "://" not in lock
    assert pins
    assert len(pins) == len(hashed)


def test_the_lock_holds_what_pyproject_asks_for():
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = asked["project"]
    extras = project["optional-dependencies"]
    locked = set(re.findall(r"[\w-]+", re.search(r"\[(.+)\]", extras["all"][0]).group(1)))
    # What `all` leaves out is too large to be installed for every test.
    groups = [project["dependencies"], *(extras[name] for name in locked)]
    names = {
        re.match(r"[\w.-]+", requirement).group().lower()
        for group in [*groups, *asked["dependency-groups"].values()]
        for requirement in group
    }
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    missing = names - {project["name"]} - set(re.findall(r"^([\w.-]+)==", lock, re.MULTILINE))
    assert not missing, f"run make lock: {sorted(missing)}"
