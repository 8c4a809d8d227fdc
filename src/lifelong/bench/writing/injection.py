"""How many planted instructions are held back, by source, and how many clean texts with them.

What was looked at when the patterns were written, so that the figures can be read for what they
are. InjecAgent: all thirty instructions of the attacker, so its figures are those of tuning; there
is nothing else of it in the data. BIPIA: at first the names of its categories and all texts of two
of them (`_READ_WHOLE`); the rules of then found 5 of the other 65 texts, 29 of 50 codes, and took 3
of 150 clean contexts for instructions. After that the first two injections of each category were
read as well, and those three contexts. The figures give what was read as ``looked_at``, apart from
``unseen``, of which only counts were known. Alarms on clean contexts are figures of tuning. Six of
Presidio's sentences raised one at first (a customer who asks for a bill), which ended when the rule
for requests was narrowed; SICK and the outputs of tools in agents' traces never did. Many of
BIPIA's texts are plain questions ("How do I solve quadratic equations?"), which no rule can tell
from a text that is about something: a low figure there is what it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter_ns
from typing import Any

from lifelong.bench.lines import Line, read_lines
from lifelong.screening.injection import RULES_VERSION, reads_like_instruction

_INJECAGENT = ("injection", "injecagent")
_BIPIA = ("injection", "bipia_injections")
_CLEAN = ("injection", "bipia_clean_contexts")
_SICK = ("sentence_pairs", "sick")
_PERSONAL = ("secrets_pii", "presidio_synth_v2")
_PLACEHOLDER = "<Attacker Instruction>"
_HARMLESS = ("", "It was a pleasant afternoon.", "Works as described, delivery took three days.")
_READ_WHOLE = ("Information Retrieval", "Content Creation")
_LOOKED_AT = ("/0", "/1")
_CONTEXTS_PER_INJECTION = 4
_LISTED_MAX = 20


def measure(data: Path) -> dict[str, Any]:
    """Measure what is held back of texts that came as tools' output or as documents.

    Args:
        data: the folder with the folders of the data sets.

    Returns:
        Rates with the counts behind them; or what is missing, under ``skipped``.
    """
    for folder, name in (_INJECAGENT, _BIPIA, _CLEAN, _SICK, _PERSONAL):
        if not any((data / folder).glob(f"{name}.jsonl*")):
            return {"skipped": f"{folder}/{name}.jsonl is missing"}
    agent, injections, clean, pairs, personal = (
        list(read_lines(data / folder, name))
        for folder, name in (_INJECAGENT, _BIPIA, _CLEAN, _SICK, _PERSONAL)
    )
    contexts = [(line.text("set"), _context(line)) for line in clean]
    sick = sorted({line.text(side) for line in pairs for side in ("a", "b")})
    # The patterns are read when they are first needed.
    reads_like_instruction("", channel="tool")
    return {
        "rules_version": RULES_VERSION,
        "injecagent": _of_injecagent(agent),
        "bipia": {
            "alone": _of_injections((line, line.text("injection")) for line in injections),
            "in_contexts": _of_injections(_planted(injections, contexts)),
        },
        "clean": {
            **_of_clean_contexts(contexts),
            "tool_responses": _of_clean(_clean_responses(agent)),
            "sick": _of_clean(sick),
            "presidio": _of_clean(line.text("text") for line in personal),
        },
        "speed": {"sick": _speed(sick), "contexts": _speed([text for _, text in contexts])},
    }


def _of_clean_contexts(contexts: list[tuple[str, str]]) -> dict[str, Any]:
    by_set: dict[str, list[str]] = defaultdict(list)
    for name, text in contexts:
        by_set[name].append(text)
        by_set["bipia_contexts"].append(text)
    return {name: _of_clean(texts) for name, texts in sorted(by_set.items())}


def _of_injecagent(lines: list[Line]) -> dict[str, Any]:
    held: dict[str, list[bool]] = defaultdict(list)
    for line in lines:
        is_held = _is_held(line.text("tool_response_with_injection"), "tool")
        held[f"{line.text('setting')}/{line.text('attack_type')}"].append(is_held)
        held[line.text("setting")].append(is_held)
    alone = sorted({line.text("attacker_instruction") for line in lines})
    held["instruction alone"] = [_is_held(text, "tool") for text in alone]
    return {name: _rate(found) for name, found in sorted(held.items())}


def _of_injections(texts: Iterable[tuple[Line, str]]) -> dict[str, Any]:
    held: dict[str, list[bool]] = defaultdict(list)
    for line, text in texts:
        is_held = _is_held(text, "document")
        kind = line.text("set").split("_")[0]
        category = line.text("category")
        is_known = category in _READ_WHOLE or line.text("id").endswith(_LOOKED_AT)
        part = "looked_at" if is_known else "unseen"
        for name in (kind, f"{kind}/{part}", f"{kind}/{category}"):
            held[name].append(is_held)
    return {name: _rate(found) for name, found in sorted(held.items())}


def _planted(injections: list[Line], contexts: list[tuple[str, str]]) -> Iterator[tuple[Line, str]]:
    """Yield each injection in some contexts of its kind: before, in the middle, after."""
    for number, line in enumerate(injections):
        is_code = line.text("set").startswith("code")
        fitting = [text for kind, text in contexts if kind.startswith("code") == is_code]
        for turn in range(_CONTEXTS_PER_INJECTION):
            place = number * _CONTEXTS_PER_INJECTION + turn
            context = fitting[place % len(fitting)]
            lines = context.split("\n")
            where = (0, len(lines) // 2, len(lines))[place % 3]
            yield line, "\n".join([*lines[:where], line.text("injection"), *lines[where:]])


def _clean_responses(lines: list[Line]) -> Iterator[str]:
    """Yield the responses with nothing, or harmless words, in place of the attacker's."""
    for template in sorted({line.text("tool_response_template") for line in lines}):
        for words in _HARMLESS:
            yield template.replace(_PLACEHOLDER, words)


def _context(line: Line) -> str:
    """Return a context as one text; contexts of code are lists of lines."""
    context = line.fields.get("context")
    if isinstance(context, list):
        return "\n".join(map(str, context))
    return line.text("context")


def _is_held(text: str, channel: str) -> bool:
    return bool(reads_like_instruction(text, channel=channel))


def _of_clean(texts: Iterable[str]) -> dict[str, Any]:
    texts = list(texts)
    wrong = [text for text in texts if _is_held(text, "document")]
    return {
        "texts": len(texts),
        "false_alarms": len(wrong),
        "rate": round(len(wrong) / len(texts), 5) if texts else 0.0,
        "which": [text[:120] for text in wrong[:_LISTED_MAX]],
    }


def _rate(held: list[bool]) -> dict[str, Any]:
    return {"held": sum(held), "of": len(held), "rate": round(sum(held) / len(held), 4)}


def _speed(texts: list[str]) -> dict[str, float]:
    spent = []
    for text in texts:
        begun = perf_counter_ns()
        reads_like_instruction(text, channel="document")
        spent.append((perf_counter_ns() - begun) / 1_000)
    return {
        "texts": len(texts),
        "median_characters": median(map(len, texts)),
        "median_us": round(median(spent), 1),
        "p95_us": round(quantiles(spent, n=20)[-1], 1),
    }
