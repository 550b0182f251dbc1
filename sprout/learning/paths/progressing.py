"""A learner's coming to a node, and a person's word on how far they are with it: the Protocol of what keeps both."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sprout.learning.paths.library import ProgressRow


@dataclass(frozen=True, slots=True)
class Overruling:
    """What a person says of a progress row; None leaves a thing as it is.

    Args:
        mastery: 0..1.
    """

    mastery: float | None = None
    completed_at: datetime | None = None
    has_generated_subnodes: bool | None = None


class Progress(Protocol):
    """Owner-scoped: what is missing and what is somebody else's are the same NotFound."""

    async def enter(self, node_id: str, *, user_id: str) -> tuple[ProgressRow, bool]:
        """Note that the learner comes to the node; True where it is the first word on it."""
        ...

    async def overrule(self, progress_id: str, said: Overruling, *, user_id: str) -> ProgressRow:
        """Keep what a person says, until the next graded answer about the node (H4)."""
        ...
