"""Sprout as it is, with an agent that waits while a measurement lets its runs speak: `python -m bench.streams_server`.

`POST /bench/runs?count=N` begins runs and answers their ids. `POST /bench/load?runs=N&seconds=S&characters=C`
lets the first N of them speak, each event stored first. `GET /bench/tasks` counts the tasks of the process.
"""

import asyncio
import statistics
import time
from array import array
from dataclasses import replace
from typing import Any

import uvicorn
import uvloop
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import sprout.app as app_parts
from bench.sprout_server import NO_CAPS
from sprout.agents.agent import AgentSpec, Brief, Job, Team
from sprout.app import Sprout, open_app, web_parts
from sprout.config import Settings, load_settings
from sprout.engines.memory_bus import MemoryBus
from sprout.events import Event, Guardrail
from sprout.learning.paths.library import DEFAULT_USER_ID
from sprout.learning.paths.shelf import Shelf
from sprout.loop.policy import LoopPolicy
from sprout.runs.bus import News
from sprout.runs.log import Logged, RunStore
from sprout.runs.state import Run
from sprout.serving import listening_at
from sprout.web.routes import web_app

EVENTS_A_SECOND = 30
STAMP_EVERY = 100
AT_ONCE = 50
CHARACTERS = 200  # of an event
EVENTS_TOGETHER = 3  # of what a run says at once: a call, its result, and what it changed


def waiting_agent(_shelf: Shelf, _settings: Settings) -> AgentSpec:
    """An agent whose runs go on until the server ends."""

    async def brief(_job: Job, _team: Team) -> Brief:
        await asyncio.Event().wait()
        return Brief()

    return AgentSpec("topic", "topic", LoopPolicy(), brief)


class StampedBus(MemoryBus):
    """The bus of the server, which notes when some of the events were told: that is when they were committed.

    The clock is the same in all processes of a machine.
    """

    def __init__(self) -> None:
        super().__init__()
        stamped.clear()

    def publish(self, news: News) -> None:
        if isinstance(news, Logged) and news.seq % STAMP_EVERY == 0:
            stamped.setdefault(news.root_id, array("q")).extend((news.seq, time.monotonic_ns()))
        super().publish(news)


stamped: "dict[str, array[int]]" = {}
"""By run the number of an event and when it was told, in turns: little is kept, since memory is looked at."""


class Load:
    """The runs of a measurement, and what they say."""

    def __init__(self, sprout: Sprout) -> None:
        self._sprout = sprout
        self._store: RunStore = sprout.runs._store
        self._runs: list[Run] = []

    async def begin(self, count: int) -> list[str]:
        """So many more runs, each on a topic of its own; the ids of all."""
        for _ in range(0, count, AT_ONCE):
            self._runs += await asyncio.gather(*(self._begun() for _ in range(AT_ONCE)))
        return [run.id for run in self._runs]

    async def speak(self, runs: int, seconds: float, characters: int) -> dict[str, Any]:
        """Let the first runs speak at their pace: how many events that were, how long an append took, in ms, and when
        some of them were told."""
        took_ms = array("d")
        said = Guardrail(level=1, tool="save_concept", noticed="a" * characters)
        stamped.clear()
        appends = await asyncio.gather(
            *(self._speak(run, said, at / runs, seconds, took_ms) for at, run in enumerate(self._runs[:runs]))
        )
        hundredths = statistics.quantiles(took_ms, n=100)
        return {
            "events": sum(appends) * EVENTS_TOGETHER,
            "append_p50_ms": hundredths[49],
            "append_p99_ms": hundredths[98],
            "told_ns": {root_id: told.tolist() for root_id, told in stamped.items()},
        }

    async def _speak(self, run: Run, said: Event, phase: float, seconds: float, took_ms: "array[float]") -> int:
        """How many appends that were; how long every tenth of them took goes to `took_ms`."""
        loop, every_s = asyncio.get_running_loop(), EVENTS_TOGETHER / EVENTS_A_SECOND
        due_s = loop.time() + phase * every_s
        end_s = due_s + seconds
        appends = 0
        while due_s < end_s:
            await asyncio.sleep(max(0.0, due_s - loop.time()))
            began_s = loop.time()
            await self._store.append(run, [said] * EVENTS_TOGETHER)
            if appends % 10 == 0:
                took_ms.append((loop.time() - began_s) * 1_000)
            appends += 1
            due_s += every_s
        return appends

    async def _begun(self) -> Run:
        library = self._sprout.library
        branch = await library.create_branch("Topic", user_id=DEFAULT_USER_ID)
        node = await library.create_node(
            user_id=DEFAULT_USER_ID, type="root", title="Topic", branch_id=branch.id, parent_id=None, desc=None
        )
        return (await self._sprout.runs.start("topic", node=node, user_id=DEFAULT_USER_ID)).run


def bench_routes(sprout: Sprout) -> list[Route]:
    """What the measurement asks of the server itself."""
    load = Load(sprout)

    async def begin(request: Request) -> JSONResponse:
        return JSONResponse(await load.begin(int(request.query_params["count"])))

    async def speak(request: Request) -> JSONResponse:
        asked = request.query_params
        return JSONResponse(
            await load.speak(int(asked["runs"]), float(asked["seconds"]), int(asked.get("characters", CHARACTERS)))
        )

    async def tasks(_: Request) -> JSONResponse:
        return JSONResponse(len(asyncio.all_tasks()))

    return [
        Route("/bench/runs", begin, methods=["POST"]),
        Route("/bench/load", speak, methods=["POST"]),
        Route("/bench/tasks", tasks),
    ]


async def main() -> None:
    """Serve as `sprout serve` does, until the process is ended."""
    settings = load_settings()
    setattr(app_parts, MemoryBus.__name__, StampedBus)  # the one part that is not as a user has it
    async with open_app(settings, extra_agents=[waiting_agent]) as sprout:
        app = web_app(replace(web_parts(sprout), limits=NO_CAPS))
        app.routes[:0] = bench_routes(sprout)
        config = uvicorn.Config(
            app, lifespan="off", log_level="critical", access_log=False, timeout_graceful_shutdown=1
        )
        with listening_at(settings.host, settings.port) as listening:
            await uvicorn.Server(config).serve(sockets=[listening])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
