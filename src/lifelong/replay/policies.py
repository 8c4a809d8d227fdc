"""Policies by name: what a replay compares.

A name stands for a policy of ours, for what programs do without us, for policies that a small TOML
file composes, or for an object of the caller's own module.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from lifelong.errors import InvalidValue
from lifelong.replay.foreign import Met, words_of
from lifelong.replay.written import values_in
from lifelong.working.clear import ClearReasoning, ClearToolResults
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.plan import Policy
from lifelong.working.summary import Summariser
from lifelong.working.trim import ShrinkResults, TrimTurns

PIPELINE, NONE, SLICE = "pipeline", "none", "slice"
"""The kinds: policies of ours; all that was said, whatever its size; the last items of the list, as
many programs do it."""

STEPS: dict[str, type[Any]] = {
    "clear": ClearToolResults,
    "clear_reasoning": ClearReasoning,
    "compact": Compact,
    "shrink": ShrinkResults,
    "trim": TrimTurns,
}
"""What the steps of a TOML file are called; each takes the fields of its policy."""

_LAST = re.compile(r"last-([1-9][0-9]{0,5})")
_NOT_IN_A_FILE = ("segments", "summariser")
_IN_A_FILE = ("steps", "summarise_before")


@dataclass(frozen=True)
class NamedPolicy:
    """What is done so that a request fits, under a name.

    Attributes:
        name: as it was asked for, and as reports show it.
        kind: ``pipeline``, ``none`` or ``slice``.
        policies: of a pipeline, in order; empty for the default of the format.
        slice_items: of a slice, how many items at the end are sent.
        summariser: of a pipeline that compacts before the edge; None for one that does not.
    """

    name: str
    kind: str = PIPELINE
    policies: tuple[Policy, ...] = ()
    slice_items: int = 0
    summariser: Summariser | None = None


_CLEAR = (ClearReasoning(), ClearToolResults())
_TRIM = (TrimTurns(), ShrinkResults())
_BUILT_IN = (
    NamedPolicy("none", NONE),
    NamedPolicy("trim", policies=_TRIM),
    NamedPolicy("clear", policies=_CLEAR),
    NamedPolicy("clear+trim", policies=(*_CLEAR, *_TRIM)),
    NamedPolicy(
        "clear+compact", policies=(*_CLEAR, *_TRIM, Compact()), summariser=extractive_summary
    ),
    NamedPolicy("default"),
)
_BY_NAME = {policy.name: policy for policy in _BUILT_IN}
NAMES = (*_BY_NAME, "last-N")
"""The names that are built in; ``last-10`` and the like send the last items, cut anywhere."""


def named_policies(asked: Sequence[str]) -> tuple[NamedPolicy, ...]:
    """Return the policies that are asked for, in order.

    Args:
        asked: each a name of `NAMES`, the path of a TOML file that composes some, or
            ``module:object``, which is a policy, a sequence of them, or a `NamedPolicy`. A module
            is also looked for in the current directory.

    Raises:
        InvalidValue: there is no such policy, or a file or module does not give any.
        OSError: a file cannot be read.
    """
    found: list[NamedPolicy] = []
    for text in asked:
        found += _named(text.strip())
    names = [policy.name for policy in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidValue(f"the policy {twice!r} is asked for twice")
    return tuple(found)


def _named(text: str) -> Sequence[NamedPolicy]:
    last = _LAST.fullmatch(text)
    if last is not None:
        return [NamedPolicy(text, SLICE, slice_items=int(last[1]))]
    if text in _BY_NAME:
        return [_BY_NAME[text]]
    if text.endswith(".toml"):
        return read_policies(Path(text))
    if ":" in text:
        return [_imported(text)]
    raise InvalidValue(
        f"there is no policy {text!r}; there are {', '.join(NAMES)}, a TOML file, or module:object"
    )


def read_policies(path: Path) -> tuple[NamedPolicy, ...]:
    """Return the policies that a TOML file composes, in its order.

    ``[policy.NAME]`` has ``steps``: each a name of `STEPS`, or a table from such a name to the
    fields of the policy; and ``summarise_before`` says whether old parts are also summed up before
    the edge, as `Session.compact` does.

    Raises:
        InvalidValue: a name or a field is not known, or has a value that the policy refuses.
        OSError: the file cannot be read.
    """
    given = values_in(path)
    try:
        return tuple(_composed(given))
    except InvalidValue as error:
        raise InvalidValue(f"{path.name}: {error.detail}") from error


def _composed(given: Mapping[str, Any]) -> Iterator[NamedPolicy]:
    tables = given.get("policy")
    if set(given) - {"policy"} or not isinstance(tables, Mapping) or not tables:
        raise InvalidValue("it has tables [policy.NAME] and nothing else")
    for name, table in tables.items():
        _require_name(name)
        if not isinstance(table, Mapping) or not isinstance(table.get("steps"), list):
            raise InvalidValue(f"[policy.{name}] has no list of steps")
        unknown = sorted(set(table) - set(_IN_A_FILE))
        if unknown:
            raise InvalidValue(
                f"[policy.{name}] has {unknown[0]!r}; known: steps, summarise_before"
            )
        before = table.get("summarise_before", False)
        if not isinstance(before, bool):
            raise InvalidValue(f"[policy.{name}] summarise_before is {before!r}: true or false")
        steps = tuple(_step(step, f"[policy.{name}]") for step in table["steps"])
        summariser = extractive_summary if before else None
        yield NamedPolicy(name, policies=steps, summariser=summariser)


def _step(given: Any, where: str) -> Policy:
    table = {given: {}} if isinstance(given, str) else given
    if not isinstance(table, Mapping) or len(table) != 1:
        raise InvalidValue(f"{where} a step is a name, or one name with its fields")
    ((name, values),) = table.items()
    if name not in STEPS:
        raise InvalidValue(f"{where} there is no step {name!r}; there are {', '.join(STEPS)}")
    known = _fields_of(STEPS[name])
    if not isinstance(values, Mapping) or set(values) - set(known):
        raise InvalidValue(f"{where} {name} takes {', '.join(known) or 'no field'}")
    _require_shapes(STEPS[name], values, f"{where} {name}")
    # A policy is compared with another, and so its lists are tuples.
    held = {key: tuple(v) if isinstance(v, list) else v for key, v in values.items()}
    try:
        made: Policy = STEPS[name](**held)
    except InvalidValue as error:
        raise InvalidValue(f"{where} {name}: {error.detail}") from error
    return made


def _require_shapes(kind: type[Any], values: Mapping[str, Any], where: str) -> None:
    shapes = {field.name: field.type for field in fields(kind)}
    for name, value in values.items():
        told, fits = _SHAPES[shapes[name]]
        if not fits(value):
            raise InvalidValue(f"{where}.{name} is {value!r}, and must be {told}")


def _require_name(name: object) -> None:
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InvalidValue(f"a policy is named {name!r}: give it a name of one line")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


_SHAPES: dict[Any, tuple[str, Callable[[object], bool]]] = {
    "int": ("a whole number", _is_whole),
    "int | None": ("a whole number", _is_whole),
    "float": ("a number", _is_number),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "str": ("a text", lambda value: isinstance(value, str)),
    "Collection[str]": ("a list of names", _are_names),
}
"""What a file may say for a field of a policy, by the type of the field."""


def _fields_of(kind: type[Any]) -> list[str]:
    """Return the fields of a policy that a file can say."""
    held = fields(kind) if is_dataclass(kind) else ()
    return [field.name for field in held if field.name not in _NOT_IN_A_FILE]


def _imported(text: str) -> NamedPolicy:
    """Return what an object of a module stands for.

    The module is the caller's own code, so it may raise anything.
    """
    module, _, name = text.partition(":")
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` has it; a process of the replay gets the same
    held: Any = None
    with (met := Met()):
        held = import_module(module)
        for part in name.split("."):
            held = getattr(held, part)
    if met.error is not None:
        raise InvalidValue(f"{text} cannot be imported: {words_of(met.error)}") from met.error
    return _as_policy(held, text)


def _as_policy(held: Any, text: str) -> NamedPolicy:
    if isinstance(held, NamedPolicy):
        _require_name(held.name)
        if not isinstance(held.policies, Sequence) or not all(map(callable, held.policies)):
            raise InvalidValue(f"{text} has policies that are no list of policies")
        return held
    if callable(held) and not isinstance(held, type):
        return NamedPolicy(text, policies=(held,))
    is_list = isinstance(held, Sequence) and not isinstance(held, str)
    if is_list and held and all(callable(each) for each in held):
        return NamedPolicy(text, policies=tuple(held))
    raise InvalidValue(f"{text} is {type(held).__name__}, and no policy or list of policies")
