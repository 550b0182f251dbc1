"""Reader of Anki packages (.apkg, .colpkg): a packed SQLite database of notes, in the forms before Anki's newest.

Source of the tables: "Anki 2 database structure" of the AnkiDroid wiki; schema 11, in which all of these files are.
"""

import io
import json
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from sprout.documents.failures import UnreadableReason, unreadable
from sprout.documents.limits import ReadingLimits
from sprout.documents.question_files.anki_notes import AnkiNote, CardTemplate, NoteType, note_drafts, sort_labels
from sprout.documents.question_files.drafts import Drafted
from sprout.documents.zip_archive import check_entries, read_entries
from sprout.learning.questions.question_files import LeftOutQuestion, LeftOutReason, name_of

NEWEST = "collection.anki21b"  # of a compression that Python does not know; beside it stands an empty older one
COLLECTIONS = ("collection.anki21", "collection.anki2")  # the better one first
_JOURNAL_VERSIONS = slice(18, 20)  # in the header: 2 says that there is a journal beside the file
_NOTES = (
    "SELECT notes.mid, notes.flds, notes.tags, (SELECT did FROM cards WHERE cards.nid = notes.id LIMIT 1) FROM notes"
)


def read_anki_package(content: bytes, limits: ReadingLimits) -> Iterator[Drafted]:
    """The questions of the package. Raises UnreadableDocument."""
    entries = read_entries(content)
    names = {entry.name for entry in entries}
    if NEWEST in names:
        raise unreadable(UnreadableReason.NEW_ANKI)
    check_entries(content, entries, limits)
    name = next(name for name in COLLECTIONS if name in names)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        database = bytearray(archive.read(name))
    database[_JOURNAL_VERSIONS] = b"\x01\x01"
    with closing(sqlite3.connect(":memory:")) as connection:
        yield from _read_collection(connection, bytes(database))


def _read_collection(connection: sqlite3.Connection, database: bytes) -> Iterator[Drafted]:
    try:
        connection.deserialize(database)
        connection.executescript("PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY")
        models, decks = connection.execute("SELECT models, decks FROM col").fetchone()
        types = {int(id_): _note_type(model) for id_, model in json.loads(models).items()}
        deck_names = {int(id_): str(deck["name"]) for id_, deck in json.loads(decks).items()}
        for row in connection.execute(_NOTES):
            yield from _drafts(row, types, deck_names)
    except sqlite3.Error as error:
        raise unreadable(UnreadableReason.DAMAGED, detail=type(error).__name__) from None


def _drafts(row: tuple[Any, ...], types: Mapping[int, NoteType], decks: Mapping[int, str]) -> Iterator[Drafted]:
    type_id, fields, tags, deck_id = row
    kind = types.get(type_id) if isinstance(type_id, int) else None
    if kind is None or not isinstance(fields, str):
        yield LeftOutQuestion(name_of(str(fields)[:1_000]), LeftOutReason.BROKEN)
        return
    labels = sort_labels(decks.get(deck_id, ""), str(tags or "").split())
    yield from note_drafts(AnkiNote(tuple(fields.split("\x1f")), labels), kind)


def _note_type(model: Mapping[str, Any]) -> NoteType:
    return NoteType(
        tuple(str(field["name"]) for field in model["flds"]),
        tuple(CardTemplate(str(one["qfmt"]), str(one["afmt"])) for one in model["tmpls"]),
    )
