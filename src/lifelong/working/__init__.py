"""Working memory: what the model sees now, and what it costs.

Policies, prices and what they are made of can be imported from here; each name is loaded when it
is first used. What is pure is all of it: nothing here reads a clock, a file or a network.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from lifelong.working.clear import ClearReasoning, ClearToolResults
    from lifelong.working.compact import Compact, Segment
    from lifelong.working.cost import Prices, SessionLength, remaining_turns, worth_compacting
    from lifelong.working.counts import Calibration, message_tokens, tools_tokens
    from lifelong.working.extractive import extractive_summary
    from lifelong.working.history import History, Unit
    from lifelong.working.pipeline import DEFAULT
    from lifelong.working.plan import Edit, Plan, Policy, apply
    from lifelong.working.summary import Summariser, SummaryTask
    from lifelong.working.tokens import TokenCounter, estimate_tokens
    from lifelong.working.trim import ShrinkResults, TrimTurns

_HOME_OF = {
    "Calibration": "counts",
    "ClearReasoning": "clear",
    "ClearToolResults": "clear",
    "Compact": "compact",
    "DEFAULT": "pipeline",
    "Edit": "plan",
    "History": "history",
    "Plan": "plan",
    "Policy": "plan",
    "Prices": "cost",
    "Segment": "compact",
    "SessionLength": "cost",
    "ShrinkResults": "trim",
    "Summariser": "summary",
    "SummaryTask": "summary",
    "TokenCounter": "tokens",
    "TrimTurns": "trim",
    "Unit": "history",
    "apply": "plan",
    "estimate_tokens": "tokens",
    "extractive_summary": "extractive",
    "message_tokens": "counts",
    "remaining_turns": "cost",
    "tools_tokens": "counts",
    "worth_compacting": "cost",
}


def __getattr__(name: str) -> _Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(_import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "DEFAULT",
    "Calibration",
    "ClearReasoning",
    "ClearToolResults",
    "Compact",
    "Edit",
    "History",
    "Plan",
    "Policy",
    "Prices",
    "Segment",
    "SessionLength",
    "ShrinkResults",
    "Summariser",
    "SummaryTask",
    "TokenCounter",
    "TrimTurns",
    "Unit",
    "apply",
    "estimate_tokens",
    "extractive_summary",
    "message_tokens",
    "remaining_turns",
    "tools_tokens",
    "worth_compacting",
]
