"""Classes: a teacher, the learners who joined with a code, and cards for those without a password."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "91d3b6e7c058"
down_revision: str | Sequence[str] | None = "f6b03d92c8e1"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

contracts = "accounts are new in this release, so that the one before writes none"

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("accounts", sa.Column("card_digest", sa.Text(), nullable=True))
    op.create_index(op.f("ix_accounts_card_digest"), "accounts", ["card_digest"], unique=True)
    op.create_table(
        "classes",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("archived_at", TIME, nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.Column("code_expires_at", TIME, nullable=True),
        sa.Column("code_uses", sa.Integer(), nullable=False),
        sa.CheckConstraint("code_uses >= 0", name=op.f("ck_classes_code_uses")),
        sa.ForeignKeyConstraint(["user_id"], ["accounts.user_id"], name=op.f("fk_classes_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_classes")),
        sa.UniqueConstraint("id", name=op.f("uq_classes_id")),
        sa.UniqueConstraint("code", name=op.f("uq_classes_code")),
    )
    op.create_index(op.f("ix_classes_user_id"), "classes", ["user_id"])
    op.create_table(
        "class_members",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("class_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("joined_at", TIME, nullable=False),
        sa.Column("has_card", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["class_id"], ["classes.id"], name=op.f("fk_class_members_class_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f("fk_class_members_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_class_members")),
        sa.UniqueConstraint("id", name=op.f("uq_class_members_id")),
        sa.UniqueConstraint("class_id", "user_id", name=op.f("uq_class_members_class_id_user_id")),
    )
    op.create_index(op.f("ix_class_members_user_id"), "class_members", ["user_id"])


def downgrade() -> None:
    op.drop_table("class_members")
    op.drop_table("classes")
    op.drop_index(op.f("ix_accounts_card_digest"), table_name="accounts")
    op.drop_column("accounts", "card_digest")
