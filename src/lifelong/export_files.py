"""Exports as files: written whole or not at all, for one pair of eyes, and encrypted if asked.

Encryption is that of age, by pyrage: to recipients, in a stream; or with a passphrase, for which
the whole export is in memory at once. An encrypted file is checked to its last byte before anything
of it is read, so that one that was cut short or changed brings nothing. What is in it is not
decided here.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from types import ModuleType, TracebackType
from typing import IO, Any

from lifelong.errors import (
    ExportDamaged,
    ExportEncrypted,
    InvalidValue,
    MissingExtra,
    TranscriptError,
    WrongIdentity,
)

PASSPHRASE_BYTES_MAX = 2 * 1024 * 1024 * 1024
"""A file that a passphrase opens is decrypted in memory: a larger one is refused."""

_MAGICS = (b"age-encryption.org/", b"-----BEGIN AGE ENCRYPTED FILE-----")
_SECRET_KEY = "AGE-SECRET-KEY-"  # noqa: S105 - how such a key begins
_NO_MATCH = ("No matching keys", "Decryption failed")
_NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Unlock:
    """What opens an encrypted file: one of the two.

    Attributes:
        identities: each the text of an identity file, of age or an SSH key.
        passphrase: that it was made with.
    """

    identities: Sequence[str] = ()
    passphrase: str | None = None

    def __bool__(self) -> bool:
        return bool(self.identities) or self.passphrase is not None


def write_export(
    target: str | os.PathLike[str] | IO[bytes],
    lines: Iterable[str],
    *,
    recipients: Sequence[str] = (),
    passphrase: str | None = None,
) -> int:
    """Write lines; return how many there were.

    Args:
        target: a path, where the file appears whole or not at all, mode 0600; or a binary stream.
        lines: without line ends.
        recipients: of age (``age1…``) or SSH, that can read it; none to leave it readable.
        passphrase: that opens it, in place of recipients.

    Raises:
        InvalidValue: a recipient cannot be one; or both are given, or an empty passphrase.
        MissingExtra: pyrage is not installed.
        OSError: the file could not be written; what was there before still is.
    """
    if isinstance(recipients, str):
        raise InvalidValue(f"recipients {recipients!r}: pass a list, as [{recipients!r}]")
    if recipients and passphrase is not None:
        raise InvalidValue("recipients and a passphrase: a file can have only one of the two")
    if passphrase == "":
        raise InvalidValue("an empty passphrase")
    reader = _Lines(lines)
    to = _recipients(recipients) if recipients else []
    if not isinstance(target, str | os.PathLike):
        _write(target, reader, to, passphrase)
        return reader.count
    with _whole_file(Path(target)) as stream:
        _write(stream, reader, to, passphrase)
    return reader.count


def is_encrypted(file: Path) -> bool:
    """Return whether a file is encrypted with age; False for one that cannot be read twice."""
    with suppress(OSError):
        if file.is_file():  # what is read of a pipe is gone
            with file.open("rb") as stream:
                return stream.read(max(map(len, _MAGICS))).startswith(_MAGICS)
    return False


def require_unlocked(file: Path, unlock: Unlock) -> None:
    """Refuse a file that cannot be opened, or need not be, and check one that can to its end.

    Raises:
        ExportEncrypted: it is encrypted, and there is nothing to open it with.
        TranscriptError: there is something to open it with, and it is not encrypted.
        WrongIdentity: what was given does not open it.
        ExportDamaged: it was cut short or changed.
        InvalidValue: an identity cannot be one; or both are given.
        MissingExtra: pyrage is not installed.
    """
    if not is_encrypted(file):
        if unlock:
            raise TranscriptError(f"{file} is not encrypted with age, and is read without a key")
        return
    if not unlock:
        raise ExportEncrypted(str(file))
    if unlock.identities and unlock.passphrase is not None:
        raise InvalidValue("an identity and a passphrase: a file is opened by one of the two")
    if unlock.passphrase is None:
        with file.open("rb") as stream:
            _decrypt(file, stream, _Nowhere(), _identities(unlock.identities))


@contextmanager
def decrypted(file: Path, raw: IO[bytes], unlock: Unlock) -> Iterator[io.BufferedReader]:
    """Lend what an encrypted file says, as a stream.

    Args:
        file: for the errors; see `require_unlocked`, which it has passed.
        raw: its bytes.
        unlock: what opens it.

    Raises:
        TranscriptError: one of its kinds; also at the end of the stream.
    """
    if unlock.passphrase is not None:
        yield io.BufferedReader(io.BytesIO(_by_passphrase(file, raw, unlock.passphrase)))
        return
    pipe = _Pipe(file, raw, _identities(unlock.identities))
    try:
        yield pipe.reader
        pipe.require_whole()
    finally:
        pipe.close()


def _pyrage() -> ModuleType:
    try:
        import pyrage
    except ImportError as error:
        raise MissingExtra("pyrage", "age") from error
    module: ModuleType = pyrage
    return module


def _recipients(words: Iterable[str]) -> list[Any]:
    pyrage = _pyrage()
    return [_recipient(pyrage, word) for word in words]


def _recipient(pyrage: ModuleType, word: object) -> Any:
    if isinstance(word, str):
        kind = pyrage.ssh if word.startswith("ssh-") else pyrage.x25519
        with suppress(pyrage.RecipientError):
            return kind.Recipient.from_str(word.strip())
    raise InvalidValue(f"recipient {str(word)[:_NAME_LENGTH]!r} is none of age's")


def _identities(texts: Iterable[str]) -> list[Any]:
    pyrage = _pyrage()
    found: list[Any] = []
    for text in texts:
        try:
            if text.lstrip().startswith("-----BEGIN"):
                found.append(pyrage.ssh.Identity.from_buffer(text.encode()))
            lines = [line.strip() for line in text.splitlines()]
            keys = [line for line in lines if line.startswith(_SECRET_KEY)]
            found += [pyrage.x25519.Identity.from_str(key) for key in keys]
        except pyrage.IdentityError as error:
            raise InvalidValue(f"an identity cannot be read ({error})") from error
    if not found:
        raise InvalidValue("there is no identity of age's in what was given")
    return found


def _write(
    stream: IO[bytes], reader: _Lines, recipients: Sequence[Any], passphrase: str | None
) -> None:
    """Write what a reader gives, encrypted or not; what the reader met is raised as it is."""
    try:
        if recipients:
            _pyrage().encrypt_io(reader, stream, list(recipients))
        elif passphrase is not None:
            stream.write(_pyrage().passphrase.encrypt(reader.read(), passphrase))
        else:
            while chunk := reader.read(io.DEFAULT_BUFFER_SIZE):
                stream.write(chunk)
        stream.flush()
    finally:
        if reader.met.error is not None:
            raise reader.met.error from None


class _Met:
    """Notes what is raised inside it, and lets it pass.

    Attributes:
        error: that one, or None.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        self.error = error


class _Lines:
    """Lines as a stream of bytes to be read.

    Attributes:
        count: how many lines were read.
        met: what making the lines raised; whoever reads this stream may wrap it.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        self._left = bytearray()
        self.count = 0
        self.met = _Met()

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, or fewer at the end; all that are left, when negative."""
        with self.met:
            while size < 0 or len(self._left) < size:
                line = next(self._lines, None)
                if line is None:
                    break
                self.count += 1
                self._left += line.encode() + b"\n"
        end = len(self._left) if size < 0 else size
        chunk = bytes(self._left[:end])
        del self._left[:end]
        return chunk


@contextmanager
def _whole_file(file: Path) -> Iterator[IO[bytes]]:
    """Lend a file under another name and rename it, so that a stop leaves the old one as it was."""
    folder, prefix = file.absolute().parent, f".{file.name[:_NAME_LENGTH]}."
    with NamedTemporaryFile(dir=folder, prefix=prefix, delete=False) as stream:
        draft, is_whole = Path(stream.name), False
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            draft.replace(file)
            is_whole = True
        finally:
            if not is_whole:
                draft.unlink()


class _Nowhere(io.RawIOBase):
    """Takes bytes, and keeps none."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def _decrypt(file: Path, raw: IO[bytes], target: Any, identities: Sequence[Any]) -> None:
    pyrage = _pyrage()
    try:
        pyrage.decrypt_io(raw, target, list(identities))
    except (pyrage.DecryptError, OSError) as error:
        raise _told(file, error) from error


def _by_passphrase(file: Path, raw: IO[bytes], passphrase: str) -> bytes:
    pyrage = _pyrage()
    data = raw.read(PASSPHRASE_BYTES_MAX + 1)
    if len(data) > PASSPHRASE_BYTES_MAX:
        raise TranscriptError(f"{file} is larger than {PASSPHRASE_BYTES_MAX} bytes")
    try:
        plain: bytes = pyrage.passphrase.decrypt(data, passphrase)
    except pyrage.DecryptError as error:
        raise _told(file, error) from error
    return plain


def _told(file: Path, error: Exception) -> TranscriptError:
    kind = WrongIdentity if str(error).startswith(_NO_MATCH) else ExportDamaged
    return kind(str(file))


class _Pipe:
    """A thread that decrypts, and the end of a pipe at which it is read.

    Attributes:
        reader: of what is decrypted.
    """

    def __init__(self, file: Path, raw: IO[bytes], identities: Sequence[Any]) -> None:
        self._error: Exception | None = None
        ours, theirs = os.pipe()
        self.reader = os.fdopen(ours, "rb")
        self._writer = os.fdopen(theirs, "wb")
        self._thread = threading.Thread(
            target=self._run, args=(file, raw, identities), name="lifelong-decrypt", daemon=True
        )
        self._thread.start()

    def _run(self, file: Path, raw: IO[bytes], identities: Sequence[Any]) -> None:
        try:
            _decrypt(file, raw, self._writer, identities)
        except TranscriptError as error:
            self._error = error
        finally:
            with suppress(OSError):
                self._writer.close()

    def require_whole(self) -> None:
        """Raise what went wrong while it was decrypted."""
        if self.reader.peek(1):
            return  # whoever reads had seen enough
        self._thread.join()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the thread, which may still be writing."""
        self.reader.close()
        self._thread.join()
