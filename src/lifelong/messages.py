"""Messages and their parts: pure values, the same for every provider.

A message is one item by one role. What a provider sent stays in `raw`, untouched, so that a
message rendered into the format it came from is the item that came in. Identity, order and
storage are not this file's concern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

USER = "user"
ASSISTANT = "assistant"
TOOL = "tool"
SYSTEM = "system"
DEVELOPER = "developer"
ROLES = (SYSTEM, DEVELOPER, USER, ASSISTANT, TOOL)
"""The roles that lifelong knows. Another role is kept as it is, and trusted like a document."""

INJECTED = "injected"
"""The role of what a tool put into a transcript by itself: caveats, summaries, compactions.
It is no role of a provider, so it is trusted like a document."""

Raw = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text that somebody said."""

    text: str
    raw: Raw | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReasoningPart:
    """A model's reasoning: kept for the provider, neither searched nor shown as said."""

    text: str
    raw: Raw | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolCallPart:
    """A model's call of a tool.

    `arguments` is what the provider gave: a mapping, or the text of a JSON object.
    """

    id: str
    name: str
    arguments: Any
    raw: Raw | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ToolResultPart:
    """What a tool answered to the call `call_id`."""

    call_id: str
    text: str
    is_error: bool = False
    raw: Raw | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AttachmentPart:
    """An image, sound or file. `caption` is what can be said of it in words, or empty."""

    media_type: str
    caption: str = ""
    raw: Raw | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OpaquePart:
    """A part of a kind that lifelong does not know: kept and given back as it is."""

    kind: str
    raw: Raw | None = field(default=None, compare=False, repr=False)


Part = TextPart | ReasoningPart | ToolCallPart | ToolResultPart | AttachmentPart | OpaquePart


@dataclass(frozen=True, slots=True)
class Message:
    """One item by one role.

    Attributes:
        role: one of `ROLES`, or a provider's own word.
        parts: what it is made of, in order.
        id: the caller's or provider's id; a message appended twice under one id is stored once.
        speaker: the name of who speaks, where the role is not enough.
        sent_at: when it was said; aware.
        format: the format that `raw` is in; None for a message made in code.
        raw: the provider's item as it came, or None.
    """

    role: str
    parts: tuple[Part, ...]
    id: str | None = None
    speaker: str | None = None
    sent_at: datetime | None = None
    format: str | None = None
    raw: Raw | None = field(default=None, compare=False, repr=False)

    @property
    def text(self) -> str:
        """The text parts, joined by line ends."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))

    @staticmethod
    def of(role: str, text: str, **fields: Any) -> Message:
        """Return a message of one text part."""
        return Message(role, (TextPart(text),), **fields)
