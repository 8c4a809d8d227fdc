"""The stores that are compared: what each needs, how it is used here, and what runs it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifelong.errors import InvalidValue
from lifelong.memory.weights import MEAN, TOKENS, WORDS

_LOADS_EXTENSIONS = 'pysqlite3-binary==0.5.4.post2; sys_platform == "linux"'


@dataclass(frozen=True, slots=True)
class Peer:
    """One row of the comparison.

    Attributes:
        name: what it is asked for by.
        title: what it is shown as.
        how: its configuration, in a line.
        runner: the module and the function in `runners` that open it; for lifelong itself, what
            `own` is asked for.
        packages: what is installed for it, each with its version; nothing, when it runs in this
            interpreter.
        needs_vectors: whether it finds nothing without a model.
        is_own: whether it is lifelong itself.
    """

    name: str
    title: str
    how: str
    runner: str
    packages: tuple[str, ...] = ()
    needs_vectors: bool = True
    is_own: bool = False


PEERS = (
    Peer(
        "fts5",
        "plain FTS5",
        "SQLite full text, BM25, stop words left out; a file a conversation",
        "fts5:open_peer",
        needs_vectors=False,
    ),
    Peer(
        "sqlite-vec",
        "sqlite-vec",
        "exact cosine; a file a conversation",
        "sqlite_vec:open_vectors",
        ("sqlite-vec==0.1.9", _LOADS_EXTENSIONS),
    ),
    Peer(
        "sqlite-vec-fts5",
        "sqlite-vec + FTS5",
        "exact cosine and BM25, 20 of each, reciprocal ranks; a file a conversation",
        "sqlite_vec:open_fused",
        ("sqlite-vec==0.1.9", _LOADS_EXTENSIONS),
    ),
    Peer(
        "chroma",
        "Chroma",
        "PersistentClient, HNSW with cosine; a collection a conversation",
        "chroma:open_peer",
        ("chromadb==1.5.9",),
    ),
    Peer(
        "lancedb",
        "LanceDB",
        "hybrid: exact cosine and its full text, RRF; a table a conversation",
        "lancedb:open_peer",
        ("lancedb==0.40.0",),
    ),
    Peer(
        "langgraph-memory",
        "LangGraph, in memory",
        "InMemoryStore with an index; a namespace a conversation; nothing on disk",
        "langgraph_memory:open_peer",
        ("langgraph==1.2.22", "numpy==2.4.6"),
    ),
    Peer(
        "langgraph-sqlite",
        "LangGraph, SQLite",
        "SqliteStore with an index (sqlite-vec); a namespace a conversation",
        "langgraph_sqlite:open_peer",
        ("langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2", _LOADS_EXTENSIONS),
    ),
    Peer(
        "mem0",
        "mem0",
        "infer=False, its local Qdrant, hybrid: cosine and BM25; a user a conversation",
        "mem0:open_peer",
        ("mem0ai==2.2.1", "fastembed==0.9.1"),
    ),
    Peer(
        "lifelong-words",
        "lifelong, words",
        "encrypted; recall from the log, without a model; an owner a conversation",
        WORDS,
        needs_vectors=False,
        is_own=True,
    ),
    Peer(
        "lifelong-mean",
        "lifelong, mean",
        "encrypted; recall from the log, words and mean vectors; an owner a conversation",
        MEAN,
        is_own=True,
    ),
    Peer(
        "lifelong-tokens",
        "lifelong, tokens",
        "encrypted; recall from the log, words, mean and token vectors; an owner a conversation",
        TOKENS,
        is_own=True,
    ),
)

NAMES = tuple(peer.name for peer in PEERS)
"""The names that may be asked for."""


def chosen(names: Sequence[str]) -> tuple[Peer, ...]:
    """Return the peers with these names, in the order of the list; all of them for no name.

    Raises:
        InvalidValue: there is no such peer.
    """
    for name in names:
        if name not in NAMES:
            raise InvalidValue(f"peer {name!r} is none of {', '.join(NAMES)}")
    return tuple(peer for peer in PEERS if not names or peer.name in names)
