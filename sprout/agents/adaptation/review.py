"""Review agent: extends the path beyond what a learner has mastered."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sprout.agents.adaptation.change_tools import ChangeTools, UndoOutcome
from sprout.agents.adaptation.observation_tools import ConceptContext
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.closing import ClosingWords, close_review, closing_event
from sprout.agents.fences import fenced
from sprout.agents.prompt_elements import node_element
from sprout.agents.prompts import Prompts, load_prompts
from sprout.errors import BadInput
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_TITLE
from sprout.learning.mastery.adaptation import AdaptationRepository
from sprout.learning.paths.graph_repository import GraphRepository
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool, tool
from sprout.loop.turn import TurnResult

REVIEW_POLICY = LoopPolicy(max_iterations=10, max_output_tokens=8_000)
LABEL = "path_review"
MAX_ADDITIONS = 4
DEFAULT_ADDITIONS = 2
MAX_OVERVIEW = 4_000
NOTHING_SOLVED = ClosingWords("Nothing here is solved yet, so your path stays as it is.", "rationale_nothing_solved")
ADDITIONS_UNDONE = ClosingWords(
    "The additions would have left a fault in your path, so they were undone.", "rationale_additions_undone"
)
UNDO_RATIONALES = {UndoOutcome.UNDONE: ADDITIONS_UNDONE}


class ReviewTask(BaseModel):
    """Request for a review, stored as JSON in the run's task.

    Args:
        overview: the requester's description of the path.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    overview: str = ""
    max_additions: int = Field(default=DEFAULT_ADDITIONS, ge=0, le=MAX_ADDITIONS)


def review_agent(
    graphs: GraphRepository, adaptations: AdaptationRepository, policy: LoopPolicy = REVIEW_POLICY
) -> AgentSpec:
    """The agent that reviews the path around a node that its learner has completed.

    Raises SetupError: a prompt file is missing or invalid.
    """
    prompts = load_prompts("adaptation/review")

    async def brief(job: Job, team: Team) -> Brief:
        node = await graphs.node(job.node_id, user_id=job.user_id)
        concept = node if node.type == "concept" else await _concept_of(graphs, node, job.user_id)
        if concept is None or concept.parent_id is None:
            raise BadInput(f"Only a concept or a part of one can be reviewed, and {node.title!r} is a {node.type}.")
        task = _parse_task(job.task)
        context = ConceptContext(graphs, adaptations, job, concept, concept.parent_id)
        changes = ChangeTools(context, node, extends_path=True, max_changes=task.max_additions, max_added=None)
        return await _ReviewRun(context, changes, prompts, team, node, task).brief()

    return AgentSpec("review", "review", policy, brief, label=LABEL)


@dataclass(slots=True)
class _ReviewRun:
    """One run of the agent."""

    context: ConceptContext
    change_tools: ChangeTools
    prompts: Prompts
    team: Team
    node: NodeRow
    task: ReviewTask

    async def brief(self) -> Brief:
        may_add = self.task.max_additions > 0 and any(one.usable and one.right for one in await self.context.answers())
        context, changes = self.context, self.change_tools
        return Brief(
            objective=f"What could follow “{self.node.title}” in your path.",
            system=self.prompts.system.text,
            messages=(Message("user", (Text(await self.request()),)),) if may_add else (),
            tools=(
                self.get_graded_answers(),
                context.get_current_subconcepts(),
                context.get_future_concepts(),
                changes.add_concept(),
                changes.add_subconcept(),
                close_review,
            ),
            stop_checks=(self.check_graph,),
            finish=self.finish,
            give_up=self.change_tools.undo_broken,
        )

    async def request(self) -> str:
        context, node = self.context, self.node
        root = await context.graphs.node(context.root_id, user_id=context.job.user_id)
        part = "" if node.id == context.concept.id else fenced("subconcept", node.title, limit=MAX_TITLE)
        return self.prompts.request.fill(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=node_element(context.concept),
            subconcept=part,
            size=f'<size additions="0-{self.task.max_additions}"/>',
            overview=fenced("overview", self.task.overview, limit=MAX_OVERVIEW) if self.task.overview else "",
        )

    def get_graded_answers(self) -> Tool:
        @tool()
        async def get_graded_answers() -> dict[str, JsonValue]:
            """All answers about the concept with their scores; `evidence` is what to cite."""
            return await self.context.answers_result(await self.context.answers())

        return get_graded_answers

    async def check_graph(self, _: TurnResult) -> str | None:
        return self.prompts.correction.fill_correction(await self.change_tools.fault_sentences())

    async def finish(self, result: TurnResult | None) -> AgentDone:
        if result is None:
            return closing_event("end_turn", Usage(), NOTHING_SOLVED)
        closing = await self.change_tools.finish(result, self.team, rationales=UNDO_RATIONALES)
        return closing_event(result.reason, result.usage, closing)


async def _concept_of(graphs: GraphRepository, node: NodeRow, user_id: str) -> NodeRow | None:
    if node.type != "subconcept" or node.parent_id is None:
        return None
    return await graphs.node(node.parent_id, user_id=user_id)


def _parse_task(text: str | None) -> ReviewTask:
    """The request; the default one without a text. Raises BadInput."""
    try:
        return ReviewTask.model_validate_json(text) if text else ReviewTask()
    except ValidationError as error:
        raise BadInput(f"This is not a task for a review: {error.error_count()} invalid fields.") from error
