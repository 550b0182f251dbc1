"""Streams server: Sprout whose runs publish on command. `python -m harness.load.streams_server`.

`POST /bench/runs?count=N` starts runs and answers their ids. `POST /bench/load?runs=N&seconds=S&characters=C&rate=R`
lets the first N of them publish R events a second, each stored first. `GET /bench/tasks` counts the tasks of the
process. Where a `REDIS_URL` is set it stands for a worker, and web processes serve the streams of its runs.
"""

import asyncio
import statistics
import time
from array import array
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import uvicorn
import uvloop
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.app import Sprout, open_app, web_dependencies
from sprout.config import Settings, load_settings
from sprout.events import Event, Guardrail
from sprout.learning.paths.repositories import Repositories
from sprout.learning.paths.repository import DEFAULT_USER_ID
from sprout.loop.policy import LoopPolicy
from sprout.runs.run_store import StoredEvent
from sprout.runs.state import Run
from sprout.runs.streaming.bus import BusMessage
from sprout.serving import listening_socket
from sprout.web.http.limits import WebLimits
from sprout.web.routes import web_app

EVENTS_A_SECOND = 30
STAMP_EVERY = 100
AT_ONCE = 50
NO_CAPS = WebLimits(streams_per_learner=100_000, streams_per_address=100_000)
CHARACTERS = 200  # of an event
EVENTS_PER_APPEND = 3  # as of a tool call: the call, its result, and the change


def make_waiting_agent(_repositories: Repositories, _settings: Settings) -> AgentSpec:
    """An agent whose runs last until the server ends."""

    async def brief(_job: Job, _team: Team) -> Brief:
        await asyncio.Event().wait()
        return Brief()

    return AgentSpec("topic", "topic", LoopPolicy(), brief)


class RunLoad:
    """The runs of a measurement and their events."""

    def __init__(self, sprout: Sprout) -> None:
        self._sprout = sprout
        self._store = sprout.stores.runs
        self._runs: list[Run] = []
        # By run the number of an event and when it was published, in turns: little, since memory is measured.
        self._published_ns: dict[str, array[int]] = {}
        log = self._store._log
        log.publish = partial(self._stamp_and_publish, log.publish)  # the one part that is not as a user has it

    async def start_runs(self, count: int) -> list[str]:
        """Start so many more runs, each on a topic of its own; the ids of all."""
        for _ in range(0, count, AT_ONCE):
            self._runs += await asyncio.gather(*(self._start_run() for _ in range(AT_ONCE)))
        return [run.id for run in self._runs]

    async def publish_events(self, runs: int, seconds: float, characters: int, rate: float) -> dict[str, Any]:
        """Let the first runs publish so many events a second: the number of all, an append's duration in ms, and when
        some of them were published, by a clock that is the same in all processes of a machine."""
        took_ms = array("d")
        event = Guardrail(level=1, tool="save_concept", noticed="a" * characters)
        every_s = EVENTS_PER_APPEND / rate
        self._published_ns.clear()
        appends = await asyncio.gather(
            *(
                self._publish_run(run, event, at / runs * every_s, every_s, seconds, took_ms)
                for at, run in enumerate(self._runs[:runs])
            )
        )
        hundredths = statistics.quantiles(took_ms, n=100)
        return {
            "events": sum(appends) * EVENTS_PER_APPEND,
            "append_p50_ms": hundredths[49],
            "append_p99_ms": hundredths[98],
            "published_ns": {root_id: times.tolist() for root_id, times in self._published_ns.items()},
        }

    def _stamp_and_publish(self, publish: Callable[[BusMessage], None], message: BusMessage) -> None:
        if isinstance(message, StoredEvent) and message.seq % STAMP_EVERY == 0:
            times = self._published_ns.setdefault(message.root_id, array("q"))
            times.extend((message.seq, time.monotonic_ns()))
        publish(message)

    async def _publish_run(
        self, run: Run, event: Event, delay_s: float, every_s: float, seconds: float, took_ms: "array[float]"
    ) -> int:
        """The number of appends; the duration of every tenth is added to `took_ms`."""
        loop = asyncio.get_running_loop()
        due_s = loop.time() + delay_s
        end_s = due_s + seconds
        appends = 0
        while due_s < end_s:
            await asyncio.sleep(max(0.0, due_s - loop.time()))
            began_s = loop.time()
            await self._store.append(run, [event] * EVENTS_PER_APPEND)
            if appends % 10 == 0:
                took_ms.append((loop.time() - began_s) * 1_000)
            appends += 1
            due_s += every_s
        return appends

    async def _start_run(self) -> Run:
        paths = self._sprout.stores.paths
        branch = await paths.create_branch("Topic", user_id=DEFAULT_USER_ID)
        node = await paths.create_node(
            user_id=DEFAULT_USER_ID, type="root", title="Topic", branch_id=branch.id, parent_id=None, desc=None
        )
        return (await self._sprout.runs.start("topic", node=node, user_id=DEFAULT_USER_ID)).run


def bench_routes(sprout: Sprout) -> list[Route]:
    """The commands of the measurement."""
    load = RunLoad(sprout)

    async def start(request: Request) -> JSONResponse:
        return JSONResponse(await load.start_runs(int(request.query_params["count"])))

    async def publish(request: Request) -> JSONResponse:
        query = request.query_params
        return JSONResponse(
            await load.publish_events(
                int(query["runs"]),
                float(query["seconds"]),
                int(query.get("characters", CHARACTERS)),
                float(query.get("rate", EVENTS_A_SECOND)),
            )
        )

    async def tasks(_: Request) -> JSONResponse:
        return JSONResponse(len(asyncio.all_tasks()))

    return [
        Route("/bench/runs", start, methods=["POST"]),
        Route("/bench/load", publish, methods=["POST"]),
        Route("/bench/tasks", tasks),
    ]


async def main() -> None:
    """Serve as `sprout serve` does, until the process is ended."""
    settings = load_settings()
    async with open_app(settings, extra_agents=[make_waiting_agent]) as sprout:
        dependencies = web_dependencies(sprout)
        app = web_app(replace(dependencies, policy=replace(dependencies.policy, limits=NO_CAPS)))
        app.routes[:0] = bench_routes(sprout)
        config = uvicorn.Config(
            app, lifespan="off", log_level="critical", access_log=False, timeout_graceful_shutdown=1
        )
        with listening_socket(settings.host, settings.port) as listening:
            await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
