"""Histories as logs hold them when things went wrong, in each provider's own format.

What happened is drawn once, as a list of events; each format then writes it down in its own words:
orphans, duplicates and results out of order, calls that were never answered, ids used again, empty
texts, unknown kinds, system messages in the middle, replies in pieces.
"""

from dataclasses import dataclass

from hypothesis import strategies as st

IDS = ("c1", "c2", "c3", "call:4", "c5")
TOOLS = ("lookup", "write_file")
TEXTS = st.sampled_from(
    ["", "   ", "Yes.", "The tram to ZX-40417 is late.", "明天下雨吗？", "long " * 60, "x" * 900]
)
PICTURE = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="
)


@dataclass(frozen=True)
class Event:
    """One thing that was written to the log: `kind`, and what it holds."""

    kind: str
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    results: tuple[str, ...] = ()
    has_reasoning: bool = False


def events():
    asked = st.builds(Event, st.sampled_from(["user", "user", "user", "picture"]), TEXTS)
    calls = st.lists(st.tuples(st.sampled_from(IDS), st.sampled_from(TOOLS)), max_size=3)
    reply = st.builds(Event, st.just("reply"), TEXTS, calls.map(tuple), st.just(()), st.booleans())
    results = st.builds(
        Event,
        st.sampled_from(["results", "results", "results and text"]),
        TEXTS,
        st.just(()),
        st.lists(st.sampled_from(IDS), min_size=1, max_size=3).map(tuple),
    )
    answered = st.tuples(calls.filter(bool), TEXTS, st.booleans()).map(_answered)
    odd = st.builds(Event, st.sampled_from(["system", "unknown", "empty"]), TEXTS)
    one = st.one_of(asked, reply, results, odd).map(lambda event: (event,))
    lists = st.lists(st.one_of(one, answered, answered), max_size=14)
    with_system = st.tuples(st.booleans(), lists)
    return with_system.map(
        lambda drawn: (
            *([Event("system", "Answer in French.")] if drawn[0] else []),
            *(event for group in drawn[1] for event in group),
        )
    )


def _answered(drawn):
    """A reply with its results, as it should be; then shuffled histories are not all there is."""
    calls, text, has_reasoning = drawn
    distinct = tuple({call_id: (call_id, name) for call_id, name in calls}.values())
    return (
        Event("reply", text, distinct, has_reasoning=has_reasoning),
        Event("results", "done: 9f3c1ab", results=tuple(call_id for call_id, _ in distinct)),
    )


def written(history, format):
    """Return the payload of a history in a format."""
    write = WRITERS[format]
    items = []
    for number, event in enumerate(history):
        if event.kind == "reply":
            items += write.reply(event, number)
        elif event.kind in ("results", "results and text"):
            items += write.results(event, number, history)
        else:
            items.append(write.other(event, number))
    return items


class Chat:
    def reply(self, event, _number):
        item = {"role": "assistant", "content": event.text or None}
        if event.has_reasoning:
            item["reasoning_content"] = "Let me think."
        if event.calls:
            item["tool_calls"] = [
                {
                    "id": call_id,
                    "type": "function",
                    "function": {"name": name, "arguments": '{"k": 1}'},
                }
                for call_id, name in event.calls
            ]
        return [item]

    def results(self, event, _number, _history):
        items = [
            {"role": "tool", "tool_call_id": call_id, "content": event.text}
            for call_id in event.results
        ]
        more = [] if event.kind == "results" else [{"role": "user", "content": event.text}]
        return [*items, *more]

    def other(self, event, _number):
        image = {"url": f"data:image/png;base64,{PICTURE}"}
        return {
            "user": {"role": "user", "content": event.text},
            "system": {"role": "system", "content": event.text},
            "picture": {"role": "user", "content": [{"type": "image_url", "image_url": image}]},
            "unknown": {"role": "critic", "content": event.text},
            "empty": {"role": "assistant", "content": []},
        }[event.kind]


class Responses:
    def reply(self, event, number):
        items = []
        if event.has_reasoning:
            sealed = "gAAAAA" * 20
            reasoning = {"type": "reasoning", "id": f"rs_{number}", "summary": []}
            items.append({**reasoning, "encrypted_content": sealed})
        if event.text:
            content = [{"type": "output_text", "text": event.text}]
            message = {"type": "message", "id": f"msg_{number % 4}", "role": "assistant"}
            items.append({**message, "status": "completed", "content": content})
        for place, (call_id, name) in enumerate(event.calls):
            call = {"type": "function_call", "id": f"fc_{number}_{place}", "call_id": call_id}
            items.append({**call, "name": name, "arguments": "{}"})
        return items

    def results(self, event, _number, _history):
        items = [
            {"type": "function_call_output", "call_id": call_id, "output": event.text}
            for call_id in event.results
        ]
        more = [] if event.kind == "results" else [{"role": "user", "content": event.text}]
        return [*items, *more]

    def other(self, event, number):
        image = {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}
        return {
            "user": {"role": "user", "content": event.text},
            "system": {"role": "system", "content": event.text},
            "picture": {"role": "user", "content": [image]},
            "unknown": {"type": "web_search_call", "id": f"ws_{number}", "status": "done"},
            "empty": {"type": "message", "role": "assistant", "content": []},
        }[event.kind]


class Anthropic:
    def reply(self, event, _number):
        thinking = {"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}
        blocks = [thinking] if event.has_reasoning else []
        blocks.append({"type": "text", "text": event.text})
        blocks += [
            {"type": "tool_use", "id": call_id, "name": name, "input": {"k": 1}}
            for call_id, name in event.calls
        ]
        return [{"role": "assistant", "content": blocks}]

    def results(self, event, _number, _history):
        blocks = [
            {"type": "tool_result", "tool_use_id": call_id, "content": event.text}
            for call_id in event.results
        ]
        if event.kind != "results":
            blocks.insert(0, {"type": "text", "text": event.text})
        return [{"role": "user", "content": blocks}]

    def other(self, event, _number):
        source = {"type": "base64", "media_type": "image/png", "data": PICTURE}
        upload = {"type": "container_upload", "file_id": "file_1"}
        return {
            "user": {"role": "user", "content": event.text},
            "system": {"role": "system", "content": event.text},
            "picture": {"role": "user", "content": [{"type": "image", "source": source}]},
            "unknown": {"role": "user", "content": [upload]},
            "empty": {"role": "assistant", "content": []},
        }[event.kind]


class Gemini:
    def reply(self, event, number):
        parts = [{"text": "Hm.", "thought": True}] if event.has_reasoning else []
        parts.append({"text": event.text})
        for place, (call_id, name) in enumerate(event.calls):
            id_field = {"id": call_id} if number % 2 else {}
            part = {"functionCall": {"name": name, "args": {"k": 1}, **id_field}}
            if not place and event.has_reasoning:
                part["thoughtSignature"] = "c2ln"
            parts.append(part)
        return [{"role": "model", "parts": parts}]

    def results(self, event, number, history):
        # A response without an id answers the calls of its name in their order.
        names = {call_id: name for before in history[:number] for call_id, name in before.calls}
        parts = []
        for call_id in event.results:
            id_field = {} if number % 2 else {"id": call_id}
            name = names.get(call_id, TOOLS[0])
            response = {"name": name, "response": {"output": event.text}, **id_field}
            parts.append({"functionResponse": response})
        more = [] if event.kind == "results" else [{"text": event.text}]
        return [{"role": "user", "parts": [*parts, *more]}]

    def other(self, event, _number):
        picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
        code = {"executableCode": {"language": "PYTHON", "code": "1"}}
        return {
            "user": {"role": "user", "parts": [{"text": event.text}]},
            "system": {"role": "user", "parts": [{"text": event.text}]},
            "picture": {"role": "user", "parts": [picture]},
            "unknown": {"role": "model", "parts": [code]},
            "empty": {"role": "model", "parts": []},
        }[event.kind]


WRITERS = {
    "chat": Chat(),
    "responses": Responses(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
}
