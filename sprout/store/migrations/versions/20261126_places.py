"""Places of nodes on the map, kept with their branch."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision: str = "5f0d2c9b7e14"
down_revision: str | Sequence[str] | None = "d1f7b92c4e60"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    places = sa.JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
    op.add_column("branches", sa.Column("places", places, nullable=True))


def downgrade() -> None:
    op.drop_column("branches", "places")
