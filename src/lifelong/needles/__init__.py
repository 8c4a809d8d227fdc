"""Needles: what a text looks like as bytes, and the search for it. Nothing is read here."""

from lifelong.needles.forms import (
    BYTES_MIN,
    CHARACTERS_MAX,
    Needle,
    needles,
    vector_needle,
    word_needles,
)
from lifelong.needles.search import Match, Search

__all__ = [
    "BYTES_MIN",
    "CHARACTERS_MAX",
    "Match",
    "Needle",
    "Search",
    "needles",
    "vector_needle",
    "word_needles",
]
