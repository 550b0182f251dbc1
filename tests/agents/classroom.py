"""A concept with its map and its diagnostic, served over HTTP, whose learner answers and whose agents adapt it.

The model is the offline one, or what a test has written for it. Open answers are graded by a small agent that looks for
one word: how real ones are graded is no matter of these tests.
"""

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import update
from sqlmodel import SQLModel, col, select

from harness.builders import a_concept, a_topic
from harness.loop.scripted_turn import QUICK
from harness.runs.observed_runs import ObservedRuns
from harness.runs.observers import NullObserver
from harness.servers.engines import open_engines
from harness.servers.in_process import serve_app
from harness.servers.limited_web import with_limits
from harness.servers.web import a_static_folder, web_parts
from sprout.agents.adaptation.refinement import refinement_agent
from sprout.agents.adaptation.review import review_agent
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.path.subconcept import subconcept_agent
from sprout.agents.path.topic import topic_agent
from sprout.clock import utc_now
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import EdgeEnds, NodeRow
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.graph.changes import Change
from sprout.learning.graph.graph import ConceptGraph, Edit
from sprout.learning.marking.grades import Grade, GradeState
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.learning.questions.questions import Criterion, Misconception, QuestionDraft
from sprout.offline.api.messages_api import OfflineModel, RecordedRequest
from sprout.offline.demo.router import DemoModel
from sprout.offline.script import Scripted, Step
from sprout.offline.server import OfflineServer
from sprout.runs.execution.dependencies import ModelChoice, RunDependencies
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.run_store import WorkerLease
from sprout.store.assessment.attempts import store_grade
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.paths.adaptation import SqlAdaptationRepository
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.event_log import Publish
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.web.routes import web_app
from tests.runs.live_app import model_backend

ME = {"userId": DEFAULT_USER_ID}
ACTOR = Actor(DEFAULT_USER_ID)
PARTS = ("Fractions of a whole", "Equal shares", "Adding shares", "Comparing shares", "Shares in a recipe")
EDGES = ((0, 1), (1, 2), (1, 3), (2, 4), (3, 4))
GOOD_WORD = "because"

Operation = Callable[[ConceptGraph], Edit]
Hire = Callable[[SqlPathRepository, Publish], Sequence[AgentSpec]]


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    kind: str
    data: dict[str, Any]


class Later(Scripted):
    """A script that is written once the answers that it cites are there."""

    def write(self, *steps: Step) -> None:
        self._steps = list(steps)


@dataclass
class Classroom:
    """A concept, its learner's browser, and everything behind it."""

    database: Database
    store: SqlRunStore
    repositories: SqlPathRepository
    refining: SqlAdaptationRepository
    paths: SqlPaths
    runs: LiveRuns
    model: OfflineServer
    web: httpx2.AsyncClient
    root: NodeRow
    concept: NodeRow
    agents: Mapping[str, AgentSpec]
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def requests(self) -> Sequence[RecordedRequest]:
        """Requests received by the model."""
        return self.model.requests

    async def draw_map(self, titles: Sequence[str] = PARTS, edges: Sequence[tuple[int, int]] = EDGES) -> None:
        """The concept's subconcepts, made and finished."""
        for title in titles:
            await self.edit(adding(title))
        nodes, _ = await self.repositories.children(self.concept.id)
        for source, target in edges:
            await self.edit(joining(nodes[source].id, nodes[target].id))
        await self.repositories.mark_generated(self.concept.id, user_id=DEFAULT_USER_ID)

    async def edit(self, operation: Operation, parent: NodeRow | None = None) -> None:
        """Apply a learner's edit to the map."""
        await self.repositories.edit_graph((parent or self.concept).id, operation, actor=ACTOR)

    async def ask(self, *drafts: QuestionDraft) -> None:
        """The questions of the diagnostic."""
        for draft in drafts:
            await self.repositories.save_question(self.concept.id, draft, actor=ACTOR)
        address = f"/api/agents/concepts/{self.concept.id}/diagnostic"
        found = (await self.web.get(address, params=ME)).raise_for_status().json()
        self.questions = {question["prompt"]: question for question in found["questions"]}

    async def answer(self, prompt: str, *, text: str | None = None, option: str | None = None) -> str:
        """Say something to a question, or nothing; the id of the answer."""
        question = self.questions[prompt]
        body = {**ME, "questionId": question["id"], "answerText": text, "selectedOption": option}
        sent = await self.web.post(f"/api/assessments/{question['assessmentId']}/answers", json=body)
        assert sent.status_code == 201, sent.text
        return str(sent.json()["id"])

    async def grade(self) -> None:
        """Have what was written graded."""
        await self.database.write_tx(graded)

    async def contest(self, prompt: str) -> None:
        """Say that a question is wrong."""
        contested = update(tables.Question).where(col(tables.Question.id) == self.questions[prompt]["id"])
        statement = contested.values(contest={"reason": "It is wrong."})
        await self.database.write_tx(lambda write: write.connection.execute(statement))

    async def keep(self, row: SQLModel) -> None:
        await self.database.write_tx(lambda write: write.session.add(row))

    async def keep_entered(self, node: NodeRow) -> None:
        """Open a part's page."""

        def body(write: WriteTransaction) -> None:
            wanted = select(tables.Progress).where(tables.Progress.node_id == node.id)
            row = write.session.exec(wanted).first() or tables.Progress(
                id=new_id(), user_id=DEFAULT_USER_ID, node_id=node.id
            )
            row.first_entered_at = utc_now()
            write.session.add(row)

        await self.database.write_tx(body)

    async def opened(self, **body: Any) -> list[Event]:
        """Open the concept, and read its stream to the end."""
        return await self.streamed(f"/api/agents/concepts/{self.concept.id}/run", **body)

    async def admitted(self, **body: Any) -> str:
        """Open the concept without following; the id of the run."""
        address = f"/api/agents/concepts/{self.concept.id}/run"
        answer = await self.web.post(address, params={"wait": "false"}, json={**ME, **body})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["id"])

    async def streamed(self, address: str, **body: Any) -> list[Event]:
        answer = await self.web.post(address, json={**ME, **body})
        assert answer.status_code == 200, answer.text
        return events_in(answer.text)

    async def titles(self, parent: NodeRow | None = None) -> list[str]:
        nodes, _ = await self.repositories.children((parent or self.concept).id)
        return [node.title for node in nodes]

    async def edges(self, parent: NodeRow | None = None) -> set[str]:
        nodes, edges = await self.repositories.children((parent or self.concept).id)
        titles = {node.id: node.title for node in nodes}
        return {f"{titles[edge.source_node_id]} > {titles[edge.target_node_id]}" for edge in edges}

    async def whole(self) -> tuple[list[NodeRow], list[EdgeEnds]]:
        """The map, to compare."""
        return await self.repositories.children(self.concept.id)

    async def changes(self, parent: NodeRow | None = None) -> list[Change]:
        """Changes by agents that have not been reverted, oldest first."""
        found = await self.refining.changes((parent or self.concept).id, user_id=DEFAULT_USER_ID)
        return [one for one in found if one.run_id and one.undoes is None and one.undone_at is None]


def events_in(text: str) -> list[Event]:
    """The events of a stream that has ended."""
    blocks = text.replace("\r\n", "\n").split("\n\n")
    lines = (dict(line.split(": ", 1) for line in block.splitlines() if line[:1] not in ("", ":")) for block in blocks)
    return [Event(each["event"], json.loads(each["data"])) for each in lines if "event" in each]


def of_kind(events: Sequence[Event], kind: str) -> list[dict[str, Any]]:
    return [event.data for event in events if event.kind == kind]


def a_choice(
    prompt: str, *tests: str, difficulty: int = 3, wrong: Sequence[str] = ("slip", "guess", "haste")
) -> QuestionDraft:
    """A choice whose right option is "right"; each wrong one is named like the belief behind it."""
    misconceptions = tuple(Misconception(f"option of {one}", one) for one in wrong)
    options = ("the right one", *(f"option of {one}" for one in wrong))
    return QuestionDraft(
        prompt, "mcq", "the right one", difficulty, tests, options=options, misconceptions=misconceptions
    )


def a_number(prompt: str, *tests: str, difficulty: int = 3) -> QuestionDraft:
    """A question whose answer is 12."""
    return QuestionDraft(prompt, "numeric", "12", difficulty, tests)


def an_open_one(prompt: str, *tests: str, difficulty: int = 4) -> QuestionDraft:
    """A question in words; right where it says "because"."""
    criteria = (Criterion("the reason", "gives the reason", 0.5), Criterion("the case", "names the case", 0.5))
    return QuestionDraft(prompt, "open_ended", "The shares are alike.", difficulty, tests, criteria=criteria)


def graded(write: WriteTransaction) -> None:
    """Grade open answers: right if they give a reason."""
    wanted = select(tables.Answer, tables.Question).where(
        col(tables.Answer.question_id) == col(tables.Question.id),
        col(tables.Answer.score).is_(None),
        col(tables.Answer.answer_text).is_not(None),
    )
    for answer, question in write.session.exec(wanted).all():
        right = GOOD_WORD in (answer.answer_text or "")
        grade = Grade(GradeState.GRADED, float(right), right, next_step="Say why.")
        store_grade(write, answer, question, grade, now=utc_now())


def a_grader(database: Database) -> AgentSpec:
    """Grades what is not graded."""

    async def brief(job: Job, team: Team) -> Brief:
        async def begin() -> None:
            await database.write_tx(graded)

        return Brief(begin=begin)

    return AgentSpec("grading", "grading", QUICK, brief)


@asynccontextmanager
async def classroom(
    database: Database,
    folder: Path,
    model: OfflineModel | None = None,
    *,
    more: Hire = lambda repositories, publish: (),
    run_wait_s: float = 25.0,
) -> AsyncIterator[Classroom]:
    """A topic with three concepts in a row, of which the middle one is the learner's.

    Args:
        more: makes agents beside or in place of those that there are.
    """
    async with AsyncExitStack() as stack:
        engines = await stack.enter_async_context(open_engines(database))
        bus = engines.shared.bus
        store, repositories = (
            SqlRunStore(database, bus.publish, engines.dispatcher),
            SqlPathRepository(database, bus.publish, split=split_into_passages),
        )
        refining = SqlAdaptationRepository(database, bus.publish)
        paths = SqlPaths(database, bus.publish, storage=LocalStorage(folder))
        brain = await stack.enter_async_context(model_backend(model or DemoModel()))
        agents = [
            topic_agent(repositories),
            subconcept_agent(repositories),
            refinement_agent(repositories, refining),
            review_agent(repositories, refining),
            a_grader(database),
            *more(repositories, bus.publish),
        ]
        parts = RunDependencies(
            store=store,
            bus=bus,
            dispatcher=engines.dispatcher,
            lease=WorkerLease("here", lease_s=30.0, exclusive=True),
            model=brain.model,
            agents={agent.name: agent for agent in agents},
            choose_model=lambda agent, small: ModelChoice("sprout-offline", None, "sprout-offline", offline=True),
            gate=engines.shared.gate,
            observer=NullObserver(),
            claims_new_runs=engines.claims_new_runs,
        )
        runs = await stack.enter_async_context(live_runs(parts))
        root = await a_topic(paths, "Fractions")
        first, concept, last = [await a_concept(paths, root, title) for title in ("Whole", "Shares", "Percent")]
        parts_of_web = web_parts(database, engines.shared, paths, ObservedRuns(runs), a_static_folder(folder))
        limits = replace(parts_of_web.policy.limits, run_wait_s=run_wait_s)
        served = await stack.enter_async_context(serve_app(web_app(with_limits(parts_of_web, limits))))
        web = await stack.enter_async_context(httpx2.AsyncClient(base_url=served.url, timeout=60, verify=False))
        room = Classroom(
            database, store, repositories, refining, paths, runs, brain.server, web, root, concept, parts.agents
        )
        for one, other in ((first, concept), (concept, last)):
            await room.edit(joining(one.id, other.id), root)
        yield room
        runs.begin_shutdown()


def adding(title: str) -> Operation:
    return lambda graph: graph.add(title, f"You can use {title.lower()}.", utc_now())


def joining(source_id: str, target_id: str) -> Operation:
    return lambda graph: graph.connect(source_id, target_id)
