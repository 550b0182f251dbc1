"""Attempts at questions, their grades, and the progress that follows."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import col, select

from sprout.events import MasteryChanged
from sprout.ids import new_id
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.text.normalization import tidy
from sprout.store.assessment.auto_grading import auto_grade, chosen_text, feedback_for, is_attempt
from sprout.store.assessment.mastery import end_overrides, update_progress
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import dump_grade

MIN_HELP_AFTER_FEEDBACK = 1  # the least help level of an attempt after feedback on an earlier one


def record_attempt(
    tx: WriteTransaction,
    question: tables.Question,
    *,
    user_id: str,
    now: datetime,
    text: str | None = None,
    option: str | None = None,
    help_level: int = 0,
    sure: bool | None = None,
) -> tuple[tables.Answer, Sequence[MasteryChanged]]:
    """Insert an attempt at a question whose concept is locked, marked where code can; a repetition is not inserted.

    Neither text nor option means "I don't know", which the words may say as well: then nothing is marked, and nothing
    counts. Raises BadInput: the question has no such option.

    Args:
        help_level: the level of help given before the attempt.
        sure: whether the learner says that they are; None if they say nothing of it.
    """
    chosen = chosen_text(question, option)
    words = tidy(text) if text is not None and chosen is None else None
    earlier = _attempts(tx, question.id, user_id)
    if earlier and (earlier[-1].answer_text, earlier[-1].selected_option) == (words, chosen):
        return earlier[-1], ()
    answer = tables.Answer(
        id=new_id(),
        user_id=user_id,
        assessment_id=question.assessment_id,
        question_id=question.id,
        answer_text=words,
        selected_option=chosen,
        help_level=max(help_level, MIN_HELP_AFTER_FEEDBACK if any(map(_had_feedback, earlier)) else 0),
        created_at=now,
        sure=sure,
    )
    tried = chosen is not None or (words is not None and is_attempt(question, words))
    grade = auto_grade(question, text=words, option=chosen) if tried else None
    if grade is None:
        question.state = "answered" if tried else "skipped"
        tx.session.add_all([answer, question])
        tx.session.flush()
        return answer, ()
    return answer, store_grade(tx, answer, question, grade, now=now, feedback=feedback_for(grade))


def store_grade(
    tx: WriteTransaction,
    answer: tables.Answer,
    question: tables.Question,
    grade: Grade,
    *,
    now: datetime,
    feedback: str | None = None,
) -> Sequence[MasteryChanged]:
    """Store the grade with its answer; a settled one updates progress. The question's concept must be locked.

    Args:
        feedback: what the learner reads; by default the grade's next step.
    """
    answer.grade = dump_grade(grade)
    answer.is_correct, answer.score = grade.correct, grade.score
    answer.feedback = feedback or grade.next_step or None
    settled = grade.state is GradeState.GRADED
    question.state = "graded" if settled else "answered"
    tx.session.add_all([answer, question])
    tx.session.flush()
    if not settled or question.node_id is None:
        return ()
    concept = lock_node(tx.connection, question.node_id, answer.user_id)
    end_overrides(tx, question, answer.user_id)
    return update_progress(tx, concept, answer.user_id, now)


def _attempts(tx: WriteTransaction, question_id: str, user_id: str) -> Sequence[tables.Answer]:
    """The learner's attempts at the question, oldest first."""
    wanted = select(tables.Answer).where(tables.Answer.question_id == question_id, tables.Answer.user_id == user_id)
    return tx.session.exec(wanted.order_by(col(tables.Answer.creation))).all()


def _had_feedback(earlier: tables.Answer) -> bool:
    """Whether the learner has had feedback on it: "I don't know" gets none."""
    if earlier.score is None:
        return False
    return earlier.selected_option is not None or not says_nothing(earlier.answer_text or "")
