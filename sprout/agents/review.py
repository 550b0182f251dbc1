"""The review agent: looks whether something that a learner can do now opens a door that their path does not have."""

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.changing import Changing
from sprout.agents.fences import fenced, wrapped
from sprout.agents.observing import Ground
from sprout.agents.prompts import Prompts, prompts_of
from sprout.agents.saving import correction
from sprout.errors import BadInput, GraphRefused
from sprout.events import AgentDone, NodeRow, Usage
from sprout.learning.graph.graph import MAX_DESC, MAX_TITLE
from sprout.learning.mastery.refining import Refining
from sprout.learning.paths.shelf import Shelf
from sprout.loop.model import Message, Text
from sprout.loop.policy import LoopPolicy
from sprout.loop.tools import Tool, tool
from sprout.loop.turn import TurnResult

REVIEW_POLICY = LoopPolicy(max_iterations=10, max_output_tokens=8_000)
LABEL = "path_review"
MOST_ADDITIONS = 4
USUAL_ADDITIONS = 2
MAX_OVERVIEW = 4_000
NOTHING_SHOWN = "Nothing has been solved here yet that could lead on, so the path stays as it is."
TAKEN_BACK = "What this review added would have left the path with a fault, so it was taken back."


class ReviewTask(BaseModel):
    """What somebody wants of a review; kept as JSON in the run's task.

    Args:
        overview: what they say of the path, in their words.
        max_additions: how many additions there may be at most.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    overview: str = ""
    max_additions: int = Field(default=USUAL_ADDITIONS, ge=0, le=MOST_ADDITIONS)


def review_agent(shelf: Shelf, refining: Refining, policy: LoopPolicy = REVIEW_POLICY) -> AgentSpec:
    """The agent that reviews the path around a node that its learner has completed.

    Raises SetupError when a prompt is not as it must be.
    """
    prompts = prompts_of("review")

    async def brief(job: Job, team: Team) -> Brief:
        node = await shelf.node(job.node_id, user_id=job.user_id)
        concept = node if node.type == "concept" else await _parent(shelf, node, job.user_id)
        if concept is None or concept.parent_id is None:
            raise BadInput(f"A concept or a part of one is reviewed, and {node.title!r} is a {node.type}.")
        task = _task(job.task)
        ground = Ground(shelf, refining, job, concept, concept.parent_id)
        changing = Changing(ground, node, opens_doors=True, most_changes=task.max_additions, most_added=None)
        return await _Review(ground, changing, prompts, team, node, task).brief()

    return AgentSpec("review", "review", policy, brief, label=LABEL)


@dataclass(slots=True)
class _Review:
    """One run of the agent."""

    ground: Ground
    changing: Changing
    prompts: Prompts
    team: Team
    node: NodeRow
    task: ReviewTask

    async def brief(self) -> Brief:
        opens = self.task.max_additions > 0 and any(one.usable and one.right for one in await self.ground.items())
        ground, changing = self.ground, self.changing
        return Brief(
            objective=f"Whether the path needs something more after “{self.node.title}”.",
            system=self.prompts.system.text,
            messages=(Message("user", (Text(await self.request()),)),) if opens else (),
            tools=(
                self.get_graded_answers(),
                ground.get_current_subconcepts(),
                ground.get_future_concepts(),
                changing.add_concept(),
                changing.add_subconcept(),
            ),
            stop_checks=(self.what_is_wrong,),
            finish=self.finish,
            give_up=self.give_up,
        )

    async def request(self) -> str:
        ground, node = self.ground, self.node
        root = await ground.shelf.node(ground.root_id, user_id=ground.job.user_id)
        part = "" if node.id == ground.concept.id else fenced("subconcept", node.title, limit=MAX_TITLE)
        return self.prompts.request.filled(
            topic=fenced("topic", root.title, limit=MAX_TITLE),
            concept=wrapped(
                "concept",
                fenced("title", ground.concept.title, limit=MAX_TITLE),
                fenced("desc", ground.concept.desc or "", limit=MAX_DESC),
            ),
            subconcept=part,
            size=f'<size additions="0-{self.task.max_additions}"/>',
            overview=fenced("overview", self.task.overview, limit=MAX_OVERVIEW) if self.task.overview else "",
        )

    def get_graded_answers(self) -> Tool:
        @tool()
        async def get_graded_answers() -> dict[str, JsonValue]:
            """All answers about the concept with their scores; `evidence` is what to cite."""
            return await self.ground.told_answers(await self.ground.items())

        return get_graded_answers

    async def what_is_wrong(self, _: TurnResult) -> str | None:
        found = [said for faults in (await self.changing.faults()).values() for said in faults]
        return correction(self.prompts.correction, found)

    async def finish(self, result: TurnResult | None) -> AgentDone:
        if result is None:
            return AgentDone(reason="end_turn", usage=Usage(), rationale=NOTHING_SHOWN)
        taken = await self.put_right()
        await self.changing.hand_on(self.team)
        closing = TAKEN_BACK if taken else result.text.strip() or None
        return AgentDone(reason=result.reason, usage=result.usage, rationale=closing)

    async def put_right(self) -> bool:
        """Take back what would leave the path broken; whether anything was."""
        try:
            return await self.changing.take_back()
        except GraphRefused:
            return False  # the learner has built on it meanwhile: it is theirs now

    async def give_up(self) -> None:
        await self.put_right()


async def _parent(shelf: Shelf, node: NodeRow, user_id: str) -> NodeRow | None:
    if node.type != "subconcept" or node.parent_id is None:
        return None
    return await shelf.node(node.parent_id, user_id=user_id)


def _task(said: str | None) -> ReviewTask:
    """What is wanted; words that say nothing of it ask for the usual."""
    try:
        return ReviewTask.model_validate_json(said) if said else ReviewTask()
    except ValidationError as error:
        raise BadInput(f"This is no task for a review: {error.error_count()} of its fields cannot be read.") from error
