"""Whether a provider would accept a payload: each format's rules, and what breaks them.

This shares no code with parsing, rendering or trimming, so that it can judge them. It asks what the
history of messages alone can tell: not the request's settings, nor what a provider's server stores.
How to mend a payload is not told here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifelong.errors import InvalidValue, UnknownFormat
from lifelong.formats.validation import anthropic, chat, gemini, responses

__all__ = ["PROFILES", "problems"]

_VALIDATORS: dict[str, Callable[[Any, str], list[str]]] = {
    "anthropic": anthropic.problems,
    "chat": chat.problems,
    "gemini": gemini.problems,
    "responses": responses.problems,
}

PROFILES: dict[str, tuple[str, ...]] = {
    "anthropic": anthropic.PROFILES,
    "chat": chat.PROFILES,
    "gemini": gemini.PROFILES,
    "responses": responses.PROFILES,
}
"""The names of each format's profiles, which tell apart those that speak it; the first is meant
where none is named."""


def problems(payload: Any, format: str, profile: str | None = None) -> list[str]:
    """Return why a provider would refuse a payload: one sentence for each problem, with its place.

    Args:
        payload: what would be sent: the items, or for anthropic and gemini also a mapping with the
            system beside them. It is not changed, and it may be anything at all.
        format: one of `lifelong.FORMATS`.
        profile: one of the format's `PROFILES`; its first by default.

    Returns:
        The problems in order of their rules; empty when there is none.

    Raises:
        UnknownFormat: there is no such format.
        InvalidValue: the format has no such profile.
    """
    if format not in _VALIDATORS:
        raise UnknownFormat(f"{format!r} is not one of {', '.join(_VALIDATORS)}")
    known = PROFILES[format]
    if profile is not None and profile not in known:
        raise InvalidValue(f"{profile!r} is no profile of {format}: {', '.join(known)}")
    return _VALIDATORS[format](payload, profile or known[0])
