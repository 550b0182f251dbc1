"""Memory path: topics, concepts and notes of one learner, for an agent that designs a path without a database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from sprout.clock import utc_now
from sprout.errors import NotFound
from sprout.evaluation.agent_run import SoloTeam
from sprout.evaluation.memory_node import LEARNER
from sprout.events import EdgeEnds, NodeRow, wire_time
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.paths.passages import DocumentStatus, Passage
from sprout.learning.questions.diagnostics import AskedQuestion, SavedQuestion
from sprout.learning.questions.questions import QuestionDraft


@dataclass
class MemoryPath:
    """Repositories that hold the graphs of one learner, by the id of their parent, and no questions."""

    user_id: str = LEARNER
    notes: list[Passage] = field(default_factory=list)
    graphs: dict[str, ConceptGraph] = field(default_factory=dict)
    generated: set[str] = field(default_factory=set)

    def topic(self, title: str, desc: str | None = None) -> NodeRow:
        """A new root."""
        moment = wire_time(utc_now())
        root = NodeRow(
            id=new_id(),
            user_id=self.user_id,
            type="root",
            branch_id=new_id(),
            parent_id=None,
            title=title,
            desc=desc,
            created_at=moment,
            updated_at=moment,
        )
        self.graphs[root.id] = ConceptGraph(root)
        return root

    def replace_graph(self, parent_id: str, graph: ConceptGraph) -> None:
        """Put the graph in the place of the parent's; what lies under its nodes stays."""
        self.graphs[parent_id] = graph
        for node in graph.nodes:
            old = self.graphs.get(node.id)
            self.graphs[node.id] = ConceptGraph(node, old.nodes, old.edges) if old else ConceptGraph(node)

    async def node(self, node_id: str, *, user_id: str) -> NodeRow:
        graph = self.graphs.get(node_id)
        if graph is None or user_id != self.user_id:
            raise NotFound("node", node_id)
        return graph.parent

    async def children(self, parent_id: str) -> tuple[list[NodeRow], list[EdgeEnds]]:
        graph = self.graphs[parent_id]
        return list(graph.nodes), list(graph.edges)

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
        edit = operation(self.graphs[parent_id])
        self.replace_graph(parent_id, edit.graph)
        return edit

    async def is_generated(self, node_id: str, *, user_id: str) -> bool:
        return node_id in self.generated

    async def mark_generated(self, node_id: str, *, user_id: str) -> None:
        await self.node(node_id, user_id=user_id)
        self.generated.add(node_id)

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        """The log is not read."""

    async def document_statuses(self, root_id: str) -> Sequence[DocumentStatus]:
        return [DocumentStatus(name, "completed") for name in dict.fromkeys(one.document for one in self.notes)]

    async def passages(self, root_id: str) -> Sequence[Passage]:
        return self.notes

    async def search(self, root_id: str, query: str, *, limit: int) -> Sequence[Passage]:
        words = query.casefold().split()
        return [one for one in self.notes if any(word in one.text.casefold() for word in words)][:limit]

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
