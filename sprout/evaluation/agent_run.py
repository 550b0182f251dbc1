"""Agent run: an agent works on a job without a server, its runs one after the other."""

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from sprout.agents.agent import AgentSpec, Brief, Job, Outcome
from sprout.errors import ModelFailure, ModelFailureKind, ToolFailure
from sprout.evaluation.suite import NamedModel
from sprout.events import Event
from sprout.loop.journal import Journal
from sprout.loop.turn import TurnResult, run_turn
from sprout.runs.execution.dependencies import ModelChoice, turn_options

# What lies in the item itself; everything else would be the same for the next one, so it ends the evaluation.
OF_THE_ITEM = frozenset(
    {ModelFailureKind.PROMPT_TOO_LONG, ModelFailureKind.REQUEST_TOO_LARGE, ModelFailureKind.NO_PROGRESS}
)


@dataclass(slots=True)
class SoloTeam:
    """The team of an agent that runs alone: what it delegates to itself is done at once.

    Args:
        results: of all loops so far, in order.
    """

    agents: Mapping[str, AgentSpec]
    model: NamedModel
    job: Job
    results: list[TurnResult] = field(default_factory=list)

    async def publish(self, event: Event) -> None:
        """Events are dropped: no stream is open."""

    async def pause(self, seconds: float) -> bool:
        return True

    async def start(self, agent: str, *, node_id: str, label: str) -> None:
        raise ToolFailure(f"{agent} cannot be started here.")

    async def start_apart(self, agent: str, task: str, *, node_id: str) -> None:
        raise ToolFailure(f"{agent} cannot be started here.")

    async def delegate(self, agent: str, task: str, *, key: str, label: str | None = None) -> Outcome:
        if agent not in self.agents:
            raise ToolFailure(f"{agent} does not work here.")
        job = replace(self.job, run_id=f"{self.job.run_id}/{key}", label=label or agent, task=task)
        await run_agent(self.agents[agent], job, replace(self, job=job))
        return Outcome("completed", "")


async def run_agent(spec: AgentSpec, job: Job, team: SoloTeam) -> None:
    """Run an agent from its brief to its end. Raises ModelFailure, unless it is one of the item alone."""
    brief = await spec.brief(job, team)
    if brief.begin is not None:
        await brief.begin()
    result = await _run_loop(spec, brief, team.model) if brief.messages else None
    if result is not None:
        team.results.append(result)
        if result.failure is not None and result.failure.kind not in OF_THE_ITEM:
            raise result.failure
    if brief.finish is not None:
        await brief.finish(result)


async def _run_loop(spec: AgentSpec, brief: Brief, model: NamedModel) -> TurnResult:
    choice = ModelChoice(model.name, None, model.name, offline=False, traits=model.traits)
    turn = run_turn(
        model.chat,
        model_name=model.name,
        system=brief.system,
        messages=brief.messages,
        tools=brief.tools,
        policy=spec.policy,
        options=replace(turn_options(spec, brief, choice, Journal()), can_wait=False),
    )
    async with aclosing(turn) as steps:
        async for step in steps:
            if isinstance(step, TurnResult):
                return step
    raise AssertionError("a turn ends with its result")


def failure_ends_evaluation(failure: ModelFailure) -> bool:
    """Whether the next item would fail in the same way."""
    return failure.kind not in OF_THE_ITEM
