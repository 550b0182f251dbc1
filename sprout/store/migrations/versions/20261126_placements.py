"""Placements: their questions, and what they found."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d3f7b05c9a41"
down_revision: str | Sequence[str] | None = "5f0d2c9b7e14"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "placements",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("branch_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.CheckConstraint("kind in ('path', 'node')", name=op.f("ck_placements_kind")),
        sa.ForeignKeyConstraint(
            ["branch_id"], ["branches.id"], name=op.f("fk_placements_branch_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_placements_node_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_placements_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_placements")),
        sa.UniqueConstraint("id", name=op.f("uq_placements_id")),
    )
    for column in ("branch_id", "node_id"):
        op.create_index(op.f(f"ix_placements_{column}"), "placements", [column])
    op.create_index(op.f("ix_placements_user_id_started_at"), "placements", ["user_id", "started_at"])
    op.create_index(
        "uq_placements_open",
        "placements",
        ["user_id", "branch_id", "kind"],
        unique=True,
        sqlite_where=sa.text("ended_at is null"),
        postgresql_where=sa.text("ended_at is null"),
    )
    op.create_table(
        "placement_items",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("placement_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.Column("question_id", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state in ('posed', 'answered', 'skipped', 'dropped')", name=op.f("ck_placement_items_state")
        ),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name=op.f("fk_placement_items_node_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["placement_id"], ["placements.id"], name=op.f("fk_placement_items_placement_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_placement_items_question_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_placement_items")),
        sa.UniqueConstraint("id", name=op.f("uq_placement_items_id")),
        sa.UniqueConstraint("placement_id", "position", name=op.f("uq_placement_items_placement_id_position")),
    )
    for column in ("node_id", "question_id"):
        op.create_index(op.f(f"ix_placement_items_{column}"), "placement_items", [column])
    op.create_table(
        "placement_findings",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("placement_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("known", sa.Boolean(), nullable=False),
        sa.Column("said", sa.Boolean(), nullable=True),
        sa.Column("said_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["node_id"], ["nodes.id"], name=op.f("fk_placement_findings_node_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["placement_id"], ["placements.id"], name=op.f("fk_placement_findings_placement_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_placement_findings")),
        sa.UniqueConstraint("id", name=op.f("uq_placement_findings_id")),
        sa.UniqueConstraint("placement_id", "node_id", name=op.f("uq_placement_findings_placement_id_node_id")),
    )
    op.create_index(op.f("ix_placement_findings_node_id"), "placement_findings", ["node_id"])


def downgrade() -> None:
    for table in ("placement_findings", "placement_items", "placements"):
        op.drop_table(table)
