"""What requests would have cost, by prices of several providers' shapes."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue
from lifelong.replay.figures import INVALID, NOT_FIT, SENT, Asked, WayFigures
from lifelong.replay.prices import Prices, PriceTable, Tier, cost_of, read_prices, request_costs

M = 1_000_000
BOTH = "input = 1\noutput = 1\n"
TIER = "[[tiers]]\nabove_tokens = 1\ninput = 2\noutput = 2\n"


def asked(**fields):
    return Asked(**{"turn": 1, "outcome": SENT, "tokens": 1_000, **fields})


def written(tmp_path, text, name="prices.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def test_flat_prices_know_no_cache():
    prices = PriceTable(Prices(3.0, output=15.0))
    cost = cost_of([asked(kept_tokens=900, output_tokens=100)], prices)
    # A price for cached tokens that nobody gave is that of the rest: 1,000 x 3 and 100 x 15.
    assert cost.total * M == pytest.approx(3_000 + 1_500)


def test_a_discount_for_whole_blocks_from_a_minimum_on():
    prices = PriceTable(Prices(2.0, cached_input=0.5), minimum_tokens=256, block_tokens=128)
    short, enough = asked(kept_tokens=255), asked(kept_tokens=300)
    assert cost_of([short], prices).cached == 0
    cost = cost_of([enough], prices)
    assert cost.cached * M == pytest.approx(256 * 0.5)
    assert cost.uncached * M == pytest.approx(744 * 2.0)


def test_writing_to_a_cache_has_a_price_where_the_prompt_is_long_enough():
    rates = Prices(3.0, cached_input=0.3, cache_write=3.75, output=15.0)
    prices = PriceTable(rates, minimum_tokens=500)
    cost = cost_of([asked(kept_tokens=600)], prices)
    assert (cost.cached * M, cost.written * M) == pytest.approx((180.0, 1_500.0))
    assert cost.uncached == 0
    assert cost_of([asked(tokens=400)], prices).uncached * M == pytest.approx(1_200.0)


def test_a_long_prompt_is_billed_whole_at_its_tier():
    rates, long = Prices(1.0, output=4.0), Prices(2.0, output=8.0)
    prices = PriceTable(rates, tiers=(Tier(1_000, long),))
    assert cost_of([asked(tokens=1_000)], prices).total * M == pytest.approx(1_000)
    cost = cost_of([asked(tokens=1_001, output_tokens=10)], prices)
    assert cost.total * M == pytest.approx(2_002 + 80)


def test_what_was_refused_or_never_sent_costs_nothing_and_summaries_do():
    prices = PriceTable(
        Prices(1.0, output=2.0), summariser=Prices(0.1, output=0.2), summariser_seconds=30.0
    )
    summed = {"summary_input_tokens": 1_000, "summary_output_tokens": 100}
    requests = (asked(outcome=INVALID), asked(outcome=NOT_FIT, **summed), asked())
    cost = cost_of(requests, prices)
    assert cost.summaries * M == pytest.approx(100 + 20)
    assert cost.summary_seconds == pytest.approx(3.0)
    each = request_costs(WayFigures("p", 8_192, requests), prices)
    assert [round(one * M, 3) for one in each] == [0.0, 120.0, 1_000.0]
    assert sum(each) == pytest.approx(cost.total)


def test_a_summariser_without_prices_of_its_own_costs_as_the_model_does():
    summed = asked(tokens=0, summary_input_tokens=10, summary_output_tokens=5)
    cost = cost_of([summed], PriceTable(Prices(1.0, output=2.0)))
    assert cost.summaries * M == pytest.approx(20)
    assert cost.summary_seconds is None


def test_a_whole_file_is_read(tmp_path):
    text = """
        currency = "EUR"
        input = 3
        cached_input = 0.3
        cache_write = 3.75
        output = 15
        cache = { minimum_tokens = 1024, block_tokens = 128 }
        [[tiers]]
        above_tokens = 200_000
        input = 6
        cached_input = 0.6
        cache_write = 7.5
        output = 22.5
        [summariser]
        input = 0.8
        output = 4
        seconds_per_1000_tokens = 12
    """
    found = read_prices(written(tmp_path, text))
    assert found == PriceTable(
        Prices(3.0, 0.3, 3.75, 15.0),
        "EUR",
        minimum_tokens=1_024,
        block_tokens=128,
        tiers=(Tier(200_000, Prices(6.0, 0.6, 7.5, 22.5)),),
        summariser=Prices(0.8, output=4.0),
        summariser_seconds=12.0,
    )
    as_json = json.dumps({"input": 1, "output": 2})
    assert read_prices(written(tmp_path, as_json, "p.json")) == PriceTable(Prices(1.0, output=2.0))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("output = 1", "input is missing"),
        ("input = 1", "output is missing"),
        ("input = 1\noutput = 1\nimput = 2", "imput is not known"),
        ("input = -1\noutput = 1", "input is -1"),
        ("input = nan\noutput = 1", "input is nan"),
        ("input = true\noutput = 1", "input is True"),
        ("input = 1\noutput = 1\ncached_input = 2", "cached_input is 2.0"),
        ("input = 1\noutput = 1\n[cache]\nblock_tokens = 0", "cache.block_tokens is 0"),
        ("input = 1\noutput = 1\ncache = 3", "cache is int"),
        ("input = 1\noutput = 1\n[[tiers]]\ninput = 1\noutput = 1", "tiers[0].above_tokens is"),
        ("input = 1\noutput = 1\n[[tiers]]\nabove_tokens = 1\ninput = 1", "tiers[0].output"),
        ("input = 1\noutput = 1\ntiers = 1", "tiers is 1"),
        ("input = 1\noutput = 1\n[summariser]\ninput = 1", "summariser.output is missing"),
        ("input = 1\noutput = 1\ncurrency = 3", "currency is 3"),
        ("input =", "is no TOML"),
        (f"{BOTH}cached_input = 0.1\n{TIER}", "tiers[0].cached_input is missing"),
        (f"{BOTH}{TIER}cached_input = 9", "tiers[0].cached_input is 9.0"),
        (f"{BOTH}{TIER}{TIER}", "tiers[1].above_tokens is 1 a second time"),
        (
            f"{BOTH}[summariser]\n{BOTH}seconds_per_1000_tokens = -1",
            "summariser.seconds_per_1000_tokens is -1",
        ),
        ('input = 1\noutput = 1\ncurrency = "a\\nb"', "one line"),
        *[
            (text.format("0x" + "f" * 6_000), "whole number")
            for text in (
                "input = {}\noutput = 1",
                "input = 1\noutput = 1\ncurrency = {}",
                "input = 1\noutput = 1\ncache = {{ minimum_tokens = {} }}",
                "input = 1\noutput = 1\ntiers = [{}]",
            )
        ],
    ],
)
def test_a_file_that_says_no_prices_is_named_with_its_field(tmp_path, text, told):
    with pytest.raises(InvalidValue) as refused:
        read_prices(written(tmp_path, text))
    assert "prices.toml" in str(refused.value)
    assert told in str(refused.value)


FIELDS = st.sampled_from(
    "input output cached_input cache_write currency cache tiers summariser above_tokens "
    "minimum_tokens block_tokens seconds_per_1000_tokens other".split()
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=4),
    max_leaves=8,
)


@given(held=JSON)
def test_whatever_a_file_holds_it_is_prices_or_refused_by_name(held, tmp_path_factory):
    path = tmp_path_factory.mktemp("prices") / "p.json"
    path.write_text(json.dumps(held))
    with suppress(InvalidValue):
        assert cost_of([asked()], read_prices(path)).total >= 0


def test_a_file_is_json_by_its_ending_in_any_case_and_may_begin_with_a_mark(tmp_path):
    expected = PriceTable(Prices(1.0, output=2.0))
    as_json = json.dumps({"input": 1, "output": 2})
    assert read_prices(written(tmp_path, as_json, "P.JSON")) == expected
    assert read_prices(written(tmp_path, f"\ufeff{as_json}", "q.json")) == expected
    assert read_prices(written(tmp_path, "\ufeffinput = 1\noutput = 2")) == expected


def test_a_path_that_can_be_none_is_refused():
    with pytest.raises(InvalidValue):
        read_prices(Path("\0.toml"))


def test_each_summary_is_billed_by_the_size_of_its_own_prompt():
    prices = PriceTable(Prices(1.0, output=1.0), tiers=(Tier(1_000, Prices(9.0, output=9.0)),))
    summed = asked(tokens=0, summaries=2, summary_input_tokens=2_000)
    assert cost_of([summed], prices).summaries * M == pytest.approx(2_000)
