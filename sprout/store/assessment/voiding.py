"""Voiding of questions: they are not asked any more, and their answers count for nothing."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import update
from sqlmodel import col, select

from sprout.events import MasteryChanged, NodeRow
from sprout.store.assessment.generation import question_making
from sprout.store.assessment.mastery import update_progress
from sprout.store.assessment.placement_findings import refresh_findings
from sprout.store.assessment.review_cards import drop_reviews_of
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.schema import tables


def void_question(
    tx: WriteTransaction, question: tables.Question, concept: NodeRow, user_id: str, now: datetime
) -> Sequence[MasteryChanged]:
    """Void a question about a concept, whose row is locked; progress becomes as if it had never been asked."""
    question.state = "voided"
    tx.session.add(question)
    tx.session.flush()
    pending = update(tables.ChatSession).where(col(tables.ChatSession.pending_question_id) == question.id)
    tx.connection.execute(pending.values(pending_question_id=None))
    complete_if_answered(tx, question.assessment_id, user_id, now)
    drop_reviews_of(tx, question.id, user_id)
    changed = [lock_node(tx.connection, one, user_id) for one in refresh_findings(tx, question.id, user_id)]
    others = [one for one in changed if one.id != concept.id]
    return [change for one in (concept, *others) for change in update_progress(tx, one, user_id, now)]


def complete_if_answered(tx: WriteTransaction, assessment_id: str, user_id: str, now: datetime) -> None:
    """Complete the assessment once each of its questions has an attempt.

    One that is held back keeps it open, and so does a run that is still making its questions.
    """
    wanted = select(tables.Assessment).where(tables.Assessment.id == assessment_id)
    assessment = tx.session.exec(wanted).one()
    if assessment.completed_at is not None:
        return
    question, answer = tables.Question, tables.Answer
    asked = select(question.id).where(question.assessment_id == assessment_id, question.state != "voided")
    answered = select(answer.question_id).where(answer.assessment_id == assessment_id, answer.user_id == user_id)
    ids = set(tx.session.exec(asked))
    if not ids or not ids <= set(tx.session.exec(answered)):
        return
    making = question_making(tx.connection, assessment.target_node_id, user_id)
    if making is None or not making.goes_on:
        assessment.completed_at = now
        tx.session.add(assessment)
