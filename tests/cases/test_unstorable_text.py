"""Cases of the kind unstorable-text: NUL and lone surrogates, by every way in."""

import pytest

from lifelong import (
    AttachmentPart,
    Message,
    OpaquePart,
    Origin,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.conformance import said, texts

NUL = "plum \x00 jam"
SURROGATE = "start \udc97 end"
BAD = "bad\x00\udc97\ud800word"
CLEAN = "bad\ufffd\ufffd\ufffdword"

ITEMS = {
    "text": {"role": "user", "content": BAD},
    "text part": {"role": "user", "content": [{"type": "text", "text": BAD}]},
    "name": {"role": "user", "content": "x", "name": BAD},
    "role": {"role": BAD, "content": "x"},
    "id": {"role": "user", "content": "x", "id": BAD},
    "unknown field": {"role": "user", "content": "x", "y": {BAD: [BAD]}},
    "unknown part": {"role": "user", "content": [{"type": BAD, BAD: BAD}]},
    "reasoning": {"role": "assistant", "content": "x", "reasoning_content": BAD},
    "result": {"role": "tool", "tool_call_id": BAD, "content": BAD},
    "call": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": BAD, "type": "function", "function": {"name": BAD, "arguments": BAD}},
        ],
    },
}

PARTS = {
    "text": TextPart(BAD, raw={BAD: BAD}),
    "reasoning": ReasoningPart(BAD),
    "call": ToolCallPart(BAD, BAD, {BAD: [BAD]}),
    "call of text": ToolCallPart(BAD, BAD, BAD),
    "result": ToolResultPart(BAD, BAD),
    "attachment": AttachmentPart(BAD, BAD, raw={"x": BAD}),
    "opaque": OpaquePart(BAD, raw={"x": BAD}),
}


def exported(owner):
    """Return the export, which must be strict UTF-8 and hold nothing that cannot be stored."""
    text = "\n".join(owner.export())
    text.encode()
    assert "\\u0000" not in text
    assert "\\ud" not in text.lower()
    assert "\x00" not in text
    return text


def test_d17_a_nul_is_replaced_the_same_way_everywhere(place):
    owner = place.owner
    assert owner.session("s").append(said(NUL)).cleaned == 1
    kept = owner.remember(NUL).memory
    owner = place.reopen()
    assert texts(owner.session("s").messages()) == ["plum \ufffd jam"]
    assert owner.memory(kept.id).text == "plum \ufffd jam"
    assert len(owner.recall("jam").hits) == 2
    assert len(owner.recall("plum \x00 jam").hits) == 2
    exported(owner)


def test_d18_a_lone_surrogate_is_replaced_the_same_way_everywhere(place):
    owner = place.owner
    assert owner.session("s").append(said(SURROGATE)).cleaned == 1
    assert owner.remember(SURROGATE).memory.text == "start \ufffd end"
    owner = place.reopen()
    assert texts(owner.session("s").messages()) == ["start \ufffd end"]
    assert len(owner.recall("end").hits) == 2
    assert "start \ufffd end" in exported(owner)
    for form in ("chat", "anthropic"):
        str(owner.session("s").render(form).items).encode()


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_d18_variant_in_any_field_of_an_item(place, item):
    done = place.owner.session("s").append([item])
    assert (done.added, done.cleaned) == (1, 1)
    (message,) = place.reopen().session("s").messages()
    repr(message.raw).encode()
    repr(message).encode()
    exported(place.owner)
    place.owner.recall("x")


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_d18_variant_in_any_field_of_a_message_made_in_code(place, part):
    message = Message("assistant", (part,), speaker=BAD, raw={BAD: BAD})
    assert place.owner.session("s").append(message).cleaned == 1
    (found,) = place.reopen().session("s").messages()
    repr((found, found.parts[0].raw, found.raw)).encode()
    exported(place.owner)


def test_d18_variant_in_everything_that_is_said_of_a_memory(place):
    owner = place.owner
    kept = owner.remember(
        BAD, metadata={BAD: {BAD: [BAD]}}, origin=Origin("document", source=BAD)
    ).memory
    assert place.reopen().memory(kept.id) == kept
    assert (kept.text, kept.origin.source) == (CLEAN, CLEAN)
    assert kept.metadata == {CLEAN: {CLEAN: [CLEAN]}}
    place.owner.update(kept.id, f"new {BAD}", metadata={BAD: 1})
    assert place.owner.memory(kept.id).metadata == {CLEAN: 1}
    exported(place.owner)


def test_d18_variant_what_is_asked_for_is_replaced_like_what_was_stored(place):
    place.owner.remember("x", metadata={BAD: BAD})
    place.owner.session("s").append(said(BAD))
    assert len(place.owner.memories(metadata={BAD: BAD})) == 1
    assert place.owner.forget(match=BAD, dry_run=True).counts["message"] == 1


def test_d18_variant_in_titles_and_states(place):
    owner = place.owner
    owner.session("s").append(said(BAD))
    owner.session("s").describe(title=BAD, metadata={BAD: BAD})
    owner.set("n", [BAD])
    (listed,) = place.reopen().sessions()
    assert (listed.title, listed.metadata) == (CLEAN, {CLEAN: CLEAN})
    assert place.owner.get("n") == [CLEAN]
    exported(place.owner)


def test_d18_variant_a_pair_of_surrogates_is_the_character_that_it_stands_for(place):
    place.owner.session("s").append(said("\ud83d\udc69 here"))
    assert texts(place.reopen().session("s").messages()) == ["\U0001f469 here"]


def test_d17_variant_nothing_is_left_of_a_turn_that_is_refused(place):
    session = place.owner.session("s")
    session.append(said("one"))
    with pytest.raises(ValueError, match="role"):
        session.append([{"role": "user", "content": NUL}, {"content": SURROGATE}])
    assert texts(session.messages()) == ["one"]
