"""Arguments: what a model passed, parsed and checked once, or refused with the reason.

A model passes whatever it likes: text that is no JSON, numbers as text, arguments that there are
not. Each is a refusal that names the argument. What a value means is left to the tool.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats.strict_json import loads
from lifelong.memory.fence import inline
from lifelong.tools.answers import BAD_ARGUMENTS, Refused
from lifelong.tools.definitions import INTEGER, STRING, TEXTS, Definition, Parameter

ARGUMENTS_CHARACTERS_MAX = 200_000

_TYPE_NAMES = {STRING: "text", INTEGER: "a whole number", TEXTS: "a list of texts"}


def checked(tool: Definition, given: object) -> dict[str, Any]:
    """Return the arguments of a call; those that are left out, or null, are not in it.

    Args:
        tool: that is called.
        given: a mapping, or the text of a JSON object.

    Raises:
        Refused: they are not what the tool takes.
    """
    arguments = _parsed(given)
    known = {each.name: each for each in tool.parameters}
    _require_known(tool, arguments, known)
    there = {name: value for name, value in arguments.items() if value is not None}
    for each in tool.parameters:
        if each.is_required and each.name not in there:
            raise Refused(BAD_ARGUMENTS, f"{tool.name} needs {each.name}.")
    return {name: _value(known[name], value) for name, value in there.items()}


def _require_known(tool: Definition, given: Iterable[object], known: Collection[str]) -> None:
    unknown = [name for name in given if name not in known]
    if unknown:
        shown = ", ".join(sorted(inline(str(name)) for name in unknown[:3]))
        takes = ", ".join(known) or "no arguments"
        raise Refused(BAD_ARGUMENTS, f"{tool.name} has no argument {shown}; it takes {takes}.")


def _parsed(given: object) -> Mapping[Any, Any]:
    if isinstance(given, str):
        if len(given) > ARGUMENTS_CHARACTERS_MAX:
            raise Refused(
                BAD_ARGUMENTS,
                f"The arguments have {len(given)} characters, the most is "
                f"{ARGUMENTS_CHARACTERS_MAX}.",
            )
        try:
            given = loads(given, "arguments") if given.strip() else {}
        except FormatError:
            raise Refused(BAD_ARGUMENTS, "The arguments are no valid JSON object.") from None
    if not isinstance(given, Mapping):
        raise Refused(BAD_ARGUMENTS, "The arguments are no JSON object.")
    return given


def _value(parameter: Parameter, value: object) -> Any:
    """Return a value of the parameter's type."""
    match parameter.type, value:
        case "string", str():
            if not parameter.choices or value in parameter.choices:
                return value
            words = ", ".join(parameter.choices)
            raise Refused(BAD_ARGUMENTS, f"{parameter.name} is one of: {words}.")
        case "integer", int() | float() if not isinstance(value, bool) and value == value // 1:
            return int(_bounded(parameter, value, value))
        case "texts", list() | tuple() if all(isinstance(each, str) for each in value):
            return tuple(_bounded(parameter, value, len(value)))
    raise Refused(BAD_ARGUMENTS, f"{parameter.name} has to be {_TYPE_NAMES[parameter.type]}.")


def _bounded(parameter: Parameter, value: Any, size: float) -> Any:
    least, most = parameter.least, parameter.most
    if (least is not None and size < least) or (most is not None and size > most):
        what = "entries" if parameter.type == TEXTS else "number"
        if most is None:
            raise Refused(BAD_ARGUMENTS, f"{parameter.name} has to be at least {least}.")
        span = f"{least or 0} to {most}"
        raise Refused(BAD_ARGUMENTS, f"{parameter.name}: the {what} has to be {span}.")
    return value
