"""The embedded store: SQLite, one encrypted file for each owner, no server."""

from lifelong.stores.sqlite.directory import open_directory
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.store import SqliteStore, open_in_memory

__all__ = ["KeySource", "SqliteStore", "open_directory", "open_in_memory"]
