"""Keys that are checked: a question that is not checked yet is held back, so that those which were asked all along are
said to have been; and how often a learner has come to a node.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "d90b2f6e51c8"
down_revision: str | Sequence[str] | None = "e93b60d2f7a8"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    op.execute("update questions set state = 'posed' where state = 'drafted' and format = 'mcq'")
    op.execute("update questions set state = 'verified' where state = 'drafted'")
    with op.batch_alter_table("user_node_progress") as progress:
        progress.add_column(sa.Column("entered_count", sa.Integer(), nullable=False, server_default="0"))
        progress.create_check_constraint(op.f("ck_user_node_progress_entered_count"), "entered_count >= 0")


def downgrade() -> None:
    with op.batch_alter_table("user_node_progress") as progress:
        progress.drop_constraint(op.f("ck_user_node_progress_entered_count"), type_="check")
        progress.drop_column("entered_count")
    op.execute("update questions set state = 'drafted' where state in ('posed', 'verified')")
