"""Answers that show a mix-up, and the nodes of a branch by their type: what a class page looks for among thousands."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d19f4b7a60c3"
down_revision: str | Sequence[str] | None = "5d1c8e03b7f4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.create_index(
        "ix_answers_shows_mix_up",
        "answers",
        ["user_id"],
        sqlite_where=sa.text('instr(grade, \'"misconceptions":["\') > 0'),
        postgresql_where=sa.text("grade @? '$.misconceptions[0]'"),
    )
    op.create_index(op.f("ix_nodes_branch_id_type"), "nodes", ["branch_id", "type"])
    op.drop_index(op.f("ix_nodes_branch_id"), table_name="nodes")


def downgrade() -> None:
    op.create_index(op.f("ix_nodes_branch_id"), "nodes", ["branch_id"])
    op.drop_index(op.f("ix_nodes_branch_id_type"), table_name="nodes")
    op.drop_index("ix_answers_shows_mix_up", table_name="answers")
