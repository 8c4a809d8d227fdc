"""What is screened before anything is kept: secrets always redacted, unless that is switched off.

Findings are signals. A secret or personal datum is taken out of the text; a text that reads like an
instruction and came from outside is held back for a person, never dropped. What raises an error
here stops the write: nothing is kept that was not screened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lifelong.screening import injection, secrets
from lifelong.screening.injection import reads_like_instruction
from lifelong.screening.personal import find_personal
from lifelong.screening.redact import redact, redact_json
from lifelong.screening.secrets import find_secrets
from lifelong.writing import Finding

Finder = Callable[[str], Sequence[Finding]]
"""Finds spans of a text that may not be kept."""

_HASH_CHARACTERS = 12


@dataclass(frozen=True, slots=True)
class Screened:
    """A text as it may be kept.

    Attributes:
        text: with a mark in the place of what was found.
        findings: what was found, in the text as it was given.
        is_suspect: whether it reads like an instruction and came from outside.
    """

    text: str
    findings: tuple[Finding, ...] = ()
    is_suspect: bool = False


@dataclass(frozen=True, slots=True)
class Screening:
    """What is looked for in all that is to be kept.

    Attributes:
        secrets: keys, tokens and spoken passwords are redacted.
        injection: memories that read like instructions, and are not the user's own words, are
            held back.
        personal: kinds of personal data that are redacted (see `screening.personal`); none by
            default.
        region: of telephone numbers without a country, as "DE".
        finders: more functions that find what is to be redacted, such as
            `lifelong.providers.presidio.PresidioFinder`.
    """

    secrets: bool = True
    injection: bool = True
    personal: tuple[str, ...] = ()
    region: str | None = None
    finders: tuple[Finder, ...] = ()

    @property
    def version(self) -> str:
        """What tells one set of rules from another; `rescan` screens what passed another."""
        names = [getattr(finder, "name", type(finder).__name__) for finder in self.finders]
        parts = (
            secrets.RULES_VERSION if self.secrets else "",
            injection.RULES_VERSION if self.injection else "",
            *self.personal,
            self.region or "",
            *names,
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_HASH_CHARACTERS]

    def text(self, text: str, channel: str | None = None) -> Screened:
        """Return a text as it may be kept.

        Args:
            text: as it came.
            channel: by which it came; None for what is no memory.
        """
        found = self.find(text)
        kept = redact(text, found) if found else text
        signals: tuple[Finding, ...] = ()
        if self.injection and channel is not None:
            signals = reads_like_instruction(text, channel=channel)
        return Screened(kept, (*found, *signals), bool(signals))

    def value(self, value: Any) -> tuple[Any, tuple[Finding, ...]]:
        """Return a JSON value as it may be kept; the same object when nothing was found."""
        if not (self.secrets or self.personal or self.finders):
            return value, ()
        return redact_json(value, self.find)

    def find(self, text: str) -> tuple[Finding, ...]:
        """Return what is to be taken out of a text, in order, none reaching into another."""
        found: list[Finding] = list(find_secrets(text)) if self.secrets else []
        if self.personal:
            found += find_personal(text, kinds=self.personal, region=self.region)
        for finder in self.finders:
            found += finder(text)
        return _apart(found)


DEFAULT = Screening()


def _apart(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings in order; of those that overlap, one from the first to the last character."""
    apart: list[Finding] = []
    for one in sorted(findings, key=lambda one: (one.start, -one.end)):
        if apart and one.start < apart[-1].end:
            last = apart[-1]
            apart[-1] = Finding(last.kind, last.rule, last.start, max(last.end, one.end))
        else:
            apart.append(one)
    return tuple(apart)
