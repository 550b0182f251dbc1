"""Memory path: one topic with its concepts and notes, for an agent that designs the path without a database."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from sprout.clock import utc_now
from sprout.documents.splitting.passages import split_into_passages
from sprout.errors import NotFound
from sprout.evaluation.agent_run import SoloTeam
from sprout.evaluation.memory_node import NODE_ID, memory_node
from sprout.events import EdgeEnds, NodeRow
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.graph.traversal import Pair
from sprout.learning.paths.passages import DocumentStatus, Passage
from sprout.learning.questions.diagnostics import AskedQuestion, SavedQuestion
from sprout.learning.questions.questions import QuestionDraft

NOTES = "notes.md"


class MemoryPath:
    """Repositories of a topic agent, with one topic whose concepts get no parts."""

    def __init__(self, topic: NodeRow, titles: Sequence[str], notes: str) -> None:
        self.graph = ConceptGraph(topic)
        for title in titles:
            self.graph = self.graph.add(title, None, utc_now()).graph
        split = split_into_passages(NOTES, notes) if notes else []
        self.notes = [replace(one, id=f"p{number}") for number, one in enumerate(split, start=1)]

    @property
    def edges(self) -> list[Pair]:
        """The edges by the titles of their ends."""
        titles = {node.id: node.title for node in self.graph.nodes}
        return [(titles[edge.source_node_id], titles[edge.target_node_id]) for edge in self.graph.edges]

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        return memory_node(node_id, user_id, type="root", title=self.graph.parent.title)

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        return ([*self.graph.nodes], [*self.graph.edges]) if parent_id == NODE_ID else ([], [])

    async def edit_graph(
        self,
        parent_id: str,
        operation: Callable[[ConceptGraph], Edit],
        *,
        actor: Actor,
        reason: str | None = None,
        evidence: Sequence[str] = (),
        passages: Sequence[str] = (),
    ) -> Edit:
        await self.node(parent_id, user_id=actor.user_id)
        edit = operation(self.graph)
        self.graph = edit.graph
        return edit

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        return False

    async def mark_generated(self, node_id: str, *, user_id: str) -> None:
        """Nobody asks again."""

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        """Nobody reads the log."""

    async def document_statuses(self, root_id: str) -> Sequence[DocumentStatus]:
        return [DocumentStatus(NOTES, "completed")] if self.notes else []

    async def passages(self, root_id: str) -> Sequence[Passage]:
        return self.notes

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        return []

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        raise NotFound("node", concept_id)

    async def close_empty_diagnostic(self, concept_id: str, *, user_id: str) -> None:
        raise NotFound("node", concept_id)

    async def asked_questions(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        return []

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        raise NotFound("node", concept_id)


class PathTeam(SoloTeam):
    """The team of a topic agent: concepts are measured, so their parts are not made."""

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        """Nothing is started."""
