"""Whether a run only waits, so that a crash of its carrier is not counted against it."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b61f0c7e2d94"
down_revision: str | Sequence[str] | None = "c58e0b7d3f92"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("resting", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("runs", "resting")
