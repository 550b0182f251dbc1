"""Runs that survive: carriers with a lease, questions to a person, idempotency keys, checkpoints to go on from."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "4d0e6b7a51c2"
down_revision: str | Sequence[str] | None = "9a75bf5f897e"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

JSON_VALUE = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
KINDS = "('input', 'llm_response', 'tool_result', 'compaction', 'journal_update', 'human_pause', 'final')"


def upgrade() -> None:
    op.create_table(
        "carriers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_carriers")),
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_idempotency_keys_run_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_idempotency_keys_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index(op.f("ix_idempotency_keys_run_id"), "idempotency_keys", ["run_id"], unique=False)
    for column in (
        sa.Column("question", JSON_VALUE, nullable=True),
        sa.Column("answered", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("approvals", JSON_VALUE, nullable=True),
        sa.Column("crashes", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("crashed_at", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("cause", sa.Text(), nullable=False, server_default="cut_off"),
        sa.Column("discarded", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("task", sa.Text(), nullable=True),
    ):
        op.add_column("runs", column)
    op.drop_column("runs", "lease_until")
    op.create_index(op.f("ix_runs_owner"), "runs", ["owner"], unique=False)
    for column in (
        sa.Column("position", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("iteration", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("said", sa.Text(), nullable=False, server_default="[]"),
        sa.Column("safe", sa.Boolean(), nullable=False, server_default=sa.true()),
    ):
        op.add_column("tool_calls", column)
    with op.batch_alter_table("checkpoints") as checkpoints:
        checkpoints.add_column(sa.Column("elapsed_s", sa.Float(), nullable=False, server_default="0"))
        checkpoints.add_column(sa.Column("stop_reason", sa.Text(), nullable=True))
        checkpoints.add_column(sa.Column("state", sa.Text(), nullable=True))
        checkpoints.add_column(sa.Column("digest", sa.Text(), nullable=True))
        checkpoints.add_column(sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
        checkpoints.drop_constraint(op.f("ck_checkpoints_kind"), type_="check")
        checkpoints.create_check_constraint(op.f("ck_checkpoints_kind"), f"kind in {KINDS}")


def downgrade() -> None:
    with op.batch_alter_table("checkpoints") as checkpoints:
        checkpoints.drop_constraint(op.f("ck_checkpoints_kind"), type_="check")
        checkpoints.create_check_constraint(
            op.f("ck_checkpoints_kind"), "kind in ('input', 'llm_response', 'tool_result', 'final')"
        )
        for name in ("version", "digest", "state", "stop_reason", "elapsed_s"):
            checkpoints.drop_column(name)
    for name in ("safe", "said", "iteration", "position"):
        op.drop_column("tool_calls", name)
    op.drop_index(op.f("ix_runs_owner"), table_name="runs")
    op.add_column("runs", sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True))
    for name in ("task", "discarded", "cause", "crashed_at", "crashes", "approvals", "answered", "question"):
        op.drop_column("runs", name)
    op.drop_index(op.f("ix_idempotency_keys_run_id"), table_name="idempotency_keys")
    op.drop_table("idempotency_keys")
    op.drop_table("carriers")
