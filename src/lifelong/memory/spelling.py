"""Spelling: which words of the index a word that nobody ever said may be a slip of.

A pure function of candidates; the store looks them up. One letter too many, too few, wrong or
swapped with its neighbour is a slip; two of them only in a word of eight letters or more.
"""

from __future__ import annotations

from collections.abc import Iterable

LETTERS_MIN = 4
_TWO_SLIPS_FROM = 8
_GUESSES_MAX = 3


def may_be_misspelt(word: str) -> bool:
    """Return whether a word is long enough to tell its slips; numbers and codes never are."""
    return len(word) >= LETTERS_MIN and word.isalpha()


def beginnings(word: str, letters: int) -> tuple[str, ...]:
    """Return what candidates begin with: as the word does, with a letter missing or two swapped.

    Args:
        word: of four letters or more.
        letters: how many letters each beginning has; with fewer, more slips are found.
    """
    start = word[:letters]
    swapped = [
        start[:at] + start[at + 1] + start[at] + start[at + 2 :] for at in range(letters - 1)
    ]
    longer = word[: letters + 1]
    missing = [longer[:at] + longer[at + 1 :] for at in range(letters)]
    return tuple(dict.fromkeys([start, *swapped, *missing]))


def slips(one: str, other: str, most: int) -> int:
    """Return how many slips lie between two words; `most` + 1 when there are more."""
    start, end = 0, min(len(one), len(other))
    while start < end and one[start] == other[start]:
        start += 1
    tail = 0
    while tail < end - start and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    a, b = one[start : len(one) - tail], other[start : len(other) - tail]
    if abs(len(a) - len(b)) > most:
        return most + 1
    if most == 1:
        is_one = max(len(a), len(b)) == 1 or (len(a) == 2 and a == b[::-1])
        return 0 if not a and not b else 1 if is_one else 2
    return min(_distance(a, b), most + 1)


def _distance(a: str, b: str) -> int:
    """Return the number of edits, a swap of neighbours counting as one."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        oldest, before = before, row
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, oldest[j - 2] + 1)
            row.append(cost)
    return row[-1]


def guesses(word: str, candidates: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return at most three candidates that `word` may be a slip of, the likeliest first.

    Args:
        word: that is nowhere in the index.
        candidates: words of the index, with how often each is there.
    """
    most = 2 if len(word) >= _TWO_SLIPS_FROM else 1
    near = [
        (found, -count, candidate)
        for candidate, count in candidates
        if abs(len(candidate) - len(word)) <= most
        and candidate.isalpha()
        and (len(word) > LETTERS_MIN or set(candidate) == set(word))
        and (found := slips(word, candidate, most)) <= most
    ]
    near.sort()
    return [(candidate, -count) for found, count, candidate in near if found == near[0][0]][
        :_GUESSES_MAX
    ]
