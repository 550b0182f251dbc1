"""What was found out about each model."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "5d1c8e03b7f4"
down_revision: str | Sequence[str] | None = "7e2c94d0a6f3"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "model_probes",
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("probed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tool_calls", sa.Integer(), nullable=True),
        sa.Column("calls_in_one_reply", sa.Integer(), nullable=True),
        *(
            sa.Column(name, sa.Boolean(), nullable=True)
            for name in ("nested_input", "heeds_system", "streams", "thinks")
        ),
        sa.Column("long_prompt", sa.Text(), nullable=True),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("tokens_per_s", sa.Float(), nullable=True),
        sa.Column("first_byte_s", sa.Float(), nullable=True),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("address", "model", name=op.f("pk_model_probes")),
    )


def downgrade() -> None:
    op.drop_table("model_probes")
