"""An attempt at a question, its grade, and the progress that follows from it."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import col, select

from sprout.events import MasteryChanged
from sprout.ids import new_id
from sprout.learning.marking.answers import says_nothing
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.text.words import tidy
from sprout.store import tables
from sprout.store.children import locked_node
from sprout.store.kept_grades import as_kept
from sprout.store.marking import chosen_text, feedback_on, marked
from sprout.store.mastering import end_overrides, update_progress
from sprout.store.questions import named_tests
from sprout.store.write import Write

AFTER_FEEDBACK = 1  # the least help that an attempt had whose learner was told of an earlier one


def attempted(
    write: Write,
    question: tables.Question,
    *,
    user_id: str,
    now: datetime,
    text: str | None = None,
    option: str | None = None,
    help_level: int = 0,
) -> tuple[tables.Answer, Sequence[MasteryChanged]]:
    """A new attempt at a question whose concept is locked, marked where code can; the newest one again is that one.

    Neither text nor option is "I don't know". Raises BadInput: an option that the question does not have.

    Args:
        help_level: of the help that was given before it (H1).
    """
    chosen = chosen_text(question, option)
    words = tidy(text) if text is not None and chosen is None else None
    earlier = _attempts(write, question.id, user_id)
    if earlier and (earlier[-1].answer_text, earlier[-1].selected_option) == (words, chosen):
        return earlier[-1], ()
    answer = tables.Answer(
        id=new_id(),
        user_id=user_id,
        assessment_id=question.assessment_id,
        question_id=question.id,
        answer_text=words,
        selected_option=chosen,
        help_level=max(help_level, AFTER_FEEDBACK if any(map(_was_told_of, earlier)) else 0),
        created_at=now,
    )
    grade = marked(question, text=words, option=chosen)
    if grade is None:
        question.state = "skipped" if words is None and chosen is None else "answered"
        write.session.add_all([answer, question])
        write.session.flush()
        return answer, ()
    return answer, give_grade(write, answer, question, grade, now=now, feedback=feedback_on(grade))


def give_grade(
    write: Write,
    answer: tables.Answer,
    question: tables.Question,
    grade: Grade,
    *,
    now: datetime,
    feedback: str | None = None,
) -> Sequence[MasteryChanged]:
    """Keep the grade with its answer; where it is settled, progress follows. The question's concept must be locked.

    Args:
        feedback: what the learner is told; the grade's next step where nothing else is said.
    """
    answer.grade = as_kept(grade)
    answer.is_correct, answer.score = grade.correct, grade.score
    answer.feedback = feedback or grade.next_step or None
    settled = grade.state is GradeState.GRADED
    question.state = "graded" if settled else "answered"
    write.session.add_all([answer, question])
    write.session.flush()
    if not settled or question.node_id is None:
        return ()
    concept = locked_node(write.connection, question.node_id, answer.user_id)
    about = {test["nodeId"] for test in named_tests(question.tests) if test["nodeId"] is not None}
    end_overrides(write, {concept.id, *about}, answer.user_id)
    return update_progress(write, concept, answer.user_id, now)


def _attempts(write: Write, question_id: str, user_id: str) -> Sequence[tables.Answer]:
    """The learner's attempts at the question, oldest first."""
    wanted = select(tables.Answer).where(tables.Answer.question_id == question_id, tables.Answer.user_id == user_id)
    return write.session.exec(wanted.order_by(col(tables.Answer.creation))).all()


def _was_told_of(earlier: tables.Answer) -> bool:
    """Whether its learner has heard something about it: of not knowing there is nothing to tell."""
    if earlier.score is None:
        return False
    return earlier.selected_option is not None or not says_nothing(earlier.answer_text or "")
