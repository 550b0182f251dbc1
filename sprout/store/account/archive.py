"""Archive of a learner's account: all data that may be shown, as one ZIP file."""

import asyncio
import json
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZipFile

from sqlmodel import Session, col, select

from sprout.errors import UnreadableDocument
from sprout.learning.paths.path_file import PathFile, dump_path, without_questions
from sprout.store.account.user_data import user_rows
from sprout.store.assessment.misconceptions import mix_ups_of
from sprout.store.documents.storage import Storage
from sprout.store.engine.database import Database
from sprout.store.paths.exchange import path_file
from sprout.store.schema import tables

MAX_IN_MEMORY_BYTES = 16 * 1024 * 1024  # a larger archive is an unnamed file
MAX_NAME_LENGTH = 80
READ_ME = """Everything that Sprout keeps of you.

data/       one file for each table, as JSON; mix_ups.json is what your answers have shown, computed from them
documents/  the files that you have uploaded, as they were
drawings/   what you have drawn in lessons
paths/      your paths, to be planted again with `sprout seed` or POST /api/graphs

What is right is left out, since Sprout may ask you again, and so is the working memory of the agents.
"""

_UNFIT = re.compile(r"[^\w. -]+")


@dataclass(frozen=True, slots=True)
class _UserData:
    """`documents` are pairs of the name in the archive and the name in the storage."""

    data: Sequence[tuple[str, list[dict[str, Any]]]]
    paths: Sequence[PathFile]
    documents: Sequence[tuple[str, str]]
    drawings: Sequence[tuple[str, bytes]]


async def user_archive(database: Database, storage: Storage, user_id: str) -> BinaryIO:
    """A ZIP file, at its start, with everything of the learner that may be shown; the caller closes it."""
    found = await database.read_orm_tx(lambda session: _collect_user_data(session, user_id))
    file = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY_BYTES))  # noqa: SIM115 - its reader does
    try:
        with ZipFile(file, "w", ZIP_DEFLATED) as archive:
            await asyncio.to_thread(_write_archive, archive, found)
            for name, stored_name in found.documents:
                with suppress(UnreadableDocument):  # deleted meanwhile
                    content = await storage.read(stored_name)
                    await asyncio.to_thread(archive.writestr, f"documents/{name}", content)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file


def _write_archive(archive: ZipFile, found: _UserData) -> None:
    archive.writestr("READ ME.txt", READ_ME)
    for name, rows in found.data:
        archive.writestr(f"data/{name}.json", json.dumps(rows, ensure_ascii=False, indent=1))
    for number, path in enumerate(found.paths, start=1):
        archive.writestr(f"paths/{_archive_name(number, path.title)}.json", dump_path(path, "json"))
    for name, data in found.drawings:
        archive.writestr(f"drawings/{name}", data)


def _collect_user_data(session: Session, user_id: str) -> _UserData:
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
    return _UserData(
        data=[
            *user_rows(session.connection(), user_id),
            ("mix_ups", [one.model_dump(by_alias=True) for one in mix_ups_of(session, user_id)]),
        ],
        paths=[without_questions(path_file(session, branch_id, user_id)) for branch_id in planted.all() if branch_id],
        documents=[
            (_archive_name(number, name), stored_name) for number, (name, stored_name) in enumerate(documents, start=1)
        ],
        drawings=[(f"{id_}.{media_type.rpartition('/')[2]}", data) for id_, media_type, data in drawings],
    )


def _archive_name(number: int, title: str) -> str:
    """A file name that is harmless wherever the archive is unpacked."""
    return f"{number:02} {_UNFIT.sub('_', title)[-MAX_NAME_LENGTH:].strip(' .') or 'untitled'}"
