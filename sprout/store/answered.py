"""A learner's answers with what they were about: those that count, what may be seen of each, and what can be kept."""

from collections.abc import Iterator
from typing import Any, cast

from sqlalchemy import Connection, Row, Select, and_, exists, or_, select
from sqlmodel import Session, col
from sqlmodel import select as select_rows

from sprout.events import wire_time
from sprout.learning.mastery.reports import AnswerLine, EvidenceRow, Flashcard, mark_of
from sprout.learning.questions.questions import QuestionFormat
from sprout.store import tables
from sprout.store.columns import table_of
from sprout.store.gradebook import without_drawing
from sprout.store.kept_grades import criteria_shown, grade_of
from sprout.store.owned import owned_node
from sprout.store.questions import named_tests

KEPT_CARDS = ("example", "exercise")

_answers, _questions = table_of(tables.Answer), table_of(tables.Question)
_assessments, _sessions = table_of(tables.Assessment), table_of(tables.ChatSession)
_nodes, _branches, _contents = table_of(tables.Node), table_of(tables.Branch), table_of(tables.NodeContent)
_OPEN = or_(  # somebody may still answer it: in a lesson that waits with it, or in a diagnostic that is not over
    exists().where(_sessions.c.pending_question_id == _questions.c.id),
    and_(_assessments.c.type == "diagnostic", _assessments.c.completed_at.is_(None)),
)


def that_count(user_id: str, branch_id: str | None) -> Select[Any]:
    """The graded answers to questions that were not taken back, oldest first, with the wrong thoughts behind them."""
    wanted = (
        select(
            _answers.c.id,
            _answers.c.score,
            _answers.c.help_level,
            _answers.c.created_at,
            _answers.c.grade["misconceptions"].label("thoughts"),
            _questions.c.format,
            _questions.c.tests,
            _OPEN.label("is_open"),
        )
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .where(_answers.c.user_id == user_id, _answers.c.score.is_not(None), _questions.c.state != "voided")
        .order_by(_answers.c.creation)
    )
    return _of_branch(wanted, branch_id)


def tested(answer: Row[Any]) -> Iterator[str]:
    """The ids of the nodes that the question is about; some may be gone."""
    return (test["nodeId"] for test in named_tests(answer.tests) if test["nodeId"] is not None)


def evidence_of(session: Session, node_id: str, user_id: str) -> list[EvidenceRow]:
    """The graded answers that count for a node, newest first; of a concept those about all its parts."""
    node = owned_node(session, node_id, user_id)
    concept_id = node.parent_id if node.type == "subconcept" else node.id
    wanted = (
        select_rows(tables.Answer, tables.Question)
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Question.node_id == concept_id, tables.Answer.user_id == user_id)
        .where(tables.Question.state != "voided", col(tables.Answer.score).is_not(None))
        .order_by(col(tables.Answer.creation).desc())
    )
    found = session.exec(wanted)
    about = [(answer, question) for answer, question in found if node.type == "concept" or _tests(question, node_id)]
    return [_evidence(answer, question) for answer, question in about]


def lines(connection: Connection, user_id: str, branch_id: str | None) -> list[AnswerLine]:
    """Every attempt, oldest first."""
    wanted = (
        select(
            _answers.c.created_at,
            _answers.c.answer_text,
            _answers.c.selected_option,
            _answers.c.score,
            _answers.c.help_level,
            _answers.c.feedback,
            _questions.c.prompt,
            _questions.c.tests,
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
            about=tuple(test["title"] or "" for test in named_tests(one.tests)),
            prompt=one.prompt,
            said=_said(one),
            score=one.score,
            help_level=one.help_level,
            feedback=one.feedback,
        )
        for one in connection.execute(wanted)
    ]


def flashcards(connection: Connection, user_id: str, branch_id: str | None) -> list[Flashcard]:
    """Worked examples and exercises that a lesson has left, then the questions that were answered right.

    The back of a question is what its learner said: that it was right they were told, and nothing else is given away.
    """
    return [*_kept(connection, user_id, branch_id), *_known(connection, user_id, branch_id)]


def _kept(connection: Connection, user_id: str, branch_id: str | None) -> Iterator[Flashcard]:
    wanted = (
        select(_contents.c.cards, _nodes.c.title, _branches.c.title.label("path"))
        .join(_nodes, _nodes.c.id == _contents.c.node_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .where(_nodes.c.user_id == user_id, _contents.c.status == "active")
        .order_by(_nodes.c.creation)
    )
    if branch_id is not None:
        wanted = wanted.where(_nodes.c.branch_id == branch_id)
    for content in connection.execute(wanted):
        for card in cast(list[dict[str, Any]], content.cards or []):
            if card.get("kind") in KEPT_CARDS:
                yield Flashcard(card["id"], card["title"], card["body"], content.path or "", content.title)


def _known(connection: Connection, user_id: str, branch_id: str | None) -> Iterator[Flashcard]:
    wanted = (
        select(
            _questions.c.id,
            _questions.c.prompt,
            _questions.c.tests,
            _answers.c.answer_text,
            _answers.c.selected_option,
            _nodes.c.title,
            _branches.c.title.label("path"),
        )
        .join(_questions, _questions.c.id == _answers.c.question_id)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .join(_nodes, _nodes.c.id == _questions.c.node_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .where(_answers.c.user_id == user_id, _answers.c.is_correct, _questions.c.state != "voided", ~_OPEN)
        .order_by(_answers.c.creation)
    )
    if branch_id is not None:
        wanted = wanted.where(_nodes.c.branch_id == branch_id)
    newest = {one.id: one for one in connection.execute(wanted)}
    for one in newest.values():
        if said := _said(one):
            about = next((test["title"] for test in named_tests(one.tests)), None)
            yield Flashcard(one.id, one.prompt, said, one.path or "", about or one.title)


def _of_branch(wanted: Select[Any], branch_id: str | None) -> Select[Any]:
    if branch_id is None:
        return wanted
    return wanted.join(_nodes, _nodes.c.id == _questions.c.node_id).where(_nodes.c.branch_id == branch_id)


def _tests(question: tables.Question, node_id: str) -> bool:
    return any(test["nodeId"] == node_id for test in named_tests(question.tests))


def _evidence(answer: tables.Answer, question: tables.Question) -> EvidenceRow:
    grade, score = grade_of(answer), answer.score or 0.0
    return EvidenceRow(
        answer_id=answer.id,
        at=wire_time(answer.created_at),
        prompt=question.prompt,
        format=cast(QuestionFormat, question.format),
        said=_said(answer),
        drawn=question.kind == "draw",
        mark=mark_of(score),
        score=score,
        help_level=answer.help_level,
        criteria=[] if grade is None else criteria_shown(grade),
        feedback=answer.feedback,
    )


def _said(answer: Any) -> str:
    """The learner's words, or the option that they chose; of a drawing the note beside it."""
    return answer.selected_option or without_drawing(answer.answer_text or "")
