"""The days of an account in the budget, which a call of a model adds up: found without those of all others."""

from collections.abc import Sequence

from alembic import op

revision: str = "a8e25b6f10d7"
down_revision: str | Sequence[str] | None = "f4a70c9d3e52"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(op.f("ix_budget_days_account_day"), "budget_days", ["account", "day"])


def downgrade() -> None:
    op.drop_index(op.f("ix_budget_days_account_day"), table_name="budget_days")
