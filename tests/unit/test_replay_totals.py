"""Sums over cases: what each policy did at each window."""

import pytest

from lifelong.replay.figures import FAILED, INVALID, NOT_FIT, SENT, Asked, CaseFigures, WayFigures
from lifelong.replay.prices import Prices, PriceTable
from lifelong.replay.totals import WayTotals, frontier, totals_of

SENT_TWICE = (
    Asked(
        1, SENT, 100, exact_tokens=90, kept_tokens=0, needed=4, in_history=2, in_summary=1, edits=1
    ),
    Asked(2, SENT, 200, exact_tokens=180, kept_tokens=150, needed=6, in_history=3, by_recall=2),
)


def case(name, *asked, policy="p", window=8_192, loss_turns=()):
    way = WayFigures(policy, window, asked, loss_turns=loss_turns)
    return CaseFigures(name, "f", ways=(way,))


def test_figures_are_added_up_by_hand():
    cases = [
        case("a", *SENT_TWICE, loss_turns=((1, 3), (4, 1))),
        case("b", Asked(1, INVALID, 50, kept_tokens=0, needed=1), Asked(2, NOT_FIT), loss_turns=()),
        case("c", Asked(1, FAILED, needed=1), loss_turns=((4, 1),)),
        CaseFigures("d", "f", problem="it is empty"),
    ]
    (found,) = totals_of(cases, PriceTable(Prices(1.0, output=1.0)))
    assert (found.requests, found.sent, found.invalid, found.not_fit, found.failed) == (
        5,
        2,
        1,
        1,
        1,
    )
    assert (found.tokens, found.exact_tokens, found.kept_tokens) == (300, 270, 150)
    assert found.cached_share == 0.5
    assert (found.needed, found.in_history, found.in_summary, found.by_recall) == (12, 5, 1, 2)
    # 5, 6 and 8 of 12, each place counted once.
    assert found.survival_history == pytest.approx(0.4167)
    assert found.survival == 0.5
    assert found.survival_recall == pytest.approx(0.6667)
    # Three were last said a turn before, two four turns before.
    assert (found.lost_turns, found.lost_turns_median) == (2.2, 1)
    assert found.cost == pytest.approx(300 / 1_000_000)
    assert not found.is_served


def test_nothing_to_share_is_none_and_not_nought():
    (found,) = totals_of([case("a", Asked(1, SENT, 0))])
    assert found.survival is None
    assert found.cached_share is None
    assert found.lost_turns is None
    assert found.exact_tokens is None
    assert found.cost is None
    assert totals_of([]) == ()


def test_exact_counts_of_some_requests_are_none_of_all():
    (found,) = totals_of([case("a", SENT_TWICE[0], Asked(2, SENT, 5))])
    assert found.exact_tokens is None


def test_ways_come_in_their_order_whichever_case_has_them():
    ways = [("b", 1), ("a", 2), ("a", 1)]
    figures = [WayFigures(policy, window, SENT_TWICE) for policy, window in ways]
    cases = [CaseFigures("x", "f", ways=tuple(figures)), CaseFigures("y", "f", ways=figures[1:2])]
    assert [(each.policy, each.window_tokens) for each in totals_of(cases)] == ways


def way(name, tokens, survival, sent=1):
    return WayTotals(name, 1, requests=1, sent=sent, tokens=tokens, survival=survival)


def test_without_prices_what_a_summariser_read_and_wrote_counts_too():
    sent = Asked(1, SENT, 100, summary_input_tokens=50, summary_output_tokens=5)
    (found,) = totals_of([case("a", sent)])
    assert (found.tokens, found.price) == (100, 155.0)
    (priced,) = totals_of([case("a", sent)], PriceTable(Prices(1.0, output=2.0)))
    assert priced.price == priced.cost == pytest.approx((100 + 50 + 10) / 1_000_000)


def test_the_frontier_is_what_no_cheaper_way_equals():
    ways = [
        way("dear", 900, 0.99),
        way("best", 500, 0.99),
        way("cheap", 100, 0.5),
        way("dominated", 200, 0.4),
        way("same for more", 120, 0.5),
        way("refused", 1, 1.0, sent=0),
        way("unknown", 1, None),
    ]
    assert [each.policy for each in frontier(ways)] == ["cheap", "best"]
    cases = [case("a", *SENT_TWICE, policy="p"), case("b", Asked(1, NOT_FIT), policy="q")]
    assert [each.policy for each in frontier(totals_of(cases))] == ["p"]
