"""Snapshots of a question and what follows from its answers, taken before a decision and put back when it is undone."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from pydantic import JsonValue
from sqlalchemy import delete, insert, or_, select, update
from sqlmodel import col
from sqlmodel import select as select_rows

from sprout.events import NodeRow
from sprout.store.assessment.mastery import update_progress
from sprout.store.assessment.placement_findings import refresh_findings
from sprout.store.assessment.review_cards import reschedule
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewEntry, ReviewItem

_reviews, _answers, _sessions = table_of(ReviewEntry), table_of(tables.Answer), table_of(tables.ChatSession)
_tests, _assessments = table_of(tables.QuestionTest), table_of(tables.Assessment)
_KEPT = ("id", "node_id", "answer_id", "grade", "retention", "seconds", "is_credit")


def take_snapshot(tx: WriteTransaction, question: tables.Question, answer_id: str | None, user_id: str) -> JsonValue:
    """What is stored of a question, whose concept is locked, and would change with a decision."""
    tx.flush()
    pending = select(_sessions.c.id).where(_sessions.c.pending_question_id == question.id)
    is_open = select(_assessments.c.id).where(
        _assessments.c.id == question.assessment_id, _assessments.c.completed_at.is_(None)
    )
    return {
        "state": question.state,
        "contest": question.contest,
        "answer": _answer(tx, answer_id, user_id),
        "item": _item(tx, answer_id),
        "reviews": [_review(row) for row in tx.connection.execute(_reviews_of(question.id, user_id))],
        "overrides": [_override(row) for row in _overridden(tx, question, user_id)],
        "pending": list(tx.connection.execute(pending).scalars()),
        "open": tx.connection.execute(is_open).first() is not None,
    }


def restore_snapshot(
    tx: WriteTransaction, question: tables.Question, stored: JsonValue, concept: NodeRow, now: datetime
) -> None:
    """Put a question, whose concept is locked, and what follows from it back to what it was."""
    before, user_id = cast(dict[str, Any], stored), concept.user_id
    question.state, question.contest = before["state"], before["contest"]
    tx.session.add(question)
    _restore_answer(tx, before, user_id)
    _restore_reviews(tx, question.id, before["reviews"], user_id)
    tx.connection.execute(
        update(_sessions)
        .where(_sessions.c.id.in_(before["pending"]), _sessions.c.user_id == user_id)
        .where(_sessions.c.pending_question_id.is_(None), _sessions.c.ended_at.is_(None))
        .values(pending_question_id=question.id)
    )
    if before["open"]:
        mine = (_assessments.c.id == question.assessment_id, _assessments.c.user_id == user_id)
        tx.connection.execute(update(_assessments).where(*mine).values(completed_at=None))
    _restore_overrides(tx, before["overrides"], user_id)
    changed = [lock_node(tx.connection, one, user_id) for one in refresh_findings(tx, question.id, user_id)]
    for node in (concept, *(one for one in changed if one.id != concept.id)):
        update_progress(tx, node, user_id, now)


def _answer(tx: WriteTransaction, answer_id: str | None, user_id: str) -> JsonValue:
    wanted = select_rows(tables.Answer).where(tables.Answer.id == answer_id, tables.Answer.user_id == user_id)
    found = tx.session.exec(wanted).first()
    if found is None:
        return None
    return {
        "id": found.id,
        "grade": found.grade,
        "is_correct": found.is_correct,
        "score": found.score,
        "feedback": found.feedback,
    }


def _restore_answer(tx: WriteTransaction, before: dict[str, Any], user_id: str) -> None:
    if before["answer"] is not None:
        wanted = select_rows(tables.Answer).where(
            tables.Answer.id == before["answer"]["id"], tables.Answer.user_id == user_id
        )
        for answer in tx.session.exec(wanted):
            for name in ("grade", "is_correct", "score", "feedback"):
                setattr(answer, name, before["answer"][name])
            tx.session.add(answer)
    if before["item"] is not None:
        wanted_item = select_rows(ReviewItem).where(ReviewItem.id == before["item"]["id"])
        for item in tx.session.exec(wanted_item):
            item.state, item.settled_at = before["item"]["state"], _time(before["item"]["settled_at"])
            tx.session.add(item)
    tx.session.flush()


def _item(tx: WriteTransaction, answer_id: str | None) -> JsonValue:
    found = tx.session.exec(select_rows(ReviewItem).where(ReviewItem.answer_id == answer_id)).first()
    if answer_id is None or found is None:
        return None
    settled_at = None if found.settled_at is None else found.settled_at.isoformat()
    return {"id": found.id, "state": found.state, "settled_at": settled_at}


def _reviews_of(question_id: str, user_id: str) -> Any:
    answers = select(_answers.c.id).where(_answers.c.question_id == question_id)
    mine = (_reviews.c.user_id == user_id, _reviews.c.answer_id.in_(answers))
    return select(_reviews).where(*mine).order_by(_reviews.c.creation)


def _review(row: Any) -> JsonValue:
    return {**{name: row._mapping[name] for name in _KEPT}, "at": row.at.isoformat()}


def _restore_reviews(tx: WriteTransaction, question_id: str, before: Sequence[dict[str, Any]], user_id: str) -> None:
    now = list(tx.connection.execute(_reviews_of(question_id, user_id)))
    if not now and not before:
        return
    tx.connection.execute(delete(_reviews).where(_reviews.c.id.in_([row.id for row in now])))
    rows = [{**one, "user_id": user_id, "at": _time(one["at"])} for one in before]
    if rows:
        tx.connection.execute(insert(_reviews), rows)
    reschedule(tx, {*(row.node_id for row in now), *(one["node_id"] for one in before)}, user_id)


def _overridden(tx: WriteTransaction, question: tables.Question, user_id: str) -> Sequence[tables.Progress]:
    """Progress that a person has overridden, which ends when an answer about the node is graded."""
    tested = select(_tests.c.node_id).where(_tests.c.question_id == question.id)
    about = or_(col(tables.Progress.node_id) == question.node_id, col(tables.Progress.node_id).in_(tested))
    wanted = select_rows(tables.Progress).where(tables.Progress.user_id == user_id, about)
    return tx.session.exec(wanted.where(col(tables.Progress.overridden_at).is_not(None))).all()


def _override(row: tables.Progress) -> JsonValue:
    return {
        "node_id": row.node_id,
        "mastery": row.mastery_score,
        "at": None if row.overridden_at is None else row.overridden_at.isoformat(),
        "completed_at": None if row.completed_at is None else row.completed_at.isoformat(),
    }


def _restore_overrides(tx: WriteTransaction, before: Sequence[dict[str, Any]], user_id: str) -> None:
    by_node = {one["node_id"]: one for one in before}
    wanted = select_rows(tables.Progress).where(
        tables.Progress.user_id == user_id, col(tables.Progress.node_id).in_(list(by_node))
    )
    for row in tx.session.exec(wanted):
        one = by_node[row.node_id]
        row.mastery_score, row.overridden_at = one["mastery"], _time(one["at"])
        row.completed_at = _time(one["completed_at"])
        tx.session.add(row)
    tx.session.flush()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
