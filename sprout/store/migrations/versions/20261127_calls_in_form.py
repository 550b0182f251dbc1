"""Calls that a model without tools made in a fixed form."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "a84d2f6c07be"
down_revision: str | Sequence[str] | None = "c19f4e7a2d83"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("model_probes", sa.Column("calls_in_form", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("model_probes") as table:
        table.drop_column("calls_in_form")
