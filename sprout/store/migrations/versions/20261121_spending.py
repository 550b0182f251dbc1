"""What model calls cost."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "5d1c0b7e42a9"
down_revision: str | Sequence[str] | None = "4d0e6b7a51c2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "spending_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("spent_nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("spent_tokens", sa.BigInteger(), nullable=False),
        sa.Column("held_nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("held_tokens", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("held_nano_usd >= 0 and held_tokens >= 0", name=op.f("ck_spending_days_held")),
        sa.CheckConstraint("spent_nano_usd >= 0 and spent_tokens >= 0", name=op.f("ck_spending_days_spent")),
        sa.PrimaryKeyConstraint("day", "account", name=op.f("pk_spending_days")),
    )
    op.create_table(
        "spending_tickets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("learner", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("taker", sa.Text(), nullable=False),
        sa.Column("nano_usd", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lapsed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_spending_tickets")),
    )


def downgrade() -> None:
    op.drop_table("spending_tickets")
    op.drop_table("spending_days")
