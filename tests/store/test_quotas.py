"""How much a learner may keep: one more than that is refused, and nothing of it is kept (faults.md I-11)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sprout.errors import TooLarge, TooMany
from sprout.learning.lessons.tutoring import Drawing
from sprout.learning.paths.exchange import PathFile
from sprout.learning.paths.library import DEFAULT_USER_ID, NewDocument
from sprout.learning.paths.shelf import Actor
from sprout.store.database import Database, open_database
from sprout.store.exchange import SqlExchange
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.quotas import QUOTAS, Quotas
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring
from tests.builders import NotedWakeUps, a_run, a_topic

ME = DEFAULT_USER_ID
FEW = Quotas(paths=3, nodes_per_path=4, documents_per_topic=2, stored_bytes=1_000, runs_at_once=2)


@dataclass(frozen=True)
class Store:
    database: Database
    library: SqlLibrary
    folder: Path

    @property
    def files(self) -> int:
        return len([path for path in self.folder.iterdir() if path.is_file()])


@pytest.fixture
async def store(database_url: str, data_dir: Path) -> AsyncIterator[Store]:
    async with open_database(database_url, quotas=FEW) as database:
        library = SqlLibrary(database, lambda _: None, files=Files(data_dir))
        await library.ensure_user(ME)
        await library.ensure_user("somebody-else")
        yield Store(database, library, data_dir)


def notes(size: int = 10) -> NewDocument:
    return NewDocument("notes.md", "text/markdown", b"a" * size)


async def refused(attempts: list[Awaitable[object]]) -> list[BaseException]:
    """What the attempts, all made at once, were refused with."""
    found = await asyncio.gather(*attempts, return_exceptions=True)
    return [one for one in found if isinstance(one, BaseException)]


def test_every_quota_is_a_row_with_what_to_do() -> None:
    assert list(QUOTAS) == list(Quotas.__dataclass_fields__)
    assert all("{most}" in quota.says for quota in QUOTAS.values())


async def test_I11_one_path_too_many_is_refused_however_many_are_made_at_once(store: Store) -> None:
    told = await refused([store.library.create_branch(f"{n}", user_id=ME) for n in range(10)])
    assert [type(one) for one in told] == [TooLarge] * 7
    assert "3 paths" in str(told[0])
    assert len(await store.library.branches(ME)) == 3
    assert (await store.library.create_branch("Theirs", user_id="somebody-else")).title == "Theirs"
    path = PathFile.model_validate({"sprout_path": 1, "title": "More", "topic": {"title": "More"}})
    with pytest.raises(TooLarge):
        await SqlExchange(store.database).import_path(path, user_id=ME)
    await store.library.delete_branch((await store.library.branches(ME))[0].id, user_id=ME)
    assert (await SqlExchange(store.database).import_path(path, user_id=ME)).title == "More"


async def test_I11_a_path_takes_no_more_nodes_by_hand_by_an_agent_or_from_a_file(store: Store) -> None:
    root = await a_topic(store.library)
    shelf = SqlShelf(store.database, lambda _: None, split=lambda *_: [])
    for title in ("Light", "Water", "Air"):
        await store.library.create_node(
            user_id=ME, type="concept", title=title, branch_id=None, parent_id=root.id, desc=None
        )
    with pytest.raises(TooLarge, match="4 nodes"):
        await store.library.create_node(
            user_id=ME, type="concept", title="Soil", branch_id=None, parent_id=root.id, desc=None
        )
    with pytest.raises(TooLarge):
        await shelf.edit_graph(root.id, lambda graph: graph.add("Soil", None, datetime.now(UTC)), actor=Actor(ME))
    assert len(await store.library.nodes(user_id=ME)) == 4
    items = [{"title": title} for title in ("One", "Two", "Three", "Four")]
    large = {"sprout_path": 1, "title": "Large", "topic": {"title": "Large"}, "concepts": items}
    with pytest.raises(TooLarge):
        await SqlExchange(store.database).import_path(PathFile.model_validate(large), user_id=ME)
    assert len(await store.library.branches(ME)) == 1, "nothing is half planted"


async def test_I11_documents_over_the_number_or_the_room_leave_no_row_and_no_file(store: Store) -> None:
    root = await a_topic(store.library)

    async def add(new: list[NewDocument]) -> None:
        await store.library.add_documents(root.id, new, user_id=ME)

    assert [type(one) for one in await refused([add([notes(), notes(), notes()])])] == [TooLarge]
    assert (await store.library.documents(root.id, user_id=ME), store.files) == ([], 0)
    told = await refused([add([notes(600)]) for _ in range(5)])
    assert [type(one) for one in told] == [TooLarge] * 4
    assert (len(await store.library.documents(root.id, user_id=ME)), store.files) == (1, 1)
    with pytest.raises(TooLarge, match="1,000 bytes"):
        await add([notes(401)])
    await add([notes(400)])
    assert store.files == 2


async def test_I11_drawings_take_of_the_same_room(store: Store) -> None:
    session = await SqlTalk(store.database).begin_session(ME, node_id=None)
    tutoring = SqlTutoring(store.database, lambda _: None)
    await tutoring.keep_drawing(session.id, Drawing("image/png", b"a" * 990), user_id=ME)
    with pytest.raises(TooLarge):
        await tutoring.keep_drawing(session.id, Drawing("image/png", b"a" * 11), user_id=ME)
    root = await a_topic(store.library)
    with pytest.raises(TooLarge):
        await store.library.add_documents(root.id, [notes(11)], user_id=ME)


async def test_I11_so_many_runs_are_going_or_waiting_and_no_more(store: Store) -> None:
    runs = SqlRunStore(store.database, lambda _: None, NotedWakeUps())
    topics = [await a_topic(store.library, f"Topic {number}") for number in range(3)]
    first = await runs.admit(a_run(topics[0]))
    told = await refused([runs.admit(a_run(topic)) for topic in topics[1:]])
    assert [type(one) for one in told] == [TooMany]
    assert getattr(told[0], "retry_after_s", 0) > 0
    assert len(await runs.runs(user_id=ME)) == 2
    again = await runs.admit(a_run(topics[0]))
    assert (again.verdict, again.run.id) == ("attached", first.run.id), "who joins a run begins none"
    await runs.cancel(first.run.id)
    assert (await runs.admit(a_run(topics[0]))).verdict == "new"


async def test_without_quotas_there_is_no_limit(database: Database, data_dir: Path) -> None:
    library = SqlLibrary(database, lambda _: None, files=Files(data_dir))
    await library.ensure_user(ME)
    root = await a_topic(library)
    await library.add_documents(root.id, [notes(2_000) for _ in range(20)], user_id=ME)
    assert len(await library.documents(root.id, user_id=ME)) == 20
