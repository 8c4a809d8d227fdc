"""Recall while another process appends: always a consistent state, and all that was acknowledged.

A batch is one transaction, so all of its turns are found or none; and once `append` has returned,
whoever asks afterwards finds what it wrote, in whichever process, with a vector or without.
"""

from itertools import pairwise
from multiprocessing import Pipe

import pytest

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, in_processes, said
from lifelong.memory.ranking import CANDIDATES_MAX

TURNS = 5_000
BATCHES = (1, 40, 7, 32, 20)
"""None longer than the messages that one question brings up."""
RECALLS_EVERY = 10
"""The writer goes on only when there was a recall within so many batches."""
TOKENS_MAX = 20_000
LETTERS = "bcdfghjklm"

# The first number of each batch, and the one after its last.
STARTS = [0]
while STARTS[-1] < TURNS:
    STARTS.append(min(STARTS[-1] + BATCHES[len(STARTS) % len(BATCHES)], TURNS))
BATCH_OF = [at for at, (a, b) in enumerate(pairwise(STARTS)) for _ in range(a, b)]


def word(kind, number):
    """Return a word that no other kind and number has: ten letters, and no inflection."""
    return kind + "".join(LETTERS[int(digit)] for digit in f"{number:05}") + "qx"


def text_of(number):
    return f"the {word('tz', number)} is on tram {word('bz', BATCH_OF[number])}"


def id_of(number):
    return f"turn-{number}"


def numbers_in(found):
    """Return the numbers of the turns that were found; each is what its id says, word for word."""
    numbers = []
    for hit in found.hits:
        number = int(hit.id.removeprefix("turn-"))
        assert (hit.text, hit.session_id, hit.is_cut) == (text_of(number), "s", False)
        numbers.append(number)
    assert len(set(numbers)) == len(numbers)
    return numbers


def found_of_batch(owner, batch):
    """Return how many turns of a batch are found, which is none or all of them."""
    numbers = numbers_in(owner.recall(word("bz", batch), tokens_max=TOKENS_MAX))
    found = sorted(number for number in numbers if BATCH_OF[number] == batch)
    assert found in ([], list(range(STARTS[batch], STARTS[batch + 1])))
    return len(found)


def write(owner, reader):
    """Append everything, and say of each batch that it is written once that is so."""
    for batch, (start, end) in enumerate(pairwise(STARTS)):
        numbers = range(start, end)
        owner.session("s").append(said(*map(text_of, numbers)), ids=[*map(id_of, numbers)])
        reader.send(batch)
        if batch % RECALLS_EVERY == 0:
            reader.recv()
            while reader.poll():
                reader.recv()
    return len(STARTS) - 1


def recall_all_the_while(owner, writer):
    """Ask for what was acknowledged last and for what comes next, until all is written."""
    last = writer.recv()
    while True:
        while writer.poll():
            last = writer.recv()
        newest = STARTS[last + 1] - 1
        assert newest in numbers_in(owner.recall(word("tz", newest), limit=5))
        assert found_of_batch(owner, last)
        writer.send(last)
        if last == len(STARTS) - 2:
            return last + 1
        for batch in range(last + 1, min(last + 3, len(STARTS) - 1)):
            found_of_batch(owner, batch)  # it is being written
        assert newest in numbers_in(owner.recall(f"which {word('tz', newest)} tram?", limit=5))


@pytest.mark.parametrize("has_model", [False, True])
def test_a_process_recalls_while_another_appends(tmp_path, monkeypatch, has_model):
    assert max(BATCHES) <= CANDIDATES_MAX
    # Vectors are made beside it from the beginning, not only when there is a pause.
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 0.0)
    ends = Pipe()

    def work(number):
        model = WordsModel() if has_model else "off"
        with lifelong.open(tmp_path / "data", embedder=model) as engine:
            return (write, recall_all_the_while)[number](engine.owner("ana"), ends[number])

    try:
        assert in_processes(2, work, seconds=60) == [len(STARTS) - 1] * 2
    finally:
        for end in ends:
            end.close()
    with lifelong.open(tmp_path / "data", embedder="off") as engine:
        owner = engine.owner("ana")
        assert owner.stats()["message"] == TURNS
        assert (owner.stats()["vector"] > 0) == has_model
        assert owner.check().is_clean
