"""The model of a class: that of the server, its local one, or none."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "e80b5d3c61f9"
down_revision: str | Sequence[str] | None = "a84d2f6c07be"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

contracts = "classes are new in this release, so that the one before reads none"


def upgrade() -> None:
    op.add_column("classes", sa.Column("model", sa.Text(), nullable=False, server_default="on"))
    op.execute("UPDATE classes SET model = 'off' WHERE model_off")
    op.drop_column("classes", "model_off")


def downgrade() -> None:
    op.add_column("classes", sa.Column("model_off", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.execute("UPDATE classes SET model_off = true WHERE model <> 'on'")
    op.drop_column("classes", "model")
