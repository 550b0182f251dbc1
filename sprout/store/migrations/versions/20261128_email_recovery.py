"""E-mail addresses of accounts, and one-time codes that recover a password or confirm an address."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "f4a70c9d3e52"
down_revision: str | Sequence[str] | None = "b3f7e21c8d04"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None
contracts = "accounts are new in this release, so that the one before writes no codes"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("email", sa.Text(), nullable=True))
    op.create_index(op.f("ix_accounts_email"), "accounts", ["email"])
    with op.batch_alter_table("one_time_codes") as codes:
        codes.add_column(sa.Column("purpose", sa.Text(), nullable=False, server_default="sign_in"))
        codes.add_column(sa.Column("email", sa.Text(), nullable=True))
        codes.create_check_constraint(op.f("ck_one_time_codes_purpose"), "purpose in ('sign_in', 'password', 'email')")


def downgrade() -> None:
    # An older version takes every code for one that sets any way to sign in.
    op.execute(sa.text("delete from one_time_codes where purpose <> 'sign_in'"))
    with op.batch_alter_table("one_time_codes") as codes:
        codes.drop_constraint(op.f("ck_one_time_codes_purpose"), type_="check")
        codes.drop_column("email")
        codes.drop_column("purpose")
    op.drop_index(op.f("ix_accounts_email"), table_name="accounts")
    op.drop_column("accounts", "email")
