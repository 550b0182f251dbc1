"""Documents that wait to be read, on both databases: in one pair of hands, counted, and never written to once gone."""

import asyncio
from datetime import timedelta

import pytest
from sqlmodel import select, update

from sprout.clock import utc_now
from sprout.errors import NotFound, Unreadable
from sprout.events import NodeRow
from sprout.learning.paths.library import DEFAULT_USER_ID, DocumentRow, NewDocument
from sprout.learning.paths.reading import Pile
from sprout.learning.paths.shelf import Passage
from sprout.store import tables
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.library import SqlLibrary
from sprout.store.shelf import SqlShelf
from sprout.store.sources import SqlSources
from sprout.store.unread import CLAIM_S, MOST_ATTEMPTS, SqlPile
from tests.builders import a_topic, with_notes

FITS: type[Pile] = SqlPile  # mypy checks it
PIECES = (Passage("a.md", None, "Light", 0, 5, page=1), Passage("a.md", None, "Leaves", 7, 13, page=2))


async def uploaded(library: SqlLibrary, root: NodeRow, *names: str) -> list[DocumentRow]:
    files = [NewDocument(name, "text/markdown", name.encode()) for name in names]
    return await library.add_documents(root.id, files, user_id=root.user_id)


async def the_document(library: SqlLibrary, root: NodeRow) -> DocumentRow:
    (document,) = await library.documents(root.id, user_id=root.user_id)
    return document


async def passages(database: Database) -> int:
    async with database.reading() as session:
        return len((await session.exec(select(tables.Passage.id))).all())


async def lapsed(database: Database) -> None:
    """Whoever reads says no more that they do."""
    documents = table_of(tables.Document)
    passed = utc_now() - timedelta(seconds=CLAIM_S)
    await database.write(lambda write: write.connection.execute(update(documents).values(reader_until=passed)))


async def test_each_document_is_in_one_pair_of_hands_in_the_order_of_upload(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    root = await a_topic(library)
    added = await uploaded(library, root, *[f"{n}.md" for n in range(6)])
    others = SqlPile(database, files=library.files)
    taken = await asyncio.gather(*(one.take() for one in (pile, others) for _ in range(4)))
    assert sorted(one.id for one in taken if one) == sorted(one.id for one in added)
    assert [one.attempt for one in taken if one] == [1] * 6
    assert await pile.take() is None


async def test_what_a_document_says_its_status_and_its_place_in_the_index_come_together(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf, database: Database
) -> None:
    root = await a_topic(library)
    await uploaded(library, root, "a.md")
    assert [(note.filename, note.status) for note in await shelf.documents(root.id)] == [("a.md", "pending")]
    unread = await pile.take()
    assert unread is not None
    assert await pile.content(unread) == b"a.md"
    assert await pile.keep(unread, "Light\n\nLeaves", PIECES, 2)
    document = await the_document(library, root)
    assert (document.extraction_status, document.passages, document.pages) == ("completed", 2, 2)
    (found,) = await SqlSources(database).search(root.id, "leaves", user_id=root.user_id)
    assert (found.page, found.slides) == (2, False)
    assert not await pile.keep(unread, "again", PIECES, 2), "it is not in these hands any more"
    assert await passages(database) == 2


async def test_a_document_that_cannot_be_read_says_why_and_can_be_tried_again(
    library: SqlLibrary, pile: SqlPile, shelf: SqlShelf
) -> None:
    root = await a_topic(library)
    await uploaded(library, root, "a.md")
    unread = await pile.take()
    assert unread is not None
    assert await pile.fail(unread, "It is locked.", again=True)
    document = await the_document(library, root)
    assert (document.extraction_status, document.extraction_error) == ("failed", "It is locked.")
    assert document.retry_may_help
    assert [note.problem for note in await shelf.documents(root.id)] == ["It is locked."]
    assert await pile.take() is None

    again, waits = await library.retry_document(root.id, document.id, user_id=root.user_id)
    assert (again.extraction_status, again.extraction_error, waits) == ("pending", None, True)
    assert not (await library.retry_document(root.id, document.id, user_id=root.user_id))[1]
    with pytest.raises(NotFound):
        await library.retry_document(root.id, document.id, user_id="mallory")
    fresh = await pile.take()
    assert fresh is not None
    assert fresh.attempt == 1
    assert not await pile.keep(unread, "of the first try", PIECES, 2)
    assert await pile.keep(fresh, "of the second", (), None)


async def test_P1_a_document_that_breaks_its_reader_three_times_is_given_up_and_the_next_one_is_read(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    root = await a_topic(library)
    killing, harmless = await uploaded(library, root, "killing.md", "harmless.md")
    for attempt in range(1, MOST_ATTEMPTS + 1):
        unread = await pile.take()
        assert unread is not None
        assert (unread.id, unread.attempt) == (killing.id, attempt)
        await lapsed(database)
    following = await pile.take()
    assert following is not None
    assert following.id == harmless.id
    first, _ = await library.documents(root.id, user_id=root.user_id)
    assert first.extraction_status == "failed"
    assert "broken off 3 times" in (first.extraction_error or "")


async def test_who_was_thought_dead_writes_nothing_more(library: SqlLibrary, pile: SqlPile, database: Database) -> None:
    root = await a_topic(library)
    await uploaded(library, root, "a.md")
    slow = await pile.take()
    await lapsed(database)
    quick = await pile.take()
    assert slow is not None
    assert quick is not None
    assert not await pile.hold(slow)
    assert not await pile.keep(slow, "Light", PIECES, None)
    assert not await pile.fail(slow, "no", again=True)
    assert await passages(database) == 0
    assert await pile.hold(quick)
    assert await pile.keep(quick, "Light", PIECES, None)


async def test_a_server_that_stops_in_good_order_does_not_count_against_a_document(
    library: SqlLibrary, pile: SqlPile
) -> None:
    root = await a_topic(library)
    await uploaded(library, root, "a.md")
    for counts, attempt in ((False, 1), (False, 1), (True, 1), (True, 2)):
        unread = await pile.take()
        assert unread is not None
        assert unread.attempt == attempt
        await pile.put_back(unread, counts=counts)


async def test_a_process_that_is_alone_takes_up_what_was_being_read_before_it(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    root = await a_topic(library)
    await uploaded(library, root, "a.md")
    assert await pile.take() is not None
    await pile.nobody_reads()
    again = await pile.take()
    if database.writer.engine.dialect.name == "sqlite":
        assert again is not None
        assert again.attempt == 2
    else:
        assert again is None, "another process may be reading it"


async def test_nothing_is_written_of_a_document_that_is_deleted_while_it_is_read(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    for how in ("document", "branch"):
        root = await a_topic(library)
        (document,) = await uploaded(library, root, "a.md")
        unread = await pile.take()
        assert unread is not None
        if how == "document":
            await library.delete_document(root.id, document.id, user_id=DEFAULT_USER_ID)
        else:
            await library.delete_branch(root.branch_id or "", user_id=DEFAULT_USER_ID)
        assert not await pile.keep(unread, "Light", PIECES, None)
        assert not await pile.fail(unread, "no", again=True)
        with pytest.raises(Unreadable):
            await pile.content(unread)
    assert await passages(database) == 0


async def test_a_document_deleted_in_the_very_moment_that_it_is_kept_leaves_nothing(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    root = await a_topic(library)
    for _ in range(10):
        (document,) = await uploaded(library, root, "a.md")
        unread = await pile.take()
        assert unread is not None
        await asyncio.gather(
            pile.keep(unread, "Light", PIECES, None),
            library.delete_document(root.id, document.id, user_id=DEFAULT_USER_ID),
        )
        assert await passages(database) == 0
    assert await library.documents(root.id, user_id=DEFAULT_USER_ID) == []


async def test_a_long_document_is_given_in_pieces_from_any_place(
    library: SqlLibrary, pile: SqlPile, database: Database
) -> None:
    root, sources = await a_topic(library), SqlSources(database)
    text = "\n\n".join(f"# Part {n}\n\nWords of part {n}." for n in range(9))
    document = await with_notes(library, pile, root, text)
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
