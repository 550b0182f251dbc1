"""Activity of learners in their copies of a path: when they were there last, for how long, and what is due."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import CTE, ColumnElement, Connection, Select, Text, cast, func, select

from sprout.learning.mastery.study_time import study_seconds
from sprout.learning.reviews.days import LearnerDays, learner_days
from sprout.store.engine.many_ids import is_among
from sprout.store.reviews.due import card_of
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.store.schema.review_tables import ReviewCard, ReviewItem, ReviewSessionRow, ReviewSettingsRow

WEEK = timedelta(days=7)
LONGEST_DAY = timedelta(days=2)  # until a learner's day ends, wherever they are

_nodes, _assessments, _answers = table_of(tables.Node), table_of(tables.Assessment), table_of(tables.Answer)
_sessions, _messages = table_of(tables.ChatSession), table_of(tables.ChatMessage)
_cards, _settings = table_of(ReviewCard), table_of(ReviewSettingsRow)
_CARD_COLUMNS = tuple(_cards.c[name] for name in ("node_id", "due_at", "seen_at", "stability", "difficulty"))
_items, _review_sessions = table_of(ReviewItem), table_of(ReviewSessionRow)


@dataclass(frozen=True, slots=True)
class Activity:
    """A learner's activity in their copy.

    Args:
        due: concept → how many of its parts are due for review.
    """

    last_at: datetime | None = None
    seconds: int = 0
    due: Mapping[str, int] = field(default_factory=dict)


def activity_of(connection: Connection, copies: CTE, now: datetime) -> Mapping[str, Activity]:
    """The activity of each learner who has a copy."""
    moments, due = _moments(connection, copies, now - WEEK), _due_parts(connection, copies, now)
    last = {user_id: _in_utc(max(of_learner)) for user_id, of_learner in moments.items()}
    last |= _last_moments(connection, copies, but_of=last)
    return {
        user_id: Activity(last.get(user_id), round(study_seconds(moments.get(user_id, ()))), due.get(user_id, {}))
        for user_id in {*last, *due}
    }


def _moments(connection: Connection, copies: CTE, since: datetime) -> Mapping[str, Sequence[datetime]]:
    """When each learner has answered or written something in their copy since then; as a text, since they are many.

    On SQLite the moments are without a time zone.
    """
    found: defaultdict[str, list[datetime]] = defaultdict(list)
    at = _answers.c.created_at
    answered = _answered(copies).add_columns(copies.c.user_id, _texts(at)).where(at >= since)
    for wanted in (answered.group_by(copies.c.user_id), _written(copies, since)):
        for user_id, moments in connection.execute(wanted):
            found[user_id] += map(datetime.fromisoformat, moments.split(","))
    return found


def _texts(at: ColumnElement[datetime]) -> ColumnElement[str]:
    return func.aggregate_strings(cast(at, Text), ",")


def _in_utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _last_moments(connection: Connection, copies: CTE, *, but_of: Collection[str]) -> dict[str, datetime]:
    """When each other learner was in their copy last, however long ago."""
    others = ~is_among(connection, copies.c.user_id, but_of)
    answered = _answered(copies).add_columns(copies.c.user_id, func.max(_answers.c.created_at))
    found: dict[str, datetime] = {}
    for wanted in (answered.where(others).group_by(copies.c.user_id), _last_written(copies).where(others)):
        for user_id, at in connection.execute(wanted):
            if at is not None:
                found[user_id] = max(at, found.get(user_id, at))
    return found


def _last_written(copies: CTE) -> Select[Any]:
    """When the newest message of a learner in each lesson of their copy was written; null where they wrote none."""
    newest = (
        select(_messages.c.created_at)
        .where(_messages.c.session_id == _sessions.c.id, _messages.c.role == "user")
        .order_by(_messages.c.created_at.desc())
        .limit(1)
    )
    return (
        select(copies.c.user_id, newest.correlate(_sessions).scalar_subquery())
        .join_from(copies, _sessions, _sessions.c.user_id == copies.c.user_id)
        .join(_nodes, (_nodes.c.id == _sessions.c.node_id) & (_nodes.c.branch_id == copies.c.branch_id))
    )


def _answered(copies: CTE) -> Select[Any]:
    """The answers of a learner in their copy."""
    return (
        select()
        .select_from(_answers)
        .join(_assessments, _assessments.c.id == _answers.c.assessment_id)
        .join(_nodes, _nodes.c.id == _assessments.c.target_node_id)
        .where(_answers.c.user_id == copies.c.user_id, _nodes.c.branch_id == copies.c.branch_id)
    )


def _written(copies: CTE, since: datetime) -> Select[Any]:
    """When a learner wrote in each lesson of their copy; each lesson is looked up once, not with each message."""
    lessons = (
        select(copies.c.user_id, copies.c.branch_id, _messages.c.session_id)
        .add_columns(_texts(_messages.c.created_at).label("moments"))
        .join_from(copies, _messages, _messages.c.user_id == copies.c.user_id)
        .where(_messages.c.created_at >= since, _messages.c.role == "user")
        .group_by(copies.c.user_id, copies.c.branch_id, _messages.c.session_id)
        .subquery()
    )
    return (
        select(lessons.c.user_id, lessons.c.moments)
        .join(_sessions, _sessions.c.id == lessons.c.session_id)
        .join(_nodes, (_nodes.c.id == _sessions.c.node_id) & (_nodes.c.branch_id == lessons.c.branch_id))
    )


def _due_parts(connection: Connection, copies: CTE, now: datetime) -> Mapping[str, Mapping[str, int]]:
    """How many parts of each concept each learner can review now, but for those that they have skipped today."""
    days, skipped = _days(connection, copies), _skipped(connection, copies, now)
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    wanted = (
        select(copies.c.user_id, _nodes.c.parent_id, *_CARD_COLUMNS)
        .join(_cards, _cards.c.user_id == copies.c.user_id)
        .join(_nodes, (_nodes.c.id == _cards.c.node_id) & (_nodes.c.branch_id == copies.c.branch_id))
        .where(_cards.c.due_at < now + LONGEST_DAY)
    )
    for row in connection.execute(wanted).all():
        theirs, skipped_at = days.get(row.user_id, LearnerDays()), skipped.get((row.user_id, row.node_id))
        is_skipped = skipped_at is not None and theirs.day_of(skipped_at) == theirs.day_of(now)
        if not is_skipped and theirs.is_available(card_of(row), now):
            found[row.user_id][row.parent_id] += 1
    return found


def _days(connection: Connection, copies: CTE) -> Mapping[str, LearnerDays]:
    wanted = select(_settings).where(_settings.c.user_id.in_(select(copies.c.user_id)))
    return {row.user_id: learner_days(row.time_zone, row.day_starts_at) for row in connection.execute(wanted)}


def _skipped(connection: Connection, copies: CTE, now: datetime) -> Mapping[tuple[str, str], datetime]:
    """When each part was skipped last, in the last days."""
    wanted = (
        select(_review_sessions.c.user_id, _items.c.node_id, func.max(_items.c.settled_at))
        .join(_items, _items.c.session_id == _review_sessions.c.id)
        .where(_review_sessions.c.user_id.in_(select(copies.c.user_id)), _items.c.state == "skipped")
        .where(_items.c.settled_at >= now - LONGEST_DAY, _review_sessions.c.started_at >= now - 2 * WEEK)
        .group_by(_review_sessions.c.user_id, _items.c.node_id)
    )
    return {(user_id, node_id): at for user_id, node_id, at in connection.execute(wanted)}
