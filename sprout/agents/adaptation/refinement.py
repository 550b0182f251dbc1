"""Refinement agent: adapts a concept to its learner's answers; its runs also open a concept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sprout.agents.adaptation.change_tools import ChangeTools, UndoOutcome
from sprout.agents.adaptation.observation_tools import ConceptContext
from sprout.agents.agent import AgentSpec, Brief, Job, NothingSaved, Team
from sprout.agents.closing import ClosingWords, close_review, closing_event
from sprout.agents.fences import fenced
from sprout.agents.graph_edits import creation_events, load_graph
from sprout.agents.prompt_elements import node_element
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import BadInput, ToolFailure
from sprout.events import AgentDone, AgentStart, DiagnosticStatus, Event, Usage
from sprout.learning.graph.graph import MAX_TITLE, ConceptGraph
from sprout.learning.mastery.adaptation import AdaptationRepository, AnsweredQuestion, ReviewedAnswers, mark_reviewed
from sprout.learning.mastery.adaptation_rules import MIN_GRADED
from sprout.learning.paths.graph_repository import GraphRepository
from sprout.loop.mechanisms import LoopMechanisms
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

REFINEMENT_POLICY = LoopPolicy(max_iterations=15, max_output_tokens=16_000)
LABEL = "concept_refinement"
GRADING_TIMEOUT_S = 600.0
CHANGE_TOOLS = frozenset(
    {"add_subconcept", "remove_subconcept", "add_subconcept_edge", "remove_subconcept_edge"}
    | {"add_prerequisite_concept", "add_followup_concept"}
)
NO_NEW_ANSWERS = ClosingWords("There are no new answers yet, so your map stays as it is.", "rationale_no_new_answers")
CHANGES_UNDONE = ClosingWords(
    "The changes would have left a fault in your map, so they were undone. Your map is as it was.",
    "rationale_changes_undone",
)
FAULT_REMAINS = ClosingWords(
    "The changes left a fault in your map. You have worked with them since, so they stay: please check them.",
    "rationale_fault_remains",
)
UNDO_RATIONALES = {UndoOutcome.UNDONE: CHANGES_UNDONE, UndoOutcome.REFUSED: FAULT_REMAINS}


def refinement_agent(
    graphs: GraphRepository, adaptations: AdaptationRepository, policy: LoopPolicy = REFINEMENT_POLICY
) -> AgentSpec:
    """The agent that has a concept's missing parts created, and adapts them to new answers.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts = load_prompts("adaptation/refinement")

    async def brief(job: Job, team: Team) -> Brief:
        graph = await load_graph(graphs, job.node_id, user_id=job.user_id)
        concept = graph.parent
        if concept.type != "concept" or concept.parent_id is None:
            raise BadInput(f"Only a concept is refined, and {concept.title!r} is a {concept.type}.")
        context = ConceptContext(graphs, adaptations, job, concept, concept.parent_id)
        return await _RefinementRun(context, ChangeTools(context, concept), prompts, team).brief(graph)

    mechanisms = LoopMechanisms(journal=True, lookup="get_current_subconcepts")
    return AgentSpec("refinement", "concept", policy, brief, label=LABEL, mechanisms=mechanisms)


@dataclass(slots=True)
class _RefinementRun:
    """One run of the agent; `reviewed` are the answers that it has seen."""

    context: ConceptContext
    change_tools: ChangeTools
    prompts: Prompts
    team: Team
    reviewed: ReviewedAnswers = field(default_factory=ReviewedAnswers)

    async def brief(self, graph: ConceptGraph) -> Brief:
        job, adaptations = self.context.job, self.context.adaptations
        items = await self.context.answers()
        self.reviewed = mark_reviewed(items, grading_ended=False)
        before = await adaptations.reviewed(job.node_id, user_id=job.user_id)
        status = await adaptations.diagnostic_status(job.node_id, user_id=job.user_id)
        has_parts = bool(graph.nodes) and await self.context.graphs.is_generated(job.node_id, user_id=job.user_id)
        generated = has_parts and status is not None
        needs_loop = has_enough_answers(items, status) and before.has_new(items)

        async def begin() -> Sequence[Event]:
            if generated:
                await self.grade_answers()  # no agent decides whether answers are graded, nor does their number
                return []
            await self.create_subconcepts()
            made = await adaptations.diagnostic_status(job.node_id, user_id=job.user_id)
            return [made] if made else []

        return Brief(
            objective=f"Fit “{graph.parent.title}” to your answers.",
            system=self.prompts.system.text,
            messages=(Message("user", (Text(await self.request()),)),) if needs_loop else (),
            tools=self.tools(),
            opening=[
                AgentStart(),
                *([status] if status and generated else []),
                *creation_events(graph.nodes, graph.edges),
            ],
            begin=begin,
            stop_checks=(self.check_graph,),
            finish=self.finish,
            give_up=self.change_tools.undo_broken,
        )

    async def create_subconcepts(self) -> None:
        """Have the concept's parts created, and wait for them. Raises NothingSaved."""
        title = self.context.concept.title
        outcome = await self.team.delegate("subconcept", "", key="bootstrap", label=f"subconcept_bootstrap:{title}")
        if outcome.state in ("failed", "timed_out"):
            raise NothingSaved(
                "The parts of '{title}' could not be created. Try again: what was saved stays.",
                code="parts_not_created",
                title=title,
            )

    async def request(self) -> str:
        root = await self.context.graphs.node(self.context.root_id, user_id=self.context.job.user_id)
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=node_element(self.context.concept),
        )

    def tools(self) -> tuple[Tool, ...]:
        context, changes = self.context, self.change_tools
        return (
            self.grade_student_answers(),
            context.get_current_subconcepts(),
            context.check_student_history(),
            context.get_future_concepts(),
            changes.add_subconcept(),
            changes.remove_subconcept(),
            changes.add_subconcept_edge(),
            changes.remove_subconcept_edge(),
            changes.add_prerequisite_concept(),
            changes.add_followup_concept(),
            changes.validate_graph(),
            close_review,
        )

    def grade_student_answers(self) -> Tool:
        # A call that is repeated after a crash finds its grading run again: the key is the same.
        @tool(effect=Effect.WRITE, idempotent=True, timeout_s=GRADING_TIMEOUT_S)
        async def grade_student_answers() -> dict[str, JsonValue]:
            """Have what is not graded yet graded, and get all answers with their scores; `evidence` is what to cite."""
            problem = await self.grade_answers()
            items = await self.context.answers()
            self.reviewed = mark_reviewed(items, grading_ended=problem is None)
            result = await self.context.answers_result(items)
            return result if problem is None else {**result, "notGraded": problem}

        return grade_student_answers

    async def grade_answers(self) -> str | None:
        """Have ungraded answers graded; the reason why some still are not, None on success."""
        if all(item.score is not None or item.blank for item in await self.context.answers()):
            return None
        try:
            outcome = await self.team.delegate("grading", "", key="grade")
        except ToolFailure as failure:
            return str(failure)  # grades by code are there nevertheless
        return None if outcome.state == "completed" else "The grader did not come to its end: go by the others."

    async def check_graph(self, result: TurnResult) -> str | None:
        found = await self.change_tools.fault_sentences()
        names = [call.name for call in result.calls if not call.is_error and not call.unchanged]
        changed = max((at for at, name in enumerate(names) if name in CHANGE_TOOLS), default=-1)
        unread = changed >= 0 and "validate_graph" not in names[changed:]
        if unread and result.reason != "stuck":  # a map without a fault is usable, however its agent came to its end
            found.append(
                "The map was changed after the last validate_graph: call it, and read the list as the learner."
            )
        return self.prompts.correction.fill_correction(found)

    async def finish(self, result: TurnResult | None) -> AgentDone:
        if result is None:
            return closing_event("end_turn", Usage(), NO_NEW_ANSWERS)
        closing = await self.change_tools.finish(result, self.team, rationales=UNDO_RATIONALES)
        await self.log_generation(result)
        return closing_event(result.reason, result.usage, closing)

    async def log_generation(self, result: TurnResult) -> None:
        """Record the reviewed answers, so that no later run is based on the same ones."""
        job, system = self.context.job, self.prompts.system
        meta = {
            "runId": job.run_id,
            "prompt": f"{system.name} {system.version}",
            "reason": result.reason,
            "iterations": result.iterations,
            "changes": len(await self.change_tools.own_changes()),
            "problems": list(result.problems),
            "seen": {"graded": sorted(self.reviewed.graded), "ungraded": sorted(self.reviewed.ungraded)},
        }
        await self.context.graphs.log_generation(
            job.node_id,
            trigger="system_refresh",
            model=job.model,
            meta=json.dumps(meta, ensure_ascii=False),
            run_id=job.run_id,
        )


def has_enough_answers(items: Sequence[AnsweredQuestion], status: DiagnosticStatus | None) -> bool:
    """Whether there are enough answers for a change to be possible: a few, or all of a short diagnostic."""
    count = sum(not item.contested for item in items)
    return count >= MIN_GRADED or (
        status is not None and 0 < status.required_answers <= min(count, status.answered_count)
    )
