"""Self-marks: answers that their learners have compared with the model answer."""

from collections.abc import Sequence
from datetime import datetime

from sprout.errors import Conflict
from sprout.events import Compare, MasteryChanged
from sprout.learning.marking.comparison import Comparison, build_comparison, compare_response, grade_self_mark
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.questions.assessments import SelfMark
from sprout.store.assessment.attempts import store_grade
from sprout.store.assessment.questions import draft_of
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node
from sprout.store.graph.ownership import owned_answer, owned_question
from sprout.store.schema import tables
from sprout.store.schema.grade_columns import grade_of

NOT_COMPARED = "This answer is not one that you mark yourself."


def lock_answer(tx: WriteTransaction, answer_id: str, user_id: str) -> tuple[tables.Answer, tables.Question]:
    """The user's answer and its question, whose concept is locked until the transaction ends. Raises NotFound."""
    answer = owned_answer(tx.session, answer_id, user_id)
    question = owned_question(tx.session, answer.question_id, user_id)
    if question.node_id is not None:
        lock_node(tx.connection, question.node_id, user_id)
    tx.session.refresh(answer)
    return answer, question


def comparison_of(question: tables.Question) -> Comparison:
    return build_comparison(draft_of(question))


def is_left_to_compare(answer: tables.Answer, question: tables.Question) -> bool:
    """Whether the answer has no mark and waits for no grader, so that its learner compares it."""
    grade = grade_of(answer)
    left = grade is not None and grade.state in (GradeState.UNSURE, GradeState.UNGRADED)
    return left and answer.answer_text is not None and question.state != "voided"


def compare_of(answer: tables.Answer, question: tables.Question) -> Compare | None:
    """The comparison as the learner sees it; None if the answer has a mark, or waits for a grader."""
    if not is_left_to_compare(answer, question):
        return None
    return compare_response(comparison_of(question), answer_id=answer.id, given=answer.answer_text or "")


def store_self_mark(
    tx: WriteTransaction, answer: tables.Answer, question: tables.Question, mark: SelfMark, *, now: datetime
) -> tuple[Grade, Sequence[MasteryChanged]]:
    """Store the learner's verdicts on an answer whose question's concept is locked; a mark that stands already stays.

    Raises BadInput (the verdicts do not fit); Conflict (the question was voided, or there is nothing to compare).
    """
    if answer.answer_text is None or question.state == "voided":
        raise Conflict(NOT_COMPARED, code="not_to_compare")
    before = grade_of(answer)
    grade = grade_self_mark(before, comparison_of(question), mark)
    return grade, () if grade == before else store_grade(tx, answer, question, grade, now=now)
