"""The schema of 0.1, from which the first tables take its rows over; a new database never has it."""

from collections.abc import Sequence

revision: str = "b61f0c7e2d94"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


def upgrade() -> None:
    """Change nothing."""


def downgrade() -> None:
    """Change nothing."""
