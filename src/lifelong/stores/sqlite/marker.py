"""The marker of a data directory: plain, and the one truth about which catalogue counts.

It says how to recognise the master key and which file the catalogue is. Both change together, when
the marker is replaced, in one step: so a rotation of the key is done, or it is not.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lifelong.errors import SchemaTooNew, StoreCorrupt

DIRECTORY_FORMAT = 1
MARKER = "lifelong.json"
CATALOGUE = "catalogue.db"
CATALOGUES = "catalogue*.db"
DRAFT = ".draft-"


@dataclass(frozen=True, slots=True)
class Marker:
    """What `lifelong.json` says.

    Attributes:
        is_encrypted: whether the files are.
        key_kind: where the master key was kept when the store was made or its key last changed.
        key_check: how to recognise the master key.
        catalogue: the name of the catalogue's file.
    """

    is_encrypted: bool
    key_kind: str
    key_check: str
    catalogue: str = CATALOGUE

    def content(self) -> bytes:
        """Return the marker as it is written."""
        said = {
            "format": DIRECTORY_FORMAT,
            "encryption": "on" if self.is_encrypted else "off",
            "key_source": self.key_kind if self.is_encrypted else "none",
            "key_check": self.key_check,
        }
        if self.catalogue != CATALOGUE:
            said["catalogue"] = self.catalogue
        return json.dumps(said, indent=2).encode() + b"\n"


def marker_bytes(path: Path) -> bytes | None:
    """Return the marker of the directory at `path` as it stands there; None when there is none."""
    try:
        return (path / MARKER).read_bytes()
    except FileNotFoundError:
        return None


def read_marker(path: Path) -> Marker | None:
    """Return what the marker says; None in a directory that is new.

    Raises:
        StoreCorrupt: it is damaged, or missing beside a catalogue.
        SchemaTooNew: a newer lifelong wrote it.
    """
    # Looked for first: a catalogue is made after the marker.
    has_catalogue = any(path.glob(CATALOGUES))
    content = marker_bytes(path)
    if content is None:
        if has_catalogue:
            raise StoreCorrupt(f"{path / MARKER} is missing")
        return None
    return parse_marker(path, content)


def parse_marker(path: Path, content: bytes) -> Marker:
    """Return what these bytes of a marker say.

    Raises:
        StoreCorrupt: they are damaged.
        SchemaTooNew: a newer lifelong wrote them.
    """
    file = path / MARKER
    try:
        said = json.loads(content.decode())
        directory_format = int(said["format"])
        catalogue = said.get("catalogue", CATALOGUE)
        marker = Marker(
            said["encryption"] == "on", said["key_source"], said["key_check"], catalogue
        )
        is_named = Path(catalogue).name == catalogue and Path(catalogue).match(CATALOGUES)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreCorrupt(f"{file} ({error})") from error
    if directory_format > DIRECTORY_FORMAT:
        raise SchemaTooNew(f"{path} has format {directory_format}")
    if not is_named:
        raise StoreCorrupt(f"{file} (its catalogue is {catalogue!r})")
    return marker


def make_marker(path: Path, marker: Marker) -> None:
    """Write the marker of a new directory, unless another process was first."""
    draft = _drafted(path, marker)
    try:
        link(draft, path / MARKER)
    finally:
        draft.unlink(missing_ok=True)


def replace_marker(path: Path, marker: Marker) -> None:
    """Put another marker in the place of the present one, in one step that lasts."""
    draft = _drafted(path, marker)
    try:
        draft.replace(path / MARKER)
    finally:
        draft.unlink(missing_ok=True)
    sync_directory(path)


def _drafted(path: Path, marker: Marker) -> Path:
    draft = path / f"{DRAFT}{secrets.token_hex(8)}"
    with draft.open("xb") as stream:
        stream.write(marker.content())
        stream.flush()
        os.fsync(stream.fileno())
    return draft


def link(draft: Path, file: Path) -> None:
    """Give a finished draft its name, unless another process was first."""
    with suppress(FileExistsError):
        os.link(draft, file)


def sync_directory(path: Path) -> None:
    """Make the names in a directory last."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_database(path: Path) -> None:
    """Unlink a database with its WAL and index of the WAL."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
