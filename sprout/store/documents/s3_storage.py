"""S3 storage: the bytes of learners' documents in a bucket of any server that speaks S3."""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sprout.errors import ServiceNotReady, SetupError, StorageUnavailable, UnreadableDocument
from sprout.store.documents.local_storage import FILE_MISSING

if TYPE_CHECKING:
    from obstore.store import S3Store

REQUEST_TIMEOUT = timedelta(seconds=20)
CONNECT_TIMEOUT = timedelta(seconds=3)
RETRY_TIMEOUT = timedelta(seconds=5)
MAX_RETRIES = 2
UNAVAILABLE = "The place where documents are kept does not answer. Try again in a moment."
# In messages, since the library has one error for all of these.
_STATUS = re.compile(r"status code: (\d{3})")
_NO_ANSWER = "HTTP error"
EXTRA_MISSING = "Documents in S3 need the extra: pip install 'sprout-tutor[s3]'."


@dataclass(frozen=True, slots=True)
class S3Location:
    """The address and credentials of a bucket; None leaves one to the machine, such as its role at AWS.

    Args:
        url: `s3://bucket/prefix`.
        endpoint: the address of another server than AWS.
    """

    url: str
    endpoint: str | None = None
    region: str | None = None
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)


async def open_s3_storage(location: S3Location) -> "S3Storage":
    """The bucket, once it has answered. Raises ServiceNotReady: it does not answer; SetupError, with what to do."""
    try:
        from obstore.store import S3Store
    except ImportError:
        raise SetupError(EXTRA_MISSING) from None
    parts = urlsplit(location.url)
    if parts.scheme != "s3" or not parts.netloc:
        raise SetupError(f"SPROUT_DOCUMENTS_URL must be s3://bucket or s3://bucket/prefix, not {location.url!r}.")
    given = {
        "endpoint": location.endpoint,
        "region": location.region,
        "access_key_id": location.access_key_id,
        "secret_access_key": location.secret_access_key,
    }
    config: Any = {name: value for name, value in given.items() if value is not None}
    store = S3Store(
        parts.netloc,
        prefix=parts.path.strip("/") or None,
        config=config,
        client_options={
            "allow_http": (location.endpoint or "").startswith("http://"),
            "timeout": REQUEST_TIMEOUT,
            "connect_timeout": CONNECT_TIMEOUT,
        },
        retry_config={"max_retries": MAX_RETRIES, "retry_timeout": RETRY_TIMEOUT},
    )
    bucket = S3Storage(store)
    try:
        await bucket.check_access()
    except (StorageUnavailable, UnreadableDocument) as error:
        raise _refusal(location.url, str(error.__cause__ or error)) from error
    return bucket


def _refusal(url: str, reason: str) -> SetupError:
    found = _STATUS.search(reason)
    status = int(found[1]) if found else None
    if status in {401, 403}:
        return SetupError(
            f"The server of {url} refuses the credentials: set SPROUT_S3__ACCESS_KEY_ID and "
            "SPROUT_S3__SECRET_ACCESS_KEY to those of a user who may list, read, write and delete there."
        )
    if status == 404:
        return SetupError(f"There is no bucket at {url}: create it, or correct SPROUT_DOCUMENTS_URL.")
    said = reason.partition("\n")[0][:200]
    if (status is None and _NO_ANSWER in reason) or (status is not None and status >= 500):
        problem = f"The bucket at {url} does not answer ({said}): start its server, or correct SPROUT_S3__ENDPOINT."
        return ServiceNotReady(problem, service="Documents")
    return SetupError(f"The bucket at {url} cannot be used: {said}")


class S3Storage:
    """Storage in a bucket, or below a prefix of one, of its own."""

    def __init__(self, store: "S3Store") -> None:
        self._store = store

    async def check_access(self) -> None:
        """Raises StorageUnavailable: it cannot be listed."""
        async for _ in self._list():
            return

    async def save(self, contents: Sequence[bytes]) -> list[str]:
        import obstore

        names: list[str] = []
        try:
            with _translate_errors():
                for content in contents:
                    names.append(secrets.token_hex(16))
                    await obstore.put_async(self._store, names[-1], content)
        except (StorageUnavailable, asyncio.CancelledError):
            with suppress(StorageUnavailable):  # leftovers are deleted once they are old
                await self.remove(names)
            raise
        return names

    async def read(self, name: str) -> bytes:
        import obstore

        with _translate_errors():
            found = await obstore.get_async(self._store, name)
            return bytes(await found.bytes_async())

    async def remove(self, names: Iterable[str]) -> None:
        import obstore

        if gone := list(names):
            with _translate_errors():
                await obstore.delete_async(self._store, gone)

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        known, made_before = set(names), datetime.now(UTC) - timedelta(seconds=older_than_s)
        there = [name async for name, made_at in self._list() if made_at <= made_before]
        await self.remove(name for name in there if name not in known)

    async def _list(self) -> AsyncIterator[tuple[str, datetime]]:
        """All names, with the time each was made."""
        import obstore

        with _translate_errors():
            async for some in obstore.list(self._store):
                for one in some:
                    yield one["path"], one["last_modified"]


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise the library's errors as Sprout's."""
    from obstore.exceptions import BaseError, NotFoundError

    try:
        yield
    except (NotFoundError, FileNotFoundError):
        raise UnreadableDocument(FILE_MISSING, code="file_missing") from None
    except (BaseError, OSError, ValueError) as error:
        raise StorageUnavailable(UNAVAILABLE) from error
