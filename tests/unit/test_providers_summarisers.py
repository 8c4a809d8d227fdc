"""Summarisers against the real clients, and a server on loopback that says what models say.

A client that is not installed skips its tests at home, and fails them in CI.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from model_server import client_package, completion, model_server, reply, text_block

from lifelong.errors import InvalidValue, MissingExtra, SummariserFailed, SummaryUnusable
from lifelong.providers.summarisers import AnthropicSummariser, OpenAISummariser
from lifelong.working.summary import SummaryTask

KEY = "sk-made-up-1234567890"
TASK = SummaryTask(
    messages=(),
    instructions="Summarise what was said.",
    transcript="user: my order is A-7781 — 日本へ",
    tokens_max=300,
)


@pytest.fixture
def server(monkeypatch):
    with model_server(monkeypatch) as running:
        yield running


@dataclass(frozen=True)
class Kind:
    """One kind of summariser, with the client it is for and what its servers say."""

    package: str
    client: str
    of: Callable[..., Any]
    path: str
    says: Callable[..., dict[str, Any]]
    cut_off: dict[str, Any]
    declined: dict[str, Any]


KINDS = [
    Kind(
        package="openai",
        client="OpenAI",
        of=OpenAISummariser,
        path="/chat/completions",
        says=completion,
        cut_off=completion("Order A-77", "length"),
        declined=completion("Sorry.", "content_filter"),
    ),
    Kind(
        package="anthropic",
        client="Anthropic",
        of=AnthropicSummariser,
        path="/v1/messages",
        says=lambda text: reply(text_block(text)),
        cut_off=reply(text_block("Order A-77"), stop="max_tokens"),
        declined=reply(text_block("Sorry."), stop="refusal"),
    ),
]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.package)
def kind(request):
    client_package(request.param.package)
    return request.param


@pytest.fixture
def summariser_for(server):
    """Return a function that makes a summariser, its client asking the server once."""
    clients = []

    def make(kind: Kind, model: str = "m", *, key: str = KEY, **options: Any) -> Any:
        client = getattr(client_package(kind.package), kind.client)
        clients.append(client(api_key=key, base_url=server.url, max_retries=0))
        return kind.of(clients[-1], model, **options)

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def summarise(kind, summariser_for):
    return summariser_for(kind)


OPENAI, ANTHROPIC = KINDS


# What is sent


def test_openai_gets_instructions_apart_from_one_transcript(server, summariser_for):
    server.says(completion("Order A-7781."))
    assert summariser_for(OPENAI)(TASK) == "Order A-7781."
    assert server.seen == [
        (
            "/chat/completions",
            {
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Summarise what was said."},
                    {"role": "user", "content": "user: my order is A-7781 — 日本へ"},
                ],
                "max_tokens": 600,
                "temperature": 0,
            },
        )
    ]


def test_anthropic_gets_instructions_apart_from_one_transcript(server, summariser_for):
    server.says(reply(text_block("Order "), text_block("A-7781.")))
    assert summariser_for(ANTHROPIC)(TASK) == "Order A-7781."
    assert server.seen == [
        (
            "/v1/messages",
            {
                "model": "m",
                "system": "Summarise what was said.",
                "messages": [{"role": "user", "content": "user: my order is A-7781 — 日本へ"}],
                "max_tokens": 600,
            },
        )
    ]


def test_a_reasoning_model_gets_its_own_limit_and_no_temperature(server, summariser_for):
    server.says(completion("Order A-7781."))
    extra = {"max_completion_tokens": 4_000, "extra_body": {"enable_thinking": False}}
    summariser_for(OPENAI, temperature=None, extra=extra)(TASK)
    body = server.seen[0][1]
    assert body["max_completion_tokens"] == 4_000
    assert body["enable_thinking"] is False
    assert not {"max_tokens", "temperature"} & body.keys()


def test_what_the_caller_adds_wins(server, summariser_for):
    server.says(completion("Order A-7781."))
    summariser_for(OPENAI, extra={"max_tokens": 50, "temperature": 0.7})(TASK)
    body = server.seen[0][1]
    assert (body["max_tokens"], body["temperature"]) == (50, 0.7)


# What comes back


def test_the_summary_comes_without_white_space_around_it(kind, server, summarise):
    server.says(kind.says("\n Order A-7781.\nNot shipped. \n"))
    assert summarise(TASK) == "Order A-7781.\nNot shipped."


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_answer_without_a_word_is_no_summary(kind, server, summarise, text):
    server.says(kind.says(text))
    assert summarise(TASK) is None


@pytest.mark.parametrize(
    "answer",
    [
        completion(None, reasoning_content="They ask about A-7781."),
        completion("", reasoning_content="They ask about A-7781."),
        completion("<think>They ask about A-7781.</think>\n"),
        completion("<think>They ask about"),
    ],
)
def test_reasoning_alone_is_no_summary_openai(answer, server, summariser_for):
    server.says(answer)
    assert summariser_for(OPENAI)(TASK) is None


@pytest.mark.parametrize(
    "blocks",
    [
        (),
        ({"type": "thinking", "thinking": "They ask.", "signature": "s"},),
        ({"type": "made_up", "text": "They ask."},),
    ],
)
def test_reasoning_alone_is_no_summary_anthropic(blocks, server, summariser_for):
    server.says(reply(*blocks))
    assert summariser_for(ANTHROPIC)(TASK) is None


def test_reasoning_never_gets_into_the_summary(server, summariser_for):
    summarise = summariser_for(OPENAI)
    server.says(completion("Order A-7781.", reasoning_content="Hm."))
    server.says(completion("<think>\nHm.\n</think>\n\nOrder A-7781."))
    # What stands later is a word of the summary, not the model's reasoning.
    server.says(completion("The page closes <think> twice: </think>."))
    assert summarise(TASK) == "Order A-7781."
    assert summarise(TASK) == "Order A-7781."
    assert summarise(TASK) == "The page closes <think> twice: </think>."


def test_an_answer_that_was_cut_off_is_refused(kind, server, summarise):
    server.says(kind.cut_off)
    with pytest.raises(SummaryUnusable, match="cut off") as caught:
        summarise(TASK)
    assert "A-77" not in str(caught.value)


def test_reasoning_that_took_all_the_room_is_an_answer_cut_off(server, summariser_for):
    server.says(completion("", "length", reasoning_content="First of all,"))
    with pytest.raises(SummaryUnusable, match="cut off"):
        summariser_for(OPENAI)(TASK)


def test_a_conversation_that_outgrew_the_model_is_an_answer_cut_off(server, summariser_for):
    server.says(reply(text_block("Order A-77"), stop="model_context_window_exceeded"))
    with pytest.raises(SummaryUnusable, match="cut off"):
        summariser_for(ANTHROPIC)(TASK)


def test_an_apology_is_no_summary(kind, server, summarise):
    server.says(kind.declined)
    with pytest.raises(SummaryUnusable, match="declined"):
        summarise(TASK)


def test_a_refusal_is_no_summary(server, summariser_for):
    server.says(completion(None, refusal="I cannot help with that."))
    with pytest.raises(SummaryUnusable, match="declined"):
        summariser_for(OPENAI)(TASK)


def test_a_summariser_goes_by_the_name_of_its_model(kind, summariser_for):
    assert summariser_for(kind, "model-7").name == "model-7"


# What goes wrong


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "BadRequestError"),
        (401, "AuthenticationError"),
        (404, "NotFoundError"),
        (429, "RateLimitError"),
        (500, "InternalServerError"),
    ],
)
def test_what_the_server_refuses_is_told_by_kind_and_not_by_content(
    server, summarise, status, name
):
    # Given a server that quotes the key and the request in its message
    message = f"Incorrect key {KEY} for {TASK.transcript}"
    error = {"type": "some_error", "code": KEY, "param": "max_tokens", "message": message}
    server.says({"type": "error", "error": error}, status)
    with pytest.raises(SummariserFailed) as caught:
        summarise(TASK)
    assert caught.value.detail.startswith(f"{name} {status} some_error")
    assert KEY not in str(caught.value)
    assert "A-7781" not in str(caught.value)
    assert "Try again" in str(caught.value)
    # The client's own error stays at hand for who needs more.
    assert type(caught.value.__cause__).__name__ == name


def test_a_parameter_that_the_model_does_not_take_is_named(server, summariser_for):
    error = {"message": "…", "type": "invalid_request_error"}
    error |= {"param": "max_tokens", "code": "unsupported_parameter"}
    server.says({"error": error}, 400)
    with pytest.raises(SummariserFailed) as caught:
        summariser_for(OPENAI)(TASK)
    named = "BadRequestError 400 unsupported_parameter invalid_request_error max_tokens"
    assert caught.value.detail == named


def test_a_server_that_says_nothing_is_left_after_the_timeout(kind, server, summariser_for):
    with pytest.raises(SummariserFailed, match="APITimeoutError"):
        summariser_for(kind, timeout_s=0.2)(TASK)
    assert [path for path, _ in server.seen] == [kind.path]


def test_nobody_there(kind, server, summariser_for):
    summarise = summariser_for(kind)
    server.shutdown()
    server.server_close()
    with pytest.raises(SummariserFailed, match="APIConnectionError"):
        summarise(TASK)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("{", "application/json"),
        ("", "application/json"),
        ("<html>Bad gateway</html>", "text/html"),
        ("{}", "application/json"),
        ("[]", "application/json"),
        ("null", "application/json"),
        ('"Order A-7781."', "application/json"),
        ('{"error": {"message": "no model"}}', "application/json"),
        ('{"choices": null, "content": null}', "application/json"),
        ('{"choices": 7, "content": 7}', "application/json"),
        ('{"choices": [], "content": {}}', "application/json"),
        ('{"choices": [null], "content": "Order"}', "application/json"),
        ('{"choices": [{}], "content": 7}', "application/json"),
        ('{"choices": [{"message": "Order"}]}', "application/json"),
        ('{"choices": [{"message": {"content": [1]}}]}', "application/json"),
    ],
)
def test_what_is_no_answer_of_a_model_is_a_failure(server, summarise, body, content_type):
    server.says(body, content_type=content_type)
    with pytest.raises(SummariserFailed):
        summarise(TASK)


def test_text_that_cannot_be_sent_is_a_failure_without_the_text(server, summarise):
    torn = SummaryTask(messages=(), instructions="…", transcript="A-7781 \ud800", tokens_max=300)
    with pytest.raises(SummariserFailed) as caught:
        summarise(torn)
    assert "A-7781" not in str(caught.value)
    assert server.seen == []


def test_an_argument_that_the_client_does_not_know_is_a_failure(server, summariser_for):
    with pytest.raises(SummariserFailed, match="TypeError"):
        summariser_for(OPENAI, extra={"made_up": 1})(TASK)
    assert server.seen == []


def test_a_failure_leaves_the_summariser_usable(kind, server, summarise):
    server.says({"error": {}}, 500)
    server.says(kind.says("Order A-7781."))
    with pytest.raises(SummariserFailed):
        summarise(TASK)
    assert summarise(TASK) == "Order A-7781."


# What cannot be made


def test_an_asynchronous_client_is_refused_at_once(kind):
    package = client_package(kind.package)
    client = getattr(package, f"Async{kind.client}")(api_key=KEY)
    with pytest.raises(InvalidValue, match="synchronous"):
        kind.of(client, "m")


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan")])
def test_a_timeout_that_is_none_is_refused_at_once(kind, summariser_for, timeout_s):
    with pytest.raises(InvalidValue, match="timeout_s"):
        summariser_for(kind, timeout_s=timeout_s)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.package)
def test_a_missing_package_is_named_with_its_remedy(kind, monkeypatch):
    monkeypatch.setitem(sys.modules, kind.package, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'lifelong\[{kind.package}\]'"):
        kind.of(object(), "m")
