"""A lesson over HTTP: the real server, store, runs and SDK, and a tutor that says what a test wrote for it."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import httpx2
from sqlmodel import col, select

from harness.builders import a_concept, a_topic
from harness.loop.scripted_turn import QUICK, policy_with
from harness.runs.observers import NullObserver
from harness.servers.engines import open_engines, open_topology_database
from harness.servers.in_process import serve_app
from harness.servers.web import BACKGROUND_INTERVAL_S, web_parts
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.agents.tutor.tutor import tutor_agent
from sprout.clock import utc_now
from sprout.documents.document_worker import DocumentWorker
from sprout.documents.sandbox.extractor import Extractor
from sprout.documents.splitting.passages import split_into_passages
from sprout.events import AgentDone, NodeRow, Usage
from sprout.ids import new_id
from sprout.learning.actor import Actor
from sprout.learning.marking.grades import CriterionResult, Grade, GradeState, Remedy, ungraded
from sprout.learning.marking.program_marking import ProgramMarker
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.turn import TurnResult
from sprout.offline.api.messages_api import RecordedRequest
from sprout.offline.reply import Body, Reply, TextOut, ToolOut
from sprout.offline.script import Step
from sprout.programs.runner import SandboxedRunner
from sprout.runs.execution.dependencies import ModelChoice, RunDependencies
from sprout.runs.live_runs import LiveRuns, live_runs
from sprout.runs.run_store import StoredEvent, WorkerLease
from sprout.store.assessment.attempts import store_grade
from sprout.store.assessment.gradebook import SqlGradebook
from sprout.store.documents.local_storage import LocalStorage
from sprout.store.documents.queue import SqlDocumentQueue
from sprout.store.engine.database import Database
from sprout.store.engine.transaction import WriteTransaction
from sprout.store.lessons.conversations import SqlConversations
from sprout.store.lessons.memories import SqlMemories
from sprout.store.lessons.repository import SqlLessonRepository
from sprout.store.paths.paths import SqlPaths
from sprout.store.paths.repository import SqlPathRepository
from sprout.store.runs.repository import SqlRunStore
from sprout.store.schema import tables
from sprout.web.http.limits import WebLimits
from sprout.web.routes import web_app
from tests.runs.live_app import ModelBackend, model_backend

LIMITS = WebLimits(run_wait_s=20.0)
POLICY = policy_with(QUICK, max_iterations=5, overload_retries=1, rate_limit_retries=1)

EXPLANATION = "A plant is weighed before and after three years, and the soil beside it as well."
HELP = (
    "Read the sentence about the two scales again.",
    "Look at the number for the soil: how much did it lose?",
    "A candle gets lighter while it burns. Where does what it loses go? Finish that, then yours.",
    "One step: the soil lost next to nothing, so the wood was not made of soil. Go on from there.",
)
SOLUTION = ("The soil lost 60 g.", "So the wood came out of carbon dioxide in the air.")


def checkpoint(question: str = "What did most of the wood come from?", **changes: Any) -> ToolOut:
    """A call that asks an open question; with `options` a choice, with `number` a number."""
    given: dict[str, Any] = {
        "message": EXPLANATION,
        "question": question,
        "type": "text",
        "can": "say where the wood comes from",
        "answer": "carbon dioxide from the air",
        "criteria": [
            {"label": "the gas", "statement": "names carbon dioxide", "weight": 0.5, "misconception": "eats soil"},
            {"label": "the place", "statement": "says that it is taken from the air", "weight": 0.5},
        ],
        "help": list(HELP),
        "solution": list(SOLUTION),
    }
    return ToolOut("ask_checkpoint", {key: value for key, value in (given | changes).items() if value is not None})


def number(question: str = "What is 6 times 7?", value: float = 42, **changes: Any) -> ToolOut:
    """A call that asks for a number, which code marks."""
    about: dict[str, Any] = {
        "criteria": None,
        "number": {"value": value, "misreadings": [{"value": 13, "misconception": "adds instead"}]},
        "answer": f"{value:g}",
        "help": ["Read it again.", "Look at the sign.", "3 times 4 is 4 + 4 + ?", "5 times 7 is 35. Go on."],
        "solution": ["5 times 7 is 35", f"35 and 7 is {value:g}"],
        "message": "Six rows of seven chairs stand in a hall, and nobody has counted them yet.",
    }
    return checkpoint(question, **(about | changes))


def choice(question: str = "Which of these is a gas?", **changes: Any) -> ToolOut:
    about: dict[str, Any] = {
        "type": "mcq",
        "criteria": None,
        "options": ["steam", "sand", "milk", "stone"],
        "answer": "steam",
        "wrong": [{"option": "milk", "misconception": "takes all that flows for a gas"}],
        "help": [
            "Read it again.",
            "Look at what keeps its shape.",
            "Smoke spreads. Does honey?",
            "Sand is many solids.",
        ],
        "solution": ["It spreads in a room."],
        "message": "Three states have names, and each has a way to be told from the others.",
    }
    return checkpoint(question, **(about | changes))


def says(text: str) -> Reply:
    return Reply([TextOut(text)])


def calls(*outs: ToolOut) -> Reply:
    return Reply(list(outs))


def completes(message: str = "You can say now where wood comes from.") -> Reply:
    return calls(ToolOut("complete_subconcept", {"message": message}))


class PlayedTutor:
    """A tutor's model that says one step after another; steps can be added while it goes."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.asked = 0

    def answer(self, body: Body) -> Any:
        self.asked += 1
        assert self.steps, f"nobody wrote what the tutor says now: {_last_words(body)}"
        step = self.steps.pop(0)
        return step(body) if callable(step) else step


def _last_words(body: Body) -> str:
    return json.dumps(body["messages"][-1])[:2_000]


def grader(database: Database, verdicts: Mapping[str, bool | Literal["compare"] | None]) -> AgentSpec:
    """An agent named "grading" that asks no model: what an answer holds decides; None leaves it without a grade, and
    "compare" to its learner.

    Args:
        verdicts: words of an answer → whether it is right.
    """

    async def brief(job: Job, team: Team) -> Brief:
        def body(write: WriteTransaction) -> None:
            answer = write.session.exec(select(tables.Answer).where(tables.Answer.id == job.task)).one()
            question = write.session.exec(select(tables.Question).where(tables.Question.id == answer.question_id)).one()
            text = answer.answer_text or ""
            right = next((right for words, right in verdicts.items() if words in text), False)
            if right is None:
                return
            if right == "compare":
                store_grade(write, answer, question, ungraded("its learner's", remedy=Remedy.COMPARE), now=utc_now())
                return
            result = CriterionResult("c1", "the gas", 1.0, "met" if right else "missing", text[:20], 0.9)
            grade = Grade(
                GradeState.GRADED, score=float(right), correct=right, results=(result,), next_step="Think of the air."
            )
            store_grade(write, answer, question, grade, now=utc_now())

        async def finish(_: TurnResult | None) -> AgentDone:
            await database.write_tx(body)
            return AgentDone(reason="end_turn", usage=Usage())

        return Brief(finish=finish)

    return AgentSpec("grading", "grading", QUICK, brief)


@dataclass
class LessonServer:
    client: httpx2.AsyncClient
    database: Database
    paths: SqlPaths
    lessons: SqlLessonRepository
    memories: SqlMemories
    store: SqlRunStore
    live: LiveRuns
    brain: ModelBackend
    model: PlayedTutor
    node: NodeRow
    next: NodeRow
    session_id: str

    def script(self, *steps: Step) -> None:
        self.model.steps.extend(steps)

    async def post(self, content: str = "", *, session_id: str | None = None, **more: Any) -> httpx2.Response:
        headers = more.pop("headers", {})
        body = {"userId": DEFAULT_USER_ID, "content": content} | more
        return await self.client.post(
            f"/api/chat/sessions/{session_id or self.session_id}/tutor", json=body, headers=headers
        )

    async def turn(self, content: str = "", *steps: Step, **more: Any) -> dict[str, Any]:
        """The reply to a turn that answers with 200, for which the model says the steps."""
        self.script(*steps)
        answer = await self.post(content, **more)
        assert answer.status_code == 200, answer.text
        response: dict[str, Any] = answer.json()
        return response

    async def answer(self, text: str, *steps: Step, mode: str = "text", **more: Any) -> dict[str, Any]:
        return await self.turn(f"[ANSWER]\nMode: {mode}\n{text}", *steps, **more)

    async def aside(self, text: str, *steps: Step) -> dict[str, Any]:
        return await self.turn(f"[CLARIFICATION]\n{text}", *steps)

    async def messages(self) -> list[dict[str, Any]]:
        listed = await self.client.get(f"/api/chat/sessions/{self.session_id}/messages")
        rows: list[dict[str, Any]] = listed.json()
        return rows

    async def events(self, run_id: str) -> list[StoredEvent]:
        """The events of a run that has ended: a turn may be answered before its last ones are stored."""
        await self.live.wait_until_released(run_id)
        return await self.store.events(run_id, limit=10_000)

    async def events_of_kind(self, run_id: str, kind: str) -> list[dict[str, Any]]:
        return [json.loads(one.data) for one in await self.events(run_id) if one.kind == kind]

    async def rows_of(self, table: Any) -> list[Any]:
        return await self.database.read_orm_tx(
            lambda session: list(session.exec(select(table).order_by(col(table.creation))).all())
        )

    async def pending(self) -> str | None:
        """The prompt of the one question that is open in the session."""
        question = (await self.lessons.lesson(self.session_id, user_id=DEFAULT_USER_ID)).pending
        return question.prompt if question is not None else None

    @property
    def requests(self) -> list[RecordedRequest]:
        return list(self.brain.server.requests)

    def state(self, number: int = -1) -> str:
        """The server's words in the last message of a request that began with them."""
        for block in self.requests[number].body["messages"][-1]["content"]:
            if block["type"] == "text" and block["text"].startswith("<state"):
                text: str = block["text"]
                return text
        raise AssertionError("this request tells no state")


@asynccontextmanager
async def serving_lesson(
    folder: Path,
    *,
    verdicts: Mapping[str, bool | Literal["compare"] | None] | None = None,
    database: Database | None = None,
    model: PlayedTutor | None = None,
    backend: ModelBackend | None = None,
    limits: WebLimits = LIMITS,
    session: tuple[NodeRow, NodeRow, str] | None = None,
    agents: Sequence[AgentSpec] = (),
    quiet: bool = False,
) -> AsyncIterator[LessonServer]:
    """A server with a topic, a concept, two subconcepts and a session on the first.

    Args:
        verdicts: of the grading agent; without them there is none.
        database, model, backend, session: of a previous server.
        quiet: whether background work, which a test would count along, is off.
    """
    async with AsyncExitStack() as stack:
        if database is None:
            database = await stack.enter_async_context(open_topology_database(folder))
        model = model or PlayedTutor()
        if backend is None:
            backend = await stack.enter_async_context(model_backend(model))
        files = LocalStorage(folder / "documents")
        intake = DocumentWorker(SqlDocumentQueue(database, storage=files), Extractor())
        engines = await stack.enter_async_context(open_engines(database, per_root=3, limit=8, document_worker=intake))
        bus = engines.shared.bus
        store = SqlRunStore(database, bus.publish, engines.dispatcher)
        repositories = SqlPathRepository(database, bus.publish, split=split_into_passages)
        paths = SqlPaths(database, bus.publish, storage=files, on_document_added=engines.on_document_added)
        await stack.enter_async_context(intake.running(process_backlog=False))
        tutoring, memories = SqlLessonRepository(database, bus.publish), SqlMemories(database, bus.publish)
        talk = SqlConversations(database)
        helpers = [*agents, *([grader(database, verdicts)] if verdicts is not None else [])]
        programs = ProgramMarker(SandboxedRunner(), SqlGradebook(database, bus.publish))
        names = [one.name for one in helpers]
        tutor = tutor_agent(tutoring, repositories, memories, POLICY, programs=programs, helpers=names)
        if session is None:
            root = await a_topic(paths, "Plants")
            concept = await a_concept(paths, root, "How plants grow")
            node = await a_concept(paths, concept, "Where wood comes from")
            following = await a_concept(paths, concept, "What leaves are for")
            await repositories.edit_graph(
                concept.id, lambda graph: graph.connect(node.id, following.id), actor=Actor(DEFAULT_USER_ID)
            )
            started = await talk.start_session(DEFAULT_USER_ID, node_id=node.id)
            session = (node, following, started.id)
        parts = RunDependencies(
            store=store,
            bus=bus,
            dispatcher=engines.dispatcher,
            lease=WorkerLease(new_id(), lease_s=30.0, exclusive=True),
            model=backend.model,
            agents={one.name: one for one in (tutor, *helpers)},
            choose_model=lambda agent, small: ModelChoice("sprout-offline", None, "sprout-offline", True),
            gate=engines.shared.gate,
            observer=NullObserver(),
            memories=memories,
            claims_new_runs=engines.claims_new_runs,
        )
        live = await stack.enter_async_context(
            live_runs(parts, heartbeat_s=BACKGROUND_INTERVAL_S[quiet], sweep_s=BACKGROUND_INTERVAL_S[quiet])
        )
        web = web_parts(database, engines.shared, paths, live, folder)
        web = replace(
            web,
            teaching_repositories=replace(web.teaching_repositories, lessons=tutoring, memories=memories),
            policy=replace(web.policy, limits=limits),
        )
        served = await stack.enter_async_context(serve_app(web_app(web)))
        client = await stack.enter_async_context(httpx2.AsyncClient(base_url=served.url, timeout=30, verify=False))
        yield LessonServer(
            client,
            database,
            paths,
            tutoring,
            memories,
            store,
            live,
            backend,
            model,
            session[0],
            session[1],
            session[2],
        )
        live.begin_shutdown()
