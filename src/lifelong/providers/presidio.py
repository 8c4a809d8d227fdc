"""Names, places and what else a model of language finds: an extra, with Microsoft's Presidio.

Names have no form that rules could check. Presidio reads a text with a model of spaCy, which takes
some twenty milliseconds and finds about four of five names. No model comes with the extra, and none
is downloaded: install one, as ``python -m spacy download en_core_web_lg`` does. What finds e-mail
addresses in Presidio asks the network once for the list of public domains, and does without it;
leave EMAIL_ADDRESS out of `entities` where that must not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.writing import PERSONAL, Finding

_SCORE_MIN = 0.5


class Analyzer(Protocol):
    """What is used of Presidio's `AnalyzerEngine`."""

    def analyze(
        self, *, text: str, language: str, entities: list[str] | None, score_threshold: float
    ) -> Sequence[Any]:
        """Return results with `entity_type`, `start`, `end` and `score`."""
        ...


class PresidioFinder:
    """Finds personal data with Presidio; one of the finders that screening can be given.

    Attributes:
        name: what tells it from a finder that is set up otherwise.
    """

    def __init__(
        self,
        analyzer: Analyzer | None = None,
        *,
        language: str = "en",
        model: str = "en_core_web_lg",
        entities: Sequence[str] | None = None,
        score_min: float = _SCORE_MIN,
    ) -> None:
        """Load the model, or take an analyzer that was made elsewhere.

        Args:
            analyzer: an `AnalyzerEngine` with what the caller registered; None for Presidio's own
                recognisers on `model`.
            language: of the texts, as Presidio names it.
            model: a spaCy model that is installed, or the folder of one.
            entities: which of Presidio's entities, as "PERSON"; None for all.
            score_min: from 0 to 1; what Presidio is less sure of is left alone.

        Raises:
            MissingExtra: presidio-analyzer is not installed.
            InvalidValue: the model is not installed, or the score is out of its range.
        """
        if not 0 <= score_min <= 1:
            raise InvalidValue(f"score_min={score_min} is not from 0 to 1")
        self._analyzer = analyzer or _analyzer(language, model)
        self._language = language
        self._entities = list(entities) if entities is not None else None
        self._score_min = score_min
        wanted = ",".join(self._entities or ["*"])
        self.name = f"presidio:{language}:{model}:{wanted}:{score_min}"

    def __call__(self, text: str) -> tuple[Finding, ...]:
        """Return what was found, in order; of two that overlap, the surer one."""
        results = self._analyzer.analyze(
            text=text,
            language=self._language,
            entities=self._entities,
            score_threshold=self._score_min,
        )
        kept: list[Finding] = []
        for each in sorted(results, key=lambda one: (-one.score, one.start, -one.end)):
            if all(each.end <= other.start or other.end <= each.start for other in kept):
                rule = each.entity_type.lower().replace("_", "-")
                kept.append(Finding(PERSONAL, rule, each.start, each.end))
        return tuple(sorted(kept, key=lambda found: found.start))


def _analyzer(language: str, model: str) -> Analyzer:
    try:
        from presidio_analyzer import AnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from spacy.util import is_package
    except ImportError as error:
        raise MissingExtra("presidio-analyzer", "presidio") from error
    if not is_package(model) and not Path(model).is_dir():  # else Presidio would download it
        raise InvalidValue(f"the spaCy model {model!r} is not installed")
    models = [{"lang_code": language, "model_name": model}]
    configuration = {"nlp_engine_name": "spacy", "models": models}
    engine = NlpEngineProvider(nlp_configuration=configuration).create_engine()
    analyzer: Analyzer = AnalyzerEngine(nlp_engine=engine, supported_languages=[language])
    return analyzer
