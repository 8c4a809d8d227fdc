"""Histories in chat's words, counted one token a message unless a test says otherwise."""

from lifelong.formats import parse
from lifelong.working.repair import build


def asked(text="Next?"):
    return {"role": "user", "content": text}


def said(text="Fine."):
    return {"role": "assistant", "content": text}


def called(*ids, name="lookup", arguments="{}"):
    calls = [
        {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id, text="42"):
    return {"role": "tool", "tool_call_id": id, "content": text}


def step(id, text="42", name="lookup"):
    return [called(id, name=name), result(id, text)]


def one_each(_message):
    return 1


def by_length(message):
    return sum(len(getattr(part, "text", "")) for part in message.parts) or 1


def history_of(*items, count=one_each, format="chat", takes_late_system=True):
    messages = parse(list(items), format)
    return build(messages, format, count=count, takes_late_system=takes_late_system)


def raws(history):
    """The items as they came; a message that was made or changed is its role and text."""
    shown = []
    for unit in history.units:
        for message in unit.messages:
            texts = [getattr(part, "text", "") for part in message.parts]
            shown.append(message.raw or (message.role, " ".join(filter(None, texts))))
    return shown
