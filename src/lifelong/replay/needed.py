"""Which rare tokens were needed next, and where they are in what would have been sent.

Identifiers, numbers, paths and names that the model or the user really wrote next, and that came
from earlier in the session: what a request no longer shows of them, the model would not have had.
No judge is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from lifelong.messages import ASSISTANT, Message, TextPart, ToolCallPart, ToolResultPart
from lifelong.replay.moments import Cut, is_asked
from lifelong.working.carried import argument_text
from lifelong.working.identifiers import QUOTE, Identifier, identifiers

AROUND_CHARACTERS = 160
"""How much of a text is shown around a token."""

_CUT = "\u2026"


@dataclass(frozen=True, slots=True)
class Need:
    """A rare token that was used next, and that had been said before.

    Attributes:
        token: letter for letter.
        position: of the message that said it last before its use.
        turn: of that message.
        used_at: the position of the message that uses it. When that is part of the request itself,
            a new message of the user, its own text does not count as showing it.
    """

    token: str
    position: int
    turn: int
    used_at: int


@dataclass(frozen=True, slots=True)
class _Said:
    position: int
    turn: int


class Needs:
    """What had been said in a session, and what of it is used next.

    Args:
        messages: of a case.
        used_by: whose uses count: ``assistant``, ``user`` or both.
    """

    def __init__(self, messages: Sequence[Message], used_by: Collection[str]) -> None:
        self._messages = messages
        self._used_by = used_by
        self._said: dict[str, _Said] = {}
        self._found: list[list[tuple[str, bool]]] = []
        self._turn = 0
        self._read = 0
        self._of_user: list[Need] = []

    def at(self, cut: Cut) -> list[Need]:
        """Return what was needed at a request, each token once for each message that uses it.

        Cuts come in their order. What the user said since the cut before comes first.
        """
        for position in range(self._read, cut.position):
            self._remember(position)
        self._read = max(self._read, cut.position)
        needs, self._of_user = self._of_user, []
        if ASSISTANT in self._used_by:
            needs += self._of_reply(cut)
        return needs

    def _remember(self, position: int) -> None:
        message = self._messages[position]
        tokens = [token for token, _ in self._tokens(position)]
        if is_asked(message):
            self._turn += 1
            if message.role in self._used_by:
                self._of_user += self._known(tokens, position)
        for token in tokens:
            self._said[token] = _Said(position, self._turn)

    def _of_reply(self, cut: Cut) -> list[Need]:
        needs: dict[str, Need] = {}
        for position in cut.replies:
            used = [token for token, is_used in self._tokens(position) if is_used]
            for need in self._known(used, position):
                needs.setdefault(need.token, need)
        return list(needs.values())

    def _known(self, tokens: Sequence[str], used_at: int) -> list[Need]:
        found = ((token, self._said.get(token)) for token in dict.fromkeys(tokens))
        return [
            Need(token, said.position, said.turn, used_at)
            for token, said in found
            if said is not None
        ]

    def _tokens(self, position: int) -> list[tuple[str, bool]]:
        """Return the rare tokens of a message, and whether each counts as used there."""
        while len(self._found) <= position:
            self._found.append(list(_rare(self._messages[len(self._found)])))
        return self._found[position]


def _rare(message: Message) -> Iterator[tuple[str, bool]]:
    for part in message.parts:
        for found in _identifiers(part):
            # A quoted string in an argument is code, and not the name of anything.
            is_code = isinstance(part, ToolCallPart) and found.kind == QUOTE
            yield found.text, isinstance(part, TextPart | ToolCallPart) and not is_code


def _identifiers(part: object) -> list[Identifier]:
    if isinstance(part, ToolCallPart):
        return identifiers(argument_text(part.arguments))
    text = getattr(part, "text", None)
    return identifiers(text) if isinstance(text, str) else []


def shown_text(message: Message) -> str:
    """Return what a message shows a model, but its reasoning."""
    texts: list[str] = []
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            texts.append(argument_text(part.arguments))
        elif isinstance(part, TextPart | ToolResultPart):
            texts.append(part.text)
    return "\n".join(texts)


def around(token: str, text: str) -> str:
    """Return a text around a token, in one line of about `AROUND_CHARACTERS`."""
    place = max(text.find(token), 0)
    beside = max(AROUND_CHARACTERS - len(token), 0) // 2
    start, stop = max(place - beside, 0), place + len(token) + beside
    line = " ".join(text[start:stop].split())
    return f"{_CUT if start else ''}{line}{_CUT if stop < len(text) else ''}"
