"""The setting of a toolset: whose memory the tools work on, and how far they may go."""

from __future__ import annotations

from dataclasses import dataclass

from lifelong.errors import NotFound
from lifelong.owner import Owner
from lifelong.records import Memory, Namespace, Trust
from lifelong.session import Session
from lifelong.tools.answers import NOT_ALLOWED, Refused

SOURCE = "tool:remember"
"""The source of every memory that the tool stores; `review.revoke(source=…)` holds all back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the tools of one agent share.

    Attributes:
        owner: whose memory it is.
        session: the conversation that the model is in, or None.
        namespace: of the memories that it stores.
        memories_max: how many of them may be live at once.
        tokens_max: of the text of one answer of `recall` or `search_history`.
        state_characters_max: of the notes.
        may_forget_user_memories: whether it may forget what the user said.
    """

    owner: Owner
    session: Session | None
    namespace: Namespace
    memories_max: int
    tokens_max: int
    state_characters_max: int
    may_forget_user_memories: bool

    def own(self) -> list[Memory]:
        """Return the live memories that the tool stored in its namespace, oldest first.

        One that a person vouched for since is the user's own.
        """
        # What a revocation would hold is told by the database, which need not read all memories.
        ids = self.owner.review.revoke(source=SOURCE, dry_run=True).memories
        return [
            memory for memory in map(self._live, ids) if memory is not None and self._is_own(memory)
        ]

    def _is_own(self, memory: Memory) -> bool:
        is_by_tool = memory.origin.source == SOURCE and memory.trust <= Trust.MODEL
        return is_by_tool and memory.namespace == self.namespace

    def _live(self, memory_id: str) -> Memory | None:
        try:
            return self.owner.memory(memory_id)
        except NotFound:
            return None

    def within_reach(self, memory_id: str, most: Trust) -> Memory:
        """Return a live memory that a model may change.

        Raises:
            NotFound: it is not there, not live, or another owner's.
            Refused: it is to be relied on more than `most`.
        """
        if not memory_id.startswith("mem_"):
            raise NotFound(memory_id)
        memory = self.owner.memory(memory_id)
        if memory.trust > most:
            raise Refused(
                NOT_ALLOWED,
                "The user vouches for this memory, so a model may not change it. "
                "Tell the user, who can.",
            )
        return memory
