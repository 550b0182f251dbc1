"""Class budgets: what model calls on the paths of a class may cost, and what they have cost."""

from typing import Protocol

from pydantic import Field

from sprout.accounts.classes import MODEL_SWITCH, ModelSwitch
from sprout.errors import BadInput
from sprout.events import Wire


class Spending(Wire):
    """What model calls have cost, in dollars and in tokens."""

    usd: float
    tokens: int


class BudgetNumbers(Wire):
    """Limits of model calls by day and by month (UTC); null is without limit."""

    usd_per_day: float | None = None
    usd_per_month: float | None = None
    tokens_per_day: int | None = None
    tokens_per_month: int | None = None


class ClassBudgetRow(BudgetNumbers):
    """The budget of a class, as its teacher or an owner has set it, and what is spent of it."""

    most: BudgetNumbers = Field(description="what the settings allow each class; it holds where less is not set")
    today: Spending
    this_month: Spending
    day_ends_at: str
    month_ends_at: str


class ClassSpendingRow(Wire):
    """A class as owners see it: whose it is, how large, which model it uses, and what it has cost this month."""

    id: str
    name: str
    teacher_id: str
    teacher: str = Field(description="the teacher's display name")
    members: int
    model: ModelSwitch = Field(description=MODEL_SWITCH)
    archived_at: str | None
    this_month: Spending


class MoreThanAllowed(BadInput):
    """A budget of a class that is above what the settings allow each class."""

    code = "class_budget_above_setting"

    def __init__(self, field: str, most: float) -> None:
        super().__init__(
            "A class may have {most} here at most. Whoever runs this server can allow more.", field=field, most=most
        )


class ClassBudgets(Protocol):
    """Scoped to the teacher of the class and to owners: for others it is missing, which raises NotFound."""

    async def budget(self, class_id: str, *, user_id: str) -> ClassBudgetRow: ...

    async def set_budget(self, class_id: str, numbers: BudgetNumbers, *, user_id: str) -> ClassBudgetRow:
        """Set all four limits. Raises MoreThanAllowed, MissingRight."""
        ...

    async def spending(self, *, owner_id: str) -> list[ClassSpendingRow]:
        """All classes, in the order of creation; none for who is no owner."""
        ...
