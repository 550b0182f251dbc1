"""Teaching: grades with their answers, what is prepared for a question and how far its help went, the question that is
pending in a conversation, a person's word on progress, concerns, and what is remembered of a learner.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "c41d8a7e03f6"
down_revision: str | Sequence[str] | None = "b7e2f05c91d4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

JSON_VALUE = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PREPARED = ("anchors", "solution", "help", "ladder", "contest")


def upgrade() -> None:
    with op.batch_alter_table("questions") as questions:
        questions.add_column(sa.Column("kind", sa.Text(), nullable=True))
        for name in PREPARED:
            questions.add_column(sa.Column(name, JSON_VALUE, nullable=True))
        questions.create_check_constraint(op.f("ck_questions_kind"), "kind in ('text', 'code', 'draw', 'mcq')")
    with op.batch_alter_table("answers") as answers:
        answers.add_column(sa.Column("help_level", sa.Integer(), nullable=False, server_default="0"))
        answers.add_column(sa.Column("grade", JSON_VALUE, nullable=True))
        answers.create_check_constraint(op.f("ck_answers_help_level"), "help_level between 0 and 4")
    op.execute(
        "update answers set help_level = 1 where exists ("
        "select 1 from answers as earlier where earlier.question_id = answers.question_id "
        "and earlier.user_id = answers.user_id and earlier.creation < answers.creation and earlier.score is not null)"
    )
    with op.batch_alter_table("user_node_progress") as progress:
        progress.add_column(sa.Column("overridden_at", sa.DateTime(timezone=True), nullable=True))
    with op.batch_alter_table("chat_sessions") as sessions:
        sessions.add_column(sa.Column("pending_question_id", sa.Text(), nullable=True))
        sessions.add_column(sa.Column("plan", JSON_VALUE, nullable=True))
        sessions.create_foreign_key(
            op.f("fk_chat_sessions_pending_question_id"),
            "questions",
            ["pending_question_id"],
            ["id"],
            ondelete="SET NULL",
        )
        sessions.create_index(op.f("ix_chat_sessions_pending_question_id"), ["pending_question_id"])
    op.create_table(
        "concerns",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_concerns_user_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_concerns_session_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_concerns")),
        sa.UniqueConstraint("id", name=op.f("uq_concerns_id")),
    )
    op.create_index(op.f("ix_concerns_user_id"), "concerns", ["user_id"])
    op.create_index(op.f("ix_concerns_session_id"), "concerns", ["session_id"])
    op.create_table(
        "learner_memories",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_learner_memories_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_learner_memories")),
        sa.UniqueConstraint("id", name=op.f("uq_learner_memories_id")),
    )
    op.create_index(op.f("ix_learner_memories_user_id"), "learner_memories", ["user_id"])
    op.create_table(
        "drawings",
        sa.Column("creation", COUNTER, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["chat_sessions.id"], name=op.f("fk_drawings_session_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("creation", name=op.f("pk_drawings")),
        sa.UniqueConstraint("id", name=op.f("uq_drawings_id")),
    )
    op.create_index(op.f("ix_drawings_session_id"), "drawings", ["session_id"])


def downgrade() -> None:
    op.drop_table("drawings")
    op.drop_table("learner_memories")
    op.drop_table("concerns")
    with op.batch_alter_table("chat_sessions") as sessions:
        sessions.drop_index(op.f("ix_chat_sessions_pending_question_id"))
        sessions.drop_constraint(op.f("fk_chat_sessions_pending_question_id"), type_="foreignkey")
        sessions.drop_column("plan")
        sessions.drop_column("pending_question_id")
    with op.batch_alter_table("user_node_progress") as progress:
        progress.drop_column("overridden_at")
    with op.batch_alter_table("answers") as answers:
        answers.drop_constraint(op.f("ck_answers_help_level"), type_="check")
        answers.drop_column("grade")
        answers.drop_column("help_level")
    with op.batch_alter_table("questions") as questions:
        questions.drop_constraint(op.f("ck_questions_kind"), type_="check")
        for name in (*reversed(PREPARED), "kind"):
            questions.drop_column(name)
