"""Tables of classes: who has joined, and which paths their learners are given copies of."""

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import BigInteger, CheckConstraint, UniqueConstraint
from sqlmodel import Field

from sprout.accounts.classes import ModelSwitch
from sprout.clock import utc_now
from sprout.store.schema.columns import JSON_VALUE, OrderedModel, SafeText, TableModel, UtcTime


class ClassTable(OrderedModel, table=True):
    """A class of a teacher, who owns it. Its code, if it has one, lets `code_uses` more join until it expires.

    What model calls on its paths may cost is what was set for it, and no more than the settings allow each class.
    """

    __tablename__ = "classes"
    __table_args__ = (CheckConstraint("code_uses >= 0", name="code_uses"),)

    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    name: str = Field(sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    archived_at: datetime | None = Field(default=None, sa_type=UtcTime)
    code: str | None = Field(default=None, unique=True, sa_type=SafeText)
    code_expires_at: datetime | None = Field(default=None, sa_type=UtcTime)
    code_uses: int = 0
    usd_per_day: float | None = None
    usd_per_month: float | None = None
    tokens_per_day: int | None = Field(default=None, sa_type=BigInteger)
    tokens_per_month: int | None = Field(default=None, sa_type=BigInteger)
    model: ModelSwitch = Field(default="on", sa_type=SafeText, sa_column_kwargs={"server_default": "on"})


class ClassMember(OrderedModel, table=True):
    """A learner of a class; `has_card` says that the account was made with a card by joining it."""

    __tablename__ = "class_members"
    __table_args__ = (UniqueConstraint("class_id", "user_id"),)

    class_id: str = Field(foreign_key="classes.id", ondelete="CASCADE", sa_type=SafeText)
    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    joined_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    has_card: bool = False


class GivenPath(OrderedModel, table=True):
    """A path of a class's teacher of which each learner gets a copy. `due_on` is a date, as in 2026-12-24."""

    __tablename__ = "given_paths"
    __table_args__ = (UniqueConstraint("class_id", "branch_id"),)

    class_id: str = Field(foreign_key="classes.id", ondelete="CASCADE", sa_type=SafeText)
    branch_id: str = Field(foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    due_on: str | None = Field(default=None, sa_type=SafeText)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class PathCopy(OrderedModel, table=True):
    """A learner's copy of a given path; `branch_id` is null once the learner has deleted it, and it is not given again.

    `origins` are the nodes that it was made of, each with its copy and a digest of the description that was taken over.
    """

    __tablename__ = "path_copies"
    __table_args__ = (UniqueConstraint("given_id", "user_id"),)

    given_id: str = Field(foreign_key="given_paths.id", ondelete="CASCADE", sa_type=SafeText)
    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    branch_id: str | None = Field(
        default=None, foreign_key="branches.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    origins: JsonValue = Field(sa_type=JSON_VALUE)
    created_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class Contrast(OrderedModel, table=True):
    """A contrast question against a mix-up, sent to those of a class who held it; `belief_id` is made of its words."""

    __tablename__ = "contrasts"

    given_id: str = Field(foreign_key="given_paths.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    belief_id: str = Field(sa_type=SafeText)
    sent_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)


class ContrastRecipient(TableModel, table=True):
    """A learner to whom a contrast was sent, and the question that they were asked; null before their next review."""

    __tablename__ = "contrast_recipients"

    contrast_id: str = Field(foreign_key="contrasts.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    user_id: str = Field(
        foreign_key="accounts.user_id", ondelete="CASCADE", primary_key=True, index=True, sa_type=SafeText
    )
    question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
