"""Answers: whether the learner said that they were sure."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b7c1e94d20f8"
down_revision: str | Sequence[str] | None = "a3d58f1c6e92"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("answers", sa.Column("sure", sa.Boolean(), nullable=True))


def downgrade() -> None:
    op.drop_column("answers", "sure")
