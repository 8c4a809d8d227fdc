"""The scan of a deployment: the forms of a text, the files to look in, and the controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lifelong.embedding import CheckedEmbedder
from lifelong.errors import EmbedderError, EmptyText, InvalidValue, TextTooLarge
from lifelong.needles import (
    BYTES_MIN,
    CHARACTERS_MAX,
    Needle,
    needles,
    vector_needle,
    word_needles,
)
from lifelong.ports.raw import RawFiles
from lifelong.scan import OnProgress, scan_paths
from lifelong.scan.controls import MakeScratch, controls
from lifelong.scanned import Scan

IN_MEMORY = "the store is in memory, which is not scanned"
NOWHERE = "there is no store at that path"


def scan_deployment(
    text: str,
    files: RawFiles,
    *,
    paths: Sequence[Path],
    model: CheckedEmbedder | None,
    make_scratch: MakeScratch,
    random_id: str,
    on_progress: OnProgress | None = None,
) -> Scan:
    """Look for a text in all files of a store, and in further ones.

    Args:
        text: what to look for.
        files: of the store.
        paths: further files and directories.
        model: makes the vector of the text, which is looked for too; or None.
        make_scratch: makes the stores of the controls.
        random_id: hexadecimal digits, of which the controls make their word.
        on_progress: called with how many bytes are done, of how many, and with the file.

    Raises:
        EmptyText: there is nothing to look for.
        TextTooLarge: over 1,048,576 characters.
        InvalidValue: the text is too short to be told from chance, or a path is not there.
    """
    forms = (*_forms(text, files), *_vectors(text, model))
    own = [Path(files.place)] if files.place and Path(files.place).is_dir() else []
    for path in paths:
        if not path.exists():
            raise InvalidValue(f"{path} is not there")
    scanned = scan_paths(files, [*own, *paths], needles=forms, on_progress=on_progress)
    return Scan(
        scanned,
        controls(make_scratch, random_id),
        tuple(dict.fromkeys(form.encoding for form in forms)),
        () if own else (NOWHERE if files.place else IN_MEMORY,),
    )


def _forms(text: str, files: RawFiles) -> tuple[Needle, ...]:
    text = text.strip()
    if not text:
        raise EmptyText("the text to scan for")
    if len(text) > CHARACTERS_MAX:
        raise TextTooLarge(f"{len(text):,} characters to scan for")
    if len(text.encode("utf-8", "surrogatepass")) < BYTES_MIN:
        raise InvalidValue(f"a text of fewer than {BYTES_MIN} bytes is found anywhere by chance")
    return (*needles(text), *word_needles(files.terms(text)))


def _vectors(text: str, model: CheckedEmbedder | None) -> Iterator[Needle]:
    """Yield the vector of the text, in the numbers that it is kept in and that it came in."""
    if model is None:
        return
    try:
        (packed,) = model.embed([text], lambda: False)
        vector = model.question(text).vector
    except EmbedderError:
        return  # then it makes none for the store either
    if any(packed.vector):
        yield vector_needle(packed.vector, "float16")
        yield vector_needle(vector.astype("<f4").tobytes(), "float32")
