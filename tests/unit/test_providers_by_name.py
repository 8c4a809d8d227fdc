"""Extractors by name: clients made from the environment, and what is said when they cannot be."""

import pytest

from lifelong import engine
from lifelong.errors import InvalidValue
from lifelong.providers.extractors import AnthropicExtractor, OpenAIExtractor


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "none-needed")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("name", "kind", "model"),
    [
        ("openai:qwen3", OpenAIExtractor, "qwen3"),
        ("qwen3:8b", OpenAIExtractor, "qwen3:8b"),
        ("anthropic:claude", AnthropicExtractor, "claude"),
    ],
)
def test_a_name_makes_an_extractor(name, kind, model):
    found = engine.extractor(name)
    assert isinstance(found, kind)
    assert found.name == model


@pytest.mark.parametrize("name", ["openai:", "anthropic: ", ""])
def test_no_model_is_refused(name):
    with pytest.raises(InvalidValue, match="names no model"):
        engine.extractor(name)


def test_a_missing_key_is_said(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InvalidValue, match="OPENAI_API_KEY"):
        engine.extractor("openai:some")
