"""Changes of a path that can be undone: what they go by, what was lost with them, and which takes back which.

A change outlives the node that it was made under, so that a removal can be undone and then what was done before it.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "b7e2f05c91d4"
down_revision: str | Sequence[str] | None = "5d1c0b7e42a9"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

JSON_VALUE = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")


def upgrade() -> None:
    with op.batch_alter_table("graph_operations") as operations:
        operations.add_column(sa.Column("evidence", JSON_VALUE, nullable=False, server_default="[]"))
        operations.add_column(sa.Column("lost", JSON_VALUE, nullable=False, server_default="{}"))
        operations.add_column(sa.Column("undoes", sa.Text(), nullable=True))
        operations.drop_constraint(op.f("fk_graph_operations_parent_id"), type_="foreignkey")
        operations.create_unique_constraint(op.f("uq_graph_operations_undoes"), ["undoes"])


def downgrade() -> None:
    op.execute("delete from graph_operations where parent_id not in (select id from nodes)")
    with op.batch_alter_table("graph_operations") as operations:
        operations.drop_constraint(op.f("uq_graph_operations_undoes"), type_="unique")
        operations.create_foreign_key(
            op.f("fk_graph_operations_parent_id"), "nodes", ["parent_id"], ["id"], ondelete="CASCADE"
        )
        for name in ("undoes", "lost", "evidence"):
            operations.drop_column(name)
