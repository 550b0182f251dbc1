"""Assessments in the database: what is asked, every attempt at it, and the progress that follows."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from sqlmodel import Session, col, func, select

from sprout.clock import utc_now
from sprout.errors import BadInput, Conflict, NotFound
from sprout.events import AssessmentRow, NodeRow
from sprout.ids import new_id
from sprout.learning.questions.assessing import AnswerRow, AssessmentType, Diagnostic, GivenAnswer, QuestionRow
from sprout.learning.questions.questions import QuestionDraft
from sprout.store import rows, tables
from sprout.store.attempts import attempted
from sprout.store.children import locked_node, their_node
from sprout.store.database import Database
from sprout.store.owned import asked_question, owned_assessment, owned_node, owned_question
from sprout.store.questions import kept, positions
from sprout.store.voiding import complete_if_answered
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

    async def skip(self, question_id: str, *, user_id: str) -> AnswerRow:
        """Keep that the learner leaves a question out: an attempt without words or a choice. Raises NotFound."""

        def body(write: Write) -> AnswerRow:
            question = owned_question(write.session, question_id, user_id)
            return _answered(write, question.assessment_id, GivenAnswer(question.id), user_id)

        return await self._database.write(body)

    async def create_assessment(
        self, target_node_id: str, *, user_id: str, type: AssessmentType, title: str | None
    ) -> tuple[AssessmentRow, bool]:
        """A new assessment of a node, and True; a node's one diagnostic, and False, where it has it already.

        Raises NotFound.
        """

        def body(write: Write) -> tuple[AssessmentRow, bool]:
            node = locked_node(write.connection, target_node_id, user_id)
            found = _diagnostic(write.session, node.id, user_id) if type == "diagnostic" else None
            assessment = found or tables.Assessment(
                id=new_id(), user_id=user_id, target_node_id=node.id, type=type, title=title
            )
            write.session.add(assessment)
            write.session.flush()
            return rows.assessment_row(assessment), found is None

        return await self._database.write(body)

    async def add_question(
        self, assessment_id: str, draft: QuestionDraft, *, user_id: str, node_id: str | None
    ) -> QuestionRow:
        """A person's question at the end of an assessment; one about a part of a concept tests that part.

        Raises NotFound (the assessment or the node), BadInput (a node elsewhere), Conflict (it is asked already).
        """

        def body(write: Write) -> QuestionRow:
            assessment = owned_assessment(write.session, assessment_id, user_id)
            concept, parts = _about(write, node_id or assessment.target_node_id, assessment.target_node_id, user_id)
            last, same = positions(write.connection, assessment_id, draft.prompt)
            if same is not None:
                raise Conflict("This question is in the assessment already: change its prompt, or leave it out.")
            question = kept(
                write.connection,
                replace(draft, tests=tuple(part.title for part in parts)),
                assessment_id=assessment_id,
                concept_id=concept.id,
                position=last + 1,
                parts=parts,
            )
            return self._shown(question)

        return await self._database.write(body)

    async def diagnostic(self, concept_id: str, *, user_id: str) -> Diagnostic:
        """Raises NotFound (also where the concept has none yet), BadInput (not a concept)."""

        def look(session: Session) -> Diagnostic:
            if owned_node(session, concept_id, user_id).type != "concept":
                raise BadInput("Only a concept has a diagnostic.", field="id")
            assessment = _diagnostic(session, concept_id, user_id)
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


def _diagnostic(session: Session, node_id: str, user_id: str) -> tables.Assessment | None:
    wanted = select(tables.Assessment).where(
        tables.Assessment.user_id == user_id,
        tables.Assessment.target_node_id == node_id,
        tables.Assessment.type == "diagnostic",
    )
    return session.exec(wanted).first()


def _about(write: Write, node_id: str, target_id: str, user_id: str) -> tuple[NodeRow, list[NodeRow]]:
    """The concept whose progress a question's answers move, which is locked, and the parts of it that they tell about.

    Raises NotFound; BadInput: the node is neither the assessment's own nor right above or below it.
    """
    node, target = (their_node(write.connection, one, user_id) for one in (node_id, target_id))
    if target.id not in (node.id, node.parent_id) and node.id != target.parent_id:
        raise BadInput("nodeId: this node is not one that the assessment is about.", field="nodeId")
    if node.type == "subconcept" and node.parent_id is not None:
        return locked_node(write.connection, node.parent_id, user_id), [node]
    return locked_node(write.connection, node.id, user_id), []


def _answered(write: Write, assessment_id: str, given: GivenAnswer, user_id: str) -> AnswerRow:
    session, now = write.session, utc_now()
    assessment = owned_assessment(session, assessment_id, user_id)
    locked_node(write.connection, assessment.target_node_id, user_id)
    question = asked_question(session, given.question_id, assessment_id)
    answer, _ = attempted(write, question, user_id=user_id, now=now, text=given.text, option=given.option)
    complete_if_answered(write, assessment_id, user_id, now)
    return rows.answer_row(answer)


def _asked(session: Session, assessment_id: str) -> Sequence[tables.Question]:
    wanted = select(tables.Question).where(
        tables.Question.assessment_id == assessment_id, col(tables.Question.state).not_in(tables.NOT_ASKED)
    )
    return session.exec(wanted.order_by(col(tables.Question.position))).all()


def _answered_count(session: Session, assessment_id: str, user_id: str) -> int:
    """How many of the questions that are asked have an attempt."""
    wanted = (
        select(func.count(func.distinct(tables.Answer.question_id)))
        .join(tables.Question, col(tables.Question.id) == col(tables.Answer.question_id))
        .where(tables.Answer.assessment_id == assessment_id, tables.Answer.user_id == user_id)
        .where(col(tables.Question.state).not_in(tables.NOT_ASKED))
    )
    return session.exec(wanted).one()
