"""Transcript of a conversation: messages, the passages they cite, and the results of attempts."""

from collections import defaultdict

from sqlmodel import Session, col, select

from sprout.learning.lessons.conversations import AttemptShown, ChatMessageRow, CitationShown
from sprout.learning.marking.grades import ungraded, visible_grade
from sprout.learning.sources import SLIDES
from sprout.store.lessons.checkpoint_questions import ladder_of
from sprout.store.lessons.readings import readings_in
from sprout.store.schema import mapping, tables
from sprout.store.schema.grade_columns import AWAITING_GRADE, criteria_response, grade_of


def transcript_of(session: Session, session_id: str) -> list[ChatMessageRow]:
    """All messages of a conversation, oldest first."""
    wanted = (
        select(tables.ChatMessage)
        .where(tables.ChatMessage.session_id == session_id)
        .order_by(col(tables.ChatMessage.creation))
    )
    cited, attempts = _citations_in(session, session_id), _attempts_in(session, session_id)
    readings = readings_in(session, session_id) if cited else {}  # what is read is cited
    return [
        mapping.message_row(one, cited[one.id], attempts.get(one.answer_id or ""), readings.get(one.id))
        for one in session.exec(wanted)
    ]


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
        select(tables.Answer, tables.Question)
        .join(tables.ChatMessage, col(tables.ChatMessage.answer_id) == col(tables.Answer.id))
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.ChatMessage.session_id == session_id)
    )
    return {answer.id: _attempt_shown(answer, question) for answer, question in session.exec(wanted)}


def _attempt_shown(answer: tables.Answer, question: tables.Question) -> AttemptShown:
    grade = grade_of(answer) or ungraded(AWAITING_GRADE)
    settled = ladder_of(question).ended
    return AttemptShown(
        question_id=answer.question_id,
        answer_id=answer.id,
        help_level=answer.help_level,
        gap=bool(ladder_of(question).given),
        state=grade.state.value,
        score=answer.score,
        correct=answer.is_correct,
        criteria=criteria_response(grade),
        next_step=visible_grade(grade).next_step or None,
        answer=question.correct_answer if settled else None,
        why=mapping.solution_text(question) if settled else None,
    )
