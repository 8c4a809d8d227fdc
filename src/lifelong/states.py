"""Named values of an owner: JSON in, JSON out, secrets redacted before anything is kept."""

from __future__ import annotations

import json
from typing import Any

from lifelong.errors import StoreCorrupt
from lifelong.memory.entry import clean_name, json_text
from lifelong.ports import Clock, StateStore
from lifelong.screening.policy import Screening


def read_state(store: StateStore, name: str, default: Any) -> Any:
    """Return the value kept under `name`, or `default`.

    Raises:
        InvalidName: the name cannot be one.
        StoreCorrupt: what is kept there was damaged.
    """
    text = store.get(clean_name(name, "state name"))
    if text is None:
        return default
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise StoreCorrupt(f"state {name!r} ({error})") from error


def write_state(
    store: StateStore, clock: Clock, *, name: str, value: Any, screening: Screening
) -> None:
    """Keep a JSON value under `name`; None removes it.

    Raises:
        InvalidName: the name cannot be one.
        InvalidValue: it is no JSON value.
        TextTooLarge: over 32 MiB.
    """
    clean_name(name, "state name")
    text = None if value is None else json_text(value, f"state {name!r}")
    if text is not None:
        kept, findings = screening.value(json.loads(text))
        text = json_text(kept, f"state {name!r}") if findings else text
    store.set(name, text, clock.now())
