"""Reviews: cards, their history, sessions and settings; what is learned already gets its card."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import uuid4

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "a83642796e3f"
down_revision: str | Sequence[str] | None = "c4e2a8f1b763"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON_VALUE = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = sa.DateTime(timezone=True)
FIRST_REVIEW_AFTER = timedelta(days=1)
BATCH = 1_000


def upgrade() -> None:
    op.create_table(
        "review_sessions",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_review_sessions_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_review_sessions")),
        sa.UniqueConstraint("id", name=op.f("uq_review_sessions_id")),
    )
    op.create_index(op.f("ix_review_sessions_user_id_started_at"), "review_sessions", ["user_id", "started_at"])
    op.create_index(
        "uq_review_sessions_open",
        "review_sessions",
        ["user_id"],
        unique=True,
        sqlite_where=sa.text("ended_at is null"),
        postgresql_where=sa.text("ended_at is null"),
    )
    op.create_table(
        "review_settings",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("retention", sa.Float(), nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=True),
        sa.Column("day_starts_at", sa.Integer(), nullable=False),
        sa.CheckConstraint("day_starts_at between 0 and 23", name=op.f("ck_review_settings_day_starts_at")),
        sa.CheckConstraint("minutes in (5, 10, 20)", name=op.f("ck_review_settings_minutes")),
        sa.CheckConstraint("retention between 0.8 and 0.95", name=op.f("ck_review_settings_retention")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_review_settings_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_review_settings")),
    )
    op.create_table(
        "review_cards",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("learned_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.Column("stability", sa.Float(), nullable=True),
        sa.Column("difficulty", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_review_cards_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_review_cards_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_review_cards")),
        sa.UniqueConstraint("id", name=op.f("uq_review_cards_id")),
        sa.UniqueConstraint("user_id", "node_id", name=op.f("uq_review_cards_user_id_node_id")),
    )
    op.create_index(op.f("ix_review_cards_node_id"), "review_cards", ["node_id"])
    op.create_index(op.f("ix_review_cards_user_id_due_at"), "review_cards", ["user_id", "due_at"])
    op.create_table(
        "review_items",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=True),
        sa.Column("covers", JSON_VALUE, nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("comes_back", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=True),
        sa.Column("answer_id", sa.Text(), nullable=True),
        sa.Column("posed_at", TIME, nullable=True),
        sa.Column("settled_at", TIME, nullable=True),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.CheckConstraint(
            "state in ('waiting', 'posed', 'comparing', 'answered', 'skipped', 'dropped')",
            name=op.f("ck_review_items_state"),
        ),
        sa.ForeignKeyConstraint(
            ["answer_id"], ["answers.id"], name=op.f("fk_review_items_answer_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_review_items_node_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["question_id"], ["questions.id"], name=op.f("fk_review_items_question_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["review_sessions.id"], name=op.f("fk_review_items_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_review_items")),
        sa.UniqueConstraint("id", name=op.f("uq_review_items_id")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_review_items_session_id_position")),
    )
    for column in ("answer_id", "node_id", "question_id"):
        op.create_index(op.f(f"ix_review_items_{column}"), "review_items", [column])
    op.create_table(
        "reviews",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("node_id", sa.Text(), nullable=False),
        sa.Column("answer_id", sa.Text(), nullable=True),
        sa.Column("at", TIME, nullable=False),
        sa.Column("grade", sa.Text(), nullable=False),
        sa.Column("retention", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("is_credit", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.CheckConstraint("grade in ('again', 'hard', 'good', 'easy')", name=op.f("ck_reviews_grade")),
        sa.CheckConstraint("retention between 0.8 and 0.95", name=op.f("ck_reviews_retention")),
        sa.CheckConstraint("seconds >= 0", name=op.f("ck_reviews_seconds")),
        sa.ForeignKeyConstraint(["answer_id"], ["answers.id"], name=op.f("fk_reviews_answer_id"), ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["node_id"], ["nodes.id"], name=op.f("fk_reviews_node_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_reviews_user_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_reviews")),
        sa.UniqueConstraint("id", name=op.f("uq_reviews_id")),
    )
    op.create_index(op.f("ix_reviews_answer_id"), "reviews", ["answer_id"])
    op.create_index(op.f("ix_reviews_node_id"), "reviews", ["node_id"])
    op.create_index(op.f("ix_reviews_user_id_at"), "reviews", ["user_id", "at"])
    op.create_index(op.f("ix_reviews_user_id_node_id"), "reviews", ["user_id", "node_id"])
    _make_cards()


def downgrade() -> None:
    for table in ("reviews", "review_items", "review_cards", "review_settings", "review_sessions"):
        op.drop_table(table)


def _make_cards() -> None:
    """A card for each part that is learned, due a day after that."""
    progress = sa.table(
        "user_node_progress",
        sa.column("creation", COUNTER),
        sa.column("user_id", sa.Text()),
        sa.column("node_id", sa.Text()),
        sa.column("completed_at", TIME),
    )
    nodes = sa.table("nodes", sa.column("id", sa.Text()), sa.column("type", sa.Text()))
    cards = sa.table(
        "review_cards",
        *(sa.column(name, sa.Text()) for name in ("id", "user_id", "node_id")),
        *(sa.column(name, TIME) for name in ("learned_at", "due_at", "seen_at")),
    )
    learned = (
        sa.select(progress.c.user_id, progress.c.node_id, progress.c.completed_at)
        .join(nodes, nodes.c.id == progress.c.node_id)
        .where(nodes.c.type == "subconcept", progress.c.completed_at.is_not(None))
        .order_by(progress.c.creation)
    )
    connection = op.get_bind()
    found = connection.execute(learned).all()
    for start in range(0, len(found), BATCH):
        rows = [
            {
                "id": str(uuid4()),
                "user_id": row.user_id,
                "node_id": row.node_id,
                "learned_at": row.completed_at,
                "due_at": row.completed_at + FIRST_REVIEW_AFTER,
                "seen_at": row.completed_at,
            }
            for row in found[start : start + BATCH]
        ]
        connection.execute(sa.insert(cards), rows)
