"""The handle of an owner's file memory: the six commands of the memory tool, and what people need.

What a command does is decided in `file_commands`, inside the store's transaction; here input is
cleaned, screened and handed over. Nothing but `mirror` touches a file of this machine.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from os import PathLike
from typing import Any

from lifelong import file_commands as commands
from lifelong.errors import EditRefused, InvalidPath, NotFound, StoreError
from lifelong.file_edits import view_directory, view_text
from lifelong.file_mirror import mirror
from lifelong.file_paths import ROOT, canonical, canonical_file, shown
from lifelong.file_records import FileInfo, FileVersion, Mirrored
from lifelong.formats.storable import storable
from lifelong.memory.entry import clean_origin
from lifelong.memory.remember import Rules
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Origin, Trust, trust_of_channel
from lifelong.rows import DecideFile, FileTree, VersionLimits
from lifelong.screening.policy import Screened

READ_NOTED_AFTER = timedelta(hours=1)
"""A read that follows another within it is not noted, so that most reads write nothing."""


class Files:
    """The files of one owner, below ``/memories``.

    `view`, `create`, `str_replace`, `insert`, `delete` and `rename` are the commands of the memory
    tool: each returns the reply for the model, or raises a `FileError` whose `reply` is that. They
    are the assistant's words unless `origin` says otherwise; what `write` writes is the user's.
    """

    def __init__(self, store: OwnerStore, clock: Clock, rules: Rules) -> None:
        self._store = store
        self._clock = clock
        self._rules = rules

    def view(self, path: str, view_range: list[int] | tuple[int, int] | None = None) -> str:
        """Show a file with line numbers, or what lies in a directory, two levels deep.

        Args:
            path: of a file or directory.
            view_range: the first and the last line of a file; -1 for its end.

        Raises:
            FileError: one of its kinds.
        """
        path = canonical(path)
        tree = self._store.files.tree(path)
        if tree.file is None and commands.is_directory(tree, path):
            return view_directory(path, tree.sizes)
        if tree.file is None:
            raise commands.missing(path)
        shown_text = view_text(path, tree.file.now.text, view_range)
        self._note_read(tree, path)
        return shown_text

    def create(self, path: str, file_text: str, *, origin: Origin | str = "assistant") -> str:
        """Make a file that is not there yet; its directories come with it.

        Raises:
            FileError: one of its kinds; `FileExists` when it is there.
            NotFound: a parent of the origin is not there.
        """
        path, text, by = self._new_name(path), _text(file_text, "file_text"), self._by(origin)
        return self._change(path, lambda tree: commands.create(tree, path, text=text, by=by))

    def str_replace(
        self, path: str, old_str: str, *, new_str: str = "", origin: Origin | str = "assistant"
    ) -> str:
        """Replace a text that stands in exactly one place; without a new one it is taken out.

        Raises:
            FileError: one of its kinds.
            NotFound: a parent of the origin is not there.
        """
        path, by = canonical(path), self._by(origin)
        old, new = _text(old_str, "old_str"), _text("" if new_str is None else new_str, "new_str")
        return self._change(
            path, lambda tree: commands.str_replace(tree, path, old=old, new=new, by=by)
        )

    def insert(
        self, path: str, insert_line: int, *, insert_text: str, origin: Origin | str = "assistant"
    ) -> str:
        """Put lines after the line with this number; 0 is before the first.

        Raises:
            FileError: one of its kinds.
            NotFound: a parent of the origin is not there.
        """
        path, by, new = canonical(path), self._by(origin), _text(insert_text, "insert_text")
        return self._change(
            path, lambda tree: commands.insert(tree, path, line=insert_line, new=new, by=by)
        )

    def delete(self, path: str) -> str:
        """Remove a file, or a directory with all that is in it; `restore` brings it back.

        Their texts stay as versions until they are forgotten, or until newer ones need the room.

        Raises:
            FileError: one of its kinds.
        """
        path = canonical(path)
        return self._change(ROOT, lambda tree: commands.delete(tree, path))

    def rename(self, old_path: str, new_path: str) -> str:
        """Give a file or a directory another path; versions go with it.

        Raises:
            FileError: one of its kinds.
        """
        old, new = canonical(old_path), self._new_name(new_path, may_be_root=True)
        return self._change(ROOT, lambda tree: commands.rename(tree, old, new))

    def read(self, path: str) -> str:
        """Return the text of a file, to the letter.

        Raises:
            FileError: one of its kinds.
        """
        path = canonical(path)
        tree = self._store.files.tree(path)
        text = commands.require_file(tree, path).text
        self._note_read(tree, path)
        return text

    def write(self, path: str, text: str, *, origin: Origin | str = "user") -> FileInfo:
        """Give a file a text, whether it is there or not; what was there becomes a version.

        Raises:
            FileError: one of its kinds.
            NotFound: a parent of the origin is not there.
        """
        path, kept, by = self._new_name(path), _text(text, "text"), self._by(origin)
        self._change(path, lambda tree: commands.write(tree, path, text=kept, by=by))
        for info in self._store.files.infos():
            if info.path == path:
                return info
        raise commands.missing(path)  # somebody took it away meanwhile

    def versions(self, path: str) -> list[FileVersion]:
        """Return the texts that a file has and had, the oldest first; also of one that is gone.

        Raises:
            InvalidPath: it is no path of a file.
        """
        return self._store.files.versions(canonical_file(path))

    def restore(self, path: str, version: int) -> str:
        """Give a file a text again that it had; also to one that was deleted.

        Args:
            path: of the file.
            version: its number, from `versions`.

        Raises:
            FileError: one of its kinds.
        """
        path, number = canonical_file(path), _number(version)
        by = self._by("user")
        return self._change(
            path, lambda tree: commands.restore(tree, path, number=number, by=by), version=number
        )

    def mirror(self, directory: str | PathLike[str]) -> Mirrored:
        """Write every file into a directory of this machine, as ``memories/…``, and nothing back.

        The directory is made, or is empty, or was mirrored into before. What stands there
        differently is put right, and what was mirrored and is no more is removed.

        Raises:
            MirrorError: it is another directory, or cannot be written.
        """
        files, _ = self._store.files.everything()
        texts = {file.now.path: file.now.text for file in files}
        return mirror(directory, texts, lambda: self._clock.new_id("tmp"))

    def list(self) -> tuple[FileInfo, ...]:
        """Return every file, by path, without its text."""
        return tuple(self._store.files.infos())

    def _change(self, path: str, decide: DecideFile, *, version: int | None = None) -> str:
        """Have the store do what is decided; return the reply.

        Args:
            path: of the file whose text is needed for it; `ROOT` for none.
            decide: says what is done.
            version: the number of an older text that is needed.
        """
        files, quota = self._store.files, self._rules.quota
        # Once before, so that a text is screened while no other writer waits.
        decide(files.tree(path, version))
        limits = VersionLimits(bytes_max=quota.files_bytes_max)
        now = self._clock.now()
        return files.change(path, decide, at=now, limits=limits, version=version).reply

    def _by(self, origin: Origin | str) -> commands.Writer:
        """Return who writes, with all that holds for it."""
        screening = self._rules.screening
        given = clean_origin(origin)
        given = Origin(given.channel, screening.text(given.source).text, given.parents)
        seen: dict[str, Screened] = {}

        def screen(text: str) -> Screened:
            if text not in seen:
                seen[text] = screening.text(text, given.channel)
            return seen[text]

        return commands.Writer(given, self._trust(given), screen, self._rules.quota)

    def _trust(self, origin: Origin) -> Trust:
        trust = trust_of_channel(origin.channel)
        if not origin.parents:
            return trust
        found = self._store.memories.parent_trust(origin.parents)
        for parent in origin.parents:
            if parent not in found:
                raise NotFound(f"parent {parent}")
        return Trust(min(trust, *found.values()))

    def _new_name(self, path: str, *, may_be_root: bool = False) -> str:
        """Return the path that a file is to get; it must not tell a secret."""
        whole = canonical(path) if may_be_root else canonical_file(path)
        found = self._rules.screening.text(whole)
        if found.findings:
            raise InvalidPath(f"Path {shown(found.text)} reads like a secret: use another name")
        return whole

    def _note_read(self, tree: FileTree, path: str) -> None:
        now = self._clock.now()
        if tree.file is not None and now - tree.file.read_at >= READ_NOTED_AFTER:
            with suppress(StoreError):  # what was read is shown all the same, on a full disk too
                self._store.files.note_read(path, now)


def _text(text: Any, what: str) -> str:
    """Return a text as every store can hold it."""
    if not isinstance(text, str):
        raise EditRefused(f"{what} is {type(text).__name__}, not text.")
    return str(storable(text)[0])


def _number(version: object) -> int:
    if not isinstance(version, int) or isinstance(version, bool) or not 0 < version < 1 << 62:
        raise EditRefused("A version is a whole number that `versions` shows.")
    return version
