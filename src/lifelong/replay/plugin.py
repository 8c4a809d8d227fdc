"""A plugin for pytest: a fixture that puts recorded sessions through memory policies.

pytest imports this at every start, also where nobody uses it. So it is small, and the lab itself is
imported when a test asks for it. What is measured, and what a condition means, is said elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from lifelong.replay.report import Report

Place = str | os.PathLike[str]

_CASSETTE = "lifelong_cassette"
_RECORD = "lifelong_record"


@dataclass(frozen=True)
class Replayed:
    """What a replay found, to be asserted on.

    Attributes:
        report: all of it, as values.
    """

    report: Report

    def require(self, *conditions: str) -> None:
        """Fail the test unless every condition holds for every policy at every window.

        Args:
            *conditions: such as ``survival>=0.97`` or ``invalid==0``.

        Raises:
            AssertionError: with the figures that break a condition, and the cases without figures.
            InvalidValue: that is no condition.
        """
        __tracebackhide__ = True
        lab = import_module("lifelong.replay.lab")
        failures = lab.failures(self.report, lab.conditions_of(conditions))
        if failures:
            raise AssertionError("\n".join(failures))


class Replayer:
    """Puts recorded sessions through policies; the fixture `replay` is one."""

    def __init__(self, cassette: Path | None, *, is_recording: bool) -> None:
        self._cassette = cassette
        self._is_recording = is_recording

    def __call__(
        self,
        cases: Place | Sequence[Place],
        *,
        policies: str | Sequence[Any] = ("default",),
        windows: int | str | Sequence[int | str] | None = None,
        **settings: Any,
    ) -> Replayed:
        """Return what the policies would have done.

        Args:
            cases: files and folders of recorded sessions.
            policies: names, TOML files, ``module:object``, or values of `NamedPolicy`.
            windows: in tokens, or as ``"16k"``; the usual three, if not said.
            **settings: further fields of `lifelong.replay.lab.Question`: ``prices``, ``jobs``, …

        Raises:
            InputError: something in it cannot be used; one of its kinds.
        """
        __tracebackhide__ = True
        lab = import_module("lifelong.replay.lab")
        places = [cases] if isinstance(cases, str | os.PathLike) else cases
        question = lab.Question(
            policies=(policies,) if isinstance(policies, str) else tuple(policies),
            windows=_windows(lab.WINDOWS if windows is None else windows),
            **{"cassette": self._cassette, "is_recording": self._is_recording, **settings},
        )
        return Replayed(question.asked_of(lab.cases_of([Path(place) for place in places])))


def _windows(given: int | str | Sequence[int | str]) -> tuple[int | str, ...]:
    return (given,) if isinstance(given, int | str) else tuple(given)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what says where summaries are recorded."""
    group = parser.getgroup("lifelong", "replays of recorded sessions (lifelong)")
    group.addoption(
        "--lifelong-cassette",
        dest=_CASSETTE,
        metavar="FILE",
        help="summaries that were recorded, so that a replay needs no model",
    )
    group.addoption(
        "--lifelong-record",
        dest=_RECORD,
        action="store_true",
        help="ask the model for summaries that are not in that file, and add them",
    )
    parser.addini(_CASSETTE, "as --lifelong-cassette; from the folder of this file", default="")


@pytest.fixture
def replay(pytestconfig: pytest.Config) -> Replayer:
    """Put recorded sessions through memory policies, and require what must hold.

    ``replay("traces/", policies=["default"], windows=[16_384]).require("survival>=0.97")``
    """
    return Replayer(_cassette(pytestconfig), is_recording=bool(pytestconfig.getoption(_RECORD)))


def _cassette(config: pytest.Config) -> Path | None:
    given = config.getoption(_CASSETTE)
    if given:
        return Path(given)
    named = config.getini(_CASSETTE)
    return (config.inipath or config.rootpath / "pytest.ini").parent / named if named else None
