"""What a format makes of messages: the items for the provider, and what they could not carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from lifelong.messages import (
    AttachmentPart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)


@dataclass(frozen=True)
class Rendered:
    """Messages in a provider's format.

    Attributes:
        items: the provider's items, in order; they share no list or mapping with the messages.
        system: what stands beside the items: Anthropic's top-level system, text or a list of
            blocks, or Gemini's system instruction, or None. Always None for chat and responses,
            where system messages stand among the items.
        dropped: one sentence for each thing that the format cannot carry. Marks that only steer
            one provider (its usage numbers, cache marks and item ids) are no such thing.
    """

    items: list[dict[str, Any]]
    system: Any = None
    dropped: tuple[str, ...] = ()


def name_of(part: Part) -> str:
    """Return what to call a part in a sentence of `Rendered.dropped`; it never quotes content."""
    match part:
        case TextPart():
            return "text"
        case ReasoningPart():
            return "reasoning"
        case ToolCallPart():
            return f"the call {part.id!r}"
        case ToolResultPart():
            return f"the result of call {part.call_id!r}"
        case AttachmentPart():
            return f"an attachment of type {part.media_type!r}"
        case OpaquePart():
            return f"a part of type {part.kind!r}"
        case _:
            assert_never(part)
