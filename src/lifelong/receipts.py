"""Receipts: what was forgotten, signed by the store, and how anybody can check one.

What is signed is said by `receipt_body` alone. A receipt is signed each time it is given out, from
what the database noted in the transaction of the erasure: so one that was pending is complete when
it is asked for later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from lifelong.errors import InvalidTime, ReceiptInvalid
from lifelong.forgetting import Receipt
from lifelong.memory.entry import clean_time
from lifelong.ports import Clock, OwnerStore, Store
from lifelong.rows import Note, ReceiptRow, Whose

RECEIPT_FORMAT = 1


class SignedReceipts:
    """Gives out the receipts of one owner.

    Args:
        store: of all owners.
        clock: for times and ids.
        owner_id: whose.
    """

    def __init__(self, store: Store, clock: Clock, owner_id: str) -> None:
        self._store = store
        self._clock = clock
        self._owner_id = owner_id

    def note(self, scope: str) -> Note:
        """Return what is to be noted of an erasure, with a fresh id."""
        return Note(self._clock.now(), self._clock.new_id("rcp"), scope)

    def forget_owner(self, note: Note) -> ReceiptRow:
        """Remove all of the owner: the file goes, and its key."""
        return self._store.forget_owner(self._owner_id, note)

    def signed(self, row: ReceiptRow) -> Receipt:
        """Return the receipt of an erasure, signed."""
        seed = self._store.signing_seed()
        unsigned = Receipt(
            id=row.note.id,
            at=row.note.at,
            scope=row.note.scope,
            counts=dict(row.counts),
            completed_at=row.completed_at,
            owner=owner_digest(row.note.id, self._owner_id),
            keys_destroyed=row.keys_destroyed,
            public_key=public_key(seed),
        )
        return replace(unsigned, signature=_signature(seed, receipt_body(unsigned)))

    def whose(self) -> Whose:
        """Return whose receipts they are, and when all of that owner was last forgotten."""
        rows = self._store.owner_receipts(self._owner_id)
        return Whose(self._owner_id, rows[-1].note.at if rows else None)

    def every(self, store: OwnerStore) -> list[Receipt]:
        """Return the receipts of the owner, oldest first: of the times before it began anew too."""
        rows = [*self._store.owner_receipts(self._owner_id), *store.forgetting.receipts()]
        return [self.signed(row) for row in rows]


def owner_digest(receipt_id: str, owner_id: str) -> str:
    """Return what a receipt says of its owner: only who knows the id can tell whose it is."""
    return hashlib.sha256(f"{receipt_id}\n{owner_id}".encode()).hexdigest()


def receipt_fields(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as JSON values, as it is written to a file."""
    return {
        "lifelong_receipt": RECEIPT_FORMAT,
        "id": receipt.id,
        "at": receipt.at.isoformat(),
        "scope": receipt.scope,
        "counts": dict(receipt.counts),
        "completed_at": receipt.completed_at.isoformat() if receipt.completed_at else None,
        "owner": receipt.owner,
        "keys_destroyed": list(receipt.keys_destroyed),
        "public_key": receipt.public_key,
        "signature": receipt.signature,
    }


def receipt_body(receipt: Receipt) -> bytes:
    """Return what is signed: JSON of all but the signature, keys sorted, without blanks."""
    rest = {name: value for name, value in receipt_fields(receipt).items() if name != "signature"}
    return json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()


def verify_receipt(
    receipt: Receipt | str | Mapping[str, Any],
    *,
    signed_by: str | None = None,
    owner_id: str | None = None,
) -> Receipt:
    """Return a receipt whose signature is right.

    Args:
        receipt: as `forget` gave it, or its JSON.
        signed_by: the public key of the store that must have signed it, as `Engine.describe` says
            it. Without one, the receipt proves only that whoever has the key that it names made it.
        owner_id: whose data it must be about; None to leave that open.

    Raises:
        ReceiptInvalid: it is no receipt, it was altered, or it is of another store or owner.
    """
    given = receipt if isinstance(receipt, Receipt) else _parsed(receipt)
    if signed_by is not None and given.public_key != signed_by.strip().lower():
        raise ReceiptInvalid(f"{given.id} was signed by another store, {given.public_key}")
    if not _is_signed(given):
        raise ReceiptInvalid(f"{given.id}: the signature is not of this text")
    if owner_id is not None and given.owner != owner_digest(given.id, owner_id):
        raise ReceiptInvalid(f"{given.id} is about another owner")
    return given


def public_key(seed: bytes) -> str:
    """Return the Ed25519 key (RFC 8032) that receipts of a store are checked with, as digits."""
    # Imported late: it would double the time that opening a store takes.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def _signature(seed: bytes, body: bytes) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).sign(body).hex()


def _is_signed(receipt: Receipt) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(receipt.public_key))
        public.verify(bytes.fromhex(receipt.signature), receipt_body(receipt))
    except (InvalidSignature, ValueError):  # the latter: no hexadecimal digits, or too few
        return False
    return True


def _parsed(given: str | Mapping[str, Any]) -> Receipt:
    try:
        said = json.loads(given) if isinstance(given, str) else dict(given)
        if said["lifelong_receipt"] != RECEIPT_FORMAT:
            raise ReceiptInvalid(f"format {said['lifelong_receipt']!r}")
        return Receipt(
            id=str(said["id"]),
            at=_time(said["at"]),
            scope=str(said["scope"]),
            counts={str(name): int(n) for name, n in said["counts"].items()},
            completed_at=_time(said["completed_at"]) if said["completed_at"] else None,
            owner=str(said["owner"]),
            keys_destroyed=tuple(map(str, said["keys_destroyed"])),
            public_key=str(said["public_key"]),
            signature=str(said["signature"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, ReceiptInvalid):
            raise
        raise ReceiptInvalid(f"this is no receipt ({type(error).__name__})") from error


def _time(text: object) -> datetime:
    found = clean_time(text if isinstance(text, str) else None, "time")
    if found is None:
        raise InvalidTime("none")
    return found
