# ruff: noqa: S101 - tests are made of assertions
"""Requests and summaries: what a store must give so that a window onto a session stays true."""

from __future__ import annotations

from lifelong.conformance.place import Place, said
from lifelong.owner import Owner
from lifelong.request import Request
from lifelong.session import Session
from lifelong.working.budget import Budget
from lifelong.working.cost import Prices

BUDGET = Budget(2_000, reserve_tokens=0, margin=0)
LARGE = Budget(100_000)


def _filled(owner: Owner, session_id: str = "s", turns: int = 30) -> Session:
    session = owner.session(session_id)
    for number in range(turns):
        question = f"What of order ZX-{4_000 + number}? " + "please " * 20
        session.append(said(question), ids=[f"{number}a"])
        session.append(said(f"ZX-{number} is there.", role="assistant"), ids=[f"{number}b"])
    return session


def _text(request: Request) -> str:
    return str(request.payload)


class RequestSuite:
    """Summaries are kept and go with their messages, and a warm handle sees what others did."""

    def test_a_summary_is_there_after_reopening(self, place: Place) -> None:
        """What was summed up shows the same in a later engine, and the log is whole."""
        session = _filled(place.owner)
        assert session.compact(BUDGET).outcome == "compacted"
        before = _text(session.request(BUDGET))
        assert "ZX-4000" in before
        assert _text(place.reopen().session("s").request(BUDGET)) == before
        assert len(place.owner.session("s").messages()) == 60

    def test_what_is_summed_up_is_never_summed_up_again(self, place: Place) -> None:
        """A second compaction, by any handle, finds nothing to do."""
        session = _filled(place.owner)
        summaries = session.compact(BUDGET).segments
        assert session.compact(BUDGET).segments == 0
        assert place.owner.session("s").compact(BUDGET).segments == 0
        assert place.owner.stats()["summary"] == summaries

    def test_forgetting_a_message_takes_its_summary_along(self, place: Place) -> None:
        """What a summary was made from is forgotten with it."""
        session = _filled(place.owner)
        session.compact(BUDGET)
        place.owner.forget("0a", session="s")
        assert place.owner.stats()["summary"] == 0
        assert "ZX-4000" not in _text(session.request(LARGE))
        assert "ZX-4001" in _text(session.request(LARGE))

    def test_a_summary_of_a_later_part_goes_alone(self, place: Place) -> None:
        """A message that no summary covers takes none along; the first takes all."""
        session = _filled(place.owner, turns=60)
        summaries = session.compact(BUDGET).segments
        assert summaries > 1
        place.owner.forget("59b", session="s")
        assert place.owner.stats()["summary"] == summaries
        place.owner.forget("0a", session="s")
        assert place.owner.stats()["summary"] == 0

    def test_a_forgotten_session_has_no_summary(self, place: Place) -> None:
        """The summaries of other sessions stay."""
        _filled(place.owner).compact(BUDGET)
        _filled(place.owner, "other").compact(BUDGET)
        kept = place.owner.stats()["summary"]
        receipt = place.owner.forget(session="s")
        assert place.owner.stats()["summary"] == kept - receipt.counts["summary"]
        assert place.owner.stats()["summary"] > 0

    def test_a_warm_handle_sees_what_is_appended_and_taken_away(self, place: Place) -> None:
        """A handle that has read the session reads what changed."""
        warm = _filled(place.owner, turns=2)
        warm.request(LARGE)
        other = place.owner.session("s")
        other.append(said("A late note, 5512."), ids=["late"])
        assert "5512" in _text(warm.request(LARGE))
        other.pop()
        assert "5512" not in _text(warm.request(LARGE))
        place.owner.forget("0a", session="s")
        assert "ZX-4000" not in _text(warm.request(LARGE))

    def test_a_warm_handle_sees_an_owner_that_began_anew(self, place: Place) -> None:
        """A file that was made anew is not taken for the one before."""
        warm = _filled(place.owner, turns=3)
        warm.request(LARGE)
        place.owner.forget(everything=True)
        _filled(place.owner, turns=1).append(said("The second life."))
        told = _text(place.owner.session("s").request(LARGE))
        assert "ZX-4000" in told
        assert "ZX-4002" not in told
        assert _text(warm.request(LARGE)) == told

    def test_it_is_compacted_only_when_it_pays(self, place: Place) -> None:
        """With prices, it must save more in the turns that are left than it costs."""
        session = _filled(place.owner, turns=26)
        tokens = session.request(LARGE).plan.tokens_after
        budget = Budget(int(tokens * 1.1), reserve_tokens=0, margin=0)
        dear = Prices(3, cached_input=0.03, output=15)
        assert session.compact(budget, lambda _: "Orders were asked for.", prices=dear).outcome == (
            "not_worth"
        )
        assert session.compact(budget, prices=Prices(3)).outcome == "compacted"
