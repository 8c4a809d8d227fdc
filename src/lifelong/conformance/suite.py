"""The whole suite: every promise of a store, and the place that its tests run in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lifelong.conformance.bad_input import BadInputSuite
from lifelong.conformance.chain import ChainSuite
from lifelong.conformance.concurrency import ConcurrencySuite
from lifelong.conformance.files import FileSuite
from lifelong.conformance.forgetting import ForgettingSuite
from lifelong.conformance.isolation import IsolationSuite
from lifelong.conformance.log import LogSuite
from lifelong.conformance.memories import MemorySuite
from lifelong.conformance.place import OpenEngine, Place
from lifelong.conformance.portability import PortabilitySuite
from lifelong.conformance.requests import RequestSuite
from lifelong.conformance.retention import (
    HoldSuite,
    ReceiptSuite,
    RetentionSuite,
    ScopeSuite,
    TombstoneSuite,
)
from lifelong.conformance.review import ReviewSuite
from lifelong.conformance.search import SearchSuite
from lifelong.conformance.state import StateSuite
from lifelong.conformance.vectors import VectorSuite
from lifelong.conformance.writing import QuotaSuite, WritingSuite


class StoreSuite(
    LogSuite,
    MemorySuite,
    WritingSuite,
    QuotaSuite,
    ReviewSuite,
    SearchSuite,
    RequestSuite,
    ForgettingSuite,
    ScopeSuite,
    ReceiptSuite,
    HoldSuite,
    RetentionSuite,
    TombstoneSuite,
    IsolationSuite,
    StateSuite,
    FileSuite,
    ChainSuite,
    BadInputSuite,
    ConcurrencySuite,
    PortabilitySuite,
    VectorSuite,
):
    """Everything that a store promises. A subclass provides the fixture `open_engine`."""

    is_durable = True
    """Whether a later or second engine finds what the first one wrote. Only a store that lives in
    the memory of its engine may say False; its tests then go on with the engine they have."""

    @pytest.fixture
    def place(self, open_engine: OpenEngine) -> Iterator[Place]:
        """Lend a place of its own to each test, and check every owner afterwards."""
        place = Place(open_engine, is_durable=self.is_durable)
        try:
            yield place
            problems = place.problems()
        finally:
            place.close()
        if problems:
            pytest.fail("\n".join(problems))
