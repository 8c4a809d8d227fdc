"""A thousand secrets come in by every way there is, and none is in any file, encrypted or not.

The store is not encrypted, so that what a file holds can be read; the texts around the secrets are
there, which shows that the search would have found them.
"""

import json

import lifelong
from lifelong.bench.writing.made_secrets import provider_secrets
from lifelong.errors import LifelongError

SECRETS = 1_000
MARK = "control-marmalade"


def planted():
    found = list(provider_secrets(26))[:SECRETS]
    assert len(found) == SECRETS
    return found


def items(found):
    """Say each secret in another place of a conversation: text, arguments and results of tools."""
    for number, each in enumerate(found):
        text = f"{MARK} {each.text}"
        match number % 3:
            case 0:
                yield {"role": "user", "content": text}
            case 1:
                call = {"name": "run", "arguments": json.dumps({"command": text})}
                yield {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": f"c{number}", "type": "function", "function": call}],
                }
                yield {"role": "tool", "tool_call_id": f"c{number}", "content": "done"}
            case 2:
                yield {"role": "assistant", "content": [{"type": "text", "text": text}]}


def bytes_of(folder):
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def lines_of(secret):
    """A key of several lines is kept as JSON text, or line by line."""
    return [line for line in secret.splitlines() if len(line) > 30] or [secret]


def test_an_imported_session_leaves_no_secret_in_any_file(tmp_path):
    found = planted()
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps(item) for item in items(found)))
    folder = tmp_path / "data"

    with lifelong.open(folder, encryption="off", embedder="off") as engine:
        owner = engine.owner("ana")
        report = owner.import_transcripts("chat", file)
        for number, each in enumerate(found[::10]):
            owner.remember(f"{MARK} {each.text}", metadata={"note": each.text}, key=f"k{number}")
            owner.set(f"state{number}", {"said": each.text})
            owner.session(f"s{number}").describe(title=each.text, metadata={"about": each.text})
            owner.session(f"s{number}").append([{"role": "user", "content": each.text}])
        owner.extract(accept=True)
        exported = "\n".join(owner.export())
        kept = bytes_of(folder)  # the WAL is not emptied yet

    assert report.redacted == SECRETS
    assert kept.count(MARK.encode()) > SECRETS  # control
    kept += bytes_of(folder) + exported.encode()
    left = [
        each.kind for each in found if any(line.encode() in kept for line in lines_of(each.secret))
    ]
    assert left == []


def test_what_screening_cannot_do_stops_the_write(tmp_path):
    class Broken(LifelongError):
        """It does not work."""

    def finder(_text):
        raise Broken

    screening = lifelong.Screening(finders=(finder,))
    with lifelong.open(tmp_path, encryption="off", embedder="off", screening=screening) as engine:
        owner = engine.owner("ana")
        for write in (
            lambda: owner.remember(MARK),
            lambda: owner.set("n", MARK),
            lambda: owner.session("s").append([{"role": "user", "content": MARK}]),
            lambda: owner.session("s").describe(title=MARK),
        ):
            try:
                write()
            except Broken:
                continue
            raise AssertionError("it was written unscreened")
    assert MARK.encode() not in bytes_of(tmp_path)


def test_new_rules_take_out_what_older_ones_left(tmp_path):
    secret = "Schnurrbart-7711"
    text = f"{MARK} the word of the day is {secret}"

    def finder(text):
        at = text.find(secret)
        return [lifelong.Finding("secret", "our own", at, at + len(secret))] if at >= 0 else []

    with lifelong.open(tmp_path, encryption="off", embedder="off") as engine:
        owner = engine.owner("ana")
        owner.session("s").append([{"role": "user", "content": text}])
        first = owner.remember(text)
        owner.remember(f"{text} again", namespace=("n",))
        assert secret.encode() in bytes_of(tmp_path)  # control

    screening = lifelong.Screening(finders=(finder,))
    with lifelong.open(tmp_path, encryption="off", embedder="off", screening=screening) as engine:
        owner = engine.owner("ana")
        done = owner.rescan()
        assert (done.memories, done.messages, done.redacted) == (2, 1, 3)
        again = owner.rescan()
        assert (again.memories, again.messages) == (0, 0)
        assert owner.memory(first.id).text == f"{MARK} the word of the day is [redacted: our-own]"
        assert owner.check().is_clean
        assert len(owner.recall(MARK).hits) == 3
        assert not owner.recall(secret, min_score=0.3).hits
    assert secret.encode() not in bytes_of(tmp_path)
