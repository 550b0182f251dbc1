"""Dependencies of the run execution."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sprout.agents.agent import AgentSpec, Brief
from sprout.agents.missing_agent import AgentMissing
from sprout.clock import utc_now
from sprout.events import Caps
from sprout.ids import new_id
from sprout.loop.journal import Journal
from sprout.loop.model import ChatModel, ModelTraits
from sprout.loop.turn_options import TurnOptions
from sprout.runs.budget.ledger import BudgetLedger
from sprout.runs.dispatcher import Dispatcher
from sprout.runs.execution.crash_guard import CrashQuarantine
from sprout.runs.execution.memory_flush import LearnerMemories
from sprout.runs.execution.observer import Observer
from sprout.runs.model_gate import CallGate
from sprout.runs.model_probes import ModelProbe, ModelProbes
from sprout.runs.run_store import RunStore, WorkerLease
from sprout.runs.state import Run
from sprout.runs.streaming.bus import EventBus


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models chosen for an agent.

    Args:
        fallback: used while the model is overloaded.
        summaries: writes the summaries of long conversations.
        offline: whether the model is the built-in one.
    """

    name: str
    fallback: str | None
    summaries: str
    offline: bool
    traits: ModelTraits = ModelTraits()

    def with_window_of(self, probe: ModelProbe | None) -> "ModelChoice":
        """The choice with the window that a probe has found, which a server may have set smaller than the model's."""
        if probe is None or probe.window is None:
            return self
        return replace(self, traits=replace(self.traits, window=probe.window))


def turn_options(spec: AgentSpec, brief: Brief, choice: ModelChoice, journal: Journal) -> TurnOptions:
    """The options of a turn in which this agent works on its brief; `journal` holds the notes of its earlier run."""
    mechanisms = spec.mechanisms
    return TurnOptions(
        traits=choice.traits,
        fallback_model=choice.fallback,
        voice=spec.voice,
        strategy=mechanisms.context_strategy(),
        profile=mechanisms.profile if brief.profile is None else brief.profile,
        permissions=mechanisms.rules(),
        can_wait=True,
        asks=mechanisms.asks,
        lookup=mechanisms.lookup,
        token_target=mechanisms.token_target,
        journal=journal,
        stop_checks=brief.stop_checks,
    )


@dataclass(frozen=True, slots=True)
class RunDependencies:
    """The store, the engines, the models and the agents.

    Args:
        lease: the owner's name and lease under which this process claims runs.
        claims_new_runs: whether it claims a run as it admits it; else any worker may take it.
        choose_model: the model for an agent's name, in small mode or not.
        local_model: of runs on the paths of classes that use it alone, if there is one.
        ledger: reserves the cost of model calls, if there are daily budgets.
        probes: what was found out about models, if it is asked for.
        memories: where agents with a memory keep what results say of the learner before a compaction.
    """

    store: RunStore
    bus: EventBus
    dispatcher: Dispatcher
    lease: WorkerLease
    model: ChatModel
    agents: Mapping[str, AgentSpec]
    choose_model: Callable[[str, bool], ModelChoice]
    gate: CallGate
    observer: Observer
    local_model: ModelChoice | None = None
    ledger: BudgetLedger | None = None
    probes: ModelProbes | None = None
    memories: LearnerMemories | None = None
    claims_new_runs: bool = True
    quarantine: CrashQuarantine = field(default_factory=CrashQuarantine)

    async def probe_of(self, model: str) -> ModelProbe | None:
        """The last probe of a model; None if it was never probed."""
        return None if self.probes is None else await self.probes.of(model)

    @property
    def admission_lease(self) -> WorkerLease | None:
        """The lease under which a new run is claimed at its admission, if it is."""
        return self.lease if self.claims_new_runs else None

    def model_of(self, run: Run) -> ModelChoice:
        """The models of a run: those of its agent, or the local one that it was admitted with."""
        if self.local_model is not None and run.model == self.local_model.name:
            return self.local_model
        return self.choose_model(run.agent, run.small)

    async def new_run(
        self, agent: str, *, user_id: str, node_id: str, branch_id: str | None, small: bool, task: str | None = None
    ) -> Run:
        """A root run of an agent on a node, to be admitted. Raises AgentMissing."""
        if agent not in self.agents:
            raise AgentMissing(agent)
        spec, run_id = self.agents[agent], new_id()
        choice, policy = await self._model_on_path(spec.name, small, user_id, branch_id), spec.policy
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

    async def _model_on_path(self, agent: str, small: bool, user_id: str, branch_id: str | None) -> ModelChoice:
        local, ledger = self.local_model, self.ledger
        if local is not None and ledger is not None and await ledger.uses_local_model(user_id, branch_id):
            return local
        return self.choose_model(agent, small)
