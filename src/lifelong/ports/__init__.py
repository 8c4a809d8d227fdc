"""What lifelong needs from the outside: a store and a clock, each as a small contract.

`Store` holds all owners; `OwnerStore` reaches the data of one owner and has no way to another's.
"""

from __future__ import annotations

from lifelong.ports.chain import ChainStore
from lifelong.ports.files import FileStore
from lifelong.ports.forgetting import ForgettingStore
from lifelong.ports.log import LogStore
from lifelong.ports.memories import MemoryStore
from lifelong.ports.outside import Clock, Embedder
from lifelong.ports.review import ReviewStore
from lifelong.ports.store import OwnerStore, StateStore, Store, Upkeep
from lifelong.ports.vectors import VectorStore

__all__ = [
    "ChainStore",
    "Clock",
    "Embedder",
    "FileStore",
    "ForgettingStore",
    "LogStore",
    "MemoryStore",
    "OwnerStore",
    "ReviewStore",
    "StateStore",
    "Store",
    "Upkeep",
    "VectorStore",
]
