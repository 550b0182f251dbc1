"""The subconcept agent: takes a concept apart and writes the questions that show where to start in it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.asking import Questions
from sprout.agents.fences import fenced, wrapped
from sprout.agents.fitting import Passages
from sprout.agents.key_checks import KeyChecks
from sprout.agents.prompts import Prompts, prompts_of
from sprout.agents.saving import (
    NORMAL_ENDS,
    PATH_POLICY,
    Cited,
    Desc,
    NothingMade,
    Size,
    SourceTitle,
    TargetTitle,
    Title,
    Why,
    adding,
    correction,
    graph_under,
    joining,
    log_made,
    saved_edge,
    saved_node,
    without_edges,
)
from sprout.agents.searching import search_documents_tool
from sprout.errors import BadInput
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph
from sprout.learning.marking.keys import Keys
from sprout.learning.paths.shelf import Passage, Shelf
from sprout.learning.questions.questions import MAX_PROMPT
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

SUBCONCEPTS = Size(8, 12, "subconcepts")
SUBCONCEPTS_SMALL = Size(2, 3, "subconcepts")
QUESTIONS = Size(5, 10, "questions")
QUESTIONS_SMALL = Size(2, 3, "questions")
PASSAGE_CHARACTERS = 12_000


def subconcept_agent(shelf: Shelf, policy: LoopPolicy = PATH_POLICY, *, keys: Keys | None = None) -> AgentSpec:
    """The agent that makes a concept's subconcepts and its diagnostic questions.

    Args:
        keys: has the key of every choice checked before the question is asked, but for small paths; None asks at once.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of("subconcept")

    async def brief(job: Job, team: Team) -> Brief:
        graph = await graph_under(shelf, job.node_id, user_id=job.user_id)
        if graph.parent.type != "concept" or graph.parent.parent_id is None:
            raise BadInput(f"Only a concept is taken apart, and {graph.parent.title!r} is a {graph.parent.type}.")
        subconcepts, size = (SUBCONCEPTS_SMALL, QUESTIONS_SMALL) if job.small else (SUBCONCEPTS, QUESTIONS)
        check = KeyChecks(keys, job, team) if keys is not None and not job.small else None
        questions = Questions(shelf, job, size, subconcepts, held_back=check is not None)
        breakdown = _Breakdown(shelf, prompts, job, subconcepts, questions, check)
        if not job.resumed and graph.nodes and await shelf.is_generated(job.node_id, user_id=job.user_id):
            return Brief(finish=breakdown.already_there)
        return await breakdown.asked(graph, graph.parent.parent_id)

    return AgentSpec("subconcept", "concept", policy, brief)


@dataclass(slots=True)
class _Breakdown:
    """One run of the agent."""

    shelf: Shelf
    prompts: Prompts
    job: Job
    subconcepts: Size
    questions: Questions
    key_checks: KeyChecks | None

    async def asked(self, graph: ConceptGraph, root_id: str) -> Brief:
        root = await self.shelf.node(root_id, user_id=self.job.user_id)
        path, _ = await self.shelf.children(root_id)
        others = [node for node in path if node.id != graph.parent.id]
        passages = await asyncio.to_thread(Passages, await self.shelf.passages(root_id))
        fitting = passages.within(graph.parent.title, graph.parent.desc or "", characters=PASSAGE_CHARACTERS)
        asked = await self.questions.recall()
        request = self.request(root, graph, others, fitting, asked, from_notes=bool(passages.all))
        return Brief(
            objective=f"The parts of “{graph.parent.title}”, and questions that show where to start in it.",
            system=self.prompts.system.filled(subconcepts=str(self.subconcepts), questions=str(self.questions.size)),
            messages=(Message("user", (Text(request),)),),
            tools=(*([search_documents_tool(self.shelf, root_id)] if passages.all else []), *self.tools()),
            stop_checks=(self.what_is_missing,),
            finish=self.finish,
        )

    def tools(self) -> tuple[Tool, ...]:
        return (self.save_subconcept(), self.save_subconcept_edge(), self.questions.save_diagnostic_question())

    def request(
        self,
        root: NodeRow,
        graph: ConceptGraph,
        others: list[NodeRow],
        fitting: list[Passage],
        asked: list[str],
        *,
        from_notes: bool,
    ) -> str:
        concept = graph.parent
        nothing_fits = wrapped("note", "The learner's notes have no passage that fits this concept.")
        return self.prompts.request.filled(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=wrapped(
                "concept",
                fenced("title", concept.title, limit=MAX_TITLE),
                fenced("desc", concept.desc or "", limit=MAX_DESC),
            ),
            path=wrapped("path", *_titles(others), separator="\n"),
            size=f'<size subconcepts="{self.subconcepts}" questions="{self.questions.size}"/>',
            existing=wrapped("existing", *_titles(graph.nodes), separator="\n"),
            asked=wrapped("asked", *(fenced("question", prompt, limit=MAX_PROMPT) for prompt in asked), separator="\n"),
            note=nothing_fits if from_notes and not fitting else "",
            passages="\n".join(
                fenced(
                    "passage",
                    one.text,
                    limit=PASSAGE_CHARACTERS,
                    id=one.id,
                    doc=one.document,
                    heading=one.heading or "",
                )
                for one in fitting
            ),
        )

    def save_subconcept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_subconcept(
            title: Title, desc: Desc, call: ToolUse, passages: Cited = None
        ) -> dict[str, JsonValue]:
            """Save one subconcept of the concept. A title that is there already stays as it is."""
            edit = await self.shelf.edit_graph(
                self.job.node_id,
                adding(title, desc, self.subconcepts),
                actor=self.job.actor(call.id),
                passages=passages or (),
            )
            return saved_node(edit)

        return save_subconcept

    def save_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, why: Why, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two saved subconcepts: the target cannot be learned well without the source."""
            edit = await self.shelf.edit_graph(
                self.job.node_id, joining(source_title, target_title, why), actor=self.job.actor(call.id), reason=why
            )
            return saved_edge(edit)

        return save_subconcept_edge

    async def what_is_missing(self, _: TurnResult) -> str | None:
        graph = await self.graph()
        if self.key_checks is not None:
            await self.key_checks.done()
            await self.questions.recall()
        short = self.subconcepts.short_at(len(graph.nodes))
        loose = [] if self.job.small else without_edges(graph)  # so few may honestly have nothing between them
        faults = [*([short] if short else []), *loose, *self.questions.faults(graph)]
        return correction(self.prompts.correction, faults)

    async def finish(self, result: TurnResult | None) -> AgentDone:
        graph = await self.graph()
        if result is None or not graph.nodes:
            raise NothingMade(f"The model ended without saving a subconcept of '{graph.parent.title}'. Start it again.")
        await self.shelf.resolve_question_tests(self.job.node_id, actor=self.job.actor())
        if self.key_checks is not None:
            await self.key_checks.left_over()
        await self.questions.recall()
        if result.reason in NORMAL_ENDS and self.questions.kept:  # a concept that asks nothing cannot be begun
            await self.shelf.mark_generated(self.job.node_id, user_id=self.job.user_id)
        await log_made(self.shelf, self.job, self.prompts.system, result, made=len(graph.nodes))
        return AgentDone(reason=result.reason, usage=result.usage)

    async def already_there(self, _: TurnResult | None) -> AgentDone:
        return AgentDone(reason="end_turn", usage=Usage())

    async def graph(self) -> ConceptGraph:
        return await graph_under(self.shelf, self.job.node_id, user_id=self.job.user_id)


def _titles(nodes: Sequence[NodeRow]) -> list[str]:
    return [fenced("concept", node.title, limit=MAX_TITLE) for node in nodes]
