"""Conditions on the totals of a replay."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue
from lifelong.replay.assertions import METRICS, Assertion, failed, parse
from lifelong.replay.totals import WayTotals

GOOD = WayTotals("good", 16_384, requests=10, sent=10, survival=0.98, cost=1.5)
BAD = WayTotals("bad", 8_192, requests=10, sent=7, invalid=3, survival=0.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("survival>=0.97", ("survival", ">=", 0.97, "", None)),
        (" invalid == 0 ", ("invalid", "==", 0.0, "", None)),
        ("good:cost<=1_000.5", ("cost", "<=", 1000.5, "good", None)),
        ("clear+trim@16k:survival>95%", ("survival", ">", 0.95, "clear+trim", 16_384)),
        ("@8192:tokens<1000", ("tokens", "<", 1000.0, "", 8_192)),
        ("mod.a!=1", None),
        ("my.module:policy:survival>=0.9", ("survival", ">=", 0.9, "my.module:policy", None)),
        ("m:p@16k:survival>=0.9", ("survival", ">=", 0.9, "m:p", 16_384)),
        ("a@b@8k:invalid==0", ("invalid", "==", 0.0, "a@b", 8_192)),
        ("clear+trim @ 16k : cost <= .5", ("cost", "<=", 0.5, "clear+trim", 16_384)),
        ("@16,384:survival>=95 %", ("survival", ">=", 0.95, "", 16_384)),
        ("@1m:invalid==0", ("invalid", "==", 0.0, "", 1_048_576)),
        ("last-10:edits!=1", ("edits", "!=", 1.0, "last-10", None)),
    ],
)
def test_a_text_is_a_condition(text, expected):
    if expected is None:
        with pytest.raises(InvalidValue):
            parse(text)
        return
    found = parse(text)
    assert found == Assertion(text.strip(), *expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "survival",
        "survival>=",
        "survival=>0.9",
        "surviving>=1",
        "survival>=_",
        "cost>=1__0",
        "cost>=1_",
        "cost>=.",
        "a@:cost>=1",
        "a@x:cost>=1",
    ],
)
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(InvalidValue):
        parse(text)


def test_an_unknown_figure_is_refused_with_the_known():
    with pytest.raises(InvalidValue, match="survival_recall"):
        parse("tokenz>=1")
    assert "survival" in METRICS


def test_each_way_that_breaks_a_condition_is_named_with_its_figure():
    conditions = [parse("survival>=0.97"), parse("invalid==0")]
    assert failed(conditions, [GOOD]) == ()
    assert failed(conditions, [GOOD, BAD]) == (
        "survival>=0.97: bad at 8,192 has survival 0.5",
        "invalid==0: bad at 8,192 has invalid 3",
    )


def test_a_condition_holds_for_what_it_is_about():
    assert failed([parse("good:survival>=0.97")], [GOOD, BAD]) == ()
    assert failed([parse("@16k:invalid==0")], [GOOD, BAD]) == ()
    assert failed([parse("@8k:invalid==0")], [GOOD, BAD]) != ()


def test_a_condition_about_nothing_is_broken():
    assert "no such policy" in failed([parse("other:invalid==0")], [GOOD])[0]
    assert "no figure for cost" in failed([parse("cost<=1")], [BAD])[0]
    assert failed([parse("invalid==0")], []) != ()


@given(text=st.text(max_size=40) | st.from_regex(r"[a-z@:]{0,9}(survival|cost)[<>=]{1,2}[\d._%]+"))
def test_whatever_is_written_is_a_condition_or_refused(text):
    with suppress(InvalidValue):
        assert parse(text).metric in METRICS


def test_what_is_told_of_an_endless_text_is_short():
    with pytest.raises(InvalidValue) as refused:
        parse("a:" * 50_000 + "survival>>")
    assert len(str(refused.value)) < 300
