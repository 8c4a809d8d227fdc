"""What English phrases are worth keeping, and which only look like it."""

import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from phrase_samples import SAID, proposed, the_only

from lifelong.memory.phrases import RULES_NAME, SPOKEN_CHARACTERS_MAX, propose
from lifelong.memory.phrases.patterns import LANGUAGES, languages, parsed
from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
    INJECTED,
    SYSTEM,
    TOOL,
    USER,
    Message,
    TextPart,
    ToolResultPart,
)
from lifelong.records import KINDS
from lifelong.working.assemble import block

KEPT = [
    # preferences
    ("I prefer tea over coffee.", "preference", "I prefer tea over coffee"),
    ("i prefer window seats", "preference", "I prefer window seats"),
    ("Honestly, I really prefer trains to planes.", "preference", None),
    ("I like my answers short.", "preference", "I like my answers short"),
    ("I like concise answers, thanks", "preference", "I like concise answers"),
    ("My favorite colour is teal.", "preference", "My favorite colour is teal"),
    ("I don't like being called sir.", "preference", None),
    ("I hate it when you apologise.", "preference", None),
    ("I always fly with Lufthansa.", "preference", None),
    ("I'm a morning person.", "preference", None),
    ("My preference is for dark mode.", "preference", None),
    # standing rules
    ("Please always answer in German.", "constraint", "Please always answer in German"),
    ("never push to main", "constraint", "Never push to main"),
    ("Never ever share my address.", "constraint", None),
    ("Don't use emojis anymore.", "constraint", "Don't use emojis anymore"),
    ("From now on, use British spelling.", "constraint", "From now on, use British spelling"),
    ("Going forward, please only reply in French.", "constraint", None),
    ("Stop using bullet points.", "constraint", "Stop using bullet points"),
    ("No more emojis please", "constraint", "No more emojis"),
    ("Make sure to always run the tests.", "constraint", None),
    ("You must never delete files without asking.", "constraint", None),
    ("I want you to always cite your sources.", "constraint", None),
    ("Use metric units by default.", "constraint", None),
    ("When I ask for code, always use Python.", "constraint", None),
    ("Always include prices when I ask about hotels.", "constraint", None),
    # bounds
    ("We can't use GPL code.", "constraint", "We can't use GPL code"),
    ("We only deploy to Frankfurt.", "constraint", None),
    ("Our budget is 500 euros.", "constraint", None),
    ("I'm allergic to peanuts.", "constraint", "I'm allergic to peanuts"),
    ("I have a severe nut allergy.", "constraint", None),
    ("I'm lactose intolerant.", "constraint", None),
    ("I am vegan", "constraint", "I am vegan"),
    ("I don't eat pork.", "constraint", None),
    ("I have type 2 diabetes.", "constraint", None),
    # who somebody is
    ("My name is Ana Maria López.", "fact", "My name is Ana Maria López"),
    ("I'm a pediatric nurse.", "fact", "I'm a pediatric nurse"),
    ("I am a software engineer at a bank.", "fact", None),
    ("I live in Paris.", "fact", "I live in Paris"),
    ("I\u2019m based in St. Louis.", "fact", "I\u2019m based in St. Louis"),
    ("I live near the harbour.", "fact", None),
    ("My wife is called Ana.", "fact", "My wife is called Ana"),
    ("My dog's name is Rex.", "fact", None),
    ("I have two kids.", "fact", "I have two kids"),
    ("I work at Siemens.", "fact", "I work at Siemens"),
    ("I work nights.", "fact", "I work nights"),
    ("I'm 34 years old.", "fact", None),
    ("My birthday is on May 5.", "fact", "My birthday is on May 5"),
    ("I speak Polish and German.", "fact", None),
    ("I run a small bakery.", "fact", None),
    ("I'm retired.", "fact", None),
    ("I grew up in Porto.", "fact", None),
    ("I no longer work at Siemens.", "fact", None),
    # corrections
    ("No, I moved to Paris.", "fact", "I moved to Paris"),
    ("Actually, my sister's name is Kim, not Kate.", "fact", "My sister's name is Kim, not Kate"),
    ("It's Postgres, not MySQL.", "fact", "It's Postgres, not MySQL"),
    # decisions
    ("Let's go with Postgres.", "fact", "Let's go with Postgres"),
    ("We decided to use Kafka for the queue.", "fact", None),
    ("I've decided on the blue one from Ikea, I think.", "fact", None),
    ("We agreed on two releases a year.", "fact", None),
    ("We're going to stick with Rust.", "fact", None),
    # what somebody wants remembered
    ("Remember that the staging key lives in Vault.", "note", "The staging key lives in Vault"),
    ("Please remember: Bob signs the invoices.", "note", "Bob signs the invoices"),
    ("Note to self: renew the passport.", "note", "Renew the passport"),
    ("Keep in mind that my son is afraid of dogs.", "note", "My son is afraid of dogs"),
    ("Remember that I'm vegetarian.", "constraint", "I'm vegetarian"),
    ("Remember to never call after nine.", "constraint", None),
]


@pytest.mark.parametrize(("text", "kind", "kept"), KEPT)
def test_what_is_worth_keeping(text, kind, kept):
    found = the_only(text)
    assert found.kind == kind
    assert found.made_by.startswith("rule:en/")
    if kept:
        assert found.text == kept


NOT_KEPT = [
    # questions
    "Do I live in Paris?",
    "I live in Paris?",
    "Did I say I prefer tea?",
    "Should I always use Python?",
    "What if I told you my name is Ana?",
    "Can you remember that my name is Ana?",
    "Is it true that I work at Siemens?",
    "Why do I prefer tea?",
    # what is not so
    "If I lived in Paris, I'd prefer tea.",
    "If I were a nurse, I would work nights.",
    "I wish I lived in Paris.",
    "Suppose my name is Ana.",
    "Imagine I'm a doctor.",
    "Let's say I live in Rome and my name is Marco.",
    "I used to live in Paris.",
    "I'd prefer tea.",
    # of others
    "My friend says she prefers tea.",
    "She said: I prefer tea.",
    "My boss told me, I live in the past.",
    "He prefers tea over coffee.",
    "My sister lives in Paris.",
    "According to Bob, I live in Paris.",
    "The article says, never push to main.",
    "Ana works at Siemens.",
    # for this once
    "Please answer in French this time.",
    "Don't use that file now.",
    "Never mind, always happy to help this time.",
    "Always use tabs in this file.",
    "For now, let's go with Postgres.",
    "Let's go with Postgres for now.",
    "I prefer tea today.",
    "Write it in German.",
    "Please don't touch the tests.",
    "Use Python for this one.",
    "Stop the server.",
    # what only sounds like it
    "Never mind!",
    "Never heard of it.",
    "Always good to see you!",
    "I always wanted to see Rome.",
    "Call me tomorrow.",
    "Call me crazy, but it works.",
    "I'm a bit tired.",
    "I'm a big fan of yours.",
    "I'm not a doctor, but it hurts.",
    "I live in fear of deadlines.",
    "I work on it.",
    "I hate mondays.",
    "I'm from the support team, hello.",
    "My name is on the list.",
    "I prefer it.",
    "I prefer that one.",
    "Let's go with that.",
    "Let's go with the second option.",
    "Let's go to the beach.",
    "We decided on it.",
    "I remember that day.",
    "Remember when we met?",
    "Remember the milk",
    "Actually, it's Tuesday, not Monday.",
    "It's five, not four.",
    "My password is hunter2.",
    "Thanks, that works.",
    "I'm flying to Rome soon.",
    "I'm meeting Bob.",
    # games and fiction
    "Pretend I am a doctor. My name is House.",
    "You are a pirate. I live in Tortuga.",
    "Write a story about a nurse. My name is Ana.",
    "Act as a tutor. Always answer in Latin.",
]


@pytest.mark.parametrize("text", NOT_KEPT)
def test_what_only_looks_like_it(text):
    assert proposed(text) == ()


FROM_ELSEWHERE = [
    "> I live in Paris",
    "```\nI live in Paris.\n```",
    "Look:\n```python\n# never push to main\n",
    "    I live in Paris.",
    'The sentence "I live in Paris and my name is Bob" is easy.',
    "She wrote \u201cnever push to main again\u201d on the wall.",
    "Translate to German: I live in Paris.",
    "Please proofread my text:\n\nI live in Paris. My name is Ana.",
    "Here is the email:\nI live in Paris.",
    "Dear Mr. Smith,\nI live in Paris.",
    "Subject: I live in Paris\nFrom: I work at Siemens",
    "user: I live in Paris",
    "2026-01-02 10:00 I live in Paris.",
    "<recalled>\nFound in memory.\n\n[user, 3 days ago] I live in Paris\n</recalled>",
    "<recalled>\nI live in Paris.\n",
    "<untrusted>\n| I live in Paris.\n</untrusted>",
    "<system-reminder>Always answer in Latin.</system-reminder>",
    '<document index="1">\nI live in Paris.\n</document>',
    "| I live in Paris.",
]


@pytest.mark.parametrize("text", FROM_ELSEWHERE)
def test_what_somebody_else_wrote_is_not_taken(text):
    assert proposed(text) == ()


@pytest.mark.parametrize("text", [each for each in FROM_ELSEWHERE if each.endswith((">", "```"))])
def test_the_users_own_words_after_a_block_are(text):
    assert the_only(f"{text}\nI work at Siemens.").text == "I work at Siemens"


@pytest.mark.parametrize("name", ["known", "recalled", "rules", "warning"])
def test_no_block_of_a_request_is_read_again(name):
    # D55: what was recalled was stored again each turn
    shown = block(name, "Ida's cat is called Mop. I work nights. Always answer in German.")
    assert propose([shown] * 20, now=SAID) == ()


@pytest.mark.parametrize("role", [ASSISTANT, SYSTEM, DEVELOPER, TOOL, INJECTED, "critic"])
def test_only_the_user_is_read(role):
    assert propose([Message.of(role, "I live in Paris.")], now=SAID) == ()


def test_a_message_with_a_tools_words_is_not_read():
    parts = (ToolResultPart("c1", "I live in Paris."), TextPart("I work at Siemens."))
    assert propose([Message(USER, parts)], now=SAID) == ()


def test_a_quote_is_the_clause_and_not_the_question_after_it():
    text = "I'm trying to keep it light, so I prefer simple libraries, how do I start?"
    assert the_only(text).quote == "I prefer simple libraries"


def test_a_quote_stands_in_the_message_character_for_character():
    text = "Well \u2014  I\u2019m allergic to\u00a0peanuts  and   nuts , thanks!"
    found = the_only(text)
    assert found.quote == "I\u2019m allergic to\u00a0peanuts  and   nuts"
    assert found.text == "I\u2019m allergic to peanuts and nuts"


def test_a_word_that_points_back_brings_its_sentence_along():
    text = "I'm building on Bootstrap and I prefer it over Foundation, can you help?"
    assert the_only(text).text == "I'm building on Bootstrap and I prefer it over Foundation"


def test_two_things_in_one_sentence_are_two():
    found = proposed("My name is Ana and I live in Paris.")
    assert [one.text for one in found] == ["My name is Ana", "I live in Paris"]


def test_a_quoted_name_is_a_name():
    assert the_only('Please call me "Ali"').key == "form of address"


def test_the_same_said_twice_is_one():
    messages = [Message.of(USER, "I live in Paris.", id=id) for id in ("m1", "m2")]
    found = propose(messages, now=SAID)
    assert [one.message_id for one in found] == ["m1"]


def test_a_correction_weighs_more():
    assert the_only("I moved to Paris.").importance == 8
    corrected = the_only("No, I moved to Paris.")
    assert (corrected.importance, corrected.made_by) == (9, "rule:en/correction")


def test_what_somebody_asks_to_remember_weighs_more():
    assert the_only("I work nights.").importance == 7
    assert the_only("Remember that I work nights.").importance == 8


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My name is Ana.", "name"),
        ("I live in Paris.", "home city"),
        ("I moved from Rome to Paris.", "home city"),
        ("I work at Siemens.", "employer"),
        ("I'm 34 years old.", "age"),
        ("My birthday is May 5.", "birthday"),
        ("My husband's name is Tom.", "partner's name"),
        ("Call me Al.", "form of address"),
        # Not one value alone: a country beside a city, a second child, one of many.
        ("I live in Germany.", None),
        ("I live in northern Italy.", None),
        ("I'm from Porto.", None),
        ("My son is called Max.", None),
        ("I prefer tea.", None),
        ("I no longer work at Siemens.", None),
        ("I'm a nurse.", None),
    ],
)
def test_a_key_only_where_there_is_one_value(text, key):
    assert the_only(text).key == key


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("I'm flying to Rome on March 3.", (2026, 3, 3)),
        ("I'm flying to Rome on 3 March 2027.", (2027, 3, 3)),
        ("We're moving to Oslo on January 5.", (2027, 1, 5)),
        ("I have a dentist appointment tomorrow.", (2026, 2, 21)),
        ("My exam is on Monday.", (2026, 2, 23)),
        ("I'm leaving next Friday.", (2026, 2, 27)),
        ("I'm meeting Bob the day after tomorrow.", (2026, 2, 22)),
        ("I'm getting married on February 29.", (2028, 2, 29)),
    ],
)
def test_a_plan_begins_on_the_day_that_it_names(text, begins):
    found = the_only(text)
    assert (found.kind, found.valid_to) == ("event", None)
    assert found.valid_from == datetime(*begins, tzinfo=UTC)
    assert found.text.endswith(f" ({date(*begins)})")


@pytest.mark.parametrize(
    "text",
    [
        "I'm flying to Rome on March 3, 2025.",
        "I'm flying to Rome on February 30.",
        "I'm flying to Rome in March.",
        "I'm wearing the shirt I bought on March 3.",
        "I'm cooking the dish I made on March 3.",
    ],
)
def test_a_day_that_is_over_or_none_makes_no_plan(text):
    assert proposed(text) == ()


def test_a_deadline_ends_with_its_day():
    found = the_only("The deadline is March 3.")
    assert (found.kind, found.valid_from) == ("constraint", None)
    assert found.valid_to == datetime(2026, 3, 4, tzinfo=UTC)


def test_a_day_begins_where_the_message_was_sent():
    # Given half past eleven in the evening of the 20th, east of Greenwich
    zone = timezone(timedelta(hours=9))
    sent = datetime(2026, 2, 20, 23, 30, tzinfo=zone)
    message = Message.of(USER, "I'm flying home tomorrow.", sent_at=sent)
    assert propose([message], now=SAID)[0].valid_from == datetime(2026, 2, 21, tzinfo=zone)


def test_a_message_without_a_time_was_said_now():
    found = propose([Message.of(USER, "I'm flying home tomorrow.")], now=SAID)
    assert found[0].valid_from == datetime(2026, 2, 21, tzinfo=UTC)


def test_the_end_of_time_is_no_day():
    message = Message.of(USER, "I'm leaving tomorrow.", sent_at=datetime.max.replace(tzinfo=UTC))
    assert propose([message], now=SAID) == ()


def test_a_game_lasts_until_it_ends():
    texts = ["Let's role-play!", "I live in Mordor.", "Stop the game.", "I live in Bonn."]
    found = propose([Message.of(USER, text) for text in texts], now=SAID)
    assert [one.text for one in found] == ["I live in Bonn"]


def test_a_document_is_not_read():
    text = "I live in Paris. "
    count = SPOKEN_CHARACTERS_MAX // len(text)
    assert proposed(text * count)
    assert proposed(text * (count + 1)) == ()


def test_nothing_comes_of_nothing():
    assert propose([], now=SAID) == ()
    assert proposed("") == ()
    assert proposed(" \n\u200b") == ()
    assert proposed("!?.,;:") == ()


@pytest.mark.parametrize(
    "text",
    [
        "<recalled>" * 10_000,
        "</" * 50_000,
        "`" * 100_000,
        '"' * 100_000,
        '"a' * 50_000,
        "." * 100_000,
        "\n>" * 50_000,
        " " * 100_000 + "x",
        "I prefer " * 11_000,
        "always use " * 540,
        "write-" * 990,
        "a, and I " * 660,
        "when I ask, " * 490,
        "I'm " + "a " * 2_900,
        "A" * 5_990,
        "On Bob said " * 490,
        "1. " * 1_990,
    ],
)
def test_no_text_takes_long(text):
    start = time.process_time()
    proposed(text)
    assert time.process_time() - start < 2


def test_the_rules_have_a_name_that_a_message_is_marked_with():
    assert RULES_NAME.startswith("rules/")


def test_every_rule_can_be_stored():
    for language in languages():
        for rule in language.rules:
            assert rule.kind in KINDS, rule.name
            assert 1 <= rule.importance <= 10, rule.name
            assert rule.dates in ("", "from", "to"), rule.name
    assert LANGUAGES[0] == "en"


def test_another_language_is_another_file():
    given = {
        "words": {"me": "mi"},
        "guards": {"speaks": r"\bmi\b", "boundary": ";"},
        "dates": {"months": [], "weekdays": [], "ahead": {}, "around": "(?!)", "weekday": "(?!)"},
        "rule": [
            {
                "name": "name",
                "kind": "fact",
                "importance": 9,
                "key": "name",
                "patterns": [r"<<me>> nomiĝas \w+"],
            }
        ],
    }
    esperanto = parsed("eo", given)
    (rule,) = esperanto.rules
    assert rule.name == "rule:eo/name"
    assert rule.match("Mi nomiĝas Ana", 0, 14)
    assert not esperanto.asks.match("Ĉu")
