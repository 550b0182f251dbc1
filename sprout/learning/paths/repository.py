"""Path repository: branches, nodes, edges, documents and progress of one owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pydantic import Field

from sprout.events import NodeRow, Wire
from sprout.learning.graph.changes import Change

DEFAULT_USER_ID = "00000000-0000-0000-0000-000000000000"


class BranchRow(Wire):
    id: str
    title: str
    user_id: str
    created_at: str
    updated_at: str


class EdgeRow(Wire):
    id: str
    source_node_id: str
    target_node_id: str
    created_at: str


class DocumentRow(Wire):
    """`extraction_error` says to its learner why it could not be read, `extraction_code` names that sentence, and
    `passages` is how many pieces its text has."""

    id: str
    node_id: str
    original_filename: str
    mime_type: str
    file_size_bytes: int
    extraction_status: Literal["pending", "completed", "failed"]
    created_at: str
    extraction_error: str | None
    extraction_code: str | None
    retry_may_help: bool
    pages: int | None
    passages: int


class ProgressRow(Wire):
    """Progress on a node: `completed_at` is when it was learned, `mastered_at` when it was mastered, while it is."""

    id: str
    user_id: str
    node_id: str
    first_entered_at: str | None
    last_entered_at: str | None
    completed_at: str | None
    mastered_at: str | None
    mastery_score: float
    attempts_count: int
    has_generated_subnodes: bool
    created_at: str
    updated_at: str


class NodeDetail(NodeRow):
    """A node with the reason given for it."""

    reason: str | None


class ConceptSummary(Wire):
    id: str
    title: str
    learned: bool
    mastered: bool
    begun: bool
    mastery: float
    subconcept_count: int


class BranchSummary(Wire):
    """A branch as the list of paths shows it."""

    branch: BranchRow
    root_id: str | None
    concepts: list[ConceptSummary]
    last_activity_at: str


class Place(Wire):
    """Where a node stands on the map of its level: px from the middle, and layers from the ground up."""

    x: int
    layer: float


class PathGraph(Wire):
    """The nodes of a branch, their edges, and the learner's progress on them, in the order of creation.

    Args:
        cited: node → characters of the passages that it teaches from.
    """

    branch: BranchRow
    nodes: list[NodeDetail]
    edges: list[EdgeRow]
    progress: list[ProgressRow]
    cited: dict[str, int] = Field(default_factory=dict, exclude=True)


class BranchGraph(PathGraph):
    """Everything that a branch's page draws, in the order of creation.

    Args:
        places: of the nodes that were given one.
        bare: ids of the concepts whose diagnostic has nothing to ask.
    """

    documents: list[DocumentRow]
    places: dict[str, Place]
    bare: list[str]


@dataclass(frozen=True, slots=True)
class UndoResult:
    """The change by which another is undone, and all children of their parent now, in the order of creation."""

    change: Change
    nodes: list[NodeDetail]
    edges: list[EdgeRow]


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A file of a kind that can be read."""

    filename: str
    mime_type: str
    content: bytes


class PathRepository(Protocol):
    """Owner-scoped: what is missing or another learner's raises NotFound."""

    async def branches(self, user_id: str) -> list[BranchRow]: ...

    async def summaries(self, user_id: str) -> list[BranchSummary]:
        """All branches with their concepts, newest activity first, in a bounded number of queries."""
        ...

    async def branch(self, branch_id: str, *, user_id: str) -> BranchRow: ...

    async def create_branch(self, title: str, *, user_id: str) -> BranchRow: ...

    async def rename_branch(self, branch_id: str, title: str | None, *, user_id: str) -> BranchRow:
        """The branch with its new title, if one is given; `updated_at` moves in any case."""
        ...

    async def delete_branch(self, branch_id: str, *, user_id: str) -> None:
        """Everything of the branch goes, its runs and documents too. Raises Conflict: a run of it is active."""
        ...

    async def graph(self, branch_id: str, *, user_id: str) -> BranchGraph: ...

    async def graphs(self, branch_ids: Sequence[str], *, user_id: str) -> list[PathGraph]:
        """Those of these branches that are the user's, in the order of their ids."""
        ...

    async def keep_places(self, branch_id: str, places: Mapping[str, Place], *, user_id: str) -> None:
        """Store where nodes stand, beside the places that others have; what is no node of the branch is left out."""
        ...

    async def nodes(
        self,
        *,
        user_id: str,
        type: Literal["root", "concept", "subconcept"] | None = None,
        branch_id: str | None = None,
        parent_id: str | None = None,
    ) -> list[NodeRow]: ...

    async def node(self, node_id: str, *, user_id: str) -> NodeRow: ...

    async def create_node(
        self,
        *,
        user_id: str,
        type: Literal["root", "concept", "subconcept"],
        title: str,
        branch_id: str | None,
        parent_id: str | None,
        desc: str | None,
    ) -> NodeRow:
        """Raises NotFound (branch or parent), Conflict (a second root, a title taken), BadInput (a type that does not
        fit under that parent)."""
        ...

    async def update_node(
        self, node_id: str, *, user_id: str, title: str | None, desc: str | None, accuracy_score: float | None
    ) -> NodeRow: ...

    async def delete_node(self, node_id: str, *, user_id: str) -> None:
        """Missing is fine. Raises Conflict while it has children."""
        ...

    async def changes(
        self, branch_id: str, *, user_id: str, before: str | None = None, limit: int = 50
    ) -> list[Change]:
        """Every change of the branch, newest first; with `before`, those older than that one."""
        ...

    async def undo(self, change_id: str, *, user_id: str) -> UndoResult:
        """Undo a change, by a change of its own; a change that is undone already stays so.

        Raises UndoRefused, InvalidGraphEdit (a node with parts would go), Conflict (a run is active there).
        """
        ...

    async def dependency_edges(
        self, parent_id: str, *, user_id: str, child_type: Literal["concept", "subconcept"] | None
    ) -> list[EdgeRow]: ...

    async def progress(self, user_id: str, *, node_id: str | None = None) -> list[ProgressRow]: ...

    async def add_documents(self, node_id: str, documents: Sequence[NewDocument], *, user_id: str) -> list[DocumentRow]:
        """All or none; each waits to be read."""
        ...

    async def documents(self, node_id: str, *, user_id: str) -> list[DocumentRow]: ...

    async def document_content(self, document_id: str, *, user_id: str) -> tuple[DocumentRow, bytes]:
        """A document with its bytes as uploaded. Raises UnreadableDocument (they are gone), StorageUnavailable."""
        ...

    async def retry_document(self, node_id: str, document_id: str, *, user_id: str) -> tuple[DocumentRow, bool]:
        """The document, and whether it waits to be read again since now: only one that has failed does."""
        ...

    async def delete_document(self, node_id: str, document_id: str, *, user_id: str) -> None: ...
