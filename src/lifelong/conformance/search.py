# ruff: noqa: S101 - tests are made of assertions
"""Search: what the words of a question find, in any script, and how it is scored and limited."""

from __future__ import annotations

import math
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.owner import Owner
from lifelong.working.tokens import estimate_tokens

FIRST_HITS = [
    ("Ticket KTX-207 waits for review", "KTX-207"),
    ("Use GB/s, not MB/s", "GB/s"),
    ("Mr O'Hara prefers C++", "O'Hara"),
    ("Mr O'Hara prefers C++", "C++"),
    ("The host is 10.0.0.1 now", "10.0.0.1"),
    ("Write to ida@example.org", "ida@example.org"),
    ("call snake_case_name()", "snake_case_name"),
    ("She was running late", "run"),
    ("母の誕生日は五月です", "誕生日"),
    ("仓库钥匙在抽屉里", "钥匙"),
    ("仓库钥匙在抽屉里", "仓库钥匙"),
    ("仓库钥匙在抽屉里", "匙"),
    ("\U00020bb7野家で昼ご飯", "\U00020bb7野"),
    ("서울에서 만나요", "서울"),
    ("ฉันชอบกาแฟ", "กาแฟ"),
    ("नमस्ते दुनिया", "दुनिया"),
    ("Ключ лежит под Ковриком", "ковриком"),
    ("الموعد يوم الخميس", "الخميس"),
    ("M\u00e1laga flat", "Ma\u0301laga"),
    ("\uff21\uff22\uff2312 badge", "ABC12"),
    ("ｶﾀｶﾅ menu", "カタカナ"),
    ("Stra\u00dfe 5", "STRASSE"),
    ("the db path is long", "db"),
]
"""A memory, and a question that must return it first."""

OTHERS = ["Soup needs more salt", "Осенью идут дожди", "天气很好", "يوم جميل"]

NO_QUERY_LANGUAGE = [
    "don't",
    '"',
    "(",
    "'",
    "*",
    "a*",
    "^salt",
    "text:salt",
    "NEAR(salt soup)",
    "salt AND",
    "NOT salt",
    "OR OR OR",
    "'; DROP TABLE memory; --",
    '") OR 1=1 --',
    "\\",
    "%",
    "_",
    "{}[]<>",
    "\u0000salt",
    "\udc97",
    "-",
    "salt -soup",
    "a" * 70_000,
    "匙",
]

BLANK = ["", "   ", "\n\t", "?!", "\u3000", "\u200b"]


class SearchSuite:
    """What a store promises of the words it is asked for."""

    @pytest.mark.parametrize(("text", "question"), FIRST_HITS)
    def test_a_word_finds_its_memory_and_its_message(
        self, place: Place, text: str, question: str
    ) -> None:
        """Whatever marks are in it, in whatever script, spaced or not."""
        owner = place.owner
        for other in OTHERS:
            owner.remember(other)
        kept = owner.remember(text)
        owner.session("s").append(said(*OTHERS[:2], text, *OTHERS[2:]))
        from_memory = owner.recall(question, sources=["memory"])
        from_log = place.reopen().recall(question, sources=["log"])
        assert from_memory.hits[0].id == kept.id
        assert from_memory.hits[0].text == text
        assert from_log.hits[0].text == text

    def test_a_question_is_no_query_language(self, place: Place) -> None:
        """Nothing in it raises, and nothing in it matches more than its words."""
        owner = place.owner
        owner.remember("Soup needs more salt")
        owner.remember("Trams run late")
        owner.session("s").append(said("Trams run late"))
        for question in NO_QUERY_LANGUAGE:
            found = texts(owner.recall(question))
            assert all("salt" in question and "salt" in text for text in found), question
        assert len(owner.memories()) == 2

    def test_a_question_without_words_finds_nothing(self, place: Place) -> None:
        """And says why; it never returns everything."""
        place.owner.remember("Soup needs more salt")
        for question in BLANK:
            found = place.owner.recall(question)
            assert (found.hits, found.text, found.nothing_relevant) == ((), "", True), question
            assert found.reasons

    def test_words_that_were_never_said_find_nothing(self, place: Place) -> None:
        """With the reason."""
        place.owner.remember("Soup needs more salt")
        found = place.owner.recall("helicopter")
        assert found.nothing_relevant
        assert found.reasons

    def test_an_exact_match_scores_one(self, place: Place) -> None:
        """Scores are from 0 to 1, higher is better, and the least score is a limit."""
        owner = place.owner
        owner.remember("The bike is locked at gate 7")
        owner.remember("Soup needs more salt at the gate")
        found = owner.recall("the bike is locked at GATE 7")
        assert texts(found)[0] == "The bike is locked at gate 7"
        assert found.hits[0].score == 1
        assert all(0 <= hit.score <= 1 for hit in found.hits)
        assert [hit.score for hit in found.hits] == sorted(
            (hit.score for hit in found.hits), reverse=True
        )
        limited = owner.recall("The bike is locked at gate 7", min_score=0.99)
        assert texts(limited) == ["The bike is locked at gate 7"]

    def test_filters_hold_before_the_limit(self, place: Place) -> None:
        """However many others are nearer to the question."""
        owner = place.owner
        for number in range(50):
            owner.remember(f"tram tram {number}", namespace=("bo",), metadata={"who": "bo"})
        for number in range(5):
            owner.remember(
                f"a tram, some long words and the number {number}",
                kind="event",
                namespace=("ann",),
                metadata={"who": "ann"},
                importance=1,
            )
        for narrowed in (
            owner.recall("tram", limit=5, namespace=("ann",)),
            owner.recall("tram", limit=5, kinds=["event"]),
            owner.recall("tram", limit=5, metadata={"who": "ann"}),
        ):
            assert len(narrowed.hits) == 5
            assert {hit.memory and hit.memory.namespace for hit in narrowed.hits} == {("ann",)}

    @pytest.mark.parametrize(("limit", "expected"), [(0, 0), (1, 1), (3, 3), (None, 4), (99, 4)])
    def test_a_limit_of_hits(self, place: Place, limit: int | None, expected: int) -> None:
        """None means as many as fit."""
        for number in range(4):
            place.owner.remember(f"tram {number}")
        assert len(place.owner.recall("tram", limit=limit).hits) == expected

    def test_a_budget_of_tokens(self, place: Place) -> None:
        """What is returned fits, and what did not fit is told."""
        for number in range(30):
            place.owner.remember(f"tram number {number} runs late again today")
        everything = place.owner.recall("tram", tokens_max=10_000)
        some = place.owner.recall("tram", tokens_max=100)
        assert len(everything.hits) == 30
        assert 0 < some.tokens <= 100
        assert some.tokens == estimate_tokens(some.text)
        assert all(hit.text in some.text for hit in some.hits)
        assert some.reasons
        assert place.owner.recall("tram", tokens_max=0).nothing_relevant

    def test_a_hit_says_where_it_stands_and_why(self, place: Place) -> None:
        """The parts of a score are features that are not zero."""
        at = place.clock.now() - timedelta(days=3)
        place.owner.session("s").append(
            [{"role": "user", "content": "The tram is late", "name": "Ida"}],
            ids=["m1"],
            sent_at=at,
        )
        (hit,) = place.owner.recall("tram", sources=["log"]).hits
        assert (hit.id, hit.source, hit.session_id) == ("m1", "log", "s")
        assert (hit.role, hit.speaker, hit.at, hit.memory) == ("user", "Ida", at, None)
        assert hit.parts
        assert all(part.value != 0 for part in hit.parts)

    def test_of_a_long_message_the_passage_is_shown(self, place: Place) -> None:
        """Not its first words, and not all of it."""
        filler = "Nothing of note was said about this at all today. " * 400
        place.owner.session("s").append(said(f"{filler}The code word is marigold. {filler}"))
        (hit, *_) = place.owner.recall("marigold").hits
        assert "The code word is marigold." in hit.text
        assert len(hit.text.split()) <= 130

    def test_only_what_was_said_is_searched(self, place: Place) -> None:
        """Calls and results are; a model's reasoning is not."""
        place.owner.session("s").append(
            [
                {"role": "assistant", "content": "yes", "reasoning_content": "secretly zebra"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "lamp", "arguments": '{"room": "kitchen"}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "switched on"},
            ]
        )
        assert place.owner.recall("kitchen").hits[0].role == "assistant"
        assert place.owner.recall("switched").hits[0].role == "tool"
        assert not any("zebra" in text for text in texts(place.owner.recall("zebra")))

    def test_times_from_the_future_are_scored_like_now(self, place: Place) -> None:
        """An age below zero neither raises nor wins."""
        owner, start = place.owner, place.clock.now()
        for number, days in enumerate([0, 10, 30]):
            place.clock.set(start + timedelta(days=days))
            owner.remember(f"tram line {number}")
        owner.session("s").append(said("tram line"), sent_at=start + timedelta(days=90))
        place.clock.set(start)
        found = owner.recall("tram line", limit=3, sources=["memory"])
        assert len(found.hits) == 3
        assert all(math.isfinite(hit.score) and 0 <= hit.score <= 1 for hit in found.hits)
        assert max(hit.score for hit in found.hits) == min(hit.score for hit in found.hits)
        assert len(owner.recall("tram line").hits) == 4

    def test_another_engine_finds_what_was_just_written(self, place: Place) -> None:
        """What one engine holds in memory of the log is never older than its question."""
        mine, theirs = place.owner, place.beside()
        mine.session("s").append(said("tram one", "soup", "tram two"), ids=["a", "b", "c"])
        assert len(theirs.recall("tram", sources=["log"]).hits) == 3
        mine.forget("b", session="s")
        mine.session("s").append(said("tram three"))
        assert set(texts(theirs.recall("tram"))) == {"tram one", "tram two", "tram three"}
        theirs.forget(session="s")
        theirs.session("s").append(said("tram four"))
        assert texts(mine.recall("tram")) == ["tram four"]

    def test_rebuilding_the_index_changes_no_answer(self, place: Place) -> None:
        """What is derived can be made again from what is canonical."""
        owner = place.owner
        for text, _ in FIRST_HITS:
            owner.remember(text)
            owner.session("s").append(said(text), sent_at="2026-03-10T00:30:00+09:00")
        questions = [*(question for _, question in FIRST_HITS), "what was on 10 March 2026?"]
        before = [_found(owner, question) for question in questions]
        assert owner.reindex() == len(owner.memories()) + len(owner.session("s").messages())
        assert [_found(owner, question) for question in questions] == before
        assert [_found(place.reopen(), question) for question in questions] == before


def _found(owner: Owner, question: str) -> list[Any]:
    """Return all of an answer but when its memories were last used: that it was asked is noted."""
    found = owner.recall(question)
    hits = [{**asdict(hit), "memory": hit.memory and hit.memory.id} for hit in found.hits]
    return [hits, found.text, found.doubts, found.pairs, found.reasons]
