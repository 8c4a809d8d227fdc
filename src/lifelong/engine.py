"""The engine: opens a store and hands out owners. The only file that names adapters."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, Self

from lifelong.clock import SystemClock
from lifelong.embedding import CheckedEmbedder
from lifelong.engine_keeping import EngineKeeping
from lifelong.errors import InvalidValue
from lifelong.forgetting import Swept
from lifelong.memory.deciding import QUOTA_DEFAULT, Quota
from lifelong.memory.entry import clean_name
from lifelong.memory.extraction import Extractor
from lifelong.memory.remember import RULES_DEFAULT, Rules
from lifelong.memory.use_notes import UseNotes
from lifelong.memory.vectors import require_numpy
from lifelong.owner import Owner
from lifelong.ports import Clock, Embedder, Store
from lifelong.ports.keeping import Keeping
from lifelong.receipts import SignedReceipts, public_key
from lifelong.scan import OnProgress
from lifelong.scan.controls import Scratch
from lifelong.scan.deployment import scan_deployment
from lifelong.scanned import Scan
from lifelong.screening.policy import DEFAULT, Screening
from lifelong.stores.sqlite import (
    DirectoryKeeping,
    KeySource,
    SqliteStore,
    open_directory,
    open_files,
    open_in_memory,
)
from lifelong.stores.sqlite.keys import FILE, GIVEN, KEY_BYTES, KEYRING, new_key, parse_key
from lifelong.stores.sqlite.raw import locked_files
from lifelong.vector_index import FindEmbedder, VectorIndex
from lifelong.vector_search import VectorSearch

IN_MEMORY = "memory:"
KEY_VARIABLE = "LIFELONG_KEY"
KEY_FILE_VARIABLE = "LIFELONG_KEY_FILE"
EMBEDDER_VARIABLE = "LIFELONG_EMBEDDER"
AUTO, OFF = "auto", "off"


class Engine(EngineKeeping):
    """All owners of one store. Use it as a context manager, or close it.

    Args:
        store: of all owners.
        clock: for times and ids.
        embedder: as for `lifelong.open`.
        rules: what is screened, and how much may be remembered.
        keeping: does what is to be done with keys and backups; None for a store in memory.

    Raises:
        InvalidValue: there is no embedder of that name.
        MissingExtra: a package that the embedder needs is not installed.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        embedder: Embedder | str | None = None,
        rules: Rules = RULES_DEFAULT,
        keeping: Keeping | None = None,
    ) -> None:
        self.keeping = keeping
        self._rules = rules
        self._store = store
        self._clock = clock
        self._vectors = VectorIndex(store, _finder(_named(embedder)))
        self._uses = UseNotes(lambda owner_id, uses: store.owner(owner_id).memories.note_uses(uses))

    def owner(self, owner_id: str) -> Owner:
        """Return the handle of one owner: the only way to that owner's data.

        Raises:
            InvalidName: the id cannot be one.
        """
        clean_name(owner_id, "owner id")
        return Owner(
            self._store.owner(owner_id),
            self._clock,
            owner_id=owner_id,
            receipts=SignedReceipts(self._store, self._clock, owner_id),
            vectors=VectorSearch(self._vectors, self._store.owner(owner_id), owner_id),
            rules=self._rules,
            uses=self._uses,
        )

    def owners(self) -> list[str]:
        """Return the ids of owners that have data, sorted."""
        return self._store.owners()

    def describe(self) -> dict[str, Any]:
        """Return where the store is, whether it is encrypted, and the versions at work."""
        model = self._vectors.embedder
        return {
            **self._store.describe(),
            "embedder": model.name if model else "none",
            "receipts_key": public_key(self._store.signing_seed()),
        }

    def sweep(
        self, *, dry_run: bool = False, on_progress: Callable[[int, int], None] | None = None
    ) -> list[Swept]:
        """Sweep every owner (see `Owner.sweep`), and complete what was broken off.

        Forgetting that is pending is completed, and files that a killed process left are removed.

        Args:
            dry_run: say what would go, and change nothing.
            on_progress: called with how many owners are done, and how many there are.
        """
        done, owners = [], self.owners()
        for number, owner_id in enumerate(owners, start=1):
            done.append(self.owner(owner_id).sweep(dry_run=dry_run))
            if on_progress:
                on_progress(number, len(owners))
        if not dry_run:
            self._store.finish(self._clock.now())
            self.remove_leftovers()
        return done

    def scan(
        self,
        text: str,
        *,
        paths: Iterable[str | os.PathLike[str]] = (),
        on_progress: OnProgress | None = None,
    ) -> Scan:
        """Look for a text in the bytes of every file of the store, in every encoding.

        Encrypted files are read with the keys of the store. Nothing is written but to stores of
        the scan's own in a temporary directory, which show that it finds what is there.

        Args:
            text: what to look for; of 4 bytes or more.
            paths: further files and directories: backups, logs, a mirror of file memory.
            on_progress: called with how many bytes are done, of how many, and with the file.

        Raises:
            EmptyText: there is nothing to look for.
            TextTooLarge: over 1,048,576 characters.
            InvalidValue: the text is too short to be told from chance, or a path is not there.
        """
        return scan_deployment(
            text,
            self._store.raw_files(),
            paths=[_expanded(os.fspath(path)) for path in paths],
            model=self._vectors.embedder,
            make_scratch=_scratch,
            random_id=SystemClock().new_id("scan"),
            on_progress=on_progress,
        )

    def close(self) -> None:
        """Close every file. Using the engine afterwards raises StoreClosed."""
        self._vectors.close()
        self._uses.write()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open(  # noqa: A001 - the public face says lifelong.open()
    where: str | os.PathLike[str],
    *,
    key: str | bytes | None = None,
    encryption: str | None = None,
    embedder: Embedder | str | None = None,
    clock: Clock | None = None,
    screening: Screening = DEFAULT,
    quota: Quota = QUOTA_DEFAULT,
) -> Engine:
    """Open a store; make it when there is none.

    Args:
        where: a directory, or ``memory:`` for one that ends with the engine.
        key: the master key: 32 bytes, 64 hexadecimal digits, ``keyring`` for the operating
            system's, or ``file:PATH``. Without it: the variable LIFELONG_KEY, then the file
            named by LIFELONG_KEY_FILE, then ``~/.config/lifelong/master.key``, made on first use.
        encryption: ``off`` makes a new store that is not encrypted.
        embedder: the model that makes vectors of texts: an `Embedder`, the name of one (see
            `lifelong.providers.embedders`), ``off`` for none, or ``auto``: the one that travels
            with ``lifelong[models]`` if that is installed. Without it: the variable
            LIFELONG_EMBEDDER, then ``auto``.
        clock: for tests and replays.
        screening: what is taken out of all that is kept, and what is held back; secrets are
            redacted, and personal data is left, when nothing else is said.
        quota: how much one owner may remember.

    Raises:
        StoreError: one of its kinds, with its remedy.
        InvalidValue: a key or a word that cannot be one.
        MissingExtra: a package that the embedder needs is not installed.
    """
    clock, embedder = clock or SystemClock(), _named(embedder)
    rules = Rules(screening, quota)
    place = os.fspath(where)
    if place == IN_MEMORY:
        return Engine(open_in_memory(clock), clock, embedder=embedder, rules=rules)
    if not isinstance(place, str) or not _is_path(place):
        raise InvalidValue(f"{place!r} is neither a directory nor 'memory:'")
    path = _expanded(place).absolute()
    files = open_files(path, key_source(key), clock=clock, encryption=encryption)
    store = SqliteStore(files, clock)
    keeping = DirectoryKeeping(store, files, clock=clock, find_source=key_source)
    return Engine(store, clock, embedder=embedder, rules=rules, keeping=keeping)


def scan_locked(
    where: str | os.PathLike[str],
    text: str,
    *,
    paths: Iterable[str | os.PathLike[str]] = (),
    on_progress: OnProgress | None = None,
) -> Scan:
    """Look for a text in a store that cannot be opened: what is encrypted is not proven.

    Args:
        where: the directory of the store.
        text: as for `Engine.scan`, and so are the others.
        paths: further files and directories.
        on_progress: called with how many bytes are done, of how many, and with the file.

    Raises:
        InputError: as for `Engine.scan`.
    """
    place = _expanded(os.fspath(where)).absolute()
    return scan_deployment(
        text,
        locked_files(place),
        paths=[_expanded(os.fspath(path)) for path in paths],
        model=None,
        make_scratch=_scratch,
        random_id=SystemClock().new_id("scan"),
        on_progress=on_progress,
    )


def _scratch(place: Path, is_encrypted: bool) -> Scratch:
    """Make a store for the controls of a scan."""
    encryption, key = ("on", new_key()) if is_encrypted else ("off", None)
    store = open_directory(
        place, KeySource(GIVEN, key=key), clock=SystemClock(), encryption=encryption
    )
    engine = Engine(store, SystemClock(), embedder=OFF)
    owner = engine.owner("control")

    def plant(text: str) -> None:
        owner.session("control").append([{"role": "user", "content": text}])
        owner.remember(text)
        owner.set("control", text)

    def forget(text: str) -> None:
        owner.set("control", None)
        owner.forget(match=text)

    return Scratch(plant, forget, store.raw_files, lambda: locked_files(place), engine.close)


def _named(given: Embedder | str | None) -> Embedder | str:
    """Return the embedder that was named, `AUTO` or `OFF`.

    Raises:
        InvalidValue: there is no embedder of that name.
        MissingExtra: a package that it needs is not installed.
    """
    named = given or os.environ.get(EMBEDDER_VARIABLE) or AUTO
    return _by_name(named) if isinstance(named, str) and named not in (AUTO, OFF) else named


def _finder(named: Embedder | str) -> FindEmbedder | None:
    """Return what gives the embedder, or None; whether one is installed is asked when needed.

    Raises:
        MissingExtra: numpy is not installed.
    """
    if named == AUTO:
        return _installed
    if isinstance(named, str):
        return None
    require_numpy()
    found = CheckedEmbedder(named)
    return lambda: found


def bundled_embedder() -> Embedder | None:
    """Return the model that travels with ``lifelong[models]``; None when it is not installed."""
    name = _embedders().installed()
    return None if name is None else _by_name(name)


def extractor(name: str) -> Extractor:
    """Return what asks a model for memories, with a client made from the environment.

    Args:
        name: ``openai:MODEL`` or ``anthropic:MODEL``; the former where only a model is named.

    Raises:
        InvalidValue: no model is named, or the environment lacks what the client needs.
        MissingExtra: the client's package is not installed.
    """
    found: Extractor = import_module("lifelong.providers.extractors").by_name(name)
    return found


def _installed() -> CheckedEmbedder | None:
    embedder = bundled_embedder()
    return None if embedder is None else CheckedEmbedder(embedder)


def _by_name(name: str) -> Embedder:
    found: Embedder = _embedders().by_name(name)
    return found


def _embedders() -> ModuleType:
    """Import them late: what they stand on would slow down every start by a half."""
    return import_module("lifelong.providers.embedders")


def _expanded(place: str) -> Path:
    try:
        return Path(place).expanduser()
    except RuntimeError as error:
        raise InvalidValue(f"{place!r} ({error})") from error


def _is_path(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text) and "://" not in text and "\0" not in text


def key_source(key: str | bytes | None) -> KeySource:
    """Return where the master key is, by what was passed or by the environment.

    Raises:
        InvalidValue: it is no key.
    """
    if key is not None and not isinstance(key, str | bytes):
        raise InvalidValue(f"a master key is text or bytes, not {type(key).__name__}")
    key = key or os.environ.get(KEY_VARIABLE) or None
    if isinstance(key, bytes):
        if len(key) != KEY_BYTES:
            raise InvalidValue(f"a master key has {KEY_BYTES} bytes, this has {len(key)}")
        return KeySource(GIVEN, key=key)
    if key is None:
        named = os.environ.get(KEY_FILE_VARIABLE)
        return KeySource(FILE, file=_expanded(named) if named else default_key_file())
    if key == KEYRING:
        return KeySource(KEYRING)
    if key.startswith("file:"):
        return KeySource(FILE, file=_expanded(key.removeprefix("file:")))
    return KeySource(GIVEN, key=parse_key(key))


def default_key_file() -> Path:
    """Return where the master key is kept when nothing else is said."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "lifelong" / "master.key"


def default_directory() -> Path:
    """Return the data directory of this user."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "lifelong"
