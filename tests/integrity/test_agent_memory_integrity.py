"""The suite `agent-memory-integrity`, run on our store by its own runner.

Its nine attacks edit the owner's file behind the engine. Whoever does so here has the key of the
file, and cleans up: triggers are put back as they were. With `takes_chain` the entries of removed
rows go too, and the count of entries is made to fit.
"""

import json
import shutil
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import ClassVar

import apsw
import pytest
from agmi.adapters.base import MemoryAdapter, Record
from agmi.attacks.at_rest import AT_REST_ATTACKS_WITH_SNAPSHOT, SnapshotRollbackAttack
from agmi.runner import format_scorecard, run_matrix

import lifelong
from lifelong.clock import ManualClock

OWNER = "agmi"
MINE, OTHER = "ctx-a", "ctx-b"
TOPICS = "granite harbour lantern meadow nutmeg orchard pebble quarry saffron thistle".split()


class Adapter(MemoryAdapter):
    """What the attacks need to know of a data directory of ours.

    Attributes:
        table: where the records are.
        content: the columns that say something; a replay copies them.
        labels: the columns that say who, whence and when.
        context: SQL for the context that a row `t` is in.
        unique: what a forged row says in columns that may not repeat.
    """

    detection_point = "audit"
    supports_replay = supports_metadata = supports_snapshot = True
    table: str
    content: tuple[str, ...]
    labels: tuple[str, ...]
    context: str
    unique: ClassVar = {}

    def __init__(self, encryption="on", *, takes_chain=False, has_anchor=True):
        self.encryption = encryption
        self.takes_chain = takes_chain
        self.has_anchor = has_anchor
        self.name = f"lifelong-{self.table}-{encryption}-{takes_chain}-{has_anchor}"

    def setup(self):
        self._directory = Path(tempfile.mkdtemp(prefix="agmi-"))
        self._clock = ManualClock()
        self._noted = None
        self._written = 0
        self._open()

    def teardown(self):
        self._engine.close()
        shutil.rmtree(self._directory)

    def _open(self):
        self._engine = lifelong.open(
            self._directory / "data",
            key=b"k" * 32,
            encryption=self.encryption,
            embedder="off",
            clock=self._clock,
        )
        self._owner = self._engine.owner(OWNER)

    def _write(self, context, count):
        for _ in range(count):
            self._clock.advance(minutes=1)
            topic = TOPICS[self._written % len(TOPICS)]
            self.write_one(context, f"agmi-seed-{self._written} {topic} {context}")
            self._written += 1
        self._noted = self._owner.verify().head

    def write_one(self, context, text):
        raise NotImplementedError

    def seed(self, n):
        self._write(MINE, n)

    def seed_other(self, n):
        self._write(OTHER, n)

    def append_genuine(self):
        self._write(MINE, 1)

    @contextmanager
    def _raw(self):
        """Lend a connection to the file that knows nothing of the engine."""
        file = self._engine._store.open_owner(OWNER, may_make=False).file
        with closing(apsw.Connection(str(file.path))) as connection:
            if file.key:
                connection.pragma("key", f"raw:{file.key.hex()}")
            triggers = connection.execute(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            ).fetchall()
            with connection:
                for name, _ in triggers:
                    connection.execute(f"DROP TRIGGER {name}")
                yield connection
                for _, sql in triggers:
                    connection.execute(sql)

    def _read(self, context):
        columns = ("seq", "id", *self.content, *self.labels)
        listed = ", ".join(f"t.{column}" for column in columns)
        with self._raw() as connection:
            rows = connection.execute(
                f"SELECT {listed} FROM {self.table} AS t WHERE {self.context} = ? ORDER BY t.seq",
                (self.context_key(context),),
            ).fetchall()
        return [
            Record(at, {"context": context, **dict(zip(columns, row, strict=True))})
            for at, row in enumerate(rows)
        ]

    def context_key(self, context):
        return context

    def read_all_raw(self):
        return self._read(MINE)

    def read_other_raw(self):
        return self._read(OTHER)

    def _set(self, at, columns, fields):
        seq = self.read_all_raw()[at].fields["seq"]
        changed = ", ".join(f"{column} = :{column}" for column in columns)
        with self._raw() as connection:
            bound = {column: fields[column] for column in columns}
            connection.execute(
                f"UPDATE {self.table} SET {changed} WHERE seq = :seq", {**bound, "seq": seq}
            )
            assert connection.changes() == 1

    def write_raw(self, record):
        records = self.read_all_raw()
        if record.seq < len(records):
            self._set(record.seq, (*self.content, *self.labels), record.fields)
        else:
            self._insert(record.fields, like=records[-1].fields["seq"])

    def _insert(self, fields, like):
        """Put in a row that is like another one but for what `fields` say."""
        with self._raw() as connection:
            cursor = connection.execute(f"SELECT * FROM {self.table} WHERE seq = ?", (like,))
            names = [column[0] for column in cursor.get_description()]
            row = dict(zip(names, cursor.fetchall()[0], strict=True))
            row |= {name: value for name, value in fields.items() if name in names}
            row |= self.unique
            connection.execute(
                f"INSERT INTO {self.table} ({', '.join(row)})"
                f" VALUES ({', '.join(f':{name}' for name in row)})",
                row,
            )

    def delete_raw(self, seq):
        number = self.read_all_raw()[seq].fields["seq"]
        with self._raw() as connection:
            connection.execute(f"DELETE FROM {self.table} WHERE seq = ?", (number,))
            assert connection.changes() == 1
            if self.takes_chain:
                connection.execute(
                    "DELETE FROM chain WHERE what = ? AND ref = ?", (self.table, number)
                )
                connection.execute("UPDATE chain_head SET entries = (SELECT max(no) FROM chain)")

    def replay_onto(self, victim_seq, donor):
        self._set(victim_seq, self.content, donor.fields)

    def read_meta(self, seq):
        fields = self.read_all_raw()[seq].fields
        return {label: fields[label] for label in self.labels}

    def write_meta(self, seq, meta):
        meta["trust"] += 1
        meta["recorded_at"] -= 60_000_000
        self._set(seq, self.labels, meta)

    def forge_record(self, template):
        fields = {**template.fields, "seq": template.fields["seq"] + 1, "id": "forged"}
        return self.mutate_payload(Record(template.seq + 1, fields))

    def identity_of(self, record):
        return str(record.fields["id"])

    def payload_of(self, record):
        return json.dumps([record.fields[column] for column in self.content])

    def owner_of(self, record):
        return record.fields["context"]

    def snapshot_store(self):
        self._engine.close()
        copy = self._directory / f"copy-{self._written}"
        shutil.copytree(self._directory / "data", copy)
        self._open()
        return copy

    def restore_store(self, token):
        self._engine.close()
        shutil.rmtree(self._directory / "data")
        shutil.copytree(token, self._directory / "data")
        self._open()

    def reload(self):
        self._engine.close()
        self._open()

    def verify(self):
        found = self._owner.verify(self._noted if self.has_anchor else None)
        self.verify_detail = " / ".join(found.problems)
        return found.is_intact


class LogAdapter(Adapter):
    """The messages of two sessions."""

    table = "message"
    content = ("payload",)
    labels = ("role", "trust", "speaker", "recorded_at")
    context = "(SELECT id FROM session WHERE no = t.session_no)"

    def write_one(self, context, text):
        self._owner.session(context).append([{"role": "user", "content": text}])

    def mutate_payload(self, record):
        record.fields["payload"] = record.fields["payload"].replace("seed", "TAMPERED")
        return record


class MemoryRowsAdapter(Adapter):
    """The memories of two namespaces."""

    table = "memory"
    content = ("text", "metadata")
    labels = ("channel", "trust", "source", "recorded_at")
    context = "t.namespace"
    unique: ClassVar = {"text_hash": b"forged"}

    def context_key(self, context):
        return json.dumps([context])

    def write_one(self, context, text):
        kept = self._owner.remember(text, kind="note", namespace=(context,))
        assert kept.outcome == "stored"

    def mutate_payload(self, record):
        record.fields["text"] += " [TAMPERED]"
        return record


ADAPTERS = [
    LogAdapter("on"),
    LogAdapter("on", takes_chain=True),
    LogAdapter("off", takes_chain=True),
    MemoryRowsAdapter("on", takes_chain=True),
    MemoryRowsAdapter("off"),
]


def outcomes(adapter):
    attacks = [attack() for attack in AT_REST_ATTACKS_WITH_SNAPSHOT]
    results = run_matrix([adapter], attacks)
    print(format_scorecard(results, attacks))
    assert [(result.attack, result.error, result.guard) for result in results] == [
        (attack.name, None, None) for attack in attacks
    ]
    return {result.attack: result for result in results}


@pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.name)
def test_every_attack_is_found(adapter):
    found = outcomes(adapter)
    assert len(found) == 9
    assert {name: result.status for name, result in found.items()} == dict.fromkeys(found, "safe")
    # It is the rows and the chain that tell, not a trigger that somebody forgot to put back.
    assert not [result.detail for result in found.values() if "trigger" in result.detail]


def test_a_store_that_was_put_back_whole_is_found_by_a_head_that_was_noted_elsewhere():
    """Nothing in the store itself can tell: all in it is genuine."""
    found = outcomes(LogAdapter(has_anchor=False))
    assert found.pop(SnapshotRollbackAttack.name).status == "VULNERABLE"
    assert {result.status for result in found.values()} == {"safe"}


@pytest.mark.parametrize("kind", [LogAdapter, MemoryRowsAdapter])
def test_every_attack_changes_the_store(kind):
    """Without a chain to look at, nothing is noticed: so the attacks succeed."""

    class Blind(kind):
        def verify(self):
            self._owner.session(MINE).messages()
            return self._owner.recall("granite") is not None

    found = outcomes(Blind())
    assert {result.status for result in found.values()} == {"VULNERABLE"}
