"""A report as one HTML page that needs no network."""

from lifelong.replay.html.page import page_of

__all__ = ["page_of"]
