"""What each command on file memory does, decided from what stands: a change, or a named refusal.

Pure, so that a store can ask inside its transaction and no edit is lost. Every text is screened as
a whole: a secret that two edits bring in halves is found as well. Trust falls with each edit to
the least of those whose words are in the file, and rises again only when all of it is written anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from lifelong.errors import EditRefused, FileExists, FileMissing, FileQuotaFull, InvalidPath
from lifelong.file_edits import edited_reply, inserted, replaced
from lifelong.file_paths import ROOT, canonical_file, is_below, require_free
from lifelong.file_records import FileVersion
from lifelong.memory.deciding import Quota
from lifelong.records import Origin, Trust
from lifelong.rows import FileChange, FileTree, FileWrite
from lifelong.screening.policy import Screened

EDITED, WRITTEN, RESTORED, DELETED = "edited", "written", "restored", "deleted"


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and what holds for it.

    Attributes:
        origin: whose words they are.
        trust: of the origin and its parents.
        screen: returns a text as it may be kept.
        quota: how much there may be.
    """

    origin: Origin
    trust: Trust
    screen: Callable[[str], Screened]
    quota: Quota


def require_file(tree: FileTree, path: str) -> FileVersion:
    """Return the text of the file at a path.

    Raises:
        FileMissing: nothing is there.
        EditRefused: it is a directory.
    """
    if tree.file is not None:
        return tree.file.now
    if is_directory(tree, path):
        raise EditRefused(f"The path {path} is not a file.")
    raise missing(path)


def missing(path: str) -> FileMissing:
    """Return the refusal of a path where nothing is, as the reference tool says it."""
    return FileMissing(f"The path {path} does not exist. Please provide a valid path.")


def is_directory(tree: FileTree, path: str) -> bool:
    """Whether a path is a directory: the root, or one that has a file below it."""
    return path == ROOT or any(is_below(each, path) for each in tree.sizes)


def create(tree: FileTree, path: str, *, text: str, by: Writer) -> FileChange:
    """Make a file that is not there yet.

    Raises:
        FileError: one of its kinds.
    """
    if tree.file is not None or is_directory(tree, path):
        raise FileExists(f"File {path} already exists")
    return _written(tree, path, text=text, by=by, reply=f"File created successfully at: {path}")


def write(tree: FileTree, path: str, *, text: str, by: Writer) -> FileChange:
    """Give a file a text, whether it is there or not.

    Raises:
        FileError: one of its kinds.
    """
    if tree.file is None and is_directory(tree, path):
        raise EditRefused(f"The path {path} is not a file.")
    return _written(tree, path, text=text, by=by, reply=f"The file {path} has been written.")


def str_replace(tree: FileTree, path: str, *, old: str, new: str, by: Writer) -> FileChange:
    """Replace a text that stands in one place of a file.

    Raises:
        FileError: one of its kinds.
    """
    file = require_file(tree, path)
    text, line = replaced(path, file.text, old=old, new=new)
    change = _written(tree, path, text=text, by=by, mixes=file)
    kept = text if change.write is None else change.write.text
    return replace(change, reply=edited_reply(kept, line))


def insert(tree: FileTree, path: str, *, line: object, new: str, by: Writer) -> FileChange:
    """Put lines into a file, after a line.

    Raises:
        FileError: one of its kinds.
    """
    file = require_file(tree, path)
    text = inserted(file.text, line, new)
    reply = f"The file {path} has been edited."
    return _written(tree, path, text=text, by=by, mixes=file, reply=reply)


def restore(tree: FileTree, path: str, *, number: int, by: Writer) -> FileChange:
    """Give a file a text again that it had, with the trust that it had.

    Raises:
        FileError: one of its kinds.
    """
    old = tree.old
    if old is None:
        raise FileMissing(f"The path {path} has no version {number}.")
    if tree.file is None and is_directory(tree, path):
        raise EditRefused(f"The path {path} is not a file.")
    again = replace(by, origin=old.origin, trust=old.trust)
    reply = f"Version {number} of {path} has been restored."
    change = _written(tree, path, text=old.text, by=again, reply=reply, mixes=old)
    return replace(change, why=RESTORED)


def delete(tree: FileTree, path: str) -> FileChange:
    """Remove a file, or a directory with all that is in it.

    Raises:
        FileError: one of its kinds.
    """
    if path == ROOT:
        raise InvalidPath(f"Cannot delete the {ROOT} directory itself")
    gone = _at_or_below(tree, path)
    if not gone:
        raise FileMissing(f"The path {path} does not exist")
    return FileChange(f"Successfully deleted {path}", DELETED, remove=tuple(gone))


def rename(tree: FileTree, old: str, new: str) -> FileChange:
    """Give a file or directory another path.

    Raises:
        FileError: one of its kinds.
    """
    if old == ROOT:
        raise InvalidPath(f"Cannot rename the {ROOT} directory itself")
    if new in tree.sizes or is_directory(tree, new):
        raise FileExists(f"The destination {new} already exists")
    moving = _at_or_below(tree, old)
    if not moving:
        raise FileMissing(f"The path {old} does not exist")
    if is_below(new, old):
        raise InvalidPath(f"The destination {new} lies below {old} itself")
    move = {each: canonical_file(new + each[len(old) :]) for each in moving}
    require_free(new, tree.sizes.keys() - move.keys())
    reply = f"Successfully renamed {old} to {new}"
    return FileChange(reply, move=move)


def _at_or_below(tree: FileTree, path: str) -> list[str]:
    return [each for each in tree.sizes if each == path or is_below(each, path)]


def _written(
    tree: FileTree,
    path: str,
    *,
    text: str,
    by: Writer,
    reply: str = "",
    mixes: FileVersion | None = None,
) -> FileChange:
    """Return the change that gives a file a text, as it may be kept.

    Args:
        tree: what stands.
        path: of the file.
        text: as it came.
        by: who writes it.
        reply: to the caller.
        mixes: the text whose words are in it too.
    """
    if path not in tree.sizes:
        require_free(path, tree.sizes)
    _require_room(tree.sizes, path, text, by.quota)
    screened = by.screen(text)
    _require_room(tree.sizes, path, screened.text, by.quota)  # marks may be longer than secrets
    trust = Trust.UNTRUSTED if screened.is_suspect else by.trust
    origin, is_suspect = by.origin, screened.is_suspect
    if mixes is not None:
        parents = tuple(dict.fromkeys([*mixes.origin.parents, *origin.parents]))
        origin = replace(origin, parents=parents)
        trust = min(trust, mixes.trust)
        is_suspect = is_suspect or mixes.is_suspect
    why = WRITTEN if mixes is None else EDITED
    write = FileWrite(path, screened.text, origin, trust, is_suspect)
    return FileChange(reply, why, write)


def _require_room(sizes: Mapping[str, int], path: str, text: str, quota: Quota) -> None:
    """Refuse a text that makes a file, or all of them, too large; what gets smaller always fits."""
    before, size = sizes.get(path), len(text.encode())
    if before is None and len(sizes) >= quota.files_max:
        raise FileQuotaFull(f"There are {len(sizes)} files, the limit is {quota.files_max}.")
    if before is not None and size <= before:
        return
    if size > quota.file_bytes_max:
        raise FileQuotaFull(
            f"File {path} would have {size} bytes, the limit is {quota.file_bytes_max}."
        )
    total = sum(sizes.values()) - (before or 0) + size
    if total > quota.files_bytes_max:
        raise FileQuotaFull(
            f"All files would have {total} bytes, the limit is {quota.files_bytes_max}."
        )
