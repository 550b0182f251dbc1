"""Tables of record stores: where a class's statements are sent to, and which have arrived."""

from datetime import datetime

from sqlalchemy import Index, false
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import SafeText, TableModel, UtcTime


class RecordStore(TableModel, table=True):
    """The record store of a class. The secret is sent with every batch, and so is kept as it is.

    `claimed_by` is the claim of the process that sends, until `claimed_until`; `failures` are those in a row, and
    `problem` is the code of the last.
    """

    __tablename__ = "record_stores"

    class_id: str = Field(foreign_key="classes.id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    endpoint: str = Field(sa_type=SafeText)
    key: str = Field(sa_type=SafeText)
    secret: str = Field(sa_type=SafeText)
    with_names: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    next_try_at: datetime = Field(default_factory=utc_now, index=True, sa_type=UtcTime)
    claimed_by: str | None = Field(default=None, sa_type=SafeText)
    claimed_until: datetime | None = Field(default=None, sa_type=UtcTime)
    failures: int = 0
    problem: str | None = Field(default=None, sa_type=SafeText)
    last_sent_at: datetime | None = Field(default=None, sa_type=UtcTime)


class SentStatement(TableModel, table=True):
    """A fact that the record store of a class has: its row, its time and, for an answer, its score.

    `voided` says that the statement's voiding has been sent to the store.
    """

    __tablename__ = "sent_statements"
    __table_args__ = (Index(None, "class_id", "source_id"),)

    class_id: str = Field(foreign_key="record_stores.class_id", ondelete="CASCADE", primary_key=True, sa_type=SafeText)
    id: str = Field(primary_key=True, sa_type=SafeText)
    user_id: str = Field(foreign_key="accounts.user_id", ondelete="CASCADE", index=True, sa_type=SafeText)
    verb: str = Field(sa_type=SafeText)
    source_id: str = Field(sa_type=SafeText)
    at: datetime = Field(sa_type=UtcTime)
    score: float | None = None
    voided: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
