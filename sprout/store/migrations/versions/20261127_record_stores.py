"""Record stores of classes, and the statements that have arrived there."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "c19f4e7a2d83"
down_revision: str | Sequence[str] | None = "d19f4b7a60c3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "record_stores",
        sa.Column("class_id", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("with_names", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("next_try_at", TIME, nullable=False),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", TIME, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("problem", sa.Text(), nullable=True),
        sa.Column("last_sent_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["class_id"], ["classes.id"], name=op.f("fk_record_stores_class_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("class_id", name=op.f("pk_record_stores")),
    )
    op.create_index(op.f("ix_record_stores_next_try_at"), "record_stores", ["next_try_at"])
    op.create_table(
        "sent_statements",
        sa.Column("class_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("verb", sa.Text(), nullable=False),
        sa.Column("source_id", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("score", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["class_id"], ["record_stores.class_id"], name=op.f("fk_sent_statements_class_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f("fk_sent_statements_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("class_id", "id", name=op.f("pk_sent_statements")),
    )
    op.create_index(op.f("ix_sent_statements_class_id_source_id"), "sent_statements", ["class_id", "source_id"])
    op.create_index(op.f("ix_sent_statements_user_id"), "sent_statements", ["user_id"])


def downgrade() -> None:
    op.drop_table("sent_statements")
    op.drop_table("record_stores")
