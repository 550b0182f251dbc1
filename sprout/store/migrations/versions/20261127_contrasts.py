"""Contrast questions that teachers send to the learners of a class who hold a mix-up."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "b82f5c07d9e4"
down_revision: str | Sequence[str] | None = "a3d94e61c7f0"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "contrasts",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("given_id", sa.Text(), nullable=False),
        sa.Column("belief_id", sa.Text(), nullable=False),
        sa.Column("sent_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["given_id"], ["given_paths.id"], name=op.f("fk_contrasts_given_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_contrasts")),
        sa.UniqueConstraint("id", name=op.f("uq_contrasts_id")),
    )
    op.create_index(op.f("ix_contrasts_given_id"), "contrasts", ["given_id"])
    op.create_table(
        "contrast_recipients",
        sa.Column("contrast_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["contrast_id"], ["contrasts.id"], name=op.f("fk_contrast_recipients_contrast_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f("fk_contrast_recipients_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_contrast_recipients_question_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("contrast_id", "user_id", name=op.f("pk_contrast_recipients")),
    )
    for column in ("user_id", "question_id"):
        op.create_index(op.f(f"ix_contrast_recipients_{column}"), "contrast_recipients", [column])
    with op.batch_alter_table("review_items") as items:
        items.add_column(sa.Column("contrast_id", sa.Text(), nullable=True))
        items.create_foreign_key(
            op.f("fk_review_items_contrast_id"), "contrasts", ["contrast_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index(op.f("ix_review_items_contrast_id"), "review_items", ["contrast_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_review_items_contrast_id"), table_name="review_items")
    with op.batch_alter_table("review_items") as items:
        items.drop_constraint(op.f("fk_review_items_contrast_id"), type_="foreignkey")
        items.drop_column("contrast_id")
    op.drop_table("contrast_recipients")
    op.drop_table("contrasts")
