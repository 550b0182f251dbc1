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

from faults.figures import Figure
from faults.harness.checker import Verdict, check
from faults.harness.failing import Disk, Ill, Of, failing
from faults.harness.readers import Reader
from faults.harness.work import CONCEPTS, SmallPathAndOthers
from sprout.app import open_app, web_parts
from sprout.config import Settings
from sprout.ids import new_id
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.offline.faults import Fault, Faults, Scenario
from sprout.offline.pace import Pace
from sprout.offline.server import running_offline_server
from sprout.store.migrate import upgrade
from sprout.web.routes import web_app
from tests.serving import serving

WHO = {"userId": DEFAULT_USER_ID}
ENDS_WITHIN_S = 60.0
AGAIN_S = 0.05
TELLING = ("agent_error", "model_retry", "model_switched", "message_reset", "run_resumed")
NOT_NOW = {503, 507}
QUICK = Pace(0.0, 1_000_000.0)
SETTINGS: dict[str, Any] = {
    "api_key": "faults",
    "model": "sprout-offline",
    "runs": {"sweep_s": 0.2, "heartbeat_s": 1.0},
    "loop": {"rate_limit_base_s": 0.01, "overload_base_s": 0.01, "stream_idle_s": 2.0},
}
PASSING = (Scenario.RESET, Scenario.CUT, Scenario.OVERLOADED, Scenario.ERROR_EVENT, Scenario.STALL,
           Scenario.TRUNCATED_TOOL_JSON, Scenario.SERVER_ERROR)  # fmt: skip
LASTING = (Scenario.BAD_KEY, Scenario.NO_CREDIT)


class Calls(Faults):
    """A plan that holds while it is armed: the path after a way is to have no part of it."""

    armed = True

    def befalling(self, number: int) -> Fault | None:
        return super().befalling(number) if self.armed else None


@dataclass(slots=True)
class Way:
    """What came of a learner's way through the core.

    Args:
        struck: where it failed; None where nothing was left to fail.
        answers: by status; `told` counts the lines of the log and the answers that said so.
        wrong: what should be otherwise at the end.
    """

    struck: str | None = None
    answers: Counter[int] = field(default_factory=Counter)
    told: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    verdict: Verdict = field(default_factory=Verdict)

    @property
    def faults(self) -> list[str]:
        return [*self.wrong, *self.verdict.faults]


@dataclass(slots=True)
class Learner:
    """Asks again where the server says "not now", as a person does; anything else that fails is a fault."""

    client: httpx2.AsyncClient
    way: Way

    async def asks(self, method: str, path: str, body: object = None) -> Any:
        key = {"Idempotency-Key": new_id()}
        while True:
            answer = await self.client.request(method, path, json=body, headers=key)
            self.way.answers[answer.status_code] += 1
            if answer.status_code not in NOT_NOW:
                break
            self.way.told += 1
            await asyncio.sleep(AGAIN_S)
        if answer.is_error:
            raise Unexpected(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json()

    async def grows(self, port: int, named: str) -> tuple[str, Reader]:
        """The topic of a path that an agent has grown, or has given up with a reason."""
        branch = await self.asks("POST", "/api/branches", {**WHO, "title": named})
        root = {**WHO, "type": "root", "title": named, "branchId": branch["id"]}
        topic = (await self.asks("POST", "/api/nodes", root))["id"]
        run = await self.asks("POST", f"/api/agents/topics/{topic}/run?wait=false", {**WHO, "small": True})
        reader = Reader(port, run["id"])
        await reader.to_the_end()
        ended = await self.asks("GET", f"/api/runs/{run['id']}")
        self.way.reasons[f"{ended['state']}: {ended['reason']}"] += 1
        return topic, reader

    async def answers(self, topic: str) -> Sequence[str]:
        """Answer the diagnostic of every concept; the concepts."""
        concepts = [one["id"] for one in await self.asks("GET", f"/api/nodes/{topic}/children")]
        for concept in concepts:
            found = await self.asks("GET", f"/api/agents/concepts/{concept}/diagnostic?userId={DEFAULT_USER_ID}")
            for question in found["questions"]:
                path = f"/api/assessments/{found['assessment']['id']}/answers"
                said = json.loads(question["options"])[0]
                await self.asks("POST", path, {**WHO, "questionId": question["id"], "selectedOption": said})
        return concepts

    async def learns(self, concept: str) -> None:
        """The opening of a lesson, and one answer in it."""
        part = (await self.asks("GET", f"/api/nodes/{concept}/children"))[0]["id"]
        session = (await self.asks("POST", "/api/chat/sessions", {**WHO, "nodeId": part}))["id"]
        await self._turn(session, "", messages=1)
        await self._turn(session, "[ANSWER]\nMode: text\nBecause light goes straight on.", messages=3)

    async def _turn(self, session: str, words: str, *, messages: int) -> None:
        """Say it until it is kept: of a turn in which something went wrong nothing is."""
        while True:
            told = await self.asks("POST", f"/api/chat/sessions/{session}/tutor", {**WHO, "content": words})
            kept = await self.asks("GET", f"/api/chat/sessions/{session}/messages")
            if len(kept) >= messages:
                break
            self.way.told += bool(told["message"])
        if len(kept) != messages:
            self.way.wrong.append(f"{len(kept)} messages are kept of a conversation of {messages}")


class Unexpected(Exception):
    """The server refused what it should do."""


async def nth(step: int = 1) -> list[Figure]:
    """P13: the n-th statement, commit or model call of a path, its diagnostic and a lesson fails, for every n."""
    figures: list[Figure] = []
    kinds: tuple[Of, ...] = ("statement", "commit")
    with empty_database() as empty:
        for of in kinds:
            for ill in Ill:
                figures += _figures(f"{of}: {ill}", await each_of_disk(of, ill, empty, count(1, step)))
        for scenario in (*PASSING, *LASTING):
            figures += _figures(f"model: {scenario}", await each_call(scenario, empty, count(1, step)))
    return figures


def _figures(name: str, ways: Sequence[Way]) -> list[Figure]:
    together, wrong = Verdict(), [fault for way in ways for fault in way.wrong]
    for way in ways:
        together.add(way.verdict)
    struck = [way for way in ways if way.struck]
    untold = [way.struck for way in struck if not way.told]
    statuses: Counter[int] = sum((way.answers for way in ways), Counter())
    asked_again = ", ".join(f"{times} × {status}" for status, times in sorted(statuses.items()) if status in NOT_NOW)
    reasons: Counter[str] = sum((way.reasons for way in ways), Counter())
    return [
        Figure("nth", f"{name}: failed one after another, then clean", f"{len(struck)}, {len(ways) - len(struck)}"),
        Figure("nth", f"{name}: asked again", asked_again or "never"),
        Figure("nth", f"{name}: paths ended", ", ".join(f"{times} {why}" for why, times in reasons.most_common())),
        Figure("nth", f"{name}: told nowhere", f"{len(untold)}", not untold),
        Figure("nth", f"{name}: violations", f"{len(wrong) + len(together.faults)}", not (wrong or together.faults)),
        *(Figure("nth", "fault", fault, False) for fault in [*wrong, *together.faults][:20]),
    ]


async def each_of_disk(of: Of, ill: Ill, empty: Path, at: Iterable[int]) -> list[Way]:
    """The ways in which these numbers of the disk failed, up to the first that is clean."""
    ways: list[Way] = []
    for number in at:
        disk = Disk(of, ill, number)
        ways.append(await way_with(disk, Calls(), empty))
        if ways[-1].struck is None:
            break
    return ways


async def each_call(scenario: Scenario, empty: Path, at: Iterable[int]) -> list[Way]:
    """The ways in which these calls of the model failed, up to the first that is clean."""
    ways: list[Way] = []
    for number in at:
        ways.append(await way_with(Disk(), Calls({number: Fault(scenario)}), empty, call=number))
        if ways[-1].struck is None:
            break
    return ways


async def way_with(disk: Disk, calls: Calls, empty: Path, *, call: int | None = None) -> Way:
    """A learner's way with one failure, and all that was stored looked through; then another path, without any."""
    way = Way()
    with tempfile.TemporaryDirectory(prefix="sprout-nth-") as folder, _listening(way, disk), failing(disk):
        file = Path(shutil.copy(empty, folder))
        readers: list[Reader] = []
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await _gone(way, disk, calls, Path(folder), readers, call)
        except (TimeoutError, Unexpected, KeyError, IndexError) as error:
            way.wrong.append(f"{way.struck or disk.struck}: {type(error).__name__} {error}")
        way.struck = way.struck or disk.struck
        way.told += _told_to_learners(file)
        way.verdict = await asyncio.to_thread(check, f"sqlite:///{file}", readers)
    return way


async def _gone(way: Way, disk: Disk, calls: Calls, folder: Path, readers: list[Reader], call: int | None) -> None:
    async with running_offline_server(SmallPathAndOthers(), pace=QUICK, faults=calls, keep_requests=1) as model:
        settings = Settings.model_validate({"data_dir": folder, "base_url": model.base_url, **SETTINGS})
        async with _served(settings) as (client, port):
            learner = Learner(client, way)
            disk.arm()
            topic, reader = await learner.grows(port, "Light")
            readers.append(reader)
            if not reader.has("agent_error"):
                concepts = await learner.answers(topic)
                await learner.learns(concepts[0])
            if call is not None and model.requests[-1].number >= call:
                way.struck = f"call {call}"
            disk.armed = calls.armed = False
            again, reader = await learner.grows(port, "Shadow")
            readers.append(reader)
            if reader.has("agent_error") or len(await learner.answers(again)) != len(CONCEPTS):
                way.wrong.append("the path after it is not whole")


@asynccontextmanager
async def _served(settings: Settings) -> AsyncIterator[tuple[httpx2.AsyncClient, int]]:
    async with (
        open_app(settings, take_up=True) as sprout,
        serving(web_app(web_parts(sprout))) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=ENDS_WITHIN_S) as client,
    ):
        yield client, served.port


def _told_to_learners(file: Path) -> int:
    """How many events tell of a failure, the results of calls that failed among them."""
    with closing(sqlite3.connect(file)) as connection:
        events = connection.execute("select kind, data from run_events").fetchall()
    return sum(kind in TELLING or (kind == "tool_result" and not json.loads(data)["ok"]) for kind, data in events)


class _Listener(logging.Handler):
    """Counts what the log tells of failures from when there may be one."""

    def __init__(self, way: Way, disk: Disk) -> None:
        super().__init__(logging.WARNING)
        self._way, self._disk = way, disk

    def emit(self, record: logging.LogRecord) -> None:
        self._way.told += self._disk.armed


@contextmanager
def _listening(way: Way, disk: Disk) -> Iterator[None]:
    listener, logger = _Listener(way, disk), logging.getLogger("sprout")
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


PROOFS: dict[str, Callable[..., Awaitable[list[Figure]]]] = {"nth": nth}
