"""Everything of a learner: as one archive, and gone."""

import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZipFile

from sqlmodel import Session, col, delete, select

from sprout.errors import Unreadable
from sprout.learning.paths.exchange import PathFile, without_questions, written_path
from sprout.store import node_changes, run_tables, tables
from sprout.store.begun import refuse_while_going
from sprout.store.belongings import belongings
from sprout.store.database import Database
from sprout.store.exchange import exported
from sprout.store.purging import purge
from sprout.store.storage import Storage
from sprout.store.word_index import forget_words
from sprout.store.write import Write

IN_MEMORY_BYTES = 16 * 1024 * 1024  # a larger archive is a file without a name
LONGEST_NAME = 80
READ_ME = """Everything that Sprout keeps of you.

data/       one file for each table, as JSON
documents/  the files that you have uploaded, as they were
drawings/   what you have drawn in lessons
paths/      your paths, to be planted again with `sprout seed` or POST /api/graphs

What is right is left out, since Sprout may ask you again, and so is the working memory of the agents.
"""

_UNFIT = re.compile(r"[^\w. -]+")


@dataclass(frozen=True, slots=True)
class _Belongings:
    """`documents` are (name in the archive, name where files are kept)."""

    data: Sequence[tuple[str, list[dict[str, Any]]]]
    paths: Sequence[PathFile]
    documents: Sequence[tuple[str, str]]
    drawings: Sequence[tuple[str, bytes]]


class SqlAccount:
    """Account on SQL; the bytes of documents are in `files`."""

    def __init__(self, database: Database, *, files: Storage) -> None:
        self._database = database
        self._files = files

    async def archive(self, user_id: str) -> BinaryIO:
        """A ZIP file with everything of the learner that may be shown; whoever reads it closes it."""
        found = await self._database.read(lambda session: _all_of(session, user_id))
        file = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES))  # noqa: SIM115 - its reader does
        try:
            with ZipFile(file, "w", ZIP_DEFLATED) as archive:
                await asyncio.to_thread(_written, archive, found)
                for name, kept in found.documents:
                    with suppress(Unreadable):  # deleted meanwhile
                        content = await self._files.read(kept)
                        await asyncio.to_thread(archive.writestr, f"documents/{name}", content)
        except BaseException:
            file.close()
            raise
        file.seek(0)
        return file

    async def erase(self, user_id: str) -> None:
        """Delete everything of the learner and overwrite what it was written on; they stay, with nothing.

        Whoever is deleted again has only the traces removed that were left.

        Raises Conflict (a run of theirs is going), DatabaseBusy (traces may be left), SetupError.
        """

        def body(write: Write) -> list[str]:
            write.lock(f"user:{user_id}")
            refuse_while_going(write, col(run_tables.Run.user_id) == user_id)
            names = node_changes.storage_names(write.session, col(tables.Node.user_id) == user_id)
            write.connection.execute(delete(tables.User).where(col(tables.User.id) == user_id))
            write.session.add(tables.User(id=user_id))
            if write.alone:
                forget_words(write.connection)
            return names

        await self._files.remove(await self._database.write(body))
        await asyncio.to_thread(purge, self._database.writer.engine)


def _written(archive: ZipFile, found: _Belongings) -> None:
    archive.writestr("READ ME.txt", READ_ME)
    for name, rows in found.data:
        archive.writestr(f"data/{name}.json", json.dumps(rows, ensure_ascii=False, indent=1))
    for number, path in enumerate(found.paths, start=1):
        archive.writestr(f"paths/{_named(number, path.title)}.json", written_path(path, "json"))
    for name, data in found.drawings:
        archive.writestr(f"drawings/{name}", data)


def _all_of(session: Session, user_id: str) -> _Belongings:
    node, chat = tables.Node, tables.ChatSession
    documents = session.exec(
        select(tables.Document.original_filename, tables.Document.storage_name)
        .join(node, col(node.id) == col(tables.Document.node_id))
        .where(node.user_id == user_id)
        .order_by(col(tables.Document.creation))
    )
    drawings = session.exec(
        select(tables.Drawing.id, tables.Drawing.media_type, tables.Drawing.data)
        .join(chat, col(chat.id) == col(tables.Drawing.session_id))
        .where(chat.user_id == user_id)
    )
    planted = session.exec(
        select(tables.Node.branch_id).where(node.user_id == user_id, node.type == "root").order_by(col(node.creation))
    )
    return _Belongings(
        data=list(belongings(session.connection(), user_id)),
        paths=[without_questions(exported(session, branch_id, user_id)) for branch_id in planted.all() if branch_id],
        documents=[(_named(number, name), kept) for number, (name, kept) in enumerate(documents, start=1)],
        drawings=[(f"{id_}.{media_type.rpartition('/')[2]}", data) for id_, media_type, data in drawings],
    )


def _named(number: int, title: str) -> str:
    """A name that is harmless wherever the archive is unpacked."""
    return f"{number:02} {_UNFIT.sub('_', title)[-LONGEST_NAME:].strip(' .') or 'untitled'}"
