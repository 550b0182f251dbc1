"""Assessments: their questions, every attempt at them, and the progress that follows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import EllipsisType

from sqlmodel import Session, col, func, select

from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict
from sprout.events import AssessmentRow, NodeRow
from sprout.ids import new_id
from sprout.learning.questions.assessments import (
    AnswerRow,
    AssessmentType,
    Diagnostic,
    DiagnosticInProgress,
    DiagnosticMissing,
    GivenAnswer,
    QuestionRow,
    SelfMark,
)
from sprout.learning.questions.questions import QuestionDraft
from sprout.learning.sources import PassageRow
from sprout.store.assessment.attempts import record_attempt
from sprout.store.assessment.generation import question_making
from sprout.store.assessment.questions import insert_question, positions, reopen_assessment
from sprout.store.assessment.self_marks import NOT_COMPARED, compare_of, lock_answer, store_self_mark
from sprout.store.assessment.voiding import complete_if_answered
from sprout.store.documents.settling_passages import settling_passages
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.nodes import lock_node, owned_node_row
from sprout.store.graph.ownership import askable_question, owned_assessment, owned_node, owned_question
from sprout.store.schema import mapping, tables


class SqlAssessments:
    """Assessments on SQL.

    Args:
        with_keys: whether choice questions are shown with their key, for clients that mark by themselves.
    """

    def __init__(self, database: Database, *, with_keys: bool = False) -> None:
        self._database = database
        self._with_keys = with_keys

    async def assessments(self, user_id: str, *, target_node_id: str | None = None) -> list[AssessmentRow]:
        wanted = select(tables.Assessment).where(tables.Assessment.user_id == user_id)
        if target_node_id is not None:
            wanted = wanted.where(tables.Assessment.target_node_id == target_node_id)
        async with self._database.open_read_session() as session:
            found = await session.exec(wanted.order_by(col(tables.Assessment.creation)))
            return [mapping.assessment_row(one) for one in found]

    async def assessment(self, assessment_id: str, *, user_id: str) -> AssessmentRow:
        return await self._database.read_orm_tx(
            lambda session: mapping.assessment_row(owned_assessment(session, assessment_id, user_id))
        )

    async def change_assessment(
        self, assessment_id: str, *, user_id: str, title: str | None, completed_at: datetime | EllipsisType | None = ...
    ) -> AssessmentRow:
        def body(tx: WriteTransaction) -> AssessmentRow:
            assessment = owned_assessment(tx.session, assessment_id, user_id, lock=True)
            assessment.title = assessment.title if title is None else title
            assessment.completed_at = assessment.completed_at if completed_at is ... else completed_at
            tx.session.add(assessment)
            return mapping.assessment_row(assessment)

        return await self._database.write_tx(body)

    async def questions(self, assessment_id: str, *, user_id: str) -> list[QuestionRow]:
        def body(session: Session) -> list[QuestionRow]:
            owned_assessment(session, assessment_id, user_id)
            return [self._question_row(one) for one in _asked_questions(session, assessment_id)]

        return await self._database.read_orm_tx(body)

    async def answers(self, assessment_id: str, *, user_id: str) -> Sequence[AnswerRow]:
        def body(session: Session) -> list[AnswerRow]:
            complete = owned_assessment(session, assessment_id, user_id).completed_at is not None
            pending = col(tables.ChatSession.pending_question_id)
            open_ids = select(pending).where(tables.ChatSession.user_id == user_id, pending.is_not(None))
            wanted = (
                select(tables.Answer, tables.Question, col(tables.Question.id).in_(open_ids))
                .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
                .where(tables.Answer.assessment_id == assessment_id, tables.Answer.user_id == user_id)
                .order_by(col(tables.Answer.creation))
            )
            found = session.exec(wanted).all()
            settled = [question for _, question, is_open in found if complete and not is_open]
            passages, settled_ids = settling_passages(session, settled), {one.id for one in settled}
            return [
                _settled_row(answer, question, passages.get(question.id))
                if question.id in settled_ids
                else mapping.answer_row(answer, question)
                for answer, question, _ in found
            ]

        return await self._database.read_orm_tx(body)

    async def record_self_mark(self, answer_id: str, mark: SelfMark, *, user_id: str) -> AnswerRow:
        def body(tx: WriteTransaction) -> AnswerRow:
            answer, question = lock_answer(tx, answer_id, user_id)
            assessment = owned_assessment(tx.session, answer.assessment_id, user_id)
            if assessment.completed_at is None or compare_of(answer, question) is None:
                raise Conflict(NOT_COMPARED, code="not_to_compare")
            store_self_mark(tx, answer, question, mark, now=utc_now())
            return _settled_row(answer, question, settling_passages(tx.session, [question]).get(question.id))

        return await self._database.write_tx(body)

    async def newest_answer(self, concept_id: str, *, user_id: str, since: datetime) -> str | None:
        wanted = (
            select(tables.Answer.id)
            .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
            .where(tables.Question.node_id == concept_id, tables.Answer.user_id == user_id)
            .where(col(tables.Answer.created_at) >= since)
            .order_by(col(tables.Answer.creation).desc())
            .limit(1)
        )
        return await self._database.read_orm_tx(lambda session: session.exec(wanted).first())

    async def record_answer(self, assessment_id: str, given: GivenAnswer, *, user_id: str) -> AnswerRow:
        return await self._database.write_tx(lambda tx: _record_answer(tx, assessment_id, given, user_id))

    async def skip_question(self, question_id: str, *, user_id: str) -> AnswerRow:
        def body(tx: WriteTransaction) -> AnswerRow:
            question = owned_question(tx.session, question_id, user_id)
            return _record_answer(tx, question.assessment_id, GivenAnswer(question.id), user_id)

        return await self._database.write_tx(body)

    async def create_assessment(
        self, target_node_id: str, *, user_id: str, type: AssessmentType, title: str | None
    ) -> tuple[AssessmentRow, bool]:
        def body(tx: WriteTransaction) -> tuple[AssessmentRow, bool]:
            node = lock_node(tx.connection, target_node_id, user_id)
            found = _diagnostic(tx.session, node.id, user_id) if type == "diagnostic" else None
            assessment = found or tables.Assessment(
                id=new_id(), user_id=user_id, target_node_id=node.id, type=type, title=title
            )
            tx.session.add(assessment)
            tx.session.flush()
            return mapping.assessment_row(assessment), found is None

        return await self._database.write_tx(body)

    async def add_question(
        self, assessment_id: str, draft: QuestionDraft, *, user_id: str, node_id: str | None
    ) -> QuestionRow:
        def body(tx: WriteTransaction) -> QuestionRow:
            assessment = owned_assessment(tx.session, assessment_id, user_id)
            concept, parts = _concept_and_parts(
                tx, node_id or assessment.target_node_id, assessment.target_node_id, user_id
            )
            last, same = positions(tx.connection, assessment_id, draft.prompt)
            if same is not None:
                raise Conflict("This question is in the assessment already: change its prompt, or leave it out.")
            question = insert_question(
                tx.connection,
                replace(draft, tests=tuple(part.title for part in parts)),
                assessment_id=assessment_id,
                concept_id=concept.id,
                position=last + 1,
            )
            reopen_assessment(tx.connection, assessment_id)
            return self._question_row(question)

        return await self._database.write_tx(body)

    async def diagnostic(self, concept_id: str, *, user_id: str) -> Diagnostic:
        def body(session: Session) -> Diagnostic:
            if owned_node(session, concept_id, user_id).type != "concept":
                raise BadInput("Only a concept has a diagnostic.", field="id")
            making = question_making(session.connection(), concept_id, user_id)
            if making is not None and making.goes_on:
                raise DiagnosticInProgress(making.run_id)
            assessment = _diagnostic(session, concept_id, user_id)
            if assessment is None or making is not None:
                raise DiagnosticMissing(concept_id)
            questions = _asked_questions(session, assessment.id)
            answered = _answered_count(session, assessment.id, user_id)
            return Diagnostic(
                assessment=mapping.assessment_row(assessment),
                questions=[self._question_row(one) for one in questions],
                answered_count=answered,
                required_answers=len(questions),
                is_complete=assessment.completed_at is not None or 0 < len(questions) <= answered,
            )

        return await self._database.read_orm_tx(body)

    def _question_row(self, question: tables.Question) -> QuestionRow:
        return mapping.question_row(question, with_key=self._with_keys)


def _settled_row(answer: tables.Answer, question: tables.Question, passage: PassageRow | None) -> AnswerRow:
    """An attempt of a complete assessment, with all that settles it, or what its learner is to compare it with."""
    if compare := compare_of(answer, question):
        return mapping.answer_row(answer, question, compare=compare)
    return mapping.answer_row(answer, question, is_settled=True, passage=passage)


def _diagnostic(session: Session, node_id: str, user_id: str) -> tables.Assessment | None:
    wanted = select(tables.Assessment).where(
        tables.Assessment.user_id == user_id,
        tables.Assessment.target_node_id == node_id,
        tables.Assessment.type == "diagnostic",
    )
    return session.exec(wanted).first()


def _concept_and_parts(
    tx: WriteTransaction, node_id: str, target_id: str, user_id: str
) -> tuple[NodeRow, list[NodeRow]]:
    """The concept whose progress a question's answers move, locked, and the parts of it that they are about.

    Raises NotFound; BadInput: the node is neither the assessment's own nor right above or below it.
    """
    node, target = (owned_node_row(tx.connection, one, user_id) for one in (node_id, target_id))
    if target.id not in (node.id, node.parent_id) and node.id != target.parent_id:
        raise BadInput("nodeId: this node is not one that the assessment is about.", field="nodeId")
    if node.type == "subconcept" and node.parent_id is not None:
        return lock_node(tx.connection, node.parent_id, user_id), [node]
    return lock_node(tx.connection, node.id, user_id), []


def _record_answer(tx: WriteTransaction, assessment_id: str, given: GivenAnswer, user_id: str) -> AnswerRow:
    session, now = tx.session, utc_now()
    assessment = owned_assessment(session, assessment_id, user_id)
    lock_node(tx.connection, assessment.target_node_id, user_id)
    question = askable_question(session, given.question_id, assessment_id)
    answer, _ = record_attempt(
        tx, question, user_id=user_id, now=now, text=given.text, option=given.option, sure=given.sure
    )
    complete_if_answered(tx, assessment_id, user_id, now)
    return mapping.answer_row(answer, question)


def _asked_questions(session: Session, assessment_id: str) -> Sequence[tables.Question]:
    wanted = select(tables.Question).where(
        tables.Question.assessment_id == assessment_id, col(tables.Question.state).not_in(tables.NOT_ASKED)
    )
    return session.exec(wanted.order_by(col(tables.Question.position))).all()


def _answered_count(session: Session, assessment_id: str, user_id: str) -> int:
    """Number of asked questions that have an attempt."""
    wanted = (
        select(func.count(func.distinct(tables.Answer.question_id)))
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Answer.assessment_id == assessment_id, tables.Answer.user_id == user_id)
        .where(col(tables.Question.state).not_in(tables.NOT_ASKED))
    )
    return session.exec(wanted).one()
