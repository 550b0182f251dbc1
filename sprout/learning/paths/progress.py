"""Progress repository: visits to nodes, and overrides of progress by people."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sprout.learning.paths.repository import ProgressRow


@dataclass(frozen=True, slots=True)
class ProgressOverride:
    """An override of a progress row by a person; None leaves a field as it is.

    Args:
        mastery: 0..1.
    """

    mastery: float | None = None
    completed_at: datetime | None = None
    has_generated_subnodes: bool | None = None


class ProgressRepository(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def enter_node(self, node_id: str, *, user_id: str) -> tuple[ProgressRow, bool]:
        """Record a visit to the node; True if its progress row was created."""
        ...

    async def override(self, progress_id: str, values: ProgressOverride, *, user_id: str) -> ProgressRow:
        """Apply an override, which holds until the next graded answer about the node."""
        ...
