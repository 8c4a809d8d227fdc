"""What a tool answers when it does not do what it was asked: a code, and how to mend it.

A model reads these sentences, so each says what to do next; none repeats what was passed in at
length.
"""

from __future__ import annotations

from typing import Any

from lifelong.errors import InputError, NotFound

(
    UNKNOWN_TOOL,
    BAD_ARGUMENTS,
    EMPTY,
    TOO_LONG,
    SEVERAL_FACTS,
    MEMORY_FULL,
    HELD,
    REFUSED,
    NOT_FOUND,
    NOT_ALLOWED,
    STALE_VERSION,
) = ERRORS = (
    "unknown_tool",
    "bad_arguments",
    "empty",
    "too_long",
    "several_facts",
    "memory_full",
    "held",
    "refused",
    "not_found",
    "not_allowed",
    "stale_version",
)
"""Every code that a tool may answer with."""

SHOWN_MAX = 200
"""So many characters of a sentence that is not ours are shown."""


class Refused(Exception):
    """A tool does not do what it was asked.

    Args:
        error: one of `ERRORS`.
        mend: what the model is to do instead.
        more: what else the answer holds.
    """

    def __init__(self, error: str, mend: str, **more: Any) -> None:
        super().__init__(error, mend)
        self.error = error
        self.mend = mend
        self.more = more

    def answer(self) -> dict[str, Any]:
        """Return the answer of the tool."""
        return {"ok": False, "error": self.error, "mend": self.mend, **self.more}


def refusal_of(error: InputError | NotFound) -> Refused:
    """Return the refusal that an error of the library stands for."""
    if isinstance(error, NotFound):
        return Refused(NOT_FOUND, "There is nothing with this id. Use recall to see what there is.")
    return Refused(BAD_ARGUMENTS, cut(str(error)))


def cut(text: str) -> str:
    """Return the beginning of a sentence."""
    return text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…"
