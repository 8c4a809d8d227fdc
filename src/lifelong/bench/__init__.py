"""Benchmarks that a user can run: how much evidence recall finds, and how fast everything is."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lifelong.bench import (
        clustered,
        encryption,
        goals,
        peers,
        recall,
        report,
        scale,
        speed,
        window,
        writing,
    )

__all__ = [
    "clustered",
    "encryption",
    "goals",
    "peers",
    "recall",
    "report",
    "scale",
    "speed",
    "window",
    "writing",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """Import a bench when it is asked for: `lifelong --help` needs none of them."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
