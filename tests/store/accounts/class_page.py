"""A class with a given path whose learners answer its questions, on both databases."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlmodel import col, update

from sprout.accounts.class_page.progress import ClassProgress, LearnerProgress
from sprout.clock import utc_now
from sprout.learning.paths.path_file import validate_path
from sprout.learning.questions.assessments import GivenAnswer
from sprout.store.accounts.class_page.repository import SqlClassProgress
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.schema import tables
from sprout.store.schema.review_tables import ReviewCard
from tests.store.accounts.conftest import SchoolWithPath

RIGHT, WRONG, SAID = "2", "9", "Marmalade"
STAYS = "Whoever leaves is still counted."
CONCEPTS = ("Counting", "Sharing", "Odds")
QUESTIONS = 4


def a_path() -> dict[str, Any]:
    """Three concepts in a row, listed in another order, each of one part with four questions that show a mix-up."""
    concepts = [
        {
            "title": title,
            "subconcepts": [{"title": f"{title} by hand"}],
            "questions": [
                {
                    "prompt": f"Of three people one leaves. How many stay? ({title}, {number})",
                    "format": "numeric",
                    "difficulty": 3,
                    "correct_answer": RIGHT,
                    "tests": [f"{title} by hand"],
                    "misconceptions": [{"option": WRONG, "misconception": "stays"}],
                }
                for number in range(QUESTIONS)
            ],
        }
        for title in reversed(CONCEPTS)
    ]
    edges = [{"from": "Counting", "to": "Sharing"}, {"from": "Sharing", "to": "Odds"}]
    return {
        "sprout_path": 1, "title": "Numbers", "topic": {"title": "Numbers"}, "edges": edges, "concepts": concepts,
        "misconceptions": [{"key": "stays", "statement": STAYS, "contrast": "One of two sits alone."}],
    }  # fmt: skip


@dataclass(frozen=True)
class TaughtClass:
    """A teacher's class of three learners, each with a copy of the path."""

    school: SchoolWithPath
    reports: SqlClassProgress
    given_id: str

    @property
    def class_id(self) -> str:
        return self.school.class_ids[0]

    async def page(self) -> ClassProgress:
        return await self.reports.progress(self.class_id, self.given_id, teacher_id=self.school.teacher)

    async def row(self, at: int) -> LearnerProgress:
        learner = self.school.learners[at]
        return next(one for one in (await self.page()).learners if one.user_id == learner)

    async def answer(self, at: int, title: str, *texts: str, days_ago: float = 0) -> list[str]:
        """Answer the next questions of a concept's diagnostic; the ids of the answers."""
        learner, assessments = self.school.learners[at], SqlAssessments(self.school.database)
        (concept,) = [
            one for one in await self.school.paths.nodes(user_id=learner, type="concept") if one.title == title
        ]
        (asked,) = [one for one in await assessments.assessments(learner) if one.target_node_id == concept.id]
        answered = {one.question_id for one in await assessments.answers(asked.id, user_id=learner)}
        fresh = [one for one in await assessments.questions(asked.id, user_id=learner) if one.id not in answered]
        made = []
        for question, text in zip(fresh, texts, strict=False):
            given = GivenAnswer(question.id, text=text)
            made.append((await assessments.record_answer(asked.id, given, user_id=learner)).id)
        moment = utc_now() - timedelta(days=days_ago)
        await self.write(update(tables.Answer).where(col(tables.Answer.id).in_(made)).values(created_at=moment))
        return made

    async def end_diagnostics(self) -> None:
        await self.write(update(tables.Assessment).values(completed_at=utc_now()))

    async def make_due(self, at: int) -> None:
        """As if the learner's cards had been made two days ago."""
        before = utc_now() - timedelta(days=2)
        cards = update(ReviewCard).where(col(ReviewCard.user_id) == self.school.learners[at])
        await self.write(cards.values(due_at=before, seen_at=before))

    async def write(self, statement: Any) -> None:
        await self.school.database.write_tx(lambda tx: tx.connection.execute(statement))

    async def source_concept(self, title: str) -> str:
        nodes = await self.school.paths.nodes(user_id=self.school.teacher, type="concept")
        return next(one.id for one in nodes if one.title == title)


async def a_taught_class(school: SchoolWithPath) -> TaughtClass:
    """The path of these tests, given to the first class."""
    branch = await school.exchange.import_path(validate_path(a_path()), user_id=school.teacher)
    given, _ = await school.given.give(school.class_ids[0], branch.id, due_on="2026-12-24", teacher_id=school.teacher)
    await school.giver.give_lacking()
    await school.paths.delete_branch(school.branch_id, user_id=school.teacher)
    return TaughtClass(school, SqlClassProgress(school.database), given.id)
