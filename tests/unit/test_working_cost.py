"""Costs by hand: what is sent, when compacting pays, how many turns follow."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue
from lifelong.working.cost import (
    Prices,
    SessionLength,
    prefix_kept,
    remaining_turns,
    request_cost,
    tokens_sent,
    worth_compacting,
)

PRICES = Prices(input=3.0, cached_input=0.3, cache_write=3.75, output=15.0)


def ended(*turns: int) -> list[SessionLength]:
    return [SessionLength(each, is_ended=True) for each in turns]


def still_open(*turns: int) -> list[SessionLength]:
    return [SessionLength(each, is_ended=False) for each in turns]


# What a request costs


def test_each_token_is_paid_at_its_own_price():
    cost = request_cost(
        PRICES,
        cached_tokens=2_000_000,
        uncached_tokens=1_000_000,
        written_tokens=400_000,
        output_tokens=100_000,
    )
    assert cost == pytest.approx(0.6 + 3.0 + 1.5 + 1.5)


@pytest.mark.parametrize("kind", ["cached", "uncached", "written", "output"])
def test_a_price_that_is_not_given_is_that_of_input(kind):
    counts = {"cached_tokens": 0, "uncached_tokens": 0, f"{kind}_tokens": 500_000}
    assert request_cost(Prices(4.0), **counts) == 2.0


@pytest.mark.parametrize(
    "prices",
    [
        {"input": -1.0},
        {"input": math.nan},
        {"input": 1.0, "output": math.inf},
        {"input": 1.0, "cache_write": -0.1},
        {"input": 0.3, "cached_input": 3.0},
        {"input": 3.0, "cached_input": 0.3, "cache_write": 0.0},
    ],
)
def test_prices_that_cannot_be_are_refused(prices):
    with pytest.raises(InvalidValue):
        Prices(**prices)


def test_the_refusal_names_what_is_wrong():
    with pytest.raises(InvalidValue, match="output is -1"):
        Prices(1.0, output=-1.0)
    with pytest.raises(InvalidValue, match="written_tokens is -1"):
        request_cost(PRICES, cached_tokens=0, uncached_tokens=0, written_tokens=-1)


# What a conversation sends


def test_twenty_turns_send_ten_and_a_half_times_what_was_said():
    assert tokens_sent(20, 500) == 105_000 == sum(500 * turn for turn in range(1, 21))
    assert tokens_sent(20, 500) / (20 * 500) == 10.5


def test_no_turn_sends_nothing_and_one_sends_itself():
    assert tokens_sent(0, 500) == 0
    assert tokens_sent(1, 500) == 500


@pytest.mark.parametrize(("turns", "tokens"), [(-1, 500), (1, -500)])
def test_a_negative_conversation_is_refused(turns, tokens):
    with pytest.raises(InvalidValue):
        tokens_sent(turns, tokens)


# When compacting pays


@pytest.mark.parametrize(
    ("turns_left", "saving", "pays"), [(8, 45_600, True), (2, 11_400, True), (1, 5_700, False)]
)
def test_six_thousand_tokens_to_three_hundred(turns_left, saving, pays):
    worth = worth_compacting(tokens_before=6_000, tokens_after=300, turns_left=turns_left)
    assert worth.pays is pays
    assert worth.saving == saving
    assert worth.cost == 6_300  # 6,000 read and 300 written
    assert worth.break_even_turns == pytest.approx(6_300 / 5_700)


def test_with_a_cache_there_is_less_to_save_and_more_to_read_again():
    # Given 100,000 tokens in the cache, 2,000 after them, and a summary of 1,000:
    worth = worth_compacting(
        tokens_before=100_000,
        tokens_after=1_000,
        turns_left=12,
        prices=PRICES,
        tokens_behind=2_000,
    )
    # Reading costs 0.3, writing .015, and 3,000 tokens miss the cache at 3.45 a million.
    assert worth.cost == pytest.approx(0.3 + 0.015 + 0.01035)
    # Each turn leaves out 99,000 tokens that the cache would have given at .3 a million.
    assert worth.saving == pytest.approx(12 * 0.0297)
    assert worth.break_even_turns == pytest.approx(0.32535 / 0.0297)  # 10.95
    assert worth.pays


def test_the_same_without_a_cache_pays_after_the_second_turn():
    uncached = Prices(input=3.0, output=15.0)
    worth = worth_compacting(
        tokens_before=100_000, tokens_after=1_000, turns_left=2, prices=uncached
    )
    assert worth.break_even_turns == pytest.approx(0.315 / 0.297)
    assert worth.pays


def test_a_cheap_summariser_makes_it_pay_sooner():
    change = {"tokens_before": 100_000, "tokens_after": 1_000, "turns_left": 3, "prices": PRICES}
    assert not worth_compacting(**change).pays
    # .01 to read and .0004 to write, and 1,000 tokens miss the cache.
    cheap = worth_compacting(**change, summariser=Prices(0.1, output=0.4))
    assert cheap.cost == pytest.approx(0.01 + 0.0004 + 0.00345)
    assert cheap.pays
    without_model = worth_compacting(**change, summariser=Prices(0))
    assert without_model.cost == pytest.approx(0.00345)


def test_what_frees_nothing_never_pays():
    for after in (300, 400):
        worth = worth_compacting(tokens_before=300, tokens_after=after, turns_left=1_000)
        assert not worth.pays
        assert worth.break_even_turns is None


def test_nothing_pays_in_the_last_turn_not_even_what_is_free():
    worth = worth_compacting(
        tokens_before=6_000, tokens_after=300, turns_left=0, summariser=Prices(0)
    )
    assert not worth.pays
    assert worth.saving == worth.cost == 0


@given(
    before=st.integers(0, 200_000),
    after=st.integers(0, 5_000),
    behind=st.integers(0, 5_000),
    turns=st.integers(1, 60),
)
def test_the_gain_is_the_difference_of_all_requests_that_follow(before, after, behind, turns):
    # Given the requests as they are, each with the old tokens and what is behind from the cache
    as_they_are = turns * request_cost(PRICES, cached_tokens=before + behind, uncached_tokens=0)
    # and those after compacting: the summary is made, goes into the cache, is read from there.
    made = request_cost(PRICES, cached_tokens=0, uncached_tokens=before, output_tokens=after)
    kept = after + behind
    first = request_cost(PRICES, cached_tokens=0, uncached_tokens=0, written_tokens=kept)
    further = (turns - 1) * request_cost(PRICES, cached_tokens=kept, uncached_tokens=0)
    worth = worth_compacting(
        tokens_before=before,
        tokens_after=after,
        turns_left=turns,
        prices=PRICES,
        tokens_behind=behind,
    )
    gain = as_they_are - (made + first + further)
    assert worth.saving - worth.cost == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens_before": -1},
        {"tokens_after": -1},
        {"turns_left": -1},
        {"turns_left": math.nan},
        {"turns_left": math.inf},
        {"tokens_behind": -1},
    ],
)
def test_compacting_less_than_nothing_is_refused(wrong):
    sound = {"tokens_before": 6_000, "tokens_after": 300, "turns_left": 8}
    with pytest.raises(InvalidValue, match=next(iter(wrong))):
        worth_compacting(**sound | wrong)


# How many turns follow


@pytest.mark.parametrize("so_far", [1, 2, 7, 40])
def test_without_a_session_as_many_again_are_expected(so_far):
    remaining = remaining_turns([], so_far)
    assert remaining.expected == pytest.approx(so_far)
    assert (remaining.sessions, remaining.is_known) == (0, False)


def test_before_the_first_turn_two_are_expected():
    assert remaining_turns([], 0).expected == 2


def test_one_session_weighs_as_much_as_the_prior():
    # A session ended with 1 turn. After 1 turn the prior ends with 2/3, so (1 + 2/3) / 2 = 5/6
    # end now, and a sixth go on to the second turn, after which 2 more are expected.
    remaining = remaining_turns(ended(1), 1)
    assert remaining.expected == pytest.approx(1 / 6 * (1 + 2))
    assert remaining.median == 0


def test_a_session_that_went_on_makes_the_end_less_likely():
    # After 1 turn: none ended of one, (0 + 2/3) / 2 = 1/3. After 2: (1 + 1/2) / 2 = 3/4.
    # Then 3 are expected after the third: 1/4 * (1 + 3) = 1, and 2/3 * (1 + 1) = 4/3.
    assert remaining_turns(ended(2), 1).expected == pytest.approx(4 / 3)


def test_an_open_session_tells_nothing_of_whether_its_last_turn_is_the_last():
    # After 1 turn: 1/3 as above, for the open one had a second. After 2 there is only the prior,
    # 2/4, and then 3 more: 1/2 * (1 + 3) = 2, and 2/3 * (1 + 2) = 2.
    assert remaining_turns(still_open(2), 1).expected == pytest.approx(2)
    assert remaining_turns(still_open(2), 2) == remaining_turns([], 2)


MANY = 10_000
"""So many of each that the prior no longer shows."""


def test_many_ended_sessions_give_their_own_mean():
    # Of sessions with 2, 4 and 9 turns that had 3, those with 4 and 9 are left: 1 and 6 follow.
    lengths = ended(2, 4, 9) * MANY
    assert remaining_turns(lengths, 1).expected == pytest.approx(5 - 1, abs=0.01)
    three = remaining_turns(lengths, 3)
    assert three.expected == pytest.approx(3.5, abs=0.01)
    assert (three.median, three.sessions) == (1, 2 * MANY)
    assert remaining_turns(lengths, 9).expected == pytest.approx(0, abs=0.01)


def test_many_sessions_of_which_some_are_open_give_the_product_limit():
    # Ended with 2, 4, 6; open with 3 and 5. From turn to turn:
    #   after 2: 1 of 5 ends (all had 2)                                     4/5 go on
    #   after 3: 0 of 3; the open one with 3 is out: nobody knows
    #   after 4: 1 of 3 ends (4, 6, and the open one with 5)                 2/3 of these
    #   after 5: 0 of 1;  after 6: 1 of 1 ends
    # Going on after 1, 2, 3, 4, 5, 6: 1, 4/5, 4/5, 8/15, 8/15, 0; their sum is 11/3.
    lengths = (ended(2, 4, 6) + still_open(3, 5)) * MANY
    one = remaining_turns(lengths, 1)
    assert one.expected == pytest.approx(11 / 3, abs=0.01)
    assert one.median == 5
    # After 4 turns: 2/3 go on to the fifth and the sixth.
    assert remaining_turns(lengths, 4).expected == pytest.approx(4 / 3, abs=0.01)


def test_leaving_open_sessions_out_or_calling_them_ended_would_look_short():
    some_open = (ended(2, 4, 6) + still_open(3, 5)) * MANY
    left_out = ended(2, 4, 6) * MANY
    called_ended = ended(2, 4, 6, 3, 5) * MANY
    expected = [remaining_turns(each, 1).expected for each in (left_out, called_ended, some_open)]
    assert expected == pytest.approx([3, 3, 11 / 3], abs=0.01)


def test_past_the_longest_session_the_prior_speaks():
    assert remaining_turns(ended(3, 5, 8) * MANY, 20) == remaining_turns([], 20)


def test_the_present_session_among_the_lengths_changes_nothing():
    others = ended(3, 5, 5, 12) + still_open(7)
    for so_far in (1, 5, 12, 30):
        with_it = remaining_turns([*others, *still_open(so_far)], so_far)
        assert with_it == remaining_turns(others, so_far)


def test_it_is_known_from_five_sessions_that_got_as_far():
    assert not remaining_turns(ended(9, 9, 9, 9, 2, 2, 2), 3).is_known
    assert remaining_turns(ended(9, 9, 9, 9, 9, 2, 2), 3).is_known


def test_the_median_of_the_prior():
    # After 3 turns 3/5 go on to a fourth, 3/5 * 4/6 = 2/5 to a fifth.
    assert remaining_turns([], 3).median == 1
    assert remaining_turns([], 1).median == 0
    # After 2 turns one of two goes on: as likely as not, none follows.
    assert remaining_turns([], 2).median == 0


def test_a_session_without_a_turn_is_none_that_got_as_far():
    assert remaining_turns(ended(0, 0, 0), 1) == remaining_turns([], 1)


@given(
    lengths=st.lists(st.builds(SessionLength, st.integers(0, 50), st.booleans()), max_size=12),
    so_far=st.integers(0, 60),
)
def test_whatever_the_sessions_the_answer_is_a_number_of_turns(lengths, so_far):
    remaining = remaining_turns(lengths, so_far)
    assert math.isfinite(remaining.expected)
    assert remaining.expected > 0
    assert remaining.median >= 0
    assert remaining.sessions <= len(lengths)


@pytest.mark.parametrize(("lengths", "so_far"), [([], -1), (ended(-1), 1)])
def test_turns_below_none_are_refused(lengths, so_far):
    with pytest.raises(InvalidValue):
        remaining_turns(lengths, so_far)


# What the cache keeps


def test_the_common_beginning_is_kept():
    previous = [("system", 50), ("a", 10), ("b", 20)]
    assert prefix_kept(previous, [*previous, ("c", 5)]) == 80
    assert prefix_kept(previous, previous[:2]) == 60
    assert prefix_kept(previous, [("system", 50), ("x", 10), ("b", 20)]) == 50


def test_a_changed_head_keeps_nothing_though_all_else_is_the_same():
    assert prefix_kept([("a", 10), ("b", 20)], [("z", 1), ("b", 20)]) == 0
    assert prefix_kept([], [("a", 10)]) == prefix_kept([("a", 10)], []) == 0
