"""`lifelong recall`: what a question may mean, with its sources and the parts of each score."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.memories import segments
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, minute, note, one_line, print_json
from lifelong.records import Pair


class RecallOptions(NamedTuple):
    """What `lifelong recall` takes."""

    question: Annotated[list[str], typer.Argument(metavar="QUESTION", help="In your own words.")]
    limit: Annotated[int, typer.Option(metavar="N", help="Hits at most.")] = 10
    tokens: Annotated[
        int, typer.Option(metavar="N", help="Price of all hits in a prompt, at most.")
    ] = 2_000
    sources: Annotated[
        list[str] | None,
        typer.Option("--in", metavar="SOURCE", help="Only the log, or only memory."),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only memories of this kind; may be given again."),
    ] = None
    namespace: Annotated[
        str | None, typer.Option(metavar="A/B", help="Only memories of this namespace.")
    ] = None
    min_score: Annotated[
        float, typer.Option(metavar="SCORE", help="Leave out hits below this, 0 to 1.")
    ] = 0.0
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score is made.")] = False
    superseded: Annotated[
        bool, typer.Option("--superseded", help="Also memories that were replaced or have ended.")
    ] = False
    as_json: AsJson = False


@command(RecallOptions)
def recall(given: RecallOptions, place: Place) -> int:
    """Find what was said or remembered that a question may mean."""
    question = " ".join(given.question)
    with place.opened() as owner:
        found = owner.recall(
            question,
            limit=given.limit,
            tokens_max=given.tokens,
            sources=given.sources or ("log", "memory"),
            kinds=given.kind or None,
            namespace=segments(given.namespace),
            min_score=given.min_score,
            include_superseded=given.superseded,
        )
    if given.as_json:
        print_json(_as_json(question, found))
    else:
        _show(found, explain=given.explain)
    return NOTHING if found.nothing_relevant else DONE


def _as_json(question: str, found: lifelong.Found) -> dict[str, Any]:
    return {
        "query": question,
        "nothing_relevant": found.nothing_relevant,
        "reasons": found.reasons,
        "doubts": found.doubts,
        "tokens": found.tokens,
        "text": found.text,
        "hits": [_hit(hit) for hit in found.hits],
        "pairs": [_pair(pair) for pair in found.pairs],
    }


def _hit(hit: lifelong.Hit) -> dict[str, Any]:
    memory = hit.memory
    return {
        "id": hit.id,
        "name": hit.name,
        "source": hit.source,
        "text": hit.text,
        "score": hit.score,
        "at": hit.at,
        "session": hit.session_id,
        "role": hit.role,
        "speaker": hit.speaker,
        "kind": memory.kind if memory else None,
        "namespace": memory.namespace if memory else None,
        "key": memory.key if memory else None,
        "trust": hit.trust,
        "is_cut": hit.is_cut,
        "tokens": hit.tokens,
        "parts": [
            {
                "feature": part.feature,
                "value": part.value,
                "weight": part.weight,
                "amount": part.amount,
                "share": part.share,
            }
            for part in hit.parts
        ],
    }


def _pair(pair: Pair) -> dict[str, Any]:
    return {
        "older": _place(pair.older),
        "newer": _place(pair.newer),
        "older_value": pair.older_value,
        "newer_value": pair.newer_value,
    }


def _place(place: tuple[str, str]) -> dict[str, Any]:
    session_id, hit_id = place
    return {"session": session_id or None, "id": hit_id}


def _show(found: lifelong.Found, *, explain: bool) -> None:
    screen = Screen()
    for hit in found.by_date:
        who = hit.memory.kind if hit.memory else (hit.role or "")
        named = f"{who} ({one_line(hit.speaker)})" if hit.speaker else who
        where = f"session {one_line(hit.session_id)}" if hit.session_id else hit.source
        screen.line(
            (minute(hit.at), "cyan"),
            (f"  {one_line(named)}", "bold"),
            f"  {hit.score:.2f}  ",
            (f"{where}  {one_line(hit.id)}", "dim"),
        )
        screen.line(hit.text.strip(), indent=2)
        for mark in _marks(found, hit):
            screen.line((mark, "yellow"), indent=2)
        if explain:
            _explain(screen, hit)
    heading = "nothing relevant: " if found.nothing_relevant else ""
    for reason in found.reasons:
        note(f"{heading}{reason}")
    for doubt in found.doubts:
        note(f"doubt: {doubt}")


def _marks(found: lifelong.Found, hit: lifelong.Hit) -> Iterator[str]:
    for pair in found.pairs:
        if pair.older == hit.place:
            yield f"(older, later said: {one_line(pair.newer_value)})"
        if pair.newer == hit.place:
            yield f"(newer, earlier: {one_line(pair.older_value)})"


def _explain(screen: Screen, hit: lifelong.Hit) -> None:
    width = max((len(part.feature) for part in hit.parts), default=7)
    screen.line(
        (f"{'feature':<{width}}  {'value':>7}  {'weight':>7}  {'amount':>7}  {'share':>7}", "dim"),
        indent=4,
    )
    for part in hit.parts:
        numbers = (
            f"{part.value:>7.3f}  {part.weight:>7.3f}  {part.amount:>7.3f}  {part.share:>7.3f}"
        )
        screen.line((f"{part.feature:<{width}}  {numbers}", "dim"), indent=4)
