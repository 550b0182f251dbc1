"""Dropping of a question: it counts for its learner no more, nor for others who got it with the same path."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import exists, or_
from sqlmodel import Session, col, select

from sprout.store.assessment.voiding import void_question
from sprout.store.desk.snapshots import take_snapshot
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.schema import tables
from sprout.store.schema.class_tables import ClassMember, GivenPath, PathCopy


def drop_question(tx: WriteTransaction, question: tables.Question, user_id: str, now: datetime) -> None:
    """Void a learner's question, whose concept is locked; if they have contested it, they were right."""
    assert question.node_id is not None, "only questions about nodes are on a desk"
    concept = lock_node(tx.connection, question.node_id, user_id)
    if question.contest is not None:
        contest = cast(dict[str, Any], question.contest)
        question.contest = {**contest, "outcome": "wrong", "settledAt": now.isoformat()}
    void_question(tx, question, concept, user_id, now)


def other_copies(session: Session, question: tables.Question, copy: PathCopy) -> Sequence[tuple[tables.Question, str]]:
    """The same question of the teacher's path and of the other copies in the class, each with whose it is.

    There are none if the question did not come with the path.
    """
    given = session.exec(select(GivenPath).where(GivenPath.id == copy.given_id)).one()
    origin_id = next((source for source, kept in _origins(copy).items() if kept[0] == question.node_id), None)
    if origin_id is None:
        return ()
    source = _same(session, question, [origin_id])
    if not source:
        return ()
    copies = session.exec(
        select(PathCopy)
        .join(
            ClassMember,
            (col(ClassMember.user_id) == col(PathCopy.user_id)) & (col(ClassMember.class_id) == given.class_id),
        )
        .where(PathCopy.given_id == copy.given_id, PathCopy.id != copy.id, col(PathCopy.branch_id).is_not(None))
    )
    places = [kept[0] for one in copies if (kept := _origins(one).get(origin_id)) is not None]
    return [one for one in (*_same(session, question, places), *source) if one[0].state != "voided"]


def drop_copy(tx: WriteTransaction, question: tables.Question, user_id: str, now: datetime) -> Any:
    """Void another copy of a dropped question; what was stored before. One that was never come to is only marked."""
    assert question.node_id is not None
    lock_node(tx.connection, question.node_id, user_id)
    before = take_snapshot(tx, question, None, user_id)
    if _was_begun(tx.session, question):
        drop_question(tx, question, user_id, now)
    else:
        question.state = "voided"
        tx.session.add(question)
    return before


def was_answered(session: Session, question: tables.Question) -> bool:
    return session.exec(select(tables.Answer.id).where(tables.Answer.question_id == question.id)).first() is not None


def _was_begun(session: Session, question: tables.Question) -> bool:
    """Whether anything in the question's assessment was answered, or the question is open in a lesson."""
    answered = exists().where(col(tables.Answer.assessment_id) == question.assessment_id)
    pending = exists().where(col(tables.ChatSession.pending_question_id) == question.id)
    wanted = select(tables.Question.id).where(tables.Question.id == question.id, or_(answered, pending))
    return session.exec(wanted).first() is not None


def _same(
    session: Session, question: tables.Question, node_ids: Sequence[str]
) -> Sequence[tuple[tables.Question, str]]:
    """Questions about these nodes in the same words, each with whose it is."""
    wanted = (
        select(tables.Question, col(tables.Node.user_id))
        .join(tables.Node, col(tables.Node.id) == col(tables.Question.node_id))
        .where(col(tables.Question.node_id).in_(node_ids), tables.Question.prompt_key == question.prompt_key)
        .where(tables.Question.format == question.format)
        .order_by(col(tables.Question.creation))
    )
    return session.exec(wanted).all()


def _origins(copy: PathCopy) -> dict[str, list[str]]:
    return cast("dict[str, list[str]]", copy.origins)
