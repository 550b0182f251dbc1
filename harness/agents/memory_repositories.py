"""In-memory repositories that record what agents do with them, and a team that records what it is asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from sprout.agents.agent import Outcome
from sprout.evaluation.graph.memory_path import MemoryPath
from sprout.events import Event, NodeRow
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.graph import ConceptGraph, Edit, apply, title_key
from sprout.learning.paths.passages import DocumentStatus
from sprout.learning.questions.diagnostics import AskedQuestion, SavedQuestion
from sprout.learning.questions.draft_validation import validate_draft
from sprout.learning.questions.questions import QuestionDraft, prompt_key


@dataclass
class SavedDraft:
    id: str
    draft: QuestionDraft
    tested_ids: list[str | None]


@dataclass
class MemoryGraphRepository(MemoryPath):
    """Repositories of one learner that agents work on, with questions, and a log of what was done."""

    user_id: str = "ada"
    statuses: list[Sequence[DocumentStatus]] = field(default_factory=lambda: [()])
    """Progress of reading the documents at each look; the last stays."""
    questions: dict[str, dict[str, SavedDraft]] = field(default_factory=dict)
    cited: dict[str, set[str]] = field(default_factory=dict)
    closed_empty: set[str] = field(default_factory=set)
    generations: list[tuple[str, str]] = field(default_factory=list)
    log: list[tuple[Actor, Event]] = field(default_factory=list)

    def under(self, parent_id: str, titles: str, edges: str = "") -> list[NodeRow]:
        """Children that were made before the run: `under(root.id, "A B", "A>B")`."""
        graph = self.graphs[parent_id]
        for title in titles.split():
            graph = graph.add(title, f"About {title}.", datetime.now(UTC)).graph
        for edge in edges.split():
            graph = graph.connect_titles(*edge.split(">")).graph
        self.replace_graph(parent_id, graph)
        return list(graph.nodes)

    def titles(self, parent_id: str) -> list[str]:
        return [node.title for node in self.graphs[parent_id].nodes]

    def edges(self, parent_id: str) -> set[str]:
        titles = {node.id: node.title for node in self.graphs[parent_id].nodes}
        return {f"{titles[edge.source_node_id]}>{titles[edge.target_node_id]}" for edge in self.graphs[parent_id].edges}

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
        before = self.graphs[parent_id]
        edit = await super().edit_graph(parent_id, operation, actor=actor)
        assert apply(before, edit.events) == edit.graph
        if edit.node is not None:
            self.cited.setdefault(edit.node.id, set()).update(set(passages) & {one.id for one in self.notes})
        self.log.extend((actor, event) for event in edit.events)
        return edit

    async def save_question(
        self, concept_id: str, draft: QuestionDraft, *, actor: Actor, held_back: bool = False
    ) -> SavedQuestion:
        await self.node(concept_id, user_id=actor.user_id)
        question = validate_draft(draft)
        asked = self.questions.setdefault(concept_id, {})
        key = prompt_key(question.prompt)
        created = key not in asked
        if created:
            asked[key] = SavedDraft(new_id(), question, [None] * len(question.tests))
        return SavedQuestion(asked[key].id, f"diagnostic of {concept_id}", [*asked].index(key) + 1, created)

    async def close_empty_diagnostic(self, concept_id: str, *, user_id: str) -> None:
        self.closed_empty.add(concept_id)

    async def asked_questions(self, concept_id: str, *, user_id: str) -> Sequence[AskedQuestion]:
        return [
            AskedQuestion(question.draft.prompt, question.draft.tests)
            for question in self.questions.get(concept_id, {}).values()
        ]

    async def resolve_question_tests(self, concept_id: str, *, actor: Actor) -> None:
        by_title = {title_key(node.title): node.id for node in self.graphs[concept_id].nodes}
        for question in self.questions.get(concept_id, {}).values():
            question.tested_ids = [by_title.get(title_key(title)) for title in question.draft.tests]

    async def log_generation(
        self,
        node_id: str,
        *,
        trigger: Literal["on_first_enter", "manual_regenerate", "system_refresh"],
        model: str,
        meta: str,
        run_id: str,
    ) -> None:
        self.generations.append((node_id, meta))

    async def document_statuses(self, root_id: str) -> Sequence[DocumentStatus]:
        return self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]


@dataclass
class RecordingTeam:
    """Takes down which helpers were asked for, in order."""

    started: list[tuple[str, str, str]] = field(default_factory=list)
    published: list[Event] = field(default_factory=list)
    stopped: bool = False

    async def publish(self, event: Event) -> None:
        self.published.append(event)

    async def pause(self, seconds: float) -> bool:
        return not self.stopped

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        raise AssertionError("no agent of these tests delegates")

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        self.started.append((agent, node_id, label))

    async def start_apart(self, agent: str, task: str, *, node_id: str) -> None:
        raise AssertionError("no agent of these tests starts a run apart")

    @property
    def labels(self) -> list[str]:
        return [label for _, _, label in self.started]
