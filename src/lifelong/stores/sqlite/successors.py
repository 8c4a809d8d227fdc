"""Which file takes the place of an owner's file, noted in the catalogue before it counts."""

from __future__ import annotations

from lifelong.stores.sqlite.access import OwnerFile
from lifelong.stores.sqlite.directory import DirectoryFiles
from lifelong.stores.sqlite.marker import remove_database
from lifelong.stores.sqlite.queries import queries

_SQL = queries("catalogue")


def note_successor(
    files: DirectoryFiles, owner_id: str, *, file: OwnerFile, successor: OwnerFile
) -> None:
    """Note which file will take the place of one, as soon as that says so itself."""
    names = [each.path.name for each in (file, successor) if each.path]
    row = (owner_id, *names, successor.key, successor.seal)
    with files.catalogue.write() as connection:
        connection.execute(_SQL["set_successor"], row)


def give_up_successor(files: DirectoryFiles, owner_id: str, old: str) -> None:
    """Take back what was noted; the successor is left to the removal of leftovers."""
    with files.catalogue.write() as connection:
        connection.execute(_SQL["remove_successor"], (owner_id, old))


def replace_damaged(
    files: DirectoryFiles, owner_id: str, *, damaged: OwnerFile, file: OwnerFile
) -> bool:
    """Put a file in the place of one that does not open; False when that is not there now."""
    if damaged.path is None or file.path is None:
        return False
    row = (file.path.name, file.key, file.seal, owner_id, damaged.path.name)
    with files.catalogue.write() as connection:
        connection.execute(_SQL["replace"], row)
        is_replaced = connection.changes() == 1
    if is_replaced:
        remove_database(damaged.path)
    return is_replaced
