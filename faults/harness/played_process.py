"""A process of Sprout that is played: all of its agents, on a database that fate may take from it."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from faults.harness.played_database import Fate, database_of
from faults.harness.played_model import MODEL, PlayedModel
from sprout.agents.grading import grading_agent
from sprout.agents.refinement import refinement_agent
from sprout.agents.review import review_agent
from sprout.agents.subconcept import subconcept_agent
from sprout.agents.topic import topic_agent
from sprout.agents.tutor import tutor_agent
from sprout.documents.passages import passages_of
from sprout.engines.asyncio_dispatcher import AsyncioDispatcher
from sprout.engines.memory_bus import MemoryBus
from sprout.ids import new_id
from sprout.runs.gate import ModelGate
from sprout.runs.live import LiveRuns, live_runs
from sprout.runs.log import Claim
from sprout.runs.observer import Nobody
from sprout.runs.parts import ModelChoice, Parts
from sprout.store.assessments import SqlAssessments
from sprout.store.files import Files
from sprout.store.gradebook import SqlGradebook
from sprout.store.library import SqlLibrary
from sprout.store.memories import SqlMemories
from sprout.store.refining import SqlRefining
from sprout.store.runs import SqlRunStore
from sprout.store.shelf import SqlShelf
from sprout.store.talk import SqlTalk
from sprout.store.tutoring import SqlTutoring

LEASE_S, BEAT_S, SWEEP_S = 30.0, 10.0, 30.0


@dataclass(frozen=True, slots=True)
class PlayedProcess:
    """What the web would be given of it."""

    runs: LiveRuns
    library: SqlLibrary
    shelf: SqlShelf
    assessments: SqlAssessments
    talk: SqlTalk
    tutoring: SqlTutoring


@asynccontextmanager
async def process(engine: Engine, fate: Fate, chance: random.Random, *, alone: bool) -> AsyncIterator[PlayedProcess]:
    """A process, from its start to its end in good order, or to where it is refused everything.

    Args:
        alone: whether nobody else carries runs.
    """
    database = database_of(engine, fate)
    bus, dispatcher = MemoryBus(), AsyncioDispatcher()
    shelf = SqlShelf(database, bus.publish, split=passages_of)
    refining, tutoring = SqlRefining(database, bus.publish), SqlTutoring(database, bus.publish)
    agents = [
        topic_agent(shelf),
        subconcept_agent(shelf),
        grading_agent(shelf, SqlGradebook(database, bus.publish)),
        refinement_agent(shelf, refining),
        review_agent(shelf, refining),
    ]
    helpers = [agent.name for agent in agents]
    agents.append(tutor_agent(tutoring, shelf, SqlMemories(database, bus.publish), helpers=helpers))
    parts = Parts(
        store=SqlRunStore(database, bus.publish, dispatcher),
        bus=bus,
        dispatcher=dispatcher,
        claim=Claim(new_id(), LEASE_S, alone=alone),
        model=PlayedModel(chance),
        agents={agent.name: agent for agent in agents},
        choose=lambda agent, small: ModelChoice(MODEL, None, MODEL, offline=True),
        gate=ModelGate(per_root=10, most=32),
        observer=Nobody(),
    )
    async with live_runs(parts, beat_s=BEAT_S, sweep_s=SWEEP_S) as runs:
        library = SqlLibrary(database, bus.publish, files=Files(Path("nowhere")))
        yield PlayedProcess(runs, library, shelf, SqlAssessments(database), SqlTalk(database), tutoring)
