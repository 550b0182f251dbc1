"""Settled questions: those whose answers were shown to their learner and that are open nowhere now."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.learning.questions.question_sets import Content, content_of
from sprout.store.assessment.answer_history import OPEN
from sprout.store.assessment.self_marks import is_left_to_compare
from sprout.store.lessons.checkpoint_questions import ladder_of
from sprout.store.reviews.candidates import posed_in_reviews
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.placement_tables import PlacementItem, PlacementRow
from sprout.store.schema.review_tables import ReviewItem, ReviewSessionRow

_questions, _assessments = table_of(tables.Question), table_of(tables.Assessment)
_items, _sessions = table_of(ReviewItem), table_of(ReviewSessionRow)
_placement_items, _placements = table_of(PlacementItem), table_of(PlacementRow)

QuestionKey = tuple[str, Content]
"""The concept of a question, and what makes it another one there."""


@dataclass(frozen=True, slots=True)
class SettledQuestions:
    """What a learner has answered and what is open for them, by which a question counts as settled.

    Args:
        answered: ids of the questions with an answer.
        marked: those with an answer that is not left to the learner to compare.
        reviewed: those that a review has settled.
        open_keys: of each question that may still be answered.
    """

    answered: Collection[str]
    marked: Collection[str]
    reviewed: Collection[str]
    open_keys: Collection[QuestionKey]

    def holds(self, question: tables.Question, assessment: tables.Assessment) -> bool:
        """Whether the learner may see the answer. The answers of a placement stay secret: its questions come again."""
        if question_key(question) in self.open_keys:
            return False
        if assessment.type == "recall":
            return question.id in self.reviewed
        if question.ladder is not None:
            return question.id in self.answered and ladder_of(question).ended
        return question.id in self.marked and assessment.completed_at is not None


def question_key(question: Any) -> QuestionKey:
    """What a question has in common with its copies, which are asked in lessons, reviews and placements."""
    options = [option["text"] for option in question.options or []]
    return question.node_id, content_of(question.prompt, options)


def settled_questions(session: Session, user_id: str) -> SettledQuestions:
    """What is settled for the learner, from three statements."""
    answered = session.exec(_answered_query(user_id)).all()
    return SettledQuestions(
        answered={question.id for _, question in answered},
        marked={question.id for answer, question in answered if not is_left_to_compare(answer, question)},
        reviewed=set(session.connection().execute(_reviewed_query(user_id)).scalars()),
        open_keys={question_key(row) for row in session.connection().execute(_open_query(user_id))},
    )


def _answered_query(user_id: str) -> Any:
    return (
        select_rows(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Answer.user_id == user_id)
    )


def _reviewed_query(user_id: str) -> Select[Any]:
    return (
        select(_items.c.question_id)
        .join(_sessions, _sessions.c.id == _items.c.session_id)
        .where(_sessions.c.user_id == user_id, _items.c.state == "answered", _items.c.question_id.is_not(None))
    )


def _open_query(user_id: str) -> Select[Any]:
    placed = (
        select(_placement_items.c.question_id)
        .join(_placements, _placements.c.id == _placement_items.c.placement_id)
        .where(_placements.c.user_id == user_id, _placements.c.ended_at.is_(None))
        .where(_placement_items.c.state == "posed", _placement_items.c.question_id.is_not(None))
    )
    return (
        select(_questions.c.node_id, _questions.c.prompt, _questions.c.options)
        .join(_assessments, _assessments.c.id == _questions.c.assessment_id)
        .where(_assessments.c.user_id == user_id)
        .where(or_(OPEN, _questions.c.id.in_(posed_in_reviews(user_id)), _questions.c.id.in_(placed)))
    )
