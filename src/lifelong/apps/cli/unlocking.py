"""What locks and opens an exported file: recipients, identity files and passphrases."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

import lifelong

_FILE_BYTES_MAX = 64 * 1024


def passphrase_of(file: Path | None, *, is_asked: bool, twice: bool = False) -> str | None:
    """Return the passphrase that a file's first line is, or that a person types; None if neither.

    Args:
        file: a file, or None.
        is_asked: whether a person is to be asked.
        twice: ask again, and compare: what was mistyped would lock the file for good.

    Raises:
        InputError: there is nobody to ask, the file cannot be read, or it is empty.
    """
    if file is not None and is_asked:
        raise lifelong.errors.InvalidValue(
            "--passphrase and --passphrase-file: give one of the two"
        )
    if file is not None:
        lines = read_secret(file).splitlines()
        if not lines or not lines[0]:
            raise lifelong.errors.InvalidValue(f"{file} has no passphrase in its first line")
        return lines[0]
    if not is_asked:
        return None
    if not _is_somebody_here():
        raise lifelong.errors.InputError(
            "this asks for a passphrase, and nobody is here to answer; use --passphrase-file"
        )
    typed: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True)
    return typed


def _is_somebody_here() -> bool:
    return sys.stdin.isatty()


def read_secret(file: Path) -> str:
    """Return the text of a small file.

    Raises:
        InputError: it cannot be read, or is no small text.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_FILE_BYTES_MAX + 1)
        if len(data) > _FILE_BYTES_MAX:
            raise lifelong.errors.InvalidValue(f"{file} is too large for a key or a passphrase")
        return data.decode()
    except UnicodeDecodeError:
        raise lifelong.errors.InvalidValue(f"{file} is no text in UTF-8") from None
    except OSError as error:
        raise lifelong.errors.InvalidValue(f"{file} cannot be read: {error.strerror}") from error
