"""The handle of what is kept: rules of what is saved and for how long, and legal holds."""

from __future__ import annotations

import math

from lifelong.errors import InvalidValue, NotFound
from lifelong.forgetting import (
    EVERYTHING,
    FILES,
    KIND,
    NOTHING,
    OWNER,
    RECENT,
    SAVES,
    SESSION,
    LegalHold,
    RetentionRule,
)
from lifelong.memory.entry import clean_kind, clean_limit, clean_name, clean_text
from lifelong.ports import Clock, OwnerStore

NEWEST_DEFAULT = 50
DAYS_MAX = 36_500
REASON_MAX = 1_000

_SAVES_OF = {FILES: (EVERYTHING,), KIND: (EVERYTHING, NOTHING)}


class Retention:
    """What is saved of one owner, for how long, and what may not be forgotten for now."""

    def __init__(self, store: OwnerStore, clock: Clock) -> None:
        self._store = store.forgetting
        self._clock = clock

    def rules(self) -> list[RetentionRule]:
        """Return the rules; what none is about is saved, and kept for good."""
        return self._store.rules()

    def keep(
        self,
        saves: str = EVERYTHING,
        *,
        days: float | None = None,
        newest: int | None = None,
        session: str | None = None,
        kind: str | None = None,
        files: bool = False,
    ) -> RetentionRule:
        """Say what is saved, and for how long. It holds at once for what is written from now on.

        What is there already goes with the next sweep; memories of a kind that has a number of days
        are not shown any longer from now on.

        Args:
            saves: ``everything``; ``recent``, of which a sweep leaves the newest messages of each
                session; ``state`` (memories, named values and files, but no messages); ``nothing``.
            days: after so many days it goes; None for never.
            newest: how many messages stay in each session; 50 when nothing is said, and only
                with ``recent``.
            session: the rule is about this session alone, and goes before the owner's.
            kind: it is about memories of this kind: ``everything`` or ``nothing``, and days.
            files: it is about files: days without being read or written.

        Raises:
            InvalidValue: a word or number cannot be one, or they contradict each other.
        """
        rule = _rule(saves, days, newest=newest, named=_named(session, kind, is_files=files))
        self._store.set_rule(rule)
        return rule

    def drop(
        self, *, session: str | None = None, kind: str | None = None, files: bool = False
    ) -> bool:
        """Remove the rule of the owner, of a session, of a kind or of files; tell if there was one.

        Times of expiry that it gave to memories stay.
        """
        return self._store.remove_rule(*_named(session, kind, is_files=files))

    def hold(self, reason: str, *, session: str | None = None) -> LegalHold:
        """Keep all of the owner, or one session, from being forgotten until the hold is released.

        A session's hold covers its messages, and the memories made from them. Whoever forgets gets
        an error with this reason; sweeps leave out what is on hold.

        Raises:
            InvalidValue: the reason is over 1,000 characters.
        """
        text = clean_text(reason, "reason")
        if len(text) > REASON_MAX:
            raise InvalidValue(f"a reason of {len(text)} characters, over {REASON_MAX}")
        session_id = "" if session is None else clean_name(session, "session id")
        hold = LegalHold(self._clock.new_id("hold"), text, session_id, self._clock.now())
        self._store.place_hold(hold)
        return hold

    def holds(self) -> list[LegalHold]:
        """Return the holds that are in force, oldest first."""
        return self._store.holds()

    def release(self, hold_id: str) -> None:
        """End a hold.

        Raises:
            NotFound: there is none with this id.
        """
        if not self._store.end_hold(clean_name(hold_id, "hold id")):
            raise NotFound(f"hold {hold_id}")


def _named(session: str | None, kind: str | None, *, is_files: bool) -> tuple[str, str]:
    if (session is not None) + (kind is not None) + is_files > 1:
        raise InvalidValue("one rule is about one thing: a session, a kind or files")
    if session is not None:
        return SESSION, clean_name(session, "session id")
    if kind is not None:
        return KIND, clean_kind(kind)
    return (FILES if is_files else OWNER), ""


def _rule(
    saves: str, days: float | None, *, newest: int | None, named: tuple[str, str]
) -> RetentionRule:
    what = named[0]
    if saves not in _SAVES_OF.get(what, SAVES):
        raise InvalidValue(f"saves {saves!r} is none of {', '.join(_SAVES_OF.get(what, SAVES))}")
    if days is not None and not (_is_number(days) and 0 < days <= DAYS_MAX):
        raise InvalidValue(f"days {days!r} is no number over 0 and up to {DAYS_MAX}")
    if newest is not None and saves != RECENT:
        raise InvalidValue("newest goes with saves='recent' alone")
    if saves == RECENT:
        newest = NEWEST_DEFAULT if newest is None else clean_limit(newest, "newest")
    return RetentionRule(*named, saves, newest, None if days is None else float(days))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
