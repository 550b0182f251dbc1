"""The n-th statement, commit or model call of a learner's way fails, n = 1, 2, …, until nothing is left to fail."""

import asyncio
import json
import logging
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx2

from faults.core.loop_faults import ProofFigure
from harness.clients.run_follower import RunFollower
from harness.database.failing_sqlite import DiskError, DiskOperation, FailingDisk, failing_sqlite
from harness.invariants.database_check import InvariantReport, check_database
from harness.models.small_path import CONCEPTS, DemoWithSmallPath
from harness.servers.in_process import serve_app
from sprout.app import open_app, web_dependencies
from sprout.config import Settings
from sprout.ids import new_id
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.faults.scenarios import Fault, FaultPlan, Scenario
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.roles import Role
from sprout.store.engine.migrate import upgrade
from sprout.web.routes import web_app

USER = {"userId": DEFAULT_USER_ID}
ENDS_WITHIN_S = 60.0
RETRY_S = 0.05
FAILURE_EVENTS = ("agent_error", "model_retry", "model_switched", "message_reset", "run_resumed")
RETRY_STATUSES = {503, 507}
ESCALATED = "max_output_tokens_escalate"
QUICK = Pace(0.0, 1_000_000.0)
SETTINGS: dict[str, Any] = {
    "api_key": "faults",
    "model": "sprout-offline",
    "runs": {"sweep_s": 0.2, "heartbeat_s": 1.0},
    "loop": {"rate_limit_base_s": 0.01, "overload_base_s": 0.01, "stream_idle_s": 2.0, "local_first_byte_s": 2.0},
}
TRANSIENT_FAULTS = (Scenario.RESET, Scenario.CUT, Scenario.OVERLOADED, Scenario.ERROR_EVENT, Scenario.STALL,
           Scenario.TRUNCATED_TOOL_JSON, Scenario.SERVER_ERROR)  # fmt: skip
PERMANENT_FAULTS = (Scenario.BAD_KEY, Scenario.NO_CREDIT)


class ArmedFaultPlan(FaultPlan):
    """A plan that holds while it is armed: the path after a way is to have no part of it."""

    armed = True

    async def fault_for(self, number: int) -> Fault | None:
        return await super().fault_for(number) if self.armed else None


@dataclass(slots=True)
class LearnerFlow:
    """Outcome of a learner's requests to the core.

    Args:
        failed_statement: the statement that failed; None if none was left to fail.
        answers: by status; `reported` counts log lines and responses that report the failure.
        problems: wrong results at the end.
    """

    failed_statement: str | None = None
    answers: Counter[int] = field(default_factory=Counter)
    reported: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    verdict: InvariantReport = field(default_factory=InvariantReport)

    @property
    def faults(self) -> list[str]:
        return [*self.problems, *self.verdict.faults]


@dataclass(slots=True)
class FlowLearner:
    """Asks again where the server says "not now", as a person does; anything else that fails is a fault."""

    client: httpx2.AsyncClient
    flow: LearnerFlow

    async def request(self, method: str, path: str, body: object = None) -> Any:
        key = {"Idempotency-Key": new_id()}
        while True:
            answer = await self.client.request(method, path, json=body, headers=key)
            self.flow.answers[answer.status_code] += 1
            if answer.status_code not in RETRY_STATUSES:
                break
            self.flow.reported += 1
            await asyncio.sleep(RETRY_S)
        if answer.is_error:
            raise UnexpectedRefusal(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json()

    async def grow_path(self, port: int, named: str) -> tuple[str, RunFollower]:
        """The topic of a path that an agent has grown, or has given up with a reason."""
        branch = await self.request("POST", "/api/branches", {**USER, "title": named})
        root = {**USER, "type": "root", "title": named, "branchId": branch["id"]}
        topic = (await self.request("POST", "/api/nodes", root))["id"]
        run = await self.request("POST", f"/api/agents/topics/{topic}/run?wait=false", {**USER, "small": True})
        reader = RunFollower(port, run["id"])
        await reader.read_to_end()
        ended = await self.request("GET", f"/api/runs/{run['id']}")
        self.flow.reasons[f"{ended['state']}: {ended['reason']}"] += 1
        return topic, reader

    async def answer_diagnostics(self, topic: str) -> Sequence[str]:
        """Answer the diagnostic of every concept; the concepts."""
        concepts = [one["id"] for one in await self.request("GET", f"/api/nodes/{topic}/children")]
        for concept in concepts:
            found = await self.request("GET", f"/api/agents/concepts/{concept}/diagnostic?userId={DEFAULT_USER_ID}")
            for question in found["questions"]:
                path = f"/api/assessments/{found['assessment']['id']}/answers"
                option = json.loads(question["options"])[0]
                await self.request("POST", path, {**USER, "questionId": question["id"], "selectedOption": option})
        return concepts

    async def take_lesson(self, concept: str) -> None:
        """The opening of a lesson, and one answer in it."""
        part = (await self.request("GET", f"/api/nodes/{concept}/children"))[0]["id"]
        session = (await self.request("POST", "/api/chat/sessions", {**USER, "nodeId": part}))["id"]
        await self._take_turn(session, "", messages=1)
        await self._take_turn(session, "[ANSWER]\nMode: text\nBecause light goes straight on.", messages=3)

    async def wait_for_runs(self, port: int) -> None:
        """Return once every run has ended, the check of a key among them, which nothing else waits for."""
        for run in await self.request("GET", "/api/runs?state=queued,running"):
            await RunFollower(port, run["id"]).read_to_end()

    async def _take_turn(self, session: str, words: str, *, messages: int) -> None:
        """Say it until it is kept: of a turn in which something went wrong nothing is."""
        while True:
            response = await self.request("POST", f"/api/chat/sessions/{session}/tutor", {**USER, "content": words})
            stored = await self.request("GET", f"/api/chat/sessions/{session}/messages")
            if len(stored) >= messages:
                break
            self.flow.reported += bool(response["message"])
        if len(stored) != messages:
            self.flow.problems.append(f"{len(stored)} messages are kept of a conversation of {messages}")


class UnexpectedRefusal(Exception):
    """The server refused what it should do."""


async def nth(step: int = 1) -> list[ProofFigure]:
    """The n-th statement, commit or model call of a path, its diagnostic and a lesson fails, for every n."""
    figures: list[ProofFigure] = []
    kinds: tuple[DiskOperation, ...] = ("statement", "commit")
    with empty_database() as empty:
        for of in kinds:
            for ill in DiskError:
                figures += _figures(f"{of}: {ill}", await run_each_disk_failure(of, ill, empty, count(1, step)))
        for scenario in (*TRANSIENT_FAULTS, *PERMANENT_FAULTS):
            figures += _figures(f"model: {scenario}", await run_each_call_failure(scenario, empty, count(1, step)))
    return figures


def _figures(name: str, ways: Sequence[LearnerFlow]) -> list[ProofFigure]:
    together, wrong = InvariantReport(), [fault for way in ways for fault in way.problems]
    for way in ways:
        together.merge(way.verdict)
    struck = [way for way in ways if way.failed_statement]
    unreported = [way.failed_statement for way in struck if not way.reported]
    statuses: Counter[int] = sum((way.answers for way in ways), Counter())
    asked_again = ", ".join(
        f"{times} × {status}" for status, times in sorted(statuses.items()) if status in RETRY_STATUSES
    )
    reasons: Counter[str] = sum((way.reasons for way in ways), Counter())
    return [
        ProofFigure(
            "nth", f"{name}: failed one after another, then clean", f"{len(struck)}, {len(ways) - len(struck)}"
        ),
        ProofFigure("nth", f"{name}: asked again", asked_again or "never"),
        ProofFigure("nth", f"{name}: paths ended", ", ".join(f"{times} {why}" for why, times in reasons.most_common())),
        ProofFigure("nth", f"{name}: reported nowhere", f"{len(unreported)}", not unreported),
        ProofFigure(
            "nth", f"{name}: violations", f"{len(wrong) + len(together.faults)}", not (wrong or together.faults)
        ),
        *(ProofFigure("nth", "fault", fault, False) for fault in [*wrong, *together.faults][:20]),
    ]


async def run_each_disk_failure(of: DiskOperation, ill: DiskError, empty: Path, at: Iterable[int]) -> list[LearnerFlow]:
    """The ways in which these numbers of the disk failed, up to the first that is clean."""
    ways: list[LearnerFlow] = []
    for number in at:
        disk = FailingDisk(of, ill, number)
        ways.append(await run_flow(disk, ArmedFaultPlan(), empty))
        if ways[-1].failed_statement is None:
            break
    return ways


async def run_each_call_failure(scenario: Scenario, empty: Path, at: Iterable[int]) -> list[LearnerFlow]:
    """The ways in which these calls of the model failed, up to the first that is clean."""
    ways: list[LearnerFlow] = []
    for number in at:
        ways.append(await run_flow(FailingDisk(), ArmedFaultPlan({number: Fault(scenario)}), empty, call=number))
        if ways[-1].failed_statement is None:
            break
    return ways


async def run_flow(disk: FailingDisk, calls: ArmedFaultPlan, empty: Path, *, call: int | None = None) -> LearnerFlow:
    """A learner's way with one failure, and all that was stored looked through; then another path, without any."""
    way = LearnerFlow()
    with tempfile.TemporaryDirectory(prefix="sprout-nth-") as folder, _count_failures(way, disk), failing_sqlite(disk):
        file = Path(shutil.copy(empty, folder))
        readers: list[RunFollower] = []
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await _go_through(way, disk, calls, Path(folder), readers, call)
        except (TimeoutError, UnexpectedRefusal, KeyError, IndexError) as error:
            way.problems.append(f"{way.failed_statement or disk.failed_statement}: {type(error).__name__} {error}")
        way.failed_statement = way.failed_statement or disk.failed_statement
        way.reported += _reported_failures(file)
        way.verdict = await asyncio.to_thread(check_database, f"sqlite:///{file}", readers)
    return way


async def _go_through(
    way: LearnerFlow,
    disk: FailingDisk,
    calls: ArmedFaultPlan,
    folder: Path,
    readers: list[RunFollower],
    call: int | None,
) -> None:
    async with running_offline_server(DemoWithSmallPath(), pace=QUICK, faults=calls, keep_requests=1) as model:
        settings = Settings.model_validate({"data_dir": folder, "base_url": model.base_url, **SETTINGS})
        async with _serve(settings) as (client, port):
            learner = FlowLearner(client, way)
            disk.arm()
            topic, reader = await learner.grow_path(port, "Light")
            readers.append(reader)
            if not reader.has("agent_error"):
                concepts = await learner.answer_diagnostics(topic)
                await learner.take_lesson(concepts[0])
            if call is not None and model.requests[-1].number >= call:
                way.failed_statement = f"call {call}"
            disk.armed = calls.armed = False
            again, reader = await learner.grow_path(port, "Shadow")
            readers.append(reader)
            if reader.has("agent_error") or len(await learner.answer_diagnostics(again)) != len(CONCEPTS):
                way.problems.append("the path after it is not whole")
            await learner.wait_for_runs(port)


@asynccontextmanager
async def _serve(settings: Settings) -> AsyncIterator[tuple[httpx2.AsyncClient, int]]:
    async with (
        open_app(settings, role=Role.SERVER) as sprout,
        serve_app(web_app(web_dependencies(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=ENDS_WITHIN_S) as client,
    ):
        yield client, served.port


def _reported_failures(file: Path) -> int:
    """Number of events that report a failure, results of failed calls included, and of the replies that were asked for
    again with more room (E4), which the transitions of a run report."""
    with closing(sqlite3.connect(file)) as connection:
        events = connection.execute("select kind, data from run_events").fetchall()
        states = connection.execute("select state from checkpoints where state is not null").fetchall()
    failures: int = sum(
        kind in FAILURE_EVENTS or (kind == "tool_result" and not json.loads(data)["ok"]) for kind, data in events
    )
    escalated: int = sum(f'"{ESCALATED}"' in state for (state,) in states)
    return failures + escalated


class _FailureLog(logging.Handler):
    """Counts failures in the log from the moment when there may be one."""

    def __init__(self, way: LearnerFlow, disk: FailingDisk) -> None:
        super().__init__(logging.WARNING)
        self._way, self._disk = way, disk

    def emit(self, record: logging.LogRecord) -> None:
        self._way.reported += self._disk.armed


@contextmanager
def _count_failures(way: LearnerFlow, disk: FailingDisk) -> Iterator[None]:
    listener, logger = _FailureLog(way, disk), logging.getLogger("sprout")
    logger.addHandler(listener)
    try:
        yield
    finally:
        logger.removeHandler(listener)


@contextmanager
def empty_database() -> Iterator[Path]:
    """A file that is up to date, to be copied: migrating anew takes longer than a learner's way."""
    with tempfile.TemporaryDirectory() as folder:
        upgrade(f"sqlite:///{(file := Path(folder) / 'sprout.sqlite3')}")
        yield file


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"nth": nth}
