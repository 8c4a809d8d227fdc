"""Stores as other tools write them, made with those tools where they are installed."""

import asyncio
import pickle
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path

from agents import SQLiteSession
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.sqlite import SqliteStore

MEM0 = Path(__file__).parents[1] / "data" / "mem0"
"""Written by mem0ai 2.2.1 and qdrant-client 1.20.0, with texts made up for it."""

TURN = [
    {"role": "user", "content": "Where is order A-7781?"},
    {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "c1",
        "name": "find",
        "arguments": '{"order": "A-7781"}',
    },
    {"type": "function_call_output", "call_id": "c1", "output": "Gate 4"},
    {
        "type": "message",
        "role": "assistant",
        "id": "msg_1",
        "status": "completed",
        "content": [{"type": "output_text", "text": "At Gate 4.", "annotations": []}],
    },
]
THREAD = [
    SystemMessage("Be brief", id="s1"),
    HumanMessage("Where is order A-7781?", id="h1", name="lea"),
    AIMessage("", id="a1", tool_calls=[{"name": "find", "args": {"order": 1}, "id": "c1"}]),
    ToolMessage("Gate 4", tool_call_id="c1", id="t1"),
    AIMessage([{"type": "text", "text": "At Gate 4."}], id="a2"),
]


def files_beside(file):
    """Return each file in a file's folder with its bytes, to see that none was touched."""
    return {each.name: each.read_bytes() for each in file.parent.iterdir() if each.is_file()}


def agents_store(file, session_id="support", items=TURN, **options):
    """Write a session as the OpenAI Agents SDK does, and close it."""
    session = SQLiteSession(session_id, file, **options)
    asyncio.run(session.add_items(items))
    session.close()
    return file


@contextmanager
def saver(file):
    """Lend a saver of LangGraph's."""
    with SqliteSaver.from_conn_string(str(file)) as found:
        yield found


def put(found, messages, thread="support", *, ts=None, namespace="", **channels):
    """Save a checkpoint with these messages."""
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = {"messages": messages, **channels}
    checkpoint["ts"] = ts or checkpoint["ts"]
    config = {"configurable": {"thread_id": thread, "checkpoint_ns": namespace}}
    found.put(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})


def threads(file, messages=THREAD, **options):
    """Write a thread as LangGraph does."""
    with saver(file) as found:
        put(found, messages, **options)
    return file


@contextmanager
def items(file):
    """Lend a store of LangGraph's."""
    with SqliteStore.from_conn_string(str(file)) as found:
        found.setup()
        yield found


def execute(file, *statements):
    """Run SQL in a file."""
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(*statement if isinstance(statement, tuple) else (statement,))
    return file


class Point:
    """Stands for Qdrant's own class, which is not installed: only its fields are read."""

    def __init__(self, id, payload):
        self.__dict__.update(id=id, vector={"": [0.5] * 8}, payload=payload)


def qdrant(file, *payloads, ids=None):
    """Write points as Qdrant's local store does."""
    execute(file, "CREATE TABLE points (id TEXT PRIMARY KEY, point BLOB)")
    for position, payload in enumerate(payloads):
        id = ids[position] if ids else f"id-{position}"
        point = payload if isinstance(payload, bytes) else pickle.dumps(Point(id, payload))
        execute(file, ("INSERT INTO points VALUES (?, ?)", (str(position), point)))
    return file
