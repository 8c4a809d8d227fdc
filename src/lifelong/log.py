"""The log: what was said, appended once, read back in order.

Items of a provider's format become rows here, and rows become messages again. A row that cannot
be read is reported and kept; it never hides the others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lifelong.errors import FormatError, InvalidValue
from lifelong.formats import parse
from lifelong.formats.storable import storable
from lifelong.formats.stored import changed, decode, encode, encode_parsed
from lifelong.memory.entry import clean_name, clean_time, require_size
from lifelong.memory.features import index_entry, message_trust
from lifelong.messages import Message, Part
from lifelong.ports import Clock, LogStore
from lifelong.records import Appended, LogSlice, SkippedRow
from lifelong.rows import IndexEntry, MessageRow, SessionFields, StoredMessage
from lifelong.screening.policy import DEFAULT, Screening


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Messages whose text can be stored.

    Attributes:
        messages: in order.
        mended: how many had to be mended for that.
        are_parsed: whether each was parsed from its raw item just now.
    """

    messages: tuple[Message, ...]
    mended: int = 0
    are_parsed: bool = False


def parse_items(items: Any, message_format: str) -> Cleaned:
    """Return the messages of a provider's items; `Message` values are taken as they are.

    Raises:
        FormatError: the items do not have the shape of the format.
    """
    if isinstance(items, Message):
        items = [items]
    if isinstance(items, Sequence) and items and all(isinstance(i, Message) for i in items):
        return clean_messages(items)
    mended = 0
    if isinstance(items, Sequence) and not isinstance(items, str | bytes):
        pairs = [storable(item) for item in items]
        items = [item for item, _ in pairs]
        mended = sum(was_mended for _, was_mended in pairs)
    elif isinstance(items, Mapping):
        items, was_mended = storable(items)
        mended = int(was_mended)
    return Cleaned(tuple(parse(items, message_format)), mended, are_parsed=True)


def clean_messages(messages: Sequence[Message]) -> Cleaned:
    """Return messages that were made in code, with texts that can be stored."""
    for at, message in enumerate(messages):
        if not isinstance(message.parts, tuple):
            raise FormatError(f"items[{at}].parts is no tuple of parts")
        for part in message.parts:
            if not isinstance(part, Part):
                raise FormatError(f"items[{at}].parts holds a {type(part).__name__}")
        clean_time(message.sent_at, f"items[{at}].sent_at")
    pairs = [_clean_fields(message) for message in messages]
    return Cleaned(
        tuple(message for message, _ in pairs), sum(was_mended for _, was_mended in pairs)
    )


def _clean_fields(value: Any) -> tuple[Any, bool]:
    """Return a message or part whose texts can be stored, and whether any was mended."""
    mended: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        if field.name == "parts":
            pairs = [_clean_fields(part) for part in old]
            if any(was_mended for _, was_mended in pairs):
                mended["parts"] = tuple(part for part, _ in pairs)
        elif isinstance(old, str | Mapping | list | tuple):
            new, was_mended = storable(old)
            if was_mended:
                mended[field.name] = new
    return (replace(value, **mended), True) if mended else (value, False)


@dataclass(frozen=True, slots=True)
class SaidBy:
    """What the caller says of the messages that are appended.

    Attributes:
        ids: one for each message, or None to take their own.
        sent_at: when those without a time of their own were said; None when nobody knows.
    """

    ids: Sequence[str] | None = None
    sent_at: datetime | None = None


def append(
    store: LogStore,
    clock: Clock,
    *,
    session_id: str,
    cleaned: Cleaned,
    said: SaidBy | None = None,
    fields: SessionFields | None = None,
    screening: Screening = DEFAULT,
) -> Appended:
    """Store messages at the end of a session, all or none.

    A message without an id gets a new one. One whose id is there already is not stored again.
    What screening finds is taken out before anything is stored.

    Raises:
        InputError: an id, time or size cannot be one.
        MessageConflict: an id is there with another content.
    """
    kept, redacted = redacted_messages(cleaned.messages, screening)
    rows = message_rows(replace(cleaned, messages=kept), clock, said)
    if not rows and not fields:
        return Appended((), 0)
    counts = store.append(session_id, rows, _redacted_fields(fields or SessionFields(), screening))
    return Appended(
        tuple(row.id for row in rows),
        counts.added,
        counts.duplicates,
        counts.forgotten,
        cleaned.mended,
        redacted,
        counts.unsaved,
    )


def redacted_messages(
    messages: Sequence[Message], screening: Screening
) -> tuple[tuple[Message, ...], int]:
    """Return messages as they may be kept, and from how many something was taken out."""
    kept = tuple(changed(message, lambda item: screening.value(item)[0]) for message in messages)
    pairs = zip(messages, kept, strict=True)
    return kept, sum(one is not other for one, other in pairs)


def _redacted_fields(fields: SessionFields, screening: Screening) -> SessionFields:
    title = None if fields.title is None else screening.text(fields.title).text
    metadata = None if fields.metadata is None else screening.value(dict(fields.metadata))[0]
    return replace(fields, title=title, metadata=metadata)


def message_rows(cleaned: Cleaned, clock: Clock, said: SaidBy | None = None) -> list[MessageRow]:
    """Return the rows of messages, with what the index needs of them.

    Raises:
        InputError: an id, time or size cannot be one.
    """
    messages, said = cleaned.messages, said or SaidBy()
    if said.ids is not None and len(said.ids) != len(messages):
        raise InvalidValue(f"{len(said.ids)} ids for {len(messages)} items")
    now = clock.now()
    ids = said.ids or [message.id or clock.new_id("msg") for message in messages]
    write = encode_parsed if cleaned.are_parsed else encode
    return [
        _message_row(message, write(message), id=id, sent_at=said.sent_at, recorded_at=now)
        for message, id in zip(messages, ids, strict=True)
    ]


def _message_row(
    message: Message,
    encoded: tuple[str, str],
    *,
    id: str,
    sent_at: datetime | None,
    recorded_at: datetime,
) -> MessageRow:
    message_format, payload = encoded
    require_size(payload, "message")
    at = clean_time(message.sent_at or sent_at, "sent_at")
    return MessageRow(
        id=clean_name(id, "message id"),
        role=message.role,
        trust=message_trust(message),
        speaker=message.speaker,
        sent_at=at,
        recorded_at=recorded_at,
        format=message_format,
        payload=payload,
        entry=index_entry(message, at),
    )


def stored_entry(row: StoredMessage) -> IndexEntry:
    """Return what the index needs of a stored message; nothing to search, if it is unreadable."""
    try:
        return index_entry(read_message(row), row.sent_at)
    except FormatError:
        return index_entry(Message(row.role, ()), row.sent_at)


def read_message(row: StoredMessage) -> Message:
    """Return the message of a row.

    Raises:
        FormatError: its payload cannot be read.
    """
    message = decode(row.format, row.payload)
    return Message(
        row.role,
        message.parts,
        id=row.id,
        speaker=row.speaker,
        sent_at=row.sent_at,
        format=message.format,
        raw=message.raw,
    )


def unreadable(store: LogStore) -> Iterator[str]:
    """Yield a sentence for each stored message that cannot be read."""
    for row in store.everything():
        try:
            decode(row.format, row.payload)
        except FormatError as error:
            yield f"message {row.id} of session {row.session_id!r} cannot be read: {error.detail}"


def read_all(rows: Sequence[StoredMessage]) -> LogSlice:
    """Return the messages of rows; what cannot be read is named instead."""
    messages, skipped = [], []
    for row in rows:
        try:
            messages.append(read_message(row))
        except FormatError as error:
            skipped.append(SkippedRow(row.session_id, row.id, error.detail))
    return LogSlice(tuple(messages), tuple(skipped))


def read_newest(store: LogStore, session_id: str, limit: int) -> LogSlice:
    """Return the newest `limit` messages that can be read, in order."""
    rows, skipped = newest_rows(store, session_id, limit)
    return LogSlice(tuple(map(read_message, rows)), skipped)


def newest_rows(
    store: LogStore, session_id: str, limit: int
) -> tuple[list[StoredMessage], tuple[SkippedRow, ...]]:
    """Return the newest `limit` rows that can be read, in order, and those skipped among them."""
    readable: list[StoredMessage] = []
    skipped: list[SkippedRow] = []
    before: int | None = None
    while len(readable) < limit:
        rows = store.read(session_id, newest=limit - len(readable), before=before)
        if not rows:
            break
        unread = read_all(rows).skipped
        names = {row.message_id for row in unread}
        readable[:0] = [row for row in rows if row.id not in names]
        skipped[:0] = unread
        before = rows[0].seq
    return readable, tuple(skipped)
