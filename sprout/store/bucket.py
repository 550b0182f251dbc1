"""The bytes of learners' documents in a bucket of any server that speaks S3."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sprout.errors import SetupError, StorageAway, Unreadable
from sprout.store.files import GONE

if TYPE_CHECKING:
    from obstore.store import S3Store

ANSWER_WITHIN = timedelta(seconds=20)
CONNECT_WITHIN = timedelta(seconds=3)
RETRY_WITHIN = timedelta(seconds=5)
RETRIES = 2
AWAY = "The place where documents are kept does not answer. Try again in a moment."
NO_EXTRA = "Documents in S3 need the extra: pip install 'sprout-tutor[s3]'."


@dataclass(frozen=True, slots=True)
class BucketPlace:
    """Where a bucket is and who comes to it; what is None is left to the machine, such as its role at AWS.

    Args:
        url: `s3://bucket/prefix`.
        endpoint: where another server than AWS is.
    """

    url: str
    endpoint: str | None = None
    region: str | None = None
    access_key_id: str | None = field(default=None, repr=False)
    secret_access_key: str | None = field(default=None, repr=False)


async def open_bucket(place: BucketPlace) -> "Bucket":
    """The bucket, which has been seen to answer. Raises SetupError, with what to mend."""
    try:
        from obstore.store import S3Store
    except ImportError:
        raise SetupError(NO_EXTRA) from None
    parts = urlsplit(place.url)
    if parts.scheme != "s3" or not parts.netloc:
        raise SetupError(f"SPROUT_DOCUMENTS_URL must be s3://bucket or s3://bucket/prefix, not {place.url!r}.")
    given = {
        "endpoint": place.endpoint,
        "region": place.region,
        "access_key_id": place.access_key_id,
        "secret_access_key": place.secret_access_key,
    }
    config: Any = {name: value for name, value in given.items() if value is not None}
    store = S3Store(
        parts.netloc,
        prefix=parts.path.strip("/") or None,
        config=config,
        client_options={
            "allow_http": (place.endpoint or "").startswith("http://"),
            "timeout": ANSWER_WITHIN,
            "connect_timeout": CONNECT_WITHIN,
        },
        retry_config={"max_retries": RETRIES, "retry_timeout": RETRY_WITHIN},
    )
    bucket = Bucket(store)
    try:
        await bucket.answers()
    except (StorageAway, Unreadable) as error:
        reason = str(error.__cause__ or error).partition("\n")[0][:200]
        raise SetupError(f"The bucket at {place.url} cannot be used: {reason}") from error
    return bucket


class Bucket:
    """Storage in a bucket, or below a prefix of one, that is ours alone."""

    def __init__(self, store: "S3Store") -> None:
        self._store = store

    async def answers(self) -> None:
        """Raises StorageAway: it cannot be looked into."""
        async for _ in self._listed():
            return

    async def keep(self, contents: Sequence[bytes]) -> list[str]:
        """The names under which the contents are kept, all or none. Raises StorageAway."""
        import obstore

        names: list[str] = []
        try:
            with _translated():
                for content in contents:
                    names.append(secrets.token_hex(16))
                    await obstore.put_async(self._store, names[-1], content)
        except (StorageAway, asyncio.CancelledError):
            with suppress(StorageAway):  # what stays is swept when it is old
                await self.remove(names)
            raise
        return names

    async def read(self, name: str) -> bytes:
        """Raises Unreadable (there is none), StorageAway."""
        import obstore

        with _translated():
            found = await obstore.get_async(self._store, name)
            return bytes(await found.bytes_async())

    async def remove(self, names: Iterable[str]) -> None:
        """Missing is fine. Raises StorageAway."""
        import obstore

        if gone := list(names):
            with _translated():
                await obstore.delete_async(self._store, gone)

    async def remove_all_but(self, names: Iterable[str], *, older_than_s: float) -> None:
        """Remove what a crash between a file and its row left behind. Raises StorageAway."""
        known, made_before = set(names), datetime.now(UTC) - timedelta(seconds=older_than_s)
        there = [name async for name, made_at in self._listed() if made_at <= made_before]
        await self.remove(name for name in there if name not in known)

    async def _listed(self) -> AsyncIterator[tuple[str, datetime]]:
        """Everything there is, with when it was made."""
        import obstore

        with _translated():
            async for some in obstore.list(self._store):
                for one in some:
                    yield one["path"], one["last_modified"]


@contextmanager
def _translated() -> Iterator[None]:
    """The library's errors as ours."""
    from obstore.exceptions import BaseError, NotFoundError

    try:
        yield
    except (NotFoundError, FileNotFoundError):
        raise Unreadable(GONE, again=False) from None
    except (BaseError, OSError, ValueError) as error:
        raise StorageAway(AWAY) from error
