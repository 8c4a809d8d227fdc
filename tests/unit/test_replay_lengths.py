"""How long sessions go on, and when a compaction has paid for itself."""

import pytest

from lifelong.replay.figures import SENT, Asked, CaseFigures, WayFigures
from lifelong.replay.lengths import lengths_of
from lifelong.replay.prices import Prices, PriceTable
from lifelong.working.cost import GoingOn, SessionLength, going_on, remaining_turns


def case(turns, *, is_ended=True, ways=(), problem=""):
    return CaseFigures("c", "f", turns=turns, is_ended=is_ended, ways=ways, problem=problem)


def test_the_curve_is_the_product_of_the_chances_to_go_on():
    # By hand: the prior weighs one session and says 2 / (k + 2).
    lengths = [SessionLength(1, is_ended=True), SessionLength(2, is_ended=True)]
    after_one = 1 - (1 + 2 / 3) / (2 + 1)
    after_two = after_one * (1 - (1 + 2 / 4) / (1 + 1))
    assert going_on(lengths) == (
        GoingOn(1, pytest.approx(after_one), 2),
        GoingOn(2, pytest.approx(after_two), 1),
    )
    assert going_on([]) == ()


def test_a_session_that_may_go_on_counts_up_to_the_turn_before_its_last():
    is_open = going_on([SessionLength(1, is_ended=True), SessionLength(3, is_ended=False)])
    assert [point.sessions for point in is_open] == [2, 1, 0]
    ended = going_on([SessionLength(1, is_ended=True), SessionLength(3, is_ended=True)])
    assert is_open[2].share > ended[2].share


def test_lengths_of_cases_leave_out_what_could_not_be_replayed():
    cases = [case(1), case(3, is_ended=False), case(5, problem="it is torn"), case(0)]
    found = lengths_of(cases)
    assert (found.sessions, found.still_open) == (2, 1)
    assert [point.turns for point in found.points] == [1, 2, 3]
    assert [each.turns_so_far for each in found.expected] == [1, 2]
    lengths = [SessionLength(1, is_ended=True), SessionLength(3, is_ended=False)]
    left = remaining_turns(lengths, 2)
    assert found.expected[1].mean == pytest.approx(left.expected, abs=1e-4)
    assert not found.expected[1].is_known
    assert lengths_of([case(5, problem="torn")]) is None
    assert lengths_of([]) is None


def compacting(**fields):
    asked = (
        Asked(1, SENT, tokens=10_000),
        Asked(1, SENT, tokens=10_000, kept_tokens=10_000),
        Asked(
            2, SENT, tokens=4_000, summaries=1, summed_tokens=8_000, summary_tokens=1_000, **fields
        ),
    )
    return (WayFigures("compact", 16_384, asked), WayFigures("trim", 16_384, asked[:2]))


def test_the_break_even_is_that_of_the_formula_by_hand():
    (even,) = lengths_of([case(2, ways=compacting())]).break_even
    assert (even.policy, even.window_tokens, even.summaries) == ("compact", 16_384, 1)
    # Nobody reads the old tokens with a model: B = 8,000, A = 1,000, S = 4,000 - 1,000.
    assert (even.tokens_before, even.tokens_after, even.tokens_behind) == (8_000, 1_000, 3_000)
    # Without prices each token costs 1 wherever it is from: nothing is paid, so it pays at once.
    assert even.requests == 0
    assert even.pays


def test_a_model_that_sums_up_and_a_cache_make_it_pay_later():
    ways = compacting(summary_input_tokens=8_200, summary_output_tokens=1_000)
    prices = PriceTable(Prices(10.0, cached_input=1.0, output=20.0))
    (even,) = lengths_of([case(2, ways=ways)], prices).break_even
    # cost = 8,000 x 10 + 1,000 x 20 + (1,000 + 3,000) x 9; saving a request = 7,000 x 1.
    assert even.requests == pytest.approx((80_000 + 20_000 + 36_000) / 7_000, abs=1e-4)
    # Three requests in two turns.
    assert even.turns == pytest.approx(even.requests / 1.5, abs=1e-4)


def test_what_stood_behind_is_seen_where_the_summary_comes_into_use():
    asked = (
        Asked(1, SENT, tokens=10_000),
        # Made here, and shown two requests later: until then the beginning stays.
        Asked(
            1,
            SENT,
            11_000,
            kept_tokens=10_000,
            summaries=1,
            summed_tokens=5_000,
            summary_tokens=500,
        ),
        Asked(2, SENT, 12_000, kept_tokens=11_000),
        # 12,000 were sent and 2,000 stay at the head. 5,000 go for 500, 1,000 are new.
        Asked(2, SENT, 8_500, kept_tokens=2_000, edited_tokens=4_500),
    )
    (even,) = lengths_of([case(2, ways=(WayFigures("compact", 16_384, asked),))]).break_even
    # 8,500 less the 2,000, the summary's 500 and what is new: these missed the cache for nothing.
    assert even.tokens_behind == 8_500 - 2_000 - 500 - 1_000
    (never,) = lengths_of([case(2, ways=(WayFigures("compact", 16_384, asked[:3]),))]).break_even
    assert never.tokens_behind == 0


def test_a_way_that_sums_nothing_up_has_no_break_even():
    assert lengths_of([case(2, ways=compacting()[1:])]).break_even == ()
