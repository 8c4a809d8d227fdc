"""What each feature of a message weighs, by tier, and why it is there.

The weights were set by hand, in round numbers, on two kinds of chat together: two people (LoCoMo)
and a user with an agent (BEAM 100K). A feature stays only if it helps one kind and does not harm
the other; docs/benchmarks.md says what each is worth. Half or twice of any one weight changes the
share of evidence in the top ten by less than a point.

Tiers differ in what they know of meaning: `words` nothing, `mean` the cosine of two texts' vectors,
`tokens` how well each token of the question is answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WORDS, MEAN, TOKENS = "words", "mean", "tokens"
TIERS = (WORDS, MEAN, TOKENS)

_TABLE = {  # by feature, in the order of TIERS
    # BM25 of the best passage, as a share of the best that the question allows
    "own": (0.35, 0.0, 0.0),
    # the same over the message and those around it, word by word, less for the farther ones: a
    # question's words are spread over an exchange, and a word that is said twice counts once
    "window": (0.8, 1.0, 0.3),
    # of the message before, when a person said it: the answer follows what names the topic
    "previous": (0.13, 0.0, 0.0),
    # of the message before, when an agent said it: it repeats what it was told, at length
    "previous_agent": (-0.25, 0.0, 0.0),
    # of the one before that, when only people talk
    "previous_2": (0.17, 0.1, 0.25),
    # of the message after, when an agent said it: its reply repeats the topic
    "reply": (0.55, 0.3, 0.3),
    # the best of the session, with its neighbours: one talk, one topic
    "session_best": (0.75, 0.7, 0.7),
    # BM25 of the whole session
    "session": (0.05, 0.1, 0.0),
    # the question names a speaker: 1 for theirs, -1 for the others'
    "speaker": (0.15, 0.15, 0.15),
    # a bare question holds no answer
    "question": (-0.5, -0.6, -0.5),
    # what users ask for is mostly what they said themselves
    "assistant": (0.0, -0.15, -0.1),
    # short messages have few tokens, and so fewer chances of a good match
    "length": (0.0, 0.0, -0.1),
    # words beyond some fifty: long messages have something of everything
    "long": (-0.08, -0.06, -0.05),
    # a when-question, and a word of time
    "when": (0.2, 0.2, 0.17),
    # the question names a date, and it was said then
    "date": (0.5, 0.5, 0.5),
    # people are asked about what they say of themselves
    "first_person": (0.05, 0.0, 0.0),
    # cosine of question and message, beyond the candidates' median, in their standard deviations:
    # so no model needs a scale of its own
    "meaning": (0.0, 0.04, 0.0),
    # the same, of the best of the message and those around it
    "meaning_near": (0.0, 0.04, 0.0),
    # mean over the question's tokens of the best cosine with a token of the message or of those
    # around it, beyond the candidates' median
    "tokens_near": (0.0, 0.0, 3.0),
    # the same of the message alone, where tokens count that few candidates have: all share "when"
    # and a name
    "tokens_rare": (0.0, 0.0, 0.7),
}

LOG_FEATURES = tuple(_TABLE)
LOG_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        tier: MappingProxyType({name: row[at] for name, row in _TABLE.items()})
        for at, tier in enumerate(TIERS)
    }
)
"""The weight of each feature of a message, by tier; a weight of 0 means that it is not used."""

SUMMARY_WEIGHTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        tier: MappingProxyType({**weights, "assistant": 0.0, "long": 0.0})
        for tier, weights in LOG_WEIGHTS.items()
    }
)
"""The same for questions that ask for a summary: what the agent explained at length is part of
it."""

MEMORY_WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "own": 1.0,  # BM25 of the text
        "curated": 0.15,  # somebody decided to keep it
        "importance": 0.05,  # 1 to 10, as a share of 10
        "recency": 0.05,  # halves every HALF_LIFE_DAYS since it was recorded
        "meaning": 0.06,  # as of messages, with vectors
        "tokens": 3.0,  # mean over the question's tokens, beyond the candidates' median
    }
)
HALF_LIFE_DAYS = 90.0
