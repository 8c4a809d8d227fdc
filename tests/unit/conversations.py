"""Conversations written in each provider's words, and requests read back from them.

What was said is told once, as plain tuples; `written` puts it into a format, and `outline` reads a
request of any format back into such tuples. Neither shares code with what makes requests.
"""

import json

import lifelong

FORMATS = ("anthropic", "chat", "gemini", "responses")


def asked(text):
    return ("user", text)


def told(text):
    return ("assistant", text)


def calls(*pairs):
    """A reply that calls tools, each given as (id, name, arguments)."""
    return ("calls", pairs)


def answered(call_id, text, name="look_up"):
    return ("result", call_id, text, name)


def call(call_id, name="look_up", **arguments):
    return calls((call_id, name, arguments))


def small_talk(count, start=0):
    """So many questions with their answers, some 75 tokens each."""
    return [
        entry
        for n in range(start, start + count)
        for entry in (
            asked(f"What of tram {n}? " + "Please have a look at the board. " * 4),
            told(f"Tram {n} runs. " + "It is on time at this hour of the day. " * 4),
        )
    ]


def room(tokens):
    """The budget of exactly so many tokens."""
    return lifelong.Budget(tokens, reserve_tokens=0, margin=0)


def rows_of(session):
    """The rows of a session as they are stored, payloads byte for byte."""
    return session._store.log.read(session.id)


def summaries_of(session):
    """The summaries of a session as they are stored."""
    return session._store.log.summaries(session.id)


def written(conversation, format):
    """Return the items of a conversation in a format, one item or more for each entry."""
    write = {
        "anthropic": _anthropic_item,
        "chat": _chat_item,
        "gemini": _gemini_item,
        "responses": _responses_items,
    }[format]
    items = []
    for entry in conversation:
        made = write(entry)
        items += made if isinstance(made, list) else [made]
    return items


def _chat_item(entry):
    match entry:
        case ("calls", pairs):
            return {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": call_id,
                        "type": "function",
                        "function": {"name": name, "arguments": json.dumps(arguments)},
                    }
                    for call_id, name, arguments in pairs
                ],
            }
        case ("result", call_id, text, _):
            return {"role": "tool", "tool_call_id": call_id, "content": text}
        case (role, text):
            return {"role": role, "content": text}


def _responses_items(entry):
    match entry:
        case ("calls", pairs):
            return [
                {
                    "type": "function_call",
                    "call_id": call_id,
                    "name": name,
                    "arguments": json.dumps(arguments),
                }
                for call_id, name, arguments in pairs
            ]
        case ("result", call_id, text, _):
            return {"type": "function_call_output", "call_id": call_id, "output": text}
        case (role, text):
            return {"role": role, "content": text}


def _anthropic_item(entry):
    match entry:
        case ("calls", pairs):
            blocks = [
                {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
                for call_id, name, arguments in pairs
            ]
            return {"role": "assistant", "content": blocks}
        case ("result", call_id, text, _):
            block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
            return {"role": "user", "content": [block]}
        case (role, text):
            return {"role": role, "content": text}


def _gemini_item(entry):
    match entry:
        case ("calls", pairs):
            parts = [
                {"functionCall": {"id": call_id, "name": name, "args": arguments}}
                for call_id, name, arguments in pairs
            ]
            return {"role": "model", "parts": parts}
        case ("result", call_id, text, name):
            response = {"id": call_id, "name": name, "response": {"output": text}}
            return {"role": "user", "parts": [{"functionResponse": response}]}
        case ("assistant", text):
            return {"role": "model", "parts": [{"text": text}]}
        case ("system", text):
            return {"role": "system", "content": text}
        case (role, text):
            return {"role": role, "parts": [{"text": text}]}


def outline(request):
    """Return what a request says: ("system" | "user" | "assistant" | "reasoning", text),
    ("call", id) and ("result", id, text), in the order the model reads it."""
    payload = request.payload
    read = {
        "anthropic": _read_anthropic,
        "chat": _read_chat,
        "gemini": _read_gemini,
        "responses": _read_responses,
    }[request.format]
    return list(read(payload))


def _read_chat(payload):
    for item in payload["messages"]:
        if item["role"] == "tool":
            yield ("result", item["tool_call_id"], _text(item["content"]))
            continue
        if item.get("reasoning_content"):
            yield ("reasoning", item["reasoning_content"])
        if item.get("content") is not None:
            yield (item["role"], _text(item["content"]))
        for made in item.get("tool_calls", ()):
            yield ("call", made["id"])


def _read_responses(payload):
    for item in payload["input"]:
        match item.get("type", "message"):
            case "function_call":
                yield ("call", item["call_id"])
            case "function_call_output":
                yield ("result", item["call_id"], _text(item["output"]))
            case "reasoning":
                yield ("reasoning", item.get("id", ""))
            case _:
                yield (item["role"], _text(item["content"]))


def _read_anthropic(payload):
    if "system" in payload:
        yield ("system", _text(payload["system"]))
    for item in payload["messages"]:
        content = item["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            match block["type"]:
                case "tool_use":
                    yield ("call", block["id"])
                case "tool_result":
                    yield ("result", block["tool_use_id"], _text(block.get("content", "")))
                case "thinking":
                    yield ("reasoning", block["thinking"])
                case _:
                    yield (item["role"], block["text"])


def _read_gemini(payload):
    instruction = payload.get("config", {}).get("system_instruction")
    if instruction is not None:
        parts = instruction.get("parts") if isinstance(instruction, dict) else instruction
        yield ("system", _text(parts))
    for item in payload["contents"]:
        role = {"model": "assistant"}.get(item["role"], item["role"])
        for part in item["parts"]:
            if "functionCall" in part:
                yield ("call", part["functionCall"].get("id"))
            elif "functionResponse" in part:
                held = part["functionResponse"]
                yield ("result", held.get("id"), " ".join(map(str, held["response"].values())))
            else:
                yield ("reasoning" if part.get("thought") else role, part["text"])


def _text(content):
    if isinstance(content, str):
        return content
    return "\n".join(part if isinstance(part, str) else part["text"] for part in content)


def ids_of(shown, kind):
    return [entry[1] for entry in shown if entry[0] == kind]


def assert_paired(shown):
    """Each call has one result after it, before anything is said; each result follows its call."""
    waiting = set()
    for entry in shown:
        if entry[0] == "call":
            assert entry[1] not in waiting, shown
            waiting.add(entry[1])
        elif entry[0] == "result":
            assert entry[1] in waiting, shown
            waiting.discard(entry[1])
        else:
            assert not waiting or entry[0] in ("assistant", "reasoning"), shown
    assert not waiting, shown
