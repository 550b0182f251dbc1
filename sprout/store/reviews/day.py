"""The learner's day as rows tell it, from a fixed number of statements."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, select, union_all

from sprout.events import wire_time
from sprout.learning.reviews.cards import ReviewGrade
from sprout.learning.reviews.day import (
    WEEK,
    AnsweredReview,
    ForecastDay,
    LearnedAt,
    LearnedPart,
    LearnerDay,
    ReviewsDue,
    day_done,
    forecast,
    missed_parts,
    week_gains,
)
from sprout.learning.reviews.days import LearnerDays
from sprout.learning.reviews.repository import ReviewSettings
from sprout.store.reviews.due import DueReviews, card_of, parts_of
from sprout.store.reviews.settings import days_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewEntry

DAYS_AHEAD = 14

_cards, _reviews = table_of(ReviewCard), table_of(ReviewEntry)
_nodes, _branches, _progress = table_of(tables.Node), table_of(tables.Branch), table_of(tables.Progress)
_answers, _messages = table_of(tables.Answer), table_of(tables.ChatMessage)


def learner_day(
    connection: Connection,
    user_id: str,
    found: DueReviews,
    due: ReviewsDue,
    *,
    settings: ReviewSettings,
    now: datetime,
) -> LearnerDay:
    """The day that it is now."""
    days = days_of(settings)
    start = days.start_of(now)
    week = days.start_of(start - timedelta(days=WEEK - 1)), days.end_of(now)
    moments = connection.execute(_moments_query(user_id, *week)).scalars().all()
    learned, reviews = _learned_within(connection, user_id, *week), _reviews_within(connection, user_id, *week)
    return LearnerDay(
        date=days.day_of(now),
        minutes=settings.minutes,
        time_zone=settings.time_zone,
        due=due,
        due_parts=parts_of(found.plan),
        done=day_done(start, moments, learned, reviews),
        missed_in=Counter(one.branch_id for one in missed_parts(one for one in reviews if one.at >= start)),
        week=week_gains(days, now, moments, learned, reviews),
        week_start=week[0],
        coming=coming_days(connection, user_id, found, settings=settings, now=now),
    )


def coming_days(
    connection: Connection, user_id: str, found: DueReviews, *, settings: ReviewSettings, now: datetime
) -> list[ForecastDay]:
    """The reviews of the next two weeks."""
    days = days_of(settings)
    return forecast(
        _due_days(connection, user_id, days, now),
        first=days.day_of(now) + timedelta(days=1),
        days=DAYS_AHEAD,
        backlog=found.load.due - found.load.today,
        minutes=settings.minutes,
        pace_s=found.pace_s,
    )


def _due_days(connection: Connection, user_id: str, days: LearnerDays, now: datetime) -> Sequence[date]:
    """The day of each card that comes after today: by its date, or because its sitting lasts until then."""
    until = days.end_of(now) + timedelta(days=DAYS_AHEAD)
    wanted = select(_cards).where(_cards.c.user_id == user_id, _cards.c.due_at < until)
    tomorrow = days.day_of(now) + timedelta(days=1)
    available = (days.day_of(days.available_from(card_of(row))) for row in connection.execute(wanted))
    return [day for day in available if day >= tomorrow]


def _learned_within(connection: Connection, user_id: str, since: datetime, until: datetime) -> list[LearnedAt]:
    wanted = (
        select(
            _nodes.c.id,
            _nodes.c.title,
            _nodes.c.branch_id,
            _branches.c.title.label("branch_title"),
            _progress.c.completed_at,
            _progress.c.attempts_count,
            _cards.c.due_at,
        )
        .join_from(_progress, _nodes, _nodes.c.id == _progress.c.node_id)
        .outerjoin(_branches, _branches.c.id == _nodes.c.branch_id)
        .outerjoin(_cards, (_cards.c.node_id == _nodes.c.id) & (_cards.c.user_id == user_id))
        .where(_progress.c.user_id == user_id, _nodes.c.type == "subconcept")
        .where(_progress.c.completed_at >= since, _progress.c.completed_at < until)
        .order_by(_progress.c.completed_at, _progress.c.creation)
    )
    return [_learned_at(row) for row in connection.execute(wanted)]


def _learned_at(row: Any) -> LearnedAt:
    part = LearnedPart(
        node_id=row.id,
        title=row.title,
        branch_id=row.branch_id or "",
        reviewed_at=None if row.due_at is None else wire_time(row.due_at),
    )
    return LearnedAt(row.completed_at, part, row.branch_title or "", row.attempts_count)


def _reviews_within(connection: Connection, user_id: str, since: datetime, until: datetime) -> list[AnsweredReview]:
    wanted = (
        select(_reviews.c.at, _reviews.c.grade, _nodes.c.title, _nodes.c.branch_id)
        .join(_nodes, _nodes.c.id == _reviews.c.node_id)
        .where(_reviews.c.user_id == user_id, ~_reviews.c.is_credit)
        .where(_reviews.c.at >= since, _reviews.c.at < until)
        .order_by(_reviews.c.creation)
    )
    return [
        AnsweredReview(row.at, ReviewGrade(row.grade), row.title, row.branch_id or "")
        for row in connection.execute(wanted)
    ]


def _moments_query(user_id: str, since: datetime, until: datetime) -> Any:
    """When the learner answered or wrote something."""
    answered, written = _answers.c.created_at, _messages.c.created_at
    return union_all(
        select(answered).where(_answers.c.user_id == user_id, answered >= since, answered < until),
        select(written).where(
            _messages.c.user_id == user_id, _messages.c.role == "user", written >= since, written < until
        ),
    )
