"""Ollama and OpenAI's API against a server on loopback that says what such servers say."""

import importlib
import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra
from lifelong.providers.embedders import Ollama, OpenAIEmbedder

KEY = "sk-made-up-1234567890"
SECRET = "my order is A-7781"


class Server(ThreadingHTTPServer):
    """Makes a vector of each text, unless an answer was put there; keeps what was asked."""

    daemon_threads = True
    block_on_close = False

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.seen = []
        self.is_over = threading.Event()
        self.is_silent = False

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def says(self, body, status=200):
        text = body if isinstance(body, str) else json.dumps(body)
        self.answers.append((status, text))


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, asked))
        if self.server.is_silent:
            self.server.is_over.wait(60)
            return
        status, text = self.answer(asked)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def answer(self, asked):
        if self.server.answers:
            return self.server.answers.pop(0)
        vectors = [vector_of(text) for text in asked["input"]]
        if self.path == "/api/embed":
            return 200, json.dumps(ollama(vectors))
        return 200, json.dumps(openai_list(vectors, model=asked["model"]))

    def log_message(self, *_):
        """Say nothing: a test prints only when it fails."""


def vector_of(text):
    return [1.0, float(len(text)), -0.5]


def ollama(vectors):
    return {"model": "m", "embeddings": vectors, "total_duration": 14, "prompt_eval_count": 8}


def openai_list(vectors, model="m", numbers=None):
    numbers = range(len(vectors)) if numbers is None else numbers
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": number, "embedding": vector}
            for number, vector in zip(numbers, vectors, strict=True)
        ],
        "model": model,
        "usage": {"prompt_tokens": 8, "total_tokens": 8},
    }


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.is_over.set()
        running.shutdown()
        thread.join()


def openai_package():
    if os.environ.get("CI"):
        return importlib.import_module("openai")
    return pytest.importorskip("openai")


def openai_embedder(url, **options):
    client = openai_package().OpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0)
    return OpenAIEmbedder(client, "m", **options)


def ollama_embedder(url, **options):
    return Ollama("m", url=url, **options)


KINDS = {"ollama": (ollama_embedder, ollama), "openai": (openai_embedder, openai_list)}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def refused(embedder):
    """Return what is said of a failure, in which nothing of what was sent may be."""
    with pytest.raises(EmbedderFailed) as caught:
        embedder.embed([SECRET])
    assert KEY not in str(caught.value)
    assert SECRET not in str(caught.value)
    return caught.value.detail


def test_texts_and_questions_become_vectors_in_order(server, kind):
    make, _ = kind
    embedder = make(server.url)
    made = embedder.embed(["a", "bbb", "日本"])
    assert [each.vector.tolist() for each in made] == [[1, 1, -0.5], [1, 3, -0.5], [1, 2, -0.5]]
    assert {each.vector.dtype.name for each in made} == {"float32"}
    assert [len(each.tokens) for each in made] == [0, 0, 0]
    assert embedder.embed_query("aaaa").vector.tolist() == [1, 4, -0.5]
    assert embedder.embed([]) == []
    assert len(server.seen) == 2


def test_what_is_sent_is_what_the_servers_expect(server):
    ollama_embedder(f"{server.url}/").embed(["a"])
    openai_embedder(server.url).embed(["a"])
    openai_embedder(server.url, dimensions=3).embed(["a"])
    asked = {"input": ["a"], "model": "m", "encoding_format": "float"}
    assert server.seen == [
        ("/api/embed", {"model": "m", "input": ["a"], "truncate": True}),
        ("/v1/embeddings", asked),
        ("/v1/embeddings", {**asked, "dimensions": 3}),
    ]


def test_names_tell_models_apart(server):
    assert ollama_embedder(server.url).name == "ollama/m"
    assert openai_embedder(server.url).name == "openai/m"
    assert openai_embedder(server.url, dimensions=256).name == "openai/m/256"


def test_many_texts_go_in_batches_of_64(server, kind):
    make, _ = kind
    texts = ["a" * number for number in range(1, 131)]
    made = make(server.url).embed(texts)
    assert [int(each.vector[1]) for each in made] == [*range(1, 131)]
    assert [len(asked["input"]) for _, asked in server.seen] == [64, 64, 2]


def test_empty_and_huge_texts_are_sent_as_what_servers_take(server, kind):
    make, _ = kind
    assert len(make(server.url).embed(["", " \0", "x" * 10**6, "half \ud83d"])) == 4
    assert server.seen[0][1]["input"] == [".", ".", "x" * 4_000, "half ?"]


def test_vectors_are_put_in_the_order_of_their_numbers(server):
    server.says(openai_list([[2.0, 1.0], [1.0, 1.0]], numbers=[1, 0]))
    made = openai_embedder(server.url).embed(["a", "b"])
    assert [each.vector.tolist() for each in made] == [[1, 1], [2, 1]]


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([], "the server sent 0 vectors for 1 texts"),
        ([[1.0], [2.0]], "the server sent 2 vectors for 1 texts"),
        ([[]], "a vector is empty"),
        ([[0.0, 0.0]], "a vector is all zeros"),
        ([[float("nan"), 1.0]], "not finite"),
        ([[float("inf"), 1.0]], "not finite"),
        ([["1", "2"]], "no list of numbers"),
        ([[None, 1.0]], "no list of numbers"),
        ([None], "no list of numbers"),
        ([7], "no list of numbers"),
    ],
)
def test_wrong_vectors_are_refused(server, kind, vectors, said):
    make, answer = kind
    server.says(answer(vectors))
    assert said in refused(make(server.url))


@pytest.mark.parametrize("body", [{}, [], None, 7, "7", {"embeddings": {}}, {"data": {"a": 1}}])
def test_another_shape_is_refused(server, kind, body):
    make, _ = kind
    server.says(body)
    assert "embeddings" in refused(make(server.url))


@pytest.mark.parametrize("body", ["", "<html>no</html>", '{"embeddings": [[1', "[" * 100_000])
def test_no_json_is_refused(server, kind, body):
    make, _ = kind
    server.says(body)
    refused(make(server.url))


def test_vectors_of_two_lengths_are_refused(server, kind):
    make, answer = kind
    server.says(answer([[1.0], [1.0, 2.0]]))
    with pytest.raises(EmbedderFailed, match="differ in length"):
        make(server.url).embed(["a", "b"])


def test_too_few_in_one_batch_are_not_made_up_for_by_the_next(server, kind):
    make, answer = kind
    server.says(answer([[1.0]] * 63))
    server.says(answer([[1.0]] * 2))
    with pytest.raises(EmbedderFailed, match="63 vectors for 64 texts"):
        make(server.url).embed(["a"] * 65)


@pytest.mark.parametrize("numbers", [[0, 0], [1, 2], [None, None], ["0", "1"]])
def test_vectors_without_their_numbers_are_refused(server, numbers):
    server.says(openai_list([[1.0], [2.0]], numbers=numbers))
    with pytest.raises(EmbedderFailed, match="did not number"):
        openai_embedder(server.url).embed(["a", "b"])


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_a_refusal_is_told_by_its_number(server, kind, status):
    make, _ = kind
    server.says("<html>no</html>", status)
    assert str(status) in refused(make(server.url))


def test_ollama_says_why_it_refuses(server):
    server.says({"error": 'model "m" not found, try pulling it first'}, 404)
    assert refused(ollama_embedder(server.url)) == (
        'Ollama answered 404: model "m" not found, try pulling it first'
    )


@pytest.mark.parametrize("error", ["x" * 201, "\x1b[2J", {"code": 1}, None])
def test_a_reason_that_is_not_short_and_plain_is_left_out(server, error):
    server.says({"error": error}, 500)
    assert refused(ollama_embedder(server.url)) == "Ollama answered 500"


def test_openai_repeats_nothing_of_an_error(server):
    server.says({"error": {"message": f"{KEY} may not embed {SECRET}", "type": "x"}}, 401)
    assert refused(openai_embedder(server.url)) == "AuthenticationError 401"


def test_silence_is_not_waited_for(server, kind):
    make, _ = kind
    server.is_silent = True
    said = refused(make(server.url, timeout_s=0.2))
    assert said in {"Ollama said nothing for 0.2 s", "APITimeoutError"}


def test_no_server_is_told(kind):
    make, _ = kind
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    said = refused(make(url))
    assert said in {f"no Ollama at {url}/api/embed (ConnectionRefusedError)", "APIConnectionError"}


@pytest.mark.parametrize(
    "answer", [b"", b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_server_that_breaks_off_is_told(kind, answer):
    make, _ = kind
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            taken, _ = listening.accept()
            with taken:
                taken.recv(65_536)
                taken.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        refused(make(f"http://127.0.0.1:{listening.getsockname()[1]}"))
        thread.join()


def test_ollama_on_this_machine_is_reached_past_a_proxy(server, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free.getsockname()[1]}")
    monkeypatch.delenv("NO_PROXY")
    assert len(ollama_embedder(server.url).embed(["a"])) == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("file:///etc/passwd", "http"),
        ("ftp://localhost", "http"),
        ("localhost:11434", "http"),
        ("http://", "name a host"),
        ("", "http"),
        ("http://localhost:port", "no address"),
        ("http://[", "no address"),
        ("http://me:secret@localhost", "a password"),
    ],
)
def test_only_the_address_of_a_server_will_do(url, said):
    with pytest.raises(InvalidValue, match=said) as caught:
        Ollama("m", url=url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("timeout_s", [0, -1, float("nan")])
def test_a_time_out_is_positive(kind, timeout_s):
    make, _ = kind
    with pytest.raises(InvalidValue, match="timeout_s"):
        make("http://127.0.0.1:9", timeout_s=timeout_s)


@pytest.mark.parametrize("dimensions", [0, -3])
def test_dimensions_are_positive(dimensions):
    with pytest.raises(InvalidValue, match="dimensions"):
        openai_embedder("http://127.0.0.1:9", dimensions=dimensions)


def test_an_asynchronous_client_is_refused():
    client = openai_package().AsyncOpenAI(api_key=KEY)
    with pytest.raises(InvalidValue, match="asynchronous"):
        OpenAIEmbedder(client, "m")


def test_openai_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"lifelong\[openai\]"):
        OpenAIEmbedder(object(), "m")
