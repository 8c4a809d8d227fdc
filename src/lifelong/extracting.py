"""Extracting: what was said and not read yet is read once, and what it yields is kept or proposed.

What an extractor read is noted after its proposals are stored; if the process dies between the two,
they are met again as duplicates. What failed is named and read again next time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lifelong.errors import FormatError
from lifelong.log import read_message
from lifelong.memory.extract import Extraction, Failure, Reading, extract, extractor_name
from lifelong.memory.extraction import Extractor
from lifelong.memory.features import message_trust
from lifelong.memory.proposals import Rejected
from lifelong.memory.remember import Rules, SpokenIn, remember
from lifelong.messages import Message
from lifelong.ports import Clock, OwnerStore
from lifelong.records import CHANNELS, Namespace, Origin
from lifelong.writing import PROPOSED, Proposal, Remembered

OnProgress = Callable[[int, int], None]
"""Is told how many sessions are done, of how many."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What extraction did.

    Attributes:
        remembered: what became of each proposal, in order.
        rejected: what a model proposed and cannot stand, each with the reason.
        failures: what could not be read, and why; it is read again next time.
        messages: how many messages were read now.
    """

    remembered: tuple[Remembered, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    failures: tuple[Failure, ...] = ()
    messages: int = 0


@dataclass(frozen=True, slots=True)
class Keeping:
    """How proposals are kept.

    Attributes:
        namespace: where.
        is_accepted: whether they are live at once; otherwise they wait in `review`.
        takes_assistant: whether what the assistant says may be remembered too.
    """

    namespace: Namespace = ()
    is_accepted: bool = False
    takes_assistant: bool = False


def extract_sessions(
    store: OwnerStore,
    clock: Clock,
    *,
    sessions: Sequence[str],
    extractor: Extractor | None,
    rules: Rules,
    keeping: Keeping,
    on_progress: OnProgress | None = None,
) -> Extracted:
    """Read what an extractor has not read yet of some sessions.

    Raises:
        StoreError: the store could not keep it; what was kept stays, and is met again.
    """
    done = []
    for number, session_id in enumerate(sessions, 1):
        done.append(
            _extract_session(
                store,
                clock,
                session_id=session_id,
                extractor=extractor,
                rules=rules,
                keeping=keeping,
            )
        )
        if on_progress:
            on_progress(number, len(sessions))
    return _together(done)


def _extract_session(
    store: OwnerStore,
    clock: Clock,
    *,
    session_id: str,
    extractor: Extractor | None,
    rules: Rules,
    keeping: Keeping,
) -> Extracted:
    name = extractor_name(extractor)
    known = store.log.extracted(name, session_id)
    rows = [row for row in store.log.read(session_id) if row.seq not in known]
    messages: list[tuple[int, Message]] = []
    for row in rows:
        try:
            message = read_message(row)
        except FormatError:
            continue  # `check` names it; it is read when it can be
        # "Tomorrow" counts from when it was said.
        messages.append((row.seq, replace(message, sent_at=message.sent_at or row.recorded_at)))
    if not messages:
        return Extracted()
    reading = Reading(takes_assistant=keeping.takes_assistant)
    found = extract(messages, extractor, now=clock.now(), reading=reading)
    spoken = {
        str(message.id): SpokenIn(seq, message_trust(message), message.role)
        for seq, message in messages
    }
    remembered = tuple(
        _keep(store, clock, proposal, spoken=spoken, rules=rules, keeping=keeping)
        for proposal in found.proposals
    )
    store.log.note_extracted(name, found.read)
    return _extracted(found, remembered)


def _extracted(found: Extraction, remembered: tuple[Remembered, ...]) -> Extracted:
    return Extracted(remembered, found.rejected, found.failures, len(found.read))


def _keep(
    store: OwnerStore,
    clock: Clock,
    proposal: Proposal,
    *,
    spoken: Mapping[str, SpokenIn],
    rules: Rules,
    keeping: Keeping,
) -> Remembered:
    role = spoken[proposal.message_id].role
    return remember(
        store,
        clock,
        text=proposal.text,
        fields={
            "kind": proposal.kind,
            "importance": proposal.importance,
            "key": proposal.key,
            "namespace": keeping.namespace,
            "valid_from": proposal.valid_from,
            "valid_to": proposal.valid_to,
            "metadata": {"quote": proposal.quote, "made_by": proposal.made_by},
            # An unknown role is trusted by nobody.
            "origin": Origin(
                role if role in CHANNELS else "document",
                proposal.made_by,
                (proposal.message_id,),
            ),
        },
        rules=rules,
        held_for="" if keeping.is_accepted else PROPOSED,
        spoken_in=spoken,
    )


def _together(each: Iterable[Extracted]) -> Extracted:
    remembered: list[Remembered] = []
    rejected: list[Rejected] = []
    failures: list[Failure] = []
    messages = 0
    for one in each:
        remembered += one.remembered
        rejected += one.rejected
        failures += one.failures
        messages += one.messages
    return Extracted(tuple(remembered), tuple(rejected), tuple(failures), messages)
