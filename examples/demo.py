"""A tour of lifelong: import, recall, remember, forget, and the proof of it. Offline.

Everything happens in a temporary directory with a temporary key: nobody's own memory is touched.
The demo ends with an error if a step does not do what it says.
"""

import shutil
import sys
import tempfile
import textwrap
from pathlib import Path

import lifelong

TRANSCRIPTS = Path(__file__).with_name("transcripts")
QUESTION = "why is the terminal not scrolling back?"
ANSWER = "scrolling back in xterm.js still does not work"
PREFERENCE = "Prefers mix tasks over hand-written scripts"


def main() -> None:
    sys.stdout.reconfigure(errors="backslashreplace")
    place = Path(tempfile.mkdtemp(prefix="lifelong-demo-"))
    try:
        with lifelong.open(place / "store", key=f"file:{place / 'master.key'}") as engine:
            tour(engine.owner("demo"))
    finally:
        shutil.rmtree(place)
    print("\nThat was all of it. Your own memory begins with:")
    print("  lifelong import claude-code ~/.claude/projects")


def tour(owner: lifelong.Owner) -> None:
    read_transcripts(owner)
    answer = ask(owner)
    keep_a_preference(owner)
    forget_a_session(owner, answer.session_id)
    look_for_disagreement(owner)


def read_transcripts(owner: lifelong.Owner) -> None:
    step("Read three real sessions of a coding agent", "lifelong import claude-code DIR")
    report = owner.import_transcripts("claude-code", TRANSCRIPTS)
    print(f"  {report.sessions} sessions, {report.messages} messages, {report.added} of them new")
    must(report.sessions == 3 and report.added == report.messages > 50, "all of it is stored")
    must(not report.broken, "every line can be read")


def ask(owner: lifelong.Owner) -> lifelong.Hit:
    step("Ask, without any model", f'lifelong recall "{QUESTION}"')
    found = owner.recall(QUESTION, limit=2)
    for hit in found.by_date:
        show_hit(hit)
    answers = [hit for hit in found.hits if ANSWER in hit.text]
    must(answers, "what was said about it is among the first two hits")
    parts = ", ".join(f"{part.feature} {part.amount:+.2f}" for part in answers[0].parts[:4])
    print(f"  why it was found: {parts}")
    return answers[0]


def keep_a_preference(owner: lifelong.Owner) -> None:
    step("Keep one statement", f'lifelong remember --kind preference "{PREFERENCE}"')
    first = owner.remember(PREFERENCE, kind="preference")
    again = owner.remember(PREFERENCE.upper(), kind="preference")
    print(f"  the first time: {first.outcome}; in capitals, once more: {again.outcome}")
    must((first.outcome, again.outcome) == ("stored", "duplicate_of"), "it is kept once")
    step("What a new conversation begins with", "lifelong known")
    known = owner.known()
    print(textwrap.indent(known.text, "  "))
    must(PREFERENCE in known.text, "the preference is in it")


def forget_a_session(owner: lifelong.Owner, session_id: str) -> None:
    step("Forget that session", f"lifelong forget --session {session_id}")
    receipt = owner.forget(session=session_id)
    counts = ", ".join(f"{table} {count}" for table, count in sorted(receipt.counts.items()))
    print(f"  receipt {receipt.id}")
    print(f"  rows removed: {counts}")
    must(receipt.forgotten > 0 and not receipt.is_pending, "the database removed it")

    step("Ask again", f'lifelong recall "{QUESTION}"')
    found = owner.recall(QUESTION, limit=50)
    left = [hit for hit in found.hits if hit.session_id == session_id]
    print(f"  {len(left)} hits from the forgotten session")
    must(not left, "nothing of it is shown")

    step("Import the same files again", "lifelong import claude-code DIR")
    report = owner.import_transcripts("claude-code", TRANSCRIPTS)
    print(f"  {report.duplicates} known, {report.forgotten} forgotten and left out, ", end="")
    print(f"{report.added} new")
    must(report.added == 0 and report.forgotten == receipt.forgotten, "nothing comes back")


def look_for_disagreement(owner: lifelong.Owner) -> None:
    step("Compare what is kept with its index", "lifelong check")
    report = owner.check()
    print(f"  {report.counts['message']} messages, {report.counts['memory']} memory: ", end="")
    print("nothing disagrees" if report.is_clean else "; ".join(report.problems))
    must(report.is_clean, "check is clean")


def step(title: str, command: str) -> None:
    print(f"\n{title}\n  $ {command}")


def show_hit(hit: lifelong.Hit) -> None:
    print(f"  {hit.at:%Y-%m-%d %H:%M}  {hit.role}  score {hit.score:.2f}  session {hit.session_id}")
    text = textwrap.shorten(hit.text, 300, placeholder=" ...")
    print(textwrap.fill(text, 96, initial_indent="    ", subsequent_indent="    "))


def must(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"demo: this does not hold: {what}")


if __name__ == "__main__":
    main()
