"""Tables and sentences of a report, by hand."""

from dataclasses import replace

import pytest
from replayed_reports import LOSS, a_case, a_report, a_way, asked, with_ways

from lifelong.replay import findings, wording
from lifelong.replay.figures import Asked, CaseFigures, WayFigures
from lifelong.replay.lengths import BreakEven, Expected, Lengths
from lifelong.replay.prices import PriceTable
from lifelong.replay.report import Report, report_of
from lifelong.replay.tables import (
    edits_table,
    lengths_tables,
    problems_table,
    totals_table,
)
from lifelong.working.cost import Prices


def test_the_table_has_a_row_for_each_policy_at_each_window():
    table = totals_table(report_of([a_case(requests=4), a_case("case-2", requests=2)]))

    assert table.heads == (
        *("policy", "window", "requests", "invalid", "not fit", "tokens", "cached"),
        *("shown", "+ summary", "+ recall", "turns ago"),
    )
    assert table.alignment == ("left", *("right",) * 10)
    assert [row[:2] for row in table.rows] == [
        *(("none", "8,192"), ("none", "16,384"), ("last-10", "8,192"), ("last-10", "16,384")),
        *(("clear+trim", "8,192"), ("clear+trim", "16,384")),
    ]
    # 1,000 to 4,000 and 1,000 to 2,000 tokens; of 60 things needed, 7, 8 and 9 in ten are there
    assert table.rows[4] == (
        *("clear+trim", "8,192", "6", "0", "0", "13,000", "50.0 %"),
        *("70.0 %", "80.0 %", "90.0 %", "2"),
    )


def test_what_is_refused_and_what_does_not_fit_is_counted():
    none, _, sliced, *_ = totals_table(a_report(a_case(requests=4))).rows
    assert none[2:5] == ("4", "0", "1")
    assert sliced[2:5] == ("4", "2", "0")


def test_a_column_for_what_failed_is_there_when_something_did():
    way = WayFigures("mine", 8_192, (asked(1, 0, outcome="failed"), asked(1, 10)))
    table = totals_table(report_of([CaseFigures("a", "f", ways=(way,))]))
    assert table.heads[5] == "failed"
    assert table.rows[0][5] == "1"


def test_exact_tokens_are_shown_when_they_were_counted():
    way = WayFigures("mine", 8_192, (asked(1, 1_000, exact_tokens=1_234),))
    table = totals_table(report_of([CaseFigures("a", "f", ways=(way,))]))
    assert dict(zip(table.heads, table.rows[0], strict=True))["exact tokens"] == "1,234"


def test_a_share_of_nothing_is_no_share():
    way = WayFigures("mine", 8_192, (Asked(1, "not_fit"),))
    table = totals_table(report_of([CaseFigures("a", "f", ways=(way,))]))
    assert table.rows[0][6:] == ("–",) * 5


def test_edits_and_summaries_have_a_table_with_their_cost():
    way = WayFigures(
        *("mine", 8_192),
        (
            asked(1, 1_000, edits=2, edited_tokens=300),
            asked(
                *(2, 1_000),
                edits=1,
                edited_tokens=1_200,
                summaries=3,
                summary_input_tokens=1_000_000,
                summary_output_tokens=100_000,
            ),
        ),
    )
    prices = PriceTable(Prices(2.0, output=10.0), currency="EUR", summariser_seconds=0.5)
    table = edits_table(report_of([CaseFigures("a", "f", ways=(way,))], prices))
    assert table.heads == (
        *("policy", "window", "edits", "tokens taken", "summaries", "tokens read", "written"),
        *("cost, EUR", "seconds"),
    )
    # 2 for what was read, 1 for what was written; half a second for each thousand tokens
    assert table.rows == (
        ("mine", "8,192", "3", "1,500", "3", "1,000,000", "100,000", "3.00", "50"),
    )


def test_costs_are_shown_under_their_currency():
    way = WayFigures("mine", 8_192, (Asked(1, "sent", 1_000_000),))
    report = report_of(
        [CaseFigures("a", "f", ways=(way,))], PriceTable(Prices(2.5), currency="EUR")
    )
    table = totals_table(report)
    assert dict(zip(table.heads, table.rows[0], strict=True))["cost, EUR"] == "2.50"


def test_lengths_and_break_even_have_tables():
    expected = (Expected(1, 5.94, 6, 132, is_known=True), Expected(20, 11, 1, 1, is_known=False))
    even = BreakEven("compact", 8_192, 7, 9_000, 400, 1_500, 3.5, 1.75, 4.25, pays=True)
    never = BreakEven("other", 8_192, 1, 10, 400, 0, None, None, 4.25, pays=False)

    follow, paid = lengths_tables(Lengths(132, 3, (), expected, (even, never)))

    assert follow.title == "Turns that still follow, by 132 sessions of which 3 may go on"
    assert follow.rows == (("1", "5.9", "6", "132", "yes"), ("20", "11.0", "1", "1", "a guess"))
    assert paid.rows == (
        ("compact", "8,192", "7", "9,000", "400", "1,500", "1.8", "4.2", "yes"),
        ("other", "8,192", "1", "10", "400", "0", "never", "4.2", "no"),
    )
    assert lengths_tables(None) == ()


def test_no_case_makes_no_rows():
    assert totals_table(Report()).rows == edits_table(Report()).rows == ()


def losing(*losses, policy="trim", window=8_192):
    return a_way(policy, window, losses=losses)


def loss(token, turns_ago, found_in="nowhere"):
    return replace(LOSS, token=token, turns_ago=turns_ago, found_in=found_in)


def test_the_worst_loss_is_what_is_nowhere_and_was_said_longest_ago():
    case = CaseFigures("a", "f", ways=(losing(loss("x", 9, "recall"), loss("y", 2), loss("z", 5)),))
    report = report_of([case])
    assert [each.loss.token for each in findings.worst_losses(report, "trim", 9)] == ["z", "y", "x"]
    assert [each.loss.token for each in findings.worst_losses(report, "trim", 1)] == ["z"]
    assert findings.worst_losses(report, "clear", 9) == ()


def test_a_token_lost_at_several_windows_is_listed_once_at_its_worst():
    case = CaseFigures(
        *("a", "f"),
        ways=(losing(loss("x", 3)), losing(loss("x", 7, "recall"), window=16_384)),
    )
    (worst,) = findings.worst_losses(report_of([case]), "trim", 9)
    assert worst == findings.Worst("a", loss("x", 3), (8_192, 16_384))


def test_one_session_does_not_fill_the_list():
    many = CaseFigures("a", "f", ways=(losing(*(loss(f"x{n}", 90 + n) for n in range(9))),))
    few = CaseFigures("b", "f", ways=(losing(loss("y", 1)),))
    listed = [each.loss.token for each in findings.worst_losses(report_of([many, few]), "trim", 9)]
    assert listed == ["x8", "x7", "x6", "y"]


def test_what_went_wrong_is_listed_once_with_its_ways():
    case = with_ways(a_case(), problems=("request 4: too large",))
    broken = CaseFigures("b", "f", problem="it is cut off")
    assert problems_table([case, broken]).rows == (
        (
            "case-1",
            "none at 8,192, none at 16,384, last-10 at 8,192 and 3 more",
            "request 4: too large",
        ),
        ("b", "all", "it is cut off"),
    )


def a_served(policy, shown, tokens):
    """Return a way that served one request, with so much of 100 things needed in sight."""
    return WayFigures(
        policy, 8_192, (Asked(1, "sent", tokens, needed=100, in_history=shown, by_recall=1),)
    )


def told(*ways):
    return findings.sentences(report_of([CaseFigures("a", "f", ways=ways)]))


def test_the_cheapest_way_that_reaches_the_goal_is_named():
    best, refused = told(a_served("a", 96, 10), a_served("b", 97, 30), a_served("c", 99, 90))
    assert best == (
        "The cheapest way that still showed at least 97 % of what was needed next is b at 8,192: "
        "30 tokens for 1 request, 97.0 % shown."
    )
    assert refused == "No way made a request that a provider would refuse."


def test_without_one_the_best_is_named():
    assert told(a_served("a", 60, 10), a_served("b", 96, 30))[0] == (
        "No way still showed 97 % of what was needed next; the most is 96.0 %, by b at 8,192, "
        "for 30 tokens."
    )


@pytest.mark.parametrize("outcome", ["invalid", "not_fit", "failed"])
def test_a_way_that_did_not_serve_every_request_is_never_the_cheapest(outcome):
    way = a_served("a", 100, 10)
    way = replace(way, asked=(*way.asked, Asked(1, outcome)))
    assert told(way, a_served("b", 98, 30))[0].startswith(
        "The cheapest way that still showed at least 97 % of what was needed next is b at 8,192"
    )
    assert told(way)[0] == "No way served every request."


def test_refused_requests_are_counted_by_policy():
    sentences = findings.sentences(report_of([a_case(requests=4), a_case("b", requests=3)]))
    assert sentences[1] == (
        "Requests that a provider would refuse – last-10: 6 of 14 (42.9 %). The others made none."
    )
    assert sentences[2] == (
        "Requests that could not be made at all – none at 8,192: 2 of 7; none at 16,384: 2 of 7."
    )


def test_nothing_replayed_is_said():
    assert findings.sentences(Report()) == ("Nothing could be replayed: no session has a request.",)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((None, "–"), (float("nan"), "–"), (float("inf"), "–"), (0, "0"), (-1_234, "-1,234")),
        *((1_234_567, "1,234,567"), (10**30, f"{10**30:,}"), (2.0, "2"), (1234.5, "1,234.50")),
        *((0.25, "0.25"), (0.0001234, "0.00012")),
    ],
)
def test_a_number_in_words(value, words):
    assert wording.number(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((None, "–"), (float("nan"), "–"), (0.0, "0.0 %"), (1.0, "100.0 %"), (0.5, "50.0 %")),
        *((0.99999, "99.9 %"), (0.00001, "0.1 %"), (0.9701, "97.0 %")),
    ],
)
def test_a_share_is_all_only_when_it_is_all(value, words):
    assert wording.share(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        *((0, "0"), (950, "950"), (20_000.0, "20,000"), (999_999, "999,999"), (1_500_000, "1.5M")),
        *((2e9, "2G"), (3e12, "3T"), (4e15, "4P"), (1e300, "1e+300"), (0.05, "0.05")),
    ],
)
def test_a_number_on_an_axis(value, words):
    assert wording.short(value) == words


@pytest.mark.parametrize(
    ("value", "currency", "words"),
    [
        *((None, "USD", "–"), (12.345, "USD", "12.35 USD"), (1_234.5, "€", "1,234.50 €")),
        *((0.01234, "USD", "0.0123 USD"), (0, "USD", "0.00 USD"), (2, "", "2.00")),
    ],
)
def test_an_amount_in_words(value, currency, words):
    assert wording.money(value, currency) == words


def test_a_name_that_is_too_long_keeps_both_ends():
    assert wording.named("abcdefghijkl", 9) == "abcde…jkl"
    assert wording.named("abcdefghi", 9) == "abcdefghi"


def test_a_text_is_made_one_visible_line():
    assert wording.visible("  a\n\tb\r\n\u202ec ") == "a b ⟨U+202E⟩c"
