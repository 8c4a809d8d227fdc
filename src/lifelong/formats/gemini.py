"""Google's Gemini format: contents made of parts, as the google-genai client sends them.

The payload is the list of contents, or a mapping with `contents` and the system instruction; that
becomes a first message of role system. Keys may be in camel case, as on the wire, or in snake case,
as in the client. A call without an id gets one made of its name and place, which is never written
back: Gemini matches such calls with their responses by order. What this file does not know stays in
the raw content and goes back with it. Whether contents are a valid request is not asked here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats import attachments
from lifelong.formats.calls import arguments_object
from lifelong.formats.rendered import Rendered, name_of
from lifelong.formats.shape import (
    beside_text,
    checked,
    id_of,
    items_of,
    kind_of,
    mapping_of,
    mappings_of,
    role_of,
    text_of,
    word_of,
)
from lifelong.formats.strict_json import copied, dumps
from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
    ROLES,
    SYSTEM,
    TOOL,
    USER,
    AttachmentPart,
    Message,
    OpaquePart,
    Part,
    Raw,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

NAME = "gemini"

_MODEL = "model"
_SYSTEM_KEYS = ("systemInstruction", "system_instruction")
_SYSTEM_ROLES = (SYSTEM, DEVELOPER)
_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")
_MARKS = (
    *("thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"),
    *("partMetadata", "part_metadata", "mediaResolution", "media_resolution"),
)
_TEXT_ALONE = ("output", "result", "error")
_NO_SIGNATURE = "skip_thought_signature_validator"
# Gemini 3 refuses a call of the current turn that has no signature, save with this documented word.
# Earlier turns keep the word, so that what a provider has cached of them stays as it is.


def parse(payload: Any) -> list[Message]:
    """Return the messages of a payload: one for the system instruction, one for each content.

    Args:
        payload: a list of contents, or a mapping with `contents` and perhaps the system
            instruction, beside them or in its `config`. Its other keys are the request's settings,
            and are not kept.

    Raises:
        FormatError: the payload is not of the format; the error names the place.
    """
    messages: list[Message] = []
    if isinstance(payload, Mapping):
        if "contents" not in payload:
            raise FormatError("the payload is a mapping without 'contents'")
        # google-genai takes the instruction inside its config.
        config = payload.get("config")
        held = {**config, **payload} if isinstance(config, Mapping) else payload
        for key in _SYSTEM_KEYS:
            if held.get(key) is not None:
                system = {"role": SYSTEM, "content": checked(held[key], key)}
                messages.append(parse_item(system, key))
        payload = payload["contents"]
    for index, item in enumerate(items_of(payload)):
        messages.append(parse_item(item, f"items[{index}]"))
    return messages


def parse_item(item: Any, where: str) -> Message:
    """Return the message of one content.

    Args:
        item: a mapping with a role, or with nothing but parts, which are the user's then.
        where: the name of the content in an error.

    Raises:
        FormatError: the content is not of the format.
    """
    content = mapping_of(item, where)
    is_nameless = content.get("role") is None and content.get("parts") is not None
    role = USER if is_nameless else role_of(content, where)
    if role == SYSTEM and "content" in content:
        parts = _parsed_system(content["content"], where)
    elif "content" in content and "parts" not in content:
        raise FormatError(f"{where}.content stands where the parts of a content belong")
    else:
        parts = _parsed_parts(content.get("parts"), f"{where}.parts")
    role = ASSISTANT if role == _MODEL else role
    return Message(role, tuple(parts), id=id_of(content), format=NAME, raw=item)


def _parsed_system(value: Any, where: str) -> list[Part]:
    if isinstance(value, str):
        return [TextPart(value)] if value else []
    if isinstance(value, Mapping):
        value = value.get("parts", [value])
    if isinstance(value, (list, tuple)):
        value = [{"text": part} if isinstance(part, str) else part for part in value]
    return _parsed_parts(value, f"{where}.parts")


def _parsed_parts(value: Any, where: str) -> list[Part]:
    named: Counter[tuple[str, str]] = Counter()
    parts = [] if value is None else mappings_of(value, where)
    return [_parsed_part(part, named, f"{where}[{index}]") for index, part in enumerate(parts)]


def _parsed_part(part: Raw, named: Counter[tuple[str, str]], where: str) -> Part:
    if part.get("thought") is True:
        return ReasoningPart(text_of(part, "text", where), raw=part)
    if (call := _under(part, _CALL)) is not None:
        arguments = call.get("args")
        id = word_of(call, "id") or _derived_id("call", call, named)
        return ToolCallPart(
            id, word_of(call, "name"), {} if arguments is None else arguments, raw=part
        )
    if (response := _under(part, _RESPONSE)) is not None:
        id = word_of(response, "id") or _derived_id("response", response, named)
        text, is_error = _response_text(response.get("response"), where)
        return ToolResultPart(id, text, is_error, raw=part)
    if part.get("text") is not None:
        return TextPart(text_of(part, "text", where), raw=part)
    kind = next((key for key, held in part.items() if held is not None and key not in _MARKS), "")
    if kind in _DATA:
        return attachments.attachment_of(part)
    return OpaquePart(kind, raw=part)


def _under(part: Raw, keys: tuple[str, ...]) -> Raw | None:
    for key in keys:
        if isinstance(part.get(key), Mapping):
            held: Raw = part[key]
            return held
    return None


def _derived_id(side: str, body: Raw, named: Counter[tuple[str, str]]) -> str:
    name = word_of(body, "name")
    number = named[side, name]
    named[side, name] += 1
    return f"{name}#{number}"


def _response_text(response: Any, where: str) -> tuple[str, bool]:
    if not isinstance(response, Mapping) or not response:
        return "", False
    if len(response) == 1:
        [(key, value)] = response.items()
        if key in _TEXT_ALONE:
            return value if isinstance(value, str) else dumps(value, where), key == "error"
    return dumps(response, where), False


@dataclass(slots=True)
class _Calls:
    """What earlier calls tell about a response, which says no more than what it answers."""

    names: dict[str, str] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    nameless: set[str] = field(default_factory=set)

    def learn(self, message: Message) -> None:
        """Note the calls of a message."""
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                self.names[part.id] = part.name
                self.places[part.id] = len(self.places)
                body = _under(part.raw or {}, _CALL) if message.format == NAME else None
                if body is not None and not word_of(body, "id"):
                    self.nameless.add(part.id)

    def id_field(self, call_id: str) -> dict[str, str]:
        """Return the id as a content spells it: not at all, where it was derived."""
        return {} if call_id in self.nameless else {"id": call_id}

    def place(self, part: Raw) -> tuple[bool, int]:
        """Return what to sort the parts of a user's content by: responses, in their calls' order.

        Gemini matches by order where it does not look at ids.
        """
        response = _under(part, _RESPONSE)
        if response is None:
            return True, 0
        return False, self.places.get(word_of(response, "id"), -1)


def render(messages: Iterable[Message]) -> Rendered:
    """Return messages as Gemini's contents and system instruction.

    A message that came in this format gives its raw content back. Another is made from its parts,
    and a part's own raw form is used where it is of this format. Assistant messages that follow one
    another become one content, and so do results. System messages become the system instruction.
    The first call of each content that came in another format says that it has no signature.

    Raises:
        FormatError: the arguments of a call that was made in code are no JSON.
    """
    contents = _Contents()
    dropped: list[str] = []
    for index, message in enumerate(messages):
        losses: list[str] = []
        contents.add(message, losses)
        dropped.extend(f"messages[{index}]: {loss}." for loss in losses)
    contents.finish()
    return Rendered(contents.items, _joined_system(contents.systems), tuple(dropped))


class _Foreign:
    """A content made of messages of another format, while more of them may belong to it."""

    def __init__(self, content: dict[str, Any], places: list[tuple[bool, int]]) -> None:
        self.content = content
        self.places = places
        self._has_only_responses = _RESPONSE[0] in content["parts"][-1]

    def continues_with(self, content: Raw) -> bool:
        """Return whether a content goes into this one."""
        if self.content["role"] != content["role"]:
            return False
        is_more_of_them = self._has_only_responses and _RESPONSE[0] in content["parts"][0]
        return content["role"] == _MODEL or is_more_of_them

    def extend(self, parts: list[dict[str, Any]], places: list[tuple[bool, int]]) -> None:
        """Take the parts of another content, whose responses come first."""
        self.content["parts"] += parts
        self.places += places
        self._has_only_responses = self._has_only_responses and _RESPONSE[0] in parts[-1]

    def finish(self) -> None:
        """Put the responses in order, and say of the calls that they have no signature."""
        placed = zip(self.places, self.content["parts"], strict=True)
        parts = [part for _, part in sorted(placed, key=lambda each: each[0])]
        self.content["parts"] = parts
        # Of calls that run side by side, only the first is signed.
        for part in parts:
            if _CALL[0] in part:
                part["thoughtSignature"] = _NO_SIGNATURE
                break


class _Contents:
    """The contents that messages become, and what the next message must know of them."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.systems: list[Any] = []
        self._calls = _Calls()
        self._foreign: _Foreign | None = None

    def add(self, message: Message, losses: list[str]) -> None:
        """Add a message, and tell of what is lost."""
        self._calls.learn(message)
        content = _content(message, self._calls, losses)
        if content is None:
            losses.append("nothing that gemini can carry is in it, so the message was left out")
        elif content.get("role") == SYSTEM and "content" in content:
            self.systems.append(content["content"])
        elif message.format == NAME:
            self.finish()
            self.items.append(content)
        else:
            self._add_foreign(content)

    def _add_foreign(self, content: dict[str, Any]) -> None:
        places = [self._calls.place(part) for part in content["parts"]]
        if self._foreign is not None and self._foreign.continues_with(content):
            self._foreign.extend(content["parts"], places)
        else:
            self.finish()
            self.items.append(content)
            self._foreign = _Foreign(content, places)

    def finish(self) -> None:
        """Let nothing more go into the last content."""
        if self._foreign is not None:
            self._foreign.finish()
        self._foreign = None


def _joined_system(systems: list[Any]) -> Any:
    if len(systems) < 2:
        return systems[0] if systems else None
    parts: list[Any] = []
    for system in systems:
        if isinstance(system, Mapping):
            parts.extend(system.get("parts", [system]) or ())
        elif isinstance(system, list):
            parts.extend(system)
        else:
            parts.append(system)
    found = [{"text": part} if isinstance(part, str) else part for part in parts if part]
    return {"parts": found} if found else None


def _content(message: Message, calls: _Calls, losses: list[str]) -> dict[str, Any] | None:
    if message.format == NAME and message.raw is not None:
        raw: dict[str, Any] = copied(message.raw)
        return raw
    if message.role not in ROLES and message.format != NAME:
        losses.append(f"gemini has no role {message.role!r}")
        return None
    parts = [part for each in message.parts for part in _parts(each, message, calls, losses)]
    if not parts:
        return None
    if message.speaker is not None:
        losses.append("gemini has no place for the speaker's name")
    if message.role in _SYSTEM_ROLES:
        return {"role": SYSTEM, "content": {"parts": parts}}
    role = {ASSISTANT: _MODEL, TOOL: USER}.get(message.role, message.role)
    return {"role": role, "parts": sorted(parts, key=calls.place)}


def _parts(part: Part, message: Message, calls: _Calls, losses: list[str]) -> list[dict[str, Any]]:
    if message.format == NAME and part.raw is not None:
        return [copied(part.raw)]
    match part, message.role:
        case TextPart(text), role if role != TOOL:
            return [{"text": text}] if text.strip() else []
        case ToolCallPart(call_id, name), "assistant":
            call = {**calls.id_field(call_id), "name": name}
            return [{_CALL[0]: {**call, "args": arguments_object(part, losses)}}]
        case ToolResultPart(call_id), "tool" | "user" if call_id in calls.names:
            return [_response(part, calls, losses)]
        case ToolResultPart(), "tool" | "user":
            losses.append(f"no call names the function of {name_of(part)}")
            return []
        case AttachmentPart(raw=raw), "user" if made := attachments.for_gemini(raw):
            return [made]
    losses.append(f"{name_of(part)} cannot stand in a gemini content of role {message.role!r}")
    return []


def _response(part: ToolResultPart, calls: _Calls, losses: list[str]) -> dict[str, Any]:
    response: dict[str, Any] = {
        **calls.id_field(part.call_id),
        "name": calls.names[part.call_id],
        "response": {"error" if part.is_error else "output": part.text},
    }
    others = []
    for block in beside_text(part.raw):
        made = attachments.for_gemini(block)
        if made is None:
            losses.append(f"a part of type {kind_of(block)!r} cannot stand in {name_of(part)}")
        else:
            others.append(made)
    return {_RESPONSE[0]: {**response, "parts": others} if others else response}
