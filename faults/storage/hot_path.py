"""A learner among ever more others on PostgreSQL: what the statements of the hot path read does not grow with them."""

import asyncio
import re
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx2

from faults.core.loop_faults import ProofFigure
from faults.storage.nth_failure import QUICK, USER, FlowLearner, LearnerFlow
from harness.builders import a_past_placement
from harness.clients.run_follower import RunFollower
from harness.database.other_learners import OtherLearners
from harness.database.postgres import create_postgres
from harness.database.query_plans import StatementPlan, collect_plans, explain_all
from harness.models.small_path import DemoWithSmallPath
from harness.servers.chosen_settings import ChosenSettings
from harness.servers.in_process import serve_app
from harness.servers.redis import redis_server
from harness.servers.web import until_processed
from sprout.app import Sprout, open_app, web_dependencies
from sprout.clock import utc_now
from sprout.engines.procrastinate_schema import upgrade_queue
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.offline.server import running_offline_server
from sprout.roles import Role
from sprout.store.assessment.review_cards import sync_cards
from sprout.store.engine.migrate import upgrade
from sprout.store.engine.urls import libpq_url
from sprout.store.schema import tables
from sprout.store.schema.columns import table_of
from sprout.web.routes import web_app

EVENTS = (100_000, 1_000_000)
LARGE = 100_000
MOST_BLOCKS = 600  # of any statement, whatever the number of learners
DEEPER, SPREAD = 1.5, 64  # an index is deeper for many more rows; rows that were neighbours are on pages of their own
LEARNED_BEFORE = timedelta(days=100)
NOTES = b"# Oranges\n\nOranges are round, sweet and full of juice.\n\n# Lemons\n\nLemons are sour."
TOKENS = 10**12
BACKGROUND = {"sweep_s": 0.3, "heartbeat_s": 0.3}
READ = (
    "/api/today", "/api/next", "/api/reviews/due", "/api/reviews/calendar.ics", "/api/branches/summary", "/api/runs",
    "/api/misconceptions", "/api/memories", "/api/chat/sessions", "/api/progress?userId={user}", "/readyz", "/metrics",
    "/api/branches/{branch}/graph", "/api/branches/{branch}/coverage", "/api/branches/{branch}/changes",
    "/api/nodes/{topic}/search?q=oranges", "/api/runs/{run}", "/api/events?follow=false",
)  # fmt: skip
# What must be among the statements, or a proof of all of them would prove nothing.
EXPECTED = {
    "append": r"INSERT INTO run_events ",
    "numbers of events": r"UPDATE runs SET last_seq",
    "replay and tail": r"SELECT run_events\.seq",
    "admission": r"INSERT INTO runs ",
    "wake-up of a lane": r"procrastinate_defer_jobs",
    "claim": r"UPDATE runs SET state=.* epoch=",
    "locks of a tree": r"with recursive tree",
    "heartbeat": r"INSERT INTO worker_leases",
    "sweep": r"SELECT DISTINCT runs\.lane",
    "budget": r"INSERT INTO budget_reservations",
    "lesson": r"INSERT INTO chat_messages",
    "cards that are due": r"SELECT review_cards\.",
    "review": r"INSERT INTO reviews",
    "check of a reference": r"^SELECT 1 FROM ONLY",
}

_nodes = table_of(tables.Node)


@dataclass(frozen=True, slots=True)
class Measured:
    """The plans of one round of requests, beside so many events of other learners."""

    events: int
    learners: int
    plans: Sequence[StatementPlan]

    def blocks(self) -> Mapping[str, int]:
        """The most blocks that an execution of each statement touched."""
        most: dict[str, int] = {}
        for plan in self.plans:
            most[plan.statement] = max(plan.blocks, most.get(plan.statement, 0))
        return most


@dataclass(slots=True)
class HotPath:
    """Measurements, from few learners to many.

    Args:
        growing: the tables that grow with the learners.
    """

    growing: frozenset[str]
    rounds: list[Measured] = field(default_factory=list)

    @property
    def missing(self) -> list[str]:
        """Expected statements that no round had."""
        return [
            what
            for what, pattern in EXPECTED.items()
            if not all(any(re.search(pattern, one.statement) for one in each.plans) for each in self.rounds)
        ]

    @property
    def scans(self) -> list[str]:
        """Statements that read a growing table from end to end, when it was largest."""
        return _distinct(
            f"{', '.join(sorted(read))}: {one.statement}"
            for one in self.rounds[-1].plans
            if (read := one.scanned & self.growing)
        )

    @property
    def beyond(self) -> list[str]:
        """Statements that touched more blocks than any may, or more than with fewer learners."""
        found = [
            f"{blocks:,} blocks beside {each.learners:,} learners: {statement}"
            for each in self.rounds
            for statement, blocks in each.blocks().items()
            if blocks > MOST_BLOCKS
        ]
        for few, many in pairwise(self.rounds):
            before = few.blocks()
            found += [
                f"{before[statement]:,} blocks, then {blocks:,}: {statement}"
                for statement, blocks in many.blocks().items()
                if statement in before and blocks > before[statement] * DEEPER + SPREAD
            ]
        return found

    @property
    def unpruned(self) -> list[str]:
        """Statements that looked into more than one partition of the event log."""
        return _distinct(
            f"{len(one.partitions)} partitions: {one.statement}"
            for each in self.rounds
            for one in each.plans
            if len(one.partitions) > 1
        )

    @property
    def faults(self) -> list[str]:
        return [*(f"not seen: {what}" for what in self.missing), *self.scans, *self.beyond, *self.unpruned]


async def plans() -> list[ProofFigure]:
    """The plans of a learner's statements on PostgreSQL, beside 100,000 events of other learners and a million."""
    found = await measure(EVENTS)
    many = found.rounds[-1]
    most = max(many.blocks().values())
    return [
        ProofFigure(
            "plans", "events, learners, statements, executions",
            f"{many.events:,}, {many.learners:,}, {len(many.blocks()):,}, {len(many.plans):,}",
        ),
        ProofFigure("plans", "most blocks of a statement", f"{most:,}", most <= MOST_BLOCKS),
        ProofFigure("plans", "statements that read all of a table that grows", f"{len(found.scans)}", not found.scans),
        ProofFigure("plans", "statements that read more with more learners", f"{len(found.beyond)}", not found.beyond),
        ProofFigure("plans", "statements in several partitions", f"{len(found.unpruned)}", not found.unpruned),
        *(ProofFigure("plans", "fault", fault, False) for fault in found.faults[:20]),
    ]  # fmt: skip


async def measure(events: Sequence[int]) -> HotPath:
    """Grow the log to each of these numbers of events, and have the plans of a learner's requests each time.

    Beside fewer than `LARGE` events an index is taken wherever there is one.
    """
    with create_postgres() as url:
        await asyncio.to_thread(_prepare, url, small=events[-1] < LARGE)
        with collect_plans(url) as heard:
            async with _serve(url) as (client, port, web):
                learner = ScriptedLearner(client, port, web)
                await learner.settle()
                others = await asyncio.to_thread(OtherLearners, url)
                found = HotPath(others.copied_tables)
                for number in events:
                    learners = await asyncio.to_thread(others.grow, number)
                    heard.clear()
                    await learner.take_hour()
                    found.rounds.append(Measured(number, learners, tuple(heard)))
    return found


class ScriptedLearner:
    """A learner who stays the same size: the path of an hour is deleted at its end."""

    def __init__(self, client: httpx2.AsyncClient, port: int, web: Sprout) -> None:
        self._client = client
        self._port = port
        self._web = web
        self._learner = FlowLearner(client, LearnerFlow())

    async def settle(self) -> None:
        """Have a row or more wherever a learner may have some: this is what the others are copied from."""
        branch, topic = await self._learn("Light")
        await a_past_placement(self._client, branch)
        await self._read(branch, topic)
        await self._review()

    async def take_hour(self) -> None:
        """A path, its diagnostics, a lesson, the streams of its runs, reviews, and the pages in between."""
        branch, topic = await self._learn("Shadow")
        await self._read(branch, topic)
        await self._review()
        (await self._client.delete(f"/api/branches/{branch}")).raise_for_status()

    async def _learn(self, title: str) -> tuple[str, str]:
        topic, stream = await self._learner.grow_path(self._port, title)
        await RunFollower(self._port, stream.root_id).read_to_end()  # a replay
        files = {"files": ("notes.md", NOTES, "text/markdown")}
        (await self._client.post(f"/api/nodes/{topic}/documents", files=files)).raise_for_status()
        await until_processed(self._client, topic)
        concepts = await self._learner.answer_diagnostics(topic)
        await self._learner.take_lesson(concepts[0])
        parts = [
            part["id"] for one in concepts for part in await self._learner.request("GET", f"/api/nodes/{one}/children")
        ]
        learned = dict.fromkeys(parts, utc_now() - LEARNED_BEFORE)
        await self._web.database.write_tx(lambda tx: sync_cards(tx, learned, DEFAULT_USER_ID))
        return str((await self._learner.request("GET", f"/api/nodes/{topic}"))["branchId"]), topic

    async def _read(self, branch: str, topic: str) -> None:
        run = (await self._learner.request("GET", "/api/runs"))[0]["id"]
        for path in READ:
            read = await self._client.get(path.format(user=DEFAULT_USER_ID, branch=branch, topic=topic, run=run))
            read.raise_for_status()

    async def _review(self) -> None:
        """Answer the first question of today's session."""
        session = await self._learner.request("POST", "/api/reviews/sessions", USER)
        question = session["question"]
        said = {"selectedOption": question["options"][0]} if question["options"] else {"answerText": "2"}
        path = f"/api/reviews/sessions/{session['id']}/answers"
        await self._learner.request("POST", path, {**USER, "itemId": question["itemId"], **said})


def _prepare(url: str, *, small: bool) -> None:
    upgrade(url)
    upgrade_queue(libpq_url(url))
    explain_all(url, small=small)


@asynccontextmanager
async def _serve(url: str) -> AsyncIterator[tuple[httpx2.AsyncClient, int, Sprout]]:
    """A web process and a worker, in this process."""
    with tempfile.TemporaryDirectory(prefix="sprout-plans-") as folder:
        async with (
            running_offline_server(DemoWithSmallPath(), pace=QUICK, keep_requests=1) as model,
            redis_server(Path(folder)) as redis,
        ):
            chosen: dict[str, Any] = {"data_dir": folder, "database_url": url, "redis_url": redis.url}
            asked = {"base_url": model.base_url, "api_key": "faults"}
            budgets = {"learner_tokens_per_day": TOKENS, "deployment_tokens_per_day": TOKENS}
            settings = ChosenSettings.model_validate({**chosen, **asked, "budgets": budgets, "runs": BACKGROUND})
            async with (
                open_app(settings, role=Role.WORKER),
                open_app(settings, role=Role.WEB) as web,
                serve_app(web_app(web_dependencies(web))) as served,
                httpx2.AsyncClient(base_url=served.url, timeout=60) as client,
            ):
                yield client, served.port, web


def _distinct(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))


PROOFS: dict[str, Callable[..., Awaitable[list[ProofFigure]]]] = {"plans": plans}
