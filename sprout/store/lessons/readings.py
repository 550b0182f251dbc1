"""Readings as rows: which cited passages a message has its learner read, before a question or alone."""

from collections.abc import Sequence
from typing import Any, cast

from pydantic import JsonValue
from sqlmodel import Session, col, select

from sprout.errors import InvalidQuestion
from sprout.events import ReadingShown
from sprout.learning.lessons.readings import literal_pieces, visible_reading
from sprout.learning.sources import SLIDES
from sprout.store.documents.passages import cite_in_message
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.lessons.checkpoint_questions import ladder_of
from sprout.store.schema import tables

GAP = "\n\n"
_Row = tuple[tables.Reading, tables.Question | None, tables.Passage, str, str]


def store_reading(
    tx: WriteTransaction,
    message_id: str,
    passages: Sequence[str],
    *,
    question_id: str | None,
    settled_by: Sequence[str],
    branch_id: str | None,
) -> ReadingShown:
    """Record that these passages of the topic's documents are to be read with a message; those of other documents than
    the first, and unknown ones, are left out. Raises InvalidQuestion: none is left."""
    cite_in_message(tx.connection, message_id, passages, branch_id=branch_id)
    made = tables.Reading(question_id=question_id, message_id=message_id)
    tx.session.add(made)
    tx.session.flush()
    reading = _reading_where(tx.session, tables.Reading.message_id == message_id)
    if reading is None:
        raise InvalidQuestion(
            "reading: the documents of this topic have no such passage. Name ids of the passages that you were given."
        )
    pieces = literal_pieces(reading.text, settled_by)
    made.settled_by = cast(JsonValue, pieces)
    tx.session.add(made)
    return reading.model_copy(update={"settled_by": pieces})


def reading_of(session: Session, question_id: str) -> ReadingShown | None:
    """What is to be read before a question, with what settles it; None if nothing is, or its document is gone."""
    return _reading_where(session, tables.Reading.question_id == question_id)


def reading_alone(session: Session, message_id: str) -> ReadingShown | None:
    """What a message has its learner read without a question; None if nothing is, or its document is gone."""
    is_alone = col(tables.Reading.question_id).is_(None)
    return _reading_where(session, tables.Reading.message_id == message_id, is_alone)


def _reading_where(session: Session, *conditions: Any) -> ReadingShown | None:
    rows = cast(Sequence[_Row], session.exec(_passages_read().where(*conditions)).all())
    return _reading(rows) if rows else None


def readings_in(session: Session, session_id: str) -> dict[str, ReadingShown]:
    """What is read in a conversation as its learner sees it, by the ids of the messages."""
    wanted = _passages_read().join(tables.ChatMessage, col(tables.ChatMessage.id) == col(tables.Reading.message_id))
    wanted = wanted.where(tables.ChatMessage.session_id == session_id)
    rows: dict[str, list[_Row]] = {}
    for row in cast(Sequence[_Row], session.exec(wanted).all()):
        rows.setdefault(row[0].message_id, []).append(row)
    found = {message_id: _visible(its) for message_id, its in rows.items()}
    return {message_id: reading for message_id, reading in found.items() if reading is not None}


def _visible(rows: Sequence[_Row]) -> ReadingShown | None:
    question = rows[0][1]
    return _reading(rows) if question is None else visible_reading(_reading(rows), ladder_of(question))


def _passages_read() -> Any:
    """The passages of readings with their documents, in the order in which they are read."""
    cited, document = tables.MessageCitation, tables.Document
    wanted: Any = select(
        tables.Reading, tables.Question, tables.Passage, document.original_filename, document.mime_type
    )  # type: ignore[call-overload]
    return (
        wanted.outerjoin(tables.Question, col(tables.Question.id) == col(tables.Reading.question_id))
        .join(cited, col(cited.message_id) == col(tables.Reading.message_id))
        .join(tables.Passage, col(tables.Passage.id) == col(cited.passage_id))
        .join(document, col(document.id) == col(tables.Passage.document_id))
        .order_by(col(cited.position))
    )


def _reading(rows: Sequence[_Row]) -> ReadingShown:
    reading, question, first, document, mime_type = rows[0]
    texts = [passage.text for _, _, passage, _, _ in rows if passage.document_id == first.document_id]
    return ReadingShown(
        passage_id=first.id,
        document_id=first.document_id,
        document=document,
        heading=first.heading,
        page=first.page,
        slides=mime_type == SLIDES,
        text=GAP.join(texts),
        own_words=question is not None and question.format == "open_ended" and not question.marked_by,
        settled_by=cast(list[str], reading.settled_by or []),
    )
