"""Review sessions as rows, and as their learner sees them."""

from collections.abc import Sequence
from datetime import datetime
from itertools import takewhile
from typing import cast

from sqlmodel import Session, col, select

from sprout.errors import Conflict, NotFound
from sprout.events import AnswerType, wire_time
from sprout.ids import new_id
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.planning import PlannedReview
from sprout.learning.reviews.repository import (
    ReviewQuestion,
    ReviewResult,
    ReviewSegment,
    ReviewSession,
    SegmentState,
)
from sprout.learning.reviews.workload import minutes_for
from sprout.store.assessment.questions import draft_of
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.reviews.item_questions import items_of, question_of
from sprout.store.schema import tables
from sprout.store.schema.mapping import question_shown
from sprout.store.schema.review_tables import OPEN_STATES, ReviewEntry, ReviewItem, ReviewSessionRow

BETWEEN_SURE = 2  # questions between a miss of which the learner was sure and the next on the same part; judgement
MAX_COME_BACKS = 2  # of a part in one session; then its lesson helps more
REMOVED = (
    "The part that this question is about was removed, or is not learned any more, so the answer does not count. "
    "Continue with the next question."
)

_SEGMENTS: dict[str, SegmentState] = {
    "waiting": "waiting",
    "posed": "current",
    "comparing": "current",
    "answered": "answered",
    "skipped": "skipped",
}


def insert_session(
    tx: WriteTransaction, user_id: str, reviews: Sequence[PlannedReview], now: datetime
) -> ReviewSessionRow:
    """A new session of these reviews, in this order."""
    row = ReviewSessionRow(id=new_id(), user_id=user_id, started_at=now)
    items = [
        ReviewItem(
            id=new_id(),
            session_id=row.id,
            position=position,
            node_id=review.part.node_id,
            covers=[one.node_id for one in review.covers] or None,
            contrast_id=review.contrast_id,
        )
        for position, review in enumerate(reviews, start=1)
    ]
    tx.session.add(row)
    tx.session.flush()
    tx.session.add_all(items)
    tx.session.flush()
    return row


def owned_review_session(session: Session, session_id: str, user_id: str) -> ReviewSessionRow:
    """The user's session. Raises NotFound."""
    wanted = select(ReviewSessionRow).where(ReviewSessionRow.id == session_id, ReviewSessionRow.user_id == user_id)
    found = session.exec(wanted.execution_options(populate_existing=True)).first()
    if found is None:
        raise NotFound("review session", session_id)
    return found


def open_session(session: Session, user_id: str) -> ReviewSessionRow | None:
    """The learner's session that is not over, whenever it began."""
    wanted = select(ReviewSessionRow).where(
        ReviewSessionRow.user_id == user_id, col(ReviewSessionRow.ended_at).is_(None)
    )
    return session.exec(wanted).first()


def owned_item(session: Session, row: ReviewSessionRow, item_id: str) -> ReviewItem:
    """The item of the session. Raises NotFound; Conflict: its part was removed, or cannot be asked any more."""
    wanted = select(ReviewItem).where(ReviewItem.id == item_id, ReviewItem.session_id == row.id)
    found = session.exec(wanted).first()
    if found is None:
        raise NotFound("review item", item_id)
    if found.node_id is None or found.state == "dropped":
        raise Conflict(REMOVED, code="part_removed")
    return found


def update_come_back(
    tx: WriteTransaction, row: ReviewSessionRow, item: ReviewItem, grade: ReviewGrade, *, was_sure: bool
) -> None:
    """Ask about the part once more in the session if it was missed, and not if it no longer is.

    It is asked at the end; what the learner was sure of after a few other questions, before what they were not.
    """
    items = items_of(tx.session, row.id)
    of_part = [one for one in items if one.comes_back and one.node_id == item.node_id]
    ahead = [one for one in of_part if one.position > item.position and one.state in ("waiting", "posed")]
    if grade is not ReviewGrade.AGAIN:
        for one in ahead:
            tx.session.delete(one)
    elif not ahead and len(of_part) < MAX_COME_BACKS and _can_go_on(tx.session, row):
        place = _place_behind(item, items, was_sure=was_sure)
        for one in sorted(items, key=lambda one: -one.position):
            if one.position >= place:
                one.position += 1
                tx.session.flush()  # one by one: no two items are ever at one place
        again = ReviewItem(id=new_id(), session_id=row.id, position=place, node_id=item.node_id, comes_back=True)
        tx.session.add(again)
        row.ended_at = None
        tx.session.add(row)
    tx.session.flush()


def _place_behind(item: ReviewItem, items: Sequence[ReviewItem], *, was_sure: bool) -> int:
    """The place in the session of an item that comes back, from 1."""
    if not was_sure:
        return max(one.position for one in items) + 1
    ahead = [one for one in items if one.position > item.position and one.state in OPEN_STATES]
    fresh = list(takewhile(lambda one: not one.comes_back, ahead))
    between = fresh[:BETWEEN_SURE] or ahead[:1]
    return max((one.position for one in between), default=max(one.position for one in items)) + 1


def session_response(
    session: Session,
    row: ReviewSessionRow,
    *,
    pace_s: float,
    comparing: ReviewResult | None,
    next_at: datetime | None,
) -> ReviewSession:
    """The session as its learner sees it."""
    items = [item for item in items_of(session, row.id) if item.state != "dropped"]
    left = sum(item.state in OPEN_STATES for item in items)
    posed = next((item for item in items if item.state == "posed"), None)
    return ReviewSession(
        id=row.id,
        started_at=wire_time(row.started_at),
        ended_at=None if row.ended_at is None else wire_time(row.ended_at),
        done=len(items) - left,
        total=len(items),
        recalled=_recalled(session, items),
        minutes_left=minutes_for(left, pace_s),
        segments=[ReviewSegment(id=item.id, state=_SEGMENTS[item.state], comes_back=item.comes_back) for item in items],
        question=None if posed is None else _question(session, posed),
        comparing=comparing,
        next_at=None if next_at is None else wire_time(next_at),
    )


def _can_go_on(session: Session, row: ReviewSessionRow) -> bool:
    other = open_session(session, row.user_id)
    return other is None or other.id == row.id


def _recalled(session: Session, items: Sequence[ReviewItem]) -> int:
    """Number of the items whose answer was a pass."""
    answers = [item.answer_id for item in items if item.state == "answered" and item.answer_id is not None]
    wanted = select(ReviewEntry.id).where(
        col(ReviewEntry.answer_id).in_(answers), ~col(ReviewEntry.is_credit), ReviewEntry.grade != "again"
    )
    return len(session.exec(wanted).all())


def _question(session: Session, item: ReviewItem) -> ReviewQuestion | None:
    question = question_of(session, item)
    part = session.exec(select(tables.Node).where(tables.Node.id == item.node_id)).first()
    if question is None or part is None:
        return None
    concept = session.exec(select(tables.Node).where(tables.Node.id == part.parent_id)).one()
    branch = session.exec(select(tables.Branch).where(tables.Branch.id == part.branch_id)).first()
    covers = select(tables.Node.title).where(col(tables.Node.id).in_(cast(list[str], item.covers or [])))
    shown = question_shown(question)
    kind: AnswerType = "mcq" if question.format == "mcq" else "text"
    return ReviewQuestion(
        item_id=item.id,
        question_id=question.id,
        node_id=part.id,
        concept_id=part.parent_id,
        branch_id=part.branch_id,
        title=part.title,
        concept=concept.title,
        path="" if branch is None else branch.title,
        prompt=question.prompt,
        type=kind,
        form=draft_of(question).form,
        options=shown.options,
        comes_back=item.comes_back,
        covers=list(session.exec(covers.order_by(col(tables.Node.creation)))),
    )
