"""Mending as a whole: what holds for every format and profile, whatever is given."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue, UnknownFormat
from lifelong.formats import FORMATS, Rendered
from lifelong.formats.mending import PROFILES, Mended, mend
from lifelong.formats.validation import PROFILES as JUDGED_PROFILES
from lifelong.formats.validation import problems
from tests.unit.nasty_items import JSON, TEXTS, nasty, wild

each_format = pytest.mark.parametrize("format", FORMATS)

SYSTEMS = st.one_of(
    st.none(),
    TEXTS,
    st.lists(
        st.builds(
            lambda text, mark: {"type": "text", "text": text, "cache_control": mark},
            TEXTS,
            st.sampled_from([None, {"type": "ephemeral"}, "yes"]),
        ),
        max_size=3,
    ),
)

FIRST = "its thinking is not first"
# A reply that begins with a compaction and goes on with thinking cannot have both first.


def judged(mended, format, profile):
    """Return the problems; an empty payload is for the caller to fill, and has none here."""
    if not mended.items:
        return []
    if format != "anthropic":
        return problems(mended.items, format, profile)
    found = problems({"system": mended.system, "messages": mended.items}, format, profile)
    return [each for each in found if not (is_compacted(mended) and FIRST in each)]


def is_compacted(mended):
    content = mended.items[0].get("content")
    return isinstance(content, list) and content[0].get("type") == "compaction"


def check(rendered, format):
    """Hold a mended payload against the validator, and mend it again."""
    before = copy.deepcopy(rendered)
    for profile in PROFILES[format]:
        mended = mend(rendered, format, profile)

        assert judged(mended, format, profile) == []
        assert rendered == before
        again = mend(Rendered(mended.items, mended.system), format, profile)
        assert again == Mended(mended.items, mended.system)
        if not mended.changes:
            given = zip(mended.items, rendered.items, strict=True)
            assert all(new is old for new, old in given)
            assert mended.system is rendered.system


@each_format
@given(data=st.data())
def test_nasty_items_are_accepted_once_mended(format, data):
    items = data.draw(nasty(format))
    check(Rendered(items, data.draw(SYSTEMS)), format)
    for profile in PROFILES[format] if items else ():
        mended = mend(Rendered(items), format, profile)
        refusals = problems(items, format, profile)

        # What is accepted is left as it is, and nothing else.
        if not any(FIRST in each for each in refusals):
            assert (mended == Mended(items)) == (refusals == [])


@each_format
@given(data=st.data())
def test_wild_items_are_accepted_once_mended(format, data):
    check(Rendered(data.draw(wild(format)), data.draw(SYSTEMS | JSON)), format)


def test_the_profiles_are_those_of_the_validators():
    assert PROFILES == JUDGED_PROFILES


def test_an_unknown_format_or_profile_is_refused():
    with pytest.raises(UnknownFormat, match="'smoke' is not one of"):
        mend(Rendered([]), "smoke")
    with pytest.raises(InvalidValue, match="'smoke' is no profile of chat: openai"):
        mend(Rendered([]), "chat", "smoke")


@each_format
def test_nothing_stays_nothing(format):
    for profile in PROFILES[format]:
        assert mend(Rendered([]), format, profile) == Mended([])


@each_format
def test_where_nothing_is_left_nothing_is_said(format):
    key = "parts" if format == "gemini" else "content"
    mended = mend(Rendered([{"role": "assistant", key: None}]), format)

    assert mended.items == []
    assert len(mended.changes) >= 1


@each_format
@given(data=st.data())
def test_changes_name_a_place_and_quote_no_content(format, data):
    secret = "s3cret"
    items = json.loads(json.dumps(data.draw(nasty(format))).replace('"hi"', f'"{secret}"'))

    for change in mend(Rendered(items), format).changes:
        assert change.startswith(("items[", "system:"))
        assert change.endswith(".")
        assert secret not in change
