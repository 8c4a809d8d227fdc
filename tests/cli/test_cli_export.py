"""`lifelong export` and `import`, encrypted; and the stores of other tools by the command line."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pyrage
import pytest

from lifelong.apps.cli import unlocking
from lifelong.export_files import is_encrypted

MEM0 = Path(__file__).parents[1] / "data" / "mem0"


@pytest.fixture(scope="module")
def key():
    return pyrage.x25519.Identity.generate()


@pytest.fixture
def key_file(tmp_path, key):
    file = tmp_path / "key.txt"
    file.write_text(f"# public key: {key.to_public()}\n{key}\n")
    return file


def test_to_a_recipient_and_back(run, said, tmp_path, key, key_file):
    file = tmp_path / "a.jsonl.age"
    told = run("export", "--output", str(file), "--recipient", str(key.to_public()), "--json").json
    assert is_encrypted(file)
    assert told["lines"] == len(list(said.export()))
    told = run(
        "import", "lifelong", str(file), "--identity-file", str(key_file), "--json", owner="bo"
    ).json
    assert (told["added"], told["memories"]["added"], told["broken"]) == (3, 3, [])


@pytest.mark.usefixtures("said")
def test_encrypted_into_a_pipe(tmp_path, key):
    file = tmp_path / "a.age"
    command = [
        *(sys.executable, "-c", "from lifelong.apps.cli import main; main()", "--owner", "ana"),
        *("export", "--recipient", str(key.to_public())),
    ]
    with file.open("wb") as stream:
        subprocess.run(command, stdout=stream, check=True, timeout=60)
    target = io.BytesIO()
    with file.open("rb") as stream:
        pyrage.decrypt_io(stream, target, [key])
    assert json.loads(target.getvalue().splitlines()[0])["what"] == "lifelong"


@pytest.mark.usefixtures("said")
def test_with_a_passphrase_from_a_file(run, tmp_path):
    secret, file = tmp_path / "secret", tmp_path / "a.age"
    secret.write_text("correct horse\nmore\n")
    assert run("export", "--output", str(file), "--passphrase-file", str(secret)).code == 0
    wrong = tmp_path / "wrong"
    wrong.write_text("other\n")
    ran = run("import", "lifelong", str(file), "--passphrase-file", str(wrong), owner="bo")
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert "identity or the passphrase" in ran.err
    ran = run("import", "lifelong", str(file), "--passphrase-file", str(secret), owner="bo")
    assert ran.code == 0


@pytest.mark.usefixtures("said")
def test_a_passphrase_is_typed_unseen_and_a_new_one_twice(run, tmp_path, monkeypatch):
    asked = []

    def prompt(text, **options):
        asked.append((text, options))
        return "a horse"

    monkeypatch.setattr("typer.prompt", prompt)
    monkeypatch.setattr(unlocking, "_is_somebody_here", lambda: True)
    file = tmp_path / "a.age"
    assert run("export", "--output", str(file), "--passphrase").code == 0
    assert pyrage.passphrase.decrypt(file.read_bytes(), "a horse").startswith(b'{"what"')
    assert run("import", "lifelong", str(file), "--passphrase", owner="bo").code == 0
    assert [text for text, _ in asked] == ["Passphrase", "Passphrase"]
    assert all(options["hide_input"] and options["err"] for _, options in asked)
    assert [options["confirmation_prompt"] for _, options in asked] == [True, False]


@pytest.mark.parametrize(
    "options",
    [
        ("--recipient", "age1nobody"),
        ("--passphrase-file", "nowhere"),
        ("--passphrase-file", "empty"),
        ("--passphrase-file", "huge"),
        ("--passphrase-file", "binary"),
        ("--passphrase",),  # nobody is here to type
        ("--passphrase", "--passphrase-file", "good"),
        ("--passphrase-file", "good", "--recipient", "age1nobody"),
    ],
)
@pytest.mark.usefixtures("said")
def test_what_cannot_encrypt_is_one_line_and_no_file(run, tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    Path("empty").write_text("\n")
    Path("huge").write_text("x" * 100_000)
    Path("binary").write_bytes(b"\xff\xfe")
    Path("good").write_text("horse")
    ran = run("export", "--output", "a.age", *options)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert not Path("a.age").exists()


@pytest.mark.usefixtures("said")
def test_an_encrypted_file_without_a_key_says_what_it_needs(run, tmp_path, key, key_file):
    file = tmp_path / "a.age"
    run("export", "--output", str(file), "--recipient", str(key.to_public()))
    ran = run("import", "lifelong", str(file), owner="bo")
    assert (ran.code, "--identity-file" in ran.err) == (2, True)
    plain = tmp_path / "plain.jsonl"
    run("export", "--output", str(plain))
    ran = run("import", "lifelong", str(plain), "--identity-file", str(key_file), owner="bo")
    assert (ran.code, "not encrypted" in ran.err) == (2, True)
    file.write_bytes(file.read_bytes()[:-5])
    ran = run("import", "lifelong", str(file), "--identity-file", str(key_file), owner="bo")
    assert (ran.code, "cut short" in ran.err) == (2, True)
    assert run("log", "--json", owner="bo").json["sessions"] == []


def test_a_store_of_mem0_by_the_command_line(run):
    shown = run("import", "mem0", str(MEM0))
    assert shown.code == 0
    assert "memories    4 (added 4, duplicates 0, " in shown.out
    assert "untrusted 4)" in shown.out
    assert "cello" not in run("known").out
    again = run("import", "mem0", str(MEM0), "--trusted", owner="bo")
    assert again.code == 0
    assert "cello" in run("known", owner="bo").out
    assert run("import", "mem0", str(MEM0), "--user", "nobody", owner="cy").code == 1
    ran = run("import", "chat", str(MEM0), "--user", "lea")
    assert (ran.code, "only mem0 knows users" in ran.err) == (2, True)
