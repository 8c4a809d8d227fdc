"""Mend what was rendered, so that a provider accepts it: the last step before a request is sent.

What a log holds may be refused for small reasons: an empty text, a system message in the middle, an
id that comes twice, thinking without its signature. Each is mended where it stands, and told of.
What to keep of a long conversation was decided before, and so was which results are missing. The
rules are written down a second time in `lifelong.formats.validation`, which judges what is made
here and shares no code with it. A new format is one module and one line in the table here.
"""

from __future__ import annotations

from collections.abc import Callable

from lifelong.errors import InvalidValue, UnknownFormat
from lifelong.formats.mending import anthropic, chat, gemini, responses
from lifelong.formats.mending.drafts import Mended
from lifelong.formats.rendered import Rendered

__all__ = ["PROFILES", "Mended", "mend"]

_MENDERS: dict[str, Callable[[Rendered, str], Mended]] = {
    "anthropic": anthropic.mended,
    "chat": chat.mended,
    "gemini": gemini.mended,
    "responses": responses.mended,
}

PROFILES: dict[str, tuple[str, ...]] = {
    "anthropic": anthropic.PROFILES,
    "chat": chat.PROFILES,
    "gemini": gemini.PROFILES,
    "responses": responses.PROFILES,
}
"""The names of each format's profiles; the first is meant where none is named."""


def mend(rendered: Rendered, format: str, profile: str | None = None) -> Mended:
    """Return rendered items as a provider accepts them.

    An item that needs no change is the very one that was given, and nothing that was given is
    changed. What was mended once needs no mending again. Calls are expected to have their results;
    one that has none is left out, and so is a result without its call. Where nothing is given, or
    nothing is left, the items are an empty list: what to say then is for the caller to decide.

    Args:
        rendered: items of the format, which may hold anything that JSON can.
        format: one of `lifelong.FORMATS`.
        profile: one of the format's `PROFILES`; its first by default.

    Raises:
        UnknownFormat: there is no such format.
        InvalidValue: the format has no such profile.
    """
    if format not in _MENDERS:
        raise UnknownFormat(f"{format!r} is not one of {', '.join(_MENDERS)}")
    known = PROFILES[format]
    if profile is not None and profile not in known:
        raise InvalidValue(f"{profile!r} is no profile of {format}: {', '.join(known)}")
    return _MENDERS[format](rendered, profile or known[0])
