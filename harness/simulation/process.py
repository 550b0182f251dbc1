"""A process of Sprout that is played: all of its agents, on a database that fate may take from it."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from harness.runs.observers import NullObserver
from harness.simulation.database import ProcessFate, simulated_database
from harness.simulation.model import MODEL, SimulatedModel
from sprout.agents.adaptation.refinement import refinement_agent
from sprout.agents.adaptation.review import review_agent
from sprout.agents.grading.grading import grading_agent
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.agents.tutor.tutor import tutor_agent
from sprout.documents.splitting.passages import split_into_passages
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.ids import new_id
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.programs.runner import SandboxedRunner
from sprout.runs.execution.dependencies import ModelChoice, RunDependencies
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.model_gate import ModelGate
from sprout.runs.run_store import WorkerLease
from sprout.store.assessment.assessments import SqlAssessments
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.adaptation import SqlAdaptationRepository
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore

LEASE_S, BEAT_S, SWEEP_S = 30.0, 10.0, 30.0


@dataclass(frozen=True, slots=True)
class SimulatedProcess:
    """The parts of a process that the web layer would receive."""

    runs: LiveRuns
    paths: SqlPaths
    graphs: SqlPathRepository
    assessments: SqlAssessments
    talk: SqlConversations
    tutoring: SqlLessonRepository


@asynccontextmanager
async def run_process(
    engine: Engine, fate: ProcessFate, chance: random.Random, *, alone: bool
) -> AsyncIterator[SimulatedProcess]:
    """A process, from its start to its end in good order, or to where it is refused everything.

    Args:
        alone: whether this is the only worker.
    """
    database = simulated_database(engine, fate)
    bus, dispatcher = MemoryBus(), AsyncioDispatcher()
    graphs = SqlPathRepository(database, bus.publish, split=split_into_passages)
    refining, tutoring = SqlAdaptationRepository(database, bus.publish), SqlLessonRepository(database, bus.publish)
    gradebook = SqlGradebook(database, bus.publish)
    programs = ProgramMarker(SandboxedRunner(), gradebook)
    agents = [
        topic_agent(graphs),
        subconcept_agent(graphs),
        grading_agent(graphs, gradebook, programs),
        refinement_agent(graphs, refining),
        review_agent(graphs, refining),
    ]
    helpers = [agent.name for agent in agents]
    memories = SqlMemories(database, bus.publish)
    agents.append(tutor_agent(tutoring, graphs, memories, programs=programs, helpers=helpers))
    parts = RunDependencies(
        store=SqlRunStore(database, bus.publish, dispatcher),
        bus=bus,
        dispatcher=dispatcher,
        lease=WorkerLease(new_id(), LEASE_S, exclusive=alone),
        model=SimulatedModel(chance),
        agents={agent.name: agent for agent in agents},
        choose_model=lambda agent, small: ModelChoice(MODEL, None, MODEL, offline=True),
        gate=ModelGate(per_root=10, limit=32),
        observer=NullObserver(),
    )
    async with live_runs(parts, heartbeat_s=BEAT_S, sweep_s=SWEEP_S) as runs:
        paths = SqlPaths(database, bus.publish, storage=LocalStorage(Path("nowhere")))
        yield SimulatedProcess(runs, paths, graphs, SqlAssessments(database), SqlConversations(database), tutoring)
