"""A memory engine for LLM agents: keep what was said, recall what matters, forget it provably.

engine = lifelong.open("~/.local/share/lifelong")
ana = engine.owner("ana")
ana.session("support-42").append(items, format="anthropic")
ana.remember("Prefers short answers", kind="preference")
ana.recall("how should I answer?").text
"""

from lifelong import aio, errors
from lifelong.clock import ManualClock, SystemClock
from lifelong.engine import Engine, open  # noqa: A004 - the public face says lifelong.open()
from lifelong.errors import LifelongError
from lifelong.formats import FORMATS, Rendered
from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.owner import Owner, Session
from lifelong.records import (
    Appended,
    CheckReport,
    Found,
    Hit,
    Known,
    LogSlice,
    Memory,
    MemoryVersion,
    Origin,
    Receipt,
    Remembered,
    ScorePart,
    SessionInfo,
    Trust,
)
from lifelong.transcripts.files import SOURCES
from lifelong.transcripts.importing import ImportReport

__all__ = [
    "FORMATS",
    "SOURCES",
    "Appended",
    "AttachmentPart",
    "CheckReport",
    "Engine",
    "Found",
    "Hit",
    "ImportReport",
    "Known",
    "LifelongError",
    "LogSlice",
    "ManualClock",
    "Memory",
    "MemoryVersion",
    "Message",
    "OpaquePart",
    "Origin",
    "Owner",
    "ReasoningPart",
    "Receipt",
    "Remembered",
    "Rendered",
    "ScorePart",
    "Session",
    "SessionInfo",
    "SystemClock",
    "TextPart",
    "ToolCallPart",
    "ToolResultPart",
    "Trust",
    "aio",
    "errors",
    "open",
]
