"""Misconceptions: the beliefs that wrong answers of a topic stand for, under one id each.

The questions and grades that exist need no change: an id is made of the words of its statement.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d1f7b92c4e60"
down_revision: str | Sequence[str] | None = "a83642796e3f"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "misconceptions",
        sa.Column("topic_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("contrast", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["topic_id"], ["nodes.id"], name=op.f("fk_misconceptions_topic_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("topic_id", "id", name=op.f("pk_misconceptions")),
    )


def downgrade() -> None:
    op.drop_table("misconceptions")
