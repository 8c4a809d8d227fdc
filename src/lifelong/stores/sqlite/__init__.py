"""The embedded store: SQLite, one encrypted file for each owner, no server."""

from lifelong.stores.sqlite.directory import open_directory, open_files
from lifelong.stores.sqlite.in_memory import open_in_memory
from lifelong.stores.sqlite.keeping import DirectoryKeeping
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.store import SqliteStore

__all__ = [
    "DirectoryKeeping",
    "KeySource",
    "SqliteStore",
    "open_directory",
    "open_files",
    "open_in_memory",
]
