"""Document queue: each document waiting for extraction is claimed for a while, and every attempt is counted."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import CursorResult, or_, select, update
from sqlmodel import col
from sqlmodel import select as sqlmodel_select

from sprout.errors import UnreadableDocument
from sprout.ids import new_id
from sprout.learning.graph.graph import title_key
from sprout.learning.paths.document_queue import QueuedDocument
from sprout.learning.paths.document_titles import document_title, file_title
from sprout.learning.paths.passages import Passage
from sprout.store.documents.passages import insert_passages
from sprout.store.documents.storage import Storage
from sprout.store.engine.clock import database_now
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import unique_key
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of

MAX_ATTEMPTS = 3
CLAIM_S = 60.0
GIVEN_UP = UnreadableDocument(
    f"Reading it has broken off {MAX_ATTEMPTS} times. Try again, or save it in another form, such as PDF or text, "
    "and add that.",
    code="given_up",
    retryable=True,
)

_documents = table_of(tables.Document)
_WAITS = _documents.c.extraction_status == "pending"


class SqlDocumentQueue:
    """DocumentQueue on SQL; the bytes are in `storage`."""

    def __init__(self, database: Database, *, storage: Storage) -> None:
        self._database = database
        self._storage = storage

    async def release_all(self) -> None:
        """Release every claim, at the start of the only process that uses the database."""
        released = update(_documents).where(_WAITS).values(claimed_by=None, claimed_until=None)
        await self._database.write_tx(lambda tx: None if not tx.is_exclusive else _execute(tx, released))

    async def claim(self) -> QueuedDocument | None:
        while isinstance(claimed := await self._database.write_tx(_claim_next), bool):
            pass  # that one was given up; the next may be waiting
        return claimed

    async def content(self, unread: QueuedDocument) -> bytes:
        return await self._storage.read(unread.storage_name)

    async def renew_claim(self, unread: QueuedDocument) -> bool:
        def body(tx: WriteTransaction) -> bool:
            until = database_now(tx.connection) + timedelta(seconds=CLAIM_S)
            return _update_claimed(tx, unread, {"claimed_until": until})

        return await self._database.write_tx(body)

    async def complete(self, unread: QueuedDocument, text: str, passages: Sequence[Passage], pages: int | None) -> bool:
        read = {"extraction_status": "completed", "extracted_text": text, "pages": pages}

        def body(tx: WriteTransaction) -> bool:
            # The row is locked from here on: a concurrent deletion waits, and then deletes the passages too.
            if not _update_claimed(tx, unread, {**read, "claimed_by": None, "claimed_until": None}):
                return False
            insert_passages(tx.connection, unread.id, passages)
            _name_path(tx, unread, document_title(text))
            return True

        return await self._database.write_tx(body)

    async def fail(self, unread: QueuedDocument, error: UnreadableDocument) -> bool:
        return await self._database.write_tx(lambda tx: _update_claimed(tx, unread, _failure_columns(error)))

    async def release(self, unread: QueuedDocument, *, counts: bool) -> None:
        attempts = unread.attempt if counts else unread.attempt - 1
        released = {"claimed_by": None, "claimed_until": None, "attempts": attempts}
        await self._database.write_tx(lambda tx: _update_claimed(tx, unread, released))


def _name_path(tx: WriteTransaction, unread: QueuedDocument, title: str) -> None:
    """Name the path by its document's title where it was named by the document's file."""
    node, branch = tables.Node, tables.Branch
    wanted = (
        sqlmodel_select(node, branch)
        .join(branch, col(branch.id) == col(node.branch_id))
        .join(tables.Document, col(tables.Document.node_id) == col(node.id))
        .where(tables.Document.id == unread.id, node.type == "root")
    )
    found = tx.session.exec(wanted).first() if title_key(title) else None
    if found is None or found[1].title != file_title(unread.filename):
        return
    root, path = found
    path.title = root.title = title
    root.title_key = unique_key(title_key(title))
    tx.session.add_all([root, path])


def _claim_next(tx: WriteTransaction) -> QueuedDocument | bool | None:
    """The next document under a new claim; True if one was given up, None if the queue is empty."""
    now = database_now(tx.connection)
    unclaimed = or_(_documents.c.claimed_by.is_(None), _documents.c.claimed_until < now)
    columns = (_documents.c.id, _documents.c.original_filename, _documents.c.mime_type, _documents.c.storage_name)
    wanted = (
        select(*columns, _documents.c.attempts)
        .where(_WAITS, unclaimed)
        .order_by(_documents.c.creation)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    found = tx.connection.execute(wanted).first()
    if found is None:
        return None
    whole = update(_documents).where(_documents.c.id == found.id)
    if found.attempts >= MAX_ATTEMPTS:
        _execute(tx, whole.values(**_failure_columns(GIVEN_UP)))
        return True
    claim, attempt = new_id(), found.attempts + 1
    until = now + timedelta(seconds=CLAIM_S)
    _execute(tx, whole.values(claimed_by=claim, claimed_until=until, attempts=attempt))
    return QueuedDocument(found.id, found.original_filename, found.mime_type, found.storage_name, claim, attempt)


def _failure_columns(error: UnreadableDocument) -> dict[str, Any]:
    return {
        "extraction_status": "failed",
        "extraction_error": str(error),
        "extraction_code": error.code,
        "retry_may_help": error.retryable,
        "claimed_by": None,
        "claimed_until": None,
    }


def _update_claimed(tx: WriteTransaction, unread: QueuedDocument, values: dict[str, Any]) -> bool:
    """Change the document if it is still under this claim; whether it was."""
    mine = (_documents.c.id == unread.id, _documents.c.claimed_by == unread.claim, _WAITS)
    return _execute(tx, update(_documents).where(*mine).values(**values)) == 1


def _execute(tx: WriteTransaction, statement: Any) -> int:
    result: CursorResult[Any] = tx.connection.execute(statement)
    return result.rowcount
