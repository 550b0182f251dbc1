"""Taking a question back: it is not asked any more, and its answers count for nothing."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import col, select

from sprout.events import MasteryChanged, NodeRow
from sprout.store import tables
from sprout.store.mastering import update_progress
from sprout.store.write import Write


def voided(
    write: Write, question: tables.Question, concept: NodeRow, user_id: str, now: datetime
) -> Sequence[MasteryChanged]:
    """Void a question about a concept, whose row is locked; progress is as if it had never been asked (Q4)."""
    question.state = "voided"
    write.session.add(question)
    write.session.flush()
    pending = update(tables.ChatSession).where(col(tables.ChatSession.pending_question_id) == question.id)
    write.connection.execute(pending.values(pending_question_id=None))
    complete_if_answered(write, question.assessment_id, user_id, now)
    return update_progress(write, concept, user_id, now)


def complete_if_answered(write: Write, assessment_id: str, user_id: str, now: datetime) -> None:
    """Note the assessment's end once each of its questions has an attempt; one that is held back keeps it open."""
    wanted = select(tables.Assessment).where(tables.Assessment.id == assessment_id)
    assessment = write.session.exec(wanted).one()
    if assessment.completed_at is not None:
        return
    question, answer = tables.Question, tables.Answer
    asked = select(question.id).where(question.assessment_id == assessment_id, question.state != "voided")
    answered = select(answer.question_id).where(answer.assessment_id == assessment_id, answer.user_id == user_id)
    ids = set(write.session.exec(asked))
    if ids and ids <= set(write.session.exec(answered)):
        assessment.completed_at = now
        write.session.add(assessment)
