"""Topic agent: designs the concepts of a topic and their order."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sprout.agents.agent import NORMAL_STOP_REASONS, AgentSpec, Brief, Job, NothingSaved, Team
from sprout.agents.closing import ClosingWords, close_path, closing_event, closing_words
from sprout.agents.documents.excerpts import document_excerpts
from sprout.agents.documents.notes_outline import NotesOutline
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.documents.readiness import wait_for_notes
from sprout.agents.fences import fenced, wrapped
from sprout.agents.graph_edits import (
    PATH_POLICY,
    Desc,
    SizeRange,
    SourceTitle,
    TargetTitle,
    Title,
    Why,
    add_node_edit,
    component_faults,
    connect_nodes_edit,
    creation_events,
    edge_result,
    load_graph,
    log_generated,
    node_result,
    unconnected_faults,
)
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import BadInput, DatabaseBusy
from sprout.events import AgentDone, Event, NodeRow, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph
from sprout.learning.paths.repositories import Repositories
from sprout.learning.paths.topic_coverage import EveryTopic, TopicCoverage
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

log = logging.getLogger(__name__)

CONCEPTS = SizeRange(6, 10, "concepts")
CONCEPTS_SMALL = SizeRange(1, 2, "concepts")
DOCUMENT_CHARACTERS = 80_000
MAX_WISH = 2_000
MAX_PLANNED = 20
MAX_HEADINGS = 6
MAX_GAPS = 30
UNTAUGHT = (
    "No concept teaches these headings of the notes, half of them or more: {headings}. Save concepts that take them up "
    "while there is room; then call close_path again, and say in the closing what is left out."
)


class PlannedConcept(BaseModel):
    """A concept that the agent plans to save."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
    desc: Annotated[str, Field(max_length=MAX_DESC)] = ""


PlannedConcepts = Annotated[list[PlannedConcept], Field(min_length=1, max_length=MAX_PLANNED)]


def topic_agent(
    repositories: Repositories, policy: LoopPolicy = PATH_POLICY, *, coverage: TopicCoverage | None = None
) -> AgentSpec:
    """The agent that creates a topic's path and starts a subconcept run for every concept as soon as it is saved.

    Args:
        coverage: what its model can teach without notes; None for every topic.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts, short = load_prompts("path/topic"), load_prompts("path/topic", short=True)

    async def brief(job: Job, team: Team) -> Brief:
        graph = await load_graph(repositories, job.node_id, user_id=job.user_id)
        if graph.parent.type != "root":
            raise BadInput(f"A path is created for a topic, and {graph.parent.title!r} is a {graph.parent.type}.")
        chosen = short if job.small else prompts
        return await _TopicRun(repositories, chosen, job, team, coverage or EveryTopic()).brief(graph)

    return AgentSpec("topic", "topic", policy, brief, mechanisms=LoopMechanisms(journal=True, recursive_summary=True))


@dataclass(slots=True)
class _TopicRun:
    """One run of the agent."""

    repositories: Repositories
    prompts: Prompts
    job: Job
    team: Team
    coverage: TopicCoverage
    started_for: set[str] = field(default_factory=set)
    passages: PassageIndex = field(default_factory=lambda: PassageIndex([]))
    outline: NotesOutline = field(default_factory=lambda: NotesOutline([]))
    told_untaught: bool = False

    @property
    def size(self) -> SizeRange:
        return CONCEPTS_SMALL if self.job.small else CONCEPTS

    async def brief(self, graph: ConceptGraph) -> Brief:
        opening = await self.existing_events(graph)

        async def begin() -> None:
            await self.start_all_subconcepts(graph)

        is_generated = self.repositories.is_generated
        complete = bool(graph.nodes) and await is_generated(self.job.node_id, user_id=self.job.user_id)
        if complete and not self.job.resumed:
            brief = Brief(opening=opening, finish=self.finish_existing)
        else:
            brief = await self.brief_for_loop(graph, opening)
        return replace(brief, begin=begin)

    async def brief_for_loop(self, graph: ConceptGraph, opening: list[Event]) -> Brief:
        await wait_for_notes(self.repositories, self.job.node_id, self.job, self.team)
        passages = await asyncio.to_thread(PassageIndex, await self.repositories.passages(self.job.node_id))
        self.passages, self.outline = passages, await asyncio.to_thread(NotesOutline, passages.all)
        if not passages.all and not graph.nodes:
            self.coverage.course_on(graph.parent.title)  # before anything is made
        tools = [self.save_concept(), self.save_concept_edge(), close_path]
        return Brief(
            objective=f"The concepts of “{graph.parent.title}”, and their order.",
            system=self.prompts.system.fill(concepts=str(self.size)),
            messages=(Message("user", (Text(self.request(graph, passages)),)),),
            tools=(extract_tool(passages), *tools) if passages.all and not self.job.small else tuple(tools),
            opening=opening,
            stop_checks=(self.check_completeness,),
            finish=self.finish,
        )

    async def existing_events(self, graph: ConceptGraph) -> list[Event]:
        """The path so far as events: every node before the edges that touch it."""
        events = creation_events(graph.nodes, graph.edges)
        for concept in graph.nodes:
            events.extend(creation_events(*await self.repositories.children(concept.id)))
        return events

    async def start_subconcepts(self, concept: NodeRow) -> None:
        """Start a subconcept run for the concept, once in this run."""
        if concept.id not in self.started_for:
            await self.team.start("subconcept", node_id=concept.id, label=f"subconcept_bootstrap:{concept.title}")
            self.started_for.add(concept.id)

    async def start_all_subconcepts(self, graph: ConceptGraph) -> None:
        """Start a subconcept run for every concept without subconcepts, also where an earlier start has failed."""
        for concept in graph.nodes:
            started = concept.id in self.started_for
            if not started and not await self.repositories.is_generated(concept.id, user_id=self.job.user_id):
                await self.start_subconcepts(concept)

    def request(self, graph: ConceptGraph, passages: PassageIndex) -> str:
        root = graph.parent
        documents, note = document_excerpts(passages.all, characters=DOCUMENT_CHARACTERS)
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            wish=fenced("wish", root.desc, limit=MAX_WISH) if root.desc else "",
            size=f'<size concepts="{self.size}"/>',
            existing=wrapped(
                "existing", *(fenced("concept", node.title, limit=MAX_TITLE) for node in graph.nodes), separator="\n"
            ),
            note=note,
            outline=self.outline.elements(),
            documents=documents,
        )

    def save_concept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_concept(title: Title, desc: Desc, call: ToolUse) -> dict[str, JsonValue]:
            """Save one concept of the path; its lessons are begun at once. A title that is there already stays as it
            is."""
            edit = await self.repositories.edit_graph(
                self.job.node_id, add_node_edit(title, desc, self.size), actor=self.job.actor(call.id)
            )
            if edit.created and edit.node is not None:
                try:
                    await self.start_subconcepts(edit.node)
                except DatabaseBusy:  # the concept is saved, and `finish` starts what is not started
                    log.warning("topic.subconcepts_not_started", extra={"concept": edit.node.id}, exc_info=True)
            return node_result(edit)

        return save_concept

    def save_concept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_concept_edge(
            source_title: SourceTitle, target_title: TargetTitle, why: Why, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two saved concepts: the target cannot be learned well without the source."""
            edit = await self.repositories.edit_graph(
                self.job.node_id,
                connect_nodes_edit(source_title, target_title, why),
                actor=self.job.actor(call.id),
                reason=why,
            )
            return edge_result(edit)

        return save_concept_edge

    async def check_completeness(self, _: TurnResult) -> str | None:
        graph = await self.graph()
        short = self.size.shortfall(len(graph.nodes))
        # In small mode two concepts may be two entry points.
        loose = [] if self.job.small else [*unconnected_faults(graph), *component_faults(graph)]
        faults = [*([short] if short else []), *loose]
        return self.prompts.correction.fill_correction(faults or await self.untaught_faults(graph))

    async def untaught_faults(self, graph: ConceptGraph) -> list[str]:
        """Once in this run, a sentence if half of the learner's notes or more belong to no concept."""
        if self.told_untaught or self.job.small:  # a small path leaves most out
            return []
        self.told_untaught = True
        taught = await asyncio.to_thread(
            lambda: [one for node in graph.nodes for one in self.passages.relevant(node.title, node.desc or "")]
        )
        left = self.outline.untaught(taught)
        if not left:
            return []
        named, more = "; ".join(left[:MAX_GAPS]), len(left) - MAX_GAPS
        others = f" and {more} more" if more > 0 else ""
        return [UNTAUGHT.format(headings=f"{named}{others}")]

    async def finish(self, result: TurnResult | None) -> AgentDone:
        graph = await self.graph()
        count = len(graph.nodes)
        if result is None or count == 0:
            raise _nothing_saved(result)
        await self.start_all_subconcepts(graph)
        if result.reason in NORMAL_STOP_REASONS:
            await self.repositories.mark_generated(self.job.node_id, user_id=self.job.user_id)
        rationale = closing_words(result, close_path, "rationale")
        await log_generated(self.repositories, self.job, self.prompts.system, result, count=count, note=rationale)
        return AgentDone(reason=result.reason, usage=result.usage, concept_count=count, rationale=rationale)

    async def finish_existing(self, _: TurnResult | None) -> AgentDone:
        count = len((await self.graph()).nodes)
        done = closing_event("end_turn", Usage(), ClosingWords("This path exists already.", "rationale_path_exists"))
        return done.model_copy(update={"concept_count": count})

    async def graph(self) -> ConceptGraph:
        return await load_graph(self.repositories, self.job.node_id, user_id=self.job.user_id)


def _nothing_saved(result: TurnResult | None) -> NothingSaved:
    """The model's own words, if it closed the path without trying to save a concept; else a general sentence."""
    tried = result is None or any(call.name == "save_concept" for call in result.calls)
    closed = result is not None and any(call.name == close_path.name for call in result.calls)
    own = closing_words(result, close_path, "rationale") if result is not None and closed and not tried else None
    if own:
        return NothingSaved("{words}", code="closed_empty", words=own)
    return NothingSaved("The model ended without saving a concept. Start again, or put the topic in other words.")


def extract_tool(passages: PassageIndex) -> Tool:
    """The tool that matches passages of the learner's documents to planned concepts."""

    @tool()
    async def extract_all_concept_contexts(concepts: PlannedConcepts) -> dict[str, JsonValue]:
        """Tell which passages of the learner's documents fit each planned concept, and which fit none. Call it once,
        with the whole set, before saving."""
        fitting = [(concept.title, passages.relevant(concept.title, concept.desc)) for concept in concepts]
        covered = {passage for _, fits in fitting for passage in fits}
        gaps = [passage.heading or passage.document for passage in passages.all if passage not in covered]
        found: list[JsonValue] = [
            {"title": title, "passages": len(fits), "headings": _distinct([one.heading for one in fits], MAX_HEADINGS)}
            for title, fits in fitting
        ]
        return {
            "extractedCount": sum(bool(fits) for _, fits in fitting),
            "totalConcepts": len(concepts),
            "concepts": found,
            "withoutPassages": _distinct([title for title, fits in fitting if not fits], MAX_PLANNED),
            "notCovered": _distinct(gaps, MAX_GAPS),
        }

    return extract_all_concept_contexts


def _distinct(names: Iterable[str | None], limit: int) -> list[JsonValue]:
    return [*[name for name in dict.fromkeys(names) if name][:limit]]
