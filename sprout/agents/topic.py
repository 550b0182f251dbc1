"""The topic agent: designs the concepts of a topic and what must come before what."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.documents import shown_documents
from sprout.agents.fences import fenced, wrapped
from sprout.agents.fitting import Passages
from sprout.agents.notes import read_notes
from sprout.agents.prompts import Prompts, prompts_of
from sprout.agents.saving import (
    NORMAL_ENDS,
    PATH_POLICY,
    Desc,
    NothingMade,
    Size,
    SourceTitle,
    TargetTitle,
    Title,
    Why,
    adding,
    as_events,
    correction,
    graph_under,
    in_pieces,
    joining,
    log_made,
    saved_edge,
    saved_node,
    without_edges,
)
from sprout.errors import BadInput
from sprout.events import AgentDone, Event, NodeRow, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph
from sprout.learning.paths.shelf import Shelf
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

CONCEPTS = Size(6, 10, "concepts")
CONCEPTS_SMALL = Size(1, 2, "concepts")
DOCUMENT_CHARACTERS = 80_000
MAX_WISH = 2_000
MAX_PLANNED = 20
HEADINGS_TOLD = 6
GAPS_TOLD = 30


class PlannedConcept(BaseModel):
    """A concept that the agent thinks of saving."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
    desc: Annotated[str, Field(max_length=MAX_DESC)] = ""


def topic_agent(shelf: Shelf, policy: LoopPolicy = PATH_POLICY) -> AgentSpec:
    """The agent that makes a topic's path and has every concept worked out as soon as it is saved.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of("topic")

    async def brief(job: Job, team: Team) -> Brief:
        graph = await graph_under(shelf, job.node_id, user_id=job.user_id)
        if graph.parent.type != "root":
            raise BadInput(f"A path is made for a topic, and {graph.parent.title!r} is a {graph.parent.type}.")
        return await _Design(shelf, prompts, job, team).brief(graph)

    return AgentSpec("topic", "topic", policy, brief)


@dataclass(slots=True)
class _Design:
    """One run of the agent."""

    shelf: Shelf
    prompts: Prompts
    job: Job
    team: Team
    handed_on: set[str] = field(default_factory=set)

    @property
    def size(self) -> Size:
        return CONCEPTS_SMALL if self.job.small else CONCEPTS

    async def brief(self, graph: ConceptGraph) -> Brief:
        opening = await self.replayed(graph)

        async def begin() -> None:
            await self.hand_on_all(graph)

        made = (
            not self.job.resumed
            and graph.nodes
            and await self.shelf.is_generated(self.job.node_id, user_id=self.job.user_id)
        )
        brief = Brief(opening=opening, finish=self.already_there) if made else await self.asked(graph, opening)
        return replace(brief, begin=begin)

    async def asked(self, graph: ConceptGraph, opening: list[Event]) -> Brief:
        await read_notes(self.shelf, self.job.node_id, self.job, self.team)
        passages = await asyncio.to_thread(Passages, await self.shelf.passages(self.job.node_id))
        tools = [self.save_concept(), self.save_concept_edge()]
        return Brief(
            objective=f"The concepts of “{graph.parent.title}”, and what must come before what.",
            system=self.prompts.system.filled(concepts=str(self.size)),
            messages=(Message("user", (Text(self.request(graph, passages)),)),),
            tools=(extract_tool(passages), *tools) if passages.all else tuple(tools),
            opening=opening,
            stop_checks=(self.what_is_missing,),
            finish=self.finish,
        )

    async def replayed(self, graph: ConceptGraph) -> list[Event]:
        """What is there already as events: every node before the edges that touch it."""
        events = as_events(graph.nodes, graph.edges)
        for concept in graph.nodes:
            events.extend(as_events(*await self.shelf.children(concept.id)))
        return events

    async def hand_on(self, concept: NodeRow) -> None:
        """Have the concept worked out, once in this run."""
        if concept.id not in self.handed_on:
            await self.team.start("subconcept", node_id=concept.id, label=f"subconcept_bootstrap:{concept.title}")
            self.handed_on.add(concept.id)

    async def hand_on_all(self, graph: ConceptGraph) -> None:
        """Have every concept worked out that is not and that nobody works on, be it that its start has failed."""
        for concept in graph.nodes:
            handed_on = concept.id in self.handed_on
            if not handed_on and not await self.shelf.is_generated(concept.id, user_id=self.job.user_id):
                await self.hand_on(concept)

    def request(self, graph: ConceptGraph, passages: Passages) -> str:
        root = graph.parent
        documents, note = shown_documents(passages.all, characters=DOCUMENT_CHARACTERS)
        return self.prompts.request.filled(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            wish=fenced("wish", root.desc, limit=MAX_WISH) if root.desc else "",
            size=f'<size concepts="{self.size}"/>',
            existing=wrapped(
                "existing", *(fenced("concept", node.title, limit=MAX_TITLE) for node in graph.nodes), separator="\n"
            ),
            note=note,
            documents=documents,
        )

    def save_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_concept(title: Title, desc: Desc, call: ToolUse) -> dict[str, JsonValue]:
            """Save one concept of the path; its lessons are begun at once. A title that is there already stays as it
            is."""
            edit = await self.shelf.edit_graph(
                self.job.node_id, adding(title, desc, self.size), actor=self.job.actor(call.id)
            )
            if edit.created and edit.node is not None:
                await self.hand_on(edit.node)
            return saved_node(edit)

        return save_concept

    def save_concept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_concept_edge(
            source_title: SourceTitle, target_title: TargetTitle, why: Why, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two saved concepts: the target cannot be learned well without the source."""
            edit = await self.shelf.edit_graph(
                self.job.node_id, joining(source_title, target_title, why), actor=self.job.actor(call.id), reason=why
            )
            return saved_edge(edit)

        return save_concept_edge

    async def what_is_missing(self, _: TurnResult) -> str | None:
        graph = await self.graph()
        short = self.size.short_at(len(graph.nodes))
        loose = [] if self.job.small else [*without_edges(graph), *in_pieces(graph)]  # two concepts may be two entries
        faults = [*([short] if short else []), *loose]
        return correction(self.prompts.correction, faults)

    async def finish(self, result: TurnResult | None) -> AgentDone:
        graph = await self.graph()
        count = len(graph.nodes)
        if result is None or count == 0:
            raise NothingMade("The model ended without saving a concept. Start again, or say the topic in other words.")
        await self.hand_on_all(graph)
        if result.reason in NORMAL_ENDS:
            await self.shelf.mark_generated(self.job.node_id, user_id=self.job.user_id)
        await log_made(self.shelf, self.job, self.prompts.system, result, made=count)
        rationale = result.text.strip() or None
        return AgentDone(reason=result.reason, usage=result.usage, concept_count=count, rationale=rationale)

    async def already_there(self, _: TurnResult | None) -> AgentDone:
        count = len((await self.graph()).nodes)
        rationale = "The path was already there, and is shown as it is."
        return AgentDone(reason="end_turn", usage=Usage(), concept_count=count, rationale=rationale)

    async def graph(self) -> ConceptGraph:
        return await graph_under(self.shelf, self.job.node_id, user_id=self.job.user_id)


def extract_tool(passages: Passages) -> Tool:
    """The tool that tells which passages of the learner's documents fit which planned concept."""

    @tool()
    async def extract_all_concept_contexts(
        concepts: Annotated[list[PlannedConcept], Field(min_length=1, max_length=MAX_PLANNED)],
    ) -> dict[str, JsonValue]:
        """Tell which passages of the learner's documents fit each planned concept, and which fit none. Call it once,
        with the whole set, before saving."""
        fitting = [(concept.title, passages.fitting(concept.title, concept.desc)) for concept in concepts]
        covered = {passage for _, fits in fitting for passage in fits}
        gaps = [passage.heading or passage.document for passage in passages.all if passage not in covered]
        found: list[JsonValue] = [
            {"title": title, "passages": len(fits), "headings": _distinct([one.heading for one in fits], HEADINGS_TOLD)}
            for title, fits in fitting
        ]
        return {
            "extractedCount": sum(bool(fits) for _, fits in fitting),
            "totalConcepts": len(concepts),
            "concepts": found,
            "withoutPassages": _distinct([title for title, fits in fitting if not fits], MAX_PLANNED),
            "notCovered": _distinct(gaps, GAPS_TOLD),
        }

    return extract_all_concept_contexts


def _distinct(names: Iterable[str | None], most: int) -> list[JsonValue]:
    return [*[name for name in dict.fromkeys(names) if name][:most]]
