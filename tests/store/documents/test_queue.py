"""Documents that wait to be read, on both databases: in one pair of hands, counted, and never written to once gone."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import select, update

from harness.builders import a_topic, add_notes
from sprout.clock import utc_now
from sprout.errors import NotFound, UnreadableDocument
from sprout.events import NodeRow
from sprout.learning.paths.document_queue import DocumentQueue
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.repository import DEFAULT_USER_ID, DocumentRow, NewDocument
from sprout.store.documents.queue import CLAIM_S, MAX_ATTEMPTS, SqlDocumentQueue
from sprout.store.documents.sources import SqlSources
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

FITS: type[DocumentQueue] = SqlDocumentQueue  # mypy checks it
PIECES = (Passage("a.md", None, "Light", 0, 5, page=1), Passage("a.md", None, "Leaves", 7, 13, page=2))


async def upload(paths: SqlPaths, root: NodeRow, *names: str) -> list[DocumentRow]:
    files = [NewDocument(name, "text/markdown", name.encode()) for name in names]
    return await paths.add_documents(root.id, files, user_id=root.user_id)


async def the_document(paths: SqlPaths, root: NodeRow) -> DocumentRow:
    (document,) = await paths.documents(root.id, user_id=root.user_id)
    return document


async def passages(database: Database) -> int:
    async with database.open_read_session() as session:
        return len((await session.exec(select(tables.Passage.id))).all())


async def expire_claims(database: Database) -> None:
    """Let the claims on documents expire, as if the reader had stopped renewing them."""
    documents = table_of(tables.Document)
    passed = utc_now() - timedelta(seconds=CLAIM_S)
    await database.write_tx(lambda tx: tx.connection.execute(update(documents).values(claimed_until=passed)))


async def test_each_document_is_in_one_pair_of_hands_in_the_order_of_upload(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root = await a_topic(paths)
    added = await upload(paths, root, *[f"{n}.md" for n in range(6)])
    others = SqlDocumentQueue(database, storage=paths.storage)
    taken = await asyncio.gather(*(one.claim() for one in (document_queue, others) for _ in range(4)))
    assert sorted(one.id for one in taken if one) == sorted(one.id for one in added)
    assert [one.attempt for one in taken if one] == [1] * 6
    assert await document_queue.claim() is None


async def test_what_a_document_says_its_status_and_its_place_in_the_index_come_together(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository, database: Database
) -> None:
    root = await a_topic(paths)
    await upload(paths, root, "a.md")
    assert [(note.filename, note.status) for note in await repositories.document_statuses(root.id)] == [
        ("a.md", "pending")
    ]
    unread = await document_queue.claim()
    assert unread is not None
    assert await document_queue.content(unread) == b"a.md"
    assert await document_queue.complete(unread, "Light\n\nLeaves", PIECES, 2)
    document = await the_document(paths, root)
    assert (document.extraction_status, document.passages, document.pages) == ("completed", 2, 2)
    (found,) = await SqlSources(database).search(root.id, "leaves", user_id=root.user_id)
    assert (found.page, found.slides) == (2, False)
    assert not await document_queue.complete(unread, "again", PIECES, 2), "it is not in these hands any more"
    assert await passages(database) == 2


@pytest.mark.parametrize(
    ("named", "text", "title"),
    [
        ("my notes", "# 1. The water cycle\n\nWater.\n\n## Rain\n\nIt falls.", "The water cycle"),
        ("my notes", "---\ntitle: The water cycle\n---\n\nWater.\n\n## Rain\n\nIt falls.", "The water cycle"),
        ("my notes", "Water.\n\n## Rain\n\nIt falls.\n\n## Snow\n\nIt falls.", "my notes"),
        ("How it rains", "# The water cycle\n\nWater.", "How it rains"),
    ],
)
async def test_a_path_that_a_file_has_named_is_named_by_its_documents_title(
    paths: SqlPaths, document_queue: SqlDocumentQueue, named: str, text: str, title: str
) -> None:
    root = await a_topic(paths, named)
    await upload(paths, root, "my-notes.md")
    unread = await document_queue.claim()
    assert unread is not None
    assert await document_queue.complete(unread, text, PIECES, None)
    assert (await paths.branch(root.branch_id or "", user_id=DEFAULT_USER_ID)).title == title
    assert (await paths.node(root.id, user_id=DEFAULT_USER_ID)).title == title


async def test_a_document_that_cannot_be_read_says_why_and_can_be_tried_again(
    paths: SqlPaths, document_queue: SqlDocumentQueue, repositories: SqlPathRepository
) -> None:
    root = await a_topic(paths)
    await upload(paths, root, "a.md")
    unread = await document_queue.claim()
    assert unread is not None
    assert await document_queue.fail(unread, UnreadableDocument("It is locked.", code="protected", retryable=True))
    document = await the_document(paths, root)
    assert (document.extraction_status, document.extraction_error) == ("failed", "It is locked.")
    assert (document.extraction_code, document.retry_may_help) == ("protected", True)
    assert [note.problem for note in await repositories.document_statuses(root.id)] == ["It is locked."]
    assert await document_queue.claim() is None

    again, waits = await paths.retry_document(root.id, document.id, user_id=root.user_id)
    assert again.extraction_code is None
    assert (again.extraction_status, again.extraction_error, waits) == ("pending", None, True)
    assert not (await paths.retry_document(root.id, document.id, user_id=root.user_id))[1]
    with pytest.raises(NotFound):
        await paths.retry_document(root.id, document.id, user_id="mallory")
    fresh = await document_queue.claim()
    assert fresh is not None
    assert fresh.attempt == 1
    assert not await document_queue.complete(unread, "of the first try", PIECES, 2)
    assert await document_queue.complete(fresh, "of the second", (), None)


async def test_P1_a_document_that_breaks_its_reader_three_times_is_given_up_and_the_next_one_is_read(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root = await a_topic(paths)
    killing, harmless = await upload(paths, root, "killing.md", "harmless.md")
    for attempt in range(1, MAX_ATTEMPTS + 1):
        unread = await document_queue.claim()
        assert unread is not None
        assert (unread.id, unread.attempt) == (killing.id, attempt)
        await expire_claims(database)
    following = await document_queue.claim()
    assert following is not None
    assert following.id == harmless.id
    first, _ = await paths.documents(root.id, user_id=root.user_id)
    assert first.extraction_status == "failed"
    assert "broken off 3 times" in (first.extraction_error or "")


async def test_who_was_thought_dead_writes_nothing_more(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root = await a_topic(paths)
    await upload(paths, root, "a.md")
    slow = await document_queue.claim()
    await expire_claims(database)
    quick = await document_queue.claim()
    assert slow is not None
    assert quick is not None
    assert not await document_queue.renew_claim(slow)
    assert not await document_queue.complete(slow, "Light", PIECES, None)
    assert not await document_queue.fail(slow, UnreadableDocument("no"))
    assert await passages(database) == 0
    assert await document_queue.renew_claim(quick)
    assert await document_queue.complete(quick, "Light", PIECES, None)


async def test_a_server_that_stops_in_good_order_does_not_count_against_a_document(
    paths: SqlPaths, document_queue: SqlDocumentQueue
) -> None:
    root = await a_topic(paths)
    await upload(paths, root, "a.md")
    for counts, attempt in ((False, 1), (False, 1), (True, 1), (True, 2)):
        unread = await document_queue.claim()
        assert unread is not None
        assert unread.attempt == attempt
        await document_queue.release(unread, counts=counts)


async def test_a_process_that_is_alone_takes_up_what_was_being_read_before_it(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root = await a_topic(paths)
    await upload(paths, root, "a.md")
    assert await document_queue.claim() is not None
    await document_queue.release_all()
    again = await document_queue.claim()
    if database.writer.engine.dialect.name == "sqlite":
        assert again is not None
        assert again.attempt == 2
    else:
        assert again is None, "another process may be reading it"


async def test_nothing_is_written_of_a_document_that_is_deleted_while_it_is_read(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    for how in ("document", "branch"):
        root = await a_topic(paths)
        (document,) = await upload(paths, root, "a.md")
        unread = await document_queue.claim()
        assert unread is not None
        if how == "document":
            await paths.delete_document(root.id, document.id, user_id=DEFAULT_USER_ID)
        else:
            await paths.delete_branch(root.branch_id or "", user_id=DEFAULT_USER_ID)
        assert not await document_queue.complete(unread, "Light", PIECES, None)
        assert not await document_queue.fail(unread, UnreadableDocument("no"))
        with pytest.raises(UnreadableDocument):
            await document_queue.content(unread)
    assert await passages(database) == 0


async def test_a_document_deleted_in_the_very_moment_that_it_is_kept_leaves_nothing(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root = await a_topic(paths)
    for _ in range(10):
        (document,) = await upload(paths, root, "a.md")
        unread = await document_queue.claim()
        assert unread is not None
        await asyncio.gather(
            document_queue.complete(unread, "Light", PIECES, None),
            paths.delete_document(root.id, document.id, user_id=DEFAULT_USER_ID),
        )
        assert await passages(database) == 0
    assert await paths.documents(root.id, user_id=DEFAULT_USER_ID) == []


async def test_a_long_document_is_given_in_pieces_from_any_place(
    paths: SqlPaths, document_queue: SqlDocumentQueue, database: Database
) -> None:
    root, sources = await a_topic(paths), SqlSources(database)
    text = "\n\n".join(f"# Part {n}\n\nWords of part {n}." for n in range(9))
    document = await add_notes(paths, document_queue, root, text)
    whole = [one.id for one in await sources.document(document, user_id=root.user_id)]
    assert len(whole) == 9
    for options, wanted in (
        ({"limit": 3}, whole[:3]),
        ({"after": whole[3]}, whole[4:]),
        ({"after": whole[3], "limit": 2}, whole[4:6]),
        ({"before": whole[3], "limit": 2}, whole[1:3]),
        ({"before": whole[3]}, whole[:3]),
        ({"after": "nothing", "limit": 2}, []),
    ):
        found = await sources.document(document, user_id=root.user_id, **options)
        assert [one.id for one in found] == wanted, options
