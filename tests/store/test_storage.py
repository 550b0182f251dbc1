"""Where documents are kept: a folder, and a bucket of a server that speaks S3, do the same."""

import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest
from moto.server import ThreadedMotoServer

from sprout.errors import SetupError, StorageAway, Unreadable
from sprout.learning.paths.library import DEFAULT_USER_ID, NewDocument
from sprout.store.account import SqlAccount
from sprout.store.bucket import Bucket, BucketPlace, open_bucket
from sprout.store.database import Database
from sprout.store.files import Files
from sprout.store.library import SqlLibrary
from sprout.store.storage import Storage
from sprout.store.unread import SqlPile
from tests.builders import a_topic

FITS: tuple[type[Storage], type[Storage]] = (Files, Bucket)  # mypy checks it
KEYS = {"region": "us-east-1", "access_key_id": "key", "secret_access_key": "secret"}
NOTES = NewDocument("notes.md", "text/markdown", b"# Light")


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server that speaks S3."""
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


async def a_bucket(s3: str) -> BucketPlace:
    """A new bucket, and a prefix in it."""
    name = f"documents-{secrets.token_hex(4)}"
    async with httpx2.AsyncClient() as client:
        (await client.put(f"{s3}/{name}")).raise_for_status()
    return BucketPlace(f"s3://{name}/of/sprout", endpoint=s3, **KEYS)


@pytest.fixture(params=["folder", "bucket"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    if request.param == "folder":
        yield Files(tmp_path / "files")
    else:
        yield await open_bucket(await a_bucket(request.getfixturevalue("s3")))


async def test_what_is_kept_is_given_back_under_a_name_that_says_nothing(storage: Storage) -> None:
    contents = [b"", b"Light", bytes(range(256)) * 5_000]
    names = await storage.keep(contents)
    assert [await storage.read(name) for name in names] == contents
    assert len({*names}) == 3
    assert all(len(name) == 32 and name.isalnum() for name in names)


async def test_what_is_removed_is_gone_and_removing_it_again_is_fine(storage: Storage) -> None:
    gone, kept = await storage.keep([b"gone", b"kept"])
    for _ in range(2):
        await storage.remove([gone])
    with pytest.raises(Unreadable, match="not there any more"):
        await storage.read(gone)
    assert await storage.read(kept) == b"kept"


async def test_what_no_row_knows_is_swept_and_what_may_still_get_one_is_left(storage: Storage) -> None:
    known, orphan = await storage.keep([b"known", b"orphan"])
    await storage.remove_all_but([known], older_than_s=3_600)
    assert await storage.read(orphan) == b"orphan"
    await storage.remove_all_but([known], older_than_s=-2)  # its clock may have whole seconds: as if two more were over
    with pytest.raises(Unreadable):
        await storage.read(orphan)
    assert await storage.read(known) == b"known"


async def test_a_document_is_uploaded_read_given_back_and_deleted_with_its_learner(
    storage: Storage, database: Database
) -> None:
    library = SqlLibrary(database, lambda _: None, files=storage)
    root = await a_topic(library)
    first, second = await library.add_documents(root.id, [NOTES, NOTES], user_id=root.user_id)
    pile = SqlPile(database, files=storage)
    unread = await pile.take()
    assert unread is not None
    assert await pile.content(unread) == NOTES.content
    await library.delete_document(root.id, second.id, user_id=root.user_id)
    assert (await library.original(first.id, user_id=root.user_id))[1] == NOTES.content
    account = SqlAccount(database, files=storage)
    (await account.archive(DEFAULT_USER_ID)).close()
    await account.erase(DEFAULT_USER_ID)
    with pytest.raises(Unreadable):
        await storage.read(unread.storage_name)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (BucketPlace("https://example.org/x"), "must be s3://bucket"),
        (BucketPlace("s3://"), "must be s3://bucket"),
        (BucketPlace("s3://documents", endpoint="http://127.0.0.1:9", **KEYS), "cannot be used"),
    ],
)
async def test_a_bucket_that_cannot_be_used_is_said_at_the_start(place: BucketPlace, says: str) -> None:
    with pytest.raises(SetupError, match=says) as refusal:
        await open_bucket(place)
    assert "secret" not in f"{refusal.value} {place!r}"


async def test_a_bucket_that_is_not_there_is_said_at_the_start(s3: str) -> None:
    with pytest.raises(SetupError, match="cannot be used"):
        await open_bucket(BucketPlace("s3://no-such-bucket", endpoint=s3, **KEYS))


async def test_a_bucket_that_is_away_later_is_told_and_nothing_is_half_written(database: Database) -> None:
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        bucket = await open_bucket(await a_bucket(f"http://{host}:{port}"))
        library = SqlLibrary(database, lambda _: None, files=bucket)
        root = await a_topic(library)
        (document,) = await library.add_documents(root.id, [NOTES], user_id=root.user_id)
    finally:
        server.stop()
    with pytest.raises(StorageAway) as away:
        await library.add_documents(root.id, [NOTES, NOTES], user_id=root.user_id)
    assert away.value.retry_after_s > 0
    assert [one.id for one in await library.documents(root.id, user_id=root.user_id)] == [document.id]
    with pytest.raises(StorageAway):
        await library.original(document.id, user_id=root.user_id)
