"""What `verify` answers: whether anything was changed behind the engine. A frozen value."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lifelong.errors import InvalidValue

PROBLEMS_MAX = 100

_HEAD = re.compile(r"(\d{1,18}):[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What the chain of an owner says of the log, the memories and all else that it is about.

    Attributes:
        head: how far the chain goes, and what it comes to: to be noted elsewhere, and to be passed
            to a later `verify`, which then also finds that the whole file was put back.
        entries: of the chain.
        is_keyed: whether the chain is made with a key. Without encryption there is none to hold
            back: then it tells of mistakes, not of malice.
        problems: one sentence each, the first `PROBLEMS_MAX`; they name rows, and no content.
    """

    head: str
    entries: int
    is_keyed: bool
    problems: tuple[str, ...] = ()

    @property
    def is_intact(self) -> bool:
        """Whether nothing was changed behind the engine."""
        return not self.problems


def entries_of(head: str) -> int:
    """Return how many entries a chain had when its head was noted.

    Raises:
        InvalidValue: it is no head.
    """
    match = _HEAD.fullmatch(head) if isinstance(head, str) else None
    if match is None:
        raise InvalidValue("a head is a number, a colon and 32 hexadecimal digits")
    return int(match[1])
