"""What a store does for memories that wait for a person, and for the origins they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from lifelong.records import Memory
from lifelong.rows import Decide, MemoryWrite, MessageRow, Verdict
from lifelong.writing import Conflict


class ReviewStore(Protocol):
    """The memories of one owner that wait for a person."""

    def held(self, memory_id: str | None = None) -> list[Memory]:
        """Return the memories that are held back, in the order of recording; or one of them."""
        ...

    def conflicts(self) -> list[Conflict]:
        """Return the pairs of live memories that contradict each other, oldest first."""
        ...

    def settle(self, older_id: str, newer_id: str, at: datetime) -> bool:
        """Note that both of a conflict hold; return whether there was one."""
        ...

    def release(
        self,
        memory_id: str,
        change: Callable[[Memory], MemoryWrite],
        *,
        decide: Decide,
        at: datetime,
    ) -> Verdict:
        """Make a held memory live, as `change` says, unless what stands decides otherwise.

        Raises:
            NotFound: no memory with this id is held.
        """
        ...

    def supersede(self, older_id: str, newer_id: str, at: datetime) -> None:
        """Let one memory replace another; both are there already.

        Raises:
            NotFound: the older is not live, or nothing live stands at the newer one's chain's end.
            SupersedeCycle: the older one replaced the newer one before.
        """
        ...

    def from_origin(self, channel: str | None, source: str | None) -> list[str]:
        """Return ids of all memories of this channel and source; None stands for any."""
        ...

    def hold(
        self, memory_ids: Sequence[str], why: str, *, at: datetime, is_dry_run: bool = False
    ) -> list[str]:
        """Hold memories back; return the ids of those that were not held before.

        In a dry run they are only told.
        """
        ...

    def add_confirmation(
        self, token_hash: bytes, memory_id: str, *, text_hash: bytes, expires_at: datetime
    ) -> None:
        """Keep what lets a person vouch for a memory, once."""
        ...

    def confirm(
        self, token_hash: bytes, hash_text: Callable[[str], bytes], at: datetime
    ) -> Memory | None:
        """Raise the trust of the memory that a token is for; the token works no more.

        Returns:
            The memory; None when there is no such token, when it is too late, or when the memory
            says something else by now.
        """
        ...

    def unscreened(self, version: str, rows_max: int) -> list[Memory]:
        """Return memories, the hidden ones too, that did not pass this version of the rules."""
        ...

    def rewrite(self, write: MemoryWrite, at: datetime) -> None:
        """Replace what a memory says, wherever it stands, its history too, by the text given.

        It is no change of the memory: what was taken out must be nowhere. What becomes the same as
        another live memory is replaced by that.
        """
        ...

    def rewrite_message(self, seq: int, row: MessageRow) -> None:
        """Replace what a message says, with all that is derived from it."""
        ...

    def screened_to(self, version: str) -> int:
        """Return up to which number the messages were screened with a version of the rules."""
        ...

    def note_screened(self, version: str, seq: int) -> None:
        """Note up to which number the messages were screened."""
        ...
