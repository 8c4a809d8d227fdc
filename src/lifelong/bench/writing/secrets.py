"""How many secrets are found in prose, how often plain text is taken for one, and how fast.

gitleaks' own strings, alone and inside sentences; made-up keys and spoken passwords
(`made_secrets`); plain sentences and look-alikes that must not be touched. A secret counts as found
only when the whole of it is covered. A gitleaks string is labelled for the rule that it tests, not
for whether it is a secret: those that another of gitleaks' own rules takes for one are counted
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from statistics import median, quantiles
from time import process_time_ns
from typing import Any

from lifelong.bench.lines import Line, read_lines
from lifelong.bench.writing.made_secrets import (
    Planted,
    lookalikes,
    provider_secrets,
    spoken_passwords,
)
from lifelong.screening.secrets import RULES_VERSION, find_secrets

_LITERALS = ("secrets_pii", "gitleaks_literals")
_PERSONAL = ("secrets_pii", "presidio_synth_v2")
_SICK = ("sentence_pairs", "sick")
_OF_EACH_FORMAT = 100
_OF_EACH_SENTENCE = 8
_OF_EACH_LOOKALIKE = 40
_LISTED_MAX = 20
_SENTENCES = (
    "{}",
    "Here is what I use: {}, please remember it.",
    "Keep this ({}) for me.",
    'He wrote "{}" in the chat',
    "I put it there: {} 🙂",
    "It is {}. That is all",
)


def measure(data: Path) -> dict[str, Any]:
    """Measure the finding of secrets.

    Args:
        data: the folder with the folders of the data sets.

    Returns:
        Rates with the counts behind them; or what is missing, under ``skipped``.
    """
    for folder, name in (_LITERALS, _PERSONAL, _SICK):
        if not any((data / folder).glob(f"{name}.jsonl*")):
            return {"skipped": f"{folder}/{name}.jsonl is missing"}
    literals, personal, pairs = (
        list(read_lines(data / folder, name)) for folder, name in (_LITERALS, _PERSONAL, _SICK)
    )
    plain = sorted({line.text(side) for line in pairs for side in ("a", "b")})
    plain += [line.text("text") for line in personal]
    providers = list(provider_secrets(_OF_EACH_FORMAT))
    spoken = list(spoken_passwords(_OF_EACH_SENTENCE))
    alike = list(lookalikes(_OF_EACH_LOOKALIKE))
    find_secrets("")
    return {
        "rules_version": RULES_VERSION,
        "gitleaks": _of_literals(literals),
        "providers": _of_planted(providers),
        "spoken": _of_planted(spoken),
        "plain": _of_clean(plain),
        "lookalikes": _of_clean(alike),
        "speed": {
            "plain": _speed(plain),
            "with_secrets": _speed([each.text for each in [*providers, *spoken]]),
        },
    }


def _of_literals(lines: list[Line]) -> dict[str, Any]:
    others = [line for line in lines if line.text("expected") != "secret"]
    secrets = [line.text("text") for line in lines if line not in others]
    doubtful = [line for line in others if _is_doubtful(line, secrets)]
    alone, *in_prose = (
        sum(bool(find_secrets(sentence.replace("{}", text))) for text in secrets)
        for sentence in _SENTENCES
    )
    return {
        "secrets": len(secrets),
        "alone": _rate(alone, len(secrets)),
        "in_prose": _rate(sum(in_prose), len(secrets) * len(in_prose)),
        "not_secrets": _of_clean(_texts(others, but=doubtful)),
        "labelled_for_one_rule_only": _of_clean(_texts(doubtful)),
        "not_secrets_all": _of_clean(_texts(others)),
    }


def _texts(lines: Iterable[Line], but: Collection[Line] = ()) -> list[str]:
    return [line.text("text") for line in lines if line not in but]


def _is_doubtful(line: Line, secrets: list[str]) -> bool:
    """Whether gitleaks itself takes it for a secret, by another rule or in another file."""
    is_anothers = line.flag("any_rule_regex_matches") and not line.flag("own_rule_regex_matches")
    return is_anothers or line.text("text") in secrets


def _of_planted(planted: list[Planted]) -> dict[str, Any]:
    wanted = Counter(each.kind for each in planted)
    missed = [each for each in planted if not _is_covered(each)]
    by_kind = Counter(each.kind for each in missed)
    return {
        **_rate(len(planted) - len(missed), len(planted)),
        "by_kind": {kind: _rate(n - by_kind[kind], n) for kind, n in wanted.items()},
        "missed": [each.text[:120] for each in missed[:_LISTED_MAX]],
    }


def _is_covered(planted: Planted) -> bool:
    start, end = planted.span
    return any(found.start <= start and end <= found.end for found in find_secrets(planted.text))


def _of_clean(texts: Iterable[str]) -> dict[str, Any]:
    texts = list(texts)
    wrong = [text for text in texts if find_secrets(text)]
    return {
        "texts": len(texts),
        "false_alarms": len(wrong),
        "rate": round(len(wrong) / len(texts), 5) if texts else 0.0,
        "which": [text[:120] for text in wrong[:_LISTED_MAX]],
    }


def _rate(found: int, of: int) -> dict[str, Any]:
    return {"found": found, "of": of, "recall": round(found / of, 4) if of else 0.0}


def _speed(texts: list[str]) -> dict[str, Any]:
    spent = []
    for text in texts:
        began = process_time_ns()
        find_secrets(text)
        spent.append((process_time_ns() - began) / 1_000)
    return {
        "texts": len(texts),
        "characters_mean": round(sum(map(len, texts)) / len(texts)),
        "median_us": round(median(spent), 1),
        "p95_us": round(quantiles(spent, n=20)[-1], 1),
    }
