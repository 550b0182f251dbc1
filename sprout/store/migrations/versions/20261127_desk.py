"""Decisions of teachers about answers, lessons that are shared with a class, and concerns that a teacher has seen."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "7d20c1f8a634"
down_revision: str | Sequence[str] | None = "b48d0e7f3a15"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
JSON = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
REFERENCES = {
    "desk_decisions": {
        "user_id": ("users.id", "CASCADE"),
        "question_id": ("questions.id", "CASCADE"),
        "answer_id": ("answers.id", "SET NULL"),
        "class_id": ("classes.id", "SET NULL"),
        "decided_by": ("users.id", "SET NULL"),
        "cause_id": ("desk_decisions.id", "SET NULL"),
    },
    "shared_lessons": {
        "session_id": ("chat_sessions.id", "CASCADE"),
        "class_id": ("classes.id", "CASCADE"),
        "user_id": ("users.id", "CASCADE"),
    },
}


def upgrade() -> None:
    op.create_table(
        "desk_decisions",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("question_id", sa.Text(), nullable=False),
        sa.Column("answer_id", sa.Text(), nullable=True),
        sa.Column("class_id", sa.Text(), nullable=True),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", TIME, nullable=False),
        sa.Column("cause_id", sa.Text(), nullable=True),
        sa.Column("seen_at", TIME, nullable=True),
        sa.Column("before", JSON, nullable=False),
        sa.CheckConstraint(
            "decision in ('right', 'partly', 'not_yet', 'drop')", name=op.f("ck_desk_decisions_decision")
        ),
        *_references("desk_decisions"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_desk_decisions")),
        sa.UniqueConstraint("id", name=op.f("uq_desk_decisions_id")),
        sa.UniqueConstraint("question_id", name=op.f("uq_desk_decisions_question_id")),
    )
    for column in ("user_id", "answer_id", "decided_by", "cause_id"):
        op.create_index(op.f(f"ix_desk_decisions_{column}"), "desk_decisions", [column])
    op.create_index(op.f("ix_desk_decisions_class_id_decided_at"), "desk_decisions", ["class_id", "decided_at"])
    op.create_table(
        "shared_lessons",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("class_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("shared_at", TIME, nullable=False),
        *_references("shared_lessons"),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_shared_lessons")),
        sa.UniqueConstraint("id", name=op.f("uq_shared_lessons_id")),
        sa.UniqueConstraint("session_id", name=op.f("uq_shared_lessons_session_id")),
    )
    for column in ("class_id", "user_id"):
        op.create_index(op.f(f"ix_shared_lessons_{column}"), "shared_lessons", [column])
    op.add_column("concerns", sa.Column("seen_at", TIME, nullable=True))


def downgrade() -> None:
    op.drop_column("concerns", "seen_at")
    op.drop_table("shared_lessons")
    op.drop_table("desk_decisions")


def _references(table: str) -> list[sa.ForeignKeyConstraint]:
    return [
        sa.ForeignKeyConstraint([column], [target], name=op.f(f"fk_{table}_{column}"), ondelete=rule)
        for column, (target, rule) in REFERENCES[table].items()
    ]
