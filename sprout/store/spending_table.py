"""The tables of what model calls cost: each account's day, and what is held for calls that have not been settled."""

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Date
from sqlmodel import Field

from sprout.store.columns import Row, UtcTime, Words


class SpendingDay(Row, table=True):
    """What the deployment or a learner has spent on a day (UTC) and what is held of it; kept for two days.

    An account is no reference: what was spent stays spent when a learner is deleted.
    """

    __tablename__ = "spending_days"
    __table_args__ = (
        CheckConstraint("spent_nano_usd >= 0 and spent_tokens >= 0", name="spent"),
        CheckConstraint("held_nano_usd >= 0 and held_tokens >= 0", name="held"),
    )

    day: date = Field(primary_key=True, sa_type=Date)
    account: str = Field(primary_key=True, sa_type=Words)
    spent_nano_usd: int = Field(default=0, sa_type=BigInteger)
    spent_tokens: int = Field(default=0, sa_type=BigInteger)
    held_nano_usd: int = Field(default=0, sa_type=BigInteger)
    held_tokens: int = Field(default=0, sa_type=BigInteger)


class SpendingTicket(Row, table=True):
    """What is held for one call, as long as it goes; a lapsed one is spent, and waits for a late settlement."""

    __tablename__ = "spending_tickets"

    id: str = Field(primary_key=True, sa_type=Words)
    day: date = Field(sa_type=Date)
    learner: str = Field(sa_type=Words)
    run_id: str = Field(sa_type=Words)
    taker: str = Field(sa_type=Words)
    nano_usd: int = Field(sa_type=BigInteger)
    tokens: int = Field(sa_type=BigInteger)
    taken_at: datetime = Field(sa_type=UtcTime)
    lapsed: bool = False
