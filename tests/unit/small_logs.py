"""Logs as ranking sees them, made by hand: columns of messages, and where the words stand."""

from lifelong.rows import LogColumns, LogMatches, TermMatches, pack_posting

FIRST_DAY = 738_000
"""2021-07-29; message n was said n days later."""


def columns_of(rows):
    """Return columns of rows given as (session, role, speaker, words)."""
    columns = LogColumns(speakers=["", "ida", "bo"])
    newest = {}
    for seq, (session, role, speaker, words) in enumerate(rows, 1):
        before = newest.get(session, 0)
        newest[session] = seq
        if before:
            columns.following[before] = seq
        for column, value in (
            (columns.session, session),
            (columns.previous, before),
            (columns.following, 0),
            (columns.role, role),
            (columns.speaker, speaker),
            (columns.day, FIRST_DAY + seq),
            (columns.words, words),
            (columns.flags, seq % 4),
            (columns.question, float(seq % 5 == 0)),
        ):
            column.append(value)
        columns.session_words[session] = columns.session_words.get(session, 0) + words
        columns.passages += 1
        columns.passage_words += words
    return columns


def log_of(rows, **having):
    """Return matches of words, each with the numbers of the messages that have it once."""
    terms = []
    for word, seqs in having.items():
        postings = [pack_posting(seq, 0, rows[seq - 1][3]) for seq in seqs]
        terms.append(TermMatches(word, postings, len(postings)))
    return LogMatches(tuple(terms), columns_of(rows))
