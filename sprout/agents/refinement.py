"""The refinement agent: adapts a concept to what its learner has shown; a run of it opens a concept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.changing import Changing
from sprout.agents.fences import fenced, wrapped
from sprout.agents.observing import Ground
from sprout.agents.prompts import Prompts, prompts_of
from sprout.agents.saving import NothingMade, as_events, correction, graph_under
from sprout.errors import BadInput, GraphRefused, ToolFailure
from sprout.events import AgentDone, Event, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE, ConceptGraph
from sprout.learning.mastery.adapting import LEAST_GRADED
from sprout.learning.mastery.refining import Item, Refining, Seen, seen
from sprout.learning.paths.shelf import Shelf
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Effect, Tool, tool
from sprout.loop.turn import TurnResult

REFINEMENT_POLICY = LoopPolicy(max_iterations=15, max_output_tokens=16_000)
LABEL = "concept_refinement"
GRADING_PATIENCE_S = 600.0
CHANGING = frozenset(
    {"add_subconcept", "remove_subconcept", "add_subconcept_edge", "remove_subconcept_edge"}
    | {"add_prerequisite_concept", "add_followup_concept"}
)
NOTHING_NEW = "There are no new answers to go by, so everything stays as it is."
TAKEN_BACK = "What this run changed would have left the map with a fault, so it was taken back: nothing has changed."
LEFT_BROKEN = "This run left a fault in the map, and you have built on it since, so it stays: look it over."


def refinement_agent(shelf: Shelf, refining: Refining, policy: LoopPolicy = REFINEMENT_POLICY) -> AgentSpec:
    """The agent that has a concept's parts made where they are missing, and adapts them to new answers.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of("refinement")

    async def brief(job: Job, team: Team) -> Brief:
        graph = await graph_under(shelf, job.node_id, user_id=job.user_id)
        concept = graph.parent
        if concept.type != "concept" or concept.parent_id is None:
            raise BadInput(f"Only a concept is refined, and {concept.title!r} is a {concept.type}.")
        ground = Ground(shelf, refining, job, concept, concept.parent_id)
        return await _Refinement(ground, Changing(ground, concept), prompts, team).brief(graph)

    return AgentSpec("refinement", "concept", policy, brief, label=LABEL)


@dataclass(slots=True)
class _Refinement:
    """One run of the agent; `looked_at` is what it has seen of the learner's answers."""

    ground: Ground
    changing: Changing
    prompts: Prompts
    team: Team
    looked_at: Seen = field(default_factory=Seen)

    async def brief(self, graph: ConceptGraph) -> Brief:
        job, refining = self.ground.job, self.ground.refining
        items = await self.ground.items()
        self.looked_at = seen(items, grading_ended=False)
        before = await refining.seen(job.node_id, user_id=job.user_id)
        status = await refining.diagnostic(job.node_id, user_id=job.user_id)
        whole = bool(graph.nodes) and await self.ground.shelf.is_generated(job.node_id, user_id=job.user_id)
        asks = enough(items) and before.has_news(items)

        async def begin() -> Sequence[Event]:
            if not whole:
                await self.bootstrap()
            late = None if status else await refining.diagnostic(job.node_id, user_id=job.user_id)
            return [late] if late else []

        return Brief(
            objective=f"What “{graph.parent.title}” should look like, going by the answers.",
            system=self.prompts.system.text,
            messages=(Message("user", (Text(await self.request()),)),) if asks else (),
            tools=self.tools(),
            opening=[*([status] if status else []), *as_events(graph.nodes, graph.edges)],
            begin=begin,
            stop_checks=(self.what_is_wrong,),
            finish=self.finish,
            give_up=self.give_up,
        )

    async def bootstrap(self) -> None:
        """Have the concept's parts made, and wait for that. Raises NothingMade."""
        title = self.ground.concept.title
        made = await self.team.delegate("subconcept", "", key="bootstrap", label=f"subconcept_bootstrap:{title}")
        if made.state in ("failed", "timed_out"):
            raise NothingMade(f"The parts of '{title}' could not be made. Try again: what was saved stays.")

    async def request(self) -> str:
        concept = self.ground.concept
        root = await self.ground.shelf.node(self.ground.root_id, user_id=self.ground.job.user_id)
        return self.prompts.request.filled(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=wrapped(
                "concept",
                fenced("title", concept.title, limit=MAX_TITLE),
                fenced("desc", concept.desc or "", limit=MAX_DESC),
            ),
        )

    def tools(self) -> tuple[Tool, ...]:
        ground, changing = self.ground, self.changing
        return (
            self.grade_student_answers(),
            ground.get_current_subconcepts(),
            ground.check_student_history(),
            ground.get_future_concepts(),
            changing.add_subconcept(),
            changing.remove_subconcept(),
            changing.add_subconcept_edge(),
            changing.remove_subconcept_edge(),
            changing.add_prerequisite_concept(),
            changing.add_followup_concept(),
            changing.validate_graph(),
        )

    def grade_student_answers(self) -> Tool:
        # Begun again after a crash it finds the grading run that it had: its key is the same.
        @tool(effect=Effect.WRITE, idempotent=True, timeout_s=GRADING_PATIENCE_S)
        async def grade_student_answers() -> dict[str, JsonValue]:
            """Have what is not graded yet graded, and get all answers with their scores; `evidence` is what to cite."""
            problem = await self.graded()
            items = await self.ground.items()
            self.looked_at = seen(items, grading_ended=problem is None)
            told = await self.ground.told_answers(items)
            return told if problem is None else {**told, "notGraded": problem}

        return grade_student_answers

    async def graded(self) -> str | None:
        """Have answers graded that are not; why they still are not, None where all went well."""
        if all(item.score is not None or item.blank for item in await self.ground.items()):
            return None
        try:
            outcome = await self.team.delegate("grading", "", key="grade")
        except ToolFailure as failure:
            return str(failure)  # what code has graded is there all the same
        return None if outcome.state == "completed" else "The grader did not come to its end: go by the others."

    async def what_is_wrong(self, result: TurnResult) -> str | None:
        found = [said for faults in (await self.changing.faults()).values() for said in faults]
        names = [call.name for call in result.calls if not call.is_error]
        changed = max((at for at, name in enumerate(names) if name in CHANGING), default=-1)
        if changed >= 0 and "validate_graph" not in names[changed:]:
            found.append(
                "The map was changed after the last validate_graph: call it, and read the list as the learner."
            )
        return correction(self.prompts.correction, found)

    async def finish(self, result: TurnResult | None) -> AgentDone:
        if result is None:
            return AgentDone(reason="end_turn", usage=Usage(), rationale=NOTHING_NEW)
        closing = await self.put_right() or result.text.strip() or None
        await self.changing.hand_on(self.team)
        await self.note(result)
        return AgentDone(reason=result.reason, usage=result.usage, rationale=closing)

    async def put_right(self) -> str | None:
        """Take back what would leave the map broken; what the learner is told of it, None where all is well."""
        try:
            return TAKEN_BACK if await self.changing.take_back() else None
        except GraphRefused:
            return LEFT_BROKEN

    async def give_up(self) -> None:
        await self.put_right()

    async def note(self, result: TurnResult) -> None:
        """Keep what was looked at, so that no run goes by the same answers again."""
        job, system = self.ground.job, self.prompts.system
        meta = {
            "runId": job.run_id,
            "prompt": f"{system.name} {system.version}",
            "reason": result.reason,
            "iterations": result.iterations,
            "changes": len(await self.changing.made()),
            "problems": list(result.problems),
            "seen": {"graded": sorted(self.looked_at.graded), "ungraded": sorted(self.looked_at.ungraded)},
        }
        await self.ground.shelf.log_generation(
            job.node_id,
            trigger="system_refresh",
            model=job.model,
            meta=json.dumps(meta, ensure_ascii=False),
            run_id=job.run_id,
        )


def enough(items: Sequence[Item]) -> bool:
    """Whether there is so much to go by that a change could come of it: fewer answers than that never change a map."""
    return sum(not item.contested for item in items) >= LEAST_GRADED
