"""What the tutor's words teach from, and which attempt a learner's words were."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "a47c1d92e6b3"
down_revision: str | Sequence[str] | None = "d90b2f6e51c8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_table(
        "message_citations",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("passage_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["message_id"], ["chat_messages.id"], name=op.f("fk_message_citations_message_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["passage_id"], ["passages.id"], name=op.f("fk_message_citations_passage_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("message_id", "passage_id", name=op.f("pk_message_citations")),
    )
    op.create_index(op.f("ix_message_citations_passage_id"), "message_citations", ["passage_id"])
    with op.batch_alter_table("chat_messages") as messages:
        messages.add_column(sa.Column("answer_id", sa.Text(), nullable=True))
        messages.create_foreign_key(
            op.f("fk_chat_messages_answer_id"), "answers", ["answer_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index(op.f("ix_chat_messages_answer_id"), "chat_messages", ["answer_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_chat_messages_answer_id"), "chat_messages")
    with op.batch_alter_table("chat_messages") as messages:
        messages.drop_constraint(op.f("fk_chat_messages_answer_id"), type_="foreignkey")
        messages.drop_column("answer_id")
    op.drop_table("message_citations")
