"""Runs that waited for a person and go on, by an index of their own: those that wait for ever pile up."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e27c94a1b053"
down_revision: str | Sequence[str] | None = "8b1e6d40c2f7"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

GOES_ON = "state = 'waiting_on_human' and (answered or cancel_requested)"


def upgrade() -> None:
    op.create_index(
        "ix_runs_goes_on", "runs", ["lane"], sqlite_where=sa.text(GOES_ON), postgresql_where=sa.text(GOES_ON)
    )


def downgrade() -> None:
    op.drop_index("ix_runs_goes_on", table_name="runs")
