"""Tables of reviews: cards, their history, sessions and settings."""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import CheckConstraint, Index, UniqueConstraint, false
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, TableModel, UtcTime, one_of, unique_where

GRADES = ("again", "hard", "good", "easy")
ITEM_STATES = ("waiting", "posed", "comparing", "answered", "skipped", "dropped")
OPEN_STATES = ("waiting", "posed", "comparing")


class ReviewCard(OrderedModel, table=True):
    """The schedule of a part that was learned, as its reviews make it; `seen_at` is the last one that counted."""

    __tablename__ = "review_cards"
    __table_args__ = (UniqueConstraint("user_id", "node_id"), Index(None, "user_id", "due_at"))

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    learned_at: datetime = Field(sa_type=UtcTime)
    due_at: datetime = Field(sa_type=UtcTime)
    seen_at: datetime = Field(sa_type=UtcTime)
    stability: float | None = None
    difficulty: float | None = None


class ReviewEntry(OrderedModel, table=True):
    """A graded review of a part; `is_credit` if its answer was about a part that builds on it."""

    __tablename__ = "reviews"
    __table_args__ = (
        one_of("grade", GRADES),
        CheckConstraint("retention between 0.8 and 0.95", name="retention"),
        CheckConstraint("seconds >= 0", name="seconds"),
        Index(None, "user_id", "node_id"),
        Index(None, "user_id", "at"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    answer_id: str | None = Field(
        default=None, foreign_key="answers.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    at: datetime = Field(sa_type=UtcTime)
    grade: str = Field(sa_type=SafeText)
    retention: float
    seconds: float | None = None
    is_credit: bool = Field(default=False, sa_column_kwargs={"server_default": false()})


class ReviewSessionRow(OrderedModel, table=True):
    """A session of reviews; a learner has one that is not over."""

    __tablename__ = "review_sessions"
    __table_args__ = (
        unique_where("ended_at is null", "uq_review_sessions_open", "user_id"),
        Index(None, "user_id", "started_at"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    started_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)


class ReviewItem(OrderedModel, table=True):
    """A question of a session, chosen when its turn comes; without a node once its part is removed.

    `covers` are ids of further due parts that a good answer credits. One with a `contrast_id` asks a question that a
    teacher sent, about a part that need not be learned.
    """

    __tablename__ = "review_items"
    __table_args__ = (one_of("state", ITEM_STATES), UniqueConstraint("session_id", "position"))

    session_id: str = Field(foreign_key="review_sessions.id", ondelete="CASCADE", sa_type=SafeText)
    position: int
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="SET NULL", index=True, sa_type=SafeText)
    covers: JsonValue = Field(default=None, sa_type=JSON_VALUE, nullable=True)
    state: str = Field(default="waiting", sa_type=SafeText)
    comes_back: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    answer_id: str | None = Field(
        default=None, foreign_key="answers.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    posed_at: datetime | None = Field(default=None, sa_type=UtcTime)
    settled_at: datetime | None = Field(default=None, sa_type=UtcTime)
    seconds: float | None = None
    contrast_id: str | None = Field(
        default=None, foreign_key="contrasts.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )


class ReviewSettingsRow(TableModel, table=True):
    """A learner's settings of reviews; without a row the defaults hold."""

    __tablename__ = "review_settings"
    __table_args__ = (
        CheckConstraint("minutes in (5, 10, 20)", name="minutes"),
        CheckConstraint("retention between 0.8 and 0.95", name="retention"),
        CheckConstraint("day_starts_at between 0 and 23", name="day_starts_at"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    minutes: int
    retention: float
    time_zone: str | None = Field(default=None, sa_type=SafeText)
    day_starts_at: int
