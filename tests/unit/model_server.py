"""A server on loopback that says what models say, in the shapes of two APIs."""

import importlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


class Server(ThreadingHTTPServer):
    """Answers each request with the next of `answers`; without any, not before the test ends."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, str, str]] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.is_over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body in self.seen]

    def says(self, body: object, status: int = 200, content_type: str = "application/json") -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.answers.append((status, text, content_type))


class Handler(BaseHTTPRequestHandler):
    """Speaks just enough HTTP."""

    server: Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, json.loads(body)))
        if not self.server.answers:
            self.server.is_over.wait(60)
            return
        status, text, content_type = self.server.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing: a test prints only when it fails."""


@contextmanager
def model_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server on loopback, which no proxy is asked for."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.is_over.set()
        running.shutdown()
        thread.join()


def client_package(name: str) -> Any:
    return importlib.import_module(name) if os.environ.get("CI") else pytest.importorskip(name)


def completion(content: object = None, finish: str = "stop", **message: object) -> dict[str, Any]:
    said = {"role": "assistant", "content": content, **message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
    }


def reply(*blocks: dict[str, Any], stop: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 5},
    }


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
