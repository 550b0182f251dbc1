"""Readings without a question: a message names what is to be read, and the question about it where there is one."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "f6b03d92c8e1"
down_revision: str | Sequence[str] | None = "4c7e1f90ab26"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

contracts = "a message has asked at most one question in the release before as well, so that its id is a key"


def upgrade() -> None:
    op.execute("CREATE TABLE earlier_readings AS SELECT * FROM readings")
    op.drop_index(op.f("ix_readings_message_id"), table_name="readings")
    op.drop_table("readings")
    _create("message_id", sa.UniqueConstraint("question_id", name=op.f("uq_readings_question_id")), has_question=False)
    op.execute(
        "INSERT INTO readings (question_id, message_id, settled_by) "
        "SELECT question_id, message_id, settled_by FROM earlier_readings"
    )
    op.drop_table("earlier_readings")


def downgrade() -> None:
    op.execute("CREATE TABLE later_readings AS SELECT * FROM readings WHERE question_id IS NOT NULL")
    op.drop_table("readings")
    _create("question_id", has_question=True)
    op.create_index(op.f("ix_readings_message_id"), "readings", ["message_id"], unique=False)
    op.execute(
        "INSERT INTO readings (question_id, message_id, settled_by) "
        "SELECT question_id, message_id, settled_by FROM later_readings"
    )
    op.drop_table("later_readings")


def _create(key: str, *constraints: sa.Constraint, has_question: bool) -> None:
    op.create_table(
        "readings",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=not has_question),
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
        sa.PrimaryKeyConstraint(key, name=op.f("pk_readings")),
        *constraints,
    )
