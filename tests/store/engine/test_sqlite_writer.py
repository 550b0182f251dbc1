"""SQLite's one writer: what waits together is committed together, and each caller sees its own fate alone."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import IntegrityError, InvalidRequestError
from sqlalchemy.pool import NullPool
from sqlmodel import select

from harness.builders import a_reasoning_event, a_run, a_topic, start_run
from sprout.errors import Conflict, NotFound, SetupError
from sprout.runs.run_store import CallEnded, StoredEvent
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.sqlite_writer import MAX_BATCH, open_sqlite_writer
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.paths import SqlPaths
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables

PATIENCE_S = 30
speaker: ContextVar[str] = ContextVar("speaker", default="nobody")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def writers() -> set[threading.Thread]:
    """The threads of databases that are open in this process."""
    return {thread for thread in threading.enumerate() if thread.name == "sprout-writer"}


async def test_what_waits_together_is_committed_once_in_the_order_in_which_it_came(database: Database) -> None:
    with commits(database.writer.engine) as committed:
        async with busy(database):
            waiting = [asyncio.create_task(database.write_tx(adding(f"{n}"))) for n in range(10)]
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
    assert len(committed) == 2
    assert await users(database) == [f"{n}" for n in range(10)]


async def test_a_batch_is_bounded(database: Database) -> None:
    with commits(database.writer.engine) as committed:
        async with busy(database):
            waiting = [asyncio.create_task(database.write_tx(adding(f"{n:03}"))) for n in range(2 * MAX_BATCH + 1)]
            await asyncio.sleep(0)
        await asyncio.gather(*waiting)
    assert len(committed) == 4
    assert await users(database) == [f"{n:03}" for n in range(2 * MAX_BATCH + 1)]


async def test_one_of_a_batch_that_raises_takes_back_its_own_and_numbers_have_no_gap(
    database: Database, runs: SqlRunStore, paths: SqlPaths, published: list[StoredEvent]
) -> None:
    roots = [await start_run(runs, a_run(await a_topic(paths, name))) for name in "ab"]
    never_begun = CallEnded("?", "?", is_error=False, attempts=1)
    entries = [[a_reasoning_event(), never_begun] if n % 3 == 1 else [a_reasoning_event()] for n in range(30)]
    async with busy(database):
        tasks = [asyncio.create_task(runs.append(roots[n % 2], each)) for n, each in enumerate(entries)]
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)

    assert [type(one) for one in results] == [NotFound if n % 3 == 1 else type(None) for n in range(30)]
    for root in roots:
        stored = await runs.events(root.id)
        assert [one.seq for one in stored] == list(range(1, 12))
        assert [one for one in published if one.root_id == root.id] == stored


async def test_objects_that_break_a_rule_fail_their_own_body_only(database: Database) -> None:
    async with busy(database):
        bodies = [adding("one"), adding("one"), adding("two")]
        tasks = [asyncio.create_task(database.write_tx(body)) for body in bodies]
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in results] == [type(None), Conflict, type(None)]
    assert await users(database) == ["one", "two"]


async def test_a_commit_that_fails_fails_the_whole_batch_and_nothing_is_published(database: Database) -> None:
    called: list[str] = []

    def good(tx: WriteTransaction) -> None:
        tx.after_commit(lambda: called.append("good"))
        tx.session.add(tables.User(id="good"))

    def found_out_at_the_commit(tx: WriteTransaction) -> None:
        tx.connection.execute(text("pragma defer_foreign_keys = on"))
        tx.session.add(tables.Branch(id="b", title="t", user_id="nobody"))

    async with busy(database):
        tasks = [asyncio.create_task(database.write_tx(body)) for body in (good, found_out_at_the_commit, good)]
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in results] == [Conflict] * 3
    assert (await users(database), called) == ([], [])

    await database.write_tx(good)
    assert (await users(database), called) == (["good"], ["good"])


async def test_when_sqlite_takes_back_everything_nobody_of_the_batch_is_told_otherwise(database: Database) -> None:
    """As it does by itself when the disk is full."""
    await database.write_tx(adding("here"))
    called: list[str] = []

    def good(tx: WriteTransaction) -> None:
        tx.after_commit(lambda: called.append("good"))
        adding("good")(tx)

    def fatal(tx: WriteTransaction) -> None:
        tx.connection.execute(text("insert or rollback into users select * from users"))

    async with busy(database):
        tasks = [asyncio.create_task(database.write_tx(body)) for body in (good, fatal, adding("late"))]
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in results] == [Conflict] * 3
    assert (await users(database), called) == (["here"], [])
    await database.write_tx(good)
    assert await users(database) == ["good", "here"]


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize("others", [0, 2])
async def test_a_body_that_goes_on_after_a_failed_flush_writes_nothing(
    database: Database, others: int, raises: bool
) -> None:
    def stubborn(tx: WriteTransaction) -> None:
        adding("here")(tx)
        with pytest.raises(IntegrityError):
            tx.session.flush()
        tx.connection.execute(text("delete from users"))
        if raises:
            fail()

    await database.write_tx(adding("here"))
    async with busy(database):
        bodies = [stubborn, *(adding(f"{n}") for n in range(others))]
        tasks = [asyncio.create_task(database.write_tx(body)) for body in bodies]
        await asyncio.sleep(0)
    first, *rest = await asyncio.gather(*tasks, return_exceptions=True)
    assert isinstance(first, RuntimeError if raises else InvalidRequestError)
    saved = [f"{n}" for n, result in enumerate(rest) if result is None]
    await database.write_tx(adding("next"))
    assert await users(database) == [*saved, "here", "next"]


async def test_200_appends_at_once_are_published_in_the_order_of_their_numbers(
    runs: SqlRunStore, paths: SqlPaths, published: list[StoredEvent]
) -> None:
    roots = [await start_run(runs, a_run(await a_topic(paths, name))) for name in "ab"]
    await asyncio.gather(
        *(runs.append(roots[n % 2], [a_reasoning_event(f"{n}"), a_reasoning_event(f"{n}!")]) for n in range(200))
    )
    for root in roots:
        heard = [one for one in published if one.root_id == root.id]
        assert [one.seq for one in heard] == list(range(1, 202))
        assert heard == await runs.events(root.id)


async def test_what_follows_a_commit_happens_on_the_event_loop_before_its_caller_goes_on(database: Database) -> None:
    seen: list[Any] = []

    def body(tx: WriteTransaction) -> str:
        seen.append((threading.current_thread().name, speaker.get()))
        tx.after_commit(lambda: seen.append((threading.current_thread().name, speaker.get())))
        return "result"

    speaker.set("me")
    seen.append(await database.write_tx(body))
    assert seen == [("sprout-writer", "me"), (threading.current_thread().name, "me"), "result"]


async def test_what_fails_after_a_commit_is_raised_to_its_caller_alone(database: Database) -> None:
    def body(tx: WriteTransaction) -> None:
        adding("kept")(tx)
        tx.after_commit(fail)

    async with busy(database):
        tasks = [asyncio.create_task(database.write_tx(each)) for each in (body, adding("other"))]
        await asyncio.sleep(0)
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in results] == [RuntimeError, type(None)]
    assert await users(database) == ["kept", "other"]


@pytest.mark.parametrize("error", [StopIteration, GeneratorExit, SystemExit])
async def test_no_error_of_a_body_stops_the_writer(database: Database, error: type[BaseException]) -> None:
    def body(_write: WriteTransaction) -> None:
        raise error

    async def ask() -> None:
        with pytest.raises((error, RuntimeError)):
            await database.write_tx(body)

    await ask()
    await database.write_tx(adding("next"))
    assert await users(database) == ["next"]


async def test_a_cancelled_caller_that_still_waits_is_dropped(database: Database) -> None:
    async with busy(database):
        task = asyncio.create_task(database.write_tx(adding("dropped")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):  # at once: the writer is still busy
            await task
    await database.write_tx(adding("next"))
    assert await users(database) == ["next"]


async def test_a_cancelled_caller_whose_body_was_taken_waits_for_its_end(database: Database) -> None:
    begun, go_on, called = threading.Event(), threading.Event(), list[str]()

    def body(tx: WriteTransaction) -> None:
        tx.after_commit(lambda: called.append("after commit"))
        adding("kept")(tx)
        begun.set()
        assert go_on.wait(PATIENCE_S)

    task = asyncio.create_task(database.write_tx(body))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert called == ["after commit"]
    assert await users(database) == ["kept"]


async def test_closing_waits_for_what_was_asked_and_no_thread_stays(database_url: str) -> None:
    before, begun, go_on = writers(), threading.Event(), threading.Event()

    def body(tx: WriteTransaction) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        adding("first")(tx)

    async with open_database(database_url) as database:
        tasks = [asyncio.create_task(database.write_tx(each)) for each in (body, adding("second"))]
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        asyncio.get_running_loop().call_soon(go_on.set)  # runs when leaving the block has begun to wait
    await asyncio.gather(*tasks)
    assert writers() <= before
    with pytest.raises(SetupError, match="closed"):
        await database.write_tx(adding("late"))

    async with open_database(database_url) as again:
        assert await users(again) == ["first", "second"]


async def test_nothing_is_taken_any_more_once_closing_has_begun(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'bare.sqlite3'}", poolclass=NullPool)
    begun, go_on, refused = threading.Event(), threading.Event(), list[SetupError]()

    def body(_write: WriteTransaction) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    async def come_late() -> None:
        await asyncio.sleep(0)  # until leaving the block has begun
        try:
            await writer.run(fail_if_called, None)
        except SetupError as error:
            refused.append(error)
        finally:
            go_on.set()

    async with open_sqlite_writer(engine) as writer:
        first = asyncio.create_task(writer.run(body, None))
        assert await asyncio.to_thread(begun.wait, PATIENCE_S)
        late = asyncio.create_task(come_late())
    await asyncio.gather(first, late)
    assert "closed" in str(refused[0])


async def test_a_task_cancelled_while_it_closes_the_database_still_closes_it(database_url: str) -> None:
    before, begun, go_on = writers(), threading.Event(), threading.Event()

    def body(tx: WriteTransaction) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)
        adding("kept")(tx)

    async def open_and_close() -> None:
        async with open_database(database_url) as database:
            writing.append(asyncio.create_task(database.write_tx(body)))
            assert await asyncio.to_thread(begun.wait, PATIENCE_S)

    writing: list[asyncio.Task[None]] = []
    task = asyncio.create_task(open_and_close())
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    while not go_on.is_set():
        await asyncio.sleep(0)
        task.cancel()
        asyncio.get_running_loop().call_soon(go_on.set)
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.gather(*writing)
    assert writers() <= before


def adding(user_id: str) -> Callable[[WriteTransaction], None]:
    return lambda tx: tx.session.add(tables.User(id=user_id))


def fail_if_called(_write: WriteTransaction) -> None:
    fail()


def fail() -> None:
    raise RuntimeError("a bug")


async def users(database: Database) -> list[str]:
    async with database.open_read_session() as session:
        return sorted((await session.exec(select(tables.User.id))).all())


@asynccontextmanager
async def busy(database: Database) -> AsyncIterator[None]:
    """The writer is in the middle of a body while the block goes on, so that what is written meanwhile waits."""
    begun, go_on = threading.Event(), threading.Event()

    def body(_write: WriteTransaction) -> None:
        begun.set()
        assert go_on.wait(PATIENCE_S)

    task = asyncio.create_task(database.write_tx(body))
    assert await asyncio.to_thread(begun.wait, PATIENCE_S)
    try:
        yield
    finally:
        go_on.set()
        await task


@contextmanager
def commits(engine: Engine) -> Iterator[list[Any]]:
    """The commits that go out in the block."""
    seen: list[Any] = []
    note = seen.append
    event.listen(engine, "commit", note)
    try:
        yield seen
    finally:
        event.remove(engine, "commit", note)
