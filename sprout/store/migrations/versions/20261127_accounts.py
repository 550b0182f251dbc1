"""Accounts: who signs in, their sessions and tokens, one-time codes, and the log of security events."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "4c7e1f90ab26"
down_revision: str | Sequence[str] | None = "e27c94a1b053"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("display_name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("disabled_at", TIME, nullable=True),
        sa.CheckConstraint("role in ('learner', 'teacher', 'owner')", name=op.f("ck_accounts_role")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_accounts_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_accounts")),
        sa.UniqueConstraint("id", name=op.f("uq_accounts_id")),
        sa.UniqueConstraint("user_id", name=op.f("uq_accounts_user_id")),
        sa.UniqueConstraint("name_key", name=op.f("uq_accounts_name_key")),
    )
    _create_secrets(
        "account_sessions",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_seen_at", TIME, nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
        sa.Column("user_agent", sa.Text(), nullable=False),
    )
    _create_secrets(
        "access_tokens",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", JSON, nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME, nullable=True),
    )
    _create_secrets(
        "one_time_codes",
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
    )
    op.create_table(
        "security_events",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("actor_id", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_security_events_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["actor_id"], ["users.id"], name=op.f("fk_security_events_actor_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_security_events")),
        sa.UniqueConstraint("id", name=op.f("uq_security_events_id")),
    )
    for column in ("at", "user_id", "actor_id"):
        op.create_index(op.f(f"ix_security_events_{column}"), "security_events", [column])


def _create_secrets(table: str, *columns: sa.Column[object]) -> None:
    """A table whose rows are found by the digest of a secret, and belong to an account."""
    op.create_table(
        table,
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("secret_digest", sa.Text(), nullable=False),
        *columns,
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint("id", name=op.f(f"uq_{table}_id")),
        sa.UniqueConstraint("secret_digest", name=op.f(f"uq_{table}_secret_digest")),
    )
    op.create_index(op.f(f"ix_{table}_user_id"), table, ["user_id"])


def downgrade() -> None:
    for table in ("security_events", "one_time_codes", "access_tokens", "account_sessions", "accounts"):
        op.drop_table(table)
