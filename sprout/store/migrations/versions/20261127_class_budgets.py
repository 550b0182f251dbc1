"""Budgets of classes and of months, and classes without a model."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b48d0e7f3a15"
down_revision: str | Sequence[str] | None = "a3d94e61c7f0"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("budget_reservations", sa.Column("class_id", sa.Text(), nullable=True))
    op.add_column("classes", sa.Column("model_off", sa.Boolean(), nullable=False, server_default=sa.false()))
    for unit, kind in (("usd", sa.Float()), ("tokens", sa.BigInteger())):
        for period in ("day", "month"):
            op.add_column("classes", sa.Column(f"{unit}_per_{period}", kind, nullable=True))


def downgrade() -> None:
    for period in ("day", "month"):
        op.drop_column("classes", f"tokens_per_{period}")
        op.drop_column("classes", f"usd_per_{period}")
    op.drop_column("classes", "model_off")
    op.drop_column("budget_reservations", "class_id")
