"""What a torture does: a seeded list of operations through the public API; and what they leave.

An operation is plain data. Its time and the ids that it makes follow from its number, and what it
is about is chosen from what is there; so two stores that are in one state do the same, and one of
them can be the witness of the other.
"""

from __future__ import annotations

import json
import random
import re
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, said, texts
from lifelong.working.budget import Budget

KEY = bytes(range(32))
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
OWNERS = ("ana", "bo")
ENCRYPTIONS = ("on", "off")
BUDGET = Budget(window_tokens=400, reserve_tokens=0, margin=0)
LONG = "Please have a look at the board, and tell me when it leaves. " * 12
_NOUNS = "tram soup garden violin passport kettle harbour lantern mitten orchard".split()
_PLACES = "Halden Brno Cork Duala Evora Fes Gent Hanoi Izmir Jena".split()
ROTATE = "rotate"
_NOT_COMPARED = frozenset(["bytes", "schema"])
_MADE_BY_CHANCE = re.compile(r', "(?:seal|last_used_at)": (?:"[^"]*"|null)')
_MEMORY_ID = re.compile(r"(?:mem|rcp)_[0-9a-f]{32}")


class ScriptClock(lifelong.ManualClock):
    """A clock that the number of an operation sets; so are the ids that the operation makes."""

    def __init__(self) -> None:
        super().__init__(START)
        self._number = 0

    def at(self, number: int) -> None:
        """Be at operation `number`: a minute after the one before."""
        lifelong.ManualClock.__init__(self, START + timedelta(minutes=number), seed=number)


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing to do.

    Attributes:
        number: its place in the script; time and ids follow from it.
        verb: one of `VERBS`.
        owner: whose.
        choice: decides what it is about.
    """

    number: int
    verb: str
    owner: str
    choice: int

    @property
    def is_atomic(self) -> bool:
        """Whether it is one transaction: it was wholly done or not at all."""
        return self.verb not in IN_STEPS


def script(
    seed: object,
    count: int,
    *,
    first: int = 1,
    owners: tuple[str, ...] = OWNERS,
    verbs: tuple[str, ...] = (),
) -> list[Operation]:
    """Return operations, the same for the same seed; of named verbs only, each as often."""
    chance = random.Random(f"script {seed}")
    weights = None if verbs else [weight for weight, _ in VERBS.values()]
    chosen = chance.choices(verbs or [*VERBS], weights, k=count)
    return [
        Operation(first + at, verb, chance.choice(owners), chance.randrange(1 << 30))
        for at, verb in enumerate(chosen)
    ]


def opened(where: str | Path, clock: lifelong.ManualClock, encryption: str = "on") -> Any:
    """Open a store for a script, with a made-up model for its vectors."""
    options = {} if str(where) == "memory:" else {"encryption": encryption}
    return lifelong.open(where, key=KEY, clock=clock, embedder=WordsModel(dimensions=8), **options)


@contextmanager
def foreseen(seed: object) -> Iterator[None]:
    """Let nothing happen by chance: random names follow from the seed, and no thread works.

    Vectors are made when they are asked for, and at no other moment.
    """
    chance = random.Random(f"names {seed}")
    kept = backlog.GRACE_SECONDS, secrets.token_hex, secrets.token_bytes
    backlog.GRACE_SECONDS = 3600.0
    secrets.token_bytes = lambda size=32: chance.randbytes(size)
    secrets.token_hex = lambda size=32: chance.randbytes(size).hex()
    try:
        yield
    finally:
        backlog.GRACE_SECONDS, secrets.token_hex, secrets.token_bytes = kept


def perform(engine: Any, clock: ScriptClock, operation: Operation) -> Any:
    """Do one operation, and return what the API returned."""
    clock.at(operation.number)
    if operation.verb == ROTATE:
        is_encrypted = engine.describe()["encryption"] == "on"
        return engine.rotate_owner_keys(operation.owner) if is_encrypted else None
    _, act = VERBS[operation.verb]
    return act(engine.owner(operation.owner), operation.number, operation.choice)


State = tuple[str, ...]


def state_of(engine: Any, owner_id: str, clock: lifelong.ManualClock) -> State:
    """Return all that can be read of an owner, but for ids that chance makes."""
    before = clock.now()
    clock.set(START)  # so that nothing seems to have expired
    try:
        owner = engine.owner(owner_id)
        lines = list(owner.export())[1:]
        counts = {name: n for name, n in owner.stats().items() if name not in _NOT_COMPARED}
        summaries = [
            f"summary {session.id} {row.first_seq} {row.last_seq} {row.text}"
            for session in owner.sessions()
            for row in owner._store.log.summaries(session.id)
        ]
    finally:
        clock.set(before)
    found = "\n".join([*lines, *summaries, json.dumps(counts, sort_keys=True)])
    names: dict[str, str] = {}
    plain = _MADE_BY_CHANCE.sub("", found)
    return tuple(
        _MEMORY_ID.sub(lambda match: names.setdefault(match[0], f"#{len(names)}"), plain).split(
            "\n"
        )
    )


def problems_of(owner: Any) -> list[str]:
    """Return what `check` and `verify` find."""
    return [*owner.check().problems, *owner.verify().problems]


def difference(found: State, expected: State) -> str:
    """Return what differs, in a few lines."""
    missing = [line for line in expected if line not in found]
    more = [line for line in found if line not in expected]
    shown = [f"- {line[:300]}" for line in missing[:3]] + [f"+ {line[:300]}" for line in more[:3]]
    return "\n".join([f"{len(missing)} lines missing, {len(more)} more", *shown])


def _sentence(number: int, choice: int) -> str:
    noun, place = _NOUNS[choice % 10], _PLACES[choice // 10 % 10]
    return f"The {noun} number {number} in {place} is seen at {choice % 24} hours"


def _append(owner: Any, number: int, choice: int) -> Any:
    long = LONG if choice % 2 == 0 else ""
    lines = [f"{_sentence(number, choice + at)}. {long}" for at in range(choice % 4 + 1)]
    ids = [f"m{number}.{at}" for at in range(len(lines))]
    return owner.session(f"s{choice % 3}").append(said(*lines), ids=ids)


def _append_call(owner: Any, number: int, choice: int) -> Any:
    call = {"name": "board", "arguments": json.dumps({"line": choice % 30})}
    items = [
        {"role": "user", "content": f"When does line {number} leave?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"at {choice % 24}:10"},
        {"role": "assistant", "content": f"It leaves at {choice % 24}:10."},
    ]
    ids = [f"m{number}.{at}" for at in range(len(items))]
    return owner.session(f"s{choice % 3}").append(items, ids=ids)


def _remember(owner: Any, number: int, choice: int) -> Any:
    fields: dict[str, Any] = {"importance": choice % 10 + 1, "kind": "fact"}
    if choice % 3 == 0:
        fields["key"] = f"key {choice % 4}"
    if choice % 5 == 0:
        fields["namespace"] = ("home", f"n{choice % 2}")
    if choice % 4 == 0:
        fields["expires_at"] = START + timedelta(minutes=number + 1 + choice % 9)
    messages = [message.id for message in owner.session("s0").messages(3)]
    if choice % 2 == 0 and messages:
        parents = (messages[choice % len(messages)],)
        fields["origin"] = lifelong.Origin("user", parents=parents)
    return owner.remember(_sentence(number, choice), **fields)


def _one_of(found: list[Any], choice: int) -> Any:
    return found[choice % len(found)] if found else None


def _update(owner: Any, number: int, choice: int) -> Any:
    memory = _one_of(owner.memories(), choice)
    if memory is None:
        return None
    return owner.update(memory.id, _sentence(number, choice), metadata={"n": number})


def _supersede(owner: Any, _number: int, choice: int) -> Any:
    found = owner.memories()
    if len(found) < 2:
        return None
    older = choice % (len(found) - 1)
    return owner.supersede(found[older].id, found[older + 1].id)


def _set(owner: Any, number: int, choice: int) -> Any:
    return owner.set(f"v{choice % 4}", None if choice % 5 == 0 else {"n": number, "x": "y" * 50})


def _describe(owner: Any, number: int, choice: int) -> Any:
    session = owner.session(f"s{choice % 3}")
    return session.describe(title=f"About {number}", metadata={"n": number})


def _pop(owner: Any, _number: int, choice: int) -> Any:
    return owner.session(f"s{choice % 3}").pop()


def _forget_message(owner: Any, _number: int, choice: int) -> Any:
    session = owner.session(f"s{choice % 3}")
    message = _one_of(list(session.messages()), choice)
    return message and owner.forget(message.id, session=session.id)


def _forget_memory(owner: Any, _number: int, choice: int) -> Any:
    memory = _one_of(owner.memories(include_superseded=True), choice)
    return memory and owner.forget(memory.id)


def _forget_session(owner: Any, _number: int, choice: int) -> Any:
    session = _one_of(owner.sessions(), choice)
    return session and owner.forget(session=session.id)


def _forget_match(owner: Any, _number: int, choice: int) -> Any:
    found = [*texts(owner.memories()), *texts(owner.session("s0").messages())]
    one = _one_of([text for text in found if " number " in text], choice)
    return one and owner.forget(match=" ".join(one.split()[1:4]))


def _forget_everything(owner: Any, _number: int, _choice: int) -> Any:
    return owner.forget(everything=True)


def _compact(owner: Any, _number: int, choice: int) -> Any:
    session = owner.session(f"s{choice % 3}")
    return session.compact(BUDGET, lambda _task: "Ana asks when the trams leave; they are on time.")


def _reindex(owner: Any, _number: int, choice: int) -> Any:
    return owner.reindex(words=choice % 3 == 0)


def _extract(owner: Any, _number: int, choice: int) -> Any:
    return owner.extract(accept=choice % 2 == 0)


def _import(owner: Any, number: int, choice: int) -> Any:
    """Take in what another store exported; it is trusted no more than a stranger's file."""
    clock = ScriptClock()
    clock.at(number)
    with opened("memory:", clock) as other:
        stranger = other.owner("eve")
        session = stranger.session(f"old {number}")
        session.append(said(_sentence(number, choice)), ids=[f"i{number}"])
        stranger.remember(_sentence(number, choice + 1))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "export.jsonl"
            file.write_text("\n".join(stranger.export()), encoding="utf-8")
            return owner.import_transcripts("lifelong", file)


def _fade(owner: Any, _number: int, _choice: int) -> Any:
    return owner.fade(below=0.9, unused_days=0.0, dry_run=False)


def _file_write(owner: Any, number: int, choice: int) -> Any:
    return owner.files.write(f"/memories/d{choice % 2}/f{choice % 3}.md", _sentence(number, choice))


def _file_edit(owner: Any, number: int, choice: int) -> Any:
    file = _one_of(list(owner.files.list()), choice)
    return file and owner.files.insert(
        file.path, insert_line=0, insert_text=_sentence(number, choice) + "\n"
    )


def _file_delete(owner: Any, _number: int, choice: int) -> Any:
    file = _one_of(list(owner.files.list()), choice)
    return file and owner.files.delete(file.path)


def _file_rename(owner: Any, number: int, choice: int) -> Any:
    file = _one_of(list(owner.files.list()), choice)
    return file and owner.files.rename(file.path, f"/memories/renamed/{number}.md")


def _sweep(owner: Any, _number: int, _choice: int) -> Any:
    return owner.sweep()


_WIDE: tuple[dict[str, Any], ...] = (
    {"namespace": ("home",)},
    {"kinds": ("fact",)},
    {"channel": "tool"},
    {"source": "export.jsonl"},
    {"before": START + timedelta(minutes=12)},
    {"state": "v1"},
    {"file": "/memories/d0"},
)


def _forget_wide(owner: Any, _number: int, choice: int) -> Any:
    return owner.forget(**_WIDE[choice % len(_WIDE)])


VERBS: dict[str, tuple[float, Callable[[Any, int, int], Any]]] = {
    "append": (6, _append),
    "append_call": (1, _append_call),
    "remember": (5, _remember),
    "update": (1, _update),
    "supersede": (1, _supersede),
    "set": (1, _set),
    "describe": (0.5, _describe),
    "pop": (0.5, _pop),
    "forget_message": (1, _forget_message),
    "forget_memory": (1, _forget_memory),
    "forget_session": (0.5, _forget_session),
    "forget_match": (0.5, _forget_match),
    "forget_everything": (0.3, _forget_everything),
    "compact": (2, _compact),
    "reindex": (1, _reindex),
    "extract": (0.5, _extract),
    "import": (0.5, _import),
    "fade": (0.2, _fade),
    "file_write": (2, _file_write),
    "file_edit": (1, _file_edit),
    "file_delete": (0.3, _file_delete),
    "file_rename": (0.5, _file_rename),
    "forget_wide": (1, _forget_wide),
    "sweep": (0.5, _sweep),
    ROTATE: (0.3, lambda owner, _number, _choice: owner),
}
"""Each with how often it comes, and what it does with owner, number and choice. The engine gives an
owner a new key."""

IN_STEPS = frozenset(["compact", "reindex", "extract", "import"])
"""These are several transactions: broken off, they are done in part, and done again they finish."""
