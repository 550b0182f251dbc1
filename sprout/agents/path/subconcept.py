"""Subconcept agent: breaks a concept into subconcepts and writes its diagnostic questions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sprout.agents.agent import NORMAL_STOP_REASONS, AgentSpec, Brief, Job, NothingSaved, Team
from sprout.agents.closing import close_concept, closing_words, says_no_questions
from sprout.agents.documents.passage_ranking import PassageIndex
from sprout.agents.documents.search_tool import search_documents_tool
from sprout.agents.fences import fenced, wrapped
from sprout.agents.grading.key_check import KeyCheckRequests
from sprout.agents.graph_edits import (
    PATH_POLICY,
    Cited,
    Desc,
    SizeRange,
    SourceTitle,
    TargetTitle,
    Title,
    Why,
    add_node_edit,
    connect_nodes_edit,
    edge_result,
    load_graph,
    log_generated,
    node_result,
    unconnected_faults,
)
from sprout.agents.path.question_tool import QuestionTool
from sprout.agents.prompt_elements import node_element, passage_elements
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import BadInput
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_TITLE, ConceptGraph
from sprout.learning.marking.answer_keys import AnswerKeys
from sprout.learning.paths.passages import Passage
from sprout.learning.paths.repositories import Repositories
from sprout.learning.questions.questions import MAX_PROMPT
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, Text, ToolUse
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import MENDED, Effect, Tool, tool
from sprout.loop.turn import TurnResult

SUBCONCEPTS = SizeRange(8, 12, "subconcepts")
SUBCONCEPTS_SMALL = SizeRange(2, 3, "subconcepts")
QUESTIONS = SizeRange(5, 10, "questions")
QUESTIONS_SMALL = SizeRange(2, 3, "questions")
PASSAGE_CHARACTERS = 12_000


def subconcept_agent(
    repositories: Repositories, policy: LoopPolicy = PATH_POLICY, *, keys: AnswerKeys | None = None
) -> AgentSpec:
    """The agent that creates a concept's subconcepts and its diagnostic questions.

    Args:
        keys: where the keys of choices and numbers are checked before they are asked, except in small paths; None asks
            them unchecked.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts, short = load_prompts("path/subconcept"), load_prompts("path/subconcept", short=True)

    async def brief(job: Job, team: Team) -> Brief:
        graph = await load_graph(repositories, job.node_id, user_id=job.user_id)
        if graph.parent.type != "concept" or graph.parent.parent_id is None:
            raise BadInput(f"Only a concept has subconcepts, and {graph.parent.title!r} is a {graph.parent.type}.")
        subconcepts, size = (SUBCONCEPTS_SMALL, QUESTIONS_SMALL) if job.small else (SUBCONCEPTS, QUESTIONS)
        has_parts = bool(graph.nodes) and await repositories.is_generated(job.node_id, user_id=job.user_id)
        if has_parts:  # those of a file stay as they are; what it may lack is questions
            subconcepts = SizeRange(len(graph.nodes), len(graph.nodes), SUBCONCEPTS.noun)
        key_checks = KeyCheckRequests(keys, job, team) if keys is not None and not job.small else None
        questions = QuestionTool(repositories, job, size, subconcepts, hold_until_checked=key_checks is not None)
        chosen = short if job.small else prompts
        run = _SubconceptRun(repositories, chosen, job, subconcepts, questions, key_checks, has_parts)
        if has_parts and not job.resumed and await questions.reload():
            return Brief(finish=run.finish_existing)
        return await run.brief_for_loop(graph, graph.parent.parent_id)

    return AgentSpec("subconcept", "concept", policy, brief, mechanisms=LoopMechanisms(lookup="get_saved_parts"))


@dataclass(slots=True)
class _SubconceptRun:
    """One run of the agent.

    Args:
        has_parts: whether only questions are missing.
    """

    repositories: Repositories
    prompts: Prompts
    job: Job
    subconcepts: SizeRange
    questions: QuestionTool
    key_checks: KeyCheckRequests | None
    has_parts: bool
    passage_ids: frozenset[str] = frozenset()

    async def brief_for_loop(self, graph: ConceptGraph, root_id: str) -> Brief:
        root = await self.repositories.node(root_id, user_id=self.job.user_id)
        path, _ = await self.repositories.children(root_id)
        others = [node for node in path if node.id != graph.parent.id]
        passages = await asyncio.to_thread(PassageIndex, await self.repositories.passages(root_id))
        fitting = passages.select(graph.parent.title, graph.parent.desc or "", characters=PASSAGE_CHARACTERS)
        self.passage_ids = frozenset(one.id for one in passages.all)
        asked = await self.questions.reload()
        request = self.request(root, graph, others, fitting, asked, from_notes=bool(passages.all))
        return Brief(
            objective=f"The parts of “{graph.parent.title}”, and questions that show where to start.",
            system=self.prompts.system.fill(),
            messages=(Message("user", (Text(request),)),),
            tools=(*self.search_tools(root_id), *self.tools()),
            stop_checks=(self.check_completeness,),
            finish=self.finish,
        )

    def search_tools(self, root_id: str) -> list[Tool]:
        """The search of the learner's notes; in small paths the passages of the request are all."""
        wanted = self.passage_ids and not self.job.small
        return [search_documents_tool(self.repositories, root_id)] if wanted else []

    def tools(self) -> tuple[Tool, ...]:
        return (
            self.save_subconcept(),
            self.save_subconcept_edge(),
            self.questions.save_diagnostic_question(),
            self.get_saved_parts(),
            close_concept,
        )

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
        nothing_fits = wrapped("note", "The learner's notes have no passage that fits this concept.")
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=node_element(graph.parent),
            path=wrapped("path", *(node_element(node) for node in others), separator="\n"),
            size=f'<size subconcepts="{self.subconcepts}" questions="{self.questions.size}"/>',
            existing=wrapped("existing", *_title_elements(graph.nodes), separator="\n"),
            asked=wrapped("asked", *(fenced("question", prompt, limit=MAX_PROMPT) for prompt in asked), separator="\n"),
            note=nothing_fits if from_notes and not fitting else "",
            passages=passage_elements(fitting, limit=PASSAGE_CHARACTERS),
        )

    def save_subconcept(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_subconcept(
            title: Title, desc: Desc, call: ToolUse, passages: Cited = None
        ) -> dict[str, JsonValue]:
            """Save one subconcept of the concept. A title that is there already stays as it is."""
            edit = await self.repositories.edit_graph(
                self.job.node_id,
                add_node_edit(title, desc, self.subconcepts),
                actor=self.job.actor(call.id),
                passages=passages or (),
            )
            unknown = len([one for one in passages or () if one not in self.passage_ids])
            notes = (f"passages: {unknown} of no passage here were left out",) if unknown else ()
            return {**node_result(edit), **({MENDED: [*notes]} if notes else {})}

        return save_subconcept

    def save_subconcept_edge(self) -> Tool:
        @tool(effect=Effect.WRITE, repeatable=True, stored=True)
        async def save_subconcept_edge(
            source_title: SourceTitle, target_title: TargetTitle, why: Why, call: ToolUse
        ) -> dict[str, JsonValue]:
            """Join two saved subconcepts: the target cannot be learned well without the source."""
            edit = await self.repositories.edit_graph(
                self.job.node_id,
                connect_nodes_edit(source_title, target_title, why),
                actor=self.job.actor(call.id),
                reason=why,
            )
            return edge_result(edit)

        return save_subconcept_edge

    def get_saved_parts(self) -> Tool:
        @tool()
        async def get_saved_parts() -> dict[str, JsonValue]:
            """Tell what is saved of this concept so far, and what is missing. Only needed where you lost track."""
            graph = await self.graph()
            titles = {node.id: node.title for node in graph.nodes}
            return {
                "subconcepts": [*titles.values()],
                "edges": [f"{titles[edge.source_node_id]} → {titles[edge.target_node_id]}" for edge in graph.edges],
                "questions": [*await self.questions.reload()],
                "missing": [*self.faults(graph)],
            }

        return get_saved_parts

    async def check_completeness(self, result: TurnResult) -> str | None:
        if self.key_checks is not None:
            await self.key_checks.check_new()
            await self.questions.reload()
        is_bare = self.is_bare(result)
        return self.prompts.correction.fill_correction(self.faults(await self.graph(), is_bare=is_bare))

    def is_bare(self, result: TurnResult) -> bool:
        """Whether the concept has no question, on purpose."""
        return not self.questions.count and says_no_questions(result)

    def faults(self, graph: ConceptGraph, *, is_bare: bool = False) -> list[str]:
        """Faults that keep the concept from being complete, as sentences for the model."""
        short = self.subconcepts.shortfall(len(graph.nodes))
        loose = [] if self.job.small or self.has_parts else unconnected_faults(graph)  # few may have nothing to connect
        return [*([short] if short else []), *loose, *([] if is_bare else self.questions.faults(graph))]

    async def finish(self, result: TurnResult | None) -> AgentDone:
        graph = await self.graph()
        if result is None or not graph.nodes:
            raise NothingSaved(
                f"The model ended without saving a subconcept of '{graph.parent.title}'. Start it again."
            )
        await self.repositories.resolve_question_tests(self.job.node_id, actor=self.job.actor())
        if self.key_checks is not None:
            await self.key_checks.release_unchecked()
        await self.questions.reload()
        is_bare = self.is_bare(result)
        if is_bare:
            await self.repositories.close_empty_diagnostic(self.job.node_id, user_id=self.job.user_id)
        if result.reason in NORMAL_STOP_REASONS and (self.questions.count or is_bare):  # else it is made once more
            await self.repositories.mark_generated(self.job.node_id, user_id=self.job.user_id)
        note = closing_words(result, close_concept, "note")
        count = len(graph.nodes)
        await log_generated(self.repositories, self.job, self.prompts.system, result, count=count, note=note)
        return AgentDone(reason=result.reason, usage=result.usage)

    async def finish_existing(self, _: TurnResult | None) -> AgentDone:
        return AgentDone(reason="end_turn", usage=Usage())

    async def graph(self) -> ConceptGraph:
        return await load_graph(self.repositories, self.job.node_id, user_id=self.job.user_id)


def _title_elements(nodes: Sequence[NodeRow]) -> list[str]:
    return [fenced("concept", node.title, limit=MAX_TITLE) for node in nodes]
