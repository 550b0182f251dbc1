"""Storage of documents: a folder and an S3 bucket behave the same."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest
from moto.server import ThreadedMotoServer

from harness.builders import a_topic
from sprout.errors import ServiceNotReady, SetupError, StorageUnavailable, UnreadableDocument
from sprout.learning.paths.repository import DEFAULT_USER_ID, NewDocument
from sprout.store.account.account import SqlAccount
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.documents.s3_storage import S3Location, S3Storage, open_s3_storage
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database
from sprout.store.paths.paths import SqlPaths

FITS: tuple[type[Storage], type[Storage]] = (LocalStorage, S3Storage)  # mypy checks it
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


async def a_bucket(s3: str) -> S3Location:
    """A new bucket, and a prefix in it."""
    name = f"documents-{secrets.token_hex(4)}"
    async with httpx2.AsyncClient() as client:
        (await client.put(f"{s3}/{name}")).raise_for_status()
    return S3Location(f"s3://{name}/of/sprout", endpoint=s3, **KEYS)


@pytest.fixture(params=["folder", "bucket"])
async def storage(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    if request.param == "folder":
        yield LocalStorage(tmp_path / "files")
    else:
        yield await open_s3_storage(await a_bucket(request.getfixturevalue("s3")))


async def test_what_is_kept_is_given_back_under_a_name_that_says_nothing(storage: Storage) -> None:
    contents = [b"", b"Light", bytes(range(256)) * 5_000]
    names = await storage.save(contents)
    assert [await storage.read(name) for name in names] == contents
    assert len({*names}) == 3
    assert all(len(name) == 32 and name.isalnum() for name in names)


async def test_what_is_removed_is_gone_and_removing_it_again_is_fine(storage: Storage) -> None:
    gone, remaining = await storage.save([b"gone", b"kept"])
    for _ in range(2):
        await storage.remove([gone])
    with pytest.raises(UnreadableDocument, match="not there any more"):
        await storage.read(gone)
    assert await storage.read(remaining) == b"kept"


async def test_what_no_row_knows_is_swept_and_what_may_still_get_one_is_left(storage: Storage) -> None:
    known, orphan = await storage.save([b"known", b"orphan"])
    await storage.remove_all_but([known], older_than_s=3_600)
    assert await storage.read(orphan) == b"orphan"
    await storage.remove_all_but([known], older_than_s=-2)  # its clock may have whole seconds: as if two more were over
    with pytest.raises(UnreadableDocument):
        await storage.read(orphan)
    assert await storage.read(known) == b"known"


async def test_a_document_is_uploaded_read_given_back_and_deleted_with_its_learner(
    storage: Storage, database: Database
) -> None:
    paths = SqlPaths(database, lambda _: None, storage=storage)
    root = await a_topic(paths)
    first, second = await paths.add_documents(root.id, [NOTES, NOTES], user_id=root.user_id)
    document_queue = SqlDocumentQueue(database, storage=storage)
    unread = await document_queue.claim()
    assert unread is not None
    assert await document_queue.content(unread) == NOTES.content
    await paths.delete_document(root.id, second.id, user_id=root.user_id)
    assert (await paths.document_content(first.id, user_id=root.user_id))[1] == NOTES.content
    account = SqlAccount(database, storage=storage)
    (await account.archive(DEFAULT_USER_ID)).close()
    await account.erase(DEFAULT_USER_ID)
    with pytest.raises(UnreadableDocument):
        await storage.read(unread.storage_name)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (S3Location("https://example.org/x"), "must be s3://bucket"),
        (S3Location("s3://"), "must be s3://bucket"),
    ],
)
async def test_a_bucket_that_cannot_be_used_is_said_at_the_start(place: S3Location, says: str) -> None:
    with pytest.raises(SetupError, match=says) as refusal:
        await open_s3_storage(place)
    assert "secret" not in f"{refusal.value} {place!r}"


async def test_a_bucket_that_is_not_there_is_said_at_the_start(s3: str) -> None:
    with pytest.raises(SetupError, match="There is no bucket at s3://no-such-bucket: create it") as refusal:
        await open_s3_storage(S3Location("s3://no-such-bucket", endpoint=s3, **KEYS))
    assert not isinstance(refusal.value, ServiceNotReady)


@pytest.mark.parametrize(
    ("status", "says", "may_pass"),
    [
        ("403 Forbidden", "refuses the credentials: set SPROUT_S3__ACCESS_KEY_ID", False),
        ("400 Bad Request", "cannot be used", False),
        ("503 Slow Down", "does not answer", True),
        (None, "does not answer", True),
    ],
)
async def test_X5_a_bucket_that_is_away_is_waited_for_and_what_no_waiting_mends_is_refused(
    status: str | None, says: str, may_pass: bool
) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    if status is None:
        server.close()
    with pytest.raises(SetupError, match=says) as refusal:
        await open_s3_storage(S3Location("s3://documents", endpoint=f"http://127.0.0.1:{port}", **KEYS))
    assert isinstance(refusal.value, ServiceNotReady) is may_pass
    assert "secret" not in str(refusal.value)
    server.close()


async def test_a_bucket_that_is_away_later_is_told_and_nothing_is_half_written(database: Database) -> None:
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        bucket = await open_s3_storage(await a_bucket(f"http://{host}:{port}"))
        paths = SqlPaths(database, lambda _: None, storage=bucket)
        root = await a_topic(paths)
        (document,) = await paths.add_documents(root.id, [NOTES], user_id=root.user_id)
    finally:
        server.stop()
    with pytest.raises(StorageUnavailable) as away:
        await paths.add_documents(root.id, [NOTES, NOTES], user_id=root.user_id)
    assert away.value.retry_after_s > 0
    assert [one.id for one in await paths.documents(root.id, user_id=root.user_id)] == [document.id]
    with pytest.raises(StorageUnavailable):
        await paths.document_content(document.id, user_id=root.user_id)
