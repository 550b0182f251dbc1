"""What whoever carries runs is made of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sprout.agents.agent import AgentSpec
from sprout.clock import utc_now
from sprout.events import Caps
from sprout.ids import new_id
from sprout.loop.model import ChatModel, ModelTraits
from sprout.runs.absent import AgentAbsent
from sprout.runs.at_work import Suspects
from sprout.runs.bus import EventBus
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.gate import ModelGate
from sprout.runs.log import Claim, RunStore
from sprout.runs.observer import Observer
from sprout.runs.purse import Purse
from sprout.runs.state import Run
from sprout.runs.writer import Flights


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model that an agent is given.

    Args:
        fallback: takes over while the model is overloaded.
        summaries: writes the summaries of long conversations.
        offline: whether it is the built-in one.
    """

    name: str
    fallback: str | None
    summaries: str
    offline: bool
    traits: ModelTraits = ModelTraits()


@dataclass(frozen=True, slots=True)
class Parts:
    """The store, the engines and the models, by what they are for.

    Args:
        choose: the model for an agent's name, in small mode or not.
        claim: under which name, and with which lease, runs are carried here.
        purse: pays for model calls where there are budgets of a day.
    """

    store: RunStore
    bus: EventBus
    dispatcher: Dispatcher
    claim: Claim
    model: ChatModel
    agents: Mapping[str, AgentSpec]
    choose: Callable[[str, bool], ModelChoice]
    gate: ModelGate
    observer: Observer
    purse: Purse | None = None
    flights: Flights = field(default_factory=Flights)
    suspects: Suspects = field(default_factory=Suspects)

    def new_run(
        self, agent: str, *, user_id: str, node_id: str, branch_id: str | None, small: bool, task: str | None = None
    ) -> Run:
        """A root run of an agent on a node, to be admitted. Raises AgentAbsent."""
        if agent not in self.agents:
            raise AgentAbsent(agent)
        spec, run_id = self.agents[agent], new_id()
        choice, policy = self.choose(spec.name, small), spec.policy
        return Run(
            id=run_id,
            root_id=run_id,
            parent_id=None,
            user_id=user_id,
            agent=spec.name,
            label=spec.label or spec.name,
            lane=f"{spec.lane}:{node_id}",
            node_id=node_id,
            branch_id=branch_id,
            small=small,
            model=choice.name,
            offline=choice.offline,
            caps=Caps(iterations=policy.max_iterations, tokens=policy.max_run_tokens, cost_usd=policy.max_run_cost_usd),
            created_at=utc_now(),
            task=task,
        )
