"""Passkeys and linked identities: ways to sign in besides passwords, and attempts that wait for an answer."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "7e2c94d0a6f3"
down_revision: str | Sequence[str] | None = "b82f5c07d9e4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")


def upgrade() -> None:
    op.add_column(
        "accounts", sa.Column("passkey_after_password", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    _create_of_accounts(
        "passkeys",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("credential_id", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("transports", JSON, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME, nullable=True),
        sa.UniqueConstraint("credential_id", name=op.f("uq_passkeys_credential_id")),
    )
    _create_of_accounts(
        "linked_identities",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME, nullable=True),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_linked_identities_issuer_subject")),
        sa.UniqueConstraint("user_id", "issuer", name=op.f("uq_linked_identities_user_id_issuer")),
    )
    _create_of_accounts(
        "sign_in_attempts",
        sa.Column("secret_digest", sa.Text(), nullable=False),
        sa.Column("browser_digest", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("code_digest", sa.Text(), nullable=True),
        sa.Column("expires_at", TIME, nullable=False),
        sa.UniqueConstraint("secret_digest", name=op.f("uq_sign_in_attempts_secret_digest")),
    )
    op.create_index(op.f("ix_sign_in_attempts_expires_at"), "sign_in_attempts", ["expires_at"])


def _create_of_accounts(table: str, *more: sa.schema.SchemaItem) -> None:
    """A table whose rows belong to an account."""
    op.create_table(
        table,
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        *more,
        sa.ForeignKeyConstraint(
            ["user_id"], ["accounts.user_id"], name=op.f(f"fk_{table}_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint("id", name=op.f(f"uq_{table}_id")),
    )
    op.create_index(op.f(f"ix_{table}_user_id"), table, ["user_id"])


def downgrade() -> None:
    for table in ("sign_in_attempts", "linked_identities", "passkeys"):
        op.drop_table(table)
    op.drop_column("accounts", "passkey_after_password")
