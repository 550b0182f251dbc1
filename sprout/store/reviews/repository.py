"""Reviews repository: each request is one transaction, under a lock of its learner."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TypeVar

from sqlalchemy import Connection
from sqlmodel import Session

from sprout.clock import utc_now
from sprout.errors import Conflict
from sprout.learning.questions.assessments import SelfMark
from sprout.learning.reviews.cards import Card, ReviewGrade
from sprout.learning.reviews.costs import RetentionCost, retention_costs
from sprout.learning.reviews.day import LearnerDay, ReviewsDue
from sprout.learning.reviews.items import ItemSource, NoItems
from sprout.learning.reviews.planning import PlannedReview, mix
from sprout.learning.reviews.repository import (
    ReviewAnswer,
    ReviewReply,
    ReviewResult,
    ReviewSession,
    ReviewSettings,
    SettingsChange,
)
from sprout.learning.reviews.workload import Minutes, day_size
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.graph.ownership import owned_answer, owned_branch
from sprout.store.reviews import answers
from sprout.store.reviews.day import learner_day
from sprout.store.reviews.due import DueReviews, cards_of, due_parts, due_reviews, due_summary, pace_of
from sprout.store.reviews.item_questions import advance, items_of, question_of
from sprout.store.reviews.results import result_of
from sprout.store.reviews.sessions import (
    insert_session,
    open_session,
    owned_item,
    owned_review_session,
    session_response,
)
from sprout.store.reviews.settings import change_settings, days_of, settings_of
from sprout.store.schema import tables
from sprout.store.schema.review_tables import ReviewItem, ReviewSessionRow

NOTHING_DUE = "Nothing is due for review now."
DONE_FOR_TODAY = "Today's reviews are done. For more, say how many minutes: 5, 10 or 20."

T = TypeVar("T")


class SqlReviews:
    """Reviews on SQL.

    Args:
        source: where fresh questions come from.
        now: the clock.
    """

    def __init__(
        self, database: Database, source: ItemSource | None = None, *, now: Callable[[], datetime] = utc_now
    ) -> None:
        self._database = database
        self._source = source or NoItems()
        self._now = now

    async def due(self, user_id: str) -> ReviewsDue:
        return await self._database.read_orm_tx(
            lambda session: self._summary(session, user_id, self._due(session, user_id))
        )

    async def due_parts(self, user_id: str) -> frozenset[str]:
        def body(session: Session) -> frozenset[str]:
            connection = session.connection()
            settings = settings_of(connection, user_id)
            return due_parts(connection, user_id, settings=settings, now=self._now(), source=self._source)

        return await self._database.read_orm_tx(body)

    async def day(self, user_id: str) -> LearnerDay:
        def body(session: Session) -> LearnerDay:
            connection, found = session.connection(), self._due(session, user_id)
            due, settings = self._summary(session, user_id, found), settings_of(connection, user_id)
            return learner_day(connection, user_id, found, due, settings=settings, now=self._now())

        return await self._database.read_orm_tx(body)

    async def start_session(
        self, user_id: str, *, minutes: Minutes | None = None, branch_id: str | None = None
    ) -> tuple[ReviewSession, bool]:
        def body(tx: WriteTransaction) -> tuple[ReviewSession, bool]:
            if branch_id is not None:
                owned_branch(tx.session, branch_id, user_id)
            row = open_session(tx.session, user_id)
            if row is not None and self._is_todays(tx.session, row):
                advance(tx, row, now=self._now(), source=self._source)
                if row.ended_at is None:
                    return self._session(tx.session, row), False
            elif row is not None:
                row.ended_at = self._now()
                tx.session.add(row)
                tx.session.flush()
            reviews = self._chosen(tx.session, user_id, minutes, branch_id)
            new = insert_session(tx, user_id, reviews, self._now())
            advance(tx, new, now=self._now(), source=self._source)
            return self._session(tx.session, new), True

        return await self._write(user_id, body)

    async def session(self, session_id: str, *, user_id: str) -> ReviewSession:
        def body(tx: WriteTransaction) -> ReviewSession:
            row = owned_review_session(tx.session, session_id, user_id)
            if row.ended_at is None:
                advance(tx, row, now=self._now(), source=self._source)
            return self._session(tx.session, row)

        return await self._write(user_id, body)

    async def answer(self, session_id: str, answer: ReviewAnswer, *, user_id: str) -> ReviewReply:
        return await self._reply(
            session_id,
            answer.item_id,
            user_id,
            lambda tx, opened: answers.record_answer(tx, opened, answer, self._now()),
        )

    async def self_mark(self, session_id: str, item_id: str, mark: SelfMark, *, user_id: str) -> ReviewReply:
        return await self._reply(
            session_id, item_id, user_id, lambda tx, opened: answers.record_self_mark(tx, opened, mark, self._now())
        )

    async def choose_grade(self, session_id: str, item_id: str, grade: ReviewGrade, *, user_id: str) -> ReviewReply:
        return await self._reply(
            session_id, item_id, user_id, lambda tx, opened: answers.choose_grade(tx, opened, grade)
        )

    async def skip(self, session_id: str, item_id: str, *, user_id: str) -> ReviewSession:
        def body(tx: WriteTransaction) -> ReviewSession:
            row = owned_review_session(tx.session, session_id, user_id)
            item = owned_item(tx.session, row, item_id)
            if item.state == "answered":
                raise Conflict(answers.ALREADY_ANSWERED, code="answered_already")
            if item.state != "skipped":
                item.state, item.settled_at = "skipped", self._now()
                tx.session.add(item)
                tx.session.flush()
                advance(tx, row, now=self._now(), source=self._source)
            return self._session(tx.session, row)

        return await self._write(user_id, body)

    async def settings(self, user_id: str) -> ReviewSettings:
        return await self._database.read_tx(lambda connection: settings_of(connection, user_id))

    async def retention_costs(self, user_id: str) -> Sequence[RetentionCost]:
        def body(connection: Connection) -> tuple[Sequence[Card], float]:
            return cards_of(connection, user_id), pace_of(connection, user_id)

        cards, pace_s = await self._database.read_tx(body)
        return await asyncio.to_thread(retention_costs, cards, self._now(), pace_s=pace_s)

    async def change_settings(self, user_id: str, change: SettingsChange) -> ReviewSettings:
        return await self._database.write_tx(lambda tx: change_settings(tx, user_id, change))

    async def _write(self, user_id: str, body: Callable[[WriteTransaction], T]) -> T:
        """Run the body while no other device of the learner reviews."""

        def locked(tx: WriteTransaction) -> T:
            tx.lock(f"reviews:{user_id}")
            return body(tx)

        return await self._database.write_tx(locked)

    async def _reply(
        self,
        session_id: str,
        item_id: str,
        user_id: str,
        record: Callable[[WriteTransaction, answers.OpenItem], tables.Answer],
    ) -> ReviewReply:
        def body(tx: WriteTransaction) -> ReviewReply:
            row = owned_review_session(tx.session, session_id, user_id)
            item = owned_item(tx.session, row, item_id)
            opened = answers.open_item(tx, row, item, settings_of(tx.connection, user_id).retention)
            answer = record(tx, opened)
            if row.ended_at is None:
                advance(tx, row, now=self._now(), source=self._source)
            result = self._result(tx.session, item, answer, opened.question, user_id)
            return ReviewReply(result=result, session=self._session(tx.session, row))

        return await self._write(user_id, body)

    def _due(self, session: Session, user_id: str) -> DueReviews:
        connection = session.connection()
        settings = settings_of(connection, user_id)
        return due_reviews(connection, user_id, settings=settings, now=self._now(), source=self._source)

    def _summary(self, session: Session, user_id: str, found: DueReviews) -> ReviewsDue:
        row = open_session(session, user_id)
        today = row is not None and self._is_todays(session, row)
        session_id = row.id if row is not None and today else None
        return due_summary(session.connection(), user_id, found, session_id=session_id)

    def _chosen(
        self, session: Session, user_id: str, minutes: Minutes | None, branch_id: str | None
    ) -> list[PlannedReview]:
        """The reviews of a new session: as many as fit, those that will be forgotten first, mixed.

        Raises Conflict: there are none.
        """
        found = self._due(session, user_id)
        plan = [review for review in found.plan if branch_id in (None, review.part.branch_id)]
        if not plan:
            raise Conflict(NOTHING_DUE, code="nothing_due")
        size = found.load.today if minutes is None else day_size(minutes, found.pace_s)
        if not size:
            raise Conflict(DONE_FOR_TODAY, code="done_for_today")
        return mix(plan[:size])

    def _is_todays(self, session: Session, row: ReviewSessionRow) -> bool:
        """Whether a session began on the learner's day that it is now."""
        days = days_of(settings_of(session.connection(), row.user_id))
        return days.day_of(row.started_at) == days.day_of(self._now())

    def _session(self, session: Session, row: ReviewSessionRow) -> ReviewSession:
        return session_response(
            session,
            row,
            pace_s=pace_of(session.connection(), row.user_id),
            comparing=self._comparing(session, row),
            next_at=None if row.ended_at is None else self._due(session, row.user_id).next_at,
        )

    def _comparing(self, session: Session, row: ReviewSessionRow) -> ReviewResult | None:
        """The answer that waits for its learner's verdicts."""
        item = next((one for one in items_of(session, row.id) if one.state == "comparing"), None)
        question = None if item is None else question_of(session, item)
        if item is None or question is None or item.answer_id is None:
            return None
        return self._result(session, item, owned_answer(session, item.answer_id, row.user_id), question, row.user_id)

    def _result(
        self, session: Session, item: ReviewItem, answer: tables.Answer, question: tables.Question, user_id: str
    ) -> ReviewResult:
        retention = settings_of(session.connection(), user_id).retention
        return result_of(session, item, answer, question, user_id=user_id, retention=retention, now=self._now())
