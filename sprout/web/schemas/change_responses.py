"""Schemas of changes of a path."""

from typing import Literal

from pydantic import Field

from sprout.events import EdgeEnds, NodeRow, Wire, wire_time
from sprout.learning.graph.changes import Change, GraphRows
from sprout.learning.paths.repository import EdgeRow, NodeDetail, UndoResult


class ChangedRows(Wire):
    nodes: list[NodeRow]
    edges: list[EdgeEnds]


class ChangeRow(Wire):
    """A change of the children of `parentId`."""

    id: str
    branch_id: str | None
    parent_id: str
    by: Literal["learner", "agent"]
    agent: str | None
    run_id: str | None
    reason: str | None
    evidence: list[str] = Field(description="the answers that it is based on")
    before: ChangedRows = Field(description="the rows that differ, as they were before it")
    after: ChangedRows = Field(description="the same, as they were after it")
    created_at: str
    undone_at: str | None
    undone_by: str | None = Field(description="the change that undoes this one")
    undoes: str | None = Field(description="the change that this one undoes")


class UndoneChange(Wire):
    """The change that undoes another, and all nodes and edges under its parent now."""

    change: ChangeRow
    nodes: list[NodeDetail]
    edges: list[EdgeRow]


def change_row(change: Change) -> ChangeRow:
    """The change as it goes over the wire."""
    return ChangeRow(
        id=change.id,
        branch_id=change.branch_id,
        parent_id=change.parent_id,
        by="learner" if change.run_id is None else "agent",
        agent=change.agent,
        run_id=change.run_id,
        reason=change.reason,
        evidence=list(change.evidence),
        before=_changed_rows(change.before),
        after=_changed_rows(change.after),
        created_at=wire_time(change.at),
        undone_at=None if change.undone_at is None else wire_time(change.undone_at),
        undone_by=change.undone_by,
        undoes=change.undoes,
    )


def undone_change(undone: UndoResult) -> UndoneChange:
    """The change and the rows as they go over the wire."""
    return UndoneChange(change=change_row(undone.change), nodes=undone.nodes, edges=undone.edges)


def _changed_rows(rows: GraphRows) -> ChangedRows:
    return ChangedRows(nodes=list(rows.nodes), edges=list(rows.edges))
