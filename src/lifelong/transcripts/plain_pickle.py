"""Pickles of other tools, read as data: a pickle is a program, and none of it is run.

The steps of a pickle are followed by hand. What builds plain values is done; an object becomes its
fields; every other step ends the reading. Nothing is imported, called or sized by what a pickle
claims, so a made-up one can do no more than be refused.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

from lifelong.errors import FormatError

STEPS_MAX = 200_000
"""Steps of one pickle; a memory with a vector of some thousand numbers has some thousand."""

_MARK = object()
_REFUSED = "it does what no plain pickle does"


class Object:
    """An object of theirs: its fields, once they were told.

    Attributes:
        fields: as they were pickled; {} before that.
    """

    def __init__(self) -> None:
        self.fields: Mapping[Any, Any] = {}


def unpickled(data: bytes) -> Any:
    """Return the value that a pickle describes; each object in it is an `Object`.

    Raises:
        FormatError: it is damaged, or does more than describe plain values.
    """
    machine = _Machine()
    try:
        for opcode, argument, _ in islice(pickletools.genops(data), STEPS_MAX):
            if opcode.name == "STOP":
                return machine.stack.pop()
            machine.do(opcode.name, argument)
    except FormatError:
        raise
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise FormatError("its pickle is damaged") from error
    raise FormatError(f"its pickle has more than {STEPS_MAX} steps")


class _Machine:
    """A stack of values, and what was noted of them."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def do(self, name: str, argument: Any) -> None:
        """Take one step.

        Raises:
            FormatError: it is none that builds a plain value.
        """
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _MADE:
            self.stack.append(_MADE[name]())
        elif name in _PUT:
            self._memo[len(self._memo) if name == "MEMOIZE" else int(argument)] = self.stack[-1]
        elif name in _GOT:
            self.stack.append(self._memo[int(argument)])
        elif name in _STEPS:
            _STEPS[name](self)
        elif name not in _WITHOUT_EFFECT:
            raise FormatError(_REFUSED)

    def since_mark(self) -> list[Any]:
        """Take off and return what was put on the stack since the last mark."""
        at = len(self.stack) - 1
        while self.stack[at] is not _MARK:
            at -= 1
            if at < 0:
                raise FormatError("its pickle is damaged")
        values = self.stack[at + 1 :]
        del self.stack[at:]
        return values

    def last(self, count: int) -> list[Any]:
        """Take off and return the last `count` values.

        Raises:
            FormatError: there are fewer.
        """
        if len(self.stack) < count:
            raise FormatError("its pickle is damaged")
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    def drop(self) -> None:
        """Take off the last value."""
        self.last(1)

    def set_pairs(self, values: list[Any]) -> None:
        """Put names and values, one after another, into the mapping below them."""
        target = self.stack[-1]
        if not isinstance(target, dict):
            raise FormatError(_REFUSED)
        target.update(zip(values[::2], values[1::2], strict=True))

    def extend(self, values: list[Any]) -> None:
        """Put values into the list or set below them."""
        target = self.stack[-1]
        if isinstance(target, list):
            target.extend(values)
        elif isinstance(target, set):
            target.update(values)
        else:
            raise FormatError(_REFUSED)

    def replace(self, count: int) -> None:
        """Put an object in the place of its class and what it was to be made from."""
        self.last(count)
        self.stack.append(Object())

    def build(self) -> None:
        """Give the object below its fields."""
        (state,) = self.last(1)
        target = self.stack[-1]
        if not isinstance(target, Object):
            raise FormatError(_REFUSED)
        target.fields = state if isinstance(state, dict) else {}


_PUSHED = frozenset(
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING "
    "UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8".split()
)
_MADE: Mapping[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
    "EMPTY_SET": set,
    "EMPTY_TUPLE": tuple,
    "MARK": lambda: _MARK,
    "GLOBAL": Object,
}
_PUT = frozenset(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"))
_GOT = frozenset(("GET", "BINGET", "LONG_BINGET"))
_WITHOUT_EFFECT = frozenset(("PROTO", "FRAME"))
_STEPS: Mapping[str, Callable[[_Machine], None]] = {
    "POP": lambda machine: machine.drop(),
    "APPEND": lambda machine: machine.extend(machine.last(1)),
    "APPENDS": lambda machine: machine.extend(machine.since_mark()),
    "ADDITEMS": lambda machine: machine.extend(machine.since_mark()),
    "SETITEM": lambda machine: machine.set_pairs(machine.last(2)),
    "SETITEMS": lambda machine: machine.set_pairs(machine.since_mark()),
    "TUPLE": lambda machine: machine.stack.append(tuple(machine.since_mark())),
    "TUPLE1": lambda machine: machine.stack.append(tuple(machine.last(1))),
    "TUPLE2": lambda machine: machine.stack.append(tuple(machine.last(2))),
    "TUPLE3": lambda machine: machine.stack.append(tuple(machine.last(3))),
    "LIST": lambda machine: machine.stack.append(machine.since_mark()),
    "STACK_GLOBAL": lambda machine: machine.replace(2),
    "NEWOBJ": lambda machine: machine.replace(2),
    "REDUCE": lambda machine: machine.replace(2),
    "BUILD": lambda machine: machine.build(),
}
