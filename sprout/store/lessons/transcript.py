"""Transcript of a conversation: messages, the passages they cite, and the results of attempts."""

from collections import defaultdict

from sqlmodel import Session, col, select

from sprout.learning.lessons.conversations import AttemptShown, ChatMessageRow, CitationShown
from sprout.learning.paths.sources import SLIDES
from sprout.store.schema import mapping, tables
from sprout.store.schema.grade_columns import criteria_response, grade_of


def transcript_of(session: Session, session_id: str) -> list[ChatMessageRow]:
    """All messages of a conversation, oldest first."""
    wanted = (
        select(tables.ChatMessage)
        .where(tables.ChatMessage.session_id == session_id)
        .order_by(col(tables.ChatMessage.creation))
    )
    cited, attempts = _citations_in(session, session_id), _attempts_in(session, session_id)
    return [mapping.message_row(one, cited[one.id], attempts.get(one.answer_id or "")) for one in session.exec(wanted)]


def _citations_in(session: Session, session_id: str) -> dict[str, list[CitationShown]]:
    """The citations of each message that has any, by its id."""
    wanted = (
        select(
            tables.MessageCitation.message_id,
            tables.Passage,
            tables.Document.original_filename,
            tables.Document.mime_type,
        )
        .join(tables.ChatMessage, col(tables.ChatMessage.id) == col(tables.MessageCitation.message_id))
        .join(tables.Passage, col(tables.Passage.id) == col(tables.MessageCitation.passage_id))
        .join(tables.Document, col(tables.Document.id) == col(tables.Passage.document_id))
        .where(tables.ChatMessage.session_id == session_id)
        .order_by(col(tables.MessageCitation.position))
    )
    found: dict[str, list[CitationShown]] = defaultdict(list)
    for message_id, passage, document, mime_type in session.exec(wanted):
        found[message_id].append(
            CitationShown(
                passage_id=passage.id,
                document_id=passage.document_id,
                document=document,
                heading=passage.heading,
                page=passage.page,
                slides=mime_type == SLIDES,
            )
        )
    return found


def _attempts_in(session: Session, session_id: str) -> dict[str, AttemptShown]:
    """The results of the conversation's attempts, by the ids of their answers."""
    wanted = (
        select(tables.Answer)
        .join(tables.ChatMessage, col(tables.ChatMessage.answer_id) == col(tables.Answer.id))
        .where(tables.ChatMessage.session_id == session_id)
    )
    return {answer.id: _attempt_shown(answer) for answer in session.exec(wanted)}


def _attempt_shown(answer: tables.Answer) -> AttemptShown:
    grade = grade_of(answer)
    return AttemptShown(
        question_id=answer.question_id,
        help_level=answer.help_level,
        correct=answer.is_correct,
        criteria=criteria_response(grade) if grade is not None else [],
    )
