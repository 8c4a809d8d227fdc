"""Exact counters of tokens, for who wants more than the estimate: each an extra.

Both give a function from a text to its number of tokens, for `count_tokens=`. What looks like a
special token in a text is counted as the plain text that it is. What a message costs beside its
texts is `lifelong.working.counts`' concern, with these counters as with the estimate.
"""

from __future__ import annotations

import os
from pathlib import Path

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.working.tokens import TokenCounter


def tiktoken_counter(encoding: str = "o200k_base") -> TokenCounter:
    """Return a counter for the models of OpenAI.

    tiktoken fetches the vocabulary the first time, unless its directory TIKTOKEN_CACHE_DIR
    has it.

    Args:
        encoding: the name of an encoding of tiktoken.

    Raises:
        MissingExtra: tiktoken is not installed.
        InvalidValue: there is no such encoding.
    """
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtra("tiktoken", "tiktoken") from error
    if encoding not in tiktoken.list_encoding_names():
        names = ", ".join(sorted(tiktoken.list_encoding_names()))
        raise InvalidValue(f"{encoding!r} is no encoding of tiktoken: {names}")
    encode = tiktoken.get_encoding(encoding).encode_ordinary
    return lambda text: len(encode(text))


def tokenizers_counter(path: str | os.PathLike[str]) -> TokenCounter:
    """Return a counter for a model whose `tokenizer.json` is at hand; nothing is downloaded.

    Args:
        path: a file in the format of the `tokenizers` library.

    Raises:
        MissingExtra: tokenizers is not installed.
        InvalidValue: the file cannot be read, or is no such file.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtra("tokenizers", "tokenizers") from error
    try:
        # Only from a buffer is a broken file a ValueError: elsewhere it is a bare Exception.
        tokenizer = Tokenizer.from_buffer(Path(path).read_bytes())
    except OSError as error:
        raise InvalidValue(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InvalidValue(f"{path} is no tokenizer.json") from error
    tokenizer.encode_special_tokens = True
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
