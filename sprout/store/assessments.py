"""Assessments in the database: what is asked, every attempt at it, and the progress that follows."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, func, select

from sprout.errors import BadInput, NotFound
from sprout.events import AssessmentRow
from sprout.learning.assessing import AnswerRow, Diagnostic, GivenAnswer, QuestionRow
from sprout.store import rows, tables
from sprout.store.attempts import attempted
from sprout.store.columns import utc_now
from sprout.store.database import Database
from sprout.store.edits import locked_node
from sprout.store.owned import asked_question, owned_assessment, owned_node
from sprout.store.write import Write


class SqlAssessments:
    """Assessments on SQL.

    Args:
        with_keys: whether questions are shown with the key of a choice, for clients that mark by themselves.
    """

    def __init__(self, database: Database, *, with_keys: bool = False) -> None:
        self._database = database
        self._with_keys = with_keys

    async def assessments(self, user_id: str, *, target_node_id: str | None = None) -> list[AssessmentRow]:
        """In order of creation."""
        wanted = select(tables.Assessment).where(tables.Assessment.user_id == user_id)
        if target_node_id is not None:
            wanted = wanted.where(tables.Assessment.target_node_id == target_node_id)
        async with self._database.reading() as session:
            found = await session.exec(wanted.order_by(col(tables.Assessment.creation)))
            return [rows.assessment_row(one) for one in found]

    async def assessment(self, assessment_id: str, *, user_id: str) -> AssessmentRow:
        """Raises NotFound."""
        return await self._database.read(
            lambda session: rows.assessment_row(owned_assessment(session, assessment_id, user_id))
        )

    async def change_assessment(
        self, assessment_id: str, *, user_id: str, title: str | None, completed_at: datetime | None
    ) -> AssessmentRow:
        """The assessment with what is given changed. Raises NotFound."""

        def body(write: Write) -> AssessmentRow:
            assessment = owned_assessment(write.session, assessment_id, user_id, lock=True)
            assessment.title = assessment.title if title is None else title
            assessment.completed_at = assessment.completed_at if completed_at is None else completed_at
            write.session.add(assessment)
            return rows.assessment_row(assessment)

        return await self._database.write(body)

    async def questions(self, assessment_id: str, *, user_id: str) -> list[QuestionRow]:
        """Those that are asked, in their order. Raises NotFound."""

        def look(session: Session) -> list[QuestionRow]:
            owned_assessment(session, assessment_id, user_id)
            return [self._shown(one) for one in _asked(session, assessment_id)]

        return await self._database.read(look)

    async def answers(self, assessment_id: str, *, user_id: str) -> Sequence[AnswerRow]:
        """All attempts, oldest first. Raises NotFound."""

        def look(session: Session) -> list[AnswerRow]:
            owned_assessment(session, assessment_id, user_id)
            wanted = select(tables.Answer).where(
                tables.Answer.assessment_id == assessment_id, tables.Answer.user_id == user_id
            )
            return [rows.answer_row(one) for one in session.exec(wanted.order_by(col(tables.Answer.creation)))]

        return await self._database.read(look)

    async def answer(self, assessment_id: str, given: GivenAnswer, *, user_id: str) -> AnswerRow:
        """Keep an attempt, graded where code can, with the progress that follows from it.

        Raises NotFound, BadInput (an option that the question does not have).
        """
        return await self._database.write(lambda write: _answered(write, assessment_id, given, user_id))

    async def diagnostic(self, concept_id: str, *, user_id: str) -> Diagnostic:
        """Raises NotFound (also where the concept has none yet), BadInput (not a concept)."""

        def look(session: Session) -> Diagnostic:
            if owned_node(session, concept_id, user_id).type != "concept":
                raise BadInput("Only a concept has a diagnostic.", field="id")
            wanted = select(tables.Assessment).where(
                tables.Assessment.user_id == user_id,
                tables.Assessment.target_node_id == concept_id,
                tables.Assessment.type == "diagnostic",
            )
            assessment = session.exec(wanted).first()
            if assessment is None:
                raise NotFound("diagnostic", concept_id)
            questions = _asked(session, assessment.id)
            answered = _answered_count(session, assessment.id, user_id)
            return Diagnostic(
                assessment=rows.assessment_row(assessment),
                questions=[self._shown(one) for one in questions],
                answered_count=answered,
                required_answers=len(questions),
                is_complete=assessment.completed_at is not None or 0 < len(questions) <= answered,
            )

        return await self._database.read(look)

    def _shown(self, question: tables.Question) -> QuestionRow:
        return rows.question_row(question, with_key=self._with_keys)


def _answered(write: Write, assessment_id: str, given: GivenAnswer, user_id: str) -> AnswerRow:
    session, now = write.session, utc_now()
    assessment = owned_assessment(session, assessment_id, user_id)
    locked_node(write.connection, assessment.target_node_id, user_id)
    question = asked_question(session, given.question_id, assessment_id)
    answer, _ = attempted(write, question, user_id=user_id, now=now, text=given.text, option=given.option)
    if assessment.completed_at is None and _answered_count(session, assessment_id, user_id) == len(
        _asked(session, assessment_id)
    ):
        assessment.completed_at = now
        session.add(assessment)
    return rows.answer_row(answer)


def _asked(session: Session, assessment_id: str) -> Sequence[tables.Question]:
    wanted = select(tables.Question).where(
        tables.Question.assessment_id == assessment_id, tables.Question.state != "voided"
    )
    return session.exec(wanted.order_by(col(tables.Question.position))).all()


def _answered_count(session: Session, assessment_id: str, user_id: str) -> int:
    """How many of the questions that are asked have an attempt."""
    wanted = (
        select(func.count(func.distinct(tables.Answer.question_id)))
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Answer.assessment_id == assessment_id, tables.Answer.user_id == user_id)
        .where(tables.Question.state != "voided")
    )
    return session.exec(wanted).one()
