"""Repair on read: a history is built message by message, its broken pairs mended.

A result stands after its call, whatever the order it came in; a call that nobody answered gets a
result that says so, and when the real one comes it takes that place. A result without a call, a
second result, and a message with nothing in it are left out. The log keeps what came.

One more message costs one more message: what was built before stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
    SYSTEM,
    TOOL,
    USER,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.working.history import (
    ASKED,
    NOTE,
    STEP,
    SYSTEM_TEXT,
    CountMessage,
    History,
    Repair,
    Unit,
)
from lifelong.working.steps import apart, interrupted, ordered, with_parts

DROPPED, MOVED, ANSWERED = "dropped", "moved", "answered"

_COMPACTION = "compaction"
_CHAT, _GEMINI, _ANTHROPIC = "chat", "gemini", "anthropic"


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    reply: int
    is_answered: bool = False


@dataclass(slots=True)
class _Draft:
    """A unit that is being built."""

    kind: str
    positions: list[int] = field(default_factory=list)
    replies: list[Message] = field(default_factory=list)
    results: list[tuple[int, Message]] = field(default_factory=list)
    calls: list[_Call] = field(default_factory=list)
    tokens: int = 0
    reply_id: str | None = None
    is_anchor: bool = False

    def waiting(self, call_id: str) -> _Call | None:
        """Return the first call with this id that has no result."""
        for call in self.calls:
            if call.id == call_id and not call.is_answered:
                return call
        return None

    @property
    def is_hollow(self) -> bool:
        """Whether it is reasoning that led to nothing: no provider takes that back."""
        return self.kind == STEP and all(map(_is_hollow, self.replies))


@dataclass(slots=True)
class _Answers:
    """The results in one message: by the step they answer, and what else is in it."""

    groups: dict[int, list[Part]] = field(default_factory=dict)
    replies: dict[int, int] = field(default_factory=dict)
    others: list[Part] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    is_same: bool = True


class HistoryBuilder:
    """Builds the history of a session, one message after another."""

    def __init__(self, format: str, count: CountMessage, *, takes_late_system: bool) -> None:
        self.format = format
        self._count = count
        self._takes_late_system = takes_late_system
        self._is_at_head = True
        self._drafts: list[_Draft] = []
        self._units: list[Unit] = []
        self._changed: set[int] = set()
        self._open: dict[str, list[int]] = {}
        self._answered: set[str] = set()
        self._repairs: list[Repair] = []
        self._given = 0

    def extend(self, messages: Sequence[Message]) -> None:
        """Add messages at the end."""
        for message in messages:
            self._add(message)
            self._given += 1

    def history(self) -> History:
        """Return the history as it now stands."""
        for no in sorted(self._changed):
            unit = self._frozen(no)
            if no < len(self._units):
                self._units[no] = unit
            else:
                self._units.append(unit)
        self._changed.clear()
        repairs = [*self._repairs, *self._present_repairs()]
        return History(tuple(self._units), self._count, tuple(repairs))

    def _add(self, message: Message) -> None:
        if _is_blank(message):
            self._drop(message, "there is nothing in it")
        elif any(isinstance(part, ToolResultPart) for part in message.parts):
            self._add_results(message)
        elif message.role == ASSISTANT:
            self._add_reply(message)
        elif message.role == TOOL:
            self._drop(message, "it answers no call")
        else:
            self._add_said(message)

    def _add_said(self, message: Message) -> None:
        if message.role == USER:
            self._begin(ASKED, message)
        elif message.role in (SYSTEM, DEVELOPER):
            is_note = not (self._is_at_head or self._takes_late_system)
            self._begin(SYSTEM_TEXT, as_note(message) if is_note else message)
        else:
            is_own = message.format == self.format
            self._begin(NOTE, message if is_own else as_note(message))

    def _begin(self, kind: str, message: Message) -> _Draft:
        self._is_at_head = self._is_at_head and kind == SYSTEM_TEXT
        draft = _Draft(kind, reply_id=_reply_id(message))
        self._drafts.append(draft)
        self._put(draft, len(self._drafts) - 1, message)
        return draft

    def _put(self, draft: _Draft, no: int, message: Message) -> None:
        draft.replies.append(message)
        draft.positions.append(self._given)
        draft.tokens += self._count(message)
        self._changed.add(no)

    def _add_reply(self, message: Message) -> None:
        no = len(self._drafts) - 1
        draft = self._drafts[no] if self._drafts else None
        if draft is not None and draft.kind == STEP and self._continues(draft, message):
            self._put(draft, no, message)
        else:
            draft = self._begin(STEP, message)
            no += 1
        reply = len(draft.replies) - 1
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                draft.calls.append(_Call(part.id, part.name, reply))
                self._open.setdefault(part.id, []).append(no)
            elif isinstance(part, OpaquePart) and part.kind == _COMPACTION:
                draft.is_anchor = draft.is_anchor or message.format == self.format

    def _continues(self, draft: _Draft, message: Message) -> bool:
        """Return whether a message belongs to the reply before it.

        Some logs write a reply as several items, and a result as soon as it is there.
        """
        reply_id = _reply_id(message)
        if reply_id is not None and reply_id == draft.reply_id:
            return True
        return not draft.results

    def _add_results(self, message: Message) -> None:
        found = self._answers_in(message)
        if not found.groups and (not found.others or message.role == TOOL):
            self._drop(message, self._why_lost(found))
            return
        is_last = max(found.groups, default=-1) == len(self._drafts) - 1
        placed = self._placed(message, found)
        if not (found.is_same and is_last and len(placed) == 1):
            self._note_mended(message, placed, found)

    def _placed(self, message: Message, found: _Answers) -> list[Message]:
        """Put results where their calls are, and return the messages that one became."""
        place = max(found.groups, default=-1)
        # What is said beside a result that belongs further up is said here.
        if len(found.groups) == 1 and (not found.others or place >= self._last_place()):
            parts = [*found.groups[place], *found.others]
            whole = message if found.is_same else with_parts(message, parts)
            self._place(place, found.replies[place], whole)
            return [whole]
        placed = [with_parts(message, parts) for parts in found.groups.values()]
        for no, part_of_it in zip(found.groups, placed, strict=True):
            self._place(no, found.replies[no], part_of_it)
        said = with_parts(message, found.others)
        if not _is_blank(said):
            placed.append(said)
            self._begin(ASKED if message.role == USER else NOTE, said)
        return placed

    def _note_mended(self, message: Message, placed: Sequence[Message], found: _Answers) -> None:
        before, after = self._count(message), sum(map(self._count, placed))
        if found.lost:
            repair = Repair(DROPPED, self._why_lost(found), self._given, before, after)
        else:
            reason = "a result stands right after its call"
            repair = Repair(MOVED, reason, self._given, before, after)
        self._repairs.append(repair)

    def _answers_in(self, message: Message) -> _Answers:
        found = _Answers()
        for part in message.parts:
            if not isinstance(part, ToolResultPart):
                found.others.append(part)
                continue
            match = self._match(part, message)
            if match is None:
                found.lost.append(part.call_id)
                found.is_same = False
                continue
            no, call, answer = match
            call.is_answered = True
            self._answered.add(call.id)
            found.is_same = found.is_same and answer is part
            found.groups.setdefault(no, []).append(answer)
            found.replies.setdefault(no, call.reply)
        return found

    def _last_place(self) -> int:
        """Return the place of the last unit that is no note: those come between call and result."""
        place = len(self._drafts) - 1
        while place >= 0 and self._drafts[place].kind in (NOTE, SYSTEM_TEXT):
            place -= 1
        return place

    def _why_lost(self, found: _Answers) -> str:
        if any(call_id in self._answered for call_id in found.lost):
            return "its call has a result already"
        return "it answers no call"

    def _place(self, no: int, reply: int, message: Message) -> None:
        draft = self._drafts[no]
        draft.results.append((reply, message))
        draft.positions.append(self._given)
        draft.tokens += self._count(message)
        self._changed.add(no)

    def _match(
        self, part: ToolResultPart, message: Message
    ) -> tuple[int, _Call, ToolResultPart] | None:
        """Return the step and the call that a result answers, and the result as it then is."""
        for place in reversed(self._open.get(part.call_id, ())):
            call = self._drafts[place].waiting(part.call_id)
            if call is not None:
                return place, call, part
        place = self._last_place()
        if place < 0:
            return None
        waiting = [call for call in self._drafts[place].calls if not call.is_answered]
        if not part.call_id and waiting:
            return place, waiting[0], replace(part, call_id=waiting[0].id, raw=None)
        if message.format == _GEMINI:
            # An id may stand on one side only; then Gemini matches by name, and by order.
            name = part.call_id.rpartition("#")[0]
            for call in waiting:
                if call.name == name or call.id.startswith(f"{call.name}#"):
                    return place, call, part
        return None

    def _drop(self, message: Message, reason: str) -> None:
        self._repairs.append(Repair(DROPPED, reason, self._given, self._count(message), 0))

    def _frozen(self, no: int) -> Unit:
        draft = self._drafts[no]
        if draft.is_hollow:
            return Unit(no, draft.kind, (), 0, tuple(draft.positions))
        added = [
            (call.reply, interrupted(call.id, draft.replies[call.reply]))
            for call in draft.calls
            if not call.is_answered
        ]
        results = [*draft.results, *added]
        parted = apart(results)
        tokens = draft.tokens + sum(self._count(message) for _, message in added)
        if parted is not results:
            tokens += sum(self._count(m) for _, m in parted) - sum(
                self._count(m) for _, m in results
            )
        return Unit(
            no,
            draft.kind,
            tuple(ordered(draft.replies, parted, self.format)),
            tokens,
            tuple(draft.positions),
            bool(added),
            draft.is_anchor,
        )

    def _present_repairs(self) -> Iterator[Repair]:
        """Yield what is mended now, and may be whole when more has come."""
        for unit in self._units:
            tokens = self._drafts[unit.no].tokens
            if unit.is_open:
                yield Repair(ANSWERED, "its call has no result", None, 0, unit.tokens - tokens)
            elif not unit.messages:
                reason = "it is reasoning that led to nothing"
                yield Repair(DROPPED, reason, unit.positions[0], tokens, 0)
            elif unit.tokens != tokens:
                reason = "results stand together, and what is said beside them after them"
                yield Repair(MOVED, reason, unit.positions[0], tokens, unit.tokens)


def as_note(message: Message) -> Message:
    """Return what nobody asked as a note in the user's place, since not every format has another.

    What the text says of itself cannot end the note.
    """
    text = message.text.replace("</note>", "< /note>")
    beside = [part for part in message.parts if not isinstance(part, TextPart)]
    return Message(
        USER,
        (TextPart(f'<note from="{message.role}">\n{text}\n</note>'), *beside),
        id=message.id,
        sent_at=message.sent_at,
    )


def _reply_id(message: Message) -> str | None:
    """Return the id that a provider gave to the whole reply that an item is of."""
    if message.role != ASSISTANT or message.format != _ANTHROPIC or message.raw is None:
        return None
    found = message.raw.get("id")
    return found if isinstance(found, str) and found else None


def _is_blank(message: Message) -> bool:
    # One of chat's items is a whole reply; elsewhere, what the reasoning led to may follow.
    if message.format == _CHAT:
        return _is_hollow(message)
    return all(map(_is_blank_text, message.parts))


def _is_hollow(message: Message) -> bool:
    return all(isinstance(part, ReasoningPart) or _is_blank_text(part) for part in message.parts)


def _is_blank_text(part: Part) -> bool:
    return isinstance(part, TextPart) and not part.text.strip()


def build(
    messages: Sequence[Message], format: str, *, count: CountMessage, takes_late_system: bool = True
) -> History:
    """Return the history of messages.

    Args:
        messages: in the order they were said; they are not changed.
        format: the name of the format in which they will be sent.
        count: what a message costs, in tokens.
        takes_late_system: whether a system message may stand after others; a note, if it may not.
    """
    builder = HistoryBuilder(format, count, takes_late_system=takes_late_system)
    builder.extend(messages)
    return builder.history()
