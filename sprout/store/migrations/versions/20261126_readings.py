"""Readings: questions about the passages that their messages cite."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c4e2a8f1b763"
down_revision: str | Sequence[str] | None = "b7c1e94d20f8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "readings",
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column(
            "settled_by",
            sa.JSON().with_variant(postgresql.JSONB(), "postgresql"),
            nullable=True,
        ),
        sa.ForeignKeyConstraint(
            ["message_id"], ["chat_messages.id"], name=op.f("fk_readings_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_readings_question_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("question_id", name=op.f("pk_readings")),
    )
    op.create_index(op.f("ix_readings_message_id"), "readings", ["message_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_readings_message_id"), table_name="readings")
    op.drop_table("readings")
