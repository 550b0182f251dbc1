"""Statements that were voided at the record store of their class."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b3f7e21c8d04"
down_revision: str | Sequence[str] | None = "e80b5d3c61f9"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("sent_statements", sa.Column("voided", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("sent_statements", "voided")
