"""Passages: pieces of a message that are searched, and that together are all of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.memory.passages import (
    PASSAGE_WORDS,
    WHOLE_WORDS_MAX,
    as_passage,
    cut,
    passage,
    searchable_text,
)
from lifelong.rows import WORDS_MAX

SENTENCE = "The tram to Malmo runs late on most days of the week."  # 12 words
LONGER = st.lists(
    st.sampled_from(
        [SENTENCE, "Why?", "\n", "\n\n", " ", "word ", "名前は。", "x" * 90, "1.5 ", '"Yes!" ', "."]
    ),
    max_size=400,
).map(" ".join)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_a_blank_text_has_no_passage(text):
    assert cut(text) == []


@pytest.mark.parametrize("words", [1, 100, 130])
def test_a_short_text_is_one_passage(words):
    text = " ".join(["word"] * words)
    assert cut(text) == [text]


def test_a_long_text_is_cut_at_the_ends_of_sentences():
    text = " ".join([SENTENCE] * 20)  # 240 words: eight sentences are 96
    passages = cut(text)
    assert [len(each.split()) for each in passages] == [96, 96, 48]
    assert all(each.rstrip().endswith(".") for each in passages)
    assert "".join(passages) == text


def test_lines_end_pieces_too():
    text = "\n".join(["a line of five words"] * 40)
    passages = cut(text)
    assert [len(each.split()) for each in passages] == [100, 100]
    assert passages[0].endswith("\n")


def test_a_sentence_that_does_not_end_is_cut_between_words():
    text = "tram " * 500
    passages = cut(text)
    assert "".join(passages) == text
    assert all(each == "tram " * (len(each) // 5) for each in passages)


def test_a_closing_quote_stays_with_its_sentence():
    text = ('He said "no more soup today please." ' * 30).strip()
    assert all(each.startswith("He said") for each in cut(text))


@given(st.one_of(st.text(), LONGER))
def test_joined_passages_are_the_text(text):
    passages = cut(text)
    if text.strip():
        assert "".join(passages) == text
        assert all(passages)
    else:
        assert passages == []


@given(LONGER)
def test_each_passage_can_be_asked_for_by_its_number(text):
    passages = cut(text)
    assert [passage(text, number) for number in range(len(passages))] == passages
    assert passage(text, len(passages)) == ""


@given(LONGER)
def test_no_passage_is_much_longer_than_a_hundred_words(text):
    passages = cut(text)
    assert all(len(each.split()) <= WHOLE_WORDS_MAX for each in passages)
    if len(passages) > 1:
        assert all(len(each.split()) <= PASSAGE_WORDS for each in passages)


def test_no_passage_is_too_long_where_nothing_ends_a_sentence():
    # A posting can say at most 255 words; what is longer would be scored as if it were short.
    longest = {
        unit: max(as_passage(each).words for each in cut(unit * 2_000))
        for unit in ("word ", "a ", "7 ", "a-b ", "x" * 50, "钥匙")
    }
    assert {unit: words for unit, words in longest.items() if words >= WORDS_MAX} == {}


def test_the_words_of_a_passage_are_those_of_the_index():
    assert as_passage("The tram", "Ida").text == "ida: the tram"
    assert as_passage("The tram", "Ida").words == 3
    assert as_passage("仓库钥匙").words == 4
    assert as_passage("word " * 300).words == WORDS_MAX


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ((TextPart("one"), TextPart("two")), "one\ntwo"),
        ((ReasoningPart("hidden"), TextPart("said")), "said"),
        ((ToolResultPart("c1", "wet"),), "wet"),
        (
            (ToolCallPart("c1", "lamp", {"room": "kitchen", "n": 3, "on": [True, "x"]}),),
            "lamp kitchen x",
        ),
        ((ToolCallPart("c1", "lamp", "free text"),), "lamp free text"),
        ((AttachmentPart("image/png", "a cat"),), "[image: a cat]"),
        ((AttachmentPart("image/png"),), ""),
        ((OpaquePart("thing", {"a": "b"}),), ""),
        ((TextPart(""), TextPart("x")), "x"),
        ((), ""),
    ],
)
def test_what_of_a_message_is_searched(parts, text):
    assert searchable_text(Message("assistant", parts)) == text


def test_deep_arguments_are_read_in_their_order():
    value = "z"
    for name in "yxwv":
        value = {"list": [name, value]}
    call = ToolCallPart("c", "f", value)
    assert searchable_text(Message("assistant", (call,))) == "f v w x y z"
