"""Tables of the budget ledger: the balances of each account's day, and reservations of unsettled calls."""

from datetime import date, datetime

from sqlalchemy import BigInteger, CheckConstraint, Date, Index
from sqlmodel import Field

from sprout.store.schema.columns import SafeText, TableModel, UtcTime


class BudgetDay(TableModel, table=True):
    """Amounts that the deployment, a class or a learner has spent and reserved on a day (UTC); kept for its month and
    the next.

    `account` is no foreign key: what was spent stays spent when a learner or a class is deleted.
    """

    __tablename__ = "budget_days"
    __table_args__ = (
        CheckConstraint("spent_nano_usd >= 0 and spent_tokens >= 0", name="spent"),
        CheckConstraint("reserved_nano_usd >= 0 and reserved_tokens >= 0", name="reserved"),
        Index(None, "account", "day"),
    )

    day: date = Field(primary_key=True, sa_type=Date)
    account: str = Field(primary_key=True, sa_type=SafeText)
    spent_nano_usd: int = Field(default=0, sa_type=BigInteger)
    spent_tokens: int = Field(default=0, sa_type=BigInteger)
    reserved_nano_usd: int = Field(default=0, sa_type=BigInteger)
    reserved_tokens: int = Field(default=0, sa_type=BigInteger)


class BudgetReservation(TableModel, table=True):
    """The amount reserved for an active call; a lapsed one counts as spent until its late settlement.

    `class_id` is the class that pays too. It is no foreign key: one that is deleted meanwhile has paid nevertheless.
    """

    __tablename__ = "budget_reservations"

    id: str = Field(primary_key=True, sa_type=SafeText)
    day: date = Field(sa_type=Date)
    learner: str = Field(sa_type=SafeText)
    run_id: str = Field(sa_type=SafeText)
    attempt_id: str = Field(sa_type=SafeText)
    nano_usd: int = Field(sa_type=BigInteger)
    tokens: int = Field(sa_type=BigInteger)
    reserved_at: datetime = Field(sa_type=UtcTime)
    lapsed: bool = False
    class_id: str | None = Field(default=None, sa_type=SafeText)
