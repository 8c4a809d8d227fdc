"""A memory engine for LLM agents: keep what was said, recall what matters, forget it provably.

`lifelong.open` gives an engine, `engine.owner` an owner, and an owner has the verbs: `session`,
`remember`, `recall`, `known`, `forget`. The same verbs, awaitable, are in `lifelong.aio`, which is
imported by itself.

A name is loaded when it is first used, so `import lifelong`, and the help of the command line, cost
next to nothing. Type checkers read the imports below; a test holds that both tables say the same.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from lifelong import errors

if _TYPE_CHECKING:
    from lifelong.clock import ManualClock, SystemClock
    from lifelong.compaction import Compacted
    from lifelong.engine import Engine, open  # noqa: A004 - the public face says lifelong.open()
    from lifelong.errors import LifelongError
    from lifelong.extracting import Extracted
    from lifelong.fade import Faded
    from lifelong.file_records import FileInfo, FileVersion, Mirrored
    from lifelong.files import Files
    from lifelong.forgetting import Forgettable, LegalHold, Receipt, RetentionRule, Swept
    from lifelong.formats import FORMATS, Rendered
    from lifelong.integrity import Verified
    from lifelong.memory.deciding import Quota
    from lifelong.messages import (
        AttachmentPart,
        Message,
        OpaquePart,
        ReasoningPart,
        TextPart,
        ToolCallPart,
        ToolResultPart,
    )
    from lifelong.owner import Owner
    from lifelong.receipts import verify_receipt
    from lifelong.records import (
        Appended,
        CheckReport,
        Found,
        Hit,
        Known,
        LogSlice,
        Memory,
        Origin,
        ScorePart,
        SessionInfo,
        Trust,
    )
    from lifelong.request import Request, fit
    from lifelong.rescan import Rescanned
    from lifelong.retention import Retention
    from lifelong.review import Review
    from lifelong.rows.keeping import Backup, KeyStatus, Restored, RestoredOwner
    from lifelong.scanned import Control, Occurrence, Scan, ScannedFile, Verdict
    from lifelong.screening.policy import Screening
    from lifelong.session import Session
    from lifelong.tools.toolset import Tools, toolset
    from lifelong.transcripts.files import SOURCES
    from lifelong.transcripts.importing import ImportReport
    from lifelong.working.budget import Budget
    from lifelong.working.plan import Edit, Plan
    from lifelong.writing import (
        Confirmation,
        Finding,
        MemoryVersion,
        Remembered,
        ReviewItem,
        Revoked,
    )

_HOME_OF = {
    "Files": "lifelong.files",
    "Mirrored": "lifelong.file_records",
    "FileVersion": "lifelong.file_records",
    "FileInfo": "lifelong.file_records",
    "Verdict": "lifelong.scanned",
    "ScannedFile": "lifelong.scanned",
    "Scan": "lifelong.scanned",
    "Occurrence": "lifelong.scanned",
    "Control": "lifelong.scanned",
    "KeyStatus": "lifelong.rows.keeping",
    "RestoredOwner": "lifelong.rows.keeping",
    "Restored": "lifelong.rows.keeping",
    "Backup": "lifelong.rows.keeping",
    "Verified": "lifelong.integrity",
    "Appended": "lifelong.records",
    "AttachmentPart": "lifelong.messages",
    "Budget": "lifelong.working.budget",
    "CheckReport": "lifelong.records",
    "Compacted": "lifelong.compaction",
    "Confirmation": "lifelong.writing",
    "Edit": "lifelong.working.plan",
    "Engine": "lifelong.engine",
    "Extracted": "lifelong.extracting",
    "Faded": "lifelong.fade",
    "Finding": "lifelong.writing",
    "fit": "lifelong.request",
    "FORMATS": "lifelong.formats",
    "Forgettable": "lifelong.forgetting",
    "Found": "lifelong.records",
    "Hit": "lifelong.records",
    "ImportReport": "lifelong.transcripts.importing",
    "Known": "lifelong.records",
    "LegalHold": "lifelong.forgetting",
    "LifelongError": "lifelong.errors",
    "LogSlice": "lifelong.records",
    "ManualClock": "lifelong.clock",
    "Memory": "lifelong.records",
    "MemoryVersion": "lifelong.writing",
    "Message": "lifelong.messages",
    "OpaquePart": "lifelong.messages",
    "open": "lifelong.engine",
    "Origin": "lifelong.records",
    "Owner": "lifelong.owner",
    "Plan": "lifelong.working.plan",
    "Quota": "lifelong.memory.deciding",
    "ReasoningPart": "lifelong.messages",
    "Receipt": "lifelong.forgetting",
    "Remembered": "lifelong.writing",
    "Rendered": "lifelong.formats",
    "Request": "lifelong.request",
    "Rescanned": "lifelong.rescan",
    "Retention": "lifelong.retention",
    "RetentionRule": "lifelong.forgetting",
    "Review": "lifelong.review",
    "ReviewItem": "lifelong.writing",
    "Revoked": "lifelong.writing",
    "ScorePart": "lifelong.records",
    "Screening": "lifelong.screening.policy",
    "Session": "lifelong.session",
    "SessionInfo": "lifelong.records",
    "SOURCES": "lifelong.transcripts.files",
    "Swept": "lifelong.forgetting",
    "SystemClock": "lifelong.clock",
    "toolset": "lifelong.tools.toolset",
    "Tools": "lifelong.tools.toolset",
    "TextPart": "lifelong.messages",
    "ToolCallPart": "lifelong.messages",
    "ToolResultPart": "lifelong.messages",
    "Trust": "lifelong.records",
    "verify_receipt": "lifelong.receipts",
}


def __getattr__(name: str) -> _Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "FORMATS",
    "SOURCES",
    "Appended",
    "AttachmentPart",
    "Backup",
    "Budget",
    "CheckReport",
    "Compacted",
    "Confirmation",
    "Control",
    "Edit",
    "Engine",
    "Extracted",
    "Faded",
    "FileInfo",
    "FileVersion",
    "Files",
    "Finding",
    "Forgettable",
    "Found",
    "Hit",
    "ImportReport",
    "KeyStatus",
    "Known",
    "LegalHold",
    "LifelongError",
    "LogSlice",
    "ManualClock",
    "Memory",
    "MemoryVersion",
    "Message",
    "Mirrored",
    "Occurrence",
    "OpaquePart",
    "Origin",
    "Owner",
    "Plan",
    "Quota",
    "ReasoningPart",
    "Receipt",
    "Remembered",
    "Rendered",
    "Request",
    "Rescanned",
    "Restored",
    "RestoredOwner",
    "Retention",
    "RetentionRule",
    "Review",
    "ReviewItem",
    "Revoked",
    "Scan",
    "ScannedFile",
    "ScorePart",
    "Screening",
    "Session",
    "SessionInfo",
    "Swept",
    "SystemClock",
    "TextPart",
    "ToolCallPart",
    "ToolResultPart",
    "Tools",
    "Trust",
    "Verdict",
    "Verified",
    "errors",
    "fit",
    "open",
    "toolset",
    "verify_receipt",
]
