"""Answers and messages of a learner by their time: when they were there last, and in the last days."""

from collections.abc import Sequence

from alembic import op

revision: str = "a3d94e61c7f0"
down_revision: str | Sequence[str] | None = "c5a80f2e9b47"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TABLES = ("answers", "chat_messages")


def upgrade() -> None:
    for table in TABLES:
        op.create_index(op.f(f"ix_{table}_user_id_created_at"), table, ["user_id", "created_at"])


def downgrade() -> None:
    for table in TABLES:
        op.drop_index(op.f(f"ix_{table}_user_id_created_at"), table_name=table)
