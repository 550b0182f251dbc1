"""Codes beside the reasons why documents could not be read, for pages in other languages."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "8b1e6d40c2f7"
down_revision: str | Sequence[str] | None = "d3f7b05c9a41"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.add_column("topic_documents", sa.Column("extraction_code", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("topic_documents", "extraction_code")
