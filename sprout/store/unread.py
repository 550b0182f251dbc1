"""Documents that wait to be read, in the database: each is claimed for a while, and every attempt is counted."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import CursorResult, or_, select, update

from sprout.ids import new_id
from sprout.learning.paths.reading import Unread
from sprout.learning.paths.shelf import Passage
from sprout.store import tables
from sprout.store.carriers import now_of
from sprout.store.columns import table_of
from sprout.store.database import Database
from sprout.store.passages import keep_passages
from sprout.store.storage import Storage
from sprout.store.write import Write

MOST_ATTEMPTS = 3
CLAIM_S = 60.0
GAVE_UP = (
    f"Reading it has broken off {MOST_ATTEMPTS} times. Try again, or save it in another form, such as PDF or text, "
    "and add that."
)

_documents = table_of(tables.Document)
_WAITS = _documents.c.extraction_status == "pending"


class SqlPile:
    """Pile on SQL; the bytes are in `files`."""

    def __init__(self, database: Database, *, files: Storage) -> None:
        self._database = database
        self._files = files

    async def nobody_reads(self) -> None:
        """At the start of a process that has the database for itself: whoever was reading before it is gone."""
        freed = update(_documents).where(_WAITS).values(reader=None, reader_until=None)
        await self._database.write(lambda write: None if not write.alone else _carried_out(write, freed))

    async def take(self) -> Unread | None:
        """The one that waits longest, for a while; one that has been begun too often fails instead."""
        while isinstance(taken := await self._database.write(_taken), bool):
            pass  # one has failed, and the next may wait
        return taken

    async def content(self, unread: Unread) -> bytes:
        """Raises Unreadable (it is gone), StorageAway."""
        return await self._files.read(unread.storage_name)

    async def hold(self, unread: Unread) -> bool:
        """Hold it for a while more; False where it is not in these hands any more."""

        def body(write: Write) -> bool:
            until = now_of(write.connection) + timedelta(seconds=CLAIM_S)
            return _changed(write, unread, {"reader_until": until})

        return await self._database.write(body)

    async def keep(self, unread: Unread, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        """The text, its passages and that it is read, or nothing."""
        read = {"extraction_status": "completed", "extraction_error": None, "extracted_text": text, "pages": pages}

        def body(write: Write) -> bool:
            # The row is locked from here on: whoever deletes it meanwhile waits, and takes the passages along.
            if not _changed(write, unread, {**read, "reader": None, "reader_until": None}):
                return False
            keep_passages(write.connection, unread.id, passages)
            return True

        return await self._database.write(body)

    async def fail(self, unread: Unread, problem: str, *, again: bool) -> bool:
        """That it cannot be read, and why."""
        return await self._database.write(lambda write: _changed(write, unread, _failed(problem, again=again)))

    async def put_back(self, unread: Unread, *, counts: bool) -> None:
        """Leave it to whoever comes next."""
        attempts = unread.attempt if counts else unread.attempt - 1
        freed = {"reader": None, "reader_until": None, "attempts": attempts}
        await self._database.write(lambda write: _changed(write, unread, freed))


def _taken(write: Write) -> Unread | bool | None:
    """The next document in new hands, True where one was given up, None where none waits."""
    now = now_of(write.connection)
    free = or_(_documents.c.reader.is_(None), _documents.c.reader_until < now)
    columns = (_documents.c.id, _documents.c.original_filename, _documents.c.mime_type, _documents.c.storage_name)
    wanted = (
        select(*columns, _documents.c.attempts)
        .where(_WAITS, free)
        .order_by(_documents.c.creation)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    found = write.connection.execute(wanted).first()
    if found is None:
        return None
    whole = update(_documents).where(_documents.c.id == found.id)
    if found.attempts >= MOST_ATTEMPTS:
        _carried_out(write, whole.values(**_failed(GAVE_UP, again=True)))
        return True
    claim, attempt = new_id(), found.attempts + 1
    until = now + timedelta(seconds=CLAIM_S)
    _carried_out(write, whole.values(reader=claim, reader_until=until, attempts=attempt))
    return Unread(found.id, found.original_filename, found.mime_type, found.storage_name, claim, attempt)


def _failed(problem: str, *, again: bool) -> dict[str, Any]:
    return {
        "extraction_status": "failed",
        "extraction_error": problem,
        "retry_may_help": again,
        "reader": None,
        "reader_until": None,
    }


def _changed(write: Write, unread: Unread, values: dict[str, Any]) -> bool:
    """Whether the document was still in these hands, and is changed."""
    mine = (_documents.c.id == unread.id, _documents.c.reader == unread.claim, _WAITS)
    return _carried_out(write, update(_documents).where(*mine).values(**values)) == 1


def _carried_out(write: Write, statement: Any) -> int:
    result: CursorResult[Any] = write.connection.execute(statement)
    return result.rowcount
