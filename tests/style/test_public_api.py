"""The public face: sorted, documented, and frozen in public_api.txt.

Run as a script (`make api`), this file writes public_api.txt again.
"""

import __future__

import ast
import enum
import inspect
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

FROZEN = Path(__file__).with_name("public_api.txt")


def face() -> types.ModuleType:
    """Import it late: while it is broken, this file's other tests shall still be collected."""
    import lifelong

    return lifelong


class Bare(str):
    """The text of an annotation, shown without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def bare(annotation: object) -> object:
    return Bare(annotation) if isinstance(annotation, str) else annotation


def signature(function: object) -> str:
    """Return the signature as it is written, whatever Python shows it."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return "(…)"
    shown = [each.replace(annotation=bare(each.annotation)) for each in found.parameters.values()]
    return str(found.replace(parameters=shown, return_annotation=bare(found.return_annotation)))


def describe(name: str, value: object) -> Iterator[str]:
    if isinstance(value, type):
        yield from describe_class(name, value)
    elif isinstance(value, types.ModuleType):
        yield f"module {name}"
        for short, part in own_parts(value):
            yield from describe(f"{name}.{short}", part)
    elif callable(value):
        yield f"def {name}{signature(value)}"
    else:
        yield f"{name} = {value!r}"


def describe_class(name: str, cls: type) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    yield f"class {name}({bases})"
    if issubclass(cls, enum.Enum):
        yield from (f"    {each.name} = {each.value!r}" for each in cls)
    elif not issubclass(cls, BaseException) or "__init__" in vars(cls):
        yield f"    {signature(cls)}"
    for member, value in sorted(own_members(cls).items()):
        if isinstance(value, property):
            yield f"    {member}: {bare(value.fget.__annotations__.get('return'))}"
        elif callable(value):
            yield f"    def {member}{signature(value)}"


def own_parts(module: types.ModuleType) -> list[tuple[str, object]]:
    """Return the public classes and functions that `module` itself defines."""
    return sorted(
        (name, value)
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (isinstance(value, type) or inspect.isfunction(value))
        and value.__module__ == module.__name__
    )


def own_members(cls: type) -> dict[str, object]:
    """Return what our own classes define; what Python's bases bring differs by version."""
    members: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("lifelong"):
            members |= {name: getattr(base, name) for name in vars(base) if name[0] != "_"}
    return {name: value for name, value in members.items() if not isinstance(value, enum.Enum)}


def render() -> str:
    module = face()
    lines = [line for name in module.__all__ for line in describe(name, getattr(module, name))]
    return "\n".join(lines) + "\n"


def constants_classes_others(name: str) -> tuple[bool, bool, str]:
    """Order names as ruff does."""
    return not name.isupper(), not name[0].isupper(), name


def test_all_is_sorted_and_holds_each_name_once():
    names = face().__all__
    assert list(names) == sorted(set(names), key=constants_classes_others)


def test_all_is_every_public_name_of_the_module():
    module = face()
    for name in module.__all__:
        getattr(module, name)  # names are loaded when they are first used
    public = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and not isinstance(value, __future__._Feature)
        # A submodule shows up here once somebody imported it: it is public only when listed.
        and not (isinstance(value, types.ModuleType) and name not in module.__all__)
    }
    assert public == {name for name in module.__all__ if name != "__version__"}


def test_a_type_checker_sees_the_names_that_are_loaded():
    module = face()
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert seen == module._HOME_OF
    assert {*seen, "errors"} == set(module.__all__)


def is_documented(name: str, value: object) -> bool:
    """Tell whether somebody wrote a docstring: a dataclass makes one up, others inherit theirs."""
    if isinstance(value, type):
        written = vars(value).get("__doc__")
        return bool(written) and not written.startswith(f"{name}(")
    if isinstance(value, types.ModuleType) or callable(value):
        return bool(value.__doc__)
    return True  # a constant has none of its own


def test_every_public_name_is_documented():
    module = face()
    assert [n for n in module.__all__ if not is_documented(n, getattr(module, n))] == []


def test_the_signatures_are_those_that_were_frozen():
    assert render() == FROZEN.read_text(encoding="utf-8"), "if this is meant, run: make api"


class Undocumented:
    pass


class Sample:
    """A class as the face has them."""

    def __init__(self, name: "str", *, size: "int | None" = None) -> None:
        self.name, self.size = name, size

    def known(self, limit: "int" = 5) -> "list[str]":
        return [self.name] * limit


def test_a_signature_is_written_without_quotes():
    assert signature(Sample.known) == "(self, limit: int = 5) -> list[str]"
    assert list(describe("Sample", Sample)) == [
        "class Sample()",
        "    (name: str, *, size: int | None = None) -> None",
    ]


def test_a_missing_docstring_is_noticed():
    assert is_documented("Sample", Sample)
    assert not is_documented("Undocumented", Undocumented)
    assert not is_documented("f", lambda: None)


@pytest.mark.parametrize(("value", "line"), [(("a", "b"), "X = ('a', 'b')"), (3, "X = 3")])
def test_a_constant_is_described_by_its_value(value: object, line: str):
    assert list(describe("X", value)) == [line]


if __name__ == "__main__":
    FROZEN.write_text(render(), encoding="utf-8")
