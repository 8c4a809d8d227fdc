"""What mending works with in every format: drafts of items, what was changed, and open calls.

A draft stands for one item on its way, and knows the place where it stood; the item itself is
copied only where something in it changes. What is wrong with an item is for the formats to say.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count, groupby
from operator import attrgetter
from typing import Any, Generic, TypeGuard, TypeVar

Item = Mapping[str, Any]

OPENING = "(The conversation starts here.)"
"""What the user says where a provider wants the user to speak first."""

CONTINUE = "Continue."
"""What the user says where a provider wants the user to speak last."""

NAMELESS = "unknown"
"""The name of a function that was called without one."""

UNFIT_NAME = "a name that functions cannot have, so other characters are _ and it is cut"
"""What is told of a call whose function has such a name."""

ADDED = -1
"""The index of an item that nobody gave."""
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_OUTSIDE_NAMES = re.compile(r"[^a-zA-Z0-9_-]")

_Call = TypeVar("_Call")


@dataclass(frozen=True)
class Mended:
    """Items that a provider accepts.

    Attributes:
        items: the provider's items, in order; those that needed no change are the given ones.
        system: what stands beside the items, as in `Rendered.system`.
        changes: one sentence for each change, led by its place in the given items.
    """

    items: list[dict[str, Any]]
    system: Any = None
    changes: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Piece:
    """A block or part of an item, what kind it is of, and where it stood.

    A place of None is the whole content. The kind is a word of the format, and never changes.
    """

    index: int
    place: int | None
    body: Any
    kind: str = ""


@dataclass(slots=True, eq=False)
class Draft:
    """An item on its way, as its role and the pieces of its content."""

    index: int
    given: Item
    role: str
    pieces: list[Piece]
    is_changed: bool = False

    def keep(self, pieces: list[Piece]) -> None:
        """Hold other pieces from now on; as many as before are the same ones."""
        if len(pieces) != len(self.pieces):
            self.pieces = pieces
            self.is_changed = True

    def replace(self, piece: Piece, body: Any) -> None:
        """Give one of the pieces another body, where it is another."""
        if body is not piece.body:
            piece.body = body
            self.is_changed = True

    def item(self, key: str) -> dict[str, Any]:
        """Return the item, with its pieces under a key where something has changed."""
        if self.is_changed:
            return {**self.given, "role": self.role, key: [piece.body for piece in self.pieces]}
        return as_dict(self.given)


@dataclass(slots=True, eq=False)
class Entry:
    """An item on its way that is handled as a whole, and what kind it is of."""

    index: int
    item: Item
    kind: str = ""


class Changes:
    """The sentences that tell what was changed, and where."""

    def __init__(self, key: str) -> None:
        """Start with none; `key` is where an item of the format holds its pieces."""
        self.sentences: list[str] = []
        self._key = key

    def tell(self, where: Draft | Entry | Piece | str, what: str) -> None:
        """Tell of one change at a place of the given items."""
        if not isinstance(where, str):
            place = where.place if isinstance(where, Piece) else None
            inside = "" if place is None else f".{self._key}[{place}]"
            where = f"items[{where.index}]{inside}"
        self.sentences.append(f"{where}: {what}.")


def added(role: str, body: Item) -> Draft:
    """Return the draft of an item that nobody gave."""
    return Draft(ADDED, {}, role, [Piece(ADDED, None, body, "text")], is_changed=True)


def grouped(drafts: Iterable[Draft]) -> list[list[Draft]]:
    """Return the runs of drafts of one role."""
    return [list(run) for _, run in groupby(drafts, key=attrgetter("role"))]


def without_empty(drafts: list[Draft], changes: Changes) -> list[Draft]:
    """Return the drafts that have pieces."""
    kept = [draft for draft in drafts if draft.pieces]
    if len(kept) < len(drafts):
        for draft in drafts:
            if not draft.pieces:
                changes.tell(draft, "nothing is left in it, so it was left out")
    return kept


def as_dict(item: Item) -> dict[str, Any]:
    """Return an item as a dict, which most are."""
    return item if isinstance(item, dict) else dict(item)


def is_mapping(value: Any) -> TypeGuard[Item]:
    """Return whether a value is a mapping."""
    return type(value) is dict or isinstance(value, Mapping)


def is_list(value: Any) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Return whether a value is what JSON writes as a list."""
    return isinstance(value, (list, tuple))


def is_blank(value: Any) -> bool:
    """Return whether a value is no text with a visible character."""
    return not isinstance(value, str) or not value or value.isspace()


def without(item: Item, key: str) -> dict[str, Any]:
    """Return an item without one of its keys."""
    return {name: held for name, held in item.items() if name != key}


def tag(role: Any) -> str:
    """Return a role as it may stand in a tag, and `note` for one that may not."""
    return role if isinstance(role, str) and _TAG.fullmatch(role) else "note"


def callable_name(name: str, longest: int) -> str:
    """Return a function's name as letters, digits, _ and -, of at most `longest` characters."""
    return _OUTSIDE_NAMES.sub("_", name)[:longest] or NAMELESS


def note(role: Any, text: str) -> str:
    """Return what the user says in place of a role that the provider does not take."""
    name = tag(role)
    return f"<{name}>\n{text}\n</{name}>"


@dataclass
class OpenCalls(Generic[_Call]):
    """Calls that wait for their results, by a key that both have.

    A key may come again in every turn: a result answers the oldest open call of the latest reply.
    """

    _open: dict[Hashable, list[tuple[int, deque[_Call]]]] = field(default_factory=dict)

    def add(self, key: Hashable, call: _Call, reply: int) -> None:
        """Let a call wait; `reply` is the number of the reply that it stands in."""
        replies = self._open.setdefault(key, [])
        if replies and replies[-1][0] == reply:
            replies[-1][1].append(call)
        else:
            replies.append((reply, deque([call])))

    def take(self, key: Hashable) -> _Call | None:
        """Return the call that a result answers, which waits no more; None for no such call."""
        replies = self._open.get(key)
        if not replies:
            return None
        calls = replies[-1][1]
        call = calls.popleft()
        if not calls:
            replies.pop()
        return call


class FreshIds:
    """Ids that no call has yet."""

    def __init__(self, used: Iterable[str], longest: int | None = None) -> None:
        """Start with the ids that are in use, and how many characters a new one may have."""
        self._used = {*used, ""}
        self._longest = longest
        self._numbers: dict[str, int] = {}

    def is_too_long(self, given: str) -> bool:
        """Return whether an id has more characters than a new one may have."""
        return self._longest is not None and len(given) > self._longest

    def like(self, given: str) -> str:
        """Return an id that begins like the given one, in use from now on."""
        longest = self._longest
        base = (given or "call")[:longest]
        if base not in self._used:
            self._used.add(base)
            return base
        for number in count(self._numbers.get(base, 2)):
            end = f"_{number}"
            made = base[: None if longest is None else longest - len(end)] + end
            if made not in self._used:
                break
        self._numbers[base] = number + 1
        self._used.add(made)
        return made
