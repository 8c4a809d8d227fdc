# ruff: noqa: S101 - tests are made of assertions
"""Concurrency: processes (for a store in memory, threads) that write and forget at once."""

from __future__ import annotations

from lifelong.conformance.place import OWNER, Place, said, texts
from lifelong.engine import Engine


class ConcurrencySuite:
    """What a store promises to many at once."""

    def test_every_writer_keeps_its_order(self, place: Place) -> None:
        """Each reads before it writes; no row is lost and none raises."""

        def write(engine: Engine, number: int) -> None:
            session = engine.owner(OWNER).session(f"s{number}")
            for count in range(15):
                assert len(session.messages()) == count
                session.append(said(str(count)))

        place.crowd(6, write)
        for number in range(6):
            found = texts(place.owner.session(f"s{number}").messages())
            assert found == [str(count) for count in range(15)]

    def test_one_session_takes_all_messages_in_one_order(self, place: Place) -> None:
        """Every reader sees the same order, and each writer's own order in it."""

        def write(engine: Engine, number: int) -> None:
            session = engine.owner(OWNER).session("s")
            for count in range(15):
                session.append(said(f"{number} {count}"))

        place.crowd(4, write)
        found = texts(place.owner.session("s").messages())
        assert len(found) == 60
        for number in range(4):
            own = [text for text in found if text.startswith(f"{number} ")]
            assert own == [f"{number} {count}" for count in range(15)]
        assert texts(place.beside().session("s").messages()) == found

    def test_one_event_is_stored_once(self, place: Place) -> None:
        """Exactly one of those that append it at once is told that it was added."""

        def append(engine: Engine, _: int) -> list[int]:
            session = engine.owner(OWNER).session("s")
            return [session.append(said("e"), ids=[f"e{n}"]).added for n in range(10)]

        added = place.crowd(6, append)
        assert [sum(each) for each in zip(*added, strict=True)] == [1] * 10
        assert len(place.owner.session("s").messages()) == 10

    def test_one_fact_is_stored_once(self, place: Place) -> None:
        """Every writer gets the same id, and one of them is told that it was stored."""

        def remember(engine: Engine, number: int) -> tuple[str, str]:
            text = "Likes green tea" if number % 2 else "likes  GREEN tea"
            done = engine.owner(OWNER).remember(text)
            return done.id, done.outcome

        done = place.crowd(8, remember)
        assert len({memory_id for memory_id, _ in done}) == 1
        assert sorted(outcome for _, outcome in done) == ["duplicate_of"] * 7 + ["stored"]
        assert len(place.owner.memories()) == 1

    def test_one_key_keeps_one_live_memory(self, place: Place) -> None:
        """Whoever was last replaced all the others, in one chain."""

        def remember(engine: Engine, number: int) -> None:
            for count in range(5):
                engine.owner(OWNER).remember(f"home {number} {count}", key="home")

        place.crowd(4, remember)
        every = place.owner.memories(include_superseded=True)
        assert len(every) == 20
        assert [memory.superseded_by for memory in every] == [
            *(memory.id for memory in every[1:]),
            None,
        ]

    def test_one_message_is_popped_once(self, place: Place) -> None:
        """No two are given the same message, and none is lost."""
        place.crowd(1, lambda engine, _: add_numbers(engine, 30))

        def pop(engine: Engine, _: int) -> list[str]:
            session = engine.owner(OWNER).session("s")
            popped = []
            while (message := session.pop()) is not None:
                popped.append(message.text)
            return popped

        popped = [text for each in place.crowd(4, pop) for text in each]
        assert sorted(popped, key=int) == [str(number) for number in range(30)]

    def test_updates_of_different_fields_both_hold(self, place: Place) -> None:
        """Reading and writing are one step: no update undoes another."""
        (memory_id,) = place.crowd(1, lambda engine, _: engine.owner(OWNER).remember("x").id)

        def update(engine: Engine, number: int) -> None:
            for count in range(10):
                engine.owner(OWNER).update(memory_id, metadata={f"{number}/{count}": True})

        place.crowd(4, update)
        assert len(place.owner.memory(memory_id).metadata) == 40

    def test_forgetting_everything_leaves_what_was_written_after(self, place: Place) -> None:
        """A writer that goes on writes into the new beginning, never into the void."""

        def work(engine: Engine, number: int) -> list[str]:
            owner = engine.owner(OWNER)
            kept: list[str] = []
            for count in range(12):
                if number == 0:
                    owner.forget(everything=True)
                else:
                    owner.session(f"s{number}").append(said(f"{count}"))
                    owner.recall("1")
                    kept.append(str(count))
            return kept

        written = place.crowd(4, work)
        for number in range(1, 4):
            left = texts(place.owner.session(f"s{number}").messages())
            assert left == written[number][len(written[number]) - len(left) :]


def add_numbers(engine: Engine, count: int) -> None:
    """Append messages whose texts are the first numbers."""
    engine.owner(OWNER).session("s").append(said(*(str(number) for number in range(count))))
