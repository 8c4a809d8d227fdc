"""The tools `recall` and `search_history`: what was kept and said, as text within a budget.

Recall itself has no filter for a session or for days. So a search that names them looks through
the best matches and shows those that fit; when there may be more, it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from lifelong.clock import SystemClock
from lifelong.memory.answer import Packing, source_name
from lifelong.memory.fence import fence, nonce_of
from lifelong.records import Found, Hit
from lifelong.tools.answers import cut
from lifelong.tools.remembering import day_of
from lifelong.tools.setting import Setting
from lifelong.working.tokens import estimate_tokens

LIMIT_DEFAULT = 8
LOOKED_THROUGH_MAX = 200
_LOOKED_THROUGH_TOKENS = 1_000_000


def recall(setting: Setting, query: str, limit: int = LIMIT_DEFAULT) -> dict[str, Any]:
    """Return what memories and log hold for a question.

    Raises:
        InputError: the question cannot be one.
    """
    found = setting.owner.recall(query, limit=limit, tokens_max=setting.tokens_max)
    told = _told(found.text, found.reasons)
    ids = _ids(found.hits)
    return {**told, "ids": ids} if ids else told


def search_history(
    setting: Setting,
    query: str,
    *,
    session: str | None = None,
    since: str | None = None,
    until: str | None = None,
    limit: int = LIMIT_DEFAULT,
) -> dict[str, Any]:
    """Return what was said, in one session or all, within days in UTC.

    Raises:
        Refused: a day cannot be one.
        InputError: the question cannot be one.
    """
    if session is since is until is None:
        found = _searched(setting, query, limit, setting.tokens_max)
        return _told(found.text, found.reasons)
    first = date.min if since is None else day_of(since, "since")
    last = date.max if until is None else day_of(until, "until")
    found = _searched(setting, query, LOOKED_THROUGH_MAX, _LOOKED_THROUGH_TOKENS)
    in_session = [hit for hit in found.hits if session is None or _is_of(hit, session)]
    fitting = [hit for hit in in_session if first <= hit.at.date() <= last]
    text = _packed(fitting, limit, setting.tokens_max)
    return _told(text, _reasons(found, len(fitting), limit))


def _reasons(found: Found, fitting: int, limit: int) -> Sequence[str]:
    """Return what there is to say of a search of which so many hits fit what was named."""
    if not found.hits:
        return found.reasons
    if len(found.hits) >= LOOKED_THROUGH_MAX and fitting < limit:
        return [f"only the {LOOKED_THROUGH_MAX} best matches were looked through"]
    return [] if fitting else ["what matches was said in other sessions or on other days"]


def _searched(setting: Setting, query: str, limit: int, tokens_max: int) -> Found:
    return setting.owner.recall(query, limit=limit, tokens_max=tokens_max, sources=["log"])


def _is_of(hit: Hit, session: str) -> bool:
    """Return whether a message is of the session with this id, whole or as it is shown."""
    shown = source_name(replace(hit, id="x")).removesuffix("/x")
    return session in (hit.session_id, shown)


def _packed(hits: Iterable[Hit], limit: int, tokens_max: int) -> str:
    marks = fence(nonce_of(SystemClock().new_id("fence")))
    packing = Packing(tokens_max, estimate_tokens, hits_max=limit, marks=marks)
    for hit in hits:
        packing.add(hit)
        if packing.is_full:
            break
    return packing.answer().text


def _ids(hits: Iterable[Hit]) -> dict[str, str]:
    """Return the full id of each memory by the name that the text gives it."""
    ids: dict[str, str] = {}
    for hit in hits:
        if hit.memory is not None:
            ids[hit.id if hit.name in ids else hit.name] = hit.id
    return ids


def _told(text: str, reasons: Sequence[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"ok": True, "text": text}
    if not text:
        told["nothing_relevant"] = True
    if reasons:
        told["note"] = cut("; ".join(reasons))
    return told
