"""Tables of placements: their questions, and what they found about each part of the path."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from sprout.clock import utc_now
from sprout.store.schema.columns import OrderedModel, SafeText, UtcTime, one_of, unique_where

KINDS = ("path", "node")
ITEM_STATES = ("posed", "answered", "skipped", "dropped")


class PlacementRow(OrderedModel, table=True):
    """A placement of a path, or a check of a node that its learner says they know.

    `node_id` is that node; a check whose node was removed has none.
    """

    __tablename__ = "placements"
    __table_args__ = (
        one_of("kind", KINDS),
        unique_where("ended_at is null", "uq_placements_open", "user_id", "branch_id", "kind"),
        Index(None, "user_id", "started_at"),
    )

    user_id: str = Field(foreign_key="users.id", ondelete="CASCADE", sa_type=SafeText)
    branch_id: str = Field(foreign_key="branches.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    kind: str = Field(sa_type=SafeText)
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="SET NULL", index=True, sa_type=SafeText)
    started_at: datetime = Field(default_factory=utc_now, sa_type=UtcTime)
    ended_at: datetime | None = Field(default=None, sa_type=UtcTime)


class PlacementItem(OrderedModel, table=True):
    """A question of a placement; what its answer showed is read from the answers. Without a node once it is removed."""

    __tablename__ = "placement_items"
    __table_args__ = (one_of("state", ITEM_STATES), UniqueConstraint("placement_id", "position"))

    placement_id: str = Field(foreign_key="placements.id", ondelete="CASCADE", sa_type=SafeText)
    position: int
    node_id: str | None = Field(default=None, foreign_key="nodes.id", ondelete="SET NULL", index=True, sa_type=SafeText)
    question_id: str | None = Field(
        default=None, foreign_key="questions.id", ondelete="SET NULL", index=True, sa_type=SafeText
    )
    state: str = Field(default="posed", sa_type=SafeText)


class PlacementFinding(OrderedModel, table=True):
    """Whether an ended placement found a part known, computed from its answers; `said` is what its learner says."""

    __tablename__ = "placement_findings"
    __table_args__ = (UniqueConstraint("placement_id", "node_id"),)

    placement_id: str = Field(foreign_key="placements.id", ondelete="CASCADE", sa_type=SafeText)
    node_id: str = Field(foreign_key="nodes.id", ondelete="CASCADE", index=True, sa_type=SafeText)
    known: bool
    said: bool | None = None
    said_at: datetime | None = Field(default=None, sa_type=UtcTime)
