"""Documents are read in the background: who reads one, how often it was begun, and what came of it."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c58e0b7d3f92"
down_revision: str | Sequence[str] | None = "a47c1d92e6b3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

PENDING = "extraction_status = 'pending'"


def upgrade() -> None:
    with op.batch_alter_table("topic_documents") as documents:
        documents.add_column(sa.Column("pages", sa.Integer(), nullable=True))
        documents.add_column(sa.Column("attempts", sa.Integer(), server_default="0", nullable=False))
        documents.add_column(sa.Column("retry_may_help", sa.Boolean(), server_default=sa.false(), nullable=False))
        documents.add_column(sa.Column("reader", sa.Text(), nullable=True))
        documents.add_column(sa.Column("reader_until", sa.DateTime(timezone=True), nullable=True))
        documents.create_check_constraint(op.f("ck_topic_documents_attempts"), "attempts >= 0")
    op.create_index(
        "ix_topic_documents_unread",
        "topic_documents",
        ["creation"],
        sqlite_where=sa.text(PENDING),
        postgresql_where=sa.text(PENDING),
    )


def downgrade() -> None:
    op.drop_index("ix_topic_documents_unread", "topic_documents")
    with op.batch_alter_table("topic_documents") as documents:
        documents.drop_constraint(op.f("ck_topic_documents_attempts"), type_="check")
        for name in ("reader_until", "reader", "retry_may_help", "attempts", "pages"):
            documents.drop_column(name)
