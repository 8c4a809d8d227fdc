"""The awaitable face: the same names and signatures as the other, and it works in a loop."""

import asyncio
import inspect

import pytest

import lifelong
from lifelong import aio
from lifelong import engine as engines
from lifelong import files as filing
from lifelong import owner as handles
from lifelong import review as reviews
from lifelong import session as sessions
from lifelong.conformance import said, texts
from lifelong.errors import EmptyText, StoreClosed

PAIRS = [
    (sessions.Session, aio.AsyncSession),
    (handles.Owner, aio.AsyncOwner),
    (reviews.Review, aio.AsyncReview),
    (filing.Files, aio.AsyncFiles),
    (engines.Engine, aio.AsyncEngine),
]


def verbs(face):
    return {
        name: verb
        for each in reversed(face.__mro__[:-1])
        for name, verb in vars(each).items()
        if not name.startswith("_") and callable(verb)
    }


@pytest.mark.parametrize(("sync", "awaitable"), PAIRS)
def test_names_and_signatures_are_the_same(sync, awaitable):
    assert verbs(sync).keys() == verbs(awaitable).keys()
    for name, verb in verbs(sync).items():
        ours, theirs = inspect.signature(verb), inspect.signature(verbs(awaitable)[name])
        assert list(ours.parameters) == list(theirs.parameters), name
        if name not in ("session", "owner", "export"):
            assert ours == theirs, name
            assert verbs(awaitable)[name].__doc__ == verb.__doc__


def test_open_has_the_same_signature():
    ours, theirs = inspect.signature(engines.open), inspect.signature(aio.open)
    assert list(ours.parameters.values()) == list(theirs.parameters.values())


@pytest.mark.parametrize(("sync", "awaitable"), PAIRS)
def test_every_verb_is_awaited(sync, awaitable):
    plain = {"session", "owner"}  # they touch nothing
    for name in verbs(sync):
        found = verbs(awaitable)[name]
        assert inspect.iscoroutinefunction(found) == (name not in plain), name


def test_it_works_in_a_loop(tmp_path):
    async def work():
        async with await aio.open(tmp_path / "data") as engine:
            owner = engine.owner("ana")
            session = owner.session("s")
            assert (owner.id, session.id) == ("ana", "s")
            await session.append(said("the tram is late", "soup"), ids=["1", "2"])
            kept = await owner.remember("Likes trams")
            await owner.set("n", 1)
            assert texts(await session.messages(1)) == ["soup"]
            assert len((await owner.recall("tram")).hits) == 3
            assert (await owner.get("n"), await owner.get("m", 7)) == (1, 7)
            assert (await session.pop()).text == "soup"
            assert len(await owner.export()) == 5
            assert (await owner.forget(kept.id)).forgotten == 1
            assert await engine.owners() == ["ana"]
            assert (await owner.check()).is_clean
            with pytest.raises(EmptyText):
                await owner.remember(" ")
        with pytest.raises(StoreClosed):
            await owner.memories()

    asyncio.run(work())


def test_many_tasks_share_an_engine(tmp_path):
    async def work():
        async with await aio.open(tmp_path / "data") as engine:

            async def write(number):
                session = engine.owner(f"owner {number % 3}").session(f"s{number}")
                for count in range(5):
                    await session.append(said(f"{number}/{count}"))
                return texts(await session.messages())

            written = await asyncio.gather(*(write(number) for number in range(20)))
            for number, found in enumerate(written):
                assert found == [f"{number}/{count}" for count in range(5)]
            assert len(await engine.owners()) == 3

    asyncio.run(work())


def test_a_loop_goes_on_while_a_store_works():
    async def work():
        async with await aio.open("memory:") as engine:
            session = engine.owner("ana").session("s")
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0)

            ticking = asyncio.create_task(tick())
            await session.append(said(*(f"tram {number}" for number in range(3_000))))
            ticking.cancel()
            assert ticks > 10

    asyncio.run(work())


def test_a_task_that_is_cancelled_leaves_a_sound_store(tmp_path):
    async def work():
        async with await aio.open(tmp_path / "data") as engine:
            owner = engine.owner("ana")
            for number in range(10):
                items = said(*(f"{number}/{at}" for at in range(20)))
                task = asyncio.create_task(owner.session("s").append(items))
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await owner.session("s").append(said("last"))
        with lifelong.open(tmp_path / "data") as engine:
            owner = engine.owner("ana")
            count = owner.stats()["message"]
            assert (count - 1) % 20 == 0
            assert owner.check().is_clean

    asyncio.run(work())


def test_a_compaction_in_the_background_is_awaited():
    async def work():
        async with await aio.open("memory:") as engine:
            chat = engine.owner("ana").session("s")
            for number in range(60):
                await chat.append(said(f"Question {number}? " + "word " * 30))
            assert chat.compaction is None
            budget = lifelong.Budget(1_500, reserve_tokens=0, margin=0)
            request = await chat.request(budget, summariser=lambda _task: "Many questions.")
            assert request.problems == ()
            done = await chat.compaction
            assert done.outcome == "compacted"
            assert "Many questions." in str((await chat.request(budget)).payload)

    asyncio.run(work())
