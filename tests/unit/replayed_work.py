"""Work and policies that other processes can import: tests of the lab send them there."""

import os
import signal
from dataclasses import dataclass

from lifelong.working.plan import Plan

LAST_WORDS = 17


def make_doubling():
    return doubled


def doubled(number):
    if number == 13:
        raise ValueError(f"thirteen   at {object()!r}")
    if number == 17:
        os._exit(LAST_WORDS)
    if number == 19:
        raise SystemExit("stop")
    if number == 23:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def make_where():
    return where


def where(_task):
    return os.getpid()


def make_nothing():
    if os.environ.get("REPLAYED_WORK_MADE_IN") != str(os.getpid()):
        os._exit(3)
    return doubled


def says(history, word):
    return any(word in message.text for unit in history.units for message in unit.messages)


@dataclass(frozen=True)
class Asked:
    """A policy that is asked at every request, and looks for a word."""

    word: str

    def starts_at(self, _budget) -> int:
        return 0


class Ends(Asked):
    """At the word, the process ends."""

    def __call__(self, history, _budget) -> Plan:
        if says(history, self.word):
            os._exit(LAST_WORDS)
        return Plan()


class Raises(Asked):
    """At the word, it raises."""

    def __call__(self, history, _budget) -> Plan:
        if says(history, self.word):
            raise RuntimeError("not today")
        return Plan()
