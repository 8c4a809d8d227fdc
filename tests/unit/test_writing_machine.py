"""A state machine of all that writes memories, against an oracle in plain Python.

A normal run takes some hundred steps. A long one, which prints how many it took::

    LIFELONG_STEPS=20000 python -m pytest tests/unit/test_writing_machine.py -s
"""

import json
import os
import shutil
import tempfile
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from writing_oracle import SUSPECT_TEXT, TRUST, Limits, Missing, Oracle, Refused, Row

import lifelong
from lifelong.clock import ManualClock
from lifelong.errors import InputError, NotFound
from lifelong.memory.deciding import Quota
from lifelong.memory.remember import Rules, remember
from lifelong.records import Origin

STEPS = int(os.environ.get("LIFELONG_STEPS", "600"))  # before the fixtures take it away
STEPS_OF_A_RUN = 50

QUOTA = Quota(memories_max=8, namespace_max=5, kind_max={"fact": 3}, held_max=3)
LIMITS = Limits(owner=8, namespace=5, kind={"fact": 3}, held=3)
NEW = "mem_of_what_is_not_stored"
NONE_SUCH = f"mem_{0:032x}"
WORDS = (
    "Brolvik taneshu porlam",
    "Quendra fimolat zisk",
    "Wubbeto grantil yosp",
    "Hemlic dravot unspa",
    "Jorkel miphan sweld",
    "Caltrin obrevu ketz",
    "Nardop ilquesh vamt",
    "Plistor gheko runda",
    "Azmeri tolpin covash",
)
"""No word of one is in another, and none of them says what it is about."""

MESSAGES = {"said": 2, "answered": 1, "returned": 0}

texts = st.one_of(
    st.builds(
        lambda text, write: write(text),
        st.sampled_from(WORDS),
        st.sampled_from((str, str.upper, "  {}\n".format)),
    ),
    st.just(SUSPECT_TEXT),
)
channels = st.sampled_from(sorted(TRUST))
places = st.integers(min_value=0, max_value=30)
"""Which memory is meant: so many before the newest one that ever was."""

keys = st.sampled_from((None, None, None, "home", "work"))
sources = st.sampled_from(("", "page", "file"))
times = st.sampled_from((None, None, timedelta(days=-10), timedelta(hours=-1), timedelta(0)))
endings = st.sampled_from((None, None, None, timedelta(minutes=30), timedelta(days=1)))


SAME = (
    *("kind", "namespace", "key", "valid_from", "valid_to", "expires_at"),
    *("superseded_by", "ended_at", "held_for"),
)
"""What a memory and the oracle's row must have the same."""

UNSAID = {
    "namespace": (),
    "kind": "note",
    "key": None,
    "channel": "user",
    "source": "",
    "parents": (),
    "moments": (None, None, None),
    "named": (),
}


class WritingMachine(RuleBasedStateMachine):
    steps = 0

    def __init__(self):
        super().__init__()
        self.directory = tempfile.mkdtemp()
        self.clock = ManualClock()
        self.oracle = Oracle(LIMITS, MESSAGES)
        self.ids = []
        self.tokens = []
        self.trusted = {}
        self.ceilings = {}
        self.raised = set()
        self.open()
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        items = [
            {"role": "user", "content": "mipple"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "sorvane"},
        ]
        self.owner.session("s").append(items, ids=list(MESSAGES))

    def open(self):
        self.engine = lifelong.open(
            self.directory, key=b"k" * 32, embedder="off", clock=self.clock, quota=QUOTA
        )
        self.owner = self.engine.owner("ana")

    def teardown(self):
        try:
            self.every_text_is_found_or_hidden()
        finally:
            self.engine.close()
            shutil.rmtree(self.directory)

    # Both do the same, and answer the same.

    def both(self, expected, done):
        """Run the oracle and the engine, and return what both gave back; None after one error."""
        type(self).steps += 1
        self.oracle.now = self.clock.now()
        self.raised = set()
        try:
            wanted = expected()
        except Missing:
            error = "NotFound"
        except Refused as refused:
            error = str(refused)
        else:
            return wanted, done()
        try:
            done()
        except (InputError, NotFound) as raised:
            assert type(raised).__name__ == error  # noqa: PT017 - it is of several kinds
            return None
        raise AssertionError(f"{error} was to be raised")

    def picked(self, place, rows=None):
        """Return the id that a place means: mostly of these rows, of live ones at first."""
        self.oracle.now = self.clock.now()
        rows = self.oracle.live() if rows is None else rows
        if rows and place % 4:
            return rows[-1 - place % len(rows)].id
        return self.ids[-1 - place % len(self.ids)] if self.ids else NONE_SUCH

    def all_rows(self):
        return list(self.oracle.rows.values())

    def said(self, wanted, done):
        """Compare what the engine tells with what the oracle would tell."""
        assert done.outcome == wanted.outcome
        assert done.duplicate_of == wanted.duplicate_of
        assert set(done.supersedes) == wanted.supersedes
        assert set(done.conflicts) == wanted.conflicts
        assert bool(done.mend) == (wanted.outcome == "refused")
        if wanted.stands is not None:
            assert done.id == wanted.stands

    # Rules.

    @initialize(
        first=st.lists(st.tuples(st.sampled_from(WORDS), keys, channels), min_size=3, max_size=6)
    )
    def begin(self, first):
        for text, key, channel in first:
            self.write(text=text, key=key, channel=channel)

    @rule(text=texts, key=st.sampled_from(("home", "work")), channel=channels, since=times)
    def set_by_key(self, **said):
        self.write(**said)

    @rule(
        text=texts,
        channel=channels,
        named=st.lists(places, min_size=1, max_size=2),
        key=keys,
        since=times,
    )
    def replace_by_name(self, **said):
        self.write(**said)

    @rule(
        text=texts,
        channel=channels,
        parents=st.lists(
            st.one_of(places, places, st.sampled_from(sorted(MESSAGES))), min_size=1, max_size=3
        ),
        source=sources,
    )
    def derive(self, **said):
        self.write(**said)

    @rule(text=texts, channel=channels, key=keys, source=sources)
    def propose(self, **said):
        self.write(**said, held_for="proposed")

    @rule(
        text=texts,
        namespace=st.sampled_from(((), ("a",), ("a", "b"))),
        kind=st.sampled_from(("fact", "note", "event")),
        key=keys,
        channel=channels,
        source=sources,
        parents=st.lists(places, max_size=2),
        moments=st.tuples(times, endings, endings),
        named=st.lists(places, max_size=2),
    )
    def remember(self, **said):
        self.write(**said)

    def write(self, held_for="", **said):
        """Remember something; the engine goes first, since it makes the id."""
        now = self.clock.now()
        said = {**UNSAID, **said}
        moments = {
            name: None if amount is None else now + amount
            for name, amount in zip(
                ("valid_from", "valid_to", "expires_at"), said["moments"], strict=True
            )
        }
        if "since" in said:
            moments["valid_from"] = None if said["since"] is None else now + said["since"]
        parents = dict.fromkeys(
            parent if isinstance(parent, str) else self.picked(parent, self.all_rows())
            for parent in said["parents"]
        )
        named = list(dict.fromkeys(map(self.picked, said["named"])))
        origin = Origin(said["channel"], said["source"], tuple(parents))
        fields = {name: said[name] for name in ("namespace", "kind", "key")}

        def engine():
            return remember(
                self.owner._store,
                self.clock,
                text=said["text"],
                fields={**fields, **moments, "origin": origin, "supersedes": named},
                rules=Rules(quota=QUOTA),
                held_for=held_for,
            )

        new = Row(
            id=NEW,
            text=said["text"],
            channel=origin.channel,
            source=origin.source,
            parents=origin.parents,
            recorded_at=now,
            held_for=held_for,
            **fields,
            **moments,
        )
        held_before = len(self.oracle.held())
        self.engine_first(engine, new, named)
        # What waits may grow by what is revoked, never by what is written.
        assert len(self.oracle.held()) <= max(LIMITS.held, held_before)

    def engine_first(self, engine, new, named):
        type(self).steps += 1
        self.raised = set()
        self.oracle.now = self.clock.now()
        seen = {**MESSAGES, **{memory.id: int(memory.trust) for memory in self.rows()}}
        try:
            done = engine()
        except NotFound:
            with pytest.raises(Missing):
                self.oracle.remember(new, named)
            return
        if done.outcome != "duplicate_of":
            new.id = done.id
        self.said(self.oracle.remember(new, named), done)
        if new.id in self.oracle.rows:
            self.ids.append(new.id)
            self.ceilings[new.id] = min(
                [TRUST[new.channel], *(seen[parent] for parent in new.parents)]
            )

    @rule(
        place=places,
        text=st.one_of(st.none(), texts),
        ends=endings,
        channel=channels,
    )
    def update(self, place, text, ends, channel):
        wanted = self.picked(place)
        expires_at = None if ends is None else self.clock.now() + ends
        fields = {} if expires_at is None else {"expires_at": expires_at}
        both = self.both(
            lambda: self.oracle.update(wanted, text, expires_at, channel),
            lambda: self.owner.update(wanted, text, origin=channel, **fields),
        )
        if both:
            assert both[1] == self.owner.memory(wanted)

    @rule(older=places, newer=places)
    def supersede(self, older, newer):
        ids = self.picked(older), self.picked(newer)
        self.both(lambda: self.oracle.supersede(*ids), lambda: self.owner.supersede(*ids))

    @rule(place=places, message=st.sampled_from((None, None, None, *MESSAGES)))
    @precondition(lambda self: len(self.ids) > 3)
    def forget(self, place, message):
        wanted = message or self.picked(place)
        dry = self.owner.forget(wanted, dry_run=True)
        both = self.both(lambda: self.oracle.forget([wanted]), lambda: self.owner.forget(wanted))
        if message is not None:
            self.oracle.messages.pop(message, None)
        assert both[1].counts.get("memory", 0) == both[0] == dry.counts.get("memory", 0)

    @rule(place=places, text=st.one_of(st.none(), texts), is_accepting=st.booleans())
    def let_go(self, place, text, is_accepting):
        wanted = self.picked(place, self.oracle.held())
        row = self.oracle.rows.get(wanted)
        if row is not None and place % 5:
            is_accepting = row.held_for == "proposed"
        review = self.owner.review
        act = review.accept if is_accepting else review.release
        both = self.both(
            lambda: self.oracle.let_go(wanted, text, is_accepting=is_accepting),
            lambda: act(wanted, text),
        )
        if both:
            self.said(*both)

    @rule(place=places)
    def reject(self, place):
        wanted = self.picked(place, self.oracle.held())

        def expected():
            self.oracle.held_row(wanted)
            return self.oracle.forget([wanted])

        both = self.both(expected, lambda: self.owner.review.reject(wanted))
        if both:
            assert both[1].counts["memory"] == both[0]

    @rule(place=places)
    def keep_both(self, place):
        pairs = sorted(self.oracle.open_conflicts()) or sorted(self.oracle.conflicts)
        ids = pairs[place % len(pairs)] if pairs else (NONE_SUCH, NONE_SUCH)
        self.both(
            lambda: self.oracle.settle(*ids),
            lambda: self.owner.review.keep_both(*reversed(ids)),
        )

    @rule(one=places, other=places, text=texts)
    def merge(self, one, other, text):
        self.oracle.now = now = self.clock.now()
        live = self.oracle.live()
        ids = [self.picked(one), self.picked(other, self.all_rows())]
        rows = [row for memory_id in ids for row in live if row.id == memory_id]
        if ids[0] == ids[1]:
            return
        if len(rows) < 2:
            type(self).steps += 1
            self.raised = set()
            with pytest.raises(NotFound):
                self.owner.review.merge(ids, text)
            return
        newest = max(rows, key=lambda row: row.recorded_at)
        new = Row(
            id=NEW,
            text=text,
            namespace=newest.namespace,
            kind=newest.kind,
            key=newest.key,
            channel="user",
            parents=tuple(ids),
            recorded_at=now,
            valid_from=newest.valid_from,
            valid_to=newest.valid_to,
            expires_at=newest.expires_at,
        )
        self.engine_first(lambda: self.owner.review.merge(ids, text), new, ids)

    @rule(place=places)
    def ask_to_confirm(self, place):
        wanted = self.picked(place)
        both = self.both(
            lambda: self.oracle.may_confirm(wanted),
            lambda: self.owner.review.confirmation(wanted),
        )
        if both:
            row, issued = both
            assert (issued.memory_id, issued.text) == (row.id, row.text)
            self.oracle.issue(issued.token, row)
            self.tokens.append(issued.token)

    @rule(place=places)
    def confirm(self, place):
        open_ones = [token for token in self.tokens if token in self.oracle.tokens]
        tokens = open_ones if open_ones and place % 4 else self.tokens
        token = tokens[-1 - place % len(tokens)] if tokens else "cnf_none"
        both = self.both(
            lambda: self.oracle.confirm(token), lambda: self.owner.review.confirm(token)
        )
        if both:
            row, memory = both
            assert memory.id == row.id
            self.raised = {row.id}

    @rule(
        place=places,
        source=st.sampled_from((None, "page", "file", "nowhere")),
        channel=st.sampled_from((None, "tool", "document")),
        which=st.sampled_from(("origin", "memory", "message")),
    )
    def revoke(self, place, source, channel, which):
        scope = {"source": source or "page", "channel": channel}
        if which == "memory":
            scope = {"id": self.picked(place)}
        elif which == "message":
            scope = {"id": sorted(MESSAGES)[place % len(MESSAGES)]}
        said = {"source": None, "channel": None, "wanted": None}
        said.update({"wanted" if name == "id" else name: value for name, value in scope.items()})

        def engine():
            before = self.rows()
            dry = self.owner.review.revoke(**scope, dry_run=True)
            assert self.rows() == before
            real = self.owner.review.revoke(**scope)
            assert dry.memories == real.memories
            return set(real.memories)

        both = self.both(lambda: self.oracle.revoked_by(**said), engine)
        if both:
            assert both[1] == both[0]
            self.oracle.revoke(both[0])

    @rule(
        amount=st.sampled_from(
            (timedelta(minutes=1), timedelta(minutes=20), timedelta(hours=3), timedelta(days=2))
        )
    )
    def wait(self, amount):
        type(self).steps += 1
        self.raised = set()
        self.oracle.now = self.clock.advance(seconds=amount.total_seconds())

    @rule(is_reopened=st.booleans())
    def tend(self, is_reopened):
        type(self).steps += 1
        self.raised = set()
        if is_reopened:
            self.engine.close()
            self.open()
        else:
            self.owner.reindex()

    # What holds after each of them.

    def rows(self):
        return self.owner._store.memories.select(None)

    @invariant()
    def the_rows_are_those_of_the_oracle(self):
        self.oracle.now = self.clock.now()
        found = {memory.id: memory for memory in self.rows()}
        assert found.keys() == self.oracle.rows.keys()
        for memory_id, memory in found.items():
            row = self.oracle.rows[memory_id]
            history = self.owner._store.memories.history(memory_id)
            assert [version.change for version in history] == row.changes
            assert history[-1].text == memory.text == row.text
            assert int(memory.trust) == row.trust
            assert memory.origin == Origin(row.channel, row.source, row.parents)
            assert (memory.stale_since is not None) == row.is_stale
            assert (memory.confirmed_at is not None) == row.is_confirmed
            assert {name: getattr(memory, name) for name in SAME} == {
                name: getattr(row, name) for name in SAME
            }

    @invariant()
    def every_read_shows_what_it_may(self):
        live = {row.id for row in self.oracle.live()}
        assert {memory.id for memory in self.owner.memories()} == live
        shown = self.owner.memories(include_superseded=True)
        assert {memory.id for memory in shown} == {row.id for row in self.oracle.not_held()}
        held, conflicts = self.waiting()
        assert held == {row.id for row in self.oracle.held()}
        assert conflicts == self.oracle.open_conflicts()
        stats = self.owner.stats()
        assert (stats["memory"], stats["conflict"]) == (len(live), len(conflicts))
        assert {memory.id for memory in self.owner.known().memories} <= live

    def waiting(self):
        items = self.owner.review.items()
        held = {item.memory.id for item in items if item.other is None}
        pairs = {(item.other.id, item.memory.id) for item in items if item.other is not None}
        return held, pairs

    @invariant()
    def nothing_disagrees_inside(self):
        assert self.owner.check().problems == ()

    @invariant()
    def quotas_hold(self):
        live = self.owner.memories()
        assert len(live) <= QUOTA.memories_max
        assert sum(memory.kind == "fact" for memory in live) <= 3
        for namespace in {memory.namespace for memory in live}:
            assert sum(memory.namespace == namespace for memory in live) <= QUOTA.namespace_max

    @invariant()
    def trust_never_rises_alone(self):
        for memory in self.rows():
            before = self.trusted.get(memory.id, self.ceilings[memory.id])
            assert memory.trust <= before or memory.id in self.raised
            self.trusted[memory.id] = memory.trust

    @invariant()
    def chains_end(self):
        successors = {memory.id: memory.superseded_by for memory in self.rows()}
        for begin in successors:
            seen, at = set(), begin
            while at in successors:
                assert at not in seen
                seen.add(at)
                at = successors[at]

    @invariant()
    def the_newest_text_is_found_or_hidden(self):
        for row in self.all_rows()[-1:]:
            self.is_found_or_hidden(row.text)

    def is_found_or_hidden(self, text):
        folded = " ".join(text.casefold().split())
        live = {row.id for row in self.oracle.live() if row.folded == folded}
        found = self.owner.recall(text, tokens_max=100_000)
        assert {hit.id for hit in found.hits if hit.source == "memory"} == live

    def every_text_is_found_or_hidden(self):
        for text in (*WORDS, SUSPECT_TEXT):
            self.is_found_or_hidden(text)
        exported = [json.loads(line) for line in self.owner.export()]
        shown = {item["id"] for item in exported if item["what"] == "memory"}
        assert shown == {row.id for row in self.oracle.not_held()}


def test_writing_against_the_oracle():
    run_state_machine_as_test(
        WritingMachine,
        settings=settings(
            max_examples=max(1, STEPS * 5 // (4 * STEPS_OF_A_RUN)),  # some stop early
            stateful_step_count=STEPS_OF_A_RUN,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )
    print(f"{WritingMachine.steps} steps")
