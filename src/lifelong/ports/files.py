"""What a store does for file memory: rows by path, read and changed in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from lifelong.file_records import FileInfo, FileVersion
from lifelong.rows import DecideFile, FileChange, FileTree, StoredFile, VersionLimits


class FileStore(Protocol):
    """The files of one owner. Every path is canonical; see `lifelong.file_paths`."""

    def tree(self, path: str, version: int | None = None) -> FileTree:
        """Return what a command on a path is decided from; with a version of that path."""
        ...

    def change(
        self,
        path: str,
        decide: DecideFile,
        *,
        at: datetime,
        limits: VersionLimits,
        version: int | None = None,
    ) -> FileChange:
        """Read, decide and write in one transaction; what `decide` raises changes nothing."""
        ...

    def note_read(self, path: str, at: datetime) -> None:
        """Note that a file was read; nothing happens when it is gone."""
        ...

    def infos(self) -> list[FileInfo]:
        """Return every file without its text, by path."""
        ...

    def versions(self, path: str) -> list[FileVersion]:
        """Return the texts that a path has and had, the oldest first."""
        ...

    def everything(self) -> tuple[list[StoredFile], list[FileVersion]]:
        """Return every file, by path, and every text that ended, the oldest first."""
        ...

    def put_back(
        self, files: Sequence[StoredFile], versions: Sequence[FileVersion], *, at: datetime
    ) -> int:
        """Add what is not there, numbered anew; return how many files got a text.

        A file that stands and is not older stays as it is, and so does one whose name another
        file's could be taken for. Paths that are not canonical are left out. Trust, quota and
        tombstones are the caller's business.
        """
        ...

    def texts(self) -> Iterator[tuple[str, str]]:
        """Return the path and text of every file and of every version, one by one."""
        ...

    def unread_since(self, moment: datetime) -> list[str]:
        """Return the paths of files that were neither read nor written since."""
        ...

    def made_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return the paths of files that have, or had, any of these among their parents."""
        ...
