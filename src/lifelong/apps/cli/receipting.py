"""`lifelong receipts` and `verify-receipt`: what was forgotten, and whether a receipt is true."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE
from lifelong.apps.cli.forgetting import receipt_answer, show_receipt
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import note, print_json

_RECEIPT_BYTES_MAX = 1 << 20


class ReceiptsOptions(NamedTuple):
    """What `lifelong receipts` takes."""

    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Of one receipt.")] = None
    as_json: AsJson = False


@command(ReceiptsOptions)
def receipts(given: ReceiptsOptions, place: Place) -> int:
    """Show the receipts of what was forgotten, oldest first."""
    with place.opened() as owner:
        found = [each for each in owner.receipts() if given.id in (None, each.id)]
    if given.id is not None and not found:
        raise lifelong.errors.NotFound(f"receipt {given.id}")
    if given.as_json and given.id is not None:
        print_json(receipt_answer(found[0]))
    elif given.as_json:
        print_json({"receipts": [receipt_answer(each) for each in found]})
    else:
        for each in found:
            show_receipt(each)
        if not found:
            note("nothing was forgotten")
    return DONE


class VerifyOptions(NamedTuple):
    """What `lifelong verify-receipt` takes."""

    file: Annotated[str, typer.Argument(metavar="FILE", help="Of one receipt; - for the input.")]
    signed_by: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="The public key of the store; without it, this store's."),
    ] = None
    of_owner: Annotated[
        str | None, typer.Option(metavar="NAME", help="Whose data it must be about.")
    ] = None
    as_json: AsJson = False


@command(VerifyOptions)
def verify_receipt(given: VerifyOptions, place: Place) -> int:
    """Check that a receipt is as its store signed it; no store is needed with --signed-by."""
    signed_by = given.signed_by or _own_key(place)
    receipt = lifelong.verify_receipt(
        _read(given.file), signed_by=signed_by, owner_id=given.of_owner
    )
    if given.as_json:
        print_json({**receipt_answer(receipt), "is_valid": True, "is_key_known": bool(signed_by)})
        return DONE
    show_receipt(receipt)
    note(f"the signature is right, by {receipt.public_key}")
    if not signed_by:
        note("whose key that is, nobody here knows: compare it with `lifelong doctor` of the store")
    return DONE


def _own_key(place: Place) -> str | None:
    """Return the public key of the store that is here; None where there is none, and none is made.

    Raises:
        StoreError: it cannot be opened.
    """
    where = place.store or str(lifelong.engine.default_directory())
    if not (Path(where).expanduser() / "lifelong.json").exists():
        return None
    with place.engine() as engine:
        return str(engine.describe()["receipts_key"])


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.read(_RECEIPT_BYTES_MAX)
    with Path(name).open(encoding="utf-8", errors="replace") as stream:
        return stream.read(_RECEIPT_BYTES_MAX)
