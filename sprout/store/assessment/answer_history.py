"""Answer history: a learner's answers with the nodes they are about, as evidence and as a list."""

from typing import Any, cast

from sqlalchemy import Connection, Select, and_, exists, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.events import wire_time
from sprout.learning.marking.answers import split_drawing
from sprout.learning.mastery.reports import AnswerLine, EvidenceRow, answer_mark
from sprout.learning.questions.questions import QuestionFormat
from sprout.store.assessment.evidence import EVIDENCE_COLUMNS
from sprout.store.assessment.question_tests import gather_tests, is_about, with_tests
from sprout.store.graph.ownership import owned_node
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.grade_columns import criteria_response, grade_of

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_assessments, _sessions = table_of(tables.Assessment), table_of(tables.ChatSession)
_nodes, _branches = table_of(tables.Node), table_of(tables.Branch)
OPEN = or_(  # it may still be answered: pending in a lesson, or in an unfinished diagnostic
    exists().where(_sessions.c.pending_question_id == _questions.c.id),
    and_(_assessments.c.type == "diagnostic", _assessments.c.completed_at.is_(None)),
)


def counting_answers(user_id: str, branch_id: str | None) -> Select[Any]:
    """The graded answers to questions that are not voided, oldest first, with the misconceptions behind them.

    The rows are for `gather_tests`.
    """
    wanted = (
        select(
            *EVIDENCE_COLUMNS,
            _answers.c.grade["misconceptions"].label("thoughts"),
            OPEN.label("is_open"),
        )
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .where(_answers.c.user_id == user_id, _answers.c.score.is_not(None), _questions.c.state != "voided")
        .order_by(_answers.c.creation)
    )
    return with_tests(_of_branch(wanted, branch_id))


def evidence_of(session: Session, node_id: str, user_id: str) -> list[EvidenceRow]:
    """The graded answers that count for a node, newest first; for a concept those about all its parts."""
    node = owned_node(session, node_id, user_id)
    concept_id = node.parent_id if node.type == "subconcept" else node.id
    wanted = (
        select_rows(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Question.node_id == concept_id, tables.Answer.user_id == user_id)
        .where(tables.Question.state != "voided", col(tables.Answer.score).is_not(None))
        .order_by(col(tables.Answer.creation).desc())
    )
    if node.type != "concept":
        wanted = wanted.where(is_about(node_id))
    return [_evidence(answer, question) for answer, question in session.exec(wanted)]


def answer_lines(connection: Connection, user_id: str, branch_id: str | None) -> list[AnswerLine]:
    """Every attempt, oldest first."""
    wanted = (
        select(
            _answers.c.id,
            _answers.c.created_at,
            _answers.c.answer_text,
            _answers.c.selected_option,
            _answers.c.score,
            _answers.c.help_level,
            _answers.c.feedback,
            _questions.c.prompt,
            _nodes.c.title.label("concept"),
            _branches.c.title.label("path"),
        )
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .outerjoin(_nodes, _nodes.c.id == _questions.c.node_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .where(_answers.c.user_id == user_id)
        .order_by(_answers.c.creation)
    )
    if branch_id is not None:
        wanted = wanted.where(_nodes.c.branch_id == branch_id)
    return [
        AnswerLine(
            at=wire_time(one.created_at),
            path=one.path or "",
            concept=one.concept or "",
            about=tuple(test.title for test in tests),
            prompt=one.prompt,
            answer=_answer_text(one),
            score=one.score,
            help_level=one.help_level,
            feedback=one.feedback,
        )
        for one, tests in gather_tests(connection.execute(with_tests(wanted)))
    ]


def _of_branch(wanted: Select[Any], branch_id: str | None) -> Select[Any]:
    if branch_id is None:
        return wanted
    return wanted.join(_nodes, _nodes.c.id == _questions.c.node_id).where(_nodes.c.branch_id == branch_id)


def _evidence(answer: tables.Answer, question: tables.Question) -> EvidenceRow:
    grade, score = grade_of(answer), answer.score or 0.0
    return EvidenceRow(
        answer_id=answer.id,
        at=wire_time(answer.created_at),
        prompt=question.prompt,
        format=cast(QuestionFormat, question.format),
        said=_answer_text(answer),
        drawn=question.kind == "draw",
        mark=answer_mark(score),
        score=score,
        help_level=answer.help_level,
        criteria=[] if grade is None else criteria_response(grade),
        feedback=answer.feedback,
    )


def _answer_text(answer: Any) -> str:
    """The learner's words, or the option they chose; for a drawing the note beside it."""
    return answer.selected_option or split_drawing(answer.answer_text or "")[1]
