"""Results of review answers, as their learner sees them."""

from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection
from sqlmodel import Session, select

from sprout.events import wire_time
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.reviews.cards import ReviewGrade, due_dates, replay
from sprout.learning.reviews.grading import ReviewMark, choices, fitting_grade, mark_of, slow_after
from sprout.learning.reviews.repository import GradeChoice, ReviewResult
from sprout.store.assessment.misconceptions import contrast_to
from sprout.store.assessment.review_cards import learned_times, review_histories
from sprout.store.assessment.self_marks import compare_of
from sprout.store.documents.settling_passages import settling_passages
from sprout.store.reviews.item_questions import items_of
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import criteria_response, grade_of
from sprout.store.schema.mapping import answer_text, question_shown, solution_text
from sprout.store.schema.review_tables import ReviewItem

_SETTLED = frozenset({ReviewMark.RIGHT, ReviewMark.PARTLY, ReviewMark.NOT_YET, ReviewMark.NOT_KNOWN})


def mark_of_answer(answer: tables.Answer) -> ReviewMark:
    return mark_of(grade_of(answer))


def fits_answer(answer: tables.Answer, question: tables.Question, seconds: float) -> ReviewGrade | None:
    """The grade that fits an answer and the time that it took."""
    read = " ".join([question.prompt, *_option_texts(question)])
    return fitting_grade(mark_of_answer(answer), seconds=seconds, slow_after=slow_after(read, question.difficulty))


def allowed_grades(answer: tables.Answer) -> tuple[ReviewGrade, ...]:
    """The grades that the learner may choose for an answer."""
    grade = grade_of(answer)
    self_marked = grade is not None and grade.state is GradeState.SELF_MARKED
    return choices(mark_of_answer(answer), self_marked=self_marked)


def result_of(
    session: Session,
    item: ReviewItem,
    answer: tables.Answer,
    question: tables.Question,
    *,
    user_id: str,
    retention: float,
    now: datetime,
) -> ReviewResult:
    """The result of an item's answer; of the key only what the learner may see by now."""
    mark, grade = mark_of_answer(answer), grade_of(answer)
    settled = mark in _SETTLED
    node = session.exec(select(tables.Node).where(tables.Node.id == item.node_id)).first()
    seconds = item.seconds or 0.0
    shown = question_shown(question)
    result = ReviewResult(
        item_id=item.id,
        question_id=question.id,
        node_id=item.node_id,
        concept_id=None if node is None else node.parent_id,
        branch_id=None if node is None else node.branch_id,
        title="" if node is None else node.title,
        prompt=question.prompt,
        mark=mark,
        said=answer.selected_option or answer.answer_text or "",
        options=shown.options,
        feedback=answer.feedback,
        compare=compare_of(answer, question) if mark is ReviewMark.TO_COMPARE else None,
        seconds=seconds,
        sure=bool(answer.sure),
    )
    if not settled:
        return result
    connection = session.connection()
    counted = _counted_grade(connection, item, answer, user_id)
    return result.model_copy(
        update={
            "answer": answer_text(question),
            "why": solution_text(question),
            "criteria": [] if grade is None else criteria_response(grade),
            "passage": settling_passages(session, [question]).get(question.id),
            "contrast": _contrast(session, node, grade, user_id),
            "grade": counted,
            "fits": fits_answer(answer, question, seconds),
            "choices": _choices(connection, item, answer, user_id, retention, item.settled_at or now),
            "comes_back": any(
                one.comes_back and one.node_id == item.node_id and one.position > item.position
                for one in items_of(session, item.session_id)
                if one.state in ("waiting", "posed", "comparing")
            ),
        }
    )


def _counted_grade(connection: Connection, item: ReviewItem, answer: tables.Answer, user_id: str) -> ReviewGrade | None:
    history = review_histories(connection, [item.node_id], user_id) if item.node_id else {}
    found = (one for one in history.get(item.node_id or "", ()) if one.answer_id == answer.id)
    return next((one.review.grade for one in found if not one.review.is_credit), None)


def _choices(
    connection: Connection, item: ReviewItem, answer: tables.Answer, user_id: str, retention: float, at: datetime
) -> list[GradeChoice]:
    """What the learner may choose, with the dates from the card as it was before this answer."""
    node_id = item.node_id or ""
    learned_at = learned_times(connection, [node_id], user_id).get(node_id)
    if learned_at is None:
        return []
    history = review_histories(connection, [node_id], user_id).get(node_id, ())
    before = replay(learned_at, [one.review for one in history if one.answer_id != answer.id])
    dates = due_dates(before, at, retention)
    return [GradeChoice(grade=one, due_at=wire_time(dates[one])) for one in allowed_grades(answer)]


def _contrast(session: Session, node: tables.Node | None, grade: Grade | None, user_id: str) -> str | None:
    """The case against the belief that the answer shows."""
    if node is None or grade is None or not grade.misconceptions:
        return None
    topic = session.exec(select(tables.Node.parent_id).where(tables.Node.id == node.parent_id)).one()
    return contrast_to(session, grade.misconceptions, topic or "", user_id)


def _option_texts(question: tables.Question) -> list[str]:
    return [one["text"] for one in cast(list[dict[str, Any]], question.options or [])]
