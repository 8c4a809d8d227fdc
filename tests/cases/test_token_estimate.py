"""Cases of the kind token-estimate: scripts, images and cuts, each in several forms."""

import pytest

from lifelong.formats import parse
from lifelong.messages import AttachmentPart, Message
from lifelong.working.counts import message_tokens
from lifelong.working.tokens import estimate_tokens
from lifelong.working.truncate import truncate

WIDE = {
    "japanese": "今日は雨です" * 70,
    "chinese": "天气很好" * 100,
    "traditional": "溫室的帳單還沒有付" * 50,
    "korean": "오늘은비가옵니다" * 60,
    "full width": "ＡＢＣ、１２３。" * 60,
}
NARROW = {
    "english": "the cat sat on the mat " * 50,
    "code": "def add(first, second):\n    return first + second\n" * 30,
}
OTHER = {
    "russian": "сегодня идёт дождь " * 60,
    "arabic": "اليوم تمطر " * 100,
    "hindi": "आज बारिश हो रही है " * 60,
    "thai": "วันนี้ฝนตก" * 80,
    "emoji": "🌧️☔👩‍👧" * 60,
    "nothing": "",
}


@pytest.mark.parametrize("script", WIDE)
def test_a_wide_script_is_not_counted_four_characters_a_token(script):
    text = WIDE[script]
    assert 0.4 <= estimate_tokens(text) / len(text) <= 2.5
    assert estimate_tokens(text) >= 1.5 * len(text) / 4


@pytest.mark.parametrize("kind", NARROW)
def test_english_and_code_are_not_counted_a_character_a_token(kind):
    text = NARROW[kind]
    assert 0.15 <= estimate_tokens(text) / len(text) <= 0.5


@pytest.mark.parametrize("kind", [*WIDE, *NARROW, *OTHER])
def test_two_texts_cost_no_less_than_the_dearer(kind):
    texts = {**WIDE, **NARROW, **OTHER}
    one = texts[kind]
    for other in texts.values():
        assert estimate_tokens(one + other) >= max(estimate_tokens(one), estimate_tokens(other))


DATA = "QUFB" * 350_000
SOURCE = {"type": "base64", "media_type": "image/png", "data": DATA}
ANTHROPIC = {"type": "image", "source": SOURCE}
URL = f"data:image/png;base64,{DATA}"


def anthropic_result(content):
    return {"type": "tool_result", "tool_use_id": "t1", "content": content}


def gemini_result(parts):
    return {"functionResponse": {"id": "t1", "name": "f", "response": {}, "parts": parts}}


PLACES = {
    "anthropic, in an item": ("anthropic", {"role": "user", "content": [ANTHROPIC]}),
    "anthropic, in a result": (
        "anthropic",
        {"role": "user", "content": [anthropic_result([ANTHROPIC])]},
    ),
    "anthropic, nested": (
        "anthropic",
        {"role": "user", "content": [anthropic_result([{"type": "x", "shown": ANTHROPIC}])]},
    ),
    "chat, in an item": (
        "chat",
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": URL}}]},
    ),
    "responses, in an item": (
        "responses",
        {"role": "user", "content": [{"type": "input_image", "image_url": URL}]},
    ),
    "responses, in a result": (
        "responses",
        {
            "type": "function_call_output",
            "call_id": "t1",
            "output": [{"type": "input_image", "image_url": URL}],
        },
    ),
    "gemini, in an item": (
        "gemini",
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": DATA}}]},
    ),
    "gemini, in a result": (
        "gemini",
        {
            "role": "user",
            "parts": [gemini_result([{"inlineData": {"mimeType": "image/png", "data": DATA}}])],
        },
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_image_costs_an_image_wherever_it_stands(place):
    format, item = PLACES[place]
    bare = message_tokens(Message("user", (AttachmentPart("image/png"),)))
    (message,) = parse([item], format)
    tokens = message_tokens(message)
    assert 0 < tokens < 10_000
    assert abs(tokens - bare) <= 20


@pytest.mark.parametrize(
    ("media_type", "block"),
    [
        ("application/pdf", {"type": "document", "source": {**SOURCE, "media_type": "x/y"}}),
        ("audio/wav", {"type": "input_audio", "input_audio": {"data": DATA, "format": "wav"}}),
        ("application/pdf", {"type": "file", "file": {"file_data": URL}}),
    ],
)
def test_other_media_are_not_counted_by_their_length_either(media_type, block):
    message = Message("user", (AttachmentPart(media_type, raw=block),))
    assert 0 < message_tokens(message) < 10_000


MIXED = {
    "the reported one": "a" * 99 + "\U0001f469\u200d\U0001f467" + "é" * 50,
    "decomposed": "a" * 60 + "e\u0301" * 60,
    "flags": "🇩🇪🇫🇷" * 40,
    "wide": "天气很好" * 40,
    "emoji": "👩🏽‍💻❤️1️⃣" * 20,
}
SIZES = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "tokens": estimate_tokens,
}


@pytest.mark.parametrize("unit", SIZES)
@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("marker", ["…", "\n[cut]\n", ""])
def test_a_cut_leaves_whole_characters_within_the_limit(kind, unit, marker):
    text = MIXED[kind]
    for limit in range(1, 161):
        cut = truncate(text, limit, unit=unit, marker=marker)
        cut.encode("utf-8", "strict")
        assert "\ufffd" not in cut
        assert SIZES[unit](cut) <= limit
        head, found, tail = cut.partition(marker) if marker else (cut, "", "")
        if found:
            assert text.startswith(head)
            assert text.endswith(tail)
        elif marker:
            assert cut in {"", text}
        else:
            assert any(
                text.startswith(cut[:at]) and text.endswith(cut[at:]) for at in range(len(cut) + 1)
            )
