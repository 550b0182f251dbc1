"""A class whose learners have copies of a path, and answer in them, on both databases."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select as select_rows
from sqlmodel import col, select

from sprout.clock import utc_now
from sprout.learning.actor import Actor
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy
from sprout.learning.questions.assessments import GivenAnswer
from sprout.store.assessment.answer_keys import SqlAnswerKeys
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.desk.concerns import SqlConcerns
from sprout.store.desk.desk import SqlDesk
from sprout.store.desk.shared_lessons import SqlSharedLessons
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.schema import tables
from sprout.store.schema.columns import TableModel, table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry
from tests.store.accounts.conftest import SchoolWithPath, school_with_path

__all__ = ["school_with_path"]

CHOICE, CAKES, EQUAL = "A cake is cut into 8", "Half of one cake", "Which of these fractions is equal to 6/8"
CANARY = "quokka"
UNSURE = Grade(
    GradeState.UNSURE,
    results=(
        CriterionResult("c1", "the wholes differ", 0.5, "met", "another size", 0.6),
        CriterionResult("c2", "what follows", 0.5, "missing", "", 0.4),
    ),
    remedy=Remedy.PERSON,
    doubts=("two looks differ",),
)
FOLLOWS_ANSWERS: tuple[type[TableModel], ...] = (
    tables.Progress, tables.Answer, tables.Question, tables.Assessment, ReviewCard, ReviewEntry,
)  # fmt: skip
NOT_COMPARED = {"creation", "updated_at"}
_progress = table_of(tables.Progress)


@dataclass(frozen=True)
class ClassAtWork:
    """A class with a given path, and what its learners do in their copies."""

    school: SchoolWithPath
    desk: SqlDesk
    concerns: SqlConcerns
    shared: SqlSharedLessons
    assessments: SqlAssessments
    gradebook: SqlGradebook
    keys: SqlAnswerKeys

    @property
    def class_id(self) -> str:
        return self.school.class_ids[0]

    @property
    def teacher(self) -> str:
        return self.school.teacher

    async def question(self, learner: str, prompt: str) -> tables.Question:
        """The question with these words that a learner has."""
        wanted = (
            select(tables.Question)
            .join(tables.Assessment, col(tables.Assessment.id) == col(tables.Question.assessment_id))
            .where(tables.Assessment.user_id == learner, col(tables.Question.prompt).startswith(prompt))
        )
        return await self.school.database.read_orm_tx(lambda session: session.exec(wanted).one())

    async def choose(self, learner: str, prompt: str, text: str) -> str:
        """A choice; the question's id."""
        question = await self.question(learner, prompt)
        options: Any = question.options
        option = next(one["id"] for one in options if one["text"] == text)
        given = GivenAnswer(question.id, option=option)
        await self.assessments.record_answer(question.assessment_id, given, user_id=learner)
        return question.id

    async def write(self, learner: str, prompt: str, words: str, grade: Grade | None = UNSURE) -> str:
        """An answer in words with a grader's grade; the question's id."""
        question = await self.question(learner, prompt)
        given = GivenAnswer(question.id, text=words)
        answer = await self.assessments.record_answer(question.assessment_id, given, user_id=learner)
        if grade is not None:
            await self.gradebook.record(answer.id, grade, actor=Actor(learner))
        return question.id

    async def contest(self, learner: str, question_id: str, outcome: str | None = "held") -> None:
        """The learner says that a question is wrong, and its check says this."""
        await self.keys.contest(question_id, user_id=learner, reason="It is not.")
        if outcome is None:
            return

        def settle(tx: WriteTransaction) -> None:
            question = tx.session.exec(select(tables.Question).where(tables.Question.id == question_id)).one()
            stored: Any = question.contest
            question.contest = {**stored, "outcome": outcome}
            tx.session.add(question)

        await self.school.database.write_tx(settle)

    async def add(self, *rows: TableModel) -> None:
        def body(tx: WriteTransaction) -> None:
            for row in rows:
                tx.session.add(row)
                tx.session.flush()

        await self.school.database.write_tx(body)

    async def lesson(self, learner: str, *, concerned: bool = False) -> str:
        """A conversation of a learner in their copy, with a canary in it; its id."""
        (concept, *_) = await self.school.paths.nodes(user_id=learner, type="concept")
        chat = tables.ChatSession(id=f"chat-{learner}", user_id=learner, node_id=concept.id, started_at=utc_now())
        said = tables.ChatMessage(
            id=f"said-{learner}", session_id=chat.id, user_id=learner, role="user", content=CANARY
        )
        await self.add(chat, said)
        if concerned:
            await self.add(tables.Concern(id=f"concern-{learner}", user_id=learner, session_id=chat.id))
        return chat.id

    async def mastery(self, learner: str) -> Mapping[str, tuple[float, bool]]:
        """Mastery by title, and whether it is learned."""
        titles = {node.id: node.title for node in await self.school.paths.nodes(user_id=learner)}
        found = await self.school.paths.progress(learner)
        return {titles[one.node_id]: (one.mastery_score, one.completed_at is not None) for one in found}

    async def state(self, learner: str) -> dict[str, list[tuple[object, ...]]]:
        """All that follows from a learner's answers, as rows."""
        found: dict[str, list[tuple[object, ...]]] = {}
        async with self.school.database.open_read_connection() as connection:
            for model in FOLLOWS_ANSWERS:
                table = table_of(model)
                columns = [one for one in table.c if one.name not in NOT_COMPARED]
                wanted = select_rows(*columns).order_by(table.c.id)
                if model is tables.Progress:  # a row that says nothing is as good as none
                    wanted = wanted.where((_progress.c.attempts_count > 0) | (_progress.c.mastery_score > 0))
                if "user_id" in table.c:
                    wanted = wanted.where(table.c.user_id == learner)
                else:
                    own = select(tables.Assessment.id).where(col(tables.Assessment.user_id) == learner)
                    wanted = wanted.where(table.c.assessment_id.in_(own))
                found[table.name] = [tuple(row) for row in await connection.execute(wanted)]
        return found


@pytest.fixture
async def at_work(school_with_path: SchoolWithPath) -> ClassAtWork:
    await school_with_path.give()
    await school_with_path.giver.give_lacking()
    database = school_with_path.database
    return ClassAtWork(
        school_with_path,
        SqlDesk(database),
        SqlConcerns(database, "Call 116 123."),
        SqlSharedLessons(database),
        SqlAssessments(database),
        SqlGradebook(database, lambda _: None),
        SqlAnswerKeys(database, lambda _: None),
    )
