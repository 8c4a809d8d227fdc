"""The tools of one agent: what a provider is told of them, and what runs when a model calls one.

Nothing that a model passes raises an error: each call has an answer, and a refusal says how to mend
it. What is wrong with the store itself does raise, since no model can mend that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any

from lifelong.errors import InputError, InvalidValue, NotFound
from lifelong.formats.storable import storable
from lifelong.formats.strict_json import dumps
from lifelong.memory.entry import clean_limit, clean_namespace
from lifelong.memory.fence import inline
from lifelong.owner import Owner
from lifelong.records import Trust
from lifelong.session import Session
from lifelong.tools.answers import (
    NOT_ALLOWED,
    REFUSED,
    STALE_VERSION,
    TOO_LONG,
    UNKNOWN_TOOL,
    Refused,
    refusal_of,
)
from lifelong.tools.arguments import checked
from lifelong.tools.definitions import Definition, definitions, specs
from lifelong.tools.remembering import remember
from lifelong.tools.searching import recall, search_history
from lifelong.tools.setting import Setting

MEMORIES_MAX_DEFAULT = 20
TOKENS_MAX_DEFAULT = 1_000
STATE_CHARACTERS_MAX_DEFAULT = 8_000
STATE_NAME = "tools.state"
"""The name under which the notes stand among the owner's named values."""

Answer = dict[str, Any]
"""What a tool answers: ``ok``, and what belongs to it; JSON values alone."""

_NOTING = Lock()
"""Reading the version and writing the notes are one step for all threads of a process."""


class Tools:
    """The tools of one agent, with the memory of one owner; see `toolset`.

    Each method is a tool, and answers with a mapping of JSON values whose ``ok`` says whether it
    was done. It never raises for what was passed in.

    Raises:
        StoreError: the store could not do it; no model can mend that.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._tools = {
            tool.name: tool
            for tool in definitions(
                memories_max=setting.memories_max,
                state_characters_max=setting.state_characters_max,
                may_forget_user_memories=setting.may_forget_user_memories,
            )
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools."""
        return tuple(self._tools)

    def specs(self, format: str = "chat") -> list[dict[str, Any]]:
        """Return what a provider's `tools` parameter takes.

        Args:
            format: one of `lifelong.FORMATS`.

        Raises:
            UnknownFormat: there is no such format.
        """
        return specs(tuple(self._tools.values()), format)

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> str:
        """Return what a tool answers a model, as JSON text.

        Args:
            name: of the tool.
            arguments: as the provider gave them: a mapping, or the text of a JSON object.
        """
        return dumps(storable(self._answer(name, arguments))[0], "answer")

    def remember(
        self,
        text: str,
        kind: str | None = None,
        *,
        importance: int | None = None,
        expires_on: str | None = None,
        replaces: Sequence[str] | None = None,
    ) -> Answer:
        """Keep one lasting fact of at most 180 characters for later conversations.

        Args:
            text: one fact, clear by itself.
            kind: preference, constraint, fact, event, procedure or note (the default).
            importance: 1 to 10; 5 by default.
            expires_on: the last day it matters, YYYY-MM-DD.
            replaces: ids of memories of one's own that this one corrects or merges.
        """
        given = {"text": text, "kind": kind, "importance": importance, "expires_on": expires_on}
        return self._answer("remember", {**given, "replaces": replaces})

    def recall(self, query: str, limit: int | None = None) -> Answer:
        """Look up memories and past messages.

        Args:
            query: in plain words.
            limit: so many at most, 1 to 20.
        """
        return self._answer("recall", {"query": query, "limit": limit})

    def search_history(
        self,
        query: str,
        session: str | None = None,
        *,
        since: str | None = None,
        until: str | None = None,
        limit: int | None = None,
    ) -> Answer:
        """Look up what was said, in this and in earlier conversations.

        Args:
            query: in plain words.
            session: the id of the only one to look in.
            since: the first day, YYYY-MM-DD.
            until: the last day, YYYY-MM-DD.
            limit: so many at most, 1 to 20.
        """
        given = {"query": query, "session": session, "since": since, "until": until}
        return self._answer("search_history", {**given, "limit": limit})

    def forget(self, id: str) -> Answer:
        """Delete one memory for good, with what was made from it.

        Args:
            id: the full id of the memory.
        """
        return self._answer("forget", {"id": id})

    def get_state(self) -> Answer:
        """Read the notes on the work in hand, and their version."""
        return self._answer("get_state", {})

    def set_state(self, state: str, version: int) -> Answer:
        """Write the notes anew, unless another wrote since they were read.

        Args:
            state: the whole text.
            version: as it was read.
        """
        return self._answer("set_state", {"state": state, "version": version})

    def _answer(self, name: object, arguments: object) -> Answer:
        try:
            tool = self._tool(name)
            return _ACTIONS[tool.name](self._setting, **checked(tool, arguments))
        except Refused as refused:
            return refused.answer()
        except (InputError, NotFound) as error:
            return refusal_of(error).answer()

    def _tool(self, name: object) -> Definition:
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            shown, known = inline(str(name)), ", ".join(self._tools)
            raise Refused(UNKNOWN_TOOL, f"There is no tool {shown}; there are: {known}.")
        return tool


def toolset(
    owner: Owner,
    session: Session | None = None,
    *,
    namespace: Iterable[str] = (),
    memories_max: int = MEMORIES_MAX_DEFAULT,
    tokens_max: int = TOKENS_MAX_DEFAULT,
    state_characters_max: int = STATE_CHARACTERS_MAX_DEFAULT,
    may_forget_user_memories: bool = False,
) -> Tools:
    """Return the tools that a model may be given to work on an owner's memory by itself.

    Args:
        owner: whose memory it is.
        session: the owner's conversation that the model is in: what the model stores is known to
            come from it, and to be copied when it is.
        namespace: of the memories that the model stores.
        memories_max: how many of those may be live at once; others in the namespace do not count.
        tokens_max: of the text of one answer of `recall` or `search_history`.
        state_characters_max: of the notes that `set_state` keeps.
        may_forget_user_memories: let the model forget what the user said, too.

    Raises:
        InputError: a limit is no whole number of at least 1, or the namespace cannot be one.
    """
    limits = {
        "memories_max": memories_max,
        "tokens_max": tokens_max,
        "state_characters_max": state_characters_max,
    }
    for name, limit in limits.items():
        if not clean_limit(limit, name):
            raise InvalidValue(f"{name} {limit!r} is no whole number of at least 1")
    return Tools(
        Setting(
            owner=owner,
            session=session,
            namespace=clean_namespace(namespace),
            may_forget_user_memories=may_forget_user_memories,
            **limits,
        )
    )


def _forget(setting: Setting, id: str) -> Answer:
    """Forget one memory, unless something that the user vouches for goes with it."""
    most = Trust.USER if setting.may_forget_user_memories else Trust.MODEL
    memory = setting.within_reach(id, most)
    owner = setting.owner
    for made in owner.review.revoke(id=memory.id, dry_run=True).memories:
        if made != memory.id and _trust_of(owner, made) > most:
            raise Refused(
                NOT_ALLOWED,
                "A memory that the user vouches for was made from it, and would go too. Tell the "
                "user, who can forget it.",
            )
    receipt = owner.forget(memory.id)
    return {"ok": True, "forgotten": receipt.counts.get("memory", 0)}


def _trust_of(owner: Owner, memory_id: str) -> Trust:
    try:
        return owner.memory(memory_id, include_superseded=True).trust
    except NotFound:
        return Trust.UNTRUSTED  # it has expired, so no read shows it any more


def _get_state(setting: Setting) -> Answer:
    state, version = _kept(setting.owner)
    return {"ok": True, "state": state, "version": version}


def _set_state(setting: Setting, state: str, version: int) -> Answer:
    most = setting.state_characters_max
    if len(state) > most:
        raise Refused(
            TOO_LONG,
            f"The notes have {len(state)} characters, the most is {most}. Leave out what is done.",
            characters=len(state),
            characters_max=most,
        )
    with _NOTING:
        kept, current = _kept(setting.owner)
        if version != current:
            raise Refused(
                STALE_VERSION,
                f"The notes are at version {current}. Merge yours into them, and write with it.",
                state=kept,
                version=current,
            )
        setting.owner.set(STATE_NAME, {"version": current + 1, "state": state})
        written, _ = _kept(setting.owner)
    told: Answer = {"ok": True, "version": current + 1}
    if written == storable(state)[0]:
        return told
    return {**told, "state": written, "note": "What is secret was taken out of the notes."}


def _kept(owner: Owner) -> tuple[str, int]:
    """Return the notes and their version."""
    match owner.get(STATE_NAME):
        case None:
            return "", 0
        case {"state": str() as state, "version": int() as version}:
            return state, version
    raise Refused(REFUSED, "Another program keeps something else here. Go on without notes.")


_ACTIONS: dict[str, Callable[..., Answer]] = {
    "remember": remember,
    "recall": recall,
    "search_history": search_history,
    "forget": _forget,
    "get_state": _get_state,
    "set_state": _set_state,
}
