"""Quotas of a learner: one more is refused, and nothing of it is stored (faults.md I-11)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.builders import RecordingDispatcher, a_run, a_topic
from sprout.errors import TooLarge, TooManyRequests
from sprout.learning.actor import Actor
from sprout.learning.lessons.repository import Drawing
from sprout.learning.paths.path_file import PathFile
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database, open_database
from sprout.store.engine.quotas import QUOTAS, Quotas
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.exchange import SqlPathExchange
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore

ME = DEFAULT_USER_ID
FEW = Quotas(paths=3, nodes_per_path=4, documents_per_topic=2, stored_bytes=1_000, runs_at_once=2)


@dataclass(frozen=True)
class Store:
    database: Database
    paths: SqlPaths
    folder: Path

    @property
    def files(self) -> int:
        return len([path for path in self.folder.iterdir() if path.is_file()])


@pytest.fixture
async def store(database_url: str, data_dir: Path) -> AsyncIterator[Store]:
    async with open_database(database_url, quotas=FEW) as database:
        paths = SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir))
        await paths.ensure_user(ME)
        await paths.ensure_user("somebody-else")
        yield Store(database, paths, data_dir)


def notes(size: int = 10) -> NewDocument:
    return NewDocument("notes.md", "text/markdown", b"a" * size)


async def collect_refusals(attempts: list[Awaitable[object]]) -> list[BaseException]:
    """Errors of attempts that are made concurrently."""
    found = await asyncio.gather(*attempts, return_exceptions=True)
    return [one for one in found if isinstance(one, BaseException)]


def test_every_quota_is_a_row_with_what_to_do() -> None:
    assert list(QUOTAS) == list(Quotas.__dataclass_fields__)
    assert all("{most:,}" in quota.message for quota in QUOTAS.values())


async def test_I11_one_path_too_many_is_refused_however_many_are_made_at_once(store: Store) -> None:
    refusals = await collect_refusals([store.paths.create_branch(f"{n}", user_id=ME) for n in range(10)])
    assert [type(one) for one in refusals] == [TooLarge] * 7
    assert "3 paths" in str(refusals[0])
    assert len(await store.paths.branches(ME)) == 3
    assert (await store.paths.create_branch("Theirs", user_id="somebody-else")).title == "Theirs"
    path = PathFile.model_validate({"sprout_path": 1, "title": "More", "topic": {"title": "More"}})
    with pytest.raises(TooLarge):
        await SqlPathExchange(store.database).import_path(path, user_id=ME)
    await store.paths.delete_branch((await store.paths.branches(ME))[0].id, user_id=ME)
    assert (await SqlPathExchange(store.database).import_path(path, user_id=ME)).title == "More"


async def test_I11_a_path_takes_no_more_nodes_by_hand_by_an_agent_or_from_a_file(store: Store) -> None:
    root = await a_topic(store.paths)
    repositories = SqlPathRepository(store.database, lambda _: None, split=lambda *_: [])
    for title in ("Light", "Water", "Air"):
        await store.paths.create_node(
            user_id=ME, type="concept", title=title, branch_id=None, parent_id=root.id, desc=None
        )
    with pytest.raises(TooLarge, match="4 nodes"):
        await store.paths.create_node(
            user_id=ME, type="concept", title="Soil", branch_id=None, parent_id=root.id, desc=None
        )
    with pytest.raises(TooLarge):
        await repositories.edit_graph(
            root.id, lambda graph: graph.add("Soil", None, datetime.now(UTC)), actor=Actor(ME)
        )
    assert len(await store.paths.nodes(user_id=ME)) == 4
    items = [{"title": title} for title in ("One", "Two", "Three", "Four")]
    large = {"sprout_path": 1, "title": "Large", "topic": {"title": "Large"}, "concepts": items}
    with pytest.raises(TooLarge):
        await SqlPathExchange(store.database).import_path(PathFile.model_validate(large), user_id=ME)
    assert len(await store.paths.branches(ME)) == 1, "nothing is half planted"


async def test_I11_documents_over_the_number_or_the_room_leave_no_row_and_no_file(store: Store) -> None:
    root = await a_topic(store.paths)

    async def add(new: list[NewDocument]) -> None:
        await store.paths.add_documents(root.id, new, user_id=ME)

    assert [type(one) for one in await collect_refusals([add([notes(), notes(), notes()])])] == [TooLarge]
    assert (await store.paths.documents(root.id, user_id=ME), store.files) == ([], 0)
    refusals = await collect_refusals([add([notes(600)]) for _ in range(5)])
    assert [type(one) for one in refusals] == [TooLarge] * 4
    assert (len(await store.paths.documents(root.id, user_id=ME)), store.files) == (1, 1)
    with pytest.raises(TooLarge, match="1,000 bytes"):
        await add([notes(401)])
    await add([notes(400)])
    assert store.files == 2


async def test_I11_drawings_take_of_the_same_room(store: Store) -> None:
    session = await SqlConversations(store.database).start_session(ME, node_id=None)
    tutoring = SqlLessonRepository(store.database, lambda _: None)
    await tutoring.save_drawing(session.id, Drawing("image/png", b"a" * 990), user_id=ME)
    with pytest.raises(TooLarge):
        await tutoring.save_drawing(session.id, Drawing("image/png", b"a" * 11), user_id=ME)
    root = await a_topic(store.paths)
    with pytest.raises(TooLarge):
        await store.paths.add_documents(root.id, [notes(11)], user_id=ME)


async def test_I11_so_many_runs_are_going_or_waiting_and_no_more(store: Store) -> None:
    runs = SqlRunStore(store.database, lambda _: None, RecordingDispatcher())
    topics = [await a_topic(store.paths, f"Topic {number}") for number in range(3)]
    first = await runs.admit(a_run(topics[0]))
    refusals = await collect_refusals([runs.admit(a_run(topic)) for topic in topics[1:]])
    assert [type(one) for one in refusals] == [TooManyRequests]
    assert getattr(refusals[0], "retry_after_s", 0) > 0
    assert len(await runs.runs(user_id=ME)) == 2
    again = await runs.admit(a_run(topics[0]))
    assert (again.outcome, again.run.id) == ("attached", first.run.id), "who joins a run begins none"
    await runs.cancel(first.run.id)
    assert (await runs.admit(a_run(topics[0]))).outcome == "new"


async def test_without_quotas_there_is_no_limit(database: Database, data_dir: Path) -> None:
    paths = SqlPaths(database, lambda _: None, storage=LocalStorage(data_dir))
    await paths.ensure_user(ME)
    root = await a_topic(paths)
    await paths.add_documents(root.id, [notes(2_000) for _ in range(20)], user_id=ME)
    assert len(await paths.documents(root.id, user_id=ME)) == 20
