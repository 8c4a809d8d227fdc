"""Extractors against the real clients, and a server on loopback that says what models say.

A client that is not installed skips its tests at home, and fails them in CI. What is shared with
summarisers (errors of servers, answers that are none) is attacked in theirs.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from model_server import client_package, completion, model_server, reply, text_block

from lifelong.errors import ExtractionUnusable, ExtractorFailed, InvalidValue, MissingExtra
from lifelong.memory.extract import extract
from lifelong.memory.extraction import SCHEMA, ExtractionTask
from lifelong.messages import USER, Message
from lifelong.providers.extractors import AnthropicExtractor, OpenAIExtractor

KEY = "sk-made-up-1234567890"
TASK = ExtractionTask(
    messages=(),
    instructions="List what is worth remembering.",
    transcript="[1] User: my order is A-7781 \u2014 \u65e5\u672c\u3078",
    schema=SCHEMA,
    tokens_max=900,
)
FOUND = {
    "memories": [
        {
            "text": "The user is Ada",
            "quote": "I am Ada",
            "message": 1,
            "kind": "fact",
            "importance": 5,
            "about": "user",
        }
    ]
}


@pytest.fixture
def server(monkeypatch):
    with model_server(monkeypatch) as running:
        yield running


def call(arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": "c1", "name": "propose_memories", "input": arguments}


def refused(status: int = 400) -> tuple[dict[str, Any], int]:
    error = {"message": f"no response_format {KEY}", "type": "invalid_request_error"}
    return {"type": "error", "error": error}, status


@dataclass(frozen=True)
class Kind:
    """One kind of extractor, with the client it is for and what its servers say."""

    package: str
    client: str
    of: Callable[..., Any]
    found: dict[str, Any]
    cut_off: dict[str, Any]
    declined: dict[str, Any]


OPENAI = Kind(
    package="openai",
    client="OpenAI",
    of=OpenAIExtractor,
    found=completion(json.dumps(FOUND)),
    cut_off=completion('{"memories": [', "length"),
    declined=completion(None, refusal="I cannot help with that."),
)
ANTHROPIC = Kind(
    package="anthropic",
    client="Anthropic",
    of=AnthropicExtractor,
    found=reply(call(FOUND), stop="tool_use"),
    cut_off=reply(call({"memories": []}), stop="max_tokens"),
    declined=reply(text_block("Sorry."), stop="refusal"),
)
KINDS = [OPENAI, ANTHROPIC]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.package)
def kind(request):
    client_package(request.param.package)
    return request.param


@pytest.fixture
def extractor_for(server):
    """Return a function that makes an extractor, its client asking the server once."""
    clients = []

    def make(kind: Kind, model: str = "m", **options: Any) -> Any:
        client = getattr(client_package(kind.package), kind.client)
        clients.append(client(api_key=KEY, base_url=server.url, max_retries=0))
        return kind.of(clients[-1], model, **options)

    yield make
    for client in clients:
        client.close()


# What is sent


def test_openai_is_asked_for_the_schema(server, extractor_for):
    server.says(OPENAI.found)
    assert json.loads(extractor_for(OPENAI)(TASK)) == FOUND
    assert server.bodies == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": TASK.instructions},
                {"role": "user", "content": TASK.transcript},
            ],
            "max_tokens": 900,
            "temperature": 0,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "memories", "strict": True, "schema": SCHEMA},
            },
        }
    ]


def test_a_strict_schema_names_every_part():
    # Given what strict output of providers asks for
    item = SCHEMA["properties"]["memories"]["items"]
    for part in (SCHEMA, item):
        assert part["additionalProperties"] is False
        assert set(part["required"]) == set(part["properties"])


@pytest.mark.parametrize(
    ("output", "form"), [("json_object", {"type": "json_object"}), ("plain", None)]
)
def test_a_server_without_schemas_reads_it_in_words(server, extractor_for, output, form):
    server.says(OPENAI.found)
    extractor_for(OPENAI, output=output)(TASK)
    (body,) = server.bodies
    assert body.get("response_format") == form
    instructions = body["messages"][0]["content"]
    assert instructions.startswith(TASK.instructions)
    assert json.dumps(SCHEMA, separators=(",", ":")) in instructions


def test_what_the_caller_adds_wins(server, extractor_for):
    server.says(OPENAI.found)
    extra = {"max_completion_tokens": 50, "response_format": {"type": "text"}, "seed": 7}
    extractor_for(OPENAI, temperature=None, extra=extra)(TASK)
    (body,) = server.bodies
    assert (body["max_completion_tokens"], body["seed"]) == (50, 7)
    assert body["response_format"] == {"type": "text"}
    assert not {"max_tokens", "temperature"} & body.keys()


def test_anthropic_has_to_call_the_tool(server, extractor_for):
    server.says(ANTHROPIC.found)
    assert extractor_for(ANTHROPIC)(TASK) == FOUND
    (body,) = server.bodies
    assert body["system"] == TASK.instructions
    assert body["messages"] == [{"role": "user", "content": TASK.transcript}]
    assert body["max_tokens"] == 900
    (tool,) = body["tools"]
    assert tool["input_schema"] == SCHEMA
    assert body["tool_choice"] == {"type": "tool", "name": tool["name"]}


def test_anthropic_is_asked_for_the_schema_where_the_caller_says_so(server, extractor_for):
    server.says(reply({"type": "thinking", "thinking": "Hm.", "signature": "s"}, text_block("[]")))
    extractor = extractor_for(ANTHROPIC, output="schema", extra={"thinking": {"type": "adaptive"}})
    assert extractor(TASK) == "[]"
    (body,) = server.bodies
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    assert body["thinking"] == {"type": "adaptive"}
    assert not {"tools", "tool_choice"} & body.keys()


# A server that does not know the form


@pytest.mark.parametrize("status", [400, 422])
def test_a_refused_form_is_asked_for_less_strictly_and_remembered(server, extractor_for, status):
    server.says(*refused(status))
    server.says(*refused(status))
    server.says(OPENAI.found)
    server.says(OPENAI.found)
    extractor = extractor_for(OPENAI)
    assert json.loads(extractor(TASK)) == FOUND
    assert json.loads(extractor(TASK)) == FOUND
    forms = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert forms == ["json_schema", "json_object", None, None]


def test_a_request_that_is_refused_in_every_form_fails_and_is_tried_anew(server, extractor_for):
    for _ in range(3):
        server.says(*refused())
    extractor = extractor_for(OPENAI)
    with pytest.raises(ExtractorFailed, match="BadRequestError 400"):
        extractor(TASK)
    server.says(OPENAI.found)
    extractor(TASK)
    assert server.bodies[-1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_another_refusal_is_no_matter_of_form(server, extractor_for, status):
    server.says(*refused(status))
    with pytest.raises(ExtractorFailed):
        extractor_for(OPENAI)(TASK)
    assert len(server.bodies) == 1


def test_a_form_that_the_caller_names_is_the_only_one(server, extractor_for):
    server.says(*refused())
    with pytest.raises(ExtractorFailed):
        extractor_for(OPENAI, output="json_schema")(TASK)
    assert len(server.bodies) == 1


# What comes back


def test_an_answer_is_judged_with_its_session(kind, server, extractor_for):
    server.says(kind.found)
    messages = [(4, Message.of(USER, "I am Ada from Lyon.", id="m4"))]
    found = extract(messages, extractor_for(kind, "model-7"), now=datetime(2026, 2, 20, tzinfo=UTC))
    (proposal,) = found.proposals
    assert (proposal.quote, proposal.message_id) == ("I am Ada", "m4")
    assert proposal.made_by == "model-7"
    assert found.read == (4,)


def test_a_failure_is_named_in_what_the_session_yields(kind, server, extractor_for):
    server.says(*refused(500))
    messages = [(4, Message.of(USER, "I am Ada from Lyon."))]
    found = extract(messages, extractor_for(kind), now=datetime(2026, 2, 20, tzinfo=UTC))
    (failure,) = found.failures
    assert failure.seqs == (4,)
    assert failure.reason.startswith("ExtractorFailed: InternalServerError 500")
    assert found.read == ()


def test_an_answer_that_was_cut_off_is_refused(kind, server, extractor_for):
    server.says(kind.cut_off)
    with pytest.raises(ExtractionUnusable, match="cut off"):
        extractor_for(kind)(TASK)


def test_an_apology_is_no_answer(kind, server, extractor_for):
    server.says(kind.declined)
    with pytest.raises(ExtractionUnusable, match="declined"):
        extractor_for(kind)(TASK)


def test_a_model_that_answers_in_words_is_heard(server, extractor_for):
    server.says(reply(text_block("I found "), text_block("nothing.")))
    assert extractor_for(ANTHROPIC)(TASK) == "I found nothing."


def test_reasoning_is_no_answer(server, extractor_for):
    server.says(completion(f"<think>Hm.</think>\n{json.dumps(FOUND)}"))
    assert json.loads(extractor_for(OPENAI)(TASK)) == FOUND


def test_what_the_server_refuses_is_told_by_kind_and_not_by_content(kind, server, extractor_for):
    server.says(*refused(401))
    with pytest.raises(ExtractorFailed) as caught:
        extractor_for(kind)(TASK)
    assert caught.value.detail.startswith("AuthenticationError 401")
    assert KEY not in str(caught.value)
    assert "A-7781" not in str(caught.value)


def test_what_is_no_answer_of_a_model_is_a_failure(kind, server, extractor_for):
    server.says({"choices": None, "content": None})
    with pytest.raises(ExtractorFailed):
        extractor_for(kind)(TASK)


# What cannot be made


def test_an_asynchronous_client_is_refused_at_once(kind):
    client = getattr(client_package(kind.package), f"Async{kind.client}")(api_key=KEY)
    with pytest.raises(InvalidValue, match="synchronous"):
        kind.of(client, "m")


def test_a_timeout_that_is_none_is_refused_at_once(kind, extractor_for):
    with pytest.raises(InvalidValue, match="timeout_s"):
        extractor_for(kind, timeout_s=0)


def test_an_output_that_there_is_not_is_refused_at_once(kind, extractor_for):
    with pytest.raises(InvalidValue, match="output 'xml'"):
        extractor_for(kind, output="xml")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.package)
def test_a_missing_package_is_named_with_its_remedy(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, kind.package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'lifelong\[{kind.package}\]'"):
        kind.of(object(), "m")
