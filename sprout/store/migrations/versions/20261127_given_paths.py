"""Paths that are given to classes, and the learners' copies of them."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c5a80f2e9b47"
down_revision: str | Sequence[str] | None = "91d3b6e7c058"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "given_paths",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("class_id", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=False),
        sa.Column("due_on", sa.Text(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["class_id"], ["classes.id"], name=op.f("fk_given_paths_class_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["branch_id"], ["branches.id"], name=op.f("fk_given_paths_branch_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_given_paths")),
        sa.UniqueConstraint("id", name=op.f("uq_given_paths_id")),
        sa.UniqueConstraint("class_id", "branch_id", name=op.f("uq_given_paths_class_id_branch_id")),
    )
    op.create_index(op.f("ix_given_paths_branch_id"), "given_paths", ["branch_id"])
    op.create_table(
        "path_copies",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("given_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=True),
        sa.Column("origins", JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["given_id"], ["given_paths.id"], name=op.f("fk_path_copies_given_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f("fk_path_copies_user_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["branch_id"], ["branches.id"], name=op.f("fk_path_copies_branch_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_path_copies")),
        sa.UniqueConstraint("id", name=op.f("uq_path_copies_id")),
        sa.UniqueConstraint("given_id", "user_id", name=op.f("uq_path_copies_given_id_user_id")),
    )
    for column in ("user_id", "branch_id"):
        op.create_index(op.f(f"ix_path_copies_{column}"), "path_copies", [column])


def downgrade() -> None:
    op.drop_table("path_copies")
    op.drop_table("given_paths")
