"""Tables of what teachers decide about answers, and of the lessons that learners share with a class."""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Index
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, UtcTime, one_of

DECISIONS = ("right", "partly", "not_yet", "drop")


class DeskDecision(OrderedModel, table=True):
    """A teacher's decision about a learner's question, with the answer that it is about, unless there was none.

    `before` is what was stored before it, so that it can be undone. One that was made by dropping the same question of
    another learner has that decision as its `cause_id`. `seen_at` is when its learner has seen that it was made.
    """

    __tablename__ = "desk_decisions"
    __table_args__ = (one_of("decision", DECISIONS), Index(None, "class_id", "decided_at"))

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    question_id: str = Field(foreign_key="questions.id", ondelete="CASCADE", unique=True, sa_type=SafeText)
    answer_id: str | None = Field(
        default=None, foreign_key="answers.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    class_id: str | None = Field(default=None, foreign_key="classes.id", ondelete="SET NULL", sa_type=SafeText)
    decision: str = Field(sa_type=SafeText)
    decided_by: str | None = Field(
        default=None, foreign_key="users.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    decided_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    cause_id: str | None = Field(
        default=None, foreign_key="desk_decisions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    seen_at: datetime | None = Field(default=None, sa_type=UtcTime)
    before: JsonValue = Field(sa_type=JSON_VALUE)


class SharedLesson(OrderedModel, table=True):
    """A conversation that its learner lets the teacher of one class read, until they take that back."""

    __tablename__ = "shared_lessons"

    session_id: str = Field(foreign_key="chat_sessions.id", ondelete="CASCADE", unique=True, sa_type=SafeText)
    class_id: str = Field(foreign_key="classes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    shared_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
