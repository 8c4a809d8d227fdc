"""An embedder that looks up what was embedded before, in another process.

Of tokens there are many vectors a text, so they are read when they are asked for: held all at once
they would count as memory of the store that is measured.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lifelong.embedding import TEXT_CHARACTERS_MAX
from lifelong.errors import EmbedderFailed
from lifelong.rows import Embedding

TOKENS, INDEX = "tokens.f32", "tokens.jsonl"
_FLOAT_BYTES = 4


def write_known(
    folder: Path, languages: Sequence[str], embeddings: Iterable[tuple[str, Embedding]]
) -> None:
    """Write what `Known` needs besides the vectors that every store gets.

    Args:
        folder: of the job.
        languages: of the embedder.
        embeddings: each text with what was made of it.
    """
    start = 0
    with (
        (folder / TOKENS).open("wb") as numbers,
        (folder / INDEX).open("w", encoding="utf-8") as index,
    ):
        index.write(json.dumps(list(languages)) + "\n")
        for text, embedding in embeddings:
            count = len(embedding.tokens)
            width = len(embedding.tokens[0]) if count else 0
            for token in embedding.tokens:
                array("f", token).tofile(numbers)
            index.write(json.dumps([text, start, count, width]) + "\n")
            start += count * width * _FLOAT_BYTES


class Known:
    """Looks up what `write_known` wrote.

    The engine first asks for one text of its own, to learn how long vectors are; of that one text
    any vectors will do. Of a second that is not known there are none: a message without its own
    vectors would be measured wrongly.

    Args:
        folder: of the job.
        vectors: by text; of a long one, as much of it is known as the engine gives to a model.
        has_tokens: whether the vectors of tokens are told too.

    Attributes:
        name: the same for the same kind of vectors.
        languages: of the embedder that made them.
    """

    def __init__(
        self, folder: Path, vectors: Mapping[str, array[float]], *, has_tokens: bool
    ) -> None:
        self.name = "known with tokens" if has_tokens else "known"
        self._has_tokens = has_tokens
        self._vectors = {text[:TEXT_CHARACTERS_MAX]: each for text, each in vectors.items()}
        self._any_text = next(iter(self._vectors))
        self._first_unknown: str | None = None
        self._numbers = (folder / TOKENS).open("rb")
        with (folder / INDEX).open(encoding="utf-8") as index:
            self.languages: Sequence[str] = json.loads(next(index))
            self._places = {text: place for text, *place in map(json.loads, index)}

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return what is known of each text.

        Raises:
            EmbedderFailed: nothing is known of one.
        """
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return what is known of a text.

        Raises:
            EmbedderFailed: nothing is.
        """
        if text not in self._vectors:
            self._first_unknown = self._first_unknown or text
            if text != self._first_unknown:
                raise EmbedderFailed("not a text of the data set")
            text = self._any_text
        return Embedding(self._vectors[text], self._tokens(text) if self._has_tokens else ())

    def _tokens(self, text: str) -> list[memoryview[float]]:
        start, count, width = self._places[text]
        self._numbers.seek(start)
        numbers = memoryview(self._numbers.read(count * width * _FLOAT_BYTES)).cast("f")
        return [numbers[at * width : (at + 1) * width] for at in range(count)]

    def close(self) -> None:
        """Close the file."""
        self._numbers.close()
